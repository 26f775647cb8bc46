// A CUDA driver for tests on machines without a GPU: the functions that Weft opens, over host memory. Work on
// a stream is put off until somebody waits for it, so that memory used again too early shows as wrong data;
// of several streams only the one that is waited for gets on, and those whose events it waits for. Kernels
// are found by name among the few below; an image is never looked at. It stands in for nothing that a GPU
// computes.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cuda/driver_api.h"

// The handles that driver_api.h only names.
namespace weft::runtime::cuda {
struct CUctx_st {};
struct CUmod_st {};
struct CUfunc_st {
  std::string name;
  int dynamic_shared = 48 << 10;
};
struct CUstream_st {
  std::deque<std::function<void()>> work;
  uint64_t done = 0;
  bool captures = false;
  std::vector<std::function<void()>> captured;
};
struct CUgraph_st {
  std::vector<std::function<void()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
};
struct CUevent_st {
  CUstream stream = nullptr;
  uint64_t after = 0;  // done when that many pieces of the stream's work are
};
struct CUmemPoolHandle_st {};
}  // namespace weft::runtime::cuda

using namespace weft::runtime::cuda;

namespace {

constexpr size_t kMemory = size_t{256} << 20;
constexpr CUresult kInvalidValue = 1, kNotInitialized = 3, kDeinitialized = 4, kInvalidContext = 201,
                   kNotFound = 500, kNotReady = 600, kIllegalAddress = 700;
constexpr int kSharedOptin = 100 << 10;

struct State {
  std::recursive_mutex mutex;
  std::map<std::string, long> calls;
  CUresult sticky = 0;
  bool shut_down = false;
  pid_t process = getpid();
  std::set<void*> handles;  // so that what is rightly left behind after the shut-down is no leak
  size_t used = 0, reserved = 0;
  std::map<CUdeviceptr, size_t> blocks;
  CUctx_st context;
  CUstream_st legacy;  // what other libraries call stream 1
  std::set<CUstream> streams{&legacy};
  CUmemPoolHandle_st pool;
};

State& state() {
  static State* the_one = new State;  // outlives every device
  return *the_one;
}

thread_local CUcontext current = nullptr;

struct Call {
  explicit Call(const char* name) : lock(state().mutex) { ++state().calls[name]; }
  std::lock_guard<std::recursive_mutex> lock;
};

// What a call that needs the context answers before it does anything.
CUresult refuse() {
  if (state().shut_down) return kDeinitialized;
  if (getpid() != state().process) return kNotInitialized;  // as the real one answers in a forked child
  if (current != &state().context) return kInvalidContext;
  return state().sticky;
}

CUstream named(CUstream stream) {
  return reinterpret_cast<uintptr_t>(stream) == 1 ? &state().legacy : stream;
}

void run_until(CUstream stream, uint64_t count) {
  CUstream_st& s = *named(stream);
  while (s.done < count && !s.work.empty()) {
    auto work = std::move(s.work.front());
    s.work.pop_front();
    ++s.done;
    if (!state().sticky) work();
  }
}

uint64_t given(CUstream stream) { return named(stream)->done + named(stream)->work.size(); }

CUresult enqueue(CUstream stream, std::function<void()> work) {
  if (CUresult no = refuse()) return no;
  if (!state().streams.count(named(stream))) return kInvalidValue;
  if (named(stream)->captures) return named(stream)->captured.push_back(std::move(work)), 0;
  named(stream)->work.push_back(std::move(work));
  return 0;
}

bool inside(uint64_t address, uint64_t bytes) {
  auto it = state().blocks.upper_bound(address);
  if (it == state().blocks.begin()) return false;
  --it;
  return address + bytes <= it->first + it->second;
}

// The module's __constant__ array `weights`.
uint32_t weights[4] = {};

// fill: w = {out, n, value}; add_one and add_weights: w = {out, in, n}; write_null: w = {unused}.
void run_kernel(const std::string& name, const std::string& argument_bytes) {
  uint64_t w[8] = {};
  std::memcpy(w, argument_bytes.data(), argument_bytes.size());
  if (name == "fill") {
    if (!inside(w[0], w[1] * 4)) return void(state().sticky = kIllegalAddress);
    auto* out = reinterpret_cast<uint32_t*>(w[0]);
    for (uint64_t i = 0; i < w[1]; ++i) out[i] = static_cast<uint32_t>(w[2]);
  } else if (name == "add_one") {
    if (!inside(w[0], w[2] * 4) || !inside(w[1], w[2] * 4)) return void(state().sticky = kIllegalAddress);
    auto* out = reinterpret_cast<uint32_t*>(w[0]);
    auto* in = reinterpret_cast<const uint32_t*>(w[1]);
    for (uint64_t i = 0; i < w[2]; ++i) out[i] = in[i] + 1;
  } else if (name == "add_weights") {
    auto* out = reinterpret_cast<uint32_t*>(w[0]);
    auto* in = reinterpret_cast<const uint32_t*>(w[1]);
    for (uint64_t i = 0; i < w[2]; ++i) out[i] = in[i] + weights[i % 4];
  } else if (name == "add_one_finish") {
    if (!inside(w[0], w[2] * 4)) return void(state().sticky = kIllegalAddress);
    auto* out = reinterpret_cast<uint32_t*>(w[0]);
    for (uint64_t i = 0; i < w[2]; ++i) out[i] *= 2;
  } else if (name == "write_null") {
    state().sticky = kIllegalAddress;
  }
}

size_t words_of(const std::string& name) { return name == "write_null" ? 1 : name == "add_weights" ? 4 : 3; }

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult

// How often a function was called, for tests.
extern "C" __attribute__((visibility("default"))) long fake_cuda_calls(const char* name) {
  std::lock_guard lock(state().mutex);
  return state().calls[name];
}

// From now on (or no longer) the driver answers as it does at the end of a process.
extern "C" __attribute__((visibility("default"))) void fake_cuda_shut_down(bool yes) {
  std::lock_guard lock(state().mutex);
  state().shut_down = yes;
}

FAKE cuInit(unsigned) { return 0; }
FAKE cuDriverGetVersion(int* version) { return *version = 13000, 0; }
FAKE cuGetErrorName(CUresult error, const char** text) {
  *text = error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == 2             ? "CUDA_ERROR_OUT_OF_MEMORY"
                                   : "CUDA_ERROR";
  return 0;
}
FAKE cuGetErrorString(CUresult error, const char** text) {
  *text = error == kIllegalAddress ? "an illegal memory access was encountered" : "some failure";
  return 0;
}
FAKE cuDeviceGetCount(int* count) { return *count = 2, 0; }
FAKE cuDeviceGet(CUdevice* device, int ordinal) { return *device = ordinal, 0; }
FAKE cuDeviceGetName(char* name, int length, CUdevice) {
  return std::strncpy(name, "fake GPU", static_cast<size_t>(length)), 0;
}
FAKE cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  switch (attribute) {
    case kDeviceMultiprocessors:
      *value = 4;
      break;
    case kDeviceL2Bytes:
      *value = 1 << 20;
      break;
    case kDeviceComputeMajor:
      *value = 9;
      break;
    case kDeviceComputeMinor:
      *value = 0;
      break;
    case kDeviceMaxSharedOptin:
      *value = kSharedOptin;
      break;
    case kDeviceMemoryPools:
      *value = 1;
      break;
    default:
      return kInvalidValue;
  }
  return 0;
}
FAKE cuDeviceTotalMem_v2(size_t* bytes, CUdevice) { return *bytes = kMemory, 0; }
FAKE cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  Call call("cuDevicePrimaryCtxRetain");
  return *context = &state().context, 0;
}
FAKE cuDevicePrimaryCtxRelease_v2(CUdevice) {
  Call call("cuDevicePrimaryCtxRelease");
  return 0;
}
FAKE cuCtxGetCurrent(CUcontext* context) {
  if (state().shut_down) return kDeinitialized;
  return *context = current, 0;
}
FAKE cuCtxSetCurrent(CUcontext context) { return current = context, 0; }
FAKE cuStreamCreate(CUstream* stream, unsigned) {
  Call call("cuStreamCreate");
  state().streams.insert(*stream = new CUstream_st);
  return refuse();
}
FAKE cuStreamDestroy_v2(CUstream stream) {
  Call call("cuStreamDestroy");
  run_until(stream, given(stream));
  state().streams.erase(stream);
  delete stream;
  return refuse();
}
FAKE cuStreamSynchronize(CUstream stream) {
  Call call("cuStreamSynchronize");
  if (CUresult no = refuse()) return no;
  run_until(stream, given(stream));
  return refuse();
}
FAKE cuStreamQuery(CUstream stream) {
  Call call("cuStreamQuery");
  if (CUresult no = refuse()) return no;
  return named(stream)->work.empty() ? 0 : kNotReady;
}
FAKE cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  Call call("cuStreamWaitEvent");
  return enqueue(stream, [of = event->stream, after = event->after] {
    if (state().streams.count(of)) run_until(of, after);
  });
}
FAKE cuCtxSynchronize() {
  Call call("cuCtxSynchronize");
  for (CUstream stream : state().streams) run_until(stream, given(stream));
  return refuse();
}
FAKE cuEventCreate(CUevent* event, unsigned) {
  Call call("cuEventCreate");
  state().handles.insert(*event = new CUevent_st);
  return refuse();
}
FAKE cuEventDestroy_v2(CUevent event) {
  Call call("cuEventDestroy");
  state().handles.erase(event);
  delete event;
  return 0;
}
FAKE cuEventRecord(CUevent event, CUstream stream) {
  Call call("cuEventRecord");
  event->stream = named(stream);
  event->after = given(stream);
  return refuse();
}
FAKE cuEventQuery(CUevent event) {
  Call call("cuEventQuery");
  if (CUresult no = refuse()) return no;
  const bool gone = !state().streams.count(event->stream);
  return gone || event->stream->done >= event->after ? 0 : kNotReady;
}
FAKE cuEventSynchronize(CUevent event) {
  Call call("cuEventSynchronize");
  if (state().streams.count(event->stream)) run_until(event->stream, event->after);
  return refuse();
}
// Half a millisecond for each piece of work between them.
FAKE cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  Call call("cuEventElapsedTime");
  return *milliseconds = 0.5f * static_cast<float>(end->after - start->after), refuse();
}
FAKE cuPointerGetAttribute(void* value, int attribute, CUdeviceptr pointer) {
  Call call("cuPointerGetAttribute");
  if ((attribute != kPointerDevice && attribute != kPointerMemoryType) || !inside(pointer, 1))
    return kInvalidValue;
  *static_cast<int*>(value) = attribute == kPointerDevice ? 0 : 2;
  return 0;
}
FAKE cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* props) {
  if (props->alloc_type != 1 || props->location_type != 1) return kInvalidValue;
  return *pool = &state().pool, refuse();
}
FAKE cuMemPoolDestroy(CUmemoryPool) { return 0; }
FAKE cuMemPoolTrimTo(CUmemoryPool, size_t) {
  Call call("cuMemPoolTrimTo");
  state().reserved = state().used;
  return refuse();
}
FAKE cuMemPoolSetAttribute(CUmemoryPool, int attribute, void* value) {
  return attribute == kPoolReleaseThreshold && *static_cast<uint64_t*>(value) == UINT64_MAX ? 0
                                                                                            : kInvalidValue;
}
FAKE cuMemPoolGetAttribute(CUmemoryPool, int attribute, void* value) {
  Call call("cuMemPoolGetAttribute");
  if (attribute != kPoolReserved) return kInvalidValue;
  *static_cast<uint64_t*>(value) = state().reserved;
  return 0;
}
FAKE cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t bytes, CUmemoryPool, CUstream) {
  Call call("cuMemAllocFromPoolAsync");
  State& s = state();
  if (CUresult no = refuse()) return no;
  if (s.used + bytes > kMemory) return kCudaOutOfMemory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory) return kCudaOutOfMemory;
  s.used += bytes;
  s.reserved = std::max(s.reserved, s.used);
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  s.blocks[*pointer] = bytes;
  return 0;
}
FAKE cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  Call call("cuMemFreeAsync");
  return enqueue(stream, [pointer] {
    State& s = state();
    s.used -= s.blocks.at(pointer);
    s.blocks.erase(pointer);
    std::free(reinterpret_cast<void*>(pointer));
  });
}
FAKE cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  Call call("cuMemAlloc");
  void* memory = std::malloc(bytes);
  state().handles.insert(memory);
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  state().blocks[*pointer] = bytes;
  return refuse();
}
FAKE cuMemFree_v2(CUdeviceptr pointer) {
  Call call("cuMemFree");
  auto* memory = reinterpret_cast<void*>(pointer);
  state().handles.erase(memory);
  state().blocks.erase(pointer);
  return std::free(memory), 0;
}
FAKE cuMemGetInfo_v2(size_t* free, size_t* total) {
  Call call("cuMemGetInfo");
  *free = kMemory - state().reserved;
  *total = kMemory;
  return refuse();
}
FAKE cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  Call call("cuMemHostAlloc");
  state().handles.insert(*pointer = std::malloc(bytes));
  return refuse();
}
FAKE cuMemFreeHost(void* pointer) {
  Call call("cuMemFreeHost");
  state().handles.erase(pointer);
  return std::free(pointer), 0;
}
FAKE cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  Call call("cuMemcpyHtoDAsync");
  if (!inside(to, bytes)) return kInvalidValue;
  return enqueue(stream, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
}
FAKE cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  Call call("cuMemcpyDtoHAsync");
  if (!inside(from, bytes)) return kInvalidValue;
  return enqueue(stream, [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
}
FAKE cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  Call call("cuMemcpyDtoDAsync");
  if (!inside(to, bytes) || !inside(from, bytes)) return kInvalidValue;
  return enqueue(
      stream, [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
}
FAKE cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes,
                       CUstream stream) {
  Call call("cuMemcpyPeerAsync");
  if (!inside(to, bytes) || !inside(from, bytes)) return kInvalidValue;
  return enqueue(
      stream, [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
}
FAKE cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  Call call("cuMemsetD8Async");
  return enqueue(stream, [=] { std::memset(reinterpret_cast<void*>(to), value, bytes); });
}
FAKE cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                       CUstream stream) {
  Call call("cuMemsetD2D8Async");
  return enqueue(stream, [=] {
    for (size_t row = 0; row < height; ++row)
      std::memset(reinterpret_cast<char*>(to) + row * pitch, value, width);
  });
}
FAKE cuModuleLoadData(CUmodule* module, const void*) {
  Call call("cuModuleLoadData");
  state().handles.insert(*module = new CUmod_st);
  return refuse();
}
FAKE cuModuleUnload(CUmodule module) {
  Call call("cuModuleUnload");
  state().handles.erase(module);
  delete module;
  return 0;
}
FAKE cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  Call call("cuModuleGetFunction");
  static const std::set<std::string> known{"fill", "add_one", "add_one_finish", "add_weights", "write_null"};
  if (!known.count(name)) return kNotFound;
  static std::map<std::string, CUfunc_st> functions;
  functions[name].name = name;
  return *function = &functions[name], refuse();
}
FAKE cuModuleGetGlobal_v2(CUdeviceptr* pointer, size_t* bytes, CUmodule, const char* name) {
  Call call("cuModuleGetGlobal");
  if (std::strcmp(name, "weights") != 0) return kNotFound;
  *pointer = reinterpret_cast<CUdeviceptr>(weights);
  *bytes = sizeof weights;
  state().blocks[*pointer] = sizeof weights;
  return refuse();
}
FAKE cuFuncGetAttribute(int* value, int attribute, CUfunction) {
  *value = attribute == kFunctionRegisters ? 16 : 0;
  return 0;
}
FAKE cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  Call call("cuFuncSetAttribute");
  if (attribute == kFunctionMaxDynamicShared) function->dynamic_shared = value;
  return refuse();
}
FAKE cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, size_t) {
  Call call("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  if (threads < 1 || threads > 1024) return kInvalidValue;
  return *blocks = 2048 / threads, 0;
}
FAKE cuLaunchKernel(CUfunction function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned,
                    unsigned, unsigned shared_bytes, CUstream stream, void** parameters, void**) {
  Call call("cuLaunchKernel");
  if (blocks == 0 || threads == 0 || static_cast<int>(shared_bytes) > function->dynamic_shared)
    return kInvalidValue;
  // Copied now, as the real driver does.
  std::string arguments(static_cast<const char*>(parameters[0]), words_of(function->name) * 8);
  return enqueue(stream, [name = function->name, arguments] { run_kernel(name, arguments); });
}
FAKE cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  if (index != 0) return kInvalidValue;
  *offset = 0;
  *bytes = words_of(function->name) * 8;
  return 0;
}
FAKE cuStreamBeginCapture_v2(CUstream stream, int) {
  Call call("cuStreamBeginCapture");
  if (CUresult no = refuse()) return no;
  return stream->captures = true, 0;
}
FAKE cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  Call call("cuStreamEndCapture");
  if (CUresult no = refuse()) return no;
  stream->captures = false;
  state().handles.insert(*graph = new CUgraph_st{std::exchange(stream->captured, {})});
  return 0;
}
FAKE cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  Call call("cuGraphInstantiate");
  if (CUresult no = refuse()) return no;
  state().handles.insert(*exec = new CUgraphExec_st{graph->work});
  return 0;
}
FAKE cuLaunchHostFunc(CUstream stream, void (*function)(void*), void* data) {
  Call call("cuLaunchHostFunc");
  return enqueue(stream, [function, data] { function(data); });
}
FAKE cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  Call call("cuGraphLaunch");
  for (auto& work : exec->work)
    if (CUresult no = enqueue(stream, work)) return no;
  return 0;
}
FAKE cuGraphDestroy(CUgraph graph) {
  Call call("cuGraphDestroy");
  state().handles.erase(graph);
  return delete graph, 0;
}
FAKE cuGraphExecDestroy(CUgraphExec exec) {
  Call call("cuGraphExecDestroy");
  state().handles.erase(exec);
  return delete exec, 0;
}
