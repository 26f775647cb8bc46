#include "frontend/cpp/session/session_state.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <vector>

#include "compiler/base/error.h"
#include "frontend/cpp/session/env.h"
#include "frontend/cpp/session/log_sink.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/session/open_device.h"
#include "frontend/cpp/weft/warning.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/ranges.h"

namespace weft {

static_assert(kDurationBounds == runtime::Histogram::kBounds);

namespace detail {
namespace {

thread_local const std::string* scoped_device = nullptr;
std::atomic<const std::string* (*)()> chosen_device{nullptr};
std::atomic<void (*)(const std::string&)> tell_warning{nullptr};

const std::string* default_by_scope() {
  if (scoped_device) return scoped_device;
  const auto chosen = chosen_device.load(std::memory_order_relaxed);
  return chosen ? chosen() : nullptr;
}

DeviceSummary summary(const DeviceSlot& slot) {
  const runtime::DeviceInfo& info = slot.device->info();
  const runtime::MemoryInfo memory = slot.device->memory();
  return {slot.name,         info.description, info.architecture, slot.device->threads(),
          info.vector_bytes, info.cache_bytes, info.shared_bytes, info.memory_bytes,
          memory.in_use,     memory.pooled,    memory.peak};
}

void check_limit(const char* name, int value) {
  if (value < 0)
    throw Error(std::string(name) + ": takes a number of 0 or more: got " + std::to_string(value));
}

SessionOptions checked(SessionOptions options) {
  check_limit("graph_limit", options.graph_limit);
  check_limit("interpret_limit", options.interpret_limit);
  log_words("log", options.log, true);
  return options;
}

// Never freed: arrays and buffers of a session may outlive everything else in the process.
struct Sessions {
  std::mutex mutex;
  std::vector<SessionState*> all;
  std::atomic<SessionState*> current{nullptr};
};
Sessions& sessions() {
  static auto* const registry = new Sessions;
  return *registry;
}

}  // namespace

SessionState::SessionState(SessionOptions given)
    : options(checked(std::move(given))),
      dumps(options.dump, options.dump_data),
      tier(options.tier),
      numerics(options.numerics),
      compiling([this](const std::string& problem) { warn(problem); }),
      programs(options.program_limit) {
  watch_forks();
  log = logger_named("weft");
  set_log(log_words("log", options.log, true));
  cache = std::make_shared<runtime::KernelCache>(
      options.cache_directory, options.cache_limit,
      [this](const std::string& problem) { warn("disk cache: " + problem); });
  if (!options.cache_directory.empty() && !cache->disabled_because().empty())
    warn("no disk cache: " + cache->disabled_because());
  if (marks_ranges())
    if (const std::string problem = runtime::ranges.open(environment("NVTX_INJECTION64_PATH").has_value());
        !problem.empty())
      warn("WEFT_NVTX: " + problem);
}

void SessionState::warn(const std::string& warning) const {
  const auto tell = tell_warning.load();
  log->log(tell ? spdlog::level::info : spdlog::level::warn, warning);
  if (tell) tell(warning);
}

Options SessionState::compile_options() const {
  Options o;
  o.numerics = numerics.load(std::memory_order_relaxed);
  return o;
}

DeviceSlot::DeviceSlot(SessionState& owner, std::string given, std::shared_ptr<runtime::Device> opened,
                       Target what, uint64_t programs)
    : session(owner),
      name(std::move(given)),
      device(std::move(opened)),
      target(what),
      key(programs),
      small_elements(device->host_visible() ? std::max(owner.options.interpret_limit, 1) : 0),
      choices(owner.cache, device->info().architecture) {}

Options DeviceSlot::compile_options() {
  Options o = session.compile_options();
  o.choose = [this](const KernelKey& asked) { return choices.find(asked); };
  return o;
}

DeviceSlot& SessionState::device(const std::string& name) {
  if (name.empty()) {
    if (const std::string* chosen = default_by_scope()) return device(*chosen);
    if (DeviceSlot* slot = default_.load(std::memory_order_acquire)) return *slot;
    DeviceSlot& slot = device(options.device);
    default_.store(&slot, std::memory_order_release);
    return slot;
  }
  const DeviceName asked = device_named(name);
  const std::string full = asked.text();
  std::lock_guard lock(mutex_);
  for (DeviceSlot& slot : slots_) {
    if (slot.name == full) return slot;
  }
  std::shared_ptr<runtime::Device> opened = open_device(asked, options.threads, cache, counters);
  const runtime::DeviceInfo& info = opened->info();
  const Target target = target_of(asked.kind, info);
  const Hash key = hash_text(full + " " + info.architecture);
  DeviceSlot& slot = slots_.emplace_back(*this, full, std::move(opened), target, key.low);
  log->debug("opened {}: {} ({})", full, info.description, info.architecture);
  return slot;
}

SessionState& current_session() {
  Sessions& s = sessions();
  if (SessionState* state = s.current.load(std::memory_order_acquire)) return *state;
  std::lock_guard lock(s.mutex);
  if (!s.current.load(std::memory_order_relaxed)) {
    s.all.push_back(new SessionState(SessionOptions::from_environment()));
    if (!tell_warning.load()) {  // who is told has looked by himself
      for (const auto& [given, meant] : misspelt_variables())
        s.all.back()->warn(
            fmt::format("the environment has {}, which Weft does not read: did you mean {}?", given, meant));
      for (const std::string& refused : refused_variables())
        s.all.back()->warn("the environment: " + refused);
    }
    s.current.store(s.all.back(), std::memory_order_release);
  }
  return *s.current.load(std::memory_order_relaxed);
}

}  // namespace detail

Session::Session(SessionOptions options) : state_(nullptr) {
  detail::Sessions& s = detail::sessions();
  std::lock_guard lock(s.mutex);
  s.all.push_back(new detail::SessionState(std::move(options)));
  state_ = s.all.back();
}

Session Session::current() { return Session(detail::current_session()); }

void Session::make_current() const { detail::sessions().current.store(state_, std::memory_order_release); }

const SessionOptions& Session::options() const { return state_->options; }

void Session::finish_kernels() const {
  const detail::LongWork work;
  state_->compiling.finish();
}

Stats Session::stats() const {
  const runtime::Counters& c = state_->counters;
  return {c.kernels_launched, c.library_calls,   c.compiles,    c.compile_ns,   c.compiles_behind,
          c.memory_hits,      c.disk_hits,       c.disk_misses, c.program_hits, c.program_misses,
          c.interpreted,      c.blocks_launched, c.bytes_read,  c.bytes_written};
}

Times Session::times() const {
  const auto taken = [](const runtime::Histogram& one) { return Durations{one.counts(), one.ns()}; };
  const runtime::Counters& c = state_->counters;
  return {taken(c.compile_times), taken(c.load_times), taken(c.plan_times)};
}

std::vector<std::string> Session::device_names() const {
  std::string reason;
  std::vector<std::string> names{"cpu"};
  const int gpus = runtime::cuda_device_count(reason);
  for (int i = 0; i < gpus; ++i) names.push_back("cuda:" + std::to_string(i));
  return names;
}

std::vector<DeviceSummary> Session::devices() const {
  std::vector<DeviceSummary> list;
  for (const std::string& name : device_names()) list.push_back(device(name));
  return list;
}

DeviceSummary Session::device(const std::string& name) const { return detail::summary(state_->device(name)); }

std::string Session::default_device() const {
  const std::string* chosen = detail::default_by_scope();
  return chosen ? *chosen : state_->options.device;
}

void Session::sync(const std::string& device) const {
  detail::DeviceSlot& slot = state_->device(device);
  const detail::LongWork work;
  slot.device->synchronize();
}
void Session::trim(const std::string& device) const { state_->device(device).device->trim(); }

DeviceScope::DeviceScope(const std::string& device)
    : outer_(detail::scoped_device), device_(detail::current_session().device(device).name) {
  detail::scoped_device = &device_;
}
DeviceScope::~DeviceScope() { detail::scoped_device = outer_; }

void on_warning(void (*tell)(const std::string&)) { detail::tell_warning = tell; }

void choose_default_device_by(const std::string* (*chosen)()) { detail::chosen_device.store(chosen); }

std::string Session::no_cuda_because() const {
  std::string reason;
  return runtime::cuda_device_count(reason) > 0 ? std::string() : reason;
}

std::string Session::no_cache_because() const { return state_->cache->disabled_because(); }

void Session::sync() const {
  const detail::LongWork work;
  state_->for_each_open_device([](detail::DeviceSlot& slot) { slot.device->synchronize(); });
}

Stats stats() { return Session::current().stats(); }
void sync() { Session::current().sync(); }

}  // namespace weft
