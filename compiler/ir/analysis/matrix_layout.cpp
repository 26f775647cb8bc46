#include "compiler/ir/analysis/matrix_layout.h"

#include <algorithm>

#include "compiler/ir/analysis/access.h"

namespace weft::ir {

namespace {

struct Strides {
  const Node* base = nullptr;
  int64_t offset = 0, batch = 0, row = 0, column = 0;
};

// None where the operand's elements do not lie at one batch stride, one row and one column stride.
std::optional<Strides> strides_of(const Node* n, const std::function<bool(const Node*)>& in_memory) {
  Variables vars;
  const Shape& shape = n->shape();
  Access at;
  for (int64_t extent : shape) at.push_back(vars.of(vars.add_axis(extent)));
  while (!in_memory(n)) {
    if (kind(n->op) != OpKind::View || n->inputs.size() != 1) return std::nullopt;
    at = input_access(*n, 0, at, vars).at;
    n = n->inputs[0].get();
  }
  Dims strides = contiguous_strides(n->shape());
  int64_t offset = 0;
  if (n->op == Op::input && !n->as<InputAttr>().strides.empty()) {
    strides = n->as<InputAttr>().strides;
    offset = n->as<InputAttr>().offset;
  }
  Linear where = address(at, strides, offset, vars);
  for (auto& [v, c] : where.terms)
    if (vars[v].kind != VariableKind::Axis) return std::nullopt;
  int rank = static_cast<int>(shape.size());
  Strides out{n, where.offset, 0, where.coefficient(rank - 2), where.coefficient(rank - 1)};
  int64_t expected = -1;
  for (int a = rank - 3; a >= 0; --a) {
    if (shape[a] == 1) continue;
    int64_t c = where.coefficient(a);
    if (expected == -1)
      out.batch = c;
    else if (c != expected)
      return std::nullopt;
    expected = c * shape[a];
  }
  return out;
}

// Whether rows of neighbours lie `stride` elements apart; `ld` is what BLAS is told then.
bool leading(int64_t stride, int64_t unit, int64_t rows, int64_t columns, int64_t& ld) {
  bool unit_ok = unit == 1 || columns == 1;
  if (!unit_ok) return false;
  ld = rows == 1 ? std::max<int64_t>(columns, 1) : stride;
  return ld >= std::max<int64_t>(columns, 1);
}

}  // namespace

std::optional<MatrixLayout> matrix_layout(const Node& operand,
                                          const std::function<bool(const Node*)>& in_memory) {
  const auto at = strides_of(&operand, in_memory);
  if (!at) return std::nullopt;
  const Shape& shape = operand.shape();
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t ld = 0;
  if (leading(at->row, at->column, rows, columns, ld))
    return MatrixLayout{at->base, at->offset, ld, at->batch, false};
  if (leading(at->column, at->row, columns, rows, ld))
    return MatrixLayout{at->base, at->offset, ld, at->batch, true};
  return std::nullopt;
}

}  // namespace weft::ir
