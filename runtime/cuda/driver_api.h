// The CUDA driver's functions that Weft calls, declared here and opened at run time: building needs no CUDA
// toolkit. Types, values and symbol versions are those of cuda.h; each table entry is written once, in the
// list below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::runtime::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

inline constexpr CUresult kCudaSuccess = 0;
inline constexpr CUresult kCudaOutOfMemory = 2;
inline constexpr CUresult kCudaNoDevice = 100;

// CUdevice_attribute
inline constexpr int kDeviceMultiprocessors = 16;
inline constexpr int kDeviceL2Bytes = 38;
inline constexpr int kDeviceComputeMajor = 75;
inline constexpr int kDeviceComputeMinor = 76;
inline constexpr int kDeviceThreadsOfMultiprocessor = 39;
inline constexpr int kDeviceMaxSharedOptin = 97;
inline constexpr int kDeviceMemoryPools = 115;

// CUfunction_attribute
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMaxDynamicShared = 8;
inline constexpr int kFunctionNonPortableCluster = 14;

// CUmemPool_attribute; all of them are uint64_t.
inline constexpr int kPoolReleaseThreshold = 4;
inline constexpr int kPoolReserved = 5;

// CUpointer_attribute, and the CUmemorytype of memory that the host reads itself.
inline constexpr int kPointerMemoryType = 2;
inline constexpr int kPointerDevice = 9;
inline constexpr unsigned kHostMemory = 1;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
// CU_STREAM_CAPTURE_MODE_RELAXED: other threads, and this one on other streams, go on meanwhile.
inline constexpr int kCaptureRelaxed = 2;

struct CUmemPoolProps {
  int alloc_type = 1;     // CU_MEM_ALLOCATION_TYPE_PINNED: ordinary device memory, never managed
  int handle_types = 0;   // CU_MEM_HANDLE_TYPE_NONE
  int location_type = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  int location_id = 0;
  void* win32_security_attributes = nullptr;
  size_t max_size = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};
static_assert(sizeof(CUmemPoolProps) == 88);

inline constexpr int kLaunchCooperative = 2;       // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
inline constexpr int kLaunchClusterDimension = 4;  // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION

struct CUlaunchAttribute {
  int id;
  char pad[4];
  union {
    char pad64[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int cooperative;
    void* alignment;  // other members of the union hold pointers
  } value;
};
static_assert(sizeof(CUlaunchAttribute) == 72);

struct CUlaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  CUstream stream;
  CUlaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(CUlaunchConfig) == 56);

