// Loads a program. Kernels that spill registers, as the back end reports, are made again by other schedules.
#pragma once

#include <functional>
#include <memory>

#include "runtime/choices.h"
#include "runtime/executor.h"

namespace weft::runtime {

// A graph's program, with the schedules that are asked for.
using CompileProgram = std::function<Program(const Choose&)>;

// Kernels that keep a thread's values in memory, since its registers do not suffice, are made again with more
// and more frugal schedules; the one that spills least stays, and `choices` keeps it, so that nobody tries
// again. Throws CompileError. `queue`: see Executable; kernels that are put off are not judged.
std::unique_ptr<const Executable> load_program(const CompileProgram& compile,
                                               const std::shared_ptr<Device>& device, Counters& counters,
                                               Choices& choices, CompileQueue* queue = nullptr);

}  // namespace weft::runtime
