// Writes a C++ file of all loops, or of all folds, for vectors of so many lanes: the statement of a kernel,
// spelled by the kernels' own functions and on the kernels' prelude, between a load and a store. The file is
// for Clang.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "compiler/blocks/loops.h"
#include "compiler/emit/cpu/cpu_dialect.h"
#include "compiler/emit/prelude/prelude.h"
#include "compiler/emit/reduction.h"
#include "compiler/emit/spell.h"

namespace weft::blocks {
namespace {

using fmt::format;
using ir::Op;

DType dtype(int k) { return static_cast<DType>(k); }

// The dtype of a map op's result; kDTypeCount: that of no op.
DType result_of(Op op, DType t) {
  switch (ir::info(op).result) {
    case ir::Result::Bool:
      return DType::Bool;
    case ir::Result::Real:
      return real_of(t);
    case ir::Result::Complex:
      return complex_of(t);
    default:
      return t;
  }
}

std::string file(int lanes, const std::string& text) {
  return "// Written by compiler/blocks/loops.\n" + emit::prelude_for(emit::PreludeTarget::Cpu, lanes, text) +
         text;
}

std::string list(const char* type, const std::string& table, const std::vector<std::string>& names) {
  std::string out =
      format("extern \"C\" __attribute__((visibility(\"hidden\"))) {}* const {}[] = {{\n", type, table);
  for (auto& name : names) out += name.empty() ? "  nullptr,\n" : format("  {},\n", name);
  return out + "};\n";
}

// Totals of `lanes` lanes, a multiple of a vector's, to which n vectors of as many are added; and what joins
// the lanes of one vector.
class Folds {
 public:
  explicit Folds(int lanes) : lanes_(lanes), folds_(kFoldCount), joins_(kFoldCount) {}

  std::string run(const std::string& table) {
    for (int k = 0; k < ir::kOpCount; ++k)
      for (int t = 0; t < kDTypeCount; ++t)
        if (has_fold(static_cast<Op>(k), dtype(t))) fold(static_cast<Op>(k), dtype(t));
    return file(lanes_, text_) + list("Fold", table, folds_) + list("Join", table + "_joins", joins_);
  }

 private:
  void fold(Op op, DType t) {
    plan::Accumulator acc;
    acc.op = op == Op::fma ? Op::sum : op, acc.dtype = t;
    const DType span = plan::span_dtype(acc);
    const std::string s = emit::suffix(span), v = emit::suffix(t), name = format("{}_{}", ir::name(op), v);
    const bool finds = ir::gives_index(op), products = op == Op::fma;
    const int number = loop_of(op, t);
    std::string at, found, advance, step;
    if (finds) {
      at = "    i64v i = weft_load_i64(positions + g * 8);\n";
      found = "    weft_store_i64(positions + g * 8, i);\n";
      step = format("weft_take_{}_{}(a, i, x, weft_load_i64(q))", ir::name(op), s);
    } else if (products) {
      step = format("a = weft_fma_{}(x, weft_load_{}(q), a)", s, v);
    } else {
      step = "a = " + emit::combine(op, span, "a", "x");
    }
    if (finds || products) {
      at += "    const char* q = in[1] + g / L * steps[1];\n";
      advance = ", q += lanes / L * steps[1]";
    }
    text_ += format(
        "static void weft_fold_{0}(char* state, char* positions, const char* const* in, const long* steps, "
        "long lanes, long n) {{\n"
        "  for (long g = 0; g < lanes; g += L) {{\n"
        "    {1} a = weft_load_{2}(state + g * {3});\n{4}"
        "    const char* p = in[0] + g / L * steps[0];\n"
        "    for (long k = 0; k < n; ++k, p += lanes / L * steps[0]{5}) {{\n"
        "      const {1} x = weft_load_{6}(p);\n      {7};\n    }}\n"
        "    weft_store_{2}(state + g * {3}, a);\n{8}  }}\n}}\n",
        name, dialect_.value_type(span), s, size_of(span), at, advance, v, step, found);
    folds_[static_cast<size_t>(number)] = "weft_fold_" + name;
    if (products) return;
    const std::string join = finds ? format("weft_join_{}_{}(a, i)", ir::name(op), s)
                                   : format("a = weft_join_{}_{}(a)", ir::name(op), s);
    text_ += format(
        "static void weft_lanes_{0}(char* state, char* positions) {{\n  {1} a = weft_load_{2}(state);\n{3}"
        "  {4};\n  weft_store_{2}(state, a);\n{5}}}\n",
        name, dialect_.value_type(span), s, finds ? "  i64v i = weft_load_i64(positions);\n" : "", join,
        finds ? "  weft_store_i64(positions, i);\n" : "");
    joins_[static_cast<size_t>(number)] = "weft_lanes_" + name;
  }

