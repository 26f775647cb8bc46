// Square matrices: Cholesky's factors, inverses, equations and determinants. Their derivatives are of M. Giles, "An extended collection
// of matrix derivative results for forward and reverse mode algorithmic differentiation", 2008.
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/ops/decompositions.h"
#include "frontend/cpp/ops/formulas.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/derivatives.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/products.h"
#include "frontend/cpp/weft/reductions.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft::linalg {
namespace {

using runtime::MatrixFunction;

constexpr const char* kSingular = "is singular";

Array trace_of(const Array& a) { return sum(diagonal_of(a), -1); }
Array as_matrix(const Array& number) { return expand_dims(expand_dims(number, -1), -1); }
Array half_sum_with_adjoint(const Array& a) { return (a + adjoint(a)) * 0.5; }
// The lower triangle, of the diagonal half.
Array half_lower(const Array& a) { return tril(a, -1) + a * identity_like(a) * 0.5; }

// Giles 4.1: dL = L half_lower(L^-1 dA L^-H) for the Hermitian part of dA.
Array lower_cholesky(const Array& a, Where at) {
  Formulas f{"cholesky", {}, {}, {}};
  f.values = [at](const Array& x) {
    return decomposed({"cholesky", MatrixFunction::Cholesky, at, 0, "is not positive definite"}, {&x, 1});
  };
  f.vjp = [at](const Array&, Formulas::Arrays y, Formulas::Arrays c) {
    const Array inverse = inv(y[0], at);
    const Array inner = half_lower(product(adjoint(y[0]), conj(c[0])));
    return conj(half_sum_with_adjoint(product(product(adjoint(inverse), inner), inverse)));
  };
  f.jvp = [at](const Array&, Formulas::Arrays y, const Array& t) -> std::vector<Array> {
    const Array inverse = inv(y[0], at);
    const Array inner = product(product(inverse, half_sum_with_adjoint(t)), adjoint(inverse));
    return {product(y[0], half_lower(inner))};
  };
  return with_formulas(a, f)[0];
}

Array solution(const Array& a, const Array& b, Where at);

// a dx = db - da x; and back the transposed equation.
Array derived_solution(const Array& a, const Array& b, Where at) {
  const Array inputs[] = {a.copy(), b.copy()}, matrix = inputs[0];
  const Array x = solution(stop_gradient(matrix), stop_gradient(inputs[1]), at);
  const auto known = std::make_shared<Array>();
  CustomDerivative derivative{"solve", {}, {}};
  derivative.vjp = [matrix, known, at](std::span<const Array> c) -> std::vector<Array> {
    const Array y = solution(transposed(matrix), c[0], at);
    return {negative(product(y, transposed(*known))), y};
  };
  derivative.jvp = [matrix, known, at](std::span<const Array> t) -> std::vector<Array> {
    const Array moved = t[0].has_value() ? product(t[0], *known) : Array();
    if (!moved.has_value()) return {solution(matrix, t[1], at)};
    return {solution(matrix, t[1].has_value() ? t[1] - moved : negative(moved), at)};
  };
  const Array result = with_derivative({&x, 1}, inputs, std::move(derivative))[0];
  *known = result.copy();
  return result;
}

// Of matrices of one stack and dtype.
Array solution(const Array& a, const Array& b, Where at) {
  if (is_derived(a) || is_derived(b)) return derived_solution(a, b, at);
  const bool has_values = !detail::depends_on_arguments(a) && !detail::depends_on_arguments(b);
  if (has_values && can_solve(a, b)) {  // with threads for many right-hand sides
    const std::optional<Array> x = weft::solve(a, b);
    if (!x) throw LinAlgError("solve: the matrix is singular");
    return *x;
  }
  const Array operands[] = {a, b};
  return decomposed({"solve", MatrixFunction::Solve, at, 0, kSingular}, operands)[0];
}

Shape stack_of(const Array& a) { return Shape(std::span<const int64_t>(a.shape().begin(), a.ndim() - 2)); }

// In a stack of this shape.
Array in_stack(const Array& a, const Shape& stack) {
  if (stack_of(a) == stack) return a;
  Shape shape = stack;
  shape.push_back(a.shape()[a.ndim() - 2]);
  shape.push_back(a.shape().back());
  return broadcast_to(a, shape);
}

DType common_dtype(const Array& a, const Array& b) {
  const bool is_complex = kind(a.dtype()) == DTypeKind::Complex || kind(b.dtype()) == DTypeKind::Complex;
  const auto is_single = [](const Array& x) { return x.dtype() == DType::F32 || x.dtype() == DType::C64; };
  const DType real = is_single(a) && is_single(b) ? DType::F32 : DType::F64;
  return is_complex ? complex_of(real) : real;
}

// Of one large matrix threads share the columns.
Array inverse(const Array& a, Where at) {
  constexpr int64_t kLarge = 256;
  if (a.ndim() > 2 || a.shape().back() < kLarge || detail::depends_on_arguments(a) || !can_solve(a, a))
    return decomposed({"inv", MatrixFunction::Inverse, at, 0, kSingular}, {&a, 1})[0];
  const std::optional<Array> x = weft::solve(a, identity_like(a));
  if (!x) throw LinAlgError("inv: the matrix is singular");
  return *x;
}

}  // namespace

