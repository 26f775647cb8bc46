// How a row program runs on a target, for those who hold either kind.
#pragma once

#include <string>
#include <variant>

#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/plan/schedule/cuda/cuda_schedule.h"

namespace weft::plan {

using Schedule = std::variant<CpuSchedule, CudaSchedule>;

inline std::string print(const Schedule& schedule) {
  return std::visit([](const auto& s) { return print(s); }, schedule);
}

}  // namespace weft::plan
