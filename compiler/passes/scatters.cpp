#include "compiler/passes/scatters.h"

#include <vector>

#include "compiler/ir/build.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"

namespace weft::passes {

using ir::Node;
using ir::NodeRef;
using ir::Op;

namespace {

// Storing without an order takes all elements once, and their claims twice, and launches more. On a GPU, a
// row that is stored element by element takes as long as moving many bytes for each.
bool worth_claiming(const Node& scatter) {
  const int64_t ordered = scatter.inputs[2]->shape()[static_cast<size_t>(scatter.as<ir::AxisAttr>().axis)];
  const int64_t moved =
      element_count(scatter.shape()) * static_cast<int64_t>(2 * size_of(scatter.dtype()) + 8);
  return ordered < INT32_MAX && ordered > (moved + tuning::kLaunch) / tuning::kOrderedStore;
}

NodeRef all(int64_t value, const Shape& shape, const Node& of) {
  return ir::broadcast(ir::constant({DType::I32, {}}, Scalar::of(value)), shape, of.lines);
}

}  // namespace

// Sums of integers are the same in any order; a GPU adds words of 4 and 8 bytes.
ScatterOrder scatter_order(const Node& n, const Target& target) {
  if (!machine::is_gpu(target)) return ScatterOrder::Kept;
  if (n.op == Op::scatter) return worth_claiming(n) ? ScatterOrder::Claimed : ScatterOrder::Kept;
  if (n.op == Op::scatter_distinct) return ScatterOrder::Any;
  if (!is_integer(n.dtype())) return ScatterOrder::Kept;
  return size_of(n.dtype()) < 4 ? ScatterOrder::SumsApart : ScatterOrder::Any;
}

// The last of equal indices stays, whatever runs first: each element is claimed by the largest position
// whose value goes there, and takes that.
TwoSteps claimed_scatter(const Node& n) {
  const int64_t axis = n.as<ir::AxisAttr>().axis;
  const NodeRef &x = n.inputs[0], &index = n.inputs[1], &values = n.inputs[2];
  Shape claimed = index->shape();
  claimed[static_cast<size_t>(axis)] = n.shape()[static_cast<size_t>(axis)];
  const auto combine = [&](Op op, const NodeRef& a, const NodeRef& b) {
    return ir::map(op, std::vector{a, b}, n.lines);
  };
  const NodeRef positions =
      combine(Op::add, ir::iota({DType::I32, index->shape()}, axis), all(1, index->shape(), n));
  const NodeRef claims = ir::scatter(Op::scatter, all(0, claimed, n), index, positions, axis, n.lines);
  const NodeRef before = ir::cast(combine(Op::subtract, claims, all(1, claimed, n)), DType::I64, n.lines);
  const NodeRef taken = ir::broadcast(combine(Op::greater, claims, all(0, claimed, n)), n.shape(), n.lines);
  return {claims,
          ir::map(Op::select, std::vector{taken, ir::gather(values, before, axis, n.lines), x}, n.lines),
          "claims", "which value each element of {} takes"};
}

TwoSteps summed_scatter(const Node& n) {
  const NodeRef values = ir::cast(n.inputs[2], DType::I32, n.lines);
  const NodeRef sums = ir::scatter(Op::scatter_add, all(0, n.shape(), n), n.inputs[1], values,
                                   n.as<ir::AxisAttr>().axis, n.lines);
  return {sums, ir::map(Op::add, std::vector{n.inputs[0], ir::cast(sums, n.dtype(), n.lines)}, n.lines),
          "sums", "sums of {}"};
}

}  // namespace weft::passes
