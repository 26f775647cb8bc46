#include "tests/op_table/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "compiler/ir/ops/evaluate.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

using ir::Op;
using ir::OpInfo;
using Real = long double;
using Complex = std::complex<long double>;

// glibc's wider functions are themselves off by this much of an ulp at most.
constexpr Real kSlack = 0.02L;

struct Format {
  int digits, min_exponent, max_exponent;  // as std::numeric_limits has them
};
Format format_of(DType t) {
  switch (real_of(t)) {
    case DType::F16:
      return {11, -13, 16};
    case DType::BF16:
      return {8, -125, 128};
    case DType::F32:
      return {24, -125, 128};
    default:
      return {53, -1021, 1024};
  }
}

Real ulp_at(Real magnitude, DType t) {
  const Format f = format_of(t);
  int exponent = f.min_exponent;
  if (magnitude > 0) std::frexp(magnitude, &exponent);
  return std::ldexp(Real(1), std::clamp(exponent, f.min_exponent, f.max_exponent) - f.digits);
}

// Near their zeros these two are bounded by the size of what cancels; lgamma of positive numbers is not.
Real cancelling(Op op, std::span<const Scalar> args) {
  if (op == Op::lgamma && std::isfinite(args[0].re) && args[0].re <= 0) {
    const Real size = std::lgamma(std::abs(static_cast<Real>(args[0].re)));
    return std::isfinite(size) ? std::max(Real(1), size) : 1;
  }
  if (op == Op::logaddexp && std::isfinite(args[0].re) && std::isfinite(args[1].re))
    return std::max(std::abs(args[0].re), std::abs(args[1].re));
  return 0;
}

std::string judge_real(Op op, std::span<const Scalar> args, const Scalar& got, Real want) {
  const OpInfo& row = info(op);
  const DType t = got.dtype;
  const Real value = got.re;
  const auto wrong = [&](const std::string& what) {
    return fmt::format("got {}, want {:.20g}: {}", show(got), static_cast<double>(want), what);
  };
  if (std::isnan(want) || std::isnan(value))
    return std::isnan(want) && std::isnan(value) ? "" : wrong("only one is NaN");
  if (std::isinf(want)) return value == want ? "" : wrong("the result is infinite");
  const Real scale = cancelling(op, args);
  if (scale <= std::abs(want)) {
    if (want == 0 && value != 0) return wrong("the result is zero");
    if (std::signbit(value) != std::signbit(want)) return wrong("the sign differs");
  }
  // An infinity stands for everything from the first power of two that the format does not hold.
  const Real top = std::ldexp(Real(1), format_of(t).max_exponent);
  const Real error =
      std::abs((std::isinf(value) ? std::copysign(std::max(top, std::abs(want)), value) : value) - want);
  const Real size = std::max(std::abs(want), scale), unit = ulp_at(size, t);
  Real bound = (t == DType::F64 ? row.ulp.f64 : row.ulp.f32) * unit;
  if (is_half(t)) bound = 0.5L * ulp_at(std::abs(want), t) + row.ulp.f32 * ulp_at(size, DType::F32);
  if (error <= bound + kSlack * unit) return "";
  return wrong(fmt::format("{:.4g} ulp, the bound is {:.4g}", static_cast<double>(error / unit),
                           static_cast<double>(bound / unit)));
}

