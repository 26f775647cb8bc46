#include "tests/op_table/graphs.h"

#include "compiler/ir/build.h"

namespace weft::test {

using ir::NodeRef;
using ir::Op;
using ir::OpKind;

namespace {

NodeRef named_input(ir::Graph& graph, const std::string& name, DType t, const Shape& shape,
                    const Dims& strides = {}, int64_t offset = 0) {
  ir::InputAttr attr;
  attr.name = name;
  attr.strides = strides;
  attr.offset = offset;
  graph.inputs.push_back(ir::input({t, shape}, attr));
  return graph.inputs.back();
}

NodeRef named_scalar(ir::Graph& graph, const std::string& name, DType t) {
  graph.inputs.push_back(ir::scalar({t, {}}, name));
  return graph.inputs.back();
}

// One argument of `shape`, number `k`, lying as the layout says.
NodeRef argument(ir::Graph& graph, DType t, Layout layout, const Shape& s, int k) {
  const std::string name(1, "xyzw"[static_cast<size_t>(k)]);
  switch (layout) {
    case Layout::Contiguous:
      return named_input(graph, name, t, s);
    case Layout::Sliced: {
      const int64_t step = 2 + k;
      return ir::slice(named_input(graph, name, t, {s[0] + 2, step * s[1] + 3}), {1, 3}, s, {1, step});
    }
    case Layout::Reversed:
      return ir::slice(named_input(graph, name, t, {2 * s[0], s[1]}), {k == 1 ? 0 : 2 * s[0] - 1, s[1] - 1},
                       s, {k == 1 ? 1 : -2, -1});
    case Layout::Transposed:
      return k == 1 ? named_input(graph, name, t, s)
                    : ir::permute(named_input(graph, name, t, {s[1], s[0]}), {1, 0});
    case Layout::BroadcastScalar:
      return k == 1   ? ir::broadcast(named_scalar(graph, name, t), s)
             : k == 2 ? ir::broadcast(named_input(graph, name, t, {}), s)
                      : named_input(graph, name, t, s);
    case Layout::BroadcastRow:
      return ir::broadcast(
          named_input(graph, name, t, k == 0 ? Shape{s[1]} : Shape{k == 1 ? s[0] : 1, k == 1 ? 1 : s[1]}), s);
    case Layout::Strided:
      return k == 0   ? named_input(graph, name, t, s, {s[1] + 5, 1}, 3)
             : k == 1 ? named_input(graph, name, t, s, {1, s[0]}, 0)
                      : named_input(graph, name, t, s, {-3 * s[1], 3}, 3 * s[0] * s[1]);
  }
  return {};
}

}  // namespace

std::string to_string(Layout layout) {
  switch (layout) {
    case Layout::Contiguous:
      return "contiguous";
    case Layout::Sliced:
      return "sliced";
    case Layout::Reversed:
      return "reversed";
    case Layout::Transposed:
      return "transposed";
    case Layout::BroadcastScalar:
      return "broadcast_scalar";
    case Layout::BroadcastRow:
      return "broadcast_row";
    case Layout::Strided:
      return "strided";
  }
  return "";
}

std::vector<Op> map_ops(DType t) {
  std::vector<Op> ops;
  for (int k = 0; k < ir::kOpCount; ++k) {
    const Op op = static_cast<Op>(k);
    if (kind(op) == OpKind::Map && op != Op::select && op != Op::cast && op != Op::bitcast &&
        op != Op::apply && accepts(op, t))
      ops.push_back(op);
  }
  return ops;
}

MapGraph map_graph(DType t, Layout layout, const Shape& shape) {
  MapGraph m;
  for (int k = 0; k < ir::kMostOperands; ++k) m.values.push_back(argument(m.graph, t, layout, shape, k));
  m.ops = map_ops(t);
  for (Op op : m.ops)
    m.graph.outputs.push_back(
        map(op, std::span<const NodeRef>(m.values.data(), static_cast<size_t>(info(op).arity))));
  return m;
}

ir::Graph cast_graph(DType from, const Shape& shape) {
  ir::Graph g;
  NodeRef x = named_input(g, "x", from, shape), y = named_input(g, "y", from, shape),
          condition = named_input(g, "condition", DType::Bool, shape);
  for (int k = 0; k < kDTypeCount; ++k) {
    const DType to = static_cast<DType>(k);
    g.outputs.push_back(ir::cast(x, to));
    if (to != DType::Bool && size_of(to) == size_of(from)) g.outputs.push_back(ir::bitcast(x, to));
  }
  g.outputs.push_back(map(Op::select, {condition, x, y}));
  return g;
}

ir::Graph reduce_graph(DType t, const Shape& shape) {
  ir::Graph g;
  NodeRef x = named_input(g, "x", t, shape);
  for (int k = 0; k < ir::kOpCount; ++k) {
    const Op op = static_cast<Op>(k);
    if (kind(op) != OpKind::Reduce || !accepts(op, t)) continue;
    for (int set = 0; set < 1 << shape.size(); ++set) {
      Dims axes;
      for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
        if (set >> axis & 1) axes.push_back(axis);
      g.outputs.push_back(reduce(op, x, axes));
    }
  }
  return g;
}

ir::Graph scan_graph(DType t, const Shape& shape) {
  ir::Graph g;
  NodeRef x = named_input(g, "x", t, shape);
  for (int k = 0; k < ir::kOpCount; ++k) {
    const Op op = static_cast<Op>(k);
    if (kind(op) != OpKind::Scan || !accepts(op, t)) continue;
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis)
      g.outputs.push_back(scan(op, x, axis));
  }
  return g;
}

