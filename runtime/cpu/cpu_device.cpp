#include "runtime/cpu/cpu_device.h"
#include "runtime/cpu/checked_memory.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <list>
#include <mutex>
#include <new>
#include <typeinfo>
#include <unordered_map>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/base/interrupted.h"
#include "compiler/base/per_thread.h"
#include "compiler/program/blocks.h"
#include "runtime/background.h"
#include "runtime/blocks/run_blocks.h"
#include "runtime/cpu/clang_jit.h"
#include "runtime/cpu/cpu_dot.h"
#include "runtime/cpu/cpu_solve.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/map_element.h"
#include "runtime/cpu/memory_pool.h"
#include "runtime/cpu/perf_map.h"
#include "runtime/cpu/sort_rows.h"
#include "runtime/fork.h"
#include "runtime/interrupt.h"
#include "runtime/kernel_note.h"
#include "runtime/memory_trace.h"
#include "runtime/progress.h"

namespace weft::runtime {
namespace {

using Entry = void(const uint64_t* args, long begin, long end, char* scratch);

constexpr int64_t kPiecesPerThread = 4;  // so that a thread that was delayed does not hold up the rest
constexpr int64_t kStopAfterGrains = 4;  // of a kernel's tasks: where an interrupt may end it
constexpr int64_t kStopsPerPiece = 16;   // of a product: where an interrupt may end it
constexpr size_t kToldAtOnce = size_t{16} << 20;  // bytes of a copy between looks at how far it is
constexpr size_t kCopyGrain = size_t{1} << 20;    // bytes of a copy worth a thread of their own

class CpuKernel final : public Kernel {
 public:
  CpuKernel(std::shared_ptr<ClangJit::Code> code, const std::string& name)
      : CpuKernel({code->address(name), code->address(name + "_finish")}, name) {
    code_ = std::move(code);
  }
  CpuKernel(const LinkedKernel& linked, std::string name)
      : entry(reinterpret_cast<Entry*>(linked.entry)),
        finish(reinterpret_cast<Entry*>(linked.finish)),
        name_(std::move(name)) {}
  Entry* const entry;
  Entry* const finish;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::shared_ptr<ClangJit::Code> code_;  // null: the code is linked into the program
};

// The process ends, and this thread may not go on.
[[noreturn]] void wait_for_the_end() {
  for (;;) ::pause();
}

// After `working` was entered.
struct Inside {
  Inside() = default;
  ~Inside() { working.leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};
struct InLibrary {
  InLibrary() {
    if (!working.enter()) wait_for_the_end();
  }
  ~InLibrary() { working.leave(); }
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;
};

// f(), which the end of the process may have given up, too: a thread that nobody joins has no use for that.
template <typename F>
void unless_at_the_end(F&& f) {
  try {
    f();
  } catch (const Interrupted&) {
    if (!working.open_to(pthread_self())) wait_for_the_end();
    throw;
  }
}

// Memory private to a thread, kept between launches.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { release(); }
  char* at_least(size_t bytes) {
    if (bytes > bytes_) {
      release();
      const size_t size = MemoryPool::class_bytes(bytes);
      data_ = static_cast<char*>(::operator new(size, std::align_val_t{64}, std::nothrow));
      if (!data_) throw OutOfMemory(fmt::format("launch: no memory for {} bytes of scratch", bytes));
      bytes_ = size;
    }
    return data_;
  }

 private:
  void release() {
    ::operator delete(data_, std::align_val_t{64});
    data_ = nullptr;
    bytes_ = 0;
  }
  char* data_ = nullptr;
  size_t bytes_ = 0;
};

class CpuBuffer : public Buffer {
 public:
  CpuBuffer(std::shared_ptr<Device> device, MemoryPool& pool, MemoryPool::Block block, size_t bytes)
      : Buffer(std::move(device), block.data, bytes), pool_(pool), block_(block) {
    if (memory_trace.on()) memory_trace.handed_out(this->device().get(), block.data, bytes);
  }
  ~CpuBuffer() override {
    if (memory_trace.on()) memory_trace.given_back(device().get(), block_.data, bytes());
    pool_.give(block_);
  }

