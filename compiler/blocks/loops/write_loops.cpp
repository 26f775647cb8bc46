// Writes a C++ file of all loops for vectors of so many lanes: the statement of a kernel, spelled by the
// kernels' own functions and on the kernels' prelude, between a load and a store. The file is for Clang.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "compiler/blocks/loops.h"
#include "compiler/emit/cpu/cpu_dialect.h"
#include "compiler/emit/prelude/prelude.h"
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

class Loops {
 public:
  explicit Loops(int lanes) : lanes_(lanes), names_(kLoopCount) {}

  std::string run(const std::string& table) {
    for (int k = 0; k < ir::kOpCount; ++k) {
      const Op op = static_cast<Op>(k);
      if (ir::kind(op) != ir::OpKind::Map || op == Op::cast || op == Op::bitcast) continue;
      for (int t = 0; t < kDTypeCount; ++t)
        if (op == Op::select || ir::accepts(op, dtype(t))) map(op, dtype(t));
    }
    for (int from = 0; from < kDTypeCount; ++from)
      for (int to = 0; to < kDTypeCount; ++to) {
        convert(Op::cast, dtype(from), dtype(to), loop_of_cast(dtype(from), dtype(to)));
        if (emit::has_prelude(emit::PreludeTarget::Cpu,
                              format("weft_bitcast_{}_{}", name(dtype(from)), name(dtype(to)))))
          convert(Op::bitcast, dtype(from), dtype(to), loop_of_bitcast(dtype(from), dtype(to)));
      }
    std::string out = "// Written by compiler/blocks/loops.\n" +
                      emit::prelude_for(emit::PreludeTarget::Cpu, lanes_, text_) + text_;
    out += format("extern \"C\" __attribute__((visibility(\"hidden\"))) Loop* const {}[] = {{\n", table);
    for (auto& name : names_) out += name.empty() ? "  nullptr,\n" : format("  {},\n", name);
    return out + "};\n";
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
    std::string pointers, steps, loads, advance;
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

// write_loops LANES TABLE FILE
int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string text = weft::blocks::Loops(std::atoi(argv[1])).run(argv[2]);
  std::FILE* file = std::fopen(argv[3], "w");
  if (!file) return 1;
  const bool ok = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && ok ? 0 : 1;
}
