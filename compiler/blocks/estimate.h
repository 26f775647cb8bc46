// How long a scheduled program takes in blocks, and its kernel to be compiled: near enough to tell milliseconds from
// tenths of one.
#pragma once

#include <cstddef>
#include <optional>

#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/program/blocks.h"
#include "compiler/program/options.h"

namespace weft::blocks {

// `tasks` and `text_bytes` are those of the kernel.
BlockEstimate estimate(const plan::RowProgram& program, const plan::CpuSchedule& schedule,
                       const Target& target, int64_t tasks, size_t text_bytes);

// The same before there is a text; none where that takes less time than a run in blocks of one thread.
std::optional<BlockEstimate> estimate_without_text(const plan::RowProgram& p, const plan::CpuSchedule& s,
                                                   const Target& target);

}  // namespace weft::blocks
