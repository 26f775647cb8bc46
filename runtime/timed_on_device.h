// Times work that a device is given, while a trace is on. The device does nothing else meanwhile: it is waited for before and after.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/device.h"
#include "runtime/trace.h"

namespace weft::runtime {

// From where it is made to where end() is called, as Timed does. What giving the work takes counts where the device has no clock of its own.
class TimedOnDevice {
 public:
  TimedOnDevice(Trace& trace, Device& device) : trace_(trace), device_(device) {
    if (!trace.on()) return;
    device.synchronize();
    trace.pass(start_ = Trace::now());
    clock_ = device.start_clock();
  }
  // `describe` gives the event, but for its times.
  template <class Describe>
  void end(Describe&& describe) {
    if (!start_) return;
    const auto [start, ns] = span();
    TraceEvent event = describe();
    event.start = start, event.ns = ns;
    trace_.add(std::move(event));
  }
  // Where `number` stands for what is described, as Trace::add_short takes it.
  template <class Describe>
  void end_short(uint64_t number, Describe&& describe) {
    if (!start_) return;
    const auto [start, ns] = span();
    trace_.add_short(number, start, ns, std::forward<Describe>(describe));
  }
  explicit operator bool() const { return start_ != 0; }

 private:
  // When it began, and how long it took.
  std::pair<int64_t, int64_t> span() {
    if (!clock_) device_.synchronize();
    const int64_t of_device = clock_ ? clock_->stop() : INT64_MAX, end = Trace::now();
    trace_.pass(end);
    const int64_t ns = std::min(of_device, end - start_);
    return {end - ns, ns};
  }

  Trace& trace_;
  Device& device_;
  std::unique_ptr<DeviceClock> clock_;
  int64_t start_ = 0;
};

}  // namespace weft::runtime
