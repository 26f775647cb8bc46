#include "frontend/cpp/array/view.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/base/short_list.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/regroup.h"

namespace weft::detail {
namespace {

using ir::Op;

Ref<const View> step(const Layout& from, Op op, ir::Attr attr, ir::TensorType type, Dims strides,
                     int64_t offset) {
  auto* view = new View;
  Ref<const View> result(view);
  view->before = from.view;
  view->op = op;
  view->attr = std::move(attr);
  view->from = from.type;
  view->type = std::move(type);
  view->strides = std::move(strides);
  view->offset = offset;
  view->writable = from.writable && op != Op::broadcast;
  return result;
}

// A gather takes elements of one axis; axes as many as there are steps take its place. The first element is
// taken at starts[1], starts[0] is the axis.
using GatherAttr = ir::SliceAttr;

// first + the sum of step * position along the axes from `axis` on.
ir::NodeRef positions(const Shape& shape, size_t axis, int64_t first, const Dims& steps,
                      const ir::Lines& lines) {
  const auto number = [&](int64_t n) {
    return ir::broadcast(ir::constant({DType::I64, {}}, Scalar::of(n), lines), shape, lines);
  };
  ir::NodeRef sum;
  for (size_t k = 0; k < steps.size(); ++k) {
    if (steps[k] == 0) continue;
    ir::NodeRef along = ir::iota({DType::I64, shape}, static_cast<int64_t>(axis + k), lines);
    if (steps[k] != 1) along = ir::map(Op::multiply, {along, number(steps[k])}, lines);
    sum = sum ? ir::map(Op::add, {sum, along}, lines) : along;
  }
  if (!sum) return number(first);
  return first == 0 ? sum : ir::map(Op::add, {sum, number(first)}, lines);
}

ir::NodeRef gathered(const View& v, const ir::NodeRef& x, const ir::Lines& lines) {
  const auto& how = std::get<GatherAttr>(v.attr);
  const auto axis = static_cast<size_t>(how.starts[0]);
  Shape index(v.type.shape.size(), 1), apart = x->shape();
  for (size_t k = 0; k < how.steps.size(); ++k) index[axis + k] = v.type.shape[axis + k];
  for (size_t k = 1; k < how.steps.size(); ++k) apart.insert(axis + k, 1);
  return ir::gather(ir::reshape(x, apart, lines), positions(index, axis, how.starts[1], how.steps, lines),
                    how.starts[0], lines);
}

// The cell's value with `value` at the places of a view that shows elements twice: the last one stays.
ir::NodeRef put_by_place(const View& view, const ir::NodeRef& cell, const ir::NodeRef& value,
                         const ir::Lines& lines) {
  const Shape count{element_count(view.type.shape)};
  if (count[0] == 0) return cell;
  const bool same = cell->dtype() == view.type.dtype;
  ir::NodeRef all = ir::reshape(cell, {element_count(cell->shape())}, lines);
  if (!same) all = regroup(all, view.type.dtype, lines);
  const ir::NodeRef at =
      ir::reshape(positions(view.type.shape, 0, view.offset, view.strides, lines), count, lines);
  all = ir::scatter(Op::scatter, all, at, ir::reshape(value, count, lines), 0, lines);
  if (!same) all = regroup(all, cell->dtype(), lines);
  return ir::reshape(all, cell->shape(), lines);
}

ir::NodeRef apply_step(const View& v, const ir::NodeRef& x, const ir::Lines& lines) {
  switch (v.op) {
    case Op::slice: {
      const auto& range = std::get<ir::SliceAttr>(v.attr);
      return ir::slice(x, range.starts, v.type.shape, range.steps, lines);
    }
    case Op::permute:
      return ir::permute(x, std::get<ir::AxesAttr>(v.attr).axes, lines);
    case Op::reshape:
      return ir::reshape(x, v.type.shape, lines);
    case Op::broadcast:
      return ir::broadcast(x, v.type.shape, lines);
    case Op::bitcast:
      return regroup(x, v.type.dtype, lines);
    case Op::gather:
      return gathered(v, x, lines);
    case Op::real:
    case Op::imag:
      return ir::map(v.op, {x}, lines);
    default:
      throw InternalError("view: not a view step: " + std::string(ir::name(v.op)));
  }
}

// Whether a step shows a part of what it starts from, the rest of which stays when the part is written.
bool shows_part(Op op) { return op == Op::slice || op == Op::real || op == Op::imag; }

// `value` seen from before the step; what the step leaves of `base` stays.
ir::NodeRef put_step(const View& v, const ir::NodeRef& base, const ir::NodeRef& value,
                     const ir::Lines& lines) {
  switch (v.op) {
    case Op::slice: {
      const auto& range = std::get<ir::SliceAttr>(v.attr);
      return ir::update(base, value, range.starts, range.steps, lines);
    }
    case Op::permute: {
      const Dims& axes = std::get<ir::AxesAttr>(v.attr).axes;
      Dims inverse(axes.size(), 0);
      for (size_t i = 0; i < axes.size(); ++i)
        inverse[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
      return ir::permute(value, inverse, lines);
    }
    case Op::reshape:
      return ir::reshape(value, v.from.shape, lines);
    case Op::bitcast:
      return regroup(value, v.from.dtype, lines);
    case Op::real:
      return ir::map(Op::complex, {value, ir::map(Op::imag, {base}, lines)}, lines);
    case Op::imag:
      return ir::map(Op::complex, {ir::map(Op::real, {base}, lines), value}, lines);
    default:
      throw InternalError("view: cannot write through " + std::string(ir::name(v.op)));
  }
}

// The range of `from` whose elements, in order, are those that a range takes of the same elements in shape
// `to`, and its extents. None where they are no such range. The range is not empty.
std::optional<std::pair<ir::SliceAttr, Shape>> range_before_reshape(const Shape& from, const Shape& to,
                                                                    const Dims& starts, const Shape& extents,
                                                                    const Dims& steps) {
  const Dims of_from = contiguous_strides(from), of_to = contiguous_strides(to);
  int64_t first = 0;
  for (size_t k = 0; k < to.size(); ++k) first += starts[k] * of_to[k];
  ir::SliceAttr range{Dims(from.size(), 0), Dims(from.size(), 1)};
  Shape taken(from.size(), 1);
  for (size_t k = 0; k < from.size(); ++k) {
    range.starts[k] = first / of_from[k];
    first %= of_from[k];
  }
  // Axes from the inside out: each is a run of steps along one axis of `from`, or of whole axes and such a
  // run.
  for (size_t k = to.size(); k-- > 0;) {
    int64_t count = extents[k], stride = steps[k] * of_to[k];
    for (size_t axis = from.size(); count > 1 && axis-- > 0;) {
      const bool outermost = std::all_of(from.begin(), from.begin() + static_cast<int64_t>(axis),
                                         [](int64_t extent) { return extent == 1; });
      if (from[axis] == 1 || (!outermost && std::abs(stride) >= of_from[axis] * from[axis])) continue;
      if (stride % of_from[axis] != 0) return {};
      const int64_t step = stride / of_from[axis];
      if (taken[axis] > 1 && step != range.steps[axis] * taken[axis]) return {};
      const int64_t inner = taken[axis] > 1 ? range.steps[axis] : step;
      const int64_t last = range.starts[axis] + inner * (taken[axis] * count - 1);
      if (last >= 0 && last < from[axis]) {
        range.steps[axis] = inner;
        taken[axis] *= count;
        count = 1;
      } else {
        if (step != 1 || range.starts[axis] != 0 || taken[axis] > 1 || count % from[axis] != 0) return {};
        taken[axis] = from[axis];
        count /= from[axis];
        stride *= from[axis];
      }
    }
    if (count > 1) return {};
  }
  return std::pair(std::move(range), std::move(taken));
}

constexpr size_t kFewSteps = 4;  // nearly all views have no more

// A view's steps, the first one first.
struct Chain : ShortList<const View*, kFewSteps> {
  explicit Chain(const View* view) : ShortList(static_cast<size_t>(steps(view))) {
    for (size_t k = size(); k-- > 0; view = view->before.get()) (*this)[k] = view;
  }
};

}  // namespace

// Iterative, since a loop may take a view of a view many times.
void release(const View* view) noexcept {
  while (view && view->count.drop()) {
    const View* before = view->before.get();
    if (before) retain(before);
    delete view;
    view = before;
  }
}
void retain(const View* view) noexcept { view->count.add(); }

Layout layout_of(const ir::TensorType& cell, const Ref<const View>& view) {
  if (view) return {view, view->type, view->strides, view->offset, view->writable};
  return {{}, cell, contiguous_strides(cell.shape), 0, true};
}
Layout layout_of(const Array& array) { return layout_of(Access::cell(array)->type, Access::view(array)); }

bool same_elements(const Array& a, const Array& b) {
  if (Access::cell(a).get() != Access::cell(b).get()) return false;
  const View *one = Access::view(a).get(), *other = Access::view(b).get();
  if (!one || !other) return one == other;
  return one->offset == other->offset && one->type == other->type && one->strides == other->strides;
}

namespace {

Ref<const View> sliced(const Layout& from, const Dims& starts, const Shape& extents, const Dims& steps) {
  Dims strides = from.strides;
  int64_t offset = from.offset;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (extents[i] > 0) offset += starts[i] * strides[i];
    strides[i] *= steps[i];
  }
  const View* last = from.view.get();
  const bool any = element_count(extents) > 0;
  if (last && last->op == Op::permute && any) {
    const Dims& axes = std::get<ir::AxesAttr>(last->attr).axes;
    Dims starts_before = starts, extents_before = extents, steps_before = steps;
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto k = static_cast<size_t>(axes[i]);
      starts_before[k] = starts[i], extents_before[k] = extents[i], steps_before[k] = steps[i];
    }
    const Ref<const View> part =
        slice_view(layout_of(last->from, last->before), starts_before, extents_before, steps_before);
    return permute_view(layout_of(last->from, part), axes);
  }
  if (last && (last->op == Op::real || last->op == Op::imag)) {
    const Ref<const View> part = slice_view(layout_of(last->from, last->before), starts, extents, steps);
    return part_view(layout_of(last->from, part), last->op);
  }
  if (last && last->op == Op::reshape && any) {
    if (auto range = range_before_reshape(last->from.shape, from.type.shape, starts, extents, steps)) {
      const Ref<const View> part = slice_view(layout_of(last->from, last->before), range->first.starts,
                                              range->second, range->first.steps);
      if (auto view = reshape_view(layout_of(last->from, part), extents)) return *view;
    }
  }
  if (last && last->op == Op::slice) {
    // A slice of a slice is one slice.
    const auto& first = std::get<ir::SliceAttr>(last->attr);
    ir::SliceAttr both{first.starts, first.steps};
    for (size_t i = 0; i < starts.size(); ++i) {
      both.starts[i] += starts[i] * first.steps[i];
      both.steps[i] *= steps[i];
    }
    const Layout base{last->before, last->from, {}, 0, from.writable};
    return step(base, Op::slice, std::move(both), {from.type.dtype, extents}, std::move(strides), offset);
  }
  return step(from, Op::slice, ir::SliceAttr{starts, steps}, {from.type.dtype, extents}, std::move(strides),
              offset);
}

}  // namespace

