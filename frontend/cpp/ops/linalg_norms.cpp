// Norms of vectors and matrices, and how far a matrix is from a singular one.
#include <cmath>
#include <limits>
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/ops/decompositions.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/reductions.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft::linalg {
namespace {

// In a dtype of floats or complex numbers.
Array inexact(const Array& x) {
  const DTypeKind k = kind(x.dtype());
  return k == DTypeKind::Float || k == DTypeKind::Complex ? x : x.astype(DType::F64);
}

Array squares(const Array& x) {
  return kind(x.dtype()) == DTypeKind::Complex ? square(real(x)) + square(imag(x)) : square(x);
}

Array of_vectors(const Array& x, double order, const Axes& axes, bool keepdims) {
  if (order == 2) return sqrt(sum(squares(x), axes, keepdims));
  const Array size = abs(x);
  if (order == 0) return count_nonzero(x, axes, keepdims).astype(size.dtype());
  if (order == 1) return sum(size, axes, keepdims);
  if (std::isinf(order)) return order > 0 ? max(size, axes, keepdims) : min(size, axes, keepdims);
  return pow(sum(pow(size, order), axes, keepdims), 1 / order);
}

std::string text(const Order& order) {
  if (const auto* named = std::get_if<Named>(&order))
    return *named == Named::Nuclear ? "Nuclear" : "Frobenius";
  return std::to_string(std::get<double>(order));
}

Array squeezed_unless(bool keepdims, const Array& x, const Dims& axes) {
  return keepdims ? x : squeeze(x, axes);
}

// Of the axes of rows and columns, which are not negative.
Array of_matrices(const char* op, const Array& x, const Order& order, int64_t rows, int64_t columns,
                  bool keepdims, Where at) {
  const Dims both{rows, columns};
  if (order == Order(Named::Frobenius)) return sqrt(sum(squares(x), Axes(both), keepdims));
  const double number = std::holds_alternative<double>(order) ? std::get<double>(order) : 2;
  if (std::abs(number) == 1 || std::isinf(number)) {
    const bool by_columns = std::abs(number) == 1;
    const Array sums = sum(abs(x), by_columns ? rows : columns, true);
    const int64_t along = by_columns ? columns : rows;
    return squeezed_unless(keepdims, number > 0 ? max(sums, along, true) : min(sums, along, true), both);
  }
  if (std::abs(number) != 2)
    throw Error(std::string(op) +
                ": matrices have norms of 1, -1, 2, -2, infinity, its negative, Frobenius and Nuclear: got " +
                text(order));
  const int64_t last = static_cast<int64_t>(x.ndim()) - 1;
  const Array s =
      svdvals(moveaxis(moveaxis(x, columns, last), rows > columns ? rows - 1 : rows, last - 1), at);
  Array result = order == Order(Named::Nuclear) ? sum(s, -1) : number > 0 ? max(s, -1) : min(s, -1);
  if (!keepdims) return result;
  return expand_dims(expand_dims(result, std::min(rows, columns)), std::max(rows, columns));
}

}  // namespace

Array norm(const Array& x, const Norm& of, Where at) {
  const LineScope line(at);
  const Array all = inexact(x);
  if (!of.axes && !of.order) return sqrt(sum(squares(all), {}, of.keepdims));
  Dims axes;
  for (size_t i = 0; i < (of.axes ? of.axes->size() : x.ndim()); ++i)
    axes.push_back(of.axes ? normalize_axis("norm", (*of.axes)[i], x.ndim()) : static_cast<int64_t>(i));
  if (axes.size() == 1) {
    const Order order = of.order.value_or(2.0);
    if (!std::holds_alternative<double>(order))
      throw Error("norm: vectors have norms of a number or infinity: got " + text(order));
    return of_vectors(all, std::get<double>(order), axes[0], of.keepdims);
  }
  if (axes.size() != 2 || axes[0] == axes[1])
    throw Error("norm: takes one axis of vectors or two of matrices: got " + to_string(axes));
  return of_matrices("norm", all, of.order.value_or(Named::Frobenius), axes[0], axes[1], of.keepdims, at);
}

Array matrix_norm(const Array& x, const Order& order, bool keepdims, Where at) {
  const LineScope line(at);
  if (x.ndim() < 2)
    throw Error("matrix_norm: takes a matrix or a stack of them: got shape " + to_string(x.shape()));
  const auto rank = static_cast<int64_t>(x.ndim());
  return of_matrices("matrix_norm", inexact(x), order, rank - 2, rank - 1, keepdims, at);
}

Array vector_norm(const Array& x, double order, const std::optional<Dims>& axes, bool keepdims, Where at) {
  const LineScope line(at);
  return of_vectors(inexact(x), order, axes ? Axes(*axes) : Axes(), keepdims);
}

Array cond(const Array& a, const Order& order, Where at) {
  const LineScope line(at);
  const Array all = matrices("cond", a);
  if (all.shape()[all.ndim() - 2] == 0 || all.shape().back() == 0)
    throw LinAlgError("cond: takes matrices of one element at least: got shape " + to_string(a.shape()));
  const double infinite = std::numeric_limits<double>::infinity();
  const double* number = std::get_if<double>(&order);
  if (number && std::abs(*number) == 2) {
    const Array s = svdvals(all, at), largest = max(s, -1), least = min(s, -1);
    const Array over = *number > 0 ? largest : least, under = *number > 0 ? least : largest;
    return where(under == 0, infinite, over / where(under == 0, 1.0, under));
  }
  // Of the inverse where there is one: slogdet() says so without an error.
  const Array logarithm = slogdet(square_matrices("cond", all), at).logarithm, there = isfinite(logarithm);
  const Array by = expand_dims(expand_dims(there, -1), -1);
  const Array inverse = inv(where(by, all, identity_like(all)), at);
  const Array norms = matrix_norm(all, order, false, at) * matrix_norm(inverse, order, false, at);
  return where(isnan(logarithm), std::numeric_limits<double>::quiet_NaN(), where(there, norms, infinite));
}

}  // namespace weft::linalg
