// Views that change an array's axes.
#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft {
namespace {

using detail::Access;
using detail::layout_of;

Array viewed(const Array& x, detail::Ref<const detail::View> view) {
  return Access::make(Access::cell(x), std::move(view));
}

Dims normalized(std::string_view op, const Dims& axes, size_t rank) {
  Dims result = axes;
  for (int64_t& axis : result) axis = normalize_axis(op, axis, rank);
  Dims sorted = result;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw Error(std::string(op) + ": axes must be different: got " + to_string(axes));
  }
  return result;
}

Dims iota_dims(size_t rank) {
  Dims axes;
  for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

// The shape with an extent of -1 worked out.
Shape complete(const Shape& shape, int64_t count) {
  Shape result = shape;
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && open < 0) {
      open = static_cast<int64_t>(i);
      continue;
    }
    if (shape[i] < 0) {
      throw Error("reshape: extents must not be negative, but for one -1: got " + to_string(shape));
    }
    if (__builtin_mul_overflow(known, shape[i], &known)) {
      throw Error("reshape: cannot view " + std::to_string(count) + " elements as " + to_string(shape));
    }
  }
  const bool fits = open < 0 ? known == count : known > 0 && count % known == 0;
  if (!fits)
    throw Error("reshape: cannot view " + std::to_string(count) + " elements as " + to_string(shape));
  if (open >= 0) result[static_cast<size_t>(open)] = count / known;
  return result;
}

}  // namespace

Array Array::reshape(const Shape& shape, Where at) const {
  const Shape wanted = complete(shape, size());
  if (wanted == this->shape()) return *this;
  if (auto view = reshape_view(layout_of(*this), wanted)) return viewed(*this, std::move(*view));
  detail::Recording r("reshape", at);
  return r.finish(ir::reshape(r.node(*this), wanted, r.lines()));
}

Array Array::transpose(const Dims& axes) const {
  return detail::named("transpose", [&] { return permute_dims(*this, axes); });
}

Array Array::T() const {
  Dims axes = iota_dims(ndim());
  std::reverse(axes.begin(), axes.end());
  return permute_dims(*this, axes);
}

Array Array::with_access(bool writable) const {
  return viewed(*this, detail::with_access(layout_of(*this), writable));
}

Array Array::view_as(DType to) const {
  if (to == dtype()) return *this;
  if (to == DType::Bool) {
    throw TypeError("view_as: bits cannot be read as bools: got " + std::string(name(dtype())));
  }
  if (auto view = bitcast_view(layout_of(*this), to)) return viewed(*this, std::move(*view));
  throw Error(
      "view_as: elements of another size must lie along the last axis without gaps, each of them whole: "
      "got " +
      std::string(name(dtype())) + " to " + std::string(name(to)) + " of shape " + to_string(shape()));
}

Array permute_dims(const Array& x, const Dims& axes) {
  if (axes.size() != x.ndim()) {
    throw Error("permute_dims: axes must have one entry for each of " + std::to_string(x.ndim()) +
                " axes: got " + to_string(axes));
  }
  const Dims order = normalized("permute_dims", axes, x.ndim());
  if (std::is_sorted(order.begin(), order.end())) return x;
  return viewed(x, permute_view(layout_of(x), order));
}

Array moveaxis(const Array& x, int64_t from, int64_t to) {
  const int64_t source = normalize_axis("moveaxis", from, x.ndim());
  const int64_t target = normalize_axis("moveaxis", to, x.ndim());
  Dims axes = iota_dims(x.ndim());
  axes.erase(static_cast<size_t>(source));
  axes.insert(static_cast<size_t>(target), source);
  return permute_dims(x, axes);
}

Array swapaxes(const Array& x, int64_t a, int64_t b) {
  Dims axes = iota_dims(x.ndim());
  std::swap(axes[static_cast<size_t>(normalize_axis("swapaxes", a, x.ndim()))],
            axes[static_cast<size_t>(normalize_axis("swapaxes", b, x.ndim()))]);
  return permute_dims(x, axes);
}

