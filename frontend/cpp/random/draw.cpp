#include "frontend/cpp/random/draw.h"

#include <cmath>
#include <numbers>

#include "compiler/base/error.h"
#include "compiler/ir/text/print.h"

namespace weft::random {

using ir::NodeRef;
using ir::Op;

Term apply(Op op, const Term& x) { return {ir::elementwise(op, {x.node}, *x.lines), x.lines}; }
Term apply(Op op, const Term& x, const Term& y) {
  return {ir::elementwise(op, {x.node, y.node}, *x.lines), x.lines};
}
Term choose(const Term& condition, const Term& x, const Term& y) {
  return {ir::elementwise(Op::select, {condition.node, x.node, y.node}, *x.lines), x.lines};
}

namespace {

uint64_t key_value(std::string_view op, const Number& number) {
  if (number.kind() != DTypeKind::Signed && number.kind() != DTypeKind::Unsigned) {
    throw TypeError(std::string(op) + ": the key must be an integer: got " + ir::to_string(number.value()));
  }
  return static_cast<uint64_t>(number.value().i);
}

}  // namespace

Draw::Draw(std::string_view op, const Operand& key, const Make& make) : r_(op, key) {
  if (!make.device.empty()) r_.on(detail::current_session().device(make.device));
  key_ = key.array() ? r_.node(*key.array()) : constant(key_value(op, key.number()), {});
  if (key_->dtype() != DType::U64 || !key_->shape().empty()) {
    throw Error(std::string(op) + ": the key must be one u64, as random::key makes it: got " +
                std::string(name(key_->dtype())) + " " + to_string(key_->shape()));
  }
}

NodeRef Draw::constant(uint64_t value, const Shape& shape) const {
  return ir::constant({DType::U64, shape}, Scalar{DType::U64, static_cast<int64_t>(value), 0, 0}, r_.lines());
}
NodeRef Draw::map(Op op, const NodeRef& x, const NodeRef& y) const {
  return ir::elementwise(op, {x, y}, r_.lines());
}
NodeRef Draw::map(Op op, const NodeRef& x, uint64_t y) const { return map(op, x, constant(y, x->shape())); }

void Draw::descend(const NodeRef& parent, uint64_t number) {
  key_ = parent;
  key_ = map(Op::threefry, constant(number, {}), derived(kFold));
}

NodeRef Draw::words(const Shape& shape, uint64_t stream) const {
  check_size(r_.op(), shape, sizeof(uint64_t));
  NodeRef counter = ir::iota({DType::U64, {element_count(shape)}}, 0, r_.lines());
  if (stream != 0) counter = map(Op::add, counter, stream << 56);
  return map(Op::threefry, ir::reshape(counter, shape, r_.lines()), key_);
}

Term Draw::fraction(const NodeRef& words, DType dtype, int bits, bool above_zero) const {
  const DType through = bits < 32 ? DType::I32 : bits == 32 ? DType::U32 : DType::I64;
  Term k =
      term(cast(cast(map(Op::bitwise_right_shift, words, static_cast<uint64_t>(64 - bits)), through), dtype));
  if (above_zero) k = k + 1;
  return k * std::ldexp(1.0, -bits);
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

Term Draw::uniform(const Shape& shape, uint64_t stream) const {
  return fraction(words(shape, stream), DType::F64, 53);
}
Term Draw::positive(const Shape& shape, uint64_t stream) const {
  return fraction(words(shape, stream), DType::F64, 53, true);
}
Term Draw::between(const Shape& shape, uint64_t stream) const { return uniform(shape, stream) + 0x1p-54; }

Term Draw::normal(const Shape& shape, uint64_t stream) const {
  const Term angle = uniform(shape, stream + 1) * (2 * std::numbers::pi);
  return sqrt(log(positive(shape, stream)) * -2.0) * apply(Op::cos, angle);
}

Term Draw::parameter(const char* name, const Operand& x, double low, double high) {
  NodeRef node = r_.node(x);
  if (is_complex(node->dtype())) {
    throw TypeError(std::string(op()) + ": " + name + " must be real: got " +
                    std::string(weft::name(node->dtype())));
  }
  if (!x.array()) {
    const double value = x.number().value().cast(DType::F64).re;
    if (!(value >= low && value <= high)) {
      const std::string rule = std::isinf(high) ? ir::to_string(Scalar::of(low)) + " or more"
                                                : "from " + ir::to_string(Scalar::of(low)) + " to " +
                                                      ir::to_string(Scalar::of(high));
      throw Error(std::string(op()) + ": " + name + " is " + rule + ": got " +
                  ir::to_string(Scalar::of(value)));
    }
  }
  return term(cast(node, DType::F64));
}

Shape Draw::shape_of(const std::optional<Shape>& size, std::initializer_list<Term> parameters) const {
  Shape shape = size.value_or(Shape{});
  for (const Term& one : parameters) shape = broadcast_shapes(op(), shape, one.node->shape());
  if (size && shape != *size) {
    throw Error(std::string(op()) + ": the parameters' shapes must broadcast to the size " +
                to_string(*size) + ": got parameters of " + to_string(shape));
  }
  return shape;
}

}  // namespace weft::random