 private:
  MemoryPool& pool_;
  MemoryPool::Block block_;
};

class BorrowedBuffer : public Buffer {
 public:
  BorrowedBuffer(std::shared_ptr<Device> device, void* data, size_t bytes, std::function<void()> release)
      : Buffer(std::move(device), data, bytes, Writable::Never), release_(std::move(release)) {}
  ~BorrowedBuffer() override {
    if (release_) release_();
  }
  void give_back(BufferRef copy) {
    move_to(copy->data());
    copy_ = std::move(copy);
    std::exchange(release_, {})();
  }

 private:
  std::function<void()> release_;
  BufferRef copy_;  // the memory, once it is no longer another's
};

// Work is done when the call that gave it returns: streams and events are always past everything.
class CpuEvent final : public Event {
 public:
  bool done() override { return true; }
  void synchronize() override {}
  double milliseconds_since(const Event& earlier) override {
    const auto* other = dynamic_cast<const CpuEvent*>(&earlier);
    if (!other) throw Error("cpu: milliseconds_since: takes an event of the same device");
    return std::chrono::duration<double, std::milli>(when_ - other->when_).count();
  }

 private:
  std::chrono::steady_clock::time_point when_ = std::chrono::steady_clock::now();
};
class CpuStream final : public Stream {
 public:
  using Stream::Stream;
  uint64_t handle() const override { return 0; }
  bool done() override { return true; }
  void synchronize() override {}
  std::shared_ptr<Event> record() override { return std::make_shared<CpuEvent>(); }
  void wait(const Event& event) override { const_cast<Event&>(event).synchronize(); }
};

// The threads that share a launch. An arena that was used stays: some launch may be in it.
class Arenas {
 public:
  tbb::task_arena& now() const { return *now_.load(std::memory_order_acquire); }
  // The number of threads that are used then; 0 asks for all that the process may use.
  int use(int threads) {
    if (threads < 0) throw Error(fmt::format("cpu: threads must be positive, or 0 for all; got {}", threads));
    const int used = threads ? std::min(threads, kMostThreads) : usable_threads();
    const std::lock_guard lock(mutex_);
    // TBB makes no more than there are processors for the process, and warns, unless it is told that more are wanted.
    if (used > most_) {
      more_ = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, used);
      most_ = used;
    }
    std::unique_ptr<tbb::task_arena>& arena = all_[used];
    if (!arena) {
      arena = std::make_unique<tbb::task_arena>(used);
      arena->initialize();
    }
    now_.store(arena.get(), std::memory_order_release);
    return used;
  }

 private:
  std::mutex mutex_;
  int most_ = usable_threads();
  std::unique_ptr<tbb::global_control> more_;
  std::unordered_map<int, std::unique_ptr<tbb::task_arena>> all_;
  std::atomic<tbb::task_arena*> now_{nullptr};
};

class CpuDevice : public Device {
 public:
  CpuDevice(const CpuOptions& options, std::shared_ptr<KernelCache> cache, Counters& counters)
      : cache_(std::move(cache)),
        counters_(counters),
        most_kernels_(std::max<size_t>(options.loaded_kernels, 1)),
        perf_map_(options.perf_map),
        pool_(options.memory_limit ? options.memory_limit : total_memory(), options.pool_keep) {
    info_.name = "cpu";
    info_.description = processor_name();
    info_.architecture = jit_.cpu();
    info_.threads = arenas_.use(options.threads);
    info_.vector_bytes = jit_.vector_bytes();
    info_.compiles = ClangJit::kCompiles;
    info_.cache_bytes = last_level_cache();
    info_.memory_bytes = total_memory();
  }

  const DeviceInfo& info() const override { return info_; }
  int threads() const override { return arenas_.now().max_concurrency(); }
  void set_threads(int threads) override { arenas_.use(threads); }
  MemoryInfo memory() const override { return pool_.info(); }
  void trim() override { pool_.trim(); }
  bool host_visible() const override { return true; }
  void synchronize() override {}

