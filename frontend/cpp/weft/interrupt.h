// Giving up work that takes long, and ending a process in the middle of it.
#pragma once

#include "compiler/base/interrupted.h"

namespace weft {

// `ask` is called some ten times a second on whatever thread computes: between its kernels and matrix
// products, and on the CPU between their parts. Where it answers true the rest of the program is given up:
// the call that computes throws Interrupted, what was written so far is dropped, and what it would have
// computed is still to be computed. Work that already writes over an array's memory goes on, and on a GPU
// what was started.
void on_interrupt(bool (*ask)());

// For a thread that is about to end the process while others, which nobody joins, may be computing: returns
// when those have left the compiler, the CPU's kernels and its libraries, and keeps them from coming back. A
// thread that would come back, or whose kernel was given up, waits for the process to end.
void stop_work_elsewhere();

}  // namespace weft
