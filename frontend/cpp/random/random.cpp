// Keys, bits, integers and the distributions that others are made of.
#include "frontend/cpp/weft/random.h"

#include <numbers>

#include "compiler/base/error.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/random/draw.h"

namespace weft::random {
namespace {

using ir::NodeRef;
using ir::Op;

__extension__ typedef __int128 Wide;

DType float_dtype(std::string_view op, const Make& make) {
  const DType dtype = make.dtype.value_or(DType::F64);
  if (!is_float(dtype)) {
    throw TypeError(std::string(op) + ": draws floats: got " + std::string(name(dtype)));
  }
  return dtype;
}

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
  return d.finish(d.fraction(d.words(shape), dtype == DType::F64 ? dtype : DType::F32, uniform_bits(dtype)),
                  make);
}

Array normal(const Operand& key, const Shape& shape, const Make& make) {
  const DType dtype = float_dtype("normal", make);
  Draw d("normal", key, make);
  if (dtype == DType::F64) return d.finish(d.normal(shape), make);
  // The radius needs many bits near 0, where the tails are: up to 6.6 sigma.
  const NodeRef words = d.words(shape);
  const Term radius = d.fraction(words, DType::F32, 32, true);
  const NodeRef rest = d.map(Op::bitwise_left_shift, words, uint64_t{32});
  const Term angle = d.fraction(rest, DType::F32, 24) * (2 * std::numbers::pi);
  return d.finish(sqrt(log(radius) * -2.0) * apply(Op::cos, angle), make);
}

Array exponential(const Operand& key, const Shape& shape, const Make& make) {
  const DType dtype = float_dtype("exponential", make);
  Draw d("exponential", key, make);
  if (dtype == DType::F64) return d.finish(d.exponential(shape), make);
  return d.finish(-log(d.fraction(d.words(shape), DType::F32, 32, true)), make);
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
