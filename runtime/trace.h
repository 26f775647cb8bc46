// What ran and for how long, while somebody watches. A session's counters hold one; off, it costs a look at a flag.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/base/source_line.h"
#include "compiler/program/program.h"
#include "runtime/background.h"
#include "runtime/steady_now.h"

namespace weft::runtime {

enum class Work : uint8_t {
  Kernel,
  Blocks,     // a kernel's work without the kernel
  Library,    // a matrix product or a sort
  Copy,       // within a device, or between two
  Upload,     // from the host to a device
  Download,   // from a device to the host
  Compile,    // by Clang or NVRTC
  Load,       // of a kernel from the disk cache
  Plan,       // from a graph to a program
  Interpret,  // of a small graph
  Host,       // NumPy's answer
  Record,     // a call of a function that is compiled
};

struct TraceEvent {
  Work work = Work::Kernel;
  std::string what;
  std::vector<SourceLine> lines;
  int64_t start = 0, ns = 0;  // of the steady clock
  int64_t bytes_read = 0, bytes_written = 0;
  int64_t operations = 0;  // of floats, where they are known
  int thread = 0;          // numbered from 0, by the trace
  uint64_t alike = 0;      // of a plan: the same for graphs of the same ops, however many of each
  // Of what runs as somebody looked at a value: "float()", and where; null and none where that is not known.
  const char* asked_by = nullptr;
  SourceLine asked_at = {};
  bool behind = false;  // nobody waited for it
};

// Of a copy between host and device.
inline TraceEvent copied(Work work, size_t bytes) {
  TraceEvent event;
  event.work = work, event.what = work == Work::Upload ? "from the host" : "to the host";
  event.bytes_read = event.bytes_written = static_cast<int64_t>(bytes);
  return event;
}

// Stands for that, as Trace::add_short takes it.
inline uint64_t number_of_copy(Work work, size_t bytes) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  return (static_cast<uint64_t>(bytes) * 16 + static_cast<uint64_t>(work) + 1) * kOdd;
}

// Of a kernel that is had from a compiler or from the disk.
inline TraceEvent compiled(Work work, const KernelSource& source) {
  TraceEvent event;
  event.work = work, event.what = source.name, event.lines = source.lines;
  event.behind = Background::mine();
  return event;
}

class Trace {
 public:
  // Later ones are counted alone.
  static constexpr size_t kMostEvents = size_t{1} << 20;

  // Work that takes hardly longer than to describe it. It is described once: `number` stands for what it does.
  template <class Describe>
  void add_short(uint64_t number, int64_t start, int64_t ns, Describe&& describe) {
    const std::lock_guard lock(mutex_);
    if (!on()) return;
    if (events_.size() + short_.size() >= kMostEvents) {
      ++dropped_;
      return;
    }
    Recent& recent = recent_[number % kRecent];
    if (!recent.what || recent.number != number) {
      const auto [known, fresh] = described_.try_emplace(number);
      if (fresh) known->second = describe();
      recent = {number, &known->second};
    }
    short_.push_back({recent.what, start, ns, thread_number()});
  }

  // A thread that had work had no processor for so long, between two borders of its pieces of work that follow each
  // other.
  struct Wait {
    int thread = 0;
    int64_t from = 0, to = 0, ns = 0;
  };
  struct Taken {
    std::vector<TraceEvent> events;  // in the order in which they ended
    int64_t dropped = 0;
    std::vector<Wait> waits;
  };
  // For how long the calling thread had work and no processor, since it began.
  using Waited = int64_t (*)();

  bool on() const { return on_.load(std::memory_order_relaxed); }
  // False where it is on already. Without `waited` nothing is said of waits.
  bool start(Waited waited = nullptr) {
    read_ticks_from_now_on();
    const std::lock_guard lock(mutex_);
    if (on()) return false;
    clear();
    static std::atomic<uint64_t> turns{0};
    turn_.store(++turns, std::memory_order_relaxed);
    waited_.store(waited, std::memory_order_relaxed);
    on_.store(true, std::memory_order_relaxed);
    return true;
  }
  Taken stop() {
    const std::lock_guard lock(mutex_);
    on_.store(false, std::memory_order_relaxed);
    Taken taken{std::exchange(events_, {}), dropped_, std::exchange(waits_, {})};
    taken.events.reserve(taken.events.size() + short_.size());
    for (const Short& one : short_) {
      TraceEvent& event = taken.events.emplace_back(*one.what);
      event.start = one.start, event.ns = one.ns, event.thread = one.thread;
    }
    if (!short_.empty())
      std::ranges::stable_sort(taken.events, {}, [](const TraceEvent& e) { return e.start + e.ns; });
    clear();
    return taken;
  }
  void add(TraceEvent event) {
    const std::lock_guard lock(mutex_);
    if (!on()) return;
    if (events_.size() + short_.size() >= kMostEvents) {
      ++dropped_;
      return;
    }
    event.thread = thread_number();
    events_.push_back(std::move(event));
  }

