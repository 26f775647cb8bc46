// Equations of tensors: the axes of each side are joined, and the matrix of both is solved.
#include <algorithm>
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/ops/decompositions.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft::linalg {
namespace {

// A tensor's shape, cut before an axis.
struct Sides {
  Sides(const Shape& shape, size_t cut)
      : first(std::span(shape.begin(), cut)), last(std::span(shape.begin() + cut, shape.end())) {}
  Shape matrix() const { return {element_count(first), element_count(last)}; }
  bool is_square() const { return element_count(first) == element_count(last); }
  Shape first, last;
};

// The order of axes after each of these was moved to the end.
Dims moved_to_the_end(size_t rank, const Dims& axes) {
  Dims order;
  for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  for (const int64_t axis : axes) {
    const int64_t moved = normalize_axis("tensorsolve", axis, rank);
    order.erase(static_cast<size_t>(std::ranges::find(order, moved) - order.begin()));
    order.push_back(moved);
  }
  return order;
}

}  // namespace

Array tensorinv(const Array& a, int64_t ind, Where at) {
  const LineScope line(at);
  if (ind <= 0)
    throw Error("tensorinv: ind is the number of axes of the first side, one at least: got " +
                std::to_string(ind));
  const Sides sides(a.shape(), std::min(static_cast<size_t>(ind), a.ndim()));
  if (!sides.is_square())
    throw LinAlgError("tensorinv: takes as many elements along the first " + std::to_string(ind) +
                      " axes as along the others: got shape " + to_string(a.shape()));
  Shape turned = sides.last;
  for (const int64_t extent : sides.first) turned.push_back(extent);
  return inv(a.reshape(sides.matrix()), at).reshape(turned);
}

Array tensorsolve(const Array& a, const Array& b, const Dims& axes, Where at) {
  const LineScope line(at);
  const Array turned = axes.empty() ? a : permute_dims(a, moved_to_the_end(a.ndim(), axes));
  const Sides sides(turned.shape(), std::min(b.ndim(), a.ndim()));
  const int64_t equations = element_count(b.shape());
  if (!sides.is_square() || equations != element_count(sides.first))
    throw LinAlgError(
        "tensorsolve: takes as many unknowns, elements along a's axes behind b's, as b has elements: got "
        "shapes " +
        to_string(turned.shape()) + " and " + to_string(b.shape()));
  return solve(turned.reshape(sides.matrix()), b.reshape({equations}), at).reshape(sides.last);
}

}  // namespace weft::linalg