  BufferRef allocate(size_t bytes) override {
    const MemoryPool::Block block = pool_.take(bytes);
    try {
      return std::make_shared<CpuBuffer>(shared_from_this(), pool_, block, bytes);
    } catch (...) {
      pool_.give(block);
      throw;
    }
  }

  void upload(Buffer& to, size_t offset, const void* host, size_t bytes) override {
    check_range("upload", to, offset, bytes);
    auto timed = runtime::timed(counters_.trace);
    copy_bytes(static_cast<char*>(to.data()) + offset, static_cast<const char*>(host), bytes);
    timed.end_short(number_of_copy(Work::Upload, bytes), [&] { return copied(Work::Upload, bytes); });
  }
  void download(void* host, const Buffer& from, size_t offset, size_t bytes) override {
    check_range("download", from, offset, bytes);
    auto timed = runtime::timed(counters_.trace);
    copy_bytes(static_cast<char*>(host), static_cast<const char*>(from.data()) + offset, bytes);
    timed.end_short(number_of_copy(Work::Download, bytes), [&] { return copied(Work::Download, bytes); });
  }
  void copy(Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t bytes) override {
    check_range("copy", to, to_offset, bytes);
    check_range("copy", from, from_offset, bytes);
    copy_bytes(static_cast<char*>(to.data()) + to_offset, static_cast<const char*>(from.data()) + from_offset,
               bytes);
  }

  std::shared_ptr<void> allocate_host(size_t) override {
    throw Error("cpu: page-locked memory is for copies from and to a GPU; name a cuda device");
  }
  std::shared_ptr<Stream> make_stream() override {
    return std::make_shared<CpuStream>(shared_from_this(), this);
  }
  std::shared_ptr<Stream> stream() override {
    const auto* chosen = StreamScope::chosen(this);
    return chosen ? *chosen : make_stream();
  }
  BufferRef adopt(void* data, size_t bytes, std::function<void()> release, uint64_t) override {
    return std::make_shared<BorrowedBuffer>(shared_from_this(), data, bytes, std::move(release));
  }

  void give_back(Buffer& adopted) override {
    auto* borrowed = dynamic_cast<BorrowedBuffer*>(&adopted);
    if (!borrowed || borrowed->writable()) return;
    BufferRef own = allocate(adopted.bytes());
    copy(*own, 0, adopted, 0, adopted.bytes());
    borrowed->give_back(std::move(own));
  }

  KernelRef load(const KernelSource& source) override;
  Known known(const KernelSource& source) override;
  KernelRef load_behind(const KernelSource& source) override;
  std::string assembly(const KernelSource& source) override {
    return jit_.assembly(source.text, source.name);
  }

  void launch(const Kernel& kernel, const Launch& how, std::span<const uint64_t> args) override {
    // A dynamic_cast costs more than the start of a small kernel.
    if (typeid(kernel) != typeid(CpuKernel))
      throw InternalError("cpu: launch of a kernel that another device loaded");
    const auto* ours = static_cast<const CpuKernel*>(&kernel);
    if (how.finish_tasks > 0 && !ours->finish)
      throw InternalError(fmt::format("cpu: {} has no {}_finish to run {} finishing tasks", ours->name(),
                                      ours->name(), how.finish_tasks));
    auto run = [&](Entry* entry, int64_t tasks) {
      stoppable(tasks, how.grain, kStopAfterGrains * how.grain, [&](int64_t begin, int64_t end) {
        entry(args.data(), begin, end,
              how.scratch_bytes ? PerThread<Scratch>::get().at_least(how.scratch_bytes) : nullptr);
        throw_outside_access();
      });
    };
    unless_at_the_end([&] {
      run(ours->entry, how.tasks);
      ++counters_.kernels_launched;
      if (how.finish_tasks == 0) return;
      run(ours->finish, how.finish_tasks);
      ++counters_.kernels_launched;
    });
  }

