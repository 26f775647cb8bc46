#include "compiler/passes/simplify_divisions.h"

#include <bit>
#include <utility>
#include <vector>

#include "compiler/ir/analysis/special.h"

namespace weft::passes {
namespace {

using ir::Block;
using ir::Instruction;

class Divisions {
 public:
  explicit Divisions(ir::Function& f) : f_(f), constants_(f.values.size()) {}

  bool run() {
    block(f_.block);
    return changed_;
  }

 private:
  // A value is read where its definition is seen, so the constants come first.
  void block(Block& b) {
    std::vector<Instruction> body;
    body.reserve(b.body.size());
    for (Instruction& i : b.body) {
      if (i.kind == Instruction::Kind::Constant) constants_[static_cast<size_t>(i.outs[0])] = i.value;
      if (i.kind == Instruction::Kind::Map && i.args.size() == 2) divide(i, body);
      for (Block& inner : i.blocks) block(inner);
      body.push_back(std::move(i));
    }
    b.body = std::move(body);
  }

  void divide(Instruction& i, std::vector<Instruction>& before) {
    const auto by = static_cast<size_t>(i.args[1]);
    if (by >= constants_.size() || !constants_[by]) return;
    const auto simple = without_division(i.op, *constants_[by]);
    if (!simple) return;
    const DType t = constants_[by]->dtype;
    Instruction operand{.kind = Instruction::Kind::Constant, .value = Scalar::of(simple->operand).cast(t)};
    operand.outs = {static_cast<int>(f_.values.size())};
    f_.values.push_back(t);
    i.op = simple->op;
    i.args[1] = operand.outs[0];
    before.push_back(std::move(operand));
    changed_ = true;
  }

  ir::Function& f_;
  std::vector<std::optional<Scalar>> constants_;
  bool changed_ = false;
};

}  // namespace

std::optional<WithoutDivision> without_division(ir::Op op, const Scalar& divisor) {
  if (!ir::is_power_of_two(divisor)) return std::nullopt;
  const auto by = static_cast<uint64_t>(divisor.i);
  if (op == ir::Op::floor_divide) return WithoutDivision{ir::Op::bitwise_right_shift, std::countr_zero(by)};
  if (op == ir::Op::remainder) return WithoutDivision{ir::Op::bitwise_and, static_cast<int64_t>(by - 1)};
  return std::nullopt;
}

ir::FunctionRef with_simple_divisions(const ir::FunctionRef& function) {
  ir::Function made = *function;
  return Divisions(made).run() ? checked(std::move(made)) : function;
}

}  // namespace weft::passes
