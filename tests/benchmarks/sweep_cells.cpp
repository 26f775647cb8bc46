#include "tests/benchmarks/sweep_cells.h"

#include <algorithm>
#include <cstring>

#include "compiler/ir/build.h"

namespace weft::bench {
namespace {

using ir::NodeRef;
using ir::Op;

NodeRef reduced(Op op, const NodeRef& x) { return ir::reduce(op, x, {1}); }
NodeRef spread(const NodeRef& column, const Shape& shape) {
  return ir::broadcast(ir::reshape(column, {shape[0], 1}), shape);
}

// 1, 2, 3, 4, 7, 8, 13, 16, 25 …: powers of two and odd numbers between, every `step`th of them.
std::vector<int64_t> sizes(int most_bits, int step) {
  std::vector<int64_t> out;
  for (int bit = 0; bit <= most_bits; bit += step) {
    if (bit > 0) out.push_back(((int64_t{3} << bit) >> 2) | 1);
    out.push_back(int64_t{1} << bit);
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

ir::Graph sweep_graph(const std::string& op, DType dtype, int64_t rows, int64_t length) {
  const Shape shape{rows, length};
  const NodeRef x = ir::input({dtype, shape}, {nullptr, "x", {}, 0});
  const bool is_bool = dtype == DType::Bool;
  if (op == "map") {
    // A number for each row, so that the rows are rows.
    const NodeRef c = ir::input({dtype, {rows}}, {nullptr, "c", {}, 0});
    return {{x, c}, {ir::map(is_bool ? Op::logical_xor : Op::add, {x, spread(c, shape)})}};
  }
  if (op == "sum") return {{x}, {reduced(is_bool ? Op::any : Op::sum, x)}};
  if (op == "max" && !is_complex(dtype) && !is_bool) return {{x}, {reduced(Op::max, x)}};
  if (op == "softmax" && is_float(dtype)) {
    const NodeRef e = ir::map(Op::exp, {ir::map(Op::subtract, {x, spread(reduced(Op::max, x), shape)})});
    return {{x}, {ir::map(Op::divide, {e, spread(reduced(Op::sum, e), shape)})}};
  }
  return {};
}

int64_t bytes_of(const ir::Graph& graph) {
  int64_t bytes = 0;
  for (auto* list : {&graph.inputs, &graph.outputs})
    for (auto& n : *list) bytes += element_count(n->shape()) * static_cast<int64_t>(size_of(n->dtype()));
  return bytes;
}

std::vector<SweepCell> sweep_cells(bool quick, int64_t most_bytes) {
  std::vector<SweepCell> cells;
  const auto add = [&](const std::string& op, DType dtype, const std::vector<int64_t>& rows,
                       const std::vector<int64_t>& lengths) {
    for (size_t r = 0; r < rows.size(); ++r)
      for (size_t l = 0; l < lengths.size(); ++l) {
        if (rows[r] > most_bytes / lengths[l]) continue;
        const ir::Graph graph = sweep_graph(op, dtype, rows[r], lengths[l]);
        if (graph.outputs.empty() || bytes_of(graph) > most_bytes) continue;
        cells.push_back({op, dtype, rows[r], lengths[l], r, l});
      }
  };
  const int step = quick ? 2 : 1;
  const auto rows = sizes(20, 2 * step), lengths = sizes(22, step);
  for (const char* op : {"map", "sum", "softmax"}) add(op, DType::F32, rows, lengths);
  const auto few_rows = sizes(20, quick ? 10 : 5), few_lengths = sizes(22, quick ? 6 : 3);
  for (int t = 0; t < kDTypeCount; ++t)
    for (const char* op : {"map", "sum", "max", "softmax"})
      if (const auto dtype = static_cast<DType>(t); dtype != DType::F32 || !std::strcmp(op, "max"))
        add(op, dtype, few_rows, few_lengths);
  return cells;
}

}  // namespace weft::bench