// X(function, the symbol that cuda.h maps it to, parameters); every one returns CUresult.
#define WEFT_CUDA_DRIVER_FUNCTIONS(X)                                                                       \
  X(cuInit, cuInit, (unsigned flags))                                                                       \
  X(cuDriverGetVersion, cuDriverGetVersion, (int* version))                                                 \
  X(cuGetErrorName, cuGetErrorName, (CUresult error, const char** text))                                    \
  X(cuGetErrorString, cuGetErrorString, (CUresult error, const char** text))                                \
  X(cuDeviceGetCount, cuDeviceGetCount, (int* count))                                                       \
  X(cuDeviceGet, cuDeviceGet, (CUdevice * device, int ordinal))                                             \
  X(cuDeviceGetName, cuDeviceGetName, (char* name, int length, CUdevice device))                            \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int* value, int attribute, CUdevice device))               \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t* bytes, CUdevice device))                                \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))             \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                             \
  X(cuCtxGetCurrent, cuCtxGetCurrent, (CUcontext * context))                                                \
  X(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                                  \
  X(cuStreamCreate, cuStreamCreate, (CUstream * stream, unsigned flags))                                    \
  X(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream))                                                 \
  X(cuStreamSynchronize, cuStreamSynchronize, (CUstream stream))                                            \
  X(cuStreamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                 \
  X(cuStreamQuery, cuStreamQuery, (CUstream stream))                                                        \
  X(cuEventCreate, cuEventCreate, (CUevent * event, unsigned flags))                                        \
  X(cuEventDestroy, cuEventDestroy_v2, (CUevent event))                                                     \
  X(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream))                                         \
  X(cuEventQuery, cuEventQuery, (CUevent event))                                                            \
  X(cuEventSynchronize, cuEventSynchronize, (CUevent event))                                                \
  X(cuEventElapsedTime, cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end))              \
  X(cuCtxSynchronize, cuCtxSynchronize, ())                                                                 \
  X(cuMemPoolCreate, cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps* props))                   \
  X(cuMemPoolDestroy, cuMemPoolDestroy, (CUmemoryPool pool))                                                \
  X(cuMemPoolTrimTo, cuMemPoolTrimTo, (CUmemoryPool pool, size_t bytes_to_keep))                            \
  X(cuMemPoolSetAttribute, cuMemPoolSetAttribute, (CUmemoryPool pool, int attribute, void* value))          \
  X(cuMemPoolGetAttribute, cuMemPoolGetAttribute, (CUmemoryPool pool, int attribute, void* value))          \
  X(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync,                                                       \
    (CUdeviceptr * pointer, size_t bytes, CUmemoryPool pool, CUstream stream))                              \
  X(cuMemFreeAsync, cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream))                                 \
  X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes))                                       \
  X(cuMemFree, cuMemFree_v2, (CUdeviceptr pointer))                                                         \
  X(cuMemGetInfo, cuMemGetInfo_v2, (size_t* free, size_t* total))                                           \
  X(cuPointerGetAttribute, cuPointerGetAttribute, (void* value, int attribute, CUdeviceptr pointer))        \
  X(cuMemHostAlloc, cuMemHostAlloc, (void** pointer, size_t bytes, unsigned flags))                         \
  X(cuMemFreeHost, cuMemFreeHost, (void* pointer))                                                          \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                                \
    (CUdeviceptr to, const void* from, size_t bytes, CUstream stream))                                      \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, size_t bytes, CUstream stream))   \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                                \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                                      \
  X(cuMemcpyPeerAsync, cuMemcpyPeerAsync,                                                                   \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,          \
     CUstream stream))                                                                                      \
  X(cuMemsetD8Async, cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)) \
  X(cuMemsetD2D8Async, cuMemsetD2D8Async,                                                                   \
    (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream))      \
  X(cuModuleLoadData, cuModuleLoadData, (CUmodule * module, const void* image))                             \
  X(cuModuleUnload, cuModuleUnload, (CUmodule module))                                                      \
  X(cuModuleGetFunction, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))   \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2,                                                                \
    (CUdeviceptr * pointer, size_t* bytes, CUmodule module, const char* name))                              \
  X(cuFuncGetAttribute, cuFuncGetAttribute, (int* value, int attribute, CUfunction function))               \
  X(cuFuncSetAttribute, cuFuncSetAttribute, (CUfunction function, int attribute, int value))                \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,               \
    (int* blocks, CUfunction function, int threads, size_t dynamic_shared_bytes))                           \
  X(cuLaunchKernel, cuLaunchKernel,                                                                         \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,              \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,         \
     void** extra))

// Functions of newer drivers, null where the driver lacks them.
#define WEFT_CUDA_OPTIONAL_DRIVER_FUNCTIONS(X)                                                       \
  X(cuLaunchKernelEx, cuLaunchKernelEx,                                                              \
    (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra))            \
  X(cuFuncGetParamInfo, cuFuncGetParamInfo,                                                          \
    (CUfunction function, size_t index, size_t* offset, size_t* bytes))                              \
  X(cuLaunchHostFunc, cuLaunchHostFunc, (CUstream stream, void (*function)(void* data), void* data)) \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, int mode))                      \
  X(cuStreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                      \
  X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,                                        \
    (CUgraphExec * exec, CUgraph graph, unsigned long long flags))                                   \
  X(cuGraphLaunch, cuGraphLaunch, (CUgraphExec exec, CUstream stream))                               \
  X(cuGraphDestroy, cuGraphDestroy, (CUgraph graph))                                                 \
  X(cuGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec exec))

struct DriverApi {
#define WEFT_X(function, symbol, parameters) CUresult(*function) parameters = nullptr;
  WEFT_CUDA_DRIVER_FUNCTIONS(WEFT_X)
  WEFT_CUDA_OPTIONAL_DRIVER_FUNCTIONS(WEFT_X)
#undef WEFT_X
  int version = 0;  // 13000 for CUDA 13.0: the newest CUDA that the driver runs

  // The driver, opened and initialized; null with the `reason` on machines that have none or no usable GPU.
  static std::shared_ptr<const DriverApi> open(const std::vector<std::string>& directories,
                                               std::string& reason);

  // "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string describe(CUresult result) const;
};

}  // namespace weft::runtime::cuda
