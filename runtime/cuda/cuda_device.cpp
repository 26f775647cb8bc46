#include "runtime/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "compiler/base/error.h"
#include "runtime/cuda/batch.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/cuda_memory.h"
#include "runtime/cuda/cuda_stream.h"
#include "runtime/cuda/device_pool.h"
#include "runtime/cuda/driver_api.h"
#include "runtime/cuda/event_clock.h"
#include "runtime/cuda/kernel_table.h"
#include "runtime/cuda/launch_graphs.h"
#include "runtime/cuda/matrix_product.h"
#include "runtime/cuda/shared_library.h"
#include "runtime/cuda/staging.h"

namespace weft::runtime {

namespace {

using namespace cuda;

// What every CUDA 12 driver takes as one parameter block; later ones take more, which nothing needs.
constexpr size_t kMostArgumentBytes = 4000;
constexpr int64_t kMostTasks = INT32_MAX;

CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

CUstream foreign(uint64_t stream) { return reinterpret_cast<CUstream>(stream); }
// The legacy default stream and a thread's own default one are always there; other streams may have ended.
bool is_default_stream(uint64_t stream) { return stream == 1 || stream == 2; }

class CudaDevice final : public Device, private Starter {
 public:
  CudaDevice(std::shared_ptr<Context> context, DeviceInfo info, const CudaOptions& options,
             std::shared_ptr<KernelCache> cache, Counters& counters)
      : context_(std::move(context)),
        info_(std::move(info)),
        directories_(options.library_directories),
        counters_(counters),
        pool_(context_),
        staging_(context_),
        kernels_(context_, info_.architecture, directories_, std::move(cache), counters,
                 options.most_kernels),
        graphs_(context_, pool_),
        batches_(options.graphs && graphs_.supported()) {}

  const DeviceInfo& info() const override { return info_; }

  MemoryInfo memory() const override {
    Context::Scope scope(*context_);
    return pool_.info();
  }

  BufferRef allocate(size_t bytes) override {
    Context::Scope scope(*context_);
    Block block = pool_.allocate(bytes);
    try {
      return std::make_shared<CudaBuffer>(shared_from_this(), pool_, std::move(block), bytes);
    } catch (...) {
      pool_.free(std::move(block));
      throw;
    }
  }

  void trim() override {
    Context::Scope scope(*context_);
    pool_.trim();
  }

  void upload(Buffer& to, size_t offset, const void* host, size_t bytes) override {
    check_range("upload", to, offset, bytes);
    by_host(Work::Upload, to, bytes, [&] { staging_.upload(address(to.data()) + offset, host, bytes); });
  }

  void download(void* host, const Buffer& from, size_t offset, size_t bytes) override {
    check_range("download", from, offset, bytes);
    by_host(Work::Download, from, bytes,
            [&] { staging_.download(host, address(from.data()) + offset, bytes); });
  }

  void start_upload(Buffer& to, size_t offset, const void* host, size_t bytes) override {
    check_range("upload", to, offset, bytes);
    if (bytes == 0) return;
    by_host(Work::Upload, to, bytes, [&] {
      const CUdeviceptr place = address(to.data()) + offset;
      context_->check(context_->driver().cuMemcpyHtoDAsync(place, host, bytes, stream_of_thread(*context_)),
                      "upload");
    });
  }

  void start_download(void* host, const Buffer& from, size_t offset, size_t bytes) override {
    check_range("download", from, offset, bytes);
    if (bytes == 0) return;
    by_host(Work::Download, from, bytes, [&] {
      const CUdeviceptr place = address(from.data()) + offset;
      context_->check(context_->driver().cuMemcpyDtoHAsync(host, place, bytes, stream_of_thread(*context_)),
                      "download");
    });
  }

  std::shared_ptr<void> allocate_host(size_t bytes) override {
    Context::Scope scope(*context_);
    void* memory = nullptr;
    const CUresult result = context_->driver().cuMemHostAlloc(&memory, std::max<size_t>(bytes, 1), 0);
    if (result == kCudaOutOfMemory)
      throw OutOfMemory(fmt::format("{}: no {} bytes of page-locked host memory", info_.name, bytes));
    context_->check(result, "cuMemHostAlloc");
    return {memory, [context = context_](void* held) {
              Context::Scope inside(*context);
              // Copies that were started may still use it.
              if (!inside.entered()) return;
              context->driver().cuCtxSynchronize();
              context->driver().cuMemFreeHost(held);
            }};
  }

