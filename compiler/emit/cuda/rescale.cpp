#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// Sums of exp(x - m) while m, the largest x, is being found. Each thread's are relative to base<n>, what its
// accumulator n held when it last grew. A batch first folds its largest, then rescales the sums where that
// grew, then adds its elements. Joining two states rescales the one with the smaller base.

std::vector<int> CudaEmitter::relative_to(int accumulator) const {
  std::vector<int> out;
  for (size_t a = 0; a < p_.accumulators.size(); ++a)
    if (p_.accumulators[a].relative_to() == accumulator) out.push_back(static_cast<int>(a));
  return out;
}

void CudaEmitter::start_bases(size_t sweep) {
  for (int a : p_.sweeps[sweep].accumulators) {
    if (relative_to(a).empty()) continue;
    const Accumulator& acc = p_.accumulators[a];
    const DType t = total_of(acc);
    code_.line("{} base{}{};", dialect_.value_type(t), a, columns_ ? format("[{}]", s_.lanes) : "");
    each_column(true);
    code_.line("base{}{} = {};", a, columns_ ? "[e]" : "", identity_of(acc, t, dialect_));
    each_column(false);
  }
}

void CudaEmitter::rescale(const Largest& l, size_t sweep) {
  const DType t = total_of(p_.accumulators[l.accumulator]);
  const std::string e = columns_ ? "[e]" : "", base = format("base{}{}", l.accumulator, e),
                    found = format("s{}{}.t{}", sweep, e, l.accumulator);
  const std::string type = dialect_.value_type(t);
  code_.line("{} v{}{};", type, l.out, columns_ ? format("[{}]", s_.lanes) : "");
  each_column(true);
  code_.line("if ({} != {}) {{", found, base);
  code_.line("const {} by = weft_scale_{}({}, {});", type, suffix(t), base, found);
  for (int a : relative_to(l.accumulator)) {
    code_.line("s{}{}.t{} *= by;", sweep, e, a);
    if (has_run(p_.accumulators[a])) code_.line("r{}{} *= by;", a, e);
  }
  code_.line("{} = {};", base, found);
  code_.add("}");
  code_.line("v{}{} = weft_finite_base_{}({});", l.out, e, suffix(t), base);
  each_column(false);
  if (columns_) home_[l.out] = format("v{}[e]", l.out);
}

// The products are rounded before they are added, so that both sides of an exchange get the same bits.
std::string CudaEmitter::joined_relative(int accumulator) const {
  const Accumulator& acc = p_.accumulators[accumulator];
  const Accumulator& largest = p_.accumulators[*acc.relative_to()];
  const DType t = total_of(largest);
  const std::string a = format("a.t{}", *acc.relative_to()), b = format("b.t{}", *acc.relative_to());
  const std::string product = total_of(acc) == DType::F64 ? "__dmul_rn" : "__fmul_rn";
  return format(
      "  {{\n    const {0} m = {1};\n    a.t{2} = {3}(a.t{2}, weft_scale_{4}({5}, m)) + {3}(b.t{2}, "
      "weft_scale_{4}({6}, m));\n  }}\n",
      dialect_.value_type(t), joined(largest, t, a, b), accumulator, product, suffix(t), a, b);
}

// exp(-inf - -inf) is no number.
std::string CudaEmitter::finished_relative(int accumulator, const std::string& state) const {
  const Accumulator& acc = p_.accumulators[accumulator];
  const bool wide = total_of(p_.accumulators[*acc.relative_to()]) == DType::F64;
  return format("({0}.t{1} == -{2} ? {3}(\"\") : {0}.t{4})", state, *acc.relative_to(),
                wide ? "__builtin_inf()" : "__builtin_inff()",
                total_of(acc) == DType::F64 ? "__builtin_nan" : "__builtin_nanf", accumulator);
}

}  // namespace weft::emit