  static int64_t now() { return steady_now(); }

  // The calling thread is at a border of a piece of work. Asking the system takes a microsecond, so that is done where
  // the border before was long ago alone: whoever waits long is long in coming.
  void pass(int64_t now) {
    constexpr int64_t kLong = 500'000;
    thread_local Border before;
    const uint64_t turn = turn_.load(std::memory_order_relaxed);
    const bool first = before.turn != turn;
    const int64_t from = std::exchange(before.at, now);
    if (!first && now - from < kLong) return;
    before.turn = turn;
    const Waited waited = waited_.load(std::memory_order_relaxed);
    if (!waited) return;
    const int64_t so_far = waited(), since = so_far - std::exchange(before.waited, so_far);
    if (first || since <= 0) return;
    const std::lock_guard lock(mutex_);
    if (on() && waits_.size() < kMostEvents) waits_.push_back({thread_number(), from, now, since});
  }

 private:
  struct Short {
    const TraceEvent* what;
    int64_t start, ns;
    int thread;
  };

  // Loops do the same again: what was described lately is found at once.
  static constexpr size_t kRecent = 16;
  struct Recent {
    uint64_t number = 0;
    const TraceEvent* what = nullptr;
  };
  struct Border {
    uint64_t turn = 0;
    int64_t at = 0, waited = 0;
  };

  void clear() {
    events_ = {}, short_ = {}, described_ = {}, threads_ = {}, waits_ = {}, recent_ = {}, dropped_ = 0;
  }
  int thread_number() {
    struct Numbered {
      uint64_t turn = 0;
      int number = 0;
    };
    thread_local Numbered mine;
    const uint64_t turn = turn_.load(std::memory_order_relaxed);
    if (mine.turn != turn)
      mine = {
          turn,
          threads_.try_emplace(std::this_thread::get_id(), static_cast<int>(threads_.size())).first->second};
    return mine.number;
  }

  std::atomic<bool> on_{false};
  std::mutex mutex_;
  std::atomic<Waited> waited_{nullptr};
  std::atomic<uint64_t> turn_{0};  // of all traces of the process: the one that it has been on for
  std::vector<TraceEvent> events_;
  std::vector<Short> short_;
  std::unordered_map<uint64_t, TraceEvent> described_;
  std::unordered_map<std::thread::id, int> threads_;
  std::vector<Wait> waits_;
  std::array<Recent, kRecent> recent_;
  int64_t dropped_ = 0;
};

// Times a piece of work from where it is made to where end() is called; work that throws leaves no event. `finish`
// returns when the device has done all that it was given: without it, asynchronous work would be timed by its start.
template <class Finish>
class Timed {
 public:
  Timed(Trace& trace, Finish finish) : trace_(trace), finish_(std::move(finish)) {
    if (!trace.on()) return;
    finish_();
    trace.pass(start_ = Trace::now());
  }
  explicit operator bool() const { return start_ != 0; }
  // `describe` gives the event, but for its times.
  template <class Describe>
  void end(Describe&& describe) {
    if (!start_) return;
    finish_();
    const int64_t end = Trace::now();
    trace_.pass(end);
    TraceEvent event = describe();
    event.start = start_, event.ns = end - start_;
    trace_.add(std::move(event));
  }
  // Of short work, as Trace::add_short takes it.
  template <class Describe>
  void end_short(uint64_t number, Describe&& describe) {
    if (!start_) return;
    finish_();
    const int64_t end = Trace::now();
    trace_.pass(end);
    trace_.add_short(number, start_, end - start_, std::forward<Describe>(describe));
  }

 private:
  Trace& trace_;
  Finish finish_;
  int64_t start_ = 0;
};

struct NothingToFinish {
  void operator()() const {}
};
using TimedOnHost = Timed<NothingToFinish>;
inline TimedOnHost timed(Trace& trace) { return {trace, {}}; }

}  // namespace weft::runtime
