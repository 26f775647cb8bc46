// The largest x so far is an accumulator as any other; the sums that are relative to it follow where it
// grows.
#include "compiler/emit/cuda/online_softmax.h"

#include "compiler/emit/cuda/accumulators.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

std::vector<int> relative_to(const RowProgram& p, int accumulator) {
  std::vector<int> out;
  for (size_t a = 0; a < p.accumulators.size(); ++a)
    if (p.accumulators[a].relative_to() == accumulator) out.push_back(static_cast<int>(a));
  return out;
}

}  // namespace

void start_bases(Entry& e, size_t sweep) {
  for (int a : e.program.sweeps[sweep].accumulators) {
    if (relative_to(e.program, a).empty()) continue;
    e.code.line("{} base{}{};", e.dialect.value_type(e.layout.totals[a].dtype), a, columns_of_thread(e));
    each_column(e, [&] { e.code.line("base{}{} = {};", a, e.each(), start_text(e, a)); });
  }
}

void rescale(Entry& e, const Largest& l, size_t sweep) {
  Writer& code = e.code;
  const int largest = l.accumulator;
  const DType t = e.layout.totals[largest].dtype;
  const std::string base = format("base{}{}", largest, e.each()), found = total_text(e, sweep, largest);
  const std::string type = e.dialect.value_type(t);
  code.line("{} v{}{};", type, l.out, columns_of_thread(e));
  each_column(e, [&] {
    code.line("if ({} != {}) {{", found, base);
    code.line("const {} by = weft_scale_{}({}, {});", type, suffix(t), base, found);
    for (int a : relative_to(e.program, largest)) {
      code.line("{} *= by;", total_text(e, sweep, a));
      if (e.layout.totals[a].has_run) code.line("{} *= by;", run_text(e, a));
    }
    code.line("{} = {};", base, found);
    code.add("}");
    code.line("v{}{} = weft_finite_base_{}({});", l.out, e.each(), suffix(t), base);
  });
  if (e.layout.columns()) e.scope.home[l.out] = format("v{}[e]", l.out);
}

// The products are rounded before they are added, so that both sides of an exchange get the same bits.
std::string joined_relative(const RowProgram& p, const CudaLayout& l, int accumulator) {
  const int base = *p.accumulators[accumulator].relative_to();
  const DType t = l.totals[base].dtype;
  const std::string a = format("a.t{}", base), b = format("b.t{}", base);
  const std::string product = l.totals[accumulator].dtype == DType::F64 ? "__dmul_rn" : "__fmul_rn";
  return format(
      "  {{\n    const {0} m = {1};\n    a.t{2} = {3}(a.t{2}, weft_scale_{4}({5}, m)) + {3}(b.t{2}, "
      "weft_scale_{4}({6}, m));\n  }}\n",
      CudaDialect().value_type(t), joined(p.accumulators[base], t, a, b), accumulator, product, suffix(t), a,
      b);
}

// exp(-inf - -inf) is no number.
std::string finished_relative(const Entry& e, int accumulator, const std::string& state) {
  const int base = *e.program.accumulators[accumulator].relative_to();
  const bool wide = e.layout.totals[base].dtype == DType::F64;
  const bool wide_sum = e.layout.totals[accumulator].dtype == DType::F64;
  return format("({0}.t{1} == -{2} ? {3}(\"\") : {0}.t{4})", state, base,
                wide ? "__builtin_inf()" : "__builtin_inff()", wide_sum ? "__builtin_nan" : "__builtin_nanf",
                accumulator);
}

}  // namespace weft::emit
