// Facts of the machine: what the system tells, and speeds that are measured once.
#include "frontend/cpp/weft/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "compiler/planned_work.h"
#include "frontend/cpp/inspect/calibrated.h"
#include "frontend/cpp/inspect/compute_speed.h"
#include "frontend/cpp/inspect/kept_speeds.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/session/device_name.h"
#include "frontend/cpp/session/env.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/session/open_device.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/cpp/weft/session.h"
#include "runtime/cpu/host.h"
#include "runtime/executor.h"

namespace weft {

namespace {

constexpr int kTimes = 8;
constexpr int64_t kElements = 1 << 18, kElementsOfGpu = 1 << 24;
constexpr int64_t kTable = 1 << 18;  // elements: 1 MiB
constexpr int kExponentials = 8;     // one after another, so that memory does not count

// Near its fixed point exp(-x) stays away from special values.
std::string text_of_exponentials(int64_t elements) {
  std::string text = fmt::format("graph {{\n  %v0 = input \"x\" : f32[{}]\n", elements);
  for (int k = 0; k < kExponentials; ++k)
    text += fmt::format("  %n{0} = negative %v{0}\n  %v{1} = exp %n{0}\n", k, k + 1);
  return text + fmt::format("  return %v{}\n}}\n", kExponentials);
}

std::string text_of_gathers(int64_t elements) {
  return fmt::format(
      "graph {{\n  %t = input \"t\" : f32[{0}]\n  %i = input \"i\" : i64[{1}]\n"
      "  %g = gather %t, %i, axis=0 : f32[{1}]\n  return %g\n}}\n",
      kTable, elements);
}

template <class T>
runtime::BufferRef on_device(runtime::Device& device, const std::vector<T>& values) {
  runtime::BufferRef out = device.allocate(values.size() * sizeof(T));
  device.upload(*out, 0, values.data(), values.size() * sizeof(T));
  return out;
}

// The least time of a run of the graph's kernel, as Weft compiles it.
double seconds_of(const std::string& graph, const std::shared_ptr<runtime::Device>& device,
                  const std::vector<runtime::BufferRef>& inputs) {
  runtime::Counters counters;
  const Target target = detail::target_of(detail::device_named(device->info().name).kind, device->info());
  const runtime::Executable program(compile(ir::parse(graph), target), device, counters);
  double least = 0;
  for (int turn = 0; turn <= kTimes; ++turn) {  // the first warms up
    device->synchronize();
    const auto start = std::chrono::steady_clock::now();
    const std::vector<runtime::BufferRef> results = program.run(inputs, {});
    device->synchronize();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (turn == 1 || (turn > 1 && took.count() < least)) least = took.count();
  }
  return least;
}

double exponentials_of(const std::shared_ptr<runtime::Device>& device, int64_t elements) {
  const std::vector<float> near_the_point(static_cast<size_t>(elements), 0.5F);
  const double took =
      seconds_of(text_of_exponentials(elements), device, {on_device(*device, near_the_point)});
  return static_cast<double>(elements) * kExponentials / took;
}

double gathers_of(const std::shared_ptr<runtime::Device>& device, int64_t elements) {
  constexpr int64_t kApart =
      40503;  // odd, so that all places of the table come in turn, none near the one before
  std::vector<int64_t> places(static_cast<size_t>(elements));
  for (int64_t k = 0; k < elements; ++k) places[static_cast<size_t>(k)] = k * kApart % kTable;
  const std::vector<float> table(static_cast<size_t>(kTable), 1.0F);
  const double took =
      seconds_of(text_of_gathers(elements), device, {on_device(*device, table), on_device(*device, places)});
  return static_cast<double>(elements) / took;
}

std::vector<CacheFacts> caches_of(const runtime::CpuLayout& layout) {
  std::vector<CacheFacts> out;
  out.reserve(layout.caches.size());
  for (const runtime::CpuCache& one : layout.caches) out.push_back({one.level, one.bytes, one.shared_by});
  return out;
}

// Within half of each cache, so that a thread's share of it stays there. A system that names no caches has none measured.
void add_caches(runtime::Device& device, const runtime::CpuLayout& layout, MachineSpeeds& speeds) {
  const auto within = [&](const runtime::CpuCache& one) {
    const int sharing = std::min(one.shared_by, device.threads());
    return detail::measured_cache_speed(device, one.bytes / 2 / static_cast<size_t>(std::max(sharing, 1)));
  };
  for (const runtime::CpuCache& one : layout.caches) {
    if (one.level == 1) speeds.first_cache = within(one);
    if (one.level == 2) speeds.second_cache = within(one);
  }
  if (!layout.caches.empty()) speeds.last_cache = within(layout.caches.back());
}

std::string readable(double value, std::string_view unit) {
  constexpr double kGiga = 1e9;
  if (unit == "s") return readable_seconds(value);
  return fmt::format("{:.1f} {}{}", value / kGiga, unit == "bytes/s" ? "GB/s" : "G",
                     unit == "bytes/s" ? "" : std::string(unit));
}

}  // namespace

namespace detail {

MachineFacts facts_of(const runtime::Device& device, runtime::KernelCache* cache) {
  const runtime::DeviceInfo& info = device.info();
  MachineFacts out;
  out.device = info.name, out.description = info.description, out.architecture = info.architecture;
  out.threads = info.threads, out.vector_bytes = info.vector_bytes, out.memory_bytes = info.memory_bytes;
  out.speeds = kept_speeds(info, cache);
  if (!device.host_visible()) {
    out.caches.push_back({2, info.cache_bytes, info.threads});
    return out;
  }
  const runtime::CpuLayout layout = runtime::cpu_layout();
  out.processors = layout.processors, out.cores = layout.cores;
  out.vector_registers = runtime::host_vector_registers();
  out.caches = caches_of(layout);
  return out;
}

MachineFacts calibrated(const std::shared_ptr<runtime::Device>& device, runtime::KernelCache* cache) {
  const runtime::DeviceInfo& info = device->info();
  if (!calibrates()) throw Error("calibrate: WEFT_CALIBRATION=0 forbids it; it takes 1, or nothing");
  if (!info.compiles) throw Error("calibrate: this library compiles no kernels, so it has none to measure");
  const LongWork work;
  const int64_t elements = device->host_visible() ? kElements : kElementsOfGpu;
  const OperationSpeeds operations = measured_operations(*device);
  MachineSpeeds speeds;
  speeds.memory = speeds.memory_one_thread = measured_memory_speed(*device);
  if (device->host_visible()) {
    runtime::Counters counters;
    speeds.memory_one_thread = measured_memory_speed(*open_device(device_named("cpu"), 1, nullptr, counters));
  }
  if (device->host_visible()) add_caches(*device, runtime::cpu_layout(), speeds);
  speeds.multiply_adds_f32 = operations.multiply_adds.f32;
  speeds.multiply_adds_f64 = operations.multiply_adds.f64;
  speeds.divisions = operations.divisions, speeds.square_roots = operations.square_roots;
  speeds.exponentials = exponentials_of(device, elements);
  speeds.gathers = gathers_of(device, elements);
  speeds.launch_seconds = operations.launch_seconds, speeds.task_seconds = operations.task_seconds;
  if (cache) keep_speeds(info, *cache, speeds);
  MachineFacts out = facts_of(*device, nullptr);
  out.speeds = speeds;
  return out;
}

}  // namespace detail

MachineFacts machine_facts(const std::string& device) {
  const detail::SessionState& session = Session::current().state();
  return detail::facts_of(*Session::current().state().device(device).device, session.cache.get());
}

MachineFacts calibrate(const std::string& device) {
  detail::SessionState& session = Session::current().state();
  return detail::calibrated(session.device(device).device, session.cache.get());
}

std::string to_string(const MachineFacts& facts) {
  constexpr double kMebi = 1 << 20, kGibi = 1 << 30;
  const bool cpu = facts.vector_bytes > 0;
  std::string out = fmt::format("{}: {}\n", facts.device, facts.description);
  const auto add = [&](std::string_view name, const std::string& value) {
    out += fmt::format("  {:<18} {}\n", name, value);
  };
  add("architecture", facts.architecture);
  add(cpu ? "threads" : "processors", std::to_string(facts.threads));
  if (cpu) {
    add("machine", fmt::format("{} processors of {} cores", facts.processors, facts.cores));
    add("vectors", fmt::format("{} bytes, {} registers", facts.vector_bytes, facts.vector_registers));
  }
  for (const CacheFacts& one : facts.caches)
    add(fmt::format("L{} cache", one.level),
        fmt::format(
            "{:.{}f} MiB{}", static_cast<double>(one.bytes) / kMebi, one.bytes < kMebi ? 3 : 1,
            cpu ? fmt::format(", of {} processor{}", one.processors, one.processors == 1 ? "" : "s") : ""));
  add("memory size", fmt::format("{:.1f} GiB", static_cast<double>(facts.memory_bytes) / kGibi));
  if (!facts.speeds) add("speeds", "not measured: `weft calibrate` does");
  if (facts.speeds)
    for (const SpeedField& field : speed_fields()) {
      // A GPU's caches and single threads are not measured.
      if (*facts.speeds.*field.value == 0 || (!cpu && field.value == &MachineSpeeds::memory_one_thread))
        continue;
      std::string name = field.name;
      std::ranges::replace(name, '_', ' ');
      add(name.substr(0, name.find(" seconds")), readable(*facts.speeds.*field.value, field.unit));
    }
  return out;
}

}  // namespace weft