Ref<const View> slice_view(const Layout& from, const Dims& starts, const Shape& extents, const Dims& steps) {
  // What a slice comes before may be written though the view cannot.
  Ref<const View> view = sliced(from, starts, extents, steps);
  if (view && view->writable == from.writable) return view;
  return with_access(layout_of({from.type.dtype, extents}, view), from.writable);
}

Ref<const View> permute_view(const Layout& from, const Dims& axes) {
  Dims strides(axes.size(), 0);
  Shape shape(axes.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    strides[i] = from.strides[static_cast<size_t>(axes[i])];
    shape[i] = from.type.shape[static_cast<size_t>(axes[i])];
  }
  ir::TensorType type{from.type.dtype, std::move(shape)};
  const View* last = from.view.get();
  if (!last || last->op != Op::permute)
    return step(from, Op::permute, ir::AxesAttr{axes}, std::move(type), std::move(strides), from.offset);
  Dims both = axes;
  for (int64_t& axis : both) axis = std::get<ir::AxesAttr>(last->attr).axes[static_cast<size_t>(axis)];
  if (std::is_sorted(both.begin(), both.end()))
    return with_access(layout_of(last->from, last->before), from.writable);
  const Layout base{last->before, last->from, {}, 0, from.writable};
  return step(base, Op::permute, ir::AxesAttr{both}, std::move(type), std::move(strides), from.offset);
}

