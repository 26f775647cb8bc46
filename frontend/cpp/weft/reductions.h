// Reductions over any set of axes. An axis counts from the end when negative; all axes unless told. With
// `keepdims` the reduced axes stay with extent 1.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>

#include "frontend/cpp/weft/array.h"

namespace weft {

// Which axes: all of them, one, or a list (an empty list: none).
class Axes {
 public:
  Axes() = default;
  template <std::integral T>
  Axes(T axis) : list_(Dims{static_cast<int64_t>(axis)}) {}  // NOLINT
  Axes(std::initializer_list<int64_t> axes) : list_(axes) {}
  explicit Axes(Dims axes) : list_(std::move(axes)) {}
  const std::optional<Dims>& list() const { return list_; }

 private:
  std::optional<Dims> list_;
};

// Sums and products of bools and integers are i64, of unsigned ones u64, as in NumPy.
Array sum(const Operand& x, const Axes& axes = {}, bool keepdims = false);
Array prod(const Operand& x, const Axes& axes = {}, bool keepdims = false);
// NaN if there is one; Error where there is nothing to reduce.
Array max(const Operand& x, const Axes& axes = {}, bool keepdims = false);
Array min(const Operand& x, const Axes& axes = {}, bool keepdims = false);
// Of what is not zero.
Array any(const Operand& x, const Axes& axes = {}, bool keepdims = false);
Array all(const Operand& x, const Axes& axes = {}, bool keepdims = false);
Array count_nonzero(const Operand& x, const Axes& axes = {}, bool keepdims = false);
// The row-major position of the first, i64.
Array argmax(const Operand& x, const Axes& axes = {}, bool keepdims = false);
Array argmin(const Operand& x, const Axes& axes = {}, bool keepdims = false);

// f64 for bools and integers. f16 and bf16 are computed in f32 throughout and rounded once, here and below.
Array mean(const Operand& x, const Axes& axes = {}, bool keepdims = false);
// The mean squared distance to the mean, over count - correction; real for complex x.
Array var(const Operand& x, const Axes& axes = {}, double correction = 0, bool keepdims = false);
// The square root of var (not `std`, which would hide the namespace).
Array stddev(const Operand& x, const Axes& axes = {}, double correction = 0, bool keepdims = false);
// As the other reductions: keepdims after the axes, where a bool would else be a correction of 1.
template <std::same_as<bool> Bool>
Array var(const Operand& x, const Axes& axes, Bool keepdims) {
  return var(x, axes, 0.0, keepdims);
}
template <std::same_as<bool> Bool>
Array stddev(const Operand& x, const Axes& axes, Bool keepdims) {
  return stddev(x, axes, 0.0, keepdims);
}
// log(sum(exp(x))) without overflow.
Array logsumexp(const Operand& x, const Axes& axes = {}, bool keepdims = false);
// exp(x) / sum(exp(x)), and its logarithm, without overflow.
Array softmax(const Operand& x, const Axes& axes = -1);
Array log_softmax(const Operand& x, const Axes& axes = -1);

}  // namespace weft
