// What each row says of itself: its documentation, that both preludes have the functions that generated code
// calls for it, and whether it is commutative.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "compiler/emit/cpu/cpu_dialect.h"
#include "compiler/emit/cuda/cuda_dialect.h"
#include "compiler/emit/prelude/prelude.h"
#include "compiler/emit/spell.h"
#include "compiler/ir/ops/evaluate.h"
#include "tests/op_table/graphs.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

using ir::Op;
using ir::OpKind;

std::vector<Op> all_ops() {
  std::vector<Op> ops;
  for (int k = 0; k < ir::kOpCount; ++k) ops.push_back(static_cast<Op>(k));
  return ops;
}

TEST(OpTable, DocumentsEveryRow) {
  for (Op op : all_ops()) EXPECT_FALSE(info(op).doc.empty()) << name(op);
}

DType result_of(Op op, DType from) {
  switch (info(op).result) {
    case ir::Result::Bool:
      return DType::Bool;
    case ir::Result::Real:
      return real_of(from);
    case ir::Result::Complex:
      return complex_of(from);
    case ir::Result::Index:
      return DType::I64;
    default:
      return from;
  }
}

// The functions that the generator's own spelling of an op calls.
std::vector<std::string> called(Op op, DType from, DType to, const emit::Dialect& dialect) {
  plan::RowProgram p;
  plan::Let let;
  let.op = op;
  const bool select = op == Op::select;
  for (int k = 0; k < (select ? 3 : info(op).arity); ++k) {
    p.values.push_back({});
    p.values.back().dtype = select && k == 0 ? DType::Bool : from;
    let.args.push_back(k);
  }
  let.out = static_cast<int>(p.values.size());
  p.values.push_back({});
  p.values.back().dtype = to;
  const std::string text = emit::spell(let, p, dialect, [](plan::Value v) { return fmt::format("v{}", v); });
  std::vector<std::string> names;
  for (size_t at = text.find("weft_"); at != std::string::npos; at = text.find("weft_", at + 1)) {
    const size_t end = text.find('(', at);
    names.push_back(text.substr(at, end - at));
  }
  return names;
}

void expect_prelude(Op op, DType from, DType to) {
  for (const std::string& f : called(op, from, to, emit::CpuDialect()))
    EXPECT_TRUE(has_prelude(emit::PreludeTarget::Cpu, f)) << f << " on the CPU";
  for (const std::string& f : called(op, from, to, emit::CudaDialect()))
    EXPECT_TRUE(has_prelude(emit::PreludeTarget::Cuda, f)) << f << " for CUDA";
}

TEST(OpTable, HasEveryFunctionThatGeneratedCodeCalls) {
  int found = 0;
  for (DType t : all_dtypes()) {
    for (Op op : map_ops(t)) {
      expect_prelude(op, t, result_of(op, t));
      found += static_cast<int>(called(op, t, result_of(op, t), emit::CudaDialect()).size());
    }
    expect_prelude(Op::select, t, t);
    for (DType to : all_dtypes()) {
      if (to != t) expect_prelude(Op::cast, t, to);
      if (to != t && size_of(to) == size_of(t) && to != DType::Bool) expect_prelude(Op::bitcast, t, to);
    }
  }
  EXPECT_GT(found, 500);
}

// Every row that takes a dtype has an evaluation for it, and for the wider types that judge it.
TEST(OpTable, EvaluatesEveryDtypeThatItTakes) {
  for (DType t : all_dtypes())
    for (Op op : map_ops(t)) {
      const ir::Evaluator& e = info(op).eval;
      const auto has = [](const auto& typed) { return typed.value || typed.predicate || typed.join; };
      const bool all = t == DType::Bool                 ? has(e.b)
                       : kind(t) == DTypeKind::Signed   ? has(e.i)
                       : kind(t) == DTypeKind::Unsigned ? has(e.u)
                       : is_complex(t)                  ? has(e.c64) && has(e.c128) && has(e.c160)
                                                        : has(e.f32) && has(e.f64) && has(e.f80);
      EXPECT_TRUE(all) << name(op) << " of " << name(t);
    }
}

TEST(OpTable, IsCommutativeWhereARowSaysSoAndNowhereElse) {
  for (Op op : all_ops()) {
    if (kind(op) != OpKind::Map || info(op).arity != 2) continue;
    bool commutes = true;
    std::string counterexample;
    for (DType t : all_dtypes()) {
      if (!accepts(op, t)) continue;
      const Columns& columns = argument_columns(t);
      for (size_t i = 0; i < columns[0].size(); ++i) {
        const Scalar ab[] = {columns[0][i], columns[1][i]}, ba[] = {ab[1], ab[0]};
        const DType to = result_of(op, t);
        if (same_value(evaluate_map(op, to, ab), evaluate_map(op, to, ba))) continue;
        commutes = false;
        counterexample = fmt::format("{}: {} and {}", name(t), show(ab[0]), show(ab[1]));
      }
    }
    EXPECT_EQ(commutes, info(op).commutative) << name(op) << " " << counterexample;
  }
}

}  // namespace
}  // namespace weft::test
