// Giving up work that takes long.
#pragma once

#include "compiler/base/interrupted.h"

namespace weft {

// `ask` is called some ten times a second on whatever thread computes, between its kernels and matrix
// products. Where it answers true the rest of the program is given up: the call that computes throws
// Interrupted, and what it would have computed is still to be computed. Work that already writes over an
// array's memory goes on, and on a GPU what was started.
void on_interrupt(bool (*ask)());

}  // namespace weft
