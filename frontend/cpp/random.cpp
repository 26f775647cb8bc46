// Threefry is the elementwise op `threefry`; this is what makes counters, keys and distributions of it.
#include "frontend/cpp/weft/random.h"

#include <cmath>
#include <numbers>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/print.h"
#include "frontend/cpp/record.h"

namespace weft::random {
namespace {

using detail::Recording;
using ir::NodeRef;
using ir::Op;

// What a key is used for: each use draws from a key of its own, and from counters that nothing else has.
constexpr uint64_t kSplit = 0x53504c4954, kFold = 0x464f4c44;  // "SPLIT", "FOLD"
constexpr uint64_t kSecondDraw = uint64_t{1} << 56;

__extension__ typedef __int128 Wide;

class Draw {
 public:
  Draw(std::string_view op, const Operand& key, const Make& make = {}) : r_(op, key) {
    if (!make.device.empty()) r_.on(detail::current_session().device(make.device));
    key_ = key.array() ? r_.node(*key.array()) : constant(key_value(op, key.number()), {});
    if (key_->dtype() != DType::U64 || !key_->shape().empty()) {
      throw Error(std::string(op) + ": the key must be one u64, as random::key makes it: got " +
                  std::string(name(key_->dtype())) + " " + to_string(key_->shape()));
    }
  }

  NodeRef constant(uint64_t value, const Shape& shape) const {
    return ir::constant({DType::U64, shape}, Scalar{DType::U64, static_cast<int64_t>(value), 0, 0},
                        r_.lines());
  }
  NodeRef number(double value, const NodeRef& like) const {
    return ir::constant(like->type, Scalar::of(value), r_.lines());
  }
  NodeRef map(Op op, const NodeRef& x, const NodeRef& y) const {
    const NodeRef in[] = {x, y};
    return ir::elementwise(op, in, r_.lines());
  }
  NodeRef map(Op op, const NodeRef& x, uint64_t y) const { return map(op, x, constant(y, x->shape())); }
  NodeRef map(Op op, const NodeRef& x) const { return ir::elementwise(op, {x}, r_.lines()); }
  NodeRef cast(const NodeRef& x, DType dtype) const { return ir::cast(x, dtype, r_.lines()); }

  // 64 random bits an element: those of its row-major position beyond `first`.
  NodeRef words(const Shape& shape, uint64_t first = 0) const {
    check_size(r_.op(), shape, sizeof(uint64_t));
    NodeRef counter = ir::iota({DType::U64, {element_count(shape)}}, 0, r_.lines());
    if (first != 0) counter = map(Op::add, counter, first);
    return map(Op::threefry, ir::reshape(counter, shape, r_.lines()), key_);
  }
  NodeRef derived(uint64_t purpose) const { return map(Op::threefry, constant(purpose, {}), key_); }

  // k * 2^-bits of the highest bits k, and (k + 1) * 2^-bits, which is never 0.
  NodeRef fraction(const NodeRef& words, DType dtype, int bits, bool above_zero = false) const {
    const DType through = bits < 32 ? DType::I32 : bits == 32 ? DType::U32 : DType::I64;
    NodeRef k =
        cast(cast(map(Op::bitwise_right_shift, words, static_cast<uint64_t>(64 - bits)), through), dtype);
    if (above_zero) k = map(Op::add, k, number(1, k));
    return map(Op::multiply, k, number(std::ldexp(1.0, -bits), k));
  }
  NodeRef minus_log(const NodeRef& x) const { return map(Op::negative, map(Op::log, x)); }

  Array finish(const NodeRef& node, DType dtype) { return r_.finish(cast(node, dtype), 24); }
  NodeRef node(const Operand& x) { return r_.node(x); }
  std::string_view op() const { return r_.op(); }

 private:
  static uint64_t key_value(std::string_view op, const Number& number) {
    if (number.kind() != DTypeKind::Signed && number.kind() != DTypeKind::Unsigned) {
      throw TypeError(std::string(op) + ": the key must be an integer: got " + ir::to_string(number.value()));
    }
    return static_cast<uint64_t>(number.value().i);
  }

