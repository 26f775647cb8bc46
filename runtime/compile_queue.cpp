#include "runtime/compile_queue.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "runtime/background.h"
#include "runtime/progress.h"

namespace weft::runtime {

KernelRef LateKernel::ref() const {
  const std::lock_guard lock(mutex_);
  return kernel_;
}

void LateKernel::put(KernelRef kernel) {
  const std::lock_guard lock(mutex_);
  if (kernel_) return;
  kernel_ = std::move(kernel);
  ready_.store(kernel_.get(), std::memory_order_release);
}

const KernelSource& LateKernel::source_or(const KernelSource& given) {
  if (!make_) return given;
  if (const LateSource* made = late_source()) return made->source;
  auto made = std::make_unique<const LateSource>(make_());
  const LateSource* first = nullptr;
  if (!made_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return first->source;
  return made.release()->source;
}

bool LateKernel::ran_without(int64_t ns) {
  const int64_t spent = spent_ns_.fetch_add(ns, std::memory_order_relaxed) + ns;
  const int32_t calls = calls_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (static_cast<double>(spent) < most_ns_ && calls < most_calls_) return false;
  return !wanted_.exchange(true, std::memory_order_relaxed);
}

void LateKernel::count_anew() {
  spent_ns_.store(0, std::memory_order_relaxed);
  calls_.store(0, std::memory_order_relaxed);
  wanted_.store(false, std::memory_order_relaxed);
}

struct QueuedKernel {
  std::shared_ptr<Device> device;
  KernelSource source;
  std::weak_ptr<LateKernel> late;
};

namespace {

int64_t spent_ns(const QueuedKernel& job) {
  const std::shared_ptr<LateKernel> late = job.late.lock();
  return late ? late->spent_ns() : -1;
}

// A tenth of what another thread gets that wants the same core: the lowest would never come to an end where all are
// busy.
constexpr int kNiceness = 10;
// Of this thread alone, as Linux has it.
void take_low_priority() { ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness); }

// A thread that the constructor of another inherits it from takes no signals.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

// Held by the thread, too.
struct CompileQueue::State {
  std::function<void(const std::string&)> tell;
  std::mutex mutex;
  std::condition_variable ended;
  std::vector<QueuedKernel> jobs;
  std::optional<QueuedKernel> current;  // the thread's
  bool runs = false;                    // there is a thread,
  int forks = 0;                        // unless the process forked since

  bool has_thread() const { return runs && forks == Background::forks(); }
  int64_t waiting() {
    const std::lock_guard lock(mutex);
    return static_cast<int64_t>(jobs.size());
  }
  // The job on which most time was spent; none where nothing is left to do.
  std::optional<QueuedKernel> next() {
    std::erase_if(jobs, [](const QueuedKernel& job) { return job.late.expired(); });
    if (jobs.empty()) return {};
    const auto most = std::ranges::max_element(jobs, {}, spent_ns);
    std::optional<QueuedKernel> job = std::move(*most);
    jobs.erase(most);
    return job;
  }
  void start_thread(const std::shared_ptr<State>& self);
  void thread_ends() {
    runs = false;
    ended.notify_all();
  }
  static void work(const std::shared_ptr<State>& self);
  void do_in_background(const QueuedKernel& job);
};

void CompileQueue::State::do_in_background(const QueuedKernel& job) {
  const std::shared_ptr<LateKernel> late = job.late.lock();
  if (!late) return;
  try {
    late->put(job.device->load_behind(late->source_or(job.source)));
  } catch (const OutOfMemory&) {
    late->count_anew();
  } catch (const std::exception& error) {
    // Results stay right without the kernel, and whoever waits for it gets the error.
    late->fail();
    if (tell) tell(std::string(error.what()) + "; its program goes on without it");
  }
}

void CompileQueue::State::work(const std::shared_ptr<State>& self) {
  take_low_priority();
  try {
    for (;;) {
      const Background::Scope scope;
      if (!scope) break;
      {
        const std::lock_guard lock(self->mutex);
        self->current = self->next();
        if (!self->current) {
          self->thread_ends();
          return;
        }
      }
      self->do_in_background(*self->current);
      const std::lock_guard lock(self->mutex);
      self->current.reset();
    }
  } catch (const BackgroundEnded&) {
  }
  const std::lock_guard lock(self->mutex);
  self->current.reset();
  self->thread_ends();
}

void CompileQueue::State::start_thread(const std::shared_ptr<State>& self) {
  if (has_thread() || Background::ended()) return;
  if (current) jobs.push_back(*std::exchange(current, {}));  // of a thread that a fork left behind
  const NoSignals none;
  try {
    std::thread([self] { work(self); }).detach();
    runs = true;
    forks = Background::forks();
  } catch (const std::system_error&) {
    // The system grants no thread; whoever adds the next job asks again.
  }
}

CompileQueue::CompileQueue(std::function<void(const std::string&)> tell) : state_(std::make_shared<State>()) {
  Background::watch_forks();
  state_->tell = std::move(tell);
}

CompileQueue::~CompileQueue() {
  std::unique_lock lock(state_->mutex);
  state_->jobs.clear();
  state_->ended.wait(lock, [this] { return !state_->has_thread(); });
}

std::shared_ptr<LateKernel> CompileQueue::late(const Device& device, const Hash& source, double ns,
                                               int32_t calls) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<LateKernel>& known = waiting_[{&device, source}];
  if (std::shared_ptr<LateKernel> late = known.lock()) return late;
  auto late = std::make_shared<LateKernel>();
  late->allow(ns, calls);
  known = late;
  if (waiting_.size() >= looked_through_at_) {
    std::erase_if(waiting_, [](const auto& entry) { return entry.second.expired(); });
    looked_through_at_ = std::max<size_t>(64, 2 * waiting_.size());
  }
  return late;
}

void CompileQueue::add(const std::shared_ptr<Device>& device, const KernelSource& source,
                       const std::shared_ptr<LateKernel>& late) {
  Background::end_with_main_thread();
  const std::lock_guard lock(state_->mutex);
  state_->jobs.push_back({device, source, late});
  state_->start_thread(state_);
}

void CompileQueue::finish() {
  std::exception_ptr failure;
  Progress progress("compiling kernels", state_->waiting());
  const auto compile = [&](const QueuedKernel& job) {
    const std::shared_ptr<LateKernel> late = job.late.lock();
    if (!late || late->get()) return;
    try {
      late->put(job.device->load(late->source_or(job.source)));
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  for (;;) {
    std::optional<QueuedKernel> job;
    {
      const std::lock_guard lock(state_->mutex);
      job = state_->next();
    }
    if (!job) break;
    compile(*job);
    progress.add();
  }
  // What is under way is compiled once more: a thread of low priority is not waited for.
  std::optional<QueuedKernel> current;
  {
    const std::lock_guard lock(state_->mutex);
    current = state_->current;
  }
  if (current) compile(*current);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace weft::runtime
