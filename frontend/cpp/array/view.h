// A view of a cell: a chain of steps, each an index map of the one before. Reading applies the steps to the
// cell's value; writing puts a value back through them. Cells are row-major, so every view is also an offset
// and strides. A slice comes before the transposes, reshapes and complex parts of which it takes a range, so
// that writing replaces a part of the cell.
#pragma once

#include <optional>
#include <vector>

#include "compiler/base/recycled.h"
#include "compiler/base/reference_count.h"
#include "compiler/ir/node.h"
#include "frontend/cpp/weft/array.h"

namespace weft::detail {

struct View : Recycled<View> {
  mutable ReferenceCount count;
  Ref<const View> before;     // none: a step from the whole cell
  ir::Op op = ir::Op::slice;  // slice, permute, reshape, broadcast, bitcast, real, imag or gather
  ir::Attr attr;              // of a gather, which may show an element twice: see GatherAttr in view.cpp
  ir::TensorType from, type;  // before and after this step
  Dims strides;               // as `offset` in elements of the view's dtype, from the cell's first
  int64_t offset = 0;
  bool writable = true;
};

// What a view starts from: the whole of a cell, or another view.
struct Layout {
  Ref<const View> view;
  ir::TensorType type;
  Dims strides;
  int64_t offset = 0;
  bool writable = true;
};
Layout layout_of(const ir::TensorType& cell, const Ref<const View>& view);
Layout layout_of(const Array& array);
// Whether both show the same elements of one cell in the same places; a view of all of it is not compared
// with the cell itself.
bool same_elements(const Array& a, const Array& b);

Ref<const View> slice_view(const Layout& from, const Dims& starts, const Shape& extents, const Dims& steps);
Ref<const View> permute_view(const Layout& from, const Dims& axes);
Ref<const View> broadcast_view(const Layout& from, const Shape& shape);
// None where elements of another size do not lie along the last axis.
std::optional<Ref<const View>> bitcast_view(const Layout& from, DType dtype);
// The real or the imaginary parts of complex elements.
Ref<const View> part_view(const Layout& from, ir::Op part);
// The same elements, to be written or not. None: the whole of a cell, to be written. An Error where
// broadcasting repeated what is to be written.
Ref<const View> with_access(const Layout& from, bool writable);
// The main diagonal of the last two axes, in place of both.
Ref<const View> diagonal_view(const Layout& from);
// The windows of that many elements at every position along an axis, their elements along a new axis behind
// it.
Ref<const View> windows_view(const Layout& from, int64_t axis, int64_t window);
// The elements of the cell that lie at these strides from the first of a view, in elements of its dtype. None
// where some lie outside of the cell.
std::optional<Ref<const View>> strided_view(const ir::TensorType& cell, const Layout& from,
                                            const Shape& shape, const Dims& strides);
// Whether the view may show an element of the cell at two places.
bool may_overlap(const View* view);
// None where the strides do not allow it.
std::optional<Ref<const View>> reshape_view(const Layout& from, const Shape& shape);

// The strides of `shape` over the same elements in row-major order, or none (NumPy's rule for a reshape
// without copying).
std::optional<Dims> reshaped_strides(const Shape& from, const Dims& strides, const Shape& shape);

int steps(const View* view);
ir::NodeRef apply(const View* view, const ir::NodeRef& value, const ir::Lines& lines);
// The cell's value with `value` in the place that the view shows.
ir::NodeRef put(const View* view, const ir::NodeRef& cell, const ir::NodeRef& value, const ir::Lines& lines);

}  // namespace weft::detail