Ref<const View> broadcast_view(const Layout& from, const Shape& shape) {
  const size_t more = shape.size() - from.strides.size();
  Dims strides(shape.size(), 0);
  for (size_t i = 0; i < from.strides.size(); ++i) {
    if (from.type.shape[i] == shape[more + i]) strides[more + i] = from.strides[i];
  }
  return step(from, Op::broadcast, {}, {from.type.dtype, shape}, std::move(strides), from.offset);
}

Ref<const View> with_access(const Layout& from, bool writable) {
  if (from.writable == writable) return from.view;
  const View* last = from.view.get();
  if (!last) {
    Layout guarded = from;
    guarded.writable = false;
    return step(guarded, Op::reshape, {}, from.type, from.strides, from.offset);
  }
  for (const View* v = last; writable && v; v = v->before.get()) {
    if (v->op == Op::broadcast)
      throw Error("writeable: elements that broadcasting repeated cannot be written: got shape " +
                  to_string(from.type.shape));
  }
  if (writable && !last->before && last->op == Op::reshape && last->from == last->type) return {};
  const Layout base{last->before, last->from, {}, 0, writable};
  return step(base, last->op, last->attr, last->type, last->strides, last->offset);
}

Ref<const View> diagonal_view(const Layout& from) {
  const size_t rank = from.type.shape.size(), kept = rank - 2;
  const int64_t rows = from.type.shape[kept], columns = from.type.shape[kept + 1];
  const int64_t length = std::min(rows, columns);
  Shape flat = from.type.shape, extents = from.type.shape;
  flat.erase(kept + 1), extents.erase(kept + 1);
  flat[kept] = rows * columns;
  extents[kept] = length;
  Dims starts(rank - 1, 0), steps(rank - 1, 1);
  if (std::optional<Ref<const View>> joined = reshape_view(from, flat)) {
    steps[kept] = columns + 1;
    return slice_view(layout_of({from.type.dtype, flat}, *joined), starts, extents, steps);
  }
  // The two axes joined as if nothing lay between the rows: that step is only ever seen through the slice
  // behind it, whose strides are those of the elements.
  Shape square = from.type.shape;
  square[kept] = square[kept + 1] = length;
  const Layout whole =
      rows == columns ? from : layout_of(from.type, slice_view(from, Dims(rank, 0), square, Dims(rank, 1)));
  Dims strides = whole.strides;
  strides[kept] += strides[kept + 1];
  strides.erase(kept + 1);
  flat[kept] = length * length;
  steps[kept] = length + 1;
  const Ref<const View> joined = step(whole, Op::reshape, {}, {from.type.dtype, flat}, strides, whole.offset);
  return step(layout_of(from.type, joined), Op::slice, ir::SliceAttr{starts, steps},
              {from.type.dtype, extents}, std::move(strides), whole.offset);
}