Array cholesky(const Array& a, bool upper, Where at) {
  const Array all = square_matrices("cholesky", a);
  if (!upper) return lower_cholesky(all, at);
  if (is_derived(all)) return adjoint(lower_cholesky(adjoint(all), at));
  return decomposed({"cholesky", MatrixFunction::Cholesky, at, runtime::kUpper, "is not positive definite"},
                    {&all, 1})[0];
}

// Giles 2.2.3: dX = -X dA X.
Array inv(const Array& a, Where at) {
  Formulas f{"inv", {}, {}, {}};
  f.values = [at](const Array& x) { return std::vector<Array>{inverse(x, at)}; };
  f.vjp = [](const Array&, Formulas::Arrays y, Formulas::Arrays c) {
    const Array back = transposed(y[0]);
    return negative(product(product(back, c[0]), back));
  };
  f.jvp = [](const Array&, Formulas::Arrays y, const Array& t) -> std::vector<Array> {
    return {negative(product(product(y[0], t), y[0]))};
  };
  return with_formulas(square_matrices("inv", a), f)[0];
}

Array solve(const Array& a, const Array& b, Where at) {
  Array left = square_matrices("solve", a);
  const bool is_vector = b.ndim() == 1;
  Array right = matrices("solve", is_vector ? expand_dims(b, -1) : b);
  if (left.shape().back() != right.shape()[right.ndim() - 2])
    throw Error("solve: takes right-hand sides of the matrix's height: got shapes " + to_string(a.shape()) +
                " and " + to_string(b.shape()));
  const DType dtype = common_dtype(left, right);
  const Shape stack = broadcast_shapes("solve", stack_of(left), stack_of(right));
  left = in_stack(left.astype(dtype), stack), right = in_stack(right.astype(dtype), stack);
  const Array x = solution(left, right, at);
  return is_vector ? squeeze(x, Dims{-1}) : x;
}

// Giles 2.2.4: d det = det tr(A^-1 dA).
Array det(const Array& a, Where at) {
  Formulas f{"det", {}, {}, {}};
  f.values = [at](const Array& x) -> std::vector<Array> {
    return {decomposed({"det", MatrixFunction::Determinant, at}, {&x, 1})[0]};
  };
  f.vjp = [at](const Array& x, Formulas::Arrays y, Formulas::Arrays c) {
    return as_matrix(c[0] * y[0]) * transposed(inv(x, at));
  };
  f.jvp = [at](const Array& x, Formulas::Arrays y, const Array& t) -> std::vector<Array> {
    return {y[0] * trace_of(product(inv(x, at), t))};
  };
  return with_formulas(square_matrices("det", a), f)[0];
}

// With t = tr(A^-1 dA): d log|det| = Re t, and the sign of complex ones turns by Im t.
SignAndLogarithm slogdet(const Array& a, Where at) {
  const Array all = square_matrices("slogdet", a);
  const bool is_complex = kind(all.dtype()) == DTypeKind::Complex;
  const std::complex<double> i(0, 1);
  Formulas f{"slogdet", {}, {}, {}};
  f.values = [at](const Array& x) -> std::vector<Array> {
    const std::vector<Array> three = decomposed({"slogdet", MatrixFunction::Determinant, at}, {&x, 1});
    return {three[1], three[2]};
  };
  f.vjp = [at, is_complex, i](const Array& x, Formulas::Arrays y, Formulas::Arrays c) {
    Array by = c[1].has_value() ? c[1] : zeros_like(y[1]);
    if (is_complex && c[0].has_value()) by = by + imag(c[0] * y[0]) * i;
    return (as_matrix(by) * transposed(inv(x, at))).astype(x.dtype());
  };
  f.jvp = [at, is_complex, i](const Array& x, Formulas::Arrays y, const Array& t) -> std::vector<Array> {
    const Array moved = trace_of(product(inv(x, at), t));
    if (!is_complex) return {zeros_like(y[0]), moved};
    return {(y[0] * imag(moved) * i).astype(x.dtype()), real(moved)};
  };
  const std::vector<Array> results = with_formulas(all, f);
  return {results[0], results[1]};
}

bool is_available() {
  try {
    open_lapack();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace weft::linalg
