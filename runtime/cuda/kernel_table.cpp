#include "runtime/cuda/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "compiler/base/error.h"
#include "runtime/kernel_note.h"

namespace weft::runtime::cuda {

namespace {

constexpr uint32_t kSharedWithoutAsking = 48 << 10;
constexpr uint32_t kPortableCluster = 8;

}  // namespace

CudaKernel::CudaKernel(std::shared_ptr<Context> context, std::unique_ptr<LoadedModule> module)
    : context_(std::move(context)), module_(std::move(module)) {
  const DriverApi& driver = context_->driver();
  auto attribute = [&](int which) {
    int value = -1;
    return driver.cuFuncGetAttribute(&value, which, module_->function) == kCudaSuccess ? value : -1;
  };
  resources_.registers = attribute(kFunctionRegisters);
  resources_.spill_bytes = attribute(kFunctionLocalBytes);
  resources_.shared_bytes = attribute(kFunctionSharedBytes);
  size_t offset = 0, bytes = 0;
  if (driver.cuFuncGetParamInfo &&
      driver.cuFuncGetParamInfo(module_->function, 0, &offset, &bytes) == kCudaSuccess)
    argument_bytes_ = bytes;
}

CudaKernel::~CudaKernel() {
  if (constants_read_)
    if (const Context::Scope scope(*context_); scope.entered())
      context_->driver().cuEventDestroy(constants_read_);
  context_->retire(std::move(module_));
}

std::unique_lock<std::mutex> CudaKernel::set_constants(const std::vector<KernelConstant>& constants,
                                                       std::span<const uint64_t> args,
                                                       CUstream stream) const {
  const DriverApi& driver = context_->driver();
  std::unique_lock lock(constants_mutex_);
  if (constants_read_)
    context_->check(driver.cuStreamWaitEvent(stream, constants_read_, 0), "waiting for another stream");
  else
    context_->check(driver.cuEventCreate(&constants_read_, kEventDisableTiming), "cuEventCreate");
  for (const KernelConstant& one : constants) {
    CUdeviceptr to = 0;
    size_t bytes = 0;
    const CUresult found = driver.cuModuleGetGlobal(&to, &bytes, module_->module, one.name.c_str());
    if (found != kCudaSuccess)
      throw Error(fmt::format("{}: the text has no __constant__ {} that the kernel reads: {}",
                              context_->name(), one.name, driver.describe(found)));
    if (bytes != one.bytes)
      throw Error(fmt::format("{}: the __constant__ {} has {} bytes: got an array of {}", context_->name(),
                              one.name, bytes, one.bytes));
    context_->check(driver.cuMemcpyDtoDAsync(to, args[one.argument], bytes, stream),
                    "the __constant__ " + one.name);
  }
  return lock;
}

void CudaKernel::read_constants(CUstream stream) const {
  context_->check(context_->driver().cuEventRecord(constants_read_, stream), "cuEventRecord");
}

KernelResources CudaKernel::resources() const {
  KernelResources resources = resources_;
  resources.blocks_per_processor = blocks_per_processor_.load();
  return resources;
}

void CudaKernel::prepare_shape(const Launch& how) const {
  const DriverApi& driver = context_->driver();
  std::lock_guard lock(mutex_);
  const uint64_t fixed_bytes = static_cast<uint64_t>(std::max(0, resources_.shared_bytes));
  if (how.shared_bytes + fixed_bytes > kSharedWithoutAsking && how.shared_bytes > allowed_shared_bytes_) {
    const int most = context_->attribute(kDeviceMaxSharedOptin);
    if (how.shared_bytes + fixed_bytes > static_cast<uint64_t>(most))
      throw Error(fmt::format("{}: a block of {} wants {} bytes of shared memory, {} has {}",
                              context_->name(), module_->name, how.shared_bytes + fixed_bytes,
                              context_->name(), most));
    context_->check(driver.cuFuncSetAttribute(module_->function, kFunctionMaxDynamicShared,
                                              static_cast<int>(how.shared_bytes)),
                    "more shared memory for " + module_->name);
    allowed_shared_bytes_ = how.shared_bytes;
  }
  if (how.cluster > kPortableCluster)
    context_->check(driver.cuFuncSetAttribute(module_->function, kFunctionNonPortableCluster, 1),
                    "larger clusters for " + module_->name);
  int blocks = -1;
  context_->check(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                      &blocks, module_->function, static_cast<int>(threads_of(how)), how.shared_bytes),
                  fmt::format("occupancy of {} in blocks of {} threads", module_->name, threads_of(how)));
  blocks_per_processor_.store(blocks);
  prepared_.store(shape_of(how), std::memory_order_release);
}

KernelTable::KernelTable(std::shared_ptr<Context> context, std::string architecture,
                         std::vector<std::string> library_directories, std::shared_ptr<KernelCache> cache,
                         Counters& counters, size_t most_kernels)
    : context_(std::move(context)),
      architecture_(std::move(architecture)),
      library_directories_(std::move(library_directories)),
      cache_(std::move(cache)),
      counters_(counters),
      most_kernels_(std::max<size_t>(1, most_kernels)) {}

