// What singular values tell: pseudo-inverses, least squares, ranks.
#include <algorithm>
#include <limits>
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/ops/decompositions.h"
#include "frontend/cpp/ops/formulas.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/derivatives.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/products.h"
#include "frontend/cpp/weft/reductions.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft::linalg {
namespace {

bool is_single(const Array& a) { return a.dtype() == DType::F32 || a.dtype() == DType::C64; }

double rounding(const Array& a) {
  return is_single(a) ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

double rcond_of(const Array& a, const std::optional<double>& rcond) {
  const int64_t longer = std::max(a.shape()[a.ndim() - 2], a.shape().back());
  return rcond ? *rcond : rounding(a) * static_cast<double>(longer);
}

// Which singular values count; of none there is no largest.
Array counted(const Array& s, double rcond) {
  return s.shape().back() == 0 ? s > 0 : s > max(s, -1, true) * rcond;
}

// V / s U^H of the values that count.
Array from_parts(const SingularValues& parts, const Array& counts) {
  const Array inverse = where(counts, 1.0 / where(counts, parts.s, 1.0), 0.0);
  return product(times_columns(adjoint(parts.vh), inverse), adjoint(parts.u));
}

Array plain_pinv(const Array& a, double rcond, Where at) {
  const SingularValues parts = svd(a, false, at);
  return from_parts(parts, counted(parts.s, rcond));
}

// G. Golub, V. Pereyra, "The Differentiation of Pseudo-Inverses and Nonlinear Least Squares Problems Whose Variables Separate",
// 1973, (4.12): for matrices near A of its rank.
Array derived_pinv(const Array& a, double rcond, Where at) {
  Formulas f{"pinv", {}, {}, {}};
  f.values = [at, rcond](const Array& x) -> std::vector<Array> { return {plain_pinv(x, rcond, at)}; };
  f.vjp = [](const Array& x, Formulas::Arrays y, Formulas::Arrays c) {
    const Array g = conj(c[0]), back = adjoint(y[0]), of_g = adjoint(g);
    const Array across = product(of_g, product(y[0], back)), along = product(product(back, y[0]), of_g);
    const Array whole = negative(product(product(back, g), back)) + across -
                        product(x, product(y[0], across)) + along - product(product(along, y[0]), x);
    return conj(whole);
  };
  f.jvp = [](const Array& x, Formulas::Arrays y, const Array& t) -> std::vector<Array> {
    const Array back = adjoint(y[0]), of_t = adjoint(t);
    const Array across = product(product(y[0], back), of_t), along = product(of_t, product(back, y[0]));
    return {negative(product(product(y[0], t), y[0])) + across - product(product(across, x), y[0]) + along -
            product(y[0], product(x, along))};
  };
  return with_formulas(a, f)[0];
}

}  // namespace

Array pinv(const Array& a, std::optional<double> rcond, Where at) {
  const LineScope line(at);
  const Array all = matrices("pinv", a);
  return derived_pinv(all, rcond_of(all, rcond), at);
}

Array matrix_rank(const Array& a, std::optional<double> rcond, Where at) {
  const LineScope line(at);
  const Array all = matrices("matrix_rank", a);
  const Array s = svdvals(is_derived(all) ? stop_gradient(all) : all, at);
  return count_nonzero(counted(s, rcond_of(all, rcond)), -1);
}

LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond, Where at) {
  const LineScope line(at);
  const Array left = matrices("lstsq", a);
  const bool is_vector = b.ndim() == 1;
  const Array right = matrices("lstsq", is_vector ? expand_dims(b, -1) : b);
  const int64_t m = left.shape()[left.ndim() - 2], n = left.shape().back();
  if (right.shape()[right.ndim() - 2] != m)
    throw Error("lstsq: takes right-hand sides of the matrix's height: got shapes " + to_string(a.shape()) +
                " and " + to_string(b.shape()));
  const double cut = rcond_of(left, rcond);
  const SingularValues parts = svd(is_derived(left) ? stop_gradient(left) : left, false, at);
  const Array counts = counted(parts.s, cut), rank = count_nonzero(counts, -1);
  const Array inverse = where(counts, 1.0 / where(counts, parts.s, 1.0), 0.0);
  const Array x = is_derived(left)
                      ? product(pinv(left, cut, at), right)
                      : product(adjoint(parts.vh), times_rows(product(adjoint(parts.u), right), inverse));
  const Array rest = right - product(left, x);
  const Array squares =
      kind(rest.dtype()) == DTypeKind::Complex ? square(real(rest)) + square(imag(rest)) : square(rest);
  const Array residuals =
      where(expand_dims(rank, -1) == n, sum(squares, -2), std::numeric_limits<double>::quiet_NaN());
  if (!is_vector) return {x, residuals, rank, parts.s};
  return {squeeze(x, Dims{-1}), squeeze(residuals, Dims{-1}), rank, parts.s};
}

}  // namespace weft::linalg