  bool runs_blocks() const override { return true; }
  bool map_element(int loop, std::span<const Scalar> operands, Scalar& result) override {
    return runtime::map_element(block_loops_, loop, operands, result);
  }
  bool map_elements(int loop, std::span<const MapOperand> operands, MapResult result,
                    int64_t count) override {
    return runtime::map_elements(block_loops_, loop, operands, result, count);
  }
  void launch_blocks(const BlockProgram& program, const Launch& how, std::span<const uint64_t> buffers,
                     std::span<const uint64_t> scalars) override {
    const BlockArguments arguments{buffers.data(), scalars.data()};
    const size_t bytes = block_memory(program);
    const auto run = [&](int64_t tasks, bool finishes) {
      stoppable(tasks, how.grain, kStopAfterGrains * how.grain, [&](int64_t begin, int64_t end) {
        run_blocks(program, block_loops_, arguments, begin, end, finishes,
                   PerThread<Scratch>::get().at_least(bytes));
      });
    };
    unless_at_the_end([&] {
      run(how.tasks, false);
      if (how.finish_tasks > 0) run(how.finish_tasks, true);
    });
    ++counters_.kernels_launched;
    ++counters_.blocks_launched;
  }

  bool supports_dot(DType dtype) const override { return cpu_supports_dot(dtype); }
  void dot(const Dot& what, void* c, const void* a, const void* b) override {
    unless_at_the_end([&] {
      const InLibrary library;
      cpu_dot(what, c, a, b, shared_work());
    });
    ++counters_.library_calls;
  }
  bool supports_solve(DType dtype) const override { return cpu_supports_dot(dtype); }
  bool solve(DType dtype, int64_t n, int64_t columns, void* a, void* b) override {
    const InLibrary library;
    const bool solved = cpu_solve(dtype, n, columns, a, b, shared_work());
    ++counters_.library_calls;
    return solved;
  }
  void sort(const SortedRows& rows, void* values) override {
    sort_rows(rows, values, threads(), shared_work());
  }
  void order(const SortedRows& rows, const void* values, int64_t* positions) override {
    positions_of_rows(rows, values, positions, threads(), shared_work());
  }

 private:
  ParallelFor shared_work() {
    return [this](int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
      // Neighbouring tiles share what a library packs and what caches hold.
      const int64_t together = count / (threads() * kPiecesPerThread) / kStopsPerPiece;
      stoppable(count, grain, std::max(grain, together), body);
    };
  }

  // `parallel`, whose ranges are given up between steps of `step` tasks where the thread's StopScope says
  // that they may be.
  template <typename Body>
  void stoppable(int64_t tasks, int64_t grain, int64_t step, const Body& body) {
    if (!StopScope::may_stop()) return parallel(tasks, grain, body);
    SharedWork work;
    parallel(tasks, grain, [&](int64_t begin, int64_t end) {
      const PartOf part(work);
      for (int64_t next; begin < end && !PartOf::leave_rest(); begin = next) {
        next = step < end - begin ? begin + step : end;
        body(begin, next);
      }
    });
    if (work.given_up.load(std::memory_order_relaxed)) throw Interrupted();
  }