  std::shared_ptr<Stream> make_stream() override {
    Context::Scope scope(*context_);
    return std::make_shared<CudaStream>(shared_from_this(), context_, context_->take_queue(), true);
  }
  std::shared_ptr<Stream> stream() override {
    if (const auto* chosen = StreamScope::chosen(context_.get())) return *chosen;
    return std::make_shared<CudaStream>(shared_from_this(), context_, context_->first_queue(), false);
  }

  void before(const Buffer& buffer, Use use) override {
    Queue& queue = queue_of_thread(*context_);
    memory_of(buffer).with_uses([&](const Uses& uses) {
      // The usual case: one stream, whose order is all that is needed.
      if (uses.home == &queue && uses.elsewhere.empty()) return;
      Context::Scope scope(*context_);
      use == Use::Read ? uses.before_read(queue) : uses.before_write(queue);
    });
  }
  void after(const Buffer& buffer, Use use) override {
    Queue& queue = queue_of_thread(*context_);
    const Batch* const batch = Batch::of(*context_);
    const bool held_back = batch && batch->holds_back();
    memory_of(buffer).with_uses([&](Uses& uses) {
      if (use == Use::Write) {
        uses.after_write(queue, held_back ? Uses::kLatest : queue.given());
      } else {
        // Another queue's memory has to know when it was read.
        if (uses.home != &queue) flush();
        uses.after_read(queue);
      }
    });
  }

  BufferRef adopt(void* data, size_t bytes, std::function<void()> release, uint64_t stream) override {
    Context::Scope scope(*context_);
    Queue& queue = queue_of_thread(*context_);
    if (stream != 0) {
      const CudaEvent event(context_, foreign(stream));
      event.make_wait(queue);
    }
    Block block{address(data), bytes, {&queue, queue.given(), {}}};
    return std::make_shared<AdoptedMemory>(shared_from_this(), context_, std::move(block), bytes,
                                           std::move(release));
  }

  void lend_to(const Buffer& buffer, uint64_t stream) override {
    Context::Scope scope(*context_);
    memory_of(buffer).with_uses([&](const Uses& uses) {
      const CudaEvent event(context_, uses.home->handle());
      context_->check(context_->driver().cuStreamWaitEvent(foreign(stream), event.handle(), 0),
                      "cuStreamWaitEvent");
    });
  }
  uint64_t stream_of(const Buffer& buffer) override {
    uint64_t handle = 0;
    memory_of(buffer).with_uses(
        [&](const Uses& uses) { handle = reinterpret_cast<uint64_t>(uses.home->handle()); });
    return handle;
  }
  void take_back(const Buffer& buffer, uint64_t stream) override {
    Context::Scope scope(*context_);
    if (!scope.entered()) return;
    if (!is_default_stream(stream)) {
      context_->check(context_->driver().cuCtxSynchronize(), "cuCtxSynchronize");
      return;
    }
    memory_of(buffer).with_uses([&](const Uses& uses) {
      const CudaEvent event(context_, foreign(stream));
      event.make_wait(*uses.home);
    });
  }

  void copy(Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t bytes) override {
    check_range("copy", to, to_offset, bytes);
    auto* other = dynamic_cast<CudaDevice*>(from.device().get());
    (other ? other : this)->check_range("copy", from, from_offset, bytes);
    if (bytes == 0) return;
    if (other != this) {
      copy_from(*other, to, address(to.data()) + to_offset, from, address(from.data()) + from_offset, bytes);
      return;
    }
    const CopyStart copy{address(to.data()) + to_offset, address(from.data()) + from_offset, bytes};
    ordered(&from, &to, [&] { give(copy, {}); });
  }

  bool host_visible() const override { return false; }

  KernelRef load(const KernelSource& source) override {
    Context::Scope scope(*context_);
    return kernels_.load(source);
  }

  KernelResources resources(const Kernel& kernel, const Launch& how) override {
    Context::Scope scope(*context_);
    const CudaKernel& mine = own(kernel);
    mine.prepare(how);
    return mine.resources();
  }