bool has_nan(const Complex& z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

// The parts agree in kind, and in value where they are finite. The sign of a zero or an infinity beside a
// NaN, and of what comes from a NaN, is open (C99 Annex G).
bool same_kind(const Scalar& got, const Complex& want, Real bound, bool open) {
  const Real top = std::ldexp(Real(1), format_of(got.dtype).max_exponent);
  Real size = 1;
  for (Real w : {want.real(), want.imag()})
    if (std::abs(w) < top) size = std::max(size, std::abs(w));
  const auto part = [&](Real g, Real w) {
    if (std::isnan(w) || std::isnan(g)) return std::isnan(w) && std::isnan(g);
    if (std::abs(w) >= top) w = std::copysign(static_cast<Real>(INFINITY), w);
    if (std::isinf(w) || std::isinf(g))
      return std::isinf(g) && std::isinf(w) && (open || std::signbit(g) == std::signbit(w));
    if (w == 0 && g == 0) return open || std::signbit(g) == std::signbit(w);
    return std::abs(g - w) <= bound * ulp_at(size, got.dtype);
  };
  // C99: infinite whatever the other part is.
  if (open && (std::isinf(got.re) || std::isinf(got.im)) &&
      (std::isinf(want.real()) || std::isinf(want.imag())))
    return true;
  return part(got.re, want.real()) && part(got.im, want.imag());
}

std::string judge_complex(Op op, std::span<const Scalar> args, const Scalar& got, const Complex& want,
                          const Complex& narrow) {
  Real bound = info(op).complex_ulp;
  const DType t = got.dtype;
  const auto wrong = [&](const std::string& what) {
    return fmt::format("got {}, want ({:.20g}, {:.20g}): {}", show(got), static_cast<double>(want.real()),
                       static_cast<double>(want.imag()), what);
  };
  if (op == Op::pow) {
    // exp(y log x) loses as many digits as y log x has before the point, and what is infinite may meet a
    // zero.
    const Complex x(args[0].re, args[0].im), y(args[1].re, args[1].im), log = std::log(x);
    const Real turns = std::abs(y) * std::abs(log);
    if (turns > 1e4L && std::isfinite(turns)) return "";
    if (turns > 1 && std::isfinite(turns)) bound *= turns;
    const bool overflows = std::abs(y.real() * std::log2(std::abs(x))) > format_of(t).max_exponent - 2;
    if ((!std::isfinite(turns) || overflows) && x != Complex(0) && (std::isnan(got.re) || std::isnan(got.im)))
      return "";
  }
  const Real top = std::ldexp(Real(1), format_of(t).max_exponent - 1);
  const Real size = std::max(std::abs(want.real()), std::abs(want.imag()));
  // C99 leaves signs open beside NaN and where both parts are infinite; those of what underflows are
  // rounding's.
  // Those of quotients and powers depend on the formula.
  bool open = has_nan(want) || has_nan(narrow) || op == Op::divide || op == Op::reciprocal || op == Op::pow;
  for (const Scalar& a : args) {
    const Real least = std::ldexp(Real(1), format_of(t).min_exponent - 1);
    const auto subnormal = [&](double v) { return v != 0 && std::abs(v) < least; };
    open |= std::isnan(a.re) || std::isnan(a.im) || (std::isinf(a.re) && std::isinf(a.im)) ||
            subnormal(a.re) || subnormal(a.im);
  }
  const bool overflows = !has_nan(want) && !(size < top);
  if (overflows || has_nan(want)) {
    // What overflows on the way may end as infinity or NaN, here or in the reference of the same width.
    if (same_kind(got, want, bound, open) || same_kind(got, narrow, bound, open)) return "";
    const bool finite_arguments = std::all_of(
        args.begin(), args.end(), [](const Scalar& a) { return std::isfinite(a.re) && std::isfinite(a.im); });
    if (finite_arguments && (!std::isfinite(got.re) || !std::isfinite(got.im))) return "";
    return wrong("another kind");
  }
  const Real unit = ulp_at(size, t);
  const Real error = std::hypot(got.re - want.real(), got.im - want.imag());
  if (!(error <= (bound + kSlack) * unit)) {
    if (!same_kind(got, narrow, bound, open) ||
        !(has_nan(narrow) || std::isinf(narrow.real()) || std::isinf(narrow.imag())))
      return wrong(fmt::format("{:.4g} ulp, the bound is {:.4g}", static_cast<double>(error / unit),
                               static_cast<double>(bound)));
    return "";
  }
  const auto zero_agrees = [open](double g, Real w) {
    return open || w != 0 || g != 0 || std::signbit(g) == std::signbit(w);
  };
  if (!zero_agrees(got.re, want.real()) || !zero_agrees(got.im, want.imag())) {
    if (!zero_agrees(got.re, narrow.real()) || !zero_agrees(got.im, narrow.imag()))
      return wrong("a zero of the other sign");
  }
  return "";
}

template <class C>
Complex evaluate(const ir::Evaluator::Typed<C>& typed, std::span<const Scalar> args) {
  using R = typename C::value_type;
  C values[ir::kMostOperands];
  for (size_t k = 0; k < args.size(); ++k)
    values[k] = C(static_cast<R>(args[k].re), static_cast<R>(args[k].im));
  return static_cast<Complex>(typed.value(values));
}

template <class R>
Real evaluate_real(const ir::Evaluator::Typed<R>& typed, std::span<const Scalar> args) {
  R values[ir::kMostOperands];
  for (size_t k = 0; k < args.size(); ++k) values[k] = static_cast<R>(args[k].re);
  return typed.value(values);
}

// The row promises the reference's own bits.
bool is_exact(Op op, DType from, DType to) {
  const OpInfo& row = info(op);
  if (row.result == ir::Result::Stated || op == Op::select || (!is_float(to) && !is_complex(to))) return true;
  if (is_complex(from)) return row.complex_ulp == 0;
  if (is_half(from) && row.halves == ir::Halves::Own) return true;
  return (from == DType::F64 ? row.ulp.f64 : row.ulp.f32) == 0;
}

}  // namespace

bool bound_holds(Op op, std::span<const Scalar> args) {
  const ir::Domain& domain = info(op).domain;
  const auto edge = [](double v, DType t) {
    const double size = std::abs(v), least = std::ldexp(1.0, format_of(t).min_exponent - 1),
                 most =
                     std::ldexp(1.0 - std::ldexp(1.0, -format_of(t).digits), format_of(t).max_exponent - 1) *
                     2;
    return !(size > least) || !(size < most) || (size <= 3 && size * 2 == std::round(size * 2));
  };
  for (const Scalar& a : args) {
    if (!is_float(a.dtype) && !is_complex(a.dtype)) return true;
    for (double v : {a.re, a.im})
      if (!(v >= domain.low && v <= domain.high) && !edge(v, a.dtype)) return false;
  }
  return true;
}

std::string judge(Op op, std::span<const Scalar> args, const Scalar& got) {
  const OpInfo& row = info(op);
  const DType from = args.back().dtype, to = got.dtype;
  if (is_exact(op, from, to)) {
    const Scalar want = evaluate_map(op, to, args);
    return same_value(got, want) ? "" : fmt::format("got {}, want {}", show(got), show(want));
  }
  if (!is_complex(from))
    return judge_real(
        op, args, got,
        from == DType::F64 ? evaluate_real(row.eval.f80, args) : evaluate_real(row.eval.f64, args));
  const bool single = from == DType::C64;
  const Complex wide = single ? evaluate(row.eval.c128, args) : evaluate(row.eval.c160, args);
  const Complex narrow = single ? evaluate(row.eval.c64, args) : evaluate(row.eval.c128, args);
  if (!is_complex(to)) return judge_complex(op, args, {from, 0, got.re, 0}, wide, narrow);
  return judge_complex(op, args, got, wide, narrow);
}

}  // namespace weft::test
