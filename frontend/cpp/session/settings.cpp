// Settings of a session by their names, and while it lives.
#include <algorithm>
#include <array>

#include "compiler/base/error.h"
#include "frontend/cpp/session/env.h"
#include "frontend/cpp/session/log_sink.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/cpp/weft/session.h"

namespace weft {
namespace {

constexpr std::array<const char*, 3> kTiers = {"auto", "compile", "blocks"};      // in the order of Tier
constexpr std::array<const char*, 3> kNumerics = {"strict", "standard", "fast"};  // in the order of Numerics
constexpr std::array<const char*, 3> kWatches = {"off", "nans", "infinities"};    // in the order of Watch

}  // namespace

Tier tier_named(const std::string& name) {
  const auto found = std::find(kTiers.begin(), kTiers.end(), name);
  if (found == kTiers.end()) throw Error("tier: takes auto, compile or blocks: got '" + name + "'");
  return static_cast<Tier>(found - kTiers.begin());
}

std::string to_string(Tier tier) { return kTiers[static_cast<size_t>(tier)]; }

Numerics numerics_named(const std::string& name) {
  const auto found = std::find(kNumerics.begin(), kNumerics.end(), name);
  if (found == kNumerics.end()) throw Error("numerics: takes strict, standard or fast: got '" + name + "'");
  return static_cast<Numerics>(found - kNumerics.begin());
}

std::string to_string(Numerics numerics) { return kNumerics[static_cast<size_t>(numerics)]; }

Watch watch_named(const std::string& name) {
  const auto found = std::find(kWatches.begin(), kWatches.end(), name);
  if (found == kWatches.end()) throw Error("watch: takes off, nans or infinities: got '" + name + "'");
  return static_cast<Watch>(found - kWatches.begin());
}

std::string to_string(Watch watch) { return kWatches[static_cast<size_t>(watch)]; }

Tier Session::tier() const { return state_->tier.load(std::memory_order_relaxed); }
void Session::set_tier(Tier tier) const { state_->tier.store(tier, std::memory_order_relaxed); }

Numerics Session::numerics() const { return state_->numerics.load(std::memory_order_relaxed); }
void Session::set_numerics(Numerics numerics) const {
  state_->numerics.store(numerics, std::memory_order_relaxed);
}

Watch Session::watch() const { return state_->watch.load(std::memory_order_relaxed); }
void Session::set_watch(Watch watch) const { state_->watch.store(watch, std::memory_order_relaxed); }

int Session::threads() const { return state_->device("cpu").device->threads(); }
void Session::set_threads(int threads) const {
  detail::check_threads("threads", threads);
  state_->device("cpu").device->set_threads(threads);
}

std::string Session::cache_directory() const { return state_->cache->directory(); }
uint64_t Session::cache_limit() const { return state_->cache->max_bytes(); }
void Session::set_cache(const std::string& directory, uint64_t limit) const {
  if (const std::string reason = state_->cache->move_to(directory, limit); !reason.empty())
    throw Error("cache: cannot be used: " + reason);
  state_->for_each_open_device([](detail::DeviceSlot& slot) { slot.choices.look_again(); });
}

std::string Session::log_level() const { return detail::to_string(detail::log_now()); }
void Session::set_log_level(const std::string& level) const {
  detail::set_log(detail::log_words("log", level, false));
}

}  // namespace weft
