#include "compiler/passes/expand_products.h"

#include "compiler/ir/access.h"
#include "compiler/ir/build.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

namespace {

using ir::NodeRef;
using ir::Op;

constexpr int64_t kFewTerms = 4;  // of each element's sum
constexpr int64_t kLongRow = 64;  // elements of the result's rows: along shorter ones no vector is filled

// Whether the rows of `x` lie in one piece where views are followed to what they view.
bool contiguous_rows(const ir::Node* x) {
  ir::Variables vars;
  ir::Access at;
  for (int64_t extent : x->shape()) at.push_back(vars.of(vars.add_axis(extent)));
  const int last = vars.size() - 1;
  while (kind(x->op) == ir::OpKind::View && x->inputs.size() == 1) {
    at = input_access(*x, 0, at, vars).at;
    x = x->inputs[0].get();
  }
  const bool strided = x->op == Op::input && !x->as<ir::InputAttr>().strides.empty();
  const Dims strides = strided ? x->as<ir::InputAttr>().strides : contiguous_strides(x->shape());
  return ir::address(at, strides, 0, vars).coefficient(last) == 1;
}

// The elements of `x` at one place of an axis, repeated along it.
NodeRef spread(const NodeRef& x, size_t axis, int64_t place, const Shape& shape, const ir::Lines& lines) {
  Dims starts(x->shape().size(), 0), extents = x->shape();
  starts[axis] = place, extents[axis] = 1;
  return ir::broadcast(ir::slice(x, starts, extents, Dims(extents.size(), 1), lines), shape, lines);
}

NodeRef expanded(const NodeRef& n) {
  if (n->op != Op::dot) return n;
  const NodeRef &a = n->inputs[0], &b = n->inputs[1];
  const size_t rank = n->shape().size();
  const int64_t terms = a->shape()[rank - 1];
  if (terms < 1 || terms > kFewTerms || n->shape()[rank - 1] < kLongRow || !contiguous_rows(b.get()))
    return n;
  // From zero, as the library's sums: -0.0 alone is none.
  NodeRef sum = ir::constant(n->type, Scalar::of(0.0), n->lines);
  for (int64_t k = 0; k < terms; ++k) {
    NodeRef term =
        ir::map(Op::multiply,
                {spread(a, rank - 1, k, n->shape(), n->lines), spread(b, rank - 2, k, n->shape(), n->lines)},
                n->lines);
    sum = ir::map(Op::add, {sum, term}, n->lines);
  }
  return sum;
}

}  // namespace

ir::Graph expand_products(const ir::Graph& graph, const Target& target, const Options&) {
  return target.kind == TargetKind::Cpu ? rewrite(graph, expanded) : graph;
}

}  // namespace weft::passes