ir::Graph view_graph(DType t) {
  ir::Graph g;
  NodeRef x = named_input(g, "x", t, {5, 7, 18}), y = named_input(g, "y", t, {5, 7, 18}),
          row = named_input(g, "row", t, {18}), one = named_input(g, "one", t, {}),
          fill = named_scalar(g, "fill", t);
  auto out = [&](const NodeRef& n) { g.outputs.push_back(n); };
  out(ir::slice(x, {1, 0, 2}, {3, 7, 15}, {1, 1, 1}));
  out(ir::slice(x, {4, 6, 17}, {3, 7, 6}, {-2, -1, -3}));
  out(ir::slice(x, {0, 3, 0}, {5, 1, 18}, {1, 1, 1}));
  out(ir::slice(x, {0, 0, 0}, {5, 0, 18}, {1, 1, 1}));
  out(ir::permute(x, {2, 0, 1}));
  out(ir::permute(x, {1, 2, 0}));
  out(ir::permute(x, {0, 2, 1}));
  out(ir::reshape(x, {35, 18}));
  out(ir::reshape(ir::permute(x, {2, 1, 0}), {9, 70}));
  out(ir::reshape(ir::slice(x, {0, 6, 0}, {5, 7, 18}, {1, -1, 1}), {630}));
  out(ir::broadcast(row, {3, 18}));
  out(ir::broadcast(ir::reshape(row, {18, 1}), {18, 5}));
  out(ir::broadcast(one, {4, 9}));
  out(ir::broadcast(fill, {37}));
  out(ir::pad(x, fill, {1, 0, 3}, {0, 2, 5}));
  out(ir::pad(x, one, {0, 0, 1}, {0, 0, 0}));
  out(ir::pad(ir::slice(x, {0, 6, 17}, {5, 7, 9}, {1, -1, -2}), ir::constant({t, {}}, Scalar::of(true)),
              {0, 1, 2}, {1, 0, 2}));
  out(ir::pad(ir::pad(row, fill, {2}, {3}), one, {1}, {4}));
  out(ir::pad(ir::slice(row, {0}, {0}, {1}), fill, {2}, {3}));
  const NodeRef both[] = {x, y};
  for (int axis = 0; axis < 3; ++axis) out(ir::concat(both, axis));
  const NodeRef parts[] = {row, ir::slice(row, {17}, {18}, {-1}), ir::slice(row, {0}, {0}, {1}),
                           ir::broadcast(one, {5})};
  out(ir::concat(parts, 0));
  if (accepts(Op::iota, t)) {
    // No extent beyond what every dtype counts to exactly.
    for (int axis = 0; axis < 3; ++axis) out(ir::iota({t, {3, 5, 67}}, axis));
    out(ir::slice(ir::iota({t, {100}}, 0), {99}, {50}, {-2}));
    out(map(Op::maximum, {ir::broadcast(ir::iota({t, {18}}, 0), {5, 7, 18}), x}));
  }
  return g;
}

