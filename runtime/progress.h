// Long work says how far it is, where somebody watches: on a terminal, from the first second on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::runtime {

// Shows a line in the place of the one before; an empty one: none any more. Any thread calls it, one at a time.
using ShowProgress = void (*)(std::string_view line);

class Progress {
 public:
  // From now on of the whole process; null: nowhere.
  static void show_by(ShowProgress show) { shown_.store(show); }

  using Clock = std::chrono::steady_clock;
  using Now = Clock::time_point (*)();
  // From now on of all work that begins, so that a test can tell the time; null: the clock.
  static void time_by(Now now) { time_.store(now); }
  // `what`: "compiling kernels"; `unit` stands behind numbers: " MB", or "".
  Progress(std::string_view what, int64_t total, std::string_view unit = {})
      : show_(shown_.load(std::memory_order_relaxed)), what_(what), unit_(unit), total_(total) {
    if (!show_) return;
    if (const Now now = time_.load(std::memory_order_relaxed)) now_ = now;
    begun_ = now_();
  }
  ~Progress() {
    if (!is_on_screen()) return;
    show_({});
    on_screen_.store(nullptr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // So much more is done. Any thread.
  void add(int64_t amount = 1) {
    if (show_) say(done_.fetch_add(amount, std::memory_order_relaxed) + amount);
  }
  // So much of the total is done.
  void reach(int64_t done) {
    if (show_) say(done);
  }

 private:
  static constexpr auto kQuiet = std::chrono::seconds(1);
  static constexpr auto kApart = std::chrono::milliseconds(100);

  bool is_on_screen() const { return show_ && on_screen_.load() == this; }
  void say(int64_t done) {
    const auto now = now_() - begun_;
    int64_t last = last_.load(std::memory_order_relaxed);
    // One thread speaks at a time, and one piece of work: others within it, and beside it, are silent.
    if (now < kQuiet || now.count() < last + Clock::duration(kApart).count()) return;
    if (!last_.compare_exchange_strong(last, now.count())) return;
    const Progress* nobody = nullptr;
    if (!on_screen_.compare_exchange_strong(nobody, this) && nobody != this) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    show_(std::string(what_) + ": " + std::to_string(done) + " of " + std::to_string(total_) +
          std::string(unit_) + ", " + std::to_string(seconds) + " s");
  }

  static inline std::atomic<ShowProgress> shown_{nullptr};
  static inline std::atomic<const Progress*> on_screen_{nullptr};
  static inline std::atomic<Now> time_{nullptr};

  ShowProgress show_;
  Now now_ = &Clock::now;
  std::string_view what_, unit_;
  int64_t total_;
  Clock::time_point begun_;
  std::atomic<int64_t> done_{0}, last_{0};
};

}  // namespace weft::runtime
