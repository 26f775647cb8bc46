// Other shapes and orders of the same elements. Those marked `view` share the array's cell; the others are
// new arrays.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft {

// As to_string() and name() write them.
std::ostream& operator<<(std::ostream& out, const Shape& shape);
std::ostream& operator<<(std::ostream& out, DType dtype);

Array permute_dims(const Array& x, const Dims& axes);                 // view
Array moveaxis(const Array& x, int64_t from, int64_t to);             // view
Array swapaxes(const Array& x, int64_t a, int64_t b);                 // view
Array expand_dims(const Array& x, int64_t axis);                      // view: a new axis of extent 1
Array squeeze(const Array& x, const std::optional<Dims>& axes = {});  // view: without axes of extent 1
Array flip(const Array& x, const std::optional<Dims>& axes = {});     // view: backwards
Array diagonal(const Array& x);  // view: of the last two axes, in their place
// Views that may show an element at several places; assigning to them leaves the last one, and what would be
// computed in place is an Error. The windows of so many elements at every position along an axis, their
// elements along a new axis behind it; and the elements at these strides, counted in elements, from x's
// first.
Array windows(const Array& x, int64_t window, int64_t axis);
Array as_strided(const Array& x, const Shape& shape, const Dims& strides);
Array broadcast_to(const Array& x, const Shape& shape);          // view, read-only
std::vector<Array> broadcast_arrays(std::span<const Array> xs);  // views, read-only

// Elements that leave at one end of the axis come in at the other; without an axis the array is rolled as if
// flat.
Array roll(const Array& x, int64_t shift, std::optional<int64_t> axis = {}, Where at = Where::current());
Array tile(const Array& x, const Dims& repetitions, Where at = Where::current());
// Each element `count` times in a row; without an axis of the flat array.
Array repeat(const Array& x, int64_t count, std::optional<int64_t> axis = {}, Where at = Where::current());
// Along an axis that is there, and along a new one. Dtypes promote.
Array concat(std::span<const Array> xs, int64_t axis = 0, Where at = Where::current());
inline Array concat(std::initializer_list<Array> xs, int64_t axis = 0, Where at = Where::current()) {
  return concat(std::span(xs.begin(), xs.size()), axis, at);
}
Array stack(std::span<const Array> xs, int64_t axis = 0, Where at = Where::current());
inline Array stack(std::initializer_list<Array> xs, int64_t axis = 0, Where at = Where::current()) {
  return stack(std::span(xs.begin(), xs.size()), axis, at);
}
// `value` before and after each axis.
Array pad(const Array& x, const std::vector<std::pair<int64_t, int64_t>>& widths, const Number& value = 0,
          Where at = Where::current());

// x[…, index, …] along an axis, for an index of any shape. Negative positions count from the end. Positions
// outside are an IndexError where they lie in host memory; those yet to be computed are held to the axis.
Array take(const Array& x, const Array& index, int64_t axis = 0, Where at = Where::current());
// One position for each place of the result; index and x broadcast against each other off the axis.
Array take_along_axis(const Array& x, const Array& index, int64_t axis, Where at = Where::current());
// Writes values at those positions; the last of equal positions stays.
void put_along_axis(const Array& x, const Array& index, const Operand& values, int64_t axis);
// Adds values at those positions, every one of equal positions. On a GPU integers are added in parallel,
// floats one after another.
void add_along_axis(const Array& x, const Array& index, const Operand& values, int64_t axis);
// An array of `extent` elements whose element index[i] is values[i], for one axis of positions. What no
// position names is unspecified, and so is which of equal positions stays.
Array place(const Array& values, const Array& index, int64_t extent, Where at = Where::current());

// The positions of true elements in the flat mask. The mask is computed, as the result's shape depends on it.
Array true_positions(const Array& mask, Where at = Where::current());
// x[mask] for a mask over x's leading axes: one axis of what it picks stands for them. The mask is computed,
// as the result's shape depends on it.
Array take_where(const Array& x, const Array& mask, Where at = Where::current());
// x[mask] = values, which broadcast to what the mask picks.
void put_where(const Array& x, const Array& mask, const Operand& values);

}  // namespace weft
