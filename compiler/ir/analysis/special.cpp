#include "compiler/ir/analysis/special.h"

#include <bit>
#include <cmath>

namespace weft::ir {

bool is_special(const Scalar& s, const Node& user, size_t operand) {
  if (s.dtype == DType::Bool) return true;
  if (is_complex(s.dtype) && s.im != 0) return false;
  const double v = is_integer(s.dtype) ? static_cast<double>(s.i) : s.re;
  const bool unit = v == 0 || std::abs(v) == 1, small = v == 2 || v == 3;
  switch (user.op) {
    case Op::add:
      return v == 0;
    case Op::subtract:
      return operand == 1 && v == 0;
    case Op::multiply:
      return unit;
    case Op::divide:
      return operand == 0 ? v == 1 : v == 1 || v == 2 || v == 0.5;
    case Op::pow:
      return operand == 1 && (unit || small || v == 0.5);
    case Op::floor_divide:
    case Op::remainder:
      return operand == 1 && (unit || small || is_power_of_two(s));
    default:
      break;
  }
  return kind(user.op) != OpKind::Map && (unit || !std::isfinite(v));
}

bool is_power_of_two(const Scalar& s) {
  return is_integer(s.dtype) && s.dtype != DType::Bool && (s.i > 0 || s.dtype == DType::U64) &&
         std::has_single_bit(static_cast<uint64_t>(s.i));
}

}  // namespace weft::ir