  std::string assembly(const KernelSource& source) override { return kernels_.ptx(source); }

  void launch(const Kernel& kernel, const Launch& how, std::span<const uint64_t> args) override;

  void dot(const Dot& what, void* c, const void* a, const void* b) override {
    Context::Scope scope(*context_);
    give(ProductStart{what, c, a, b}, {});
  }

  bool supports_dot(DType dtype) const override {
    if (!MatrixProduct::supports(dtype)) return false;
    Context::Scope scope(*context_);
    return matrix_product() != nullptr;
  }

  void synchronize() override {
    Context::Scope scope(*context_);
    flush();
    context_->synchronize("synchronize");
  }

  std::unique_ptr<DeviceClock> start_clock() override {
    if (CaptureScope::of_thread(*context_)) return nullptr;
    const CUstream stream = queue_of_thread(*context_).handle();
    int64_t overhead = clock_overhead_.load(std::memory_order_relaxed);
    if (overhead < 0) {
      const BufferRef memory = allocate(1);
      synchronize();  // its memory may be the stream's to give
      overhead = EventClock::overhead(context_, stream, address(memory->data()));
      clock_overhead_.store(overhead, std::memory_order_relaxed);
    }
    return std::make_unique<EventClock>(context_, stream, overhead);
  }

  void open_batch() override {
    if (batches_) Batch::open(graphs_, *this, queue_of_thread(*context_));
  }
  void close_batch() override {
    if (!batches_) return;
    Context::Scope scope(*context_);
    Batch::close(*context_);
  }

 private:
  const CudaKernel& own(const Kernel& kernel) const {
    const auto* mine = dynamic_cast<const CudaKernel*>(&kernel);
    if (!mine || mine->context() != context_.get())
      throw InternalError(fmt::format("{}: launch: the kernel was loaded by another device", info_.name));
    return *mine;
  }
  void flush() {
    if (Batch* const batch = Batch::of(*context_)) batch->flush();
  }
  // To the thread's stream, now or with what comes next.
  void give(const Start& what, std::span<const uint64_t> args) {
    Batch* const batch = Batch::of(*context_);
    if (!batch || !batch->hold(what, args)) start(what, args);
  }
  void start(const Start& what, std::span<const uint64_t> args) override {
    std::visit([&](const auto& one) { start_one(one, args); }, what);
    if (!CaptureScope::of_thread(*context_)) queue_of_thread(*context_).gave();
  }
  void started(const LaunchGraph& graph) override {
    counters_.kernels_launched.fetch_add(graph.launches, std::memory_order_relaxed);
    counters_.library_calls.fetch_add(graph.products, std::memory_order_relaxed);
  }
  void start_one(const KernelStart& k, std::span<const uint64_t> args);
  void start_one(const CopyStart& copy, std::span<const uint64_t>) {
    context_->check(
        context_->driver().cuMemcpyDtoDAsync(copy.to, copy.from, copy.bytes, stream_of_thread(*context_)),
        "copy");
  }
  void start_one(const ProductStart& product, std::span<const uint64_t>) {
    MatrixProduct* const library = matrix_product();
    if (!library) throw Error(fmt::format("{}: no matrix products: {}", info_.name, no_product_because_));
    library->run(product.what, product.c, product.a, product.b);
    if (!CaptureScope::of_thread(*context_)) counters_.library_calls.fetch_add(1, std::memory_order_relaxed);
  }
  CUresult start_entry(const LoadedModule& module, const Launch& how, void** parameters) const;
  void note_start(const LoadedModule& module) {
    if (CaptureScope::of_thread(*context_)) return;
    context_->started(&module);
    counters_.kernels_launched.fetch_add(1, std::memory_order_relaxed);
  }

  const CudaMemory& memory_of(const Buffer& buffer) const {
    if (buffer.device().get() != this)
      throw InternalError(
          fmt::format("{}: the buffer belongs to {}", info_.name, buffer.device()->info().name));
    return static_cast<const CudaMemory&>(buffer);
  }