std::optional<Ref<const View>> bitcast_view(const Layout& from, DType dtype) {
  const auto was = static_cast<int64_t>(size_of(from.type.dtype)), is = static_cast<int64_t>(size_of(dtype));
  ir::TensorType type{dtype, from.type.shape};
  Dims strides = from.strides;
  int64_t offset = from.offset;
  if (was != is) {
    if (strides.empty()) return {};
    int64_t& extent = type.shape[strides.size() - 1];
    int64_t& last = strides[strides.size() - 1];
    const bool any = element_count(from.type.shape) > 0;
    if (any && extent > 1 && last != 1) return {};
    // An element of the larger dtype lies where a whole one begins.
    bool whole = true;
    const auto in_new = [&](int64_t n) {
      whole = whole && n * was % is == 0;
      return n * was / is;
    };
    extent = in_new(extent), last = 0;
    if (any) {
      offset = in_new(offset);
      for (int64_t& stride : strides) stride = in_new(stride);
      last = 1;
    } else {
      offset = 0, strides = contiguous_strides(type.shape);
    }
    if (!whole) return {};
  }
  return step(from, Op::bitcast, {}, std::move(type), std::move(strides), offset);
}

Ref<const View> part_view(const Layout& from, Op part) {
  // Each part is an element of half the size.
  Dims strides = from.strides;
  for (int64_t& stride : strides) stride *= 2;
  const int64_t offset = 2 * from.offset + (part == Op::imag ? 1 : 0);
  return step(from, part, {}, {real_of(from.type.dtype), from.type.shape}, std::move(strides), offset);
}

Ref<const View> windows_view(const Layout& from, int64_t axis, int64_t window) {
  const auto along = static_cast<size_t>(axis);
  Shape shape = from.type.shape;
  Dims strides = from.strides;
  shape[along] += 1 - window;
  shape.insert(along + 1, window);
  strides.insert(along + 1, strides[along]);
  return step(from, Op::gather, GatherAttr{{axis, 0}, {1, 1}}, {from.type.dtype, shape}, std::move(strides),
              from.offset);
}

std::optional<Ref<const View>> strided_view(const ir::TensorType& cell, const Layout& from,
                                            const Shape& shape, const Dims& strides) {
  const DType dtype = from.type.dtype;
  Layout flat = layout_of(cell, *reshape_view(layout_of(cell, {}), {element_count(cell.shape)}));
  if (cell.dtype != dtype) {
    const auto same_bytes = bitcast_view(flat, dtype);
    if (!same_bytes) return {};
    flat = layout_of(cell, *same_bytes);
  }
  flat.writable = from.writable;
  if (element_count(shape) == 0) return reshape_view(layout_of(cell, slice_view(flat, {0}, {0}, {1})), shape);
  int64_t least = from.offset, most = from.offset;
  for (size_t k = 0; k < shape.size(); ++k) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(shape[k] - 1, strides[k], &reach)) return {};
    int64_t& end = reach < 0 ? least : most;
    if (__builtin_add_overflow(end, reach, &end)) return {};
  }
  if (least < 0 || most >= element_count(flat.type.shape)) return {};
  if (shape.empty()) return reshape_view(layout_of(cell, slice_view(flat, {from.offset}, {1}, {1})), shape);
  return step(flat, Op::gather, GatherAttr{{0, from.offset}, strides}, {dtype, shape}, strides, from.offset);
}

