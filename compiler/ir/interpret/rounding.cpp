#include "compiler/ir/interpret/rounding.h"

#include <algorithm>

namespace weft::ir {

namespace {

bool is_inexact(DType dtype) { return is_float(dtype) || is_complex(dtype); }

bool is_view(const Node& n) { return kind(n.op) == OpKind::View && n.inputs.size() > 0; }

bool is_number(const Node* n) {
  while (is_view(*n)) n = n->inputs[0].get();
  return n->op == Op::constant || n->op == Op::scalar;
}

// Seen through views, which kernels follow, and through what the passes may take away. A quotient by a number may
// become a product.
bool is_product(const Node* n) {
  const auto goes_away = [](const Node& map) {
    return map.op == Op::negative || map.op == Op::positive || map.op == Op::conj || map.op == Op::cast ||
           (map.op == Op::select && map.inputs[1] == map.inputs[2]);
  };
  while (is_view(*n) || goes_away(*n)) n = n->inputs[n->op == Op::select ? 1 : 0].get();
  if (!is_inexact(n->dtype())) return false;
  return n->op == Op::multiply || n->op == Op::square ||
         (n->op == Op::divide && is_number(n->inputs[1].get()));
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
