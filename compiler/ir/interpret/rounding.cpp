#include "compiler/ir/interpret/rounding.h"

#include <algorithm>

namespace weft::ir {

namespace {

bool is_inexact(DType dtype) { return is_float(dtype) || is_complex(dtype); }

// Seen through views, which kernels follow.
bool is_product(const Node* n) {
  while (kind(n->op) == OpKind::View && n->inputs.size() > 0) n = n->inputs[0].get();
  return (n->op == Op::multiply || n->op == Op::square) && is_inexact(n->dtype());
}

bool map_rounds_once(const Node& map) {
  if (map.op == Op::apply) return false;
  const auto has_products = [](const NodeRef& in) { return is_product(in.get()); };
  if ((map.op == Op::add || map.op == Op::subtract) && std::ranges::any_of(map.inputs, has_products))
    return false;
  return rounds_once(map.op, (*map.inputs.begin())->dtype(), map.dtype());
}

}  // namespace

bool rounds_as_kernels(const Node& node) {
  const bool inexact = is_inexact(node.dtype()) || std::ranges::any_of(node.inputs, [](const NodeRef& in) {
                         return is_inexact(in->dtype());
                       });
  if (!inexact) return kind(node.op) != OpKind::Loop && kind(node.op) != OpKind::Kernel;
  switch (kind(node.op)) {
    case OpKind::Source:
    case OpKind::View:
    case OpKind::Gather:
    case OpKind::Update:
      return true;
    case OpKind::Map:
      return map_rounds_once(node);
    case OpKind::Reduce:
      return node.op != Op::sum && node.op != Op::prod;
    case OpKind::Scan:
      return node.op != Op::cumulative_sum && node.op != Op::cumulative_prod;
    case OpKind::Scatter:
      return node.op != Op::scatter_add;
    case OpKind::Dot:
    case OpKind::Loop:
    case OpKind::Kernel:
      return false;
  }
  return false;
}

}  // namespace weft::ir
