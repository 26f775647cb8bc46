// What a session owns: devices, the kernel cache, programs, computed values that pending graphs still ask
// for, counters.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "frontend/cpp/computed.h"
#include "frontend/cpp/program_cache.h"
#include "frontend/cpp/weft/session.h"
#include "runtime/counters.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::detail {

// A device that is open. Its address names it.
struct DeviceSlot {
  SessionState& session;
  std::string name;
  std::shared_ptr<runtime::Device> device;
  Target target;
  uint64_t key = 0;  // of programs: the device's architecture and the session's options
};

struct SessionState {
  explicit SessionState(SessionOptions given);

  const SessionOptions options;
  runtime::Counters counters;
  std::shared_ptr<runtime::KernelCache> cache;
  ProgramCache programs;
  Computed computed;

  // Opens the device on first use; "" is the session's default one. Error when it cannot be had.
  DeviceSlot& device(const std::string& name);
  Options compile_options() const;
  template <class F>
  void for_each_open_device(F&& f) {
    std::lock_guard lock(mutex_);
    for (DeviceSlot& slot : slots_) f(slot);
  }

 private:
  std::mutex mutex_;
  std::deque<DeviceSlot> slots_;  // stays where it is
  std::atomic<DeviceSlot*> default_{nullptr};
};

SessionState& current_session();

}  // namespace weft::detail
