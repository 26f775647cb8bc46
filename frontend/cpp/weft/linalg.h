// Linear algebra, as numpy.linalg has it, of matrices and of stacks of them: the last two axes are a matrix, those before them count
// the matrices. Everything is recorded as other operations are, so that compiled, derived and mapped functions may use it. LAPACK
// computes it on the CPU, for arrays of a GPU by a copy.
//
//   auto [values, vectors] = weft::linalg::eigh(covariance);
//
// Matrices are of f32, f64, c64 or c128; bools and integers are taken as f64. A function that may fail is computed when it is called,
// and throws LinAlgError. Within compile(), vmap() and loops, where there are no values, the result of such a matrix is NaN.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <variant>

#include "frontend/cpp/weft/array.h"

namespace weft::linalg {

// A matrix that has no such decomposition, or no matrix at all; Python shows it as numpy.linalg.LinAlgError.
class LinAlgError : public Error {
 public:
  using Error::Error;
};

// L with A = L L^H of a positive definite matrix, whose lower triangle is read; or U with A = U^H U of the upper one.
Array cholesky(const Array& a, bool upper = false, Where at = Where::current());

Array inv(const Array& a, Where at = Where::current());
// X with A X = B: b is a vector if it has one axis, else a stack of columns. Stacks broadcast.
Array solve(const Array& a, const Array& b, Where at = Where::current());
Array det(const Array& a, Where at = Where::current());
// det(a) is sign * exp(logarithm).
struct SignAndLogarithm {
  Array sign, logarithm;
};
SignAndLogarithm slogdet(const Array& a, Where at = Where::current());

// A = Q R, Q of as many columns as A has rows or columns, whichever are fewer, or with `complete` as many as rows. R alone costs less.
struct QAndR {
  Array q, r;
};
QAndR qr(const Array& a, bool complete = false, Where at = Where::current());
Array qr_factor(const Array& a, Where at = Where::current());

// A = U diag(s) V^H, the values in descending order. U and V^H are square unless `full_matrices` is false.
struct SingularValues {
  Array u, s, vh;
};
SingularValues svd(const Array& a, bool full_matrices = true, Where at = Where::current());
Array svdvals(const Array& a, Where at = Where::current());

struct Eigenvalues {
  Array values, vectors;  // which are columns
};
// Of a symmetric or Hermitian matrix, of which one triangle is read; the values ascend.
Eigenvalues eigh(const Array& a, bool upper = false, Where at = Where::current());
Array eigvalsh(const Array& a, bool upper = false, Where at = Where::current());
// Of any square matrix: complex numbers. They have no derivatives.
Eigenvalues eig(const Array& a, Where at = Where::current());
Array eigvals(const Array& a, Where at = Where::current());

// X with the least sum of squares of A X - B, and of those the shortest. Singular values up to rcond times the largest count as 0;
// unless told, the dtype's rounding times the longer side of A. `residuals` are the sums, NaN where A's rank is below its columns.
struct LeastSquares {
  Array x, residuals, rank, s;
};
LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond = {},
                   Where at = Where::current());
// The pseudo-inverse. Singular values up to rcond times the largest count as 0; unless told, as lstsq() has it.
Array pinv(const Array& a, std::optional<double> rcond = {}, Where at = Where::current());
// The number of singular values above rcond times the largest.
Array matrix_rank(const Array& a, std::optional<double> rcond = {}, Where at = Where::current());

// A^n; A^-1 raised where n is negative.
Array matrix_power(const Array& a, int64_t n, Where at = Where::current());
// The product of two matrices at least, in the order that takes the fewest multiplications. The first and last may be vectors.
Array multi_dot(std::span<const Array> xs, Where at = Where::current());
inline Array multi_dot(std::initializer_list<Array> xs, Where at = Where::current()) {
  return multi_dot(std::span(xs.begin(), xs.size()), at);
}

// The tensor that undoes tensordot(a, x, x's rank): a's first `ind` axes come last in it. Both sides have as many elements.
Array tensorinv(const Array& a, int64_t ind = 2, Where at = Where::current());
// X with tensordot(a, X, X's rank) = b, after each of a's `axes` was moved to the end.
Array tensorsolve(const Array& a, const Array& b, const Dims& axes = {}, Where at = Where::current());

enum class Named : uint8_t { Frobenius, Nuclear };
// The root of the sum of squares, or the sum of singular values; 1, -1, 2, -2, infinity or its negative; of vectors any number.
using Order = std::variant<Named, double>;
struct Norm {
  std::optional<Order> order = {};  // Frobenius, which is 2 of vectors
  std::optional<Dims> axes = {};    // one of vectors or two of matrices; all unless told
  bool keepdims = false;
};
Array norm(const Array& x, const Norm& of = {}, Where at = Where::current());
// Of the last two axes, and along any axes, all unless told.
Array matrix_norm(const Array& x, const Order& order = Named::Frobenius, bool keepdims = false,
                  Where at = Where::current());
Array vector_norm(const Array& x, double order = 2, const std::optional<Dims>& axes = {},
                  bool keepdims = false, Where at = Where::current());
// The norm of A times that of its inverse; of order 2, as unless told, the ratio of the outer singular values. Infinite for what is
// singular.
Array cond(const Array& a, const Order& order = 2.0, Where at = Where::current());

// Whether decompositions can be computed: the functions above throw Error, which says what to install, where there is no LAPACK.
bool is_available();

}  // namespace weft::linalg