  // Covers [0, tasks) with contiguous ranges of at least `grain`. How the ranges fall depends on the number
  // of threads; what a task computes must not.
  template <typename Body>
  void parallel(int64_t tasks, int64_t grain, const Body& body) {
    if (tasks <= 0) return;
    tbb::task_arena& arena = arenas_.now();
    const int64_t threads = arena.max_concurrency();
    const int64_t pieces = std::min(tasks / std::max<int64_t>(grain, 1), threads * kPiecesPerThread);
    if (pieces <= 1 || threads == 1 || in_forked_child || !working.enter()) return body(0, tasks);
    const Inside inside;
    const int64_t size = tasks / pieces, larger = tasks % pieces;
    // The larger pieces lie between the others, so that the halves which threads begin with are even.
    auto begin_of = [&](int64_t piece) { return piece * size + piece * larger / pieces; };
    // TBB orders the hand-over and the return as well; this order is one that ThreadSanitizer sees, since it
    // does not see into libtbb.
    std::atomic<int64_t> order{0};
    order.store(1, std::memory_order_release);
    try {
      arena.execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<int64_t>(0, pieces, 1),
            [&](const tbb::blocked_range<int64_t>& range) {
              static_cast<void>(order.load(std::memory_order_acquire));
              body(begin_of(range.begin()), begin_of(range.end()));
              order.fetch_add(1, std::memory_order_release);
            },
            tbb::simple_partitioner());
      });
    } catch (const Error&) {
      throw;
    } catch (const std::runtime_error& e) {
      throw OutOfMemory(fmt::format("launch: no thread to compute with: {}", e.what()));  // TBB's own
    }
    static_cast<void>(order.load(std::memory_order_acquire));
  }

  void copy_bytes(char* to, const char* from, size_t bytes) {
    // Ranges of one buffer may overlap; those are moved in one piece.
    const bool overlap = to < from + bytes && from < to + bytes;
    if (overlap || bytes < 2 * kCopyGrain) {
      if (bytes) std::memmove(to, from, bytes);
      return;
    }
    constexpr size_t kUnit = 4096;
    Progress progress("copying", static_cast<int64_t>(bytes >> 20), " MB");
    std::atomic<size_t> done{0};  // pieces may be smaller than what is shown
    parallel(static_cast<int64_t>((bytes + kUnit - 1) / kUnit), kCopyGrain / kUnit,
             [&](int64_t begin, int64_t end) {
               const size_t first = static_cast<size_t>(begin) * kUnit;
               const size_t last = std::min(bytes, static_cast<size_t>(end) * kUnit);
               for (size_t at = first; at < last; at += kToldAtOnce) {
                 const size_t piece = std::min(kToldAtOnce, last - at);
                 std::memcpy(to + at, from + at, piece);
                 const size_t so_far = done.fetch_add(piece, std::memory_order_relaxed) + piece;
                 progress.reach(static_cast<int64_t>(so_far >> 20));
               }
             });
  }

  static void check_range(const char* what, const Buffer& buffer, size_t offset, size_t bytes) {
    if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
      throw InternalError(fmt::format("cpu: {} of {} bytes at {} of a buffer of {} bytes", what, bytes,
                                      offset, buffer.bytes()));
  }

  KernelRef loaded(const Hash& hash);
  void drop_least_used();
  KernelRef build(const KernelSource& source);
  KernelRef link(const KernelSource& source, const std::string& object);

  // A kernel that is loaded or being loaded; whoever asks for it meanwhile waits.
  struct Loaded {
    std::shared_future<KernelRef> kernel;
    std::list<Hash>::iterator use;
  };

  DeviceInfo info_;
  ClangJit jit_;
  std::shared_ptr<KernelCache> cache_;
  Counters& counters_;
  const size_t most_kernels_;
  const bool perf_map_;
  const BlockLoops& block_loops_ = block_loops_here();
  MemoryPool pool_;
  Arenas arenas_;

  std::mutex mutex_;
  std::unordered_map<Hash, Loaded, HashOf> kernels_;
  std::list<Hash> uses_;  // most recent first
};

