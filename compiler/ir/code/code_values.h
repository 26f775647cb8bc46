// What ops as text are lowered to: instructions of a scalar function, with the conversions that C makes between types.
//
// Two rules are Weft's. A number with a point and no suffix gives way to the floats beside it, where C's is a double.
// Integers divided by 0 give 0.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/code/code_lexer.h"
#include "compiler/ir/function.h"

namespace weft::ir {

struct CodeValue {
  int value = -1;  // of the function; -1: `constant` alone
  DType type = DType::F64;
  bool weak = false;  // f64 that gives way
  std::optional<Scalar> constant;
};

// The dtype of a name: one of C's, NumPy's or Weft's.
std::optional<DType> dtype_of_code(std::string_view name);

class CodeValues {
 public:
  CodeValues(Function& function, CodeText text) : text_(std::move(text)), function_(function) {}

  // Errors that follow are in this text; gives the one before.
  CodeText in_text(CodeText text) { return std::exchange(text_, std::move(text)); }
  const CodeText& text() const { return text_; }
  // Instructions that follow go to this block; gives the one before.
  Block* into(Block* block) { return std::exchange(into_, block); }
  Block& block() { return *into_; }
  int fresh(DType t);
  DType dtype(int value) const { return function_.values[static_cast<size_t>(value)]; }

  CodeValue number(std::string_view at, std::string_view text) const;
  static CodeValue constant(Scalar value, bool weak = false) { return {-1, value.dtype, weak, value}; }
  static CodeValue truth(bool value) { return constant(Scalar::of(value)); }
  CodeValue of(int value) const { return {value, dtype(value), false, {}}; }
  // The value's number in the function.
  int named(const CodeValue& x);
  // An op on operands of one dtype; constants are computed at once.
  CodeValue map(Op op, std::span<const CodeValue> operands, DType result);
  CodeValue map(Op op, std::initializer_list<CodeValue> operands, DType result) {
    return map(op, std::span(operands.begin(), operands.size()), result);
  }

  CodeValue cast(const CodeValue& x, DType to);
  // The same, which is an error at this place where a complex number would become a real one.
  CodeValue converted(std::string_view at, const CodeValue& x, DType to);
  CodeValue as_bool(const CodeValue& x);
  // Integers that are narrower than int are int.
  CodeValue promoted(const CodeValue& x);
  // The type in which two operands meet, as C has it.
  static std::pair<DType, bool> common(const CodeValue& a, const CodeValue& b);
  CodeValue unary(std::string_view at, std::string_view sign, const CodeValue& x);
  CodeValue binary(std::string_view at, std::string_view sign, CodeValue a, CodeValue b);
  CodeValue select(const CodeValue& test, const CodeValue& a, const CodeValue& b);

 private:
  CodeValue divided(const CodeValue& a, const CodeValue& b, bool remainder);

  CodeText text_;
  Function& function_;
  Block* into_ = nullptr;
};

}  // namespace weft::ir
