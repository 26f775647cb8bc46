// Orthogonal factors, singular values and eigenvalues. Their derivatives are of M. Seeger et al., "Auto-Differentiating Linear
// Algebra", 2017, and of M. Giles, "An extended collection of matrix derivative results", 2008; for complex numbers with adjoints.
#include <complex>
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

using runtime::MatrixFunction;

constexpr const char* kNoEnd = "has eigenvalues that LAPACK does not find";
constexpr const char* kNoValues = "has singular values that LAPACK does not find";

bool is_complex(const Array& a) { return kind(a.dtype()) == DTypeKind::Complex; }
Array real_of(const Array& a) { return is_complex(a) ? real(a) : a; }
Array on_diagonal(const Array& values, const Array& like) {
  return times_columns(identity_like(like), values);
}
// The imaginary parts of a diagonal, times i, divided by `by`.
Array turning(const Array& a, const Array& by) {
  return (imag(diagonal_of(a)) / by * std::complex<double>(0, 1)).astype(a.dtype());
}

// 1 / (values[j] - values[i]), and 0 on the diagonal.
Array inverse_differences(const Array& values) {
  const Array apart = expand_dims(values, -2) - expand_dims(values, -1);
  const Array same = identity_like(values) == 1;
  return where(same, 0.0, 1.0 / where(same, 1.0, apart));
}

[[noreturn]] void refuse_derivative(const char* op, const std::string& rule) {
  throw Error(std::string(op) + ": " + rule);
}

// ---- eigh: with P = V^H dA V for the Hermitian part of dA: dw = diag(P), dV = V (P / (w[j] - w[i]))
std::vector<Array> derived_eigh(const Array& a, bool upper, Where at) {
  Formulas f{"eigh", {}, {}, {}};
  f.values = [at, upper](const Array& x) -> std::vector<Array> {
    const std::vector<Array> all =
        decomposed({"eigh", MatrixFunction::Eigh, at, upper ? runtime::kUpper : 0, kNoEnd}, {&x, 1});
    return {all[0], transposed(all[1])};
  };
  f.vjp = [](const Array&, Formulas::Arrays y, Formulas::Arrays c) {
    const Array &w = y[0], &v = y[1];
    Array inner = c[0].has_value() ? on_diagonal(c[0], v) : zeros_like(v);
    if (c[1].has_value()) inner = inner + inverse_differences(w) * product(adjoint(v), conj(c[1]));
    const Array whole = product(product(v, inner), adjoint(v));
    return conj((whole + adjoint(whole)) * 0.5);
  };
  f.jvp = [](const Array&, Formulas::Arrays y, const Array& t) -> std::vector<Array> {
    const Array &w = y[0], &v = y[1];
    const Array inner = product(product(adjoint(v), (t + adjoint(t)) * 0.5), v);
    return {real_of(diagonal_of(inner)), product(v, inverse_differences(w) * inner)};
  };
  return with_formulas(a, f);
}

// ---- svd of k = min(m, n) values, with P = U^H dA V; of complex vectors, whose phases are free, those of U turn
Array svd_vjp(Formulas::Arrays y, Formulas::Arrays c) {
  const Array &u = y[0], &s = y[1], &vh = y[2];
  const Array v = adjoint(vh);
  const int64_t m = u.shape()[u.ndim() - 2], n = vh.shape().back(), k = s.shape().back();
  Array inner = c[1].has_value() ? on_diagonal(c[1], u) : zeros_like(product(adjoint(u), u));
  Array outside;
  const auto add_outside = [&](const Array& one) { outside = outside.has_value() ? outside + one : one; };
  const Array apart = inverse_differences(square(s));
  if (c[0].has_value()) {
    const Array g = conj(c[0]), q = product(adjoint(u), g);
    inner = inner + times_columns(apart * (q - adjoint(q)), s);
    if (is_complex(u)) inner = inner + times_columns(identity_like(q), turning(q, s));
    if (m > k) add_outside(product(times_columns(g - product(u, q), 1.0 / s), vh));
  }
  if (c[2].has_value()) {
    const Array g = adjoint(conj(c[2])), r = product(vh, g);
    inner = inner + times_rows(apart * (r - adjoint(r)), s);
    if (n > k) add_outside(product(u, adjoint(times_columns(g - product(v, r), 1.0 / s))));
  }
  const Array whole = product(product(u, inner), vh);
  return conj(outside.has_value() ? whole + outside : whole);
}

std::vector<Array> svd_jvp(Formulas::Arrays y, const Array& t) {
  const Array &u = y[0], &s = y[1], &vh = y[2];
  const Array v = adjoint(vh);
  const int64_t m = u.shape()[u.ndim() - 2], n = vh.shape().back(), k = s.shape().back();
  const Array p = product(product(adjoint(u), t), v), back = adjoint(p);
  const Array apart = inverse_differences(square(s));
  Array du = product(u, apart * (times_columns(p, s) + times_rows(back, s)));
  if (is_complex(u)) du = du + times_columns(u, turning(p, s));
  if (m > k) du = du + times_columns(product(t, v) - product(u, p), 1.0 / s);
  Array dv = product(v, apart * (times_rows(p, s) + times_columns(back, s)));
  if (n > k) dv = dv + times_columns(product(adjoint(t), u) - product(v, back), 1.0 / s);
  return {du, real_of(diagonal_of(p)), adjoint(dv)};
}

