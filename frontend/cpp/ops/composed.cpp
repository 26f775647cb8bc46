#include "frontend/cpp/weft/composed.h"

#include <algorithm>
#include <limits>
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/shaping.h"
#include "frontend/cpp/weft/sorting.h"

namespace weft {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_inexact(DType dtype) { return dtype != DType::Bool && !is_integer(dtype); }
Array inexact(const Array& x) { return is_inexact(x.dtype()) ? x : x.astype(DType::F64); }

// Elements of one axis, from `start` to before `stop`; a view.
Array part(const Array& x, size_t axis, int64_t start, int64_t stop) {
  std::vector<Index> index(axis, Slice{});
  index.emplace_back(Slice{start, stop});
  return x.index(index);
}

size_t axis_of(const char* op, const Array& x, int64_t axis) {
  return static_cast<size_t>(normalize_axis(op, axis, x.ndim()));
}

// Sums of halves are rounded once.
Array wide(const Array& x) { return is_half(x.dtype()) ? x.astype(DType::F32) : x; }

}  // namespace

Array isclose(const Array& a, const Operand& b, const Tolerance& tolerance, Where at) {
  const LineScope scope(at);
  // Differences of integers may not be ones of their dtype.
  const Array x = inexact(a);
  const Array held = b.array() ? inexact(*b.array()) : Array();  // operands refer to arrays
  const Operand y = b.array() ? Operand(held) : b;
  const Array near = abs(x - y) <= tolerance.absolute + tolerance.relative * abs(y);
  const Array close = x == y || (near && isfinite(y));
  return tolerance.equal_nan ? close || (isnan(x) && isnan(y)) : close;
}

Array allclose(const Array& a, const Operand& b, const Tolerance& tolerance, Where at) {
  const LineScope scope(at);
  return all(isclose(a, b, tolerance, at));
}

Array array_equal(const Array& a, const Array& b, Where at) {
  const LineScope scope(at);
  return a.shape() == b.shape() ? all(a == b) : full(Shape{}, false, Make(DType::Bool, a.device()));
}

Array diff(const Array& x, int64_t times, int64_t axis, Where at) {
  const LineScope scope(at);
  if (times < 0) throw Error("diff: takes differences 0 times or more: got " + std::to_string(times));
  const size_t along = axis_of("diff", x, axis);
  Array result = x;
  for (; times > 0 && result.shape()[along] > 0; --times) {
    const int64_t n = result.shape()[along];
    const Array after = part(result, along, 1, n), before = part(result, along, 0, n - 1);
    result = x.dtype() == DType::Bool ? after != before : after - before;
  }
  return result;
}

Array gradient(const Array& y, double distance, int64_t axis, Where at) {
  const LineScope scope(at);
  const size_t along = axis_of("gradient", y, axis);
  const int64_t n = y.shape()[along];
  if (n < 2)
    throw Error("gradient: takes two elements at least along the axis: got shape " + to_string(y.shape()));
  const Array f = inexact(y);
  const auto from = [&](int64_t start, int64_t stop) { return part(f, along, start, stop); };
  return concat({(from(1, 2) - from(0, 1)) / distance, (from(2, n) - from(0, n - 2)) / (2 * distance),
                 (from(n - 1, n) - from(n - 2, n - 1)) / distance},
                static_cast<int64_t>(along));
}

namespace {

// Pairs of neighbours, times how far they are apart.
Array area(const Array& y, size_t along, const Operand& distance) {
  const int64_t n = y.shape()[along];
  if (n == 0) return sum(y, static_cast<int64_t>(along));
  return sum((part(y, along, 1, n) + part(y, along, 0, n - 1)) * distance / 2.0, static_cast<int64_t>(along));
}

}  // namespace

Array trapezoid(const Array& y, double distance, int64_t axis, Where at) {
  const LineScope scope(at);
  return area(inexact(y), axis_of("trapezoid", y, axis), distance);
}

Array trapezoid(const Array& y, const Array& x, int64_t axis, Where at) {
  const LineScope scope(at);
  const size_t along = axis_of("trapezoid", y, axis);
  Array at_points = x;
  if (x.ndim() == 1 && y.ndim() > 1) {
    Shape shape(y.ndim(), 1);
    shape[along] = x.size();
    at_points = x.reshape(shape);
  } else if (x.ndim() != y.ndim()) {
    throw Error("trapezoid: x has one axis, or those of y: got shape " + to_string(x.shape()) + " beside " +
                to_string(y.shape()));
  }
  const int64_t n = y.shape()[along];
  if (at_points.shape()[along] != n)
    throw Error("trapezoid: x has an element for each of y's along the axis: got " + std::to_string(n) +
                " beside shape " + to_string(x.shape()));
  return area(inexact(y), along, diff(inexact(at_points), 1, static_cast<int64_t>(along)));
}