  // From another GPU, without its or the host's waiting: this one's stream waits for what was written there,
  // and what is given there later for the copy.
  void copy_from(CudaDevice& other, Buffer& to, CUdeviceptr target, const Buffer& from, CUdeviceptr source,
                 size_t bytes) {
    Queue &there = queue_of_thread(*other.context_), &here = queue_of_thread(*context_);
    {
      Context::Scope scope(*other.context_);
      other.flush();
      other.before(from, Use::Read);
      CudaEvent(other.context_, there.handle()).make_wait(here);
    }
    ordered(nullptr, &to, [&] {
      at_once([&] {
        context_->check(context_->driver().cuMemcpyPeerAsync(target, context_->handle(), source,
                                                             other.context_->handle(), bytes, here.handle()),
                        "cuMemcpyPeerAsync");
      });
    });
    CudaEvent(context_, here.handle()).make_wait(there);
    other.after(from, Use::Read);
  }

  // One piece of work that reads and writes these buffers.
  template <class F>
  void ordered(const Buffer* read, const Buffer* written, F&& work) {
    Context::Scope scope(*context_);
    if (read) before(*read, Use::Read);
    if (written) before(*written, Use::Write);
    work();
    if (read) after(*read, Use::Read);
    if (written) after(*written, Use::Write);
  }

  // Work that is not held back.
  template <class F>
  void at_once(F&& work) {
    flush();
    work();
    queue_of_thread(*context_).gave();
  }

  // A copy between the host and the buffer. A trace waits for it, to tell its time.
  template <class F>
  void by_host(Work work, const Buffer& buffer, size_t bytes, F&& copy) {
    const auto finish = [this] { synchronize(); };
    Timed<decltype(finish)> timed(counters_.trace, finish);
    const bool up = work == Work::Upload;
    ordered(up ? nullptr : &buffer, up ? &buffer : nullptr, [&] { at_once(copy); });
    timed.end_short(number_of_copy(work, bytes), [&] { return copied(work, bytes); });
  }

  void check_range(std::string_view op, const Buffer& buffer, size_t offset, size_t bytes) const {
    if (buffer.device().get() != this)
      throw InternalError(
          fmt::format("{}: {}: the buffer belongs to {}", info_.name, op, buffer.device()->info().name));
    if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
      throw InternalError(fmt::format("{}: {}: {} bytes at {} pass the end of a buffer of {}", info_.name, op,
                                      bytes, offset, buffer.bytes()));
  }

  void check_launch(const CudaKernel& kernel, const Launch& how, std::span<const uint64_t> args) const;
  CUresult launch_neighbours(const LoadedModule& module, const Launch& how, void** parameters) const;

  // Opened at the first need, since the library is large; null where there is none.
  MatrixProduct* matrix_product() const {
    std::call_once(product_once_, [this] {
      product_ = MatrixProduct::open(context_, pool_, directories_, no_product_because_);
    });
    return product_.get();
  }

