// Sorting and searching. Orders are found when they are asked for: a few long rows of a GPU's array by the GPU, all others on the
// host, by all threads, wherever the array lies. A sorted array of the host's has its values at once. What is taken by them is recorded like every other operation, so sort() has derivatives.
// A function that is being recorded (compiled.h) has no values to sort: Error.
//
// NaN stands behind everything else. Complex numbers are ordered by their real and then by their imaginary parts, those
// with NaN last. All of this is what NumPy does.
#pragma once

#include <vector>

#include "frontend/cpp/weft/array.h"
#include "frontend/cpp/weft/reductions.h"

namespace weft {

// The elements along an axis, in ascending order.
Array sort(const Array& x, int64_t axis = -1, Where at = Where::current());
// The positions that put them there, i64; equal elements keep their order.
Array argsort(const Array& x, int64_t axis = -1, Where at = Where::current());

// Where values would go into an array of one sorted axis: the first place where it stays sorted, or with Side::Right
// the last. i64, of the values' shape. It looks at no value: functions that are being recorded may ask it, too.
enum class Side : uint8_t { Left, Right };
Array searchsorted(const Array& sorted, const Operand& values, Side side = Side::Left,
                   Where at = Where::current());

// The different elements of x in ascending order; all NaNs are one.
Array unique(const Array& x, Where at = Where::current());
// Besides these: the row-major position of the first of each, which of them each element of x is (of x's shape), and
// how many there are of each. All i64.
struct Unique {
  Array values, index, inverse, counts;
};
Unique unique_all(const Array& x, Where at = Where::current());

// The positions of what is not zero in row-major order: for each axis of x an array of i64. Error of rank 0.
std::vector<Array> nonzero(const Array& x, Where at = Where::current());

// The middle element in ascending order, or the mean of the two in the middle; f64 for bools and integers. NaN where
// there is one. Error where there is nothing, and for complex numbers.
Array median(const Array& x, const Axes& axes = {}, bool keepdims = false, Where at = Where::current());
// The value below which the part q of the elements lies, 0 <= q <= 1, linearly between the two nearest.
Array quantile(const Array& x, double q, const Axes& axes = {}, bool keepdims = false,
               Where at = Where::current());

}  // namespace weft
