#include "compiler/plan/facts/operations.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "compiler/ir/ops/op.h"

namespace weft::plan {

namespace {

constexpr double kComplex = 4;

double weight(DType dtype) { return is_complex(dtype) ? kComplex : is_float(dtype) ? 1 : 0; }

double operations_of(const RowProgram& p, const std::vector<Stmt>& statements) {
  const auto dtype = [&](Value v) { return p.values[static_cast<size_t>(v)].dtype; };
  double sum = 0;
  for (const Stmt& s : statements) {
    if (const auto* let = std::get_if<Let>(&s)) {
      const bool moves = let->op == ir::Op::cast || let->op == ir::Op::bitcast || let->op == ir::Op::select;
      if (moves || let->args.empty()) continue;
      sum += weight(dtype(let->args[0])) * (let->op == ir::Op::fma ? 2 : cost_of(*let));
    } else if (const auto* fold = std::get_if<Fold>(&s)) {
      sum += weight(dtype(fold->value)) * (fold->factor >= 0 ? 2 : 1);
    } else if (const auto* scan = std::get_if<Scan>(&s)) {
      sum += weight(dtype(scan->value));
    }
  }
  return sum;
}

}  // namespace

int64_t operations_of(const RowProgram& p) {
  const auto points = static_cast<double>(p.outer_count()), row = static_cast<double>(p.row_count());
  const auto sections = static_cast<double>(p.section_count());
  double sum = points * operations_of(p, p.epilogue) + row * operations_of(p, p.after);
  for (const Sweep& sweep : p.sweeps)
    sum += points * (operations_of(p, sweep.before) + row * operations_of(p, sweep.body) +
                     sections * operations_of(p, sweep.after_section));
  return std::llround(sum);
}

}  // namespace weft::plan
