// Basic indexing: an index becomes one slice view and, where axes come or go, a reshape view of it.
#include "frontend/cpp/weft/index.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/view.h"

namespace weft {
namespace {

using detail::Access;

struct Range {
  int64_t start, extent, step;
};

// Python's slice.indices().
Range resolve(const Slice& s, int64_t length) {
  if (s.step == 0) throw Error("index: the step of a slice must not be zero: got 0");
  if (s.step == INT64_MIN)
    throw Error("index: the step of a slice is too small: got " + std::to_string(s.step));
  const bool back = s.step < 0;
  const int64_t lowest = back ? -1 : 0, highest = back ? length - 1 : length;
  const auto position = [&](const std::optional<int64_t>& given, int64_t otherwise) {
    if (!given) return otherwise;
    return *given < 0 ? (*given < -length ? lowest : *given + length) : std::min(*given, highest);
  };
  const int64_t start = position(s.start, back ? highest : lowest);
  const int64_t stop = position(s.stop, back ? lowest : highest);
  const int64_t distance = back ? start - stop : stop - start, by = back ? -s.step : s.step;
  return {start, distance > 0 ? (distance - 1) / by + 1 : 0, s.step};
}

int64_t resolve(int64_t position, size_t axis, int64_t extent) {
  if (position < -extent || position >= extent) {
    throw IndexError("index: position out of range for axis " + std::to_string(axis) + " of extent " +
                     std::to_string(extent) + ": got " + std::to_string(position));
  }
  return position < 0 ? position + extent : position;
}

}  // namespace

void Index::throw_out_of_range(uint64_t position) {
  throw IndexError("index: position out of range: got " + std::to_string(position));
}

Array Array::index(std::span<const Index> indices) const {
  const auto& cell = Access::cell(*this);
  const Shape& shape = this->shape();
  size_t used = 0, ellipses = 0;
  for (const Index& i : indices) {
    used += i.kind() == Index::Kind::Position || i.kind() == Index::Kind::Range;
    ellipses += i.kind() == Index::Kind::Ellipsis;
  }
  if (used > shape.size()) {
    throw IndexError("index: too many positions for an array of " + std::to_string(shape.size()) +
                     " axes: got " + std::to_string(used));
  }
  if (ellipses > 1) throw IndexError("index: takes one ellipsis at most: got " + std::to_string(ellipses));

  Dims starts(shape.size(), 0), steps(shape.size(), 1);
  Shape extents = shape, result;
  size_t axis = 0;
  bool sliced = false;
  const auto whole_axes = [&](size_t count) {
    for (; count > 0; --count) result.push_back(shape[axis++]);
  };
  for (const Index& i : indices) {
    switch (i.kind()) {
      case Index::Kind::NewAxis:
        result.push_back(1);
        break;
      case Index::Kind::Ellipsis:
        whole_axes(shape.size() - used);
        break;
      case Index::Kind::Position:
        starts[axis] = resolve(i.position(), axis, shape[axis]);
        extents[axis] = 1;
        sliced = sliced || shape[axis] != 1;
        ++axis;
        break;
      case Index::Kind::Range: {
        const Range range = resolve(i.range(), shape[axis]);
        starts[axis] = range.start;
        extents[axis] = range.extent;
        steps[axis] = range.extent > 1 ? range.step : 1;
        sliced = sliced || range.extent != shape[axis] || (range.extent > 1 && range.step != 1);
        result.push_back(range.extent);
        ++axis;
        break;
      }
    }
  }
  whole_axes(shape.size() - axis);

  detail::Ref<const detail::View> view = view_;
  if (sliced) view = slice_view(layout_of(cell->type, view), starts, extents, steps);
  if (result != extents) view = *reshape_view(layout_of(cell->type, view), result);
  return Access::make(cell_, std::move(view));
}

Array Array::element(const Dims& positions) const {
  if (positions.size() != ndim()) {
    throw IndexError("at: takes a position for each of " + std::to_string(ndim()) + " axes: got " +
                     std::to_string(positions.size()));
  }
  std::vector<Index> indices(positions.begin(), positions.end());
  return index(indices);
}

}  // namespace weft
