// The loops of an entry over its tasks and their points, and what it begins with.
#pragma once

#include <string>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

// Loops around `point`; `before` runs once for each task.
std::string task_loops(const Entry& entry, const std::string& point, const std::string& before = "");

// An entry around its loops.
std::string write_entry(const Entry& entry, const std::string& loops);

// What stands for kArguments, once all entries are written: how many arguments there are is known then.
std::string unpack_arguments(const plan::RowProgram& program, const CpuLayout& layout);

}  // namespace weft::emit::cpu
