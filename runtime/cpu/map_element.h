// A loop of block programs on single elements.
#pragma once

#include <span>

#include "compiler/base/dtype.h"
#include "runtime/blocks/loops.h"

namespace weft::runtime {

// What the loop of that number gives for one element of each operand, all of one dtype, which is the
// result's too. False where this library has none.
bool map_element(const BlockLoops& loops, int number, std::span<const Scalar> operands, Scalar& result);

}  // namespace weft::runtime
