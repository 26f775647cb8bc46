#include "compiler/ir/interpret/interpret_reduce.h"

#include <bit>
#include <cmath>
#include <limits>

#include "compiler/base/error.h"
#include "compiler/ir/interpret/walk.h"
#include "compiler/ir/ops/op_eval.h"
#include "compiler/ir/ops/storage.h"

namespace weft::ir {
namespace {

// The type in which sums and products of C gather.
template <class C>
struct Wide {
  using Type = C;
};
template <eval::Float C>
struct Wide<C> {
  using Type = long double;
};
template <eval::Complex C>
struct Wide<C> {
  using Type = std::complex<long double>;
};

// The double next to `v` whose last bit is odd, unless `v` is a double: rounding it to a half rounds `v`
// once.
double round_to_odd(long double v) {
  const auto nearest = static_cast<double>(v);
  if (nearest == v || std::isnan(nearest)) return nearest;
  if (std::isinf(nearest)) return std::copysign(std::numeric_limits<double>::max(), nearest);
  if (std::bit_cast<uint64_t>(nearest) & 1) return nearest;
  return std::nextafter(nearest, v > nearest ? HUGE_VAL : -HUGE_VAL);
}

template <DType t, class W>
void store_rounded(std::byte* to, int64_t at, W value) {
  using C = typename Storage<t>::Compute;
  if constexpr (is_half(t)) {
    const Scalar half = Scalar::of(round_to_odd(value)).cast(t);
    half.store(to + at * int64_t{size_of(t)});
  } else {
    Storage<t>::store(to, at, static_cast<C>(value));
  }
}

// The source's axes as the result's, and as those that disappear.
struct Split {
  Dims kept_extents, kept_strides, reduced_extents, reduced_strides;
  Split(const Strided& x, const Dims& axes) {
    size_t next = 0;
    for (size_t i = 0; i < x.shape.size(); ++i) {
      const bool reduced = next < axes.size() && axes[next] == static_cast<int64_t>(i);
      next += reduced;
      (reduced ? reduced_extents : kept_extents).push_back(x.shape[i]);
      (reduced ? reduced_strides : kept_strides).push_back(x.strides[i]);
    }
  }
};

// each(start, at) for every result element, where visit(f, start) inside it walks the elements to reduce.
template <class Each>
void for_each_result(const Split& split, Each&& each) {
  int64_t at = 0;
  walk<1>(split.kept_extents, {split.kept_strides}, {0},
          [&](const std::array<int64_t, 1>& start) { each(start, at++); });
}

// Elements at one distance from each other.
struct Stretch {
  const std::byte* data;
  int64_t at, step, count;
};

// Joins the elements to a total. Called through a pointer for each stretch: what is around it is compiled once a
// dtype, not once for each of its reductions.
template <DType t>
using Join = typename Wide<typename Storage<t>::Compute>::Type (*)(
    typename Wide<typename Storage<t>::Compute>::Type, const Stretch&);

template <DType t, auto join>
auto joined(typename Wide<typename Storage<t>::Compute>::Type total, const Stretch& those) {
  using W = typename Wide<typename Storage<t>::Compute>::Type;
  int64_t at = those.at;
  for (int64_t k = 0; k < those.count; ++k, at += those.step)
    total = join(total, static_cast<W>(Storage<t>::load(those.data, at)));
  return total;
}

template <DType t>
Join<t> join_of(Op reduction) {
  using W = typename Wide<typename Storage<t>::Compute>::Type;
  switch (*info(reduction).joined_by) {
    case Op::add:
    case Op::bitwise_or:
      return joined<t, [](W a, W b) { return eval::add(a, b); }>;
    case Op::multiply:
    case Op::bitwise_and:
      return joined<t, [](W a, W b) { return eval::multiply(a, b); }>;
    default:
      if constexpr (!is_complex(t)) {
        if (info(reduction).joined_by == Op::maximum)
          return joined<t, [](W a, W b) { return eval::maximum(a, b); }>;
        return joined<t, [](W a, W b) { return eval::minimum(a, b); }>;
      }
  }
  return nullptr;
}

template <DType t>
void fold(const Split& split, const std::byte* x, std::byte* result, Op op) {
  using W = typename Wide<typename Storage<t>::Compute>::Type;
  const Join<t> join = join_of<t>(op);
  Shape starts = split.reduced_extents;
  const int64_t last = starts.empty() ? 1 : starts.back();
  const int64_t step = starts.empty() ? 0 : split.reduced_strides.back();
  if (last > 0 && !starts.empty()) starts.back() = 1;
  for_each_result(split, [&](const std::array<int64_t, 1>& start, int64_t at) {
    W total = static_cast<W>(info(op).of_nothing.value_or(0));
    bool first = true;  // a sum that starts from its first element stays -0 if all are, as NumPy's does
    walk<1>(starts, {split.reduced_strides}, start, [&](const std::array<int64_t, 1>& from) {
      Stretch those{x, from[0], step, last};
      if (first) {
        total = static_cast<W>(Storage<t>::load(x, those.at));
        those.at += step, --those.count;
      }
      total = join(total, those);
      first = false;
    });
    store_rounded<t>(result, at, total);
  });
}

template <DType t, class Better>
void find(const Split& split, const std::byte* x, std::byte* result, Better better) {
  using C = typename Storage<t>::Compute;
  for_each_result(split, [&](const std::array<int64_t, 1>& start, int64_t at) {
    int64_t position = 0, best_position = 0;
    C best{};
    walk<1>(split.reduced_extents, {split.reduced_strides}, start, [&](const std::array<int64_t, 1>& from) {
      const C value = Storage<t>::load(x, from[0]);
      // Nothing is better than NaN, so the first NaN stays.
      if (position == 0 || (!eval::isnan(best) && (eval::isnan(value) || better(value, best)))) {
        best = value;
        best_position = position;
      }
      ++position;
    });
    Storage<DType::I64>::store(result, at, best_position);
  });
}

}  // namespace

void interpret_reduce(const Node& node, const Strided& x, std::byte* result) {
  const Split split(x, node.as<AxesAttr>().axes);
  with_dtype(node.inputs[0]->dtype(), [&]<DType t>(std::integral_constant<DType, t>) {
    using C = typename Storage<t>::Compute;
    if (info(node.op).joined_by) return fold<t>(split, x.data, result, node.op);
    if constexpr (!is_complex(t)) {
      const auto larger = [](C a, C b) { return a > b; };
      const auto smaller = [](C a, C b) { return a < b; };
      if (node.op == Op::argmax) return find<t>(split, x.data, result, larger);
      return find<t>(split, x.data, result, smaller);
    }
  });
}

namespace {

template <DType t>
void run_along(const Strided& x, size_t axis, std::byte* result, Op op) {
  using W = typename Wide<typename Storage<t>::Compute>::Type;
  const Join<t> join = join_of<t>(op);
  Shape starts = x.shape;
  starts[axis] = 1;
  const Dims to = contiguous_strides(x.shape);
  walk<2>(starts, {x.strides, to}, {0, 0}, [&](const std::array<int64_t, 2>& start) {
    W total{};
    for (int64_t i = 0; i < x.shape[axis]; ++i) {
      const int64_t from = start[0] + i * x.strides[axis];
      total = i == 0 ? static_cast<W>(Storage<t>::load(x.data, from)) : join(total, {x.data, from, 0, 1});
      store_rounded<t>(result, start[1] + i * to[axis], total);
    }
  });
}

}  // namespace

void interpret_scan(const Node& node, const Strided& x, std::byte* result) {
  const auto axis = static_cast<size_t>(node.as<AxisAttr>().axis);
  const Op op = info(node.op).folds;
  with_dtype(node.dtype(),
             [&]<DType t>(std::integral_constant<DType, t>) { run_along<t>(x, axis, result, op); });
}

void interpret_dot(const Node& node, const Strided& a, const Strided& b, std::byte* result) {
  const size_t rank = a.shape.size();
  const int64_t m = a.shape[rank - 2], k = a.shape[rank - 1], n = b.shape[rank - 1];
  const auto batch = [rank](const Dims& dims) { return Dims(std::span(dims.begin(), rank - 2)); };
  with_dtype(node.dtype(), [&]<DType t>(std::integral_constant<DType, t>) {
    if constexpr (is_float(t) || is_complex(t)) {
      using S = Storage<t>;
      using W = typename Wide<typename S::Compute>::Type;
      int64_t out = 0;
      walk<2>(batch(a.shape), {batch(a.strides), batch(b.strides)}, {0, 0},
              [&](const std::array<int64_t, 2>& start) {
                for (int64_t i = 0; i < m; ++i) {
                  for (int64_t j = 0; j < n; ++j, ++out) {
                    int64_t left = start[0] + i * a.strides[rank - 2];
                    int64_t right = start[1] + j * b.strides[rank - 1];
                    W total{};
                    for (int64_t p = 0; p < k; ++p) {
                      total = eval::add(total, eval::multiply(static_cast<W>(S::load(a.data, left)),
                                                              static_cast<W>(S::load(b.data, right))));
                      left += a.strides[rank - 1];
                      right += b.strides[rank - 2];
                    }
                    store_rounded<t>(result, out, total);
                  }
                }
              });
    } else {
      throw InternalError("interpret: no dot for " + std::string(name(t)));
    }
  });
}

}  // namespace weft::ir
