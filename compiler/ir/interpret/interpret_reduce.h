// The interpreter's reductions, scans and matrix products. Floats are accumulated in long double and rounded
// once; integers wrap around; the order is row-major.
#pragma once

#include <cstddef>

#include "compiler/base/shape.h"
#include "compiler/ir/node.h"

namespace weft::ir {

// Elements of some shape, found by strides (in elements).
struct Strided {
  const std::byte* data;
  const Shape& shape;
  Dims strides;
};

// `node` is a reduction of `x`; writes its elements row-major.
void interpret_reduce(const Node& node, const Strided& x, std::byte* result);
// `node` is a scan of `x`; the same.
void interpret_scan(const Node& node, const Strided& x, std::byte* result);
// `node` is the dot of `a` and `b`.
void interpret_dot(const Node& node, const Strided& a, const Strided& b, std::byte* result);

}  // namespace weft::ir