  const int lanes_;
  emit::CpuDialect dialect_;
  std::string text_ =
      "typedef void Fold(char*, char*, const char* const*, const long*, long, long);\n"
      "typedef void Join(char*, char*);\n";
  std::vector<std::string> folds_, joins_;
};

class Loops {
 public:
  explicit Loops(int lanes) : lanes_(lanes), names_(kLoopCount) {}

  std::string run(const std::string& table) {
    for (int k = 0; k < ir::kOpCount; ++k) {
      const Op op = static_cast<Op>(k);
      for (int t = 0; t < kDTypeCount; ++t)
        if (has_loop(op, dtype(t))) map(op, dtype(t));
    }
    for (int from = 0; from < kDTypeCount; ++from)
      for (int to = 0; to < kDTypeCount; ++to) {
        convert(Op::cast, dtype(from), dtype(to), loop_of_cast(dtype(from), dtype(to)));
        if (emit::has_prelude(emit::PreludeTarget::Cpu,
                              format("weft_bitcast_{}_{}", name(dtype(from)), name(dtype(to)))))
          convert(Op::bitcast, dtype(from), dtype(to), loop_of_bitcast(dtype(from), dtype(to)));
      }
    return file(lanes_, text_) + list("Loop", table, names_);
  }

 private:
  void map(Op op, DType t) {
    std::vector<DType> args(static_cast<size_t>(ir::info(op).arity), t);
    if (op == Op::select) args[0] = DType::Bool;
    loop(format("weft_loop_{}_{}", ir::name(op), name(t)), op, args, result_of(op, t), loop_of(op, t));
  }

  void convert(Op op, DType from, DType to, int number) {
    loop(format("weft_loop_{}_{}_{}", ir::name(op), name(from), name(to)), op, {from}, to, number);
  }

  void loop(const std::string& name, Op op, const std::vector<DType>& args, DType to, int number) {
    plan::RowProgram p;
    plan::Let let{static_cast<plan::Value>(args.size()), op, {}};
    std::string pointers, loads, advance;
    for (size_t k = 0; k < args.size(); ++k) {
      p.values.push_back({args[k]});
      let.args.push_back(static_cast<plan::Value>(k));
      const std::string t = emit::suffix(args[k]);
      pointers += format("  const char* a{0} = in[{0}];\n  const long s{0} = steps[{0}];\n", k);
      loads += format("    const {0} v{1} = weft_load_{2}(a{1});\n", dialect_.value_type(args[k]), k, t);
      advance += format(", a{0} += s{0}", k);
    }
    p.values.push_back({to});
    const auto named = [](plan::Value v) { return format("v{}", v); };
    // A store rounds to f16 by itself.
    const std::string value = to == DType::F16 ? emit::spell_unrounded(let, p, dialect_, named)
                                               : emit::spell(let, p, dialect_, named);
    text_ += format(
        "static void {}(char* out, const char* const* in, const long* steps, long n) {{\n{}"
        "  for (long k = 0; k < n; ++k, out += {}{}) {{\n{}    weft_store_{}(out, {});\n  }}\n}}\n",
        name, pointers, lanes_ * static_cast<int>(size_of(to)), advance, loads, emit::suffix(to), value);
    names_[static_cast<size_t>(number)] = name;
  }

  const int lanes_;
  emit::CpuDialect dialect_;
  std::string text_ = "typedef void Loop(char*, const char* const*, const long*, long);\n";
  std::vector<std::string> names_;
};

}  // namespace
}  // namespace weft::blocks

// write_loops loops|folds LANES TABLE FILE
int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int lanes = std::atoi(argv[2]);
  const std::string what = argv[1], text = what == "loops" ? weft::blocks::Loops(lanes).run(argv[3])
                                                           : weft::blocks::Folds(lanes).run(argv[3]);
  std::FILE* file = std::fopen(argv[4], "w");
  if (!file) return 1;
  const bool ok = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && ok ? 0 : 1;
}