Array cross(const Array& a, const Array& b, Where at) {
  const LineScope scope(at);
  for (const Array* x : {&a, &b})
    if (x->ndim() == 0 || x->shape().back() != 3)
      throw Error("cross: the last axis has three elements: got shape " + to_string(x->shape()));
  const auto of = [](const Array& x, int64_t k) { return x(ellipsis, k); };
  return stack({of(a, 1) * of(b, 2) - of(a, 2) * of(b, 1), of(a, 2) * of(b, 0) - of(a, 0) * of(b, 2),
                of(a, 0) * of(b, 1) - of(a, 1) * of(b, 0)},
               -1);
}

Array interp(const Array& x, const Array& points, const Array& values, Where at) {
  const LineScope scope(at);
  if (points.ndim() != 1 || points.shape() != values.shape() || points.size() == 0)
    throw Error("interp: takes as many values as points, of one axis: got shapes " +
                to_string(points.shape()) + " and " + to_string(values.shape()));
  const Array at_x = x.astype(DType::F64), p = points.astype(DType::F64), v = values.astype(DType::F64);
  const int64_t n = p.size();
  const Array found = searchsorted(p, at_x, Side::Right) - 1;  // the last point that is not beyond x
  const Array below = clip(found, 0, std::max<int64_t>(n - 2, 0)), above = clip(below + 1, 0, n - 1);
  const Array low = take(v, below), from = take(p, below);
  const Array slope = (take(v, above) - low) / (take(p, above) - from);
  Array result = where(at_x == from, low, slope * (at_x - from) + low);
  result = where(found >= n - 1, v(n - 1), result);
  result = where(found < 0, v(0), result);
  return where(isnan(at_x), at_x, result);
}

Array ptp(const Array& x, const Axes& axes, bool keepdims, Where at) {
  const LineScope scope(at);
  return max(x, axes, keepdims) - min(x, axes, keepdims);
}

Array average(const Array& x, const Array& weights, const Axes& axes, bool keepdims, Where at) {
  const LineScope scope(at);
  Array w = weights;
  if (w.shape() != x.shape()) {
    const bool along_one = w.ndim() == 1 && axes.list() && axes.list()->size() == 1;
    const size_t along = along_one ? axis_of("average", x, (*axes.list())[0]) : 0;
    if (!along_one || x.shape()[along] != w.size())
      throw Error("average: weights have the array's shape, or one axis where one is averaged over: got " +
                  to_string(w.shape()) + " beside " + to_string(x.shape()));
    Shape shape(x.ndim(), 1);
    shape[along] = w.size();
    w = broadcast_to(w.reshape(shape), x.shape());
  }
  const DType dtype = promote(x.dtype(), w.dtype());
  const DType to = is_inexact(dtype) ? dtype : DType::F64;
  const Array of = wide(x.astype(to)), by = wide(w.astype(to));
  return (sum(of * by, axes, keepdims) / sum(by, axes, keepdims)).astype(to);
}

Array nansum(const Array& x, const Axes& axes, bool keepdims, Where at) {
  const LineScope scope(at);
  return sum(is_inexact(x.dtype()) ? where(isnan(x), 0, x) : x, axes, keepdims);
}

Array nanmean(const Array& x, const Axes& axes, bool keepdims, Where at) {
  const LineScope scope(at);
  if (!is_inexact(x.dtype())) return mean(x, axes, keepdims);
  const Array of = wide(x), counted = !isnan(of);
  return (sum(where(counted, of, 0), axes, keepdims) /
          count_nonzero(counted, axes, keepdims).astype(of.dtype()))
      .astype(x.dtype());
}

Array nanmax(const Array& x, const Axes& axes, bool keepdims, Where at) {
  const LineScope scope(at);
  if (!is_inexact(x.dtype())) return max(x, axes, keepdims);
  const Array nan = isnan(x);
  return where(all(nan, axes, keepdims), kNaN, max(where(nan, -kInfinity, x), axes, keepdims));
}

