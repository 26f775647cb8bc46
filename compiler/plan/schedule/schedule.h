// How a row program runs on a target, for those who hold either kind.
#pragma once

#include <string>
#include <variant>

#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/plan/schedule/cuda/cuda_schedule.h"

namespace weft::plan {

using Schedule = std::variant<CpuSchedule, CudaSchedule>;

inline std::string text_of(const Schedule& schedule) {
  return std::visit([](const auto& s) { return text_of(s); }, schedule);
}
inline const std::string& reason_of(const Schedule& schedule) {
  return std::visit([](const auto& s) -> const std::string& { return s.reason; }, schedule);
}

// A line, with its reason.
inline std::string print(const Schedule& schedule) {
  const std::string& reason = reason_of(schedule);
  return "schedule " + text_of(schedule) + (reason.empty() ? "" : " (" + reason + ")") + "\n";
}

}  // namespace weft::plan
