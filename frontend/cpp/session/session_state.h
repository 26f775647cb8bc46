// What a session owns: devices, the kernel cache, programs, counters.
#pragma once

#include <spdlog/logger.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "compiler/program/options.h"
#include "frontend/cpp/session/age.h"
#include "frontend/cpp/session/costs_seen.h"
#include "frontend/cpp/session/dumps.h"
#include "frontend/cpp/session/equal_numbers.h"
#include "frontend/cpp/session/host_answers.h"
#include "frontend/cpp/session/kept_lines.h"
#include "frontend/cpp/session/pending_writes.h"
#include "frontend/cpp/session/program_cache.h"
#include "frontend/cpp/weft/session.h"
#include "runtime/choices.h"
#include "runtime/compile_queue.h"
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
  uint64_t key;  // of graphs: the device and its architecture
  int64_t
      small_elements;  // so many are read and written at once; none where the host does not see the memory
  runtime::Choices choices;  // of schedules
  // Held alone while a program runs that writes to memory which pending graphs name; shared while such graphs
  // are read.
  std::shared_mutex in_place;
  PendingWrites pending_writes;

  DeviceSlot(SessionState& owner, std::string given, std::shared_ptr<runtime::Device> opened, Target what,
             uint64_t programs);
  // The session's options, and the schedules that were chosen for this device.
  Options compile_options();
};

struct SessionState {
  explicit SessionState(SessionOptions given);

  const SessionOptions options;
  std::shared_ptr<spdlog::logger> log;  // kept: spdlog's own list of loggers is gone before the session is
  runtime::Counters counters;
  CostsSeen costs_seen;  // while its trace is on
  Dumps dumps;
  std::shared_ptr<runtime::KernelCache> cache;
  std::atomic<Tier> tier;
  std::atomic<Numerics> numerics;
  std::atomic<Watch> watch{Watch::Nothing};
  runtime::CompileQueue compiling;  // behind programs that run
  ProgramCache programs;
  KeptLines kept_lines;
  EqualNumbers equal_numbers;
  HostAnswers host_answers;
  std::atomic<Age> recorded{0};  // nodes so far, at least

  // Opens the device on first use; "" is the session's default one. Error when it cannot be had.
  DeviceSlot& device(const std::string& name);
  Options compile_options() const;
  // Tells the front end, or logs it where nobody listens.
  void warn(const std::string& warning) const;
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
