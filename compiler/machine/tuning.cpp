#include "compiler/machine/tuning.h"

#include <fmt/format.h>

#include <iterator>

#include "compiler/machine/first_calls.h"

namespace weft::tuning {

namespace {

#define WEFT_TUNED(name, type, value, unit, since, what, from) \
  {#name, static_cast<double>(value), unit, since, what, from},
constexpr Row kCpuSchedules[] = {WEFT_TUNING_OF_CPU_SCHEDULES(WEFT_TUNED)};
constexpr Row kCpuText[] = {WEFT_TUNING_OF_CPU_TEXT(WEFT_TUNED)};
constexpr Row kCudaSchedules[] = {WEFT_TUNING_OF_CUDA_SCHEDULES(WEFT_TUNED)};
constexpr Row kCudaText[] = {WEFT_TUNING_OF_CUDA_TEXT(WEFT_TUNED)};
constexpr Row kFeasibility[] = {WEFT_TUNING_OF_FEASIBILITY(WEFT_TUNED)};
constexpr Row kFusion[] = {WEFT_TUNING_OF_FUSION(WEFT_TUNED)};
constexpr Row kPasses[] = {WEFT_TUNING_OF_PASSES(WEFT_TUNED)};
constexpr Row kFirstCalls[] = {WEFT_TUNING_OF_FIRST_CALLS(WEFT_TUNED)};
#undef WEFT_TUNED

constexpr std::string_view kCpus = "two threads of a Xeon (Sapphire Rapids) or of an EPYC (Zen 4)",
                           kGpu = "an H200";

constexpr Group kTable[] = {
    {"Schedules for CPUs", kCpus, "`./dev sweep`, `./dev bench`", kCpuSchedules},
    {"What C++ for CPUs looks like", kCpus, "`./dev sweep`, `build/bin/benchmarks/cold_start`", kCpuText},
    {"Schedules for GPUs", kGpu, "`weft-bundle/run.sh sweep --device gpu`, `weft-bundle/run.sh bench`",
     kCudaSchedules},
    {"What CUDA C++ looks like", kGpu, "`weft-bundle/run.sh sweep --device gpu`", kCudaText},
    {"What fusion asks of machines", "the machines above",
     "`./dev sweep`, `weft-bundle/run.sh sweep --device gpu`, `build/venv/bin/python "
     "tests/campaigns/each_op.py`",
     kFeasibility},
    {"What fusion repeats and stores", kCpus,
     "`build/venv/bin/python tests/campaigns/each_op.py`, `./dev bench`", kFusion},
    {"Passes over graphs", kCpus, "`build/venv/bin/python tests/campaigns/each_op.py`, `./dev bench`",
     kPasses},
    {"First calls", kCpus, "`build/venv/bin/python tests/benchmarks/first_calls.py`", kFirstCalls},
};

}  // namespace

std::span<const Group> table() { return kTable; }

std::string markdown() {
  size_t count = 0;
  for (auto& group : kTable) count += group.rows.size();
  std::string out = fmt::format(
      "{} constants in {} groups. Each group names where its rows are measured.\n\n"
      "| group | constants | measured on | measured again by |\n|---|---|---|---|\n",
      count, std::size(kTable));
  for (auto& group : kTable)
    fmt::format_to(std::back_inserter(out), "| {} | {} | {} | {} |\n", group.title, group.rows.size(),
                   group.measured_on, group.measured_again_by);
  out += '\n';
  for (auto& group : kTable) {
    fmt::format_to(std::back_inserter(out),
                   "### {}\n\nMeasured on {}; measured again by {}.\n\n| constant | value | unit | since | "
                   "what | from |\n"
                   "|---|---|---|---|---|---|\n",
                   group.title, group.measured_on, group.measured_again_by);
    for (auto& row : group.rows)
      fmt::format_to(std::back_inserter(out), "| `{}` | {} | {} | {} | {} | {} |\n", row.name, row.value,
                     row.unit, row.since, row.what, row.from);
    out += '\n';
  }
  return out;
}

}  // namespace weft::tuning
