#include "frontend/cpp/weft/reductions.h"

#include <algorithm>
#include <limits>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/record/record.h"

namespace weft {
namespace {

using detail::Recording;
using ir::NodeRef;
using ir::Op;

// One reduction of one operand, in the dtype it is computed in.
class Reduction {
 public:
  Reduction(std::string_view op, const Operand& x, const Axes& axes)
      : r_(op, x), x_(r_.node(x)), given_(x_->dtype()) {
    const size_t rank = x_->shape().size();
    if (axes.list()) {
      for (int64_t axis : *axes.list()) axes_.push_back(normalize_axis(op, axis, rank));
      std::sort(axes_.begin(), axes_.end());
      if (std::adjacent_find(axes_.begin(), axes_.end()) != axes_.end()) {
        throw Error(std::string(op) + ": axes must be different: got " + to_string(*axes.list()));
      }
    } else {
      for (size_t i = 0; i < rank; ++i) axes_.push_back(static_cast<int64_t>(i));
    }
    kept_ = x_->shape();
    for (int64_t axis : axes_) {
      count_ *= kept_[static_cast<size_t>(axis)];
      kept_[static_cast<size_t>(axis)] = 1;
    }
  }

  const NodeRef& x() const { return x_; }
  int64_t count() const { return count_; }
  void convert(DType to) { x_ = ir::cast(x_, to, r_.lines()); }
  // Bools and integers to f64, halves to f32: what statistics are computed in.
  void convert_for_statistics() {
    if (!is_float(given_) && !is_complex(given_)) given_ = DType::F64;
    convert(is_half(given_) ? DType::F32 : given_);
  }

  NodeRef reduce(Op op, const NodeRef& of) const { return ir::reduce(op, of, axes_, r_.lines()); }
  // The reduced value in every element that it was reduced from.
  NodeRef spread(const NodeRef& reduced) const {
    return ir::broadcast(ir::reshape(reduced, kept_, r_.lines()), x_->shape(), r_.lines());
  }
  NodeRef map(Op op, std::initializer_list<NodeRef> in) const {
    return r_.looked_at(op, in, ir::map(op, in, r_.lines()));
  }
  NodeRef constant(const NodeRef& like, double value) const { return r_.like(like, value); }
  NodeRef mean() const {
    const NodeRef total = reduce(Op::sum, x_);
    return map(Op::divide, {total, constant(total, static_cast<double>(count_))});
  }
  NodeRef squared_distance_mean(double correction) const {
    NodeRef d = map(Op::subtract, {x_, spread(mean())});
    if (is_complex(d->dtype())) d = map(Op::abs, {d});
    const NodeRef total = reduce(Op::sum, map(Op::square, {d}));
    return map(Op::divide, {total, constant(total, std::max(0.0, static_cast<double>(count_) - correction))});
  }
  // The maximum; -inf of no elements.
  NodeRef max() const {
    if (count_ > 0) return reduce(Op::max, x_);
    return constant(reduce(Op::sum, x_), -std::numeric_limits<double>::infinity());
  }
  // The maximum, but 0 where it is infinite, so that subtracting it gives no NaN.
  NodeRef finite_max() const {
    const NodeRef m = max();
    return map(Op::select, {map(Op::isfinite, {m}), m, constant(m, 0)});
  }

  Array finish(const NodeRef& result, bool keepdims, uint32_t nodes = 3) {
    return r_.finish(keepdims ? ir::reshape(result, kept_, r_.lines()) : result, nodes);
  }
  // The same for results of the given dtype's precision.
  Array finish_statistic(const NodeRef& result, bool keepdims, uint32_t nodes) {
    const bool real = !is_complex(result->dtype());
    return finish(ir::cast(result, real ? real_of(given_) : given_, r_.lines()), keepdims, nodes);
  }
  Array finish_spread(const NodeRef& result, uint32_t nodes) {
    return r_.finish(ir::cast(result, given_, r_.lines()), nodes);
  }

