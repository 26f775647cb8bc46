#include <utility>

#include "compiler/builder/steps.h"
#include "compiler/ir/analysis/matrix_layout.h"

namespace weft {

using ir::Node;
using ir::NodeRef;

namespace {

// How BLAS reads an operand, and from which buffer: of a copy, where it cannot read it where it lies.
std::pair<int, ir::MatrixLayout> layout(Building& b, const NodeRef& n) {
  if (const auto at = ir::matrix_layout(*n, b.in_memory)) return {b.buffer_of.at(at->base), *at};
  const int64_t rows = n->shape()[n->shape().size() - 2], columns = n->shape().back();
  int buffer = b.add_temporary(n->type, "a copy of " + b.title(*n));
  b.add_copy(n, buffer, "as a library cannot read it where it lies");
  return {buffer, {n.get(), 0, columns, rows * columns, false}};
}

}  // namespace

void add_product(Building& b, const ir::Step& step) {
  const Node& n = *step.library;
  const Shape &left = n.inputs[0]->shape(), &right = n.inputs[1]->shape();
  const auto [buffer_a, at_a] = layout(b, n.inputs[0]);
  const auto [buffer_b, at_b] = layout(b, n.inputs[1]);
  const size_t rank = left.size();
  DotStep d;
  d.dot.dtype = n.dtype();
  d.dot.m = left[rank - 2], d.dot.k = left[rank - 1], d.dot.n = right[rank - 1];
  d.dot.batch = element_count(std::span(n.shape().begin(), rank - 2));
  d.dot.transpose_a = at_a.transposed, d.dot.transpose_b = at_b.transposed;
  d.dot.lda = at_a.ld, d.dot.ldb = at_b.ld, d.dot.ldc = d.dot.n;
  d.dot.stride_a = at_a.batch, d.dot.stride_b = at_b.batch, d.dot.stride_c = d.dot.m * d.dot.n;
  // Matrices that lie one after another, and meet the same one, are one matrix.
  if (d.dot.stride_b == 0 && !d.dot.transpose_a && d.dot.stride_a == d.dot.m * d.dot.lda && d.dot.batch > 1) {
    d.dot.m *= d.dot.batch;
    d.dot.batch = 1, d.dot.stride_a = 0, d.dot.stride_c = d.dot.m * d.dot.n;
  }
  d.a = buffer_a, d.b = buffer_b, d.c = b.buffer_of.at(&n);
  d.offset_a = at_a.offset, d.offset_b = at_b.offset;
  d.origin = origin_of(step, b.stored);
  b.add_step(std::move(d), explain(step, b.stored, b.title));
}

}  // namespace weft
