// What a kernel of the user's own text calls where its loads and stores are checked; see compiler/program/checked_memory.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/program/checked_memory.h"

namespace weft::runtime {

// Runs a part of the kernel's range. The part ends at the first access outside of its arrays.
extern "C" void weft_run_checked(const char* kernel, const CheckedMemory* memory, long count,
                                 void (*body)(const uint64_t*, long, long), const uint64_t* words, long begin,
                                 long end);
// The address without its tag.
extern "C" void* weft_checked_address(void* address, long bytes, long writes);
extern "C" void weft_checked_move(void* to, void* from, size_t bytes);
extern "C" void weft_checked_fill(void* to, int value, size_t bytes);

// Error where this thread's last part ended so; says so once.
void throw_outside_access();

}  // namespace weft::runtime
