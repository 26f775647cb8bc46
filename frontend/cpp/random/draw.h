// What distributions are written with: the random numbers of one key, their parameters, and formulas of both,
// as nodes. A draw takes its numbers from counters that nothing else of that key has: positions below 2^56,
// by stream above.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/build.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/weft/create.h"

namespace weft::random {

// What a key is used for: each use draws from a key of its own.
inline constexpr uint64_t kSplit = 0x53504c4954, kFold = 0x464f4c44;  // "SPLIT", "FOLD"

// A node in a formula.
struct Term {
  ir::NodeRef node;
  const ir::Lines* lines;

  Term constant(double value) const { return {ir::constant(node->type, Scalar::of(value), *lines), lines}; }
};
Term apply(ir::Op op, const Term& x);
Term apply(ir::Op op, const Term& x, const Term& y);
Term choose(const Term& condition, const Term& x, const Term& y);

#define WEFT_TERM(symbol, op)                                                                          \
  inline Term operator symbol(const Term& x, const Term& y) { return apply(ir::Op::op, x, y); }        \
  inline Term operator symbol(const Term& x, double y) { return apply(ir::Op::op, x, x.constant(y)); } \
  inline Term operator symbol(double x, const Term& y) { return apply(ir::Op::op, y.constant(x), y); }
WEFT_TERM(+, add)
WEFT_TERM(-, subtract)
WEFT_TERM(*, multiply)
WEFT_TERM(/, divide)
WEFT_TERM(<, less)
WEFT_TERM(<=, less_equal)
WEFT_TERM(>, greater)
WEFT_TERM(>=, greater_equal)
#undef WEFT_TERM
inline Term operator-(const Term& x) { return apply(ir::Op::negative, x); }
inline Term operator&(const Term& x, const Term& y) { return apply(ir::Op::bitwise_and, x, y); }
inline Term log(const Term& x) { return apply(ir::Op::log, x); }
inline Term log1p(const Term& x) { return apply(ir::Op::log1p, x); }
inline Term exp(const Term& x) { return apply(ir::Op::exp, x); }
inline Term expm1(const Term& x) { return apply(ir::Op::expm1, x); }
inline Term sqrt(const Term& x) { return apply(ir::Op::sqrt, x); }
inline Term floor(const Term& x) { return apply(ir::Op::floor, x); }

class Draw {
 public:
  Draw(std::string_view op, const Operand& key, const Make& make = {});

  std::string_view op() const { return r_.op(); }
  const ir::Lines& lines() const { return r_.lines(); }
  Term term(ir::NodeRef node) const { return {std::move(node), &r_.lines()}; }
  ir::NodeRef node(const Operand& x) { return r_.node(x); }
  ir::NodeRef constant(uint64_t value, const Shape& shape) const;
  ir::NodeRef map(ir::Op op, const ir::NodeRef& x, const ir::NodeRef& y) const;
  ir::NodeRef map(ir::Op op, const ir::NodeRef& x, uint64_t y) const;
  ir::NodeRef cast(const ir::NodeRef& x, DType dtype) const { return ir::cast(x, dtype, r_.lines()); }

  // The key of number `data` among those that belong to this one, for a purpose.
  ir::NodeRef derived(uint64_t purpose) const { return map(ir::Op::threefry, constant(purpose, {}), key_); }
  // From here on this draw's numbers are those of the child `number` of its key.
  void descend(const ir::NodeRef& parent, uint64_t number);
  const ir::NodeRef& key() const { return key_; }

  // 64 random bits an element.
  ir::NodeRef words(const Shape& shape, uint64_t stream = 0) const;
  // k * 2^-bits of the words' highest bits k; (k + 1) * 2^-bits, which is never 0, `above_zero`.
  Term fraction(const ir::NodeRef& words, DType dtype, int bits, bool above_zero = false) const;

  // ---- of f64
  // In [0, 1), (0, 1] and (0, 1).
  Term uniform(const Shape& shape, uint64_t stream = 0) const;
  Term positive(const Shape& shape, uint64_t stream = 0) const;
  Term between(const Shape& shape, uint64_t stream = 0) const;
  Term exponential(const Shape& shape, uint64_t stream = 0) const { return -log(positive(shape, stream)); }
  // Takes the stream after this one too.
  Term normal(const Shape& shape, uint64_t stream = 0) const;

  // A parameter in f64. Error when it is a number out of [low, high]; an array is not looked at.
  Term parameter(const char* name, const Operand& x, double low, double high);
  // The shape that is asked for, else what the parameters broadcast to. Error when they do not fit.
  Shape shape_of(const std::optional<Shape>& size, std::initializer_list<Term> parameters) const;

  Array finish(const ir::NodeRef& node, DType dtype) { return r_.finish(cast(node, dtype), 24); }
  Array finish(const Term& result, const Make& make, DType otherwise = DType::F64) {
    return finish(result.node, make.dtype.value_or(otherwise));
  }

 private:
  detail::Recording r_;
  ir::NodeRef key_;
};

int uniform_bits(DType dtype);

}  // namespace weft::random
