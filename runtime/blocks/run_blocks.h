// Runs block programs: the loops of each statement over a block of elements that stays in the first-level
// cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/program/blocks.h"
#include "runtime/blocks/arguments.h"
#include "runtime/blocks/loops.h"

namespace weft::runtime {

// Bytes of memory, 64-byte aligned, that a thread needs to run the program.
size_t block_memory(const BlockProgram& program);

// Tasks [begin, end), or finishing tasks, which run when all others are done. Tasks may run at the same time,
// each thread with memory of its own.
void run_blocks(const BlockProgram& program, const BlockLoops& loops, const BlockArguments& arguments,
                int64_t begin, int64_t end, bool finishes, char* memory);

}  // namespace weft::runtime
