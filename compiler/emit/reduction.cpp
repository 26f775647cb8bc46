#include "compiler/emit/reduction.h"

#include <fmt/format.h>

#include <limits>

namespace weft::emit {

using ir::Op;

Scalar identity_of(const plan::Accumulator& acc, DType t) {
  Scalar s;
  s.dtype = t;
  bool lowest = acc.op == Op::max || acc.op == Op::argmax,
       highest = acc.op == Op::min || acc.op == Op::argmin;
  if (acc.op == Op::prod) {
    s.i = 1, s.re = 1;
  } else if (acc.op == Op::sum) {
    s.re = s.im = -0.0;  // adding 0.0 would make 0.0 of a sum of negative zeros
  } else if (acc.op == Op::all) {
    s.i = 1;
  } else if (lowest || highest) {
    s.re = lowest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    int bits = static_cast<int>(size_of(t)) * 8;
    if (kind(t) == DTypeKind::Signed) {
      s.i = lowest ? INT64_MIN >> (64 - bits) : INT64_MAX >> (64 - bits);
    } else {
      s.i = lowest ? 0 : static_cast<int64_t>(UINT64_MAX >> (64 - bits));
      if (t == DType::Bool) s.i = highest;
    }
  }
  return s;
}

std::string identity_of(const plan::Accumulator& acc, DType t, const Dialect& dialect) {
  return dialect.splat(t, literal(identity_of(acc, t)));
}

std::string combine(Op reduction, DType t, const std::string& a, const std::string& b) {
  const ir::OpInfo& join = info(*info(reduction).joined_by);
  if (join.code.empty() || is_complex(t))
    return fmt::format("weft_{}_{}({}, {})", join.name, suffix(t), a, b);
  return fmt::format(fmt::runtime(join.code), a, b);
}

}  // namespace weft::emit