  std::shared_ptr<Context> context_;
  DeviceInfo info_;
  std::vector<std::string> directories_;
  Counters& counters_;
  mutable DevicePool pool_;
  Staging staging_;
  KernelTable kernels_;
  LaunchGraphs graphs_;
  bool batches_;
  std::atomic<int64_t> clock_overhead_{-1};  // nanoseconds; below 0: not measured yet
  mutable std::once_flag product_once_;
  mutable std::unique_ptr<MatrixProduct> product_;
  mutable std::string no_product_because_;
};

void CudaDevice::check_launch(const CudaKernel& kernel, const Launch& how,
                              std::span<const uint64_t> args) const {
  const LoadedModule& module = kernel.module();
  if (args.size_bytes() > kMostArgumentBytes)
    throw Error(fmt::format("{}: launch of {}: {} bytes of arguments, at most {} can be passed", info_.name,
                            module.name, args.size_bytes(), kMostArgumentBytes));
  if (kernel.argument_bytes() != 0 && args.size_bytes() != kernel.argument_bytes())
    throw InternalError(fmt::format("{}: launch of {}: {} bytes of arguments given, its source declares {}",
                                    info_.name, module.name, args.size_bytes(), kernel.argument_bytes()));
  if (how.tasks < 0 || how.tasks > kMostTasks)
    throw Error(fmt::format("{}: launch of {}: {} blocks, a grid has at most {}", info_.name, module.name,
                            how.tasks, kMostTasks));
  if (how.finish_tasks < 0 || how.finish_tasks > kMostTasks || (how.finish_tasks > 0 && !module.finish))
    throw InternalError(fmt::format("{}: launch of {}: {} blocks of a finish{}", info_.name, module.name,
                                    how.finish_tasks,
                                    module.finish ? "" : ", which its source does not have"));
}

// Blocks in clusters, or that all run at once and wait for each other.
CUresult CudaDevice::launch_neighbours(const LoadedModule& module, const Launch& how,
                                       void** parameters) const {
  const DriverApi& driver = context_->driver();
  const uint32_t neighbours = std::max(how.cluster, how.cooperating);
  if (how.tasks % neighbours != 0)
    throw InternalError(fmt::format("{}: launch of {}: {} blocks do not fill {} of {}", info_.name,
                                    module.name, how.tasks,
                                    how.cluster > 1 ? "clusters" : "groups that cooperate", neighbours));
  if (!driver.cuLaunchKernelEx)
    throw Error(fmt::format(
        "{}: launch of {}: the driver starts neither clusters nor cooperative launches; a newer one does",
        info_.name, module.name));
  CUlaunchAttribute attribute{};
  if (how.cooperating > 1) {
    attribute.id = kLaunchCooperative;
    attribute.value.cooperative = 1;
  } else {
    attribute.id = kLaunchClusterDimension;
    attribute.value.cluster = {how.cluster, 1, 1};
  }
  CUlaunchConfig config{static_cast<unsigned>(how.tasks),
                        how.tasks_y,
                        how.tasks_z,
                        how.threads,
                        how.threads_y,
                        how.threads_z,
                        how.shared_bytes,
                        stream_of_thread(*context_),
                        &attribute,
                        1};
  return driver.cuLaunchKernelEx(&config, module.function, parameters, nullptr);
}

CUresult CudaDevice::start_entry(const LoadedModule& module, const Launch& how, void** parameters) const {
  if (how.cluster > 1 || how.cooperating > 1) return launch_neighbours(module, how, parameters);
  return context_->driver().cuLaunchKernel(
      module.function, static_cast<unsigned>(how.tasks), how.tasks_y, how.tasks_z, how.threads, how.threads_y,
      how.threads_z, how.shared_bytes, stream_of_thread(*context_), parameters, nullptr);
}

void CudaDevice::launch(const Kernel& kernel, const Launch& how, std::span<const uint64_t> args) {
  const CudaKernel* const mine = &own(kernel);
  check_launch(*mine, how, args);
  if (how.tasks == 0) return;
  Context::Scope scope(*context_);
  if (!how.constants) return give(KernelStart{mine, how}, args);
  // No graph has them: it would not wait for other streams that set them.
  flush();
  start(KernelStart{mine, how}, args);
}

void CudaDevice::start_one(const KernelStart& k, std::span<const uint64_t> args) {
  const auto& how = k.how;
  const LoadedModule& module = k.kernel->module();
  k.kernel->prepare(how);
  const DriverApi& driver = context_->driver();
  if (how.zeroed_bytes > 0) {
    if (how.zeroed >= args.size())
      throw InternalError(fmt::format("{}: launch of {}: its arguments do not have the memory to be zeroed",
                                      info_.name, module.name));
    context_->check(
        driver.cuMemsetD8Async(args[how.zeroed], 0, how.zeroed_bytes, stream_of_thread(*context_)),
        "zeros for " + module.name);
  }
  std::array<uint64_t, kMostArgumentBytes / sizeof(uint64_t)> counting;
  if (how.counters > 0) {
    if (how.counting >= args.size())
      throw InternalError(
          fmt::format("{}: launch of {}: its arguments have no place for counters", info_.name, module.name));
    std::ranges::copy(args, counting.begin());
    counting[how.counting] = queue_of_thread(*context_).counters(how.counters);
    args = std::span(counting).first(args.size());
  }
  std::unique_lock<std::mutex> constants;
  if (how.constants) constants = k.kernel->set_constants(*how.constants, args, stream_of_thread(*context_));
  // The driver copies as many bytes from here as the entry declares; an entry without arguments reads none.
  void* parameters[] = {const_cast<uint64_t*>(args.data())};
  const unsigned blocks = static_cast<unsigned>(how.tasks);
  const CUresult result = start_entry(module, how, parameters);
  if (result != kCudaSuccess) [[unlikely]]
    context_->fail(result, fmt::format("launch of {} ({} blocks of {} threads, {} bytes of shared memory, "
                                       "clusters of {}, {} that cooperate)",
                                       module.name, blocks, how.threads, how.shared_bytes, how.cluster,
                                       how.cooperating));
  note_start(module);
  if (constants) k.kernel->read_constants(stream_of_thread(*context_));
  if (how.finish_tasks == 0) return;
  context_->check(
      driver.cuLaunchKernel(module.finish, static_cast<unsigned>(how.finish_tasks), 1, 1, how.finish_threads,
                            1, 1, 0, stream_of_thread(*context_), parameters, nullptr),
      fmt::format("launch of {}_finish ({} blocks of {} threads)", module.name, how.finish_tasks,
                  how.finish_threads));
  note_start(module);
}

DeviceInfo describe_device(const Context& context) {
  const DriverApi& driver = context.driver();
  char description[256] = {};
  context.check(driver.cuDeviceGetName(description, sizeof description - 1, context.device()),
                "cuDeviceGetName");
  DeviceInfo info;
  info.name = context.name();
  info.description = description;
  info.architecture =
      fmt::format("sm_{}{}", context.attribute(kDeviceComputeMajor), context.attribute(kDeviceComputeMinor));
  info.threads = context.attribute(kDeviceMultiprocessors);
  info.cache_bytes = static_cast<size_t>(context.attribute(kDeviceL2Bytes));
  info.shared_bytes = static_cast<size_t>(context.attribute(kDeviceMaxSharedOptin));
  info.resident_threads = context.attribute(kDeviceThreadsOfMultiprocessor);
  context.check(driver.cuDeviceTotalMem(&info.memory_bytes, context.device()), "cuDeviceTotalMem");
  return info;
}

}  // namespace

std::vector<std::string> default_cuda_directories() { return SharedLibrary::default_directories(); }

int cuda_device_count(std::string& reason, const CudaOptions& options) {
  reason.clear();
  auto driver = DriverApi::open(options.library_directories, reason);
  if (!driver) return 0;
  int count = 0;
  CUresult result = driver->cuDeviceGetCount(&count);
  if (result != kCudaSuccess || count == 0) {
    reason = "the driver shows no GPU: " + driver->describe(result == kCudaSuccess ? kCudaNoDevice : result);
    return 0;
  }
  return count;
}

int cuda_device_of(const void* pointer, const CudaOptions& options) {
  std::string reason;
  auto driver = DriverApi::open(options.library_directories, reason);
  if (!driver) throw Error("cuda: " + reason);
  int ordinal = 0;
  const CUresult result = driver->cuPointerGetAttribute(&ordinal, kPointerDevice, address(pointer));
  if (result != kCudaSuccess)
    throw Error(fmt::format("cuda: no device's memory lies at {}: {}", pointer, driver->describe(result)));
  return ordinal;
}

std::optional<int> cuda_memory_of(const void* pointer) {
  static const std::shared_ptr<const DriverApi> driver = [] {
    std::string reason;
    return DriverApi::open(default_cuda_directories(), reason);
  }();
  if (!driver) return std::nullopt;
  unsigned type = kHostMemory;
  const CUresult result = driver->cuPointerGetAttribute(&type, kPointerMemoryType, address(pointer));
  if (result != kCudaSuccess || type == kHostMemory) return std::nullopt;
  int ordinal = 0;
  if (driver->cuPointerGetAttribute(&ordinal, kPointerDevice, address(pointer)) != kCudaSuccess)
    return std::nullopt;
  return ordinal;
}

std::shared_ptr<Device> make_cuda_device(int ordinal, const CudaOptions& options,
                                         std::shared_ptr<KernelCache> cache, Counters& counters) {
  std::string reason;
  auto driver = DriverApi::open(options.library_directories, reason);
  if (!driver) throw Error(fmt::format("cuda:{}: {}", ordinal, reason));
  auto context = std::make_shared<Context>(std::move(driver), ordinal);
  DeviceInfo info = describe_device(*context);
  Context::Scope scope(*context);
  return std::make_shared<CudaDevice>(context, std::move(info), options, std::move(cache), counters);
}

}  // namespace weft::runtime
