// The loops of block programs on elements that are at hand.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/base/dtype.h"
#include "runtime/blocks/loops.h"
#include "runtime/device.h"

namespace weft::runtime {

// What the loop of that number gives for one element of each operand, all of one dtype, which is the
// result's too. False where this library has none.
bool map_element(const BlockLoops& loops, int number, std::span<const Scalar> operands, Scalar& result);

// The same for `count` elements of each operand, of the loop's dtypes. The result lies apart from them.
bool map_elements(const BlockLoops& loops, int number, std::span<const MapOperand> operands, MapResult result,
                  int64_t count);

}  // namespace weft::runtime