Array nanmin(const Array& x, const Axes& axes, bool keepdims, Where at) {
  const LineScope scope(at);
  if (!is_inexact(x.dtype())) return min(x, axes, keepdims);
  const Array nan = isnan(x);
  return where(all(nan, axes, keepdims), kNaN, min(where(nan, kInfinity, x), axes, keepdims));
}

namespace {

// The edges of `bins` bins from `low` to `high`, which are arrays of rank 0.
Array edges_between(const Array& low, const Array& high, int64_t bins) {
  const Array k = arange(bins + 1, Make(DType::F64, low.device()));
  const Array same = low == high;
  const Array from = where(same, low - 0.5, low), to = where(same, high + 0.5, high);
  return where(k == static_cast<double>(bins), to, k * ((to - from) / static_cast<double>(bins)) + from);
}

Histogram counted(const Array& flat, const Array& edges) {
  const int64_t bins = edges.size() - 1;
  const Array found = clip(searchsorted(edges, flat, Side::Right) - 1, 0, bins - 1);
  const Array inside = flat >= edges(0) && flat <= edges(bins);
  Array counts = zeros({bins + 1}, Make(DType::I64, flat.device()));  // the last one: of what is outside
  add_along_axis(counts, where(inside, found, bins), 1, 0);
  return {counts(Slice{0, bins}), edges};
}

}  // namespace

Histogram histogram(const Array& x, const Array& edges, Where at) {
  const LineScope scope(at);
  if (edges.ndim() != 1 || edges.size() < 2)
    throw Error("histogram: takes two edges at least, of one axis: got shape " + to_string(edges.shape()));
  return counted(x.reshape({-1}), edges);
}

Histogram histogram(const Array& x, int64_t bins, const std::optional<std::pair<double, double>>& range,
                    Where at) {
  const LineScope scope(at);
  if (bins < 1) throw Error("histogram: takes one bin at least: got " + std::to_string(bins));
  if (range && !(range->first <= range->second))
    throw Error("histogram: the range goes from the smaller number to the larger: got " +
                std::to_string(range->first) + " and " + std::to_string(range->second));
  const Array flat = x.reshape({-1}).astype(DType::F64);
  const auto number = [&](double value) { return full(Shape{}, value, Make(DType::F64, x.device())); };
  const bool spans = !range && x.size() > 0;
  const Array low = spans ? min(flat) : number(range ? range->first : 0);
  const Array high = spans ? max(flat) : number(range ? range->second : 1);
  return counted(flat, edges_between(low, high, bins));
}

std::vector<Array> meshgrid(std::span<const Array> axes, Indexing indexing, Where at) {
  const LineScope scope(at);
  const bool swaps = indexing == Indexing::XY && axes.size() > 1;
  const auto place = [&](size_t k) { return swaps && k < 2 ? 1 - k : k; };
  Shape shape(axes.size(), 1);
  for (size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].ndim() > 1)
      throw Error("meshgrid: takes arrays of one axis: got shape " + to_string(axes[k].shape()));
    shape[place(k)] = axes[k].size();
  }
  std::vector<Array> grid;
  for (size_t k = 0; k < axes.size(); ++k) {
    Shape along(axes.size(), 1);
    along[place(k)] = axes[k].size();
    grid.push_back(broadcast_to(axes[k].reshape(along), shape).copy());
  }
  return grid;
}

std::vector<Array> array_split(const Array& x, int64_t parts, int64_t axis, Where at) {
  const LineScope scope(at);
  if (parts < 1) throw Error("array_split: takes one part at least: got " + std::to_string(parts));
  const size_t along = axis_of("array_split", x, axis);
  const int64_t n = x.shape()[along];
  std::vector<Array> out;
  for (int64_t k = 0, start = 0; k < parts; ++k) {
    const int64_t stop = start + n / parts + (k < n % parts ? 1 : 0);
    out.push_back(part(x, along, start, stop));
    start = stop;
  }
  return out;
}

Array hstack(std::span<const Array> xs, Where at) {
  const LineScope scope(at);
  std::vector<Array> rows;
  for (const Array& x : xs) rows.push_back(x.ndim() == 0 ? x.reshape({1}) : x);
  return concat(rows, rows.empty() || rows.front().ndim() == 1 ? 0 : 1, at);
}

Array vstack(std::span<const Array> xs, Where at) {
  const LineScope scope(at);
  std::vector<Array> rows;
  for (const Array& x : xs) rows.push_back(x.ndim() < 2 ? x.reshape({1, -1}) : x);
  return concat(rows, 0, at);
}

}  // namespace weft