KernelRef KernelTable::load(const KernelSource& source) {
  std::promise<KernelRef> promise;
  std::shared_future<KernelRef> other;
  {
    std::lock_guard lock(mutex_);
    if (auto it = kernels_.find(source.hash); it != kernels_.end()) {
      it->second.last_used = ++clock_;
      ++counters_.memory_hits;
      return it->second.kernel;
    }
    if (auto it = underway_.find(source.hash); it != underway_.end())
      other = it->second;
    else
      underway_.emplace(source.hash, promise.get_future().share());
  }
  if (other.valid()) {
    KernelRef kernel = other.get();
    ++counters_.memory_hits;
    return kernel;
  }
  try {
    KernelRef kernel = find_or_compile(source);
    insert(source.hash, kernel);
    promise.set_value(kernel);
    return kernel;
  } catch (...) {
    {
      std::lock_guard lock(mutex_);
      underway_.erase(source.hash);
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}

void KernelTable::insert(const Hash& hash, KernelRef kernel) {
  KernelRef evicted;  // let go outside of the lock: that may wait for the stream
  std::lock_guard lock(mutex_);
  if (kernels_.size() >= most_kernels_) {
    auto oldest = std::min_element(kernels_.begin(), kernels_.end(), [](const auto& a, const auto& b) {
      return a.second.last_used < b.second.last_used;
    });
    evicted = std::move(oldest->second.kernel);
    kernels_.erase(oldest);
  }
  kernels_[hash] = {std::move(kernel), ++clock_};
  underway_.erase(hash);
}

KernelRef KernelTable::find_or_compile(const KernelSource& source) {
  if (source.linked.entry) return load_module(source, source.linked.entry);  // an image that was exported
  auto loading = timed(counters_.trace);
  const int64_t began = Trace::now();
  if (cache_) {
    for (const std::string& toolchain : toolchains()) {
      std::optional<std::string> image = cache_->find(toolchain, source.text);
      if (!image) continue;
      try {
        KernelRef kernel = load_module(source, image->data());
        ++counters_.disk_hits;
        counters_.load_times.add(Trace::now() - began);
        loading.end([&] { return compiled(Work::Load, source); });
        return kernel;
      } catch (const CompileError&) {
        // Code that this driver does not take, from a bundle or an older driver: compiled anew.
      }
    }
    ++counters_.disk_misses;
  }
  const Nvrtc& compiler = nvrtc();
  auto compiling = timed(counters_.trace);
  const auto start = std::chrono::steady_clock::now();
  std::string image = compiler.compile(source.text, source.name, architecture_);
  ++counters_.compiles;
  const int64_t took_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  counters_.compile_ns += took_ns;
  counters_.compile_times.add(took_ns);
  KernelRef kernel = load_module(source, image.data());
  compiling.end([&] { return compiled(Work::Compile, source); });
  if (cache_)
    cache_->put(compiler.toolchain(architecture_), source.name, source.text, image,
                note_on(source, took_ns / 1000));
  return kernel;
}

KernelRef KernelTable::load_module(const KernelSource& source, const void* image) {
  const DriverApi& driver = context_->driver();
  auto loaded = std::make_unique<LoadedModule>();
  loaded->name = source.name;
  // Images that a driver refuses: INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, UNSUPPORTED_PTX_VERSION,
  // INVALID_SOURCE.
  constexpr CUresult kRefusals[] = {200, 209, 218, 222, 300};
  const std::string maker = source.linked.entry
                                ? fmt::format("the exported code of {}", source.name)
                                : fmt::format("the code that NVRTC {} made for {}",
                                              nvrtc_ ? nvrtc_->version() : "(from the cache)", architecture_);
  CUresult result = driver.cuModuleLoadData(&loaded->module, image);
  if (std::find(std::begin(kRefusals), std::end(kRefusals), result) != std::end(kRefusals))
    throw CompileError(fmt::format("{}: the driver (CUDA {}.{}) does not load {}", context_->name(),
                                   driver.version / 1000, driver.version % 1000 / 10, maker),
                       driver.describe(result), source.text);
  if (result == kCudaOutOfMemory)
    throw OutOfMemory(fmt::format("{}: no device memory for the code of {}", context_->name(), source.name));
  context_->check(result, "cuModuleLoadData");
  result = driver.cuModuleGetFunction(&loaded->function, loaded->module, source.name.c_str());
  if (result != kCudaSuccess) {
    driver.cuModuleUnload(loaded->module);
    context_->check(result, fmt::format("the entry {} of its source", source.name));
  }
  const std::string finish = source.name + "_finish";
  if (source.linked.finish || source.text.find(finish + "(") != std::string::npos) {
    result = driver.cuModuleGetFunction(&loaded->finish, loaded->module, finish.c_str());
    if (result != kCudaSuccess) {
      driver.cuModuleUnload(loaded->module);
      context_->check(result, fmt::format("the entry {} of its source", finish));
    }
  }
  return std::make_shared<CudaKernel>(context_, std::move(loaded));
}

std::string KernelTable::ptx(const KernelSource& source) {
  return nvrtc().ptx(source.text, source.name, architecture_);
}

void KernelTable::open_compiler() {
  nvrtc_ =
      Nvrtc::open(library_directories_, no_nvrtc_because_, std::min(13, context_->driver().version / 1000));
  if (nvrtc_) {
    toolchains_.push_back(nvrtc_->toolchain(architecture_));
  } else if (cache_) {
    // Without a compiler, whatever an NVRTC elsewhere made for this architecture will do.
    for (const CacheEntry& entry : cache_->list()) {
      if (entry.toolchain.starts_with(kNvrtcToolchainPrefix) &&
          entry.toolchain.ends_with(" " + architecture_) &&
          std::find(toolchains_.begin(), toolchains_.end(), entry.toolchain) == toolchains_.end())
        toolchains_.push_back(entry.toolchain);
    }
  }
}

const std::vector<std::string>& KernelTable::toolchains() {
  std::call_once(compiler_once_, [this] { open_compiler(); });
  return toolchains_;
}

const Nvrtc& KernelTable::nvrtc() {
  std::call_once(compiler_once_, [this] { open_compiler(); });
  if (!nvrtc_)
    throw Error(fmt::format("{}: kernels cannot be compiled: {}", context_->name(), no_nvrtc_because_));
  return *nvrtc_;
}

}  // namespace weft::runtime::cuda