  Recording r_;
  NodeRef key_;
};

DType float_dtype(std::string_view op, const Make& make) {
  const DType dtype = make.dtype.value_or(DType::F64);
  if (!is_float(dtype)) {
    throw TypeError(std::string(op) + ": draws floats: got " + std::string(name(dtype)));
  }
  return dtype;
}

int uniform_bits(DType dtype) {
  switch (dtype) {
    case DType::F64:
      return 53;
    case DType::F32:
      return 24;
    case DType::F16:
      return 11;
    default:
      return 8;
  }
}

// Halves are computed as f32 and rounded.
DType computed_as(DType dtype) { return dtype == DType::F64 ? DType::F64 : DType::F32; }

// Steele and Vigna's splitmix64 finalizer: neighbouring seeds give unrelated keys.
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// The high 64 bits of the product. `y` below 2^32 needs one partial product less.
NodeRef multiply_high(const Draw& d, const NodeRef& x, uint64_t y) {
  constexpr uint64_t kLow = 0xffffffff;
  const NodeRef low = d.map(Op::bitwise_and, x, kLow), high = d.map(Op::bitwise_right_shift, x, 32);
  const auto upper = [&](const NodeRef& v) { return d.map(Op::bitwise_right_shift, v, 32); };
  const NodeRef low_y = d.map(Op::multiply, low, y & kLow), high_y = d.map(Op::multiply, high, y & kLow);
  if (y <= kLow) return upper(d.map(Op::add, high_y, upper(low_y)));
  const NodeRef low_top = d.map(Op::multiply, low, y >> 32), high_top = d.map(Op::multiply, high, y >> 32);
  const NodeRef middle = d.map(Op::add, d.map(Op::add, upper(low_y), d.map(Op::bitwise_and, high_y, kLow)),
                               d.map(Op::bitwise_and, low_top, kLow));
  return d.map(Op::add, d.map(Op::add, high_top, upper(high_y)),
               d.map(Op::add, upper(low_top), upper(middle)));
}

}  // namespace

Array key(uint64_t seed, const Make& make, Where at) {
  Make as_u64 = make;
  as_u64.dtype = DType::U64;
  return scalar(Number::typed(Scalar{DType::U64, static_cast<int64_t>(mixed(seed)), 0, 0}), as_u64, at);
}

Array split(const Operand& key, int64_t count) {
  Draw d("split", key);
  if (count < 0) throw Error("split: the count must not be negative: got " + std::to_string(count));
  const NodeRef counter = ir::iota({DType::U64, {count}}, 0, {});
  return d.finish(d.map(Op::threefry, counter, d.derived(kSplit)), DType::U64);
}

Array fold_in(const Operand& key, const Operand& data) {
  Draw d("fold_in", key);
  const NodeRef number = d.node(data);
  if (!is_integer(number->dtype())) {
    throw TypeError("fold_in: takes integers: got " + std::string(name(number->dtype())));
  }
  return d.finish(d.map(Op::threefry, d.cast(number, DType::U64), d.derived(kFold)), DType::U64);
}

Array bits(const Operand& key, const Shape& shape, const Make& make) {
  const DType dtype = make.dtype.value_or(DType::U64);
  if (kind(dtype) != DTypeKind::Unsigned) {
    throw TypeError("bits: draws unsigned integers: got " + std::string(name(dtype)));
  }
  Draw d("bits", key, make);
  return d.finish(d.words(shape), dtype);
}

Array uniform(const Operand& key, const Shape& shape, const Make& make) {
  const DType dtype = float_dtype("uniform", make);
  Draw d("uniform", key, make);
  return d.finish(d.fraction(d.words(shape), computed_as(dtype), uniform_bits(dtype)), dtype);
}

Array normal(const Operand& key, const Shape& shape, const Make& make) {
  const DType dtype = float_dtype("normal", make), as = computed_as(dtype);
  Draw d("normal", key, make);
  const NodeRef words = d.words(shape);
  // The radius needs many bits near 0, where the tails are: up to 6.6 sigma in f32, 8.5 in f64.
  const bool wide = as == DType::F64;
  const NodeRef radius = d.fraction(words, as, wide ? 53 : 32, true);
  const NodeRef second =
      wide ? d.words(shape, kSecondDraw) : d.map(Op::bitwise_left_shift, words, uint64_t{32});
  const NodeRef turn = d.fraction(second, as, uniform_bits(as));
  const NodeRef length = d.map(Op::sqrt, d.map(Op::multiply, d.map(Op::log, radius), d.number(-2, radius)));
  const NodeRef angle = d.map(Op::multiply, turn, d.number(2 * std::numbers::pi, turn));
  return d.finish(d.map(Op::multiply, length, d.map(Op::cos, angle)), dtype);
}

Array exponential(const Operand& key, const Shape& shape, const Make& make) {
  const DType dtype = float_dtype("exponential", make), as = computed_as(dtype);
  Draw d("exponential", key, make);
  return d.finish(d.minus_log(d.fraction(d.words(shape), as, as == DType::F64 ? 53 : 32, true)), dtype);
}

Array integers(const Operand& key, const Shape& shape, const Number& low, const Number& high,
               const Make& make) {
  const DType dtype = make.dtype.value_or(DType::I64);
  if (!is_integer(dtype)) throw TypeError("integers: draws integers: got " + std::string(name(dtype)));
  const auto bound = [&](const Number& n) {
    if (n.kind() != DTypeKind::Signed && n.kind() != DTypeKind::Unsigned) {
      throw TypeError("integers: the bounds must be integers: got " + ir::to_string(n.value()));
    }
    detail::weak_dtype("integers", dtype, Number(n.value()));  // raises where the dtype does not hold it
    return n.value();
  };
  const Scalar first = bound(low), last = bound(high);
  const auto wide = [](const Scalar& s) {
    return s.dtype == DType::U64 ? static_cast<Wide>(static_cast<uint64_t>(s.i)) : static_cast<Wide>(s.i);
  };
  if (wide(first) > wide(last)) {
    throw Error("integers: low must not exceed high: got " + ir::to_string(first) + " and " +
                ir::to_string(last));
  }
  Draw d("integers", key, make);
  const uint64_t count = static_cast<uint64_t>(last.i) - static_cast<uint64_t>(first.i) + 1;
  NodeRef words = d.words(shape);
  if (count != 0) words = multiply_high(d, words, count);  // 0: all 2^64
  return d.finish(d.map(Op::add, words, static_cast<uint64_t>(first.i)), dtype);
}

}  // namespace weft::random
