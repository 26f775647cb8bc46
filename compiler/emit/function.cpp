#include "compiler/emit/function.h"

#include <fmt/format.h>

#include <string>

#include "compiler/emit/cpu/cpu_dialect.h"
#include "compiler/emit/cpu_function.h"
#include "compiler/emit/cuda/cuda_dialect.h"
#include "compiler/ir/function.h"

namespace weft::emit {

using fmt::format;
using ir::Function;
using ir::Instruction;
using ir::Series;

namespace {

class CudaFunction : public FunctionWriter {
 public:
  using FunctionWriter::FunctionWriter;

 private:
  // Products are rounded before they are added, as on the CPU.
  std::string map(const Instruction& i) const override {
    const DType t = dtype(i.args[0]);
    if ((i.op == ir::Op::multiply || i.op == ir::Op::square) && is_float(t) && !is_half(t))
      return format("__{}mul_rn({}, {})", t == DType::F64 ? 'd' : 'f', v(i.args[0]), v(i.args.back()));
    if (t == DType::Bool && (i.op == ir::Op::add || i.op == ir::Op::bitwise_or))
      return format("weft_either({}, {})", v(i.args[0]), v(i.args[1]));
    if (is_half(t) && (i.op == ir::Op::add || i.op == ir::Op::subtract))
      return format("weft_{}_{}({}, {})", name(i.op), suffix(t), v(i.args[0]), v(i.args[1]));
    if (t == DType::F16 && i.op == ir::Op::multiply)
      return format("weft_multiply_f16({}, {})", v(i.args[0]), v(i.args[1]));
    if (t == DType::F16 && i.op == ir::Op::square) return format("weft_square_f16({})", v(i.args[0]));
    if (i.op == ir::Op::select && dtype(i.outs[0]) == DType::F16)
      return format("weft_select_f16({}, {}, {})", v(i.args[0]), v(i.args[1]), v(i.args[2]));
    return FunctionWriter::map(i);
  }

  std::string element(const Instruction& i) const {
    return format("s{0}[at{0} + by{0} * {1}]", i.series, v(i.args[0]));
  }
  std::string series_params(size_t k) const override {
    const Series& s = f_.series[k];
    return format(", {0}{1}* const s{2}, const long long at{2}, const long long by{2}",
                  s.written ? "" : "const ", dialect_.element_type(s.dtype), k);
  }
  std::string read_series(const Instruction& i, const std::string& /*mask*/) const override {
    return format("weft_unpack_{}({})", suffix(dtype(i.outs[0])), element(i));
  }
  std::string write_series(const Instruction& i, const std::string& /*mask*/) const override {
    const DType t = dtype(i.args[1]);
    return format("{} = weft_{}_{}({});", element(i), t == DType::BF16 ? "bits" : "pack", suffix(t),
                  v(i.args[1]));
  }

  void branch(const Instruction& i, const std::string& mask) override {
    for (int o : i.outs) line(format("{} {};", type(o), v(o)));
    open(format("if ({}) {{", v(i.args[0])));
    side(i.blocks[0], i, mask);
    --depth_;
    open("} else {");
    side(i.blocks[1], i, mask);
    close();
  }
  void side(const ir::Block& b, const Instruction& i, const std::string& mask) {
    body(b, mask);
    for (size_t k = 0; k < i.outs.size(); ++k) line(format("{} = {};", v(i.outs[k]), v(b.gives[k])));
  }

  void loop(const Instruction& i, const std::string& mask) override {
    const ir::Block &head = i.blocks[0], &tail = i.blocks[1];
    take(i);
    line("#pragma unroll 1");
    open("for (;;) {");
    body(head, mask);
    line(format("if (!({} && {})) break;", mask, v(head.gives[0])));
    body(tail, mask);
    std::vector<std::string> next;
    next.reserve(tail.gives.size());
    for (int g : tail.gives) next.push_back(v(g));
    carry(head.params, next);
    close();
    leave(i);
  }
};

}  // namespace

std::string write_for_cpu(const Function& function) {
  const CpuDialect dialect;
  const std::string text = CpuFunction(function, dialect)
                               .write("static inline __attribute__((always_inline))", "boolv",
                                      function.loops ? "  int turns = 0;\n" : "");
  return (function.loops ? "extern \"C\" long weft_leave_rest();\n" : "") + text;
}

std::string write_for_cuda(const Function& function) {
  const CudaDialect dialect;
  return CudaFunction(function, dialect).write("static __device__ __forceinline__", "bool", "");
}

std::string call_of(const plan::Let& let, const std::string& mask, const Names& names,
                    const NameOfSeries& series) {
  const size_t own = let.function->block.params.size(), positions = let.args.size() - let.series.size();
  std::string all = mask, args;
  for (size_t k = own; k < positions; ++k) all += " & " + names(let.args[k]);
  for (size_t k = 0; k < own; ++k) args += ", " + names(let.args[k]);
  for (size_t k = 0; k < let.series.size(); ++k)
    args += ", " + series(let.series[k], let.args[positions + k]);
  return format("{}({}{})", name_of(*let.function), all, args);
}

}  // namespace weft::emit
