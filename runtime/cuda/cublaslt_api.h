// The functions of cuBLASLt that Weft calls: declared here as cublasLt.h has them and opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cuda/driver_api.h"

namespace weft::runtime::cuda {

using CublasStatus = int;
using CublasLtHandle = struct cublasLtContext*;
using CublasLtDesc = struct cublasLtMatmulDesc*;
using CublasLtLayout = struct cublasLtMatrixLayout*;
using CublasLtPreference = struct cublasLtMatmulPreference*;

inline constexpr CublasStatus kCublasSuccess = 0;

// cublasOperation_t, cudaDataType, cublasComputeType_t
inline constexpr int32_t kCublasOpN = 0, kCublasOpT = 1;
inline constexpr int kCudaR32F = 0, kCudaR64F = 1, kCudaR16F = 2, kCudaC32F = 4, kCudaC64F = 5,
                     kCudaR16BF = 14;
// The plain types: 32F is strict f32; TF32 and the other shortcuts are compute types of their own.
inline constexpr int kCublasCompute32F = 68, kCublasCompute64F = 70;

// Attributes and, beside them, the type that each takes.
inline constexpr int kDescTransposeA = 3, kDescTransposeB = 4;              // int32_t
inline constexpr int kLayoutBatchCount = 5;                                 // int32_t
inline constexpr int kLayoutBatchStride = 6;                                // int64_t
inline constexpr int kPreferenceWorkspaceBytes = 1;                         // uint64_t
inline constexpr int kPreferenceReductionSchemes = 3;                       // uint32_t
inline constexpr int kPreferenceAlignmentA = 5, kPreferenceAlignmentB = 6;  // uint32_t
inline constexpr int kPreferenceAlignmentC = 7, kPreferenceAlignmentD = 8;  // uint32_t
inline constexpr int kAlgoTile = 1;                                         // uint32_t
inline constexpr uint32_t kTile128By128 = 20;

struct CublasLtAlgo {
  uint64_t data[8];
};
struct CublasLtHeuristic {
  CublasLtAlgo algo;
  size_t workspace_bytes;
  CublasStatus state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(CublasLtHeuristic) == 96);

// X(function, return type, parameters)
#define WEFT_CUBLASLT_FUNCTIONS(X)                                                                         \
  X(cublasLtGetStatusName, const char*, (CublasStatus status))                                             \
  X(cublasLtCreate, CublasStatus, (CublasLtHandle * handle))                                               \
  X(cublasLtDestroy, CublasStatus, (CublasLtHandle handle))                                                \
  X(cublasLtMatmulDescCreate, CublasStatus, (CublasLtDesc * desc, int compute_type, int scale_type))       \
  X(cublasLtMatmulDescDestroy, CublasStatus, (CublasLtDesc desc))                                          \
  X(cublasLtMatmulDescSetAttribute, CublasStatus,                                                          \
    (CublasLtDesc desc, int attribute, const void* value, size_t bytes))                                   \
  X(cublasLtMatrixLayoutCreate, CublasStatus,                                                              \
    (CublasLtLayout * layout, int data_type, uint64_t rows, uint64_t columns, int64_t leading))            \
  X(cublasLtMatrixLayoutDestroy, CublasStatus, (CublasLtLayout layout))                                    \
  X(cublasLtMatrixLayoutSetAttribute, CublasStatus,                                                        \
    (CublasLtLayout layout, int attribute, const void* value, size_t bytes))                               \
  X(cublasLtMatmulPreferenceCreate, CublasStatus, (CublasLtPreference * preference))                       \
  X(cublasLtMatmulPreferenceDestroy, CublasStatus, (CublasLtPreference preference))                        \
  X(cublasLtMatmulPreferenceSetAttribute, CublasStatus,                                                    \
    (CublasLtPreference preference, int attribute, const void* value, size_t bytes))                       \
  X(cublasLtMatmulAlgoGetHeuristic, CublasStatus,                                                          \
    (CublasLtHandle handle, CublasLtDesc desc, CublasLtLayout a, CublasLtLayout b, CublasLtLayout c,       \
     CublasLtLayout d, CublasLtPreference preference, int wanted, CublasLtHeuristic* results, int* found)) \
  X(cublasLtMatmulAlgoConfigGetAttribute, CublasStatus,                                                    \
    (const CublasLtAlgo* algo, int attribute, void* value, size_t bytes, size_t* written))                 \
  X(cublasLtMatmul, CublasStatus,                                                                          \
    (CublasLtHandle handle, CublasLtDesc desc, const void* alpha, const void* a, CublasLtLayout a_layout,  \
     const void* b, CublasLtLayout b_layout, const void* beta, const void* c, CublasLtLayout c_layout,     \
     void* d, CublasLtLayout d_layout, const CublasLtAlgo* algo, void* workspace, size_t workspace_bytes,  \
     CUstream stream))

struct CublasLtApi {
#define WEFT_X(function, type, parameters) type(*function) parameters = nullptr;
  WEFT_CUBLASLT_FUNCTIONS(WEFT_X)
#undef WEFT_X
};

}  // namespace weft::runtime::cuda
