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
    start_ = Trace::now();
    clock_ = device.start_clock();
  }
  // `describe` gives the event, but for its times.
  template <class Describe>
  void end(Describe&& describe) {
    if (!start_) return;
    if (!clock_) device_.synchronize();
    const int64_t of_device = clock_ ? clock_->stop() : INT64_MAX, end = Trace::now();
    TraceEvent event = describe();
    event.ns = std::min(of_device, end - start_), event.start = end - event.ns;
    trace_.add(std::move(event));
  }

 private:
  Trace& trace_;
  Device& device_;
  std::unique_ptr<DeviceClock> clock_;
  int64_t start_ = 0;
};

}  // namespace weft::runtime