std::vector<Array> reduced_svd(const Array& a, Where at) {
  Formulas f{"svd", {}, {}, {}};
  f.values = [at](const Array& x) {
    return decomposed({"svd", MatrixFunction::Svd, at, 0, kNoValues}, {&x, 1});
  };
  f.vjp = [](const Array&, Formulas::Arrays y, Formulas::Arrays c) { return svd_vjp(y, c); };
  f.jvp = [](const Array&, Formulas::Arrays y, const Array& t) { return svd_jvp(y, t); };
  return with_formulas(a, f);
}

// ---- qr of m >= n, with M = Q^H dA R^-1, of which Q turns by the part below the diagonal and its negative adjoint above it
Array qr_vjp(Formulas::Arrays y, Formulas::Arrays c, Where at) {
  const Array &q = y[0], &r = y[1];
  Array n = zeros_like(r);
  if (c[1].has_value()) n = n + product(conj(c[1]), adjoint(r));
  if (c[0].has_value()) n = n - product(adjoint(q), conj(c[0]));
  const Array above = triu(n, 1);
  const Array inner = above + adjoint(above) + times_columns(identity_like(n), real_of(diagonal_of(n)));
  Array whole = product(q, inner);
  if (c[0].has_value()) whole = whole + conj(c[0]);
  return conj(product(whole, adjoint(inv(r, at))));
}

std::vector<Array> qr_jvp(Formulas::Arrays y, const Array& t, Where at) {
  const Array &q = y[0], &r = y[1];
  const Array moved = product(t, inv(r, at)), m = product(adjoint(q), moved), below = tril(m, -1);
  Array turn = below - adjoint(below);
  if (is_complex(m))
    turn = turn + times_columns(identity_like(m), turning(m, Array(ones_like(real(diagonal_of(m))))));
  return {product(q, turn - m) + moved, product(m - turn, r)};
}

QAndR derived_qr(const Array& a, Where at) {
  Formulas f{"qr", {}, {}, {}};
  f.values = [at](const Array& x) { return decomposed({"qr", MatrixFunction::Qr, at}, {&x, 1}); };
  f.vjp = [at](const Array&, Formulas::Arrays y, Formulas::Arrays c) { return qr_vjp(y, c, at); };
  f.jvp = [at](const Array&, Formulas::Arrays y, const Array& t) { return qr_jvp(y, t, at); };
  const std::vector<Array> both = with_formulas(a, f);
  return {both[0], both[1]};
}

void check_qr_derived(const char* op, const Array& a, bool complete) {
  const int64_t m = a.shape()[a.ndim() - 2], n = a.shape().back();
  if (m < n || (complete && m > n))
    refuse_derivative(
        op,
        "has derivatives of matrices with as many rows as columns or more, and of as many columns of Q: got "
        "shape " +
            to_string(a.shape()) + (complete ? ", complete" : ""));
}

std::vector<Array> without_derivative(const Decomposing& of, const Array& a) {
  const Array all = square_matrices(of.op, a);
  if (is_derived(all))
    refuse_derivative(of.op,
                      "has no derivatives; eigh() has, and stop_gradient() takes the array without them");
  return decomposed(of, {&all, 1});
}

}  // namespace

QAndR qr(const Array& a, bool complete, Where at) {
  const Array all = matrices("qr", a);
  if (is_derived(all)) {
    check_qr_derived("qr", all, complete);
    return derived_qr(all, at);
  }
  const std::vector<Array> both =
      decomposed({"qr", MatrixFunction::Qr, at, complete ? runtime::kComplete : 0}, {&all, 1});
  return {both[0], both[1]};
}

Array qr_factor(const Array& a, Where at) {
  const Array all = matrices("qr", a);
  if (is_derived(all)) return qr(all, false, at).r;
  return decomposed({"qr", MatrixFunction::QrFactor, at}, {&all, 1})[0];
}

SingularValues svd(const Array& a, bool full_matrices, Where at) {
  const Array all = matrices("svd", a);
  const bool is_square = all.shape()[all.ndim() - 2] == all.shape().back();
  if (is_derived(all) && full_matrices && !is_square)
    refuse_derivative("svd", "has derivatives of as many vectors as there are values: got shape " +
                                 to_string(a.shape()) + " with full_matrices; give false for it");
  const std::vector<Array> parts =
      full_matrices && !is_square
          ? decomposed({"svd", MatrixFunction::Svd, at, runtime::kComplete, kNoValues}, {&all, 1})
          : reduced_svd(all, at);
  return {parts[0], parts[1], parts[2]};
}

Array svdvals(const Array& a, Where at) {
  const Array all = matrices("svdvals", a);
  if (is_derived(all)) return reduced_svd(all, at)[1];
  return decomposed({"svdvals", MatrixFunction::Svdvals, at, 0, kNoValues}, {&all, 1})[0];
}

Eigenvalues eigh(const Array& a, bool upper, Where at) {
  const std::vector<Array> both = derived_eigh(square_matrices("eigh", a), upper, at);
  return {both[0], both[1]};
}

Array eigvalsh(const Array& a, bool upper, Where at) {
  const Array all = square_matrices("eigvalsh", a);
  if (is_derived(all)) return derived_eigh(all, upper, at)[0];
  return decomposed({"eigvalsh", MatrixFunction::Eigvalsh, at, upper ? runtime::kUpper : 0, kNoEnd},
                    {&all, 1})[0];
}

Eigenvalues eig(const Array& a, Where at) {
  const std::vector<Array> both = without_derivative({"eig", MatrixFunction::Eig, at, 0, kNoEnd}, a);
  return {both[0], both[1]};
}

Array eigvals(const Array& a, Where at) {
  return without_derivative({"eigvals", MatrixFunction::Eigvals, at, 0, kNoEnd}, a)[0];
}

}  // namespace weft::linalg
