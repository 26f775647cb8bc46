// What NumPy has that is made of other operations. Each is recorded as these, so that it fuses with what is around it,
// has derivatives where they have, and works in functions that are recorded.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frontend/cpp/weft/array.h"
#include "frontend/cpp/weft/reductions.h"

namespace weft {

// Where |a - b| <= absolute + relative * |b|. Infinities are close to themselves, and NaN to nothing unless told.
struct Tolerance {
  double relative = 1e-5, absolute = 1e-8;
  bool equal_nan = false;
};
Array isclose(const Array& a, const Operand& b, const Tolerance& tolerance = {}, Where at = Where::current());
// Whether it holds everywhere; of rank 0, for an `if`.
Array allclose(const Array& a, const Operand& b, const Tolerance& tolerance = {},
               Where at = Where::current());
// Whether shapes and elements are the same; of rank 0.
Array array_equal(const Array& a, const Array& b, Where at = Where::current());

// x[i + 1] - x[i] along an axis, so many times; of bools whether they differ.
Array diff(const Array& x, int64_t times = 1, int64_t axis = -1, Where at = Where::current());
// The slope along an axis: half the difference of the two neighbours over their distance, at the ends that of one. f64 of
// integers. Error with fewer than two elements.
Array gradient(const Array& y, double distance = 1, int64_t axis = -1, Where at = Where::current());
// The area below y, by trapezoids, whose points are so far apart, or at x: one for each place of the axis.
Array trapezoid(const Array& y, double distance = 1, int64_t axis = -1, Where at = Where::current());
Array trapezoid(const Array& y, const Array& x, int64_t axis = -1, Where at = Where::current());
// The vector product along the last axis, which has three elements.
Array cross(const Array& a, const Array& b, Where at = Where::current());
// At each x the value of the line through the points (points[i], values[i]), f64. The points ascend. Beyond them it is
// the value of the nearest.
Array interp(const Array& x, const Array& points, const Array& values, Where at = Where::current());

// The largest less the smallest.
Array ptp(const Array& x, const Axes& axes = {}, bool keepdims = false, Where at = Where::current());
// sum(x * weights) / sum(weights); f64 of integers. Weights have x's shape, or one axis where one is averaged over.
Array average(const Array& x, const Array& weights, const Axes& axes = {}, bool keepdims = false,
              Where at = Where::current());
// Of what is not NaN. Where there is nothing else: 0, and NaN for nanmean, nanmax and nanmin.
Array nansum(const Array& x, const Axes& axes = {}, bool keepdims = false, Where at = Where::current());
Array nanmean(const Array& x, const Axes& axes = {}, bool keepdims = false, Where at = Where::current());
Array nanmax(const Array& x, const Axes& axes = {}, bool keepdims = false, Where at = Where::current());
Array nanmin(const Array& x, const Axes& axes = {}, bool keepdims = false, Where at = Where::current());

// How many elements are in each bin, i64, and the edges of the bins: each holds its lower edge, and the last one its upper
// edge too. What is in none, and NaN, is not counted. Bins of one width have edges of f64, from the smallest element to the
// largest unless told; edges that are given ascend.
struct Histogram {
  Array counts, edges;
};
Histogram histogram(const Array& x, int64_t bins = 10,
                    const std::optional<std::pair<double, double>>& range = {}, Where at = Where::current());

Histogram histogram(const Array& x, const Array& edges, Where at = Where::current());

// The coordinates of a grid, one array for each axis of coordinates. XY: the first runs along the columns, as in NumPy.
enum class Indexing : uint8_t { XY, IJ };
std::vector<Array> meshgrid(std::span<const Array> axes, Indexing indexing = Indexing::XY,
                            Where at = Where::current());
inline std::vector<Array> meshgrid(std::initializer_list<Array> axes, Indexing indexing = Indexing::XY,
                                   Where at = Where::current()) {
  return meshgrid(std::span(axes.begin(), axes.size()), indexing, at);
}
// So many views of an axis, of which the first have one element more where it does not divide.
std::vector<Array> array_split(const Array& x, int64_t parts, int64_t axis = 0, Where at = Where::current());
// Side by side and one below the other: along the second and along the first axis. Arrays of one axis are joined end to
// end by hstack, and are the rows of vstack.
Array hstack(std::span<const Array> xs, Where at = Where::current());
inline Array hstack(std::initializer_list<Array> xs, Where at = Where::current()) {
  return hstack(std::span(xs.begin(), xs.size()), at);
}
Array vstack(std::span<const Array> xs, Where at = Where::current());
inline Array vstack(std::initializer_list<Array> xs, Where at = Where::current()) {
  return vstack(std::span(xs.begin(), xs.size()), at);
}

}  // namespace weft