KernelRef CpuDevice::load(const KernelSource& source) {
  std::promise<KernelRef> promise;
  std::shared_future<KernelRef> kernel;
  {
    std::lock_guard lock(mutex_);
    auto found = kernels_.find(source.hash);
    if (found != kernels_.end()) {
      uses_.splice(uses_.begin(), uses_, found->second.use);
      kernel = found->second.kernel;
    } else {
      uses_.push_front(source.hash);
      kernels_.emplace(source.hash, Loaded{promise.get_future().share(), uses_.begin()});
      drop_least_used();
    }
  }
  if (kernel.valid()) {
    // Rethrows what the first to ask met.
    KernelRef loaded = kernel.get();
    ++counters_.memory_hits;
    return loaded;
  }
  try {
    KernelRef built = build(source);
    promise.set_value(built);
    return built;
  } catch (...) {
    {
      std::lock_guard lock(mutex_);
      if (auto failed = kernels_.find(source.hash); failed != kernels_.end()) {
        uses_.erase(failed->second.use);
        kernels_.erase(failed);
      }
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}

// mutex_ is held.
void CpuDevice::drop_least_used() {
  if (kernels_.size() <= most_kernels_) return;
  kernels_.erase(uses_.back());
  uses_.pop_back();
}

// Null where it is not there, or is being compiled.
KernelRef CpuDevice::loaded(const Hash& hash) {
  std::shared_future<KernelRef> kernel;
  {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(hash);
    if (found == kernels_.end()) return nullptr;
    kernel = found->second.kernel;
    if (kernel.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return nullptr;
    uses_.splice(uses_.begin(), uses_, found->second.use);
  }
  return kernel.get();  // what failed is not kept
}

Device::Known CpuDevice::known(const KernelSource& source) {
  if (source.linked.entry || loaded(source.hash)) return Known::Loaded;
  return cache_ && cache_->may_have(jit_.toolchain(), source.text) ? Known::OnDisk : Known::Nothing;
}

KernelRef CpuDevice::load_behind(const KernelSource& source) {
  if (KernelRef kernel = loaded(source.hash)) return kernel;
  KernelRef built = build(source);
  std::promise<KernelRef> promise;
  promise.set_value(built);
  const std::lock_guard lock(mutex_);
  if (kernels_.contains(source.hash)) return built;
  uses_.push_front(source.hash);
  kernels_.emplace(source.hash, Loaded{promise.get_future().share(), uses_.begin()});
  drop_least_used();
  return built;
}

KernelRef CpuDevice::build(const KernelSource& source) {
  if (source.linked.entry) return std::make_shared<CpuKernel>(source.linked, source.name);
  auto loading = timed(counters_.trace);
  const int64_t began = Trace::now();
  if (cache_) {
    if (std::optional<std::string> object = cache_->find(jit_.toolchain(), source.text)) {
      try {
        KernelRef kernel = link(source, *object);
        ++counters_.disk_hits;
        counters_.load_times.add(Trace::now() - began);
        loading.end([&] { return compiled(Work::Load, source); });
        return kernel;
      } catch (const CompileError&) {
        // The entry is whole but its object is of no use here; compiling replaces it.
      }
    }
    ++counters_.disk_misses;
  }
  auto compiling = timed(counters_.trace);
  const auto start = std::chrono::steady_clock::now();
  const std::string object = jit_.compile(source.text, source.name);
  KernelRef kernel = link(source, object);
  const int64_t took_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  counters_.compile_ns += took_ns;
  counters_.compile_times.add(took_ns);
  ++counters_.compiles;
  if (Background::mine()) ++counters_.compiles_behind;
  compiling.end([&] { return compiled(Work::Compile, source); });
  if (cache_)
    cache_->put(jit_.toolchain(), source.name, source.text, object, note_on(source, took_ns / 1000));
  return kernel;
}

KernelRef CpuDevice::link(const KernelSource& source, const std::string& object) {
  auto code = jit_.load(object, std::vector<std::string>{source.name, source.name + "_finish"});
  if (!code->address(source.name))
    throw CompileError("cpu: the source does not define its entry " + source.name,
                       "the object that was compiled has no symbol " + source.name + '\n', source.text);
  if (perf_map_) {
    const auto address = reinterpret_cast<uint64_t>(code->address(source.name));
    const std::string problem = write_perf_map(source, functions_of(object, source.name, address));
    if (!problem.empty()) throw Error("WEFT_PERF_MAP: kernels cannot be named for perf: " + problem);
  }
  return std::make_shared<CpuKernel>(std::move(code), source.name);
}

}  // namespace

std::shared_ptr<Device> make_cpu_device(const CpuOptions& options, std::shared_ptr<KernelCache> cache,
                                        Counters& counters) {
  notice_forks();
  return std::make_shared<CpuDevice>(options, std::move(cache), counters);
}

}  // namespace weft::runtime
