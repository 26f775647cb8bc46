// The reference evaluation of map ops on stored elements: what folds constants and what the interpreter runs.
// Each element is computed in its dtype's compute type (halves in float) and rounded to the result's dtype
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compiler/base/dtype.h"
#include "compiler/ir/ops/op.h"

namespace weft::ir {

// Elements in storage format, one after another; a splat is a single element that stands for all of them.
struct Elements {
  const std::byte* data = nullptr;
  bool splat = false;
};

// Computes `count` elements of map op `op` into `result`. `from` is the inputs' common dtype (select: of its
// second and third), `to` the result's, as infer() gives them; the op accepts `from`. Nothing may alias but
// equal positions.
void evaluate_map(Op op, DType from, DType to, std::span<const Elements> args, std::byte* result,
                  int64_t count);

// The same on one element each.
Scalar evaluate_map(Op op, DType to, std::span<const Scalar> args);

}  // namespace weft::ir
