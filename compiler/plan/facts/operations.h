// How much a kernel computes: what profiles and rooflines count as FLOP.
#pragma once

#include <cstdint>

#include "compiler/plan/plan.h"

namespace weft::plan {

// About how many operations on floats the program does. An addition or a product is one, a multiply-add is two, and a
// function is as many as its cost says (exp: 12). Of complex numbers each counts four times.
int64_t operations_of(const RowProgram& program);

}  // namespace weft::plan