Array expand_dims(const Array& x, int64_t axis) {
  Shape shape = x.shape();
  shape.insert(static_cast<size_t>(normalize_axis("expand_dims", axis, x.ndim() + 1)), 1);
  return viewed(x, *reshape_view(layout_of(x), shape));
}

Array squeeze(const Array& x, const std::optional<Dims>& axes) {
  Dims gone(x.ndim(), 0);
  if (axes) {
    for (int64_t axis : normalized("squeeze", *axes, x.ndim())) {
      if (x.shape()[static_cast<size_t>(axis)] != 1) {
        throw Error("squeeze: only axes of extent 1 can go: got axis " + std::to_string(axis) + " of shape " +
                    to_string(x.shape()));
      }
      gone[static_cast<size_t>(axis)] = 1;
    }
  }
  Shape shape;
  for (size_t i = 0; i < x.ndim(); ++i) {
    if (axes ? !gone[i] : x.shape()[i] != 1) shape.push_back(x.shape()[i]);
  }
  if (shape.size() == x.ndim()) return x;
  return viewed(x, *reshape_view(layout_of(x), shape));
}

Array flip(const Array& x, const std::optional<Dims>& axes) {
  Dims starts(x.ndim(), 0), steps(x.ndim(), 1);
  bool moved = false;
  for (int64_t a : axes ? normalized("flip", *axes, x.ndim()) : iota_dims(x.ndim())) {
    const auto axis = static_cast<size_t>(a);
    if (x.shape()[axis] < 2) continue;
    starts[axis] = x.shape()[axis] - 1;
    steps[axis] = -1;
    moved = true;
  }
  if (!moved) return x;
  return viewed(x, slice_view(layout_of(x), starts, x.shape(), steps));
}

Array diagonal(const Array& x) {
  if (x.ndim() < 2) throw Error("diagonal: needs at least two axes: got shape " + to_string(x.shape()));
  return viewed(x, diagonal_view(layout_of(x)));
}

Array windows(const Array& x, int64_t window, int64_t axis) {
  const int64_t along = normalize_axis("windows", axis, x.ndim());
  const int64_t extent = x.shape()[static_cast<size_t>(along)];
  if (window < 0 || window > extent) {
    throw Error("windows: takes from none to all of the elements along the axis: got " +
                std::to_string(window) + " of " + std::to_string(extent));
  }
  return viewed(x, windows_view(layout_of(x), along, window));
}

Array as_strided(const Array& x, const Shape& shape, const Dims& strides) {
  if (strides.size() != shape.size()) {
    throw Error("as_strided: takes as many strides as extents: got " + to_string(strides) + " and " +
                to_string(shape));
  }
  if (std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 0; }))
    throw Error("as_strided: extents must not be negative: got " + to_string(shape));
  check_size("as_strided", shape, x.itemsize());
  if (auto view = strided_view(Access::cell(x)->type, layout_of(x), shape, strides))
    return viewed(x, std::move(*view));
  throw Error("as_strided: some elements lie outside of the array's memory: got shape " + to_string(shape) +
              " at strides " + to_string(strides) + " of elements");
}

Array broadcast_to(const Array& x, const Shape& shape) {
  const Shape& from = x.shape();
  bool fits = from.size() <= shape.size();
  for (size_t i = 0; fits && i < from.size(); ++i) {
    fits = from[i] == 1 || from[i] == shape[shape.size() - from.size() + i];
  }
  if (!fits) {
    throw Error("broadcast_to: the shape does not broadcast: got " + to_string(from) + " to " +
                to_string(shape));
  }
  check_size("broadcast_to", shape, x.itemsize());
  return viewed(x, broadcast_view(layout_of(x), shape));
}

std::vector<Array> broadcast_arrays(std::span<const Array> xs) {
  Shape shape;
  for (const Array& x : xs) shape = broadcast_shapes("broadcast_arrays", shape, x.shape());
  std::vector<Array> result;
  for (const Array& x : xs) result.push_back(broadcast_to(x, shape));
  return result;
}

}  // namespace weft