ir::Graph index_graph(DType t, bool sums) {
  ir::Graph g;
  NodeRef x = named_input(g, "x", t, {5, 7, 18}), values = named_input(g, "values", t, {5, 7, 18});
  NodeRef few = named_input(g, "few", t, {5, 4, 18}), line = named_input(g, "line", t, {41});
  NodeRef index = named_input(g, "index", DType::I64, {1, 4, 18}),
          whole = named_input(g, "whole", DType::I64, {5, 7, 18}),
          along = named_input(g, "along", DType::I64, {41});
  auto out = [&](const NodeRef& n) { g.outputs.push_back(n); };
  out(ir::gather(x, index, 1));
  for (int axis = 0; axis < 3; ++axis) out(ir::gather(x, whole, axis));
  out(ir::gather(line, along, 0));
  out(ir::gather(ir::slice(line, {40}, {20}, {-2}), along, 0));
  const Op op = sums ? Op::scatter_add : Op::scatter;
  out(ir::scatter(op, x, ir::broadcast(index, {5, 4, 18}), few, 1));
  for (int axis = 0; axis < 3; ++axis) out(ir::scatter(op, x, whole, values, axis));
  out(ir::scatter(op, line, along, ir::slice(line, {40}, {41}, {-1}), 0));
  out(ir::update(x, few, {0, 1, 0}, {1, 1, 1}));
  out(ir::update(x, ir::slice(values, {0, 0, 0}, {3, 4, 6}, {1, 1, 1}), {4, 0, 17}, {-2, 2, -3}));
  out(ir::update(line, ir::slice(line, {0}, {10}, {4}), {30}, {1}));
  out(ir::update(line, ir::slice(line, {0}, {0}, {1}), {0}, {1}));
  return g;
}

ir::Graph dot_graph(DType t) {
  ir::Graph g;
  NodeRef a = named_input(g, "a", t, {5, 9}), b = named_input(g, "b", t, {9, 7}),
          at = named_input(g, "at", t, {9, 5}), bt = named_input(g, "bt", t, {7, 9}),
          batch_a = named_input(g, "batch_a", t, {3, 5, 9}),
          batch_b = named_input(g, "batch_b", t, {3, 9, 7});
  auto out = [&](const NodeRef& n) { g.outputs.push_back(n); };
  out(ir::dot(a, b));
  out(ir::dot(ir::permute(at, {1, 0}), b));
  out(ir::dot(a, ir::permute(bt, {1, 0})));
  out(ir::dot(ir::permute(at, {1, 0}), ir::permute(bt, {1, 0})));
  out(ir::dot(batch_a, batch_b));
  out(ir::dot(ir::broadcast(a, {3, 5, 9}), batch_b));
  out(ir::dot(batch_a, ir::broadcast(ir::permute(bt, {1, 0}), {3, 9, 7})));
  out(ir::dot(ir::slice(a, {4, 8}, {5, 9}, {-1, -1}), b));
  out(ir::dot(ir::slice(a, {0, 0}, {5, 0}, {1, 1}), ir::slice(b, {0, 0}, {0, 7}, {1, 1})));
  out(ir::dot(ir::slice(a, {0, 0}, {0, 9}, {1, 1}), b));
  out(ir::dot(ir::slice(a, {2, 0}, {1, 9}, {1, 1}), ir::slice(b, {0, 3}, {9, 1}, {1, 1})));
  out(map(Op::add, {ir::dot(map(Op::negative, {a}), b), ir::dot(a, b)}));
  return g;
}

}  // namespace weft::test