 private:
  Recording r_;
  NodeRef x_;
  DType given_;
  Dims axes_;
  Shape kept_;
  int64_t count_ = 1;
};

Array plain(Op op, const Operand& x, const Axes& axes, bool keepdims) {
  Reduction r(ir::name(op), x, axes);
  return r.finish(r.reduce(op, r.x()), keepdims);
}

Array widened(Op op, const Operand& x, const Axes& axes, bool keepdims) {
  Reduction r(ir::name(op), x, axes);
  const DTypeKind k = kind(r.x()->dtype());
  if (k == DTypeKind::Bool || k == DTypeKind::Signed) r.convert(DType::I64);
  if (k == DTypeKind::Unsigned) r.convert(DType::U64);
  return r.finish(r.reduce(op, r.x()), keepdims);
}

Array logical(Op op, const Operand& x, const Axes& axes, bool keepdims) {
  Reduction r(ir::name(op), x, axes);
  r.convert(DType::Bool);
  return r.finish(r.reduce(op, r.x()), keepdims);
}

void check_real(std::string_view op, const Reduction& r) {
  if (is_complex(r.x()->dtype())) {
    throw TypeError(std::string(op) + ": takes real numbers only: got " + std::string(name(r.x()->dtype())));
  }
}

}  // namespace

Array sum(const Operand& x, const Axes& axes, bool keepdims) { return widened(Op::sum, x, axes, keepdims); }
Array prod(const Operand& x, const Axes& axes, bool keepdims) { return widened(Op::prod, x, axes, keepdims); }
Array max(const Operand& x, const Axes& axes, bool keepdims) { return plain(Op::max, x, axes, keepdims); }
Array min(const Operand& x, const Axes& axes, bool keepdims) { return plain(Op::min, x, axes, keepdims); }
Array any(const Operand& x, const Axes& axes, bool keepdims) { return logical(Op::any, x, axes, keepdims); }
Array all(const Operand& x, const Axes& axes, bool keepdims) { return logical(Op::all, x, axes, keepdims); }
Array argmax(const Operand& x, const Axes& axes, bool keepdims) {
  return plain(Op::argmax, x, axes, keepdims);
}
Array argmin(const Operand& x, const Axes& axes, bool keepdims) {
  return plain(Op::argmin, x, axes, keepdims);
}

Array count_nonzero(const Operand& x, const Axes& axes, bool keepdims) {
  Reduction r("count_nonzero", x, axes);
  r.convert(DType::Bool);
  r.convert(DType::I64);
  return r.finish(r.reduce(Op::sum, r.x()), keepdims, 4);
}

Array mean(const Operand& x, const Axes& axes, bool keepdims) {
  Reduction r("mean", x, axes);
  r.convert_for_statistics();
  return r.finish_statistic(r.mean(), keepdims, 5);
}

Array var(const Operand& x, const Axes& axes, double correction, bool keepdims) {
  Reduction r("var", x, axes);
  r.convert_for_statistics();
  return r.finish_statistic(r.squared_distance_mean(correction), keepdims, 12);
}

Array stddev(const Operand& x, const Axes& axes, double correction, bool keepdims) {
  Reduction r("stddev", x, axes);
  r.convert_for_statistics();
  return r.finish_statistic(r.map(Op::sqrt, {r.squared_distance_mean(correction)}), keepdims, 13);
}

Array logsumexp(const Operand& x, const Axes& axes, bool keepdims) {
  Reduction r("logsumexp", x, axes);
  check_real("logsumexp", r);
  r.convert_for_statistics();
  const NodeRef m = detail::stopped(r.finite_max());
  const NodeRef total = r.reduce(Op::sum, r.map(Op::exp, {r.map(Op::subtract, {r.x(), r.spread(m)})}));
  return r.finish_statistic(r.map(Op::add, {r.map(Op::log, {total}), m}), keepdims, 14);
}

Array softmax(const Operand& x, const Axes& axes) {
  Reduction r("softmax", x, axes);
  check_real("softmax", r);
  r.convert_for_statistics();
  const NodeRef m = detail::stopped(r.max());
  const NodeRef e = r.map(Op::exp, {r.map(Op::subtract, {r.x(), r.spread(m)})});
  return r.finish_spread(r.map(Op::divide, {e, r.spread(r.reduce(Op::sum, e))}), 12);
}

Array log_softmax(const Operand& x, const Axes& axes) {
  Reduction r("log_softmax", x, axes);
  check_real("log_softmax", r);
  r.convert_for_statistics();
  const NodeRef m = detail::stopped(r.max());
  const NodeRef d = r.map(Op::subtract, {r.x(), r.spread(m)});
  const NodeRef total = r.reduce(Op::sum, r.map(Op::exp, {d}));
  return r.finish_spread(r.map(Op::subtract, {d, r.spread(r.map(Op::log, {total}))}), 14);
}

}  // namespace weft