bool may_overlap(const View* view) {
  bool twice = false;
  for (const View* v = view; v; v = v->before.get()) twice |= v->op == Op::gather;
  if (!twice) return false;
  // Each stride beyond all that lies between two of its steps.
  std::vector<std::pair<int64_t, int64_t>> axes;
  for (size_t k = 0; k < view->strides.size(); ++k)
    if (view->type.shape[k] > 1) axes.emplace_back(std::abs(view->strides[k]), view->type.shape[k]);
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return true;
    reach += stride * (extent - 1);
  }
  return false;
}

std::optional<Ref<const View>> reshape_view(const Layout& from, const Shape& shape) {
  std::optional<Dims> strides = reshaped_strides(from.type.shape, from.strides, shape);
  if (!strides) return {};
  ir::TensorType type{from.type.dtype, shape};
  const View* last = from.view.get();
  if (!last || last->op != Op::reshape)
    return step(from, Op::reshape, {}, std::move(type), std::move(*strides), from.offset);
  if (last->from.shape == shape) return with_access(layout_of(last->from, last->before), from.writable);
  const Layout base{last->before, last->from, {}, 0, from.writable};
  return step(base, Op::reshape, {}, std::move(type), std::move(*strides), from.offset);
}

std::optional<Dims> reshaped_strides(const Shape& from, const Dims& strides, const Shape& shape) {
  if (element_count(from) == 0) return contiguous_strides(shape);
  Dims old_shape, old_strides;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) continue;
    old_shape.push_back(from[i]);
    old_strides.push_back(strides[i]);
  }
  Dims result(shape.size(), 0);
  size_t old_axis = 0, new_axis = 0;
  // Pairs runs of old and new axes that hold equally many elements; each old run must be contiguous in
  // itself.
  while (old_axis < old_shape.size()) {
    size_t old_end = old_axis + 1, new_end = new_axis;
    int64_t old_count = old_shape[old_axis], new_count = 1;
    while (old_count != new_count) {
      if (new_count < old_count) {
        new_count *= shape[new_end++];
      } else {
        old_count *= old_shape[old_end++];
      }
    }
    for (size_t k = old_axis; k + 1 < old_end; ++k) {
      if (old_strides[k] != old_shape[k + 1] * old_strides[k + 1]) return std::nullopt;
    }
    int64_t stride = old_strides[old_end - 1];
    for (size_t k = new_end; k-- > new_axis;) {
      result[k] = stride;
      stride *= shape[k];
    }
    old_axis = old_end;
    new_axis = new_end;
  }
  return result;
}

int steps(const View* view) {
  int count = 0;
  for (; view; view = view->before.get()) ++count;
  return count;
}

ir::NodeRef apply(const View* view, const ir::NodeRef& value, const ir::Lines& lines) {
  if (!view) return value;
  if (!view->before) return apply_step(*view, value, lines);
  ir::NodeRef seen = value;
  Chain list(view);
  for (const View* v : list) seen = apply_step(*v, seen, lines);
  return seen;
}

ir::NodeRef put(const View* view, const ir::NodeRef& cell, const ir::NodeRef& value, const ir::Lines& lines) {
  Chain list(view);
  if (std::any_of(list.begin(), list.end(), [](const View* v) { return v->op == Op::gather; }))
    return put_by_place(*view, cell, value, lines);
  // What each step reads, as far as those that show a part need it to keep the rest of it.
  ShortList<ir::NodeRef, kFewSteps> base(list.size());
  size_t needed = list.size();
  while (needed > 0 && !shows_part(list[needed - 1]->op)) --needed;
  ir::NodeRef seen = cell;
  for (size_t i = 0; i < needed; ++i) {
    base[i] = seen;
    if (i + 1 < needed) seen = apply_step(*list[i], seen, lines);
  }
  ir::NodeRef result = value;
  for (size_t i = list.size(); i-- > 0;) result = put_step(*list[i], base[i], result, lines);
  return result;
}

}  // namespace weft::detail
