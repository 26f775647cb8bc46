// What is made of products: powers, and several of them in the order that takes the fewest multiplications.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "frontend/cpp/ops/decompositions.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/products.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft::linalg {
namespace {

// The dynamic program of T. Cormen et al., "Introduction to Algorithms", 15.2: split[i][j] is the last of the left factors.
std::vector<std::vector<size_t>> best_splits(const std::vector<int64_t>& extents) {
  const size_t count = extents.size() - 1;
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<size_t>> split(count, std::vector<size_t>(count, 0));
  for (size_t length = 1; length < count; ++length)
    for (size_t i = 0; i + length < count; ++i) {
      const size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (size_t k = i; k < j; ++k) {
        const double of_split = cost[i][k] + cost[k + 1][j] +
                                static_cast<double>(extents[i]) * static_cast<double>(extents[k + 1]) *
                                    static_cast<double>(extents[j + 1]);
        if (of_split < cost[i][j]) cost[i][j] = of_split, split[i][j] = k;
      }
    }
  return split;
}

}  // namespace

Array matrix_power(const Array& a, int64_t n, Where at) {
  const LineScope line(at);
  if (a.ndim() < 2 || a.shape()[a.ndim() - 2] != a.shape().back())
    throw LinAlgError("matrix_power: takes square matrices: got shape " + to_string(a.shape()));
  Array base = n < 0 ? inv(a, at) : a;
  if (n == 0) return broadcast_to(identity_like(a), a.shape()).copy();
  Array result;
  for (uint64_t left = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); left > 0; left /= 2) {
    if (left % 2 == 1) result = result.has_value() ? product(result, base) : base;
    if (left > 1) base = product(base, base);
  }
  return n == 1 ? result.copy() : result;
}

Array multi_dot(std::span<const Array> xs, Where at) {
  const LineScope line(at);
  if (xs.size() < 2) throw Error("multi_dot: takes two matrices at least: got " + std::to_string(xs.size()));
  std::vector<Array> matrices(xs.begin(), xs.end());
  const bool is_row = xs.front().ndim() == 1, is_column = xs.back().ndim() == 1;
  if (is_row) matrices.front() = expand_dims(matrices.front(), 0);
  if (is_column) matrices.back() = expand_dims(matrices.back(), -1);
  std::vector<int64_t> extents;
  for (size_t i = 0; i < matrices.size(); ++i) {
    const Array& x = matrices[i];
    if (x.ndim() != 2)
      throw LinAlgError("multi_dot: takes matrices, and vectors at the ends: got shape " +
                        to_string(xs[i].shape()) + " at place " + std::to_string(i));
    if (i > 0 && x.shape()[0] != extents.back())
      throw Error("multi_dot: takes factors that fit: got shapes " + to_string(xs[i - 1].shape()) + " and " +
                  to_string(xs[i].shape()));
    if (i == 0) extents.push_back(x.shape()[0]);
    extents.push_back(x.shape()[1]);
  }
  const std::vector<std::vector<size_t>> split = best_splits(extents);
  const std::function<Array(size_t, size_t)> from_to = [&](size_t i, size_t j) {
    return i == j ? matrices[i] : product(from_to(i, split[i][j]), from_to(split[i][j] + 1, j));
  };
  Array result = from_to(0, matrices.size() - 1);
  if (is_column) result = squeeze(result, Dims{-1});
  if (is_row) result = squeeze(result, Dims{0});
  return result;
}

}  // namespace weft::linalg
