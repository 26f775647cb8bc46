#include "frontend/cpp/weft/linalg.h"

#include <tuple>

#include <nanobind/stl/tuple.h>

#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

// Names that weft has for other functions get the module's in front.
void bind_linear_algebra(nb::module_& m) {
  def(m, "has_lapack", +[] { return linalg::is_available(); });
  def(
      m, "cholesky", +[](const Array& x, bool upper) { return linalg::cholesky(x, upper); }, "x"_a,
      "upper"_a);
  def(m, "inv", +[](const Array& x) { return linalg::inv(x); }, "x"_a);
  def(m, "linalg_solve", +[](const Array& a, const Array& b) { return linalg::solve(a, b); }, "a"_a, "b"_a);
  def(m, "det", +[](const Array& x) { return linalg::det(x); }, "x"_a);
  def(
      m, "slogdet",
      +[](const Array& x) {
        auto [sign, logarithm] = linalg::slogdet(x);
        return std::tuple(sign, logarithm);
      },
      "x"_a);
  def(
      m, "qr",
      +[](const Array& x, bool complete) {
        auto [q, r] = linalg::qr(x, complete);
        return std::tuple(q, r);
      },
      "x"_a, "complete"_a);
  def(m, "qr_factor", +[](const Array& x) { return linalg::qr_factor(x); }, "x"_a);
  def(
      m, "svd",
      +[](const Array& x, bool full_matrices) {
        auto [u, s, vh] = linalg::svd(x, full_matrices);
        return std::tuple(u, s, vh);
      },
      "x"_a, "full_matrices"_a);
  def(m, "svdvals", +[](const Array& x) { return linalg::svdvals(x); }, "x"_a);
  def(
      m, "eigh",
      +[](const Array& x, bool upper) {
        auto [values, vectors] = linalg::eigh(x, upper);
        return std::tuple(values, vectors);
      },
      "x"_a, "upper"_a);
  def(
      m, "eigvalsh", +[](const Array& x, bool upper) { return linalg::eigvalsh(x, upper); }, "x"_a,
      "upper"_a);
  def(
      m, "eig",
      +[](const Array& x) {
        auto [values, vectors] = linalg::eig(x);
        return std::tuple(values, vectors);
      },
      "x"_a);
  def(m, "eigvals", +[](const Array& x) { return linalg::eigvals(x); }, "x"_a);
  def(
      m, "pinv", +[](const Array& x, std::optional<double> rcond) { return linalg::pinv(x, rcond); }, "x"_a,
      "rcond"_a.none());
  def(
      m, "cond",
      +[](const Array& x, std::optional<double> number, bool nuclear) {
        const linalg::Order named = nuclear ? linalg::Named::Nuclear : linalg::Named::Frobenius;
        return linalg::cond(x, number ? linalg::Order(*number) : named);
      },
      "x"_a, "number"_a.none(), "nuclear"_a);
  def(
      m, "lstsq",
      +[](const Array& a, const Array& b, std::optional<double> rcond) {
        auto [x, residuals, rank, s] = linalg::lstsq(a, b, rcond);
        return std::tuple(x, residuals, rank, s);
      },
      "a"_a, "b"_a, "rcond"_a.none());
  def(m, "matrix_power", +[](const Array& x, int64_t n) { return linalg::matrix_power(x, n); }, "x"_a, "n"_a);
  def(m, "tensorinv", +[](const Array& x, int64_t ind) { return linalg::tensorinv(x, ind); }, "x"_a, "ind"_a);
  def(
      m, "tensorsolve",
      +[](const Array& a, const Array& b, const Dims& axes) { return linalg::tensorsolve(a, b, axes); },
      "a"_a, "b"_a, "axes"_a);
  def(m, "multi_dot", +[](const std::vector<Array>& xs) { return linalg::multi_dot(xs); }, "xs"_a);
}

}  // namespace weft::python
