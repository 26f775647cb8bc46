#include "frontend/cpp/inspect/kept_speeds.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "frontend/cpp/session/env.h"

namespace weft {

namespace {

constexpr std::array kFields = {
    SpeedField{"memory", "bytes/s", &MachineSpeeds::memory},
    SpeedField{"memory_one_thread", "bytes/s", &MachineSpeeds::memory_one_thread},
    SpeedField{"first_cache", "bytes/s", &MachineSpeeds::first_cache},
    SpeedField{"second_cache", "bytes/s", &MachineSpeeds::second_cache},
    SpeedField{"last_cache", "bytes/s", &MachineSpeeds::last_cache},
    SpeedField{"multiply_adds_f32", "operations/s", &MachineSpeeds::multiply_adds_f32},
    SpeedField{"multiply_adds_f64", "operations/s", &MachineSpeeds::multiply_adds_f64},
    SpeedField{"divisions", "elements/s", &MachineSpeeds::divisions},
    SpeedField{"square_roots", "elements/s", &MachineSpeeds::square_roots},
    SpeedField{"exponentials", "elements/s", &MachineSpeeds::exponentials},
    SpeedField{"gathers", "elements/s", &MachineSpeeds::gathers},
    SpeedField{"launch_seconds", "s", &MachineSpeeds::launch_seconds},
    SpeedField{"task_seconds", "s", &MachineSpeeds::task_seconds},
};
static_assert(sizeof(MachineSpeeds) == kFields.size() * sizeof(double), "a speed is not kept");

}  // namespace

std::span<const SpeedField> speed_fields() { return kFields; }

}  // namespace weft

namespace weft::detail {

namespace {

// Raised where a speed means something else.
constexpr std::string_view kKind = "speeds of machines, version 1";

std::string identity(const runtime::DeviceInfo& machine) {
  return fmt::format("{}: {}, {}, {} threads, vectors of {} bytes, cache of {} bytes", machine.name,
                     machine.description, machine.architecture, machine.threads, machine.vector_bytes,
                     machine.cache_bytes);
}

}  // namespace

std::string text_of(const MachineSpeeds& speeds) {
  nlohmann::ordered_json out;
  for (const SpeedField& field : speed_fields()) out[field.name] = speeds.*field.value;
  return out.dump();
}

std::optional<MachineSpeeds> speeds_of(std::string_view text) {
  const nlohmann::json read = nlohmann::json::parse(text, nullptr, false);
  if (!read.is_object()) return std::nullopt;
  MachineSpeeds out;
  for (const SpeedField& field : speed_fields()) {
    const auto at = read.find(field.name);
    if (at == read.end() || !at->is_number()) return std::nullopt;
    const auto value = at->get<double>();
    if (!std::isfinite(value) || value < 0) return std::nullopt;
    out.*field.value = value;
  }
  return out.memory > 0 ? std::optional(out) : std::nullopt;
}

std::optional<MachineSpeeds> kept_speeds(const runtime::DeviceInfo& machine, runtime::KernelCache* cache) {
  if (!cache || !calibrates()) return std::nullopt;
  const std::optional<std::string> text = cache->find(kKind, identity(machine));
  return text ? speeds_of(*text) : std::nullopt;
}

void keep_speeds(const runtime::DeviceInfo& machine, runtime::KernelCache& cache,
                 const MachineSpeeds& speeds) {
  cache.put(kKind, "speeds", identity(machine), text_of(speeds));
}

}  // namespace weft::detail
