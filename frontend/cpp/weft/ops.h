// The elementwise operations, one function for each row of the op table, and the operators. Shapes broadcast
// and dtypes promote as in NumPy; the Error or TypeError of a misuse is thrown here, on the line that
// records.
#pragma once

#include <optional>

#include "frontend/cpp/weft/array.h"

namespace weft {

#define WEFT_MAP1(name, ...) Array name(const Operand& x);
#define WEFT_MAP2(name, ...) Array name(const Operand& x, const Operand& y);
#define WEFT_MAP3(name, ...) Array name(const Operand& x, const Operand& y, const Operand& z);
#define WEFT_MAP4(name, ...) \
  Array name(const Operand& x, const Operand& y, const Operand& z, const Operand& w);
#include "compiler/ir/ops/op_table.inc"

// x where the condition is not zero, else y.
Array where(const Operand& condition, const Operand& x, const Operand& y);
// x held between two limits, either of which may be left out.
Array clip(const Operand& x, const std::optional<Operand>& low, const std::optional<Operand>& high);

#define WEFT_OPERATOR(symbol, function)                                                      \
  inline Array operator symbol(const Traced& x, const Operand& y) { return function(x, y); } \
  inline Array operator symbol(const Number& x, const Traced& y) { return function(Operand(x, y.at()), y); }
WEFT_OPERATOR(+, add)
WEFT_OPERATOR(-, subtract)
WEFT_OPERATOR(*, multiply)
WEFT_OPERATOR(/, divide)
WEFT_OPERATOR(%, remainder)
WEFT_OPERATOR(&, bitwise_and)
WEFT_OPERATOR(|, bitwise_or)
WEFT_OPERATOR(^, bitwise_xor)
WEFT_OPERATOR(<<, bitwise_left_shift)
WEFT_OPERATOR(>>, bitwise_right_shift)
WEFT_OPERATOR(==, equal)
WEFT_OPERATOR(!=, not_equal)
WEFT_OPERATOR(<, less)
WEFT_OPERATOR(<=, less_equal)
WEFT_OPERATOR(>, greater)
WEFT_OPERATOR(>=, greater_equal)
#undef WEFT_OPERATOR

inline Array operator-(const Traced& x) { return negative(x); }
inline Array operator+(const Traced& x) { return positive(x); }
// Exact, as C++ would else convert the array to a bool; so it has no line.
inline Array operator!(const Array& x) { return logical_not(Operand(x)); }
// Of the elements: both sides are computed, where C++ would look at one of two bools first.
inline Array operator&&(const Array& x, const Array& y) { return logical_and(Operand(x), Operand(y)); }
inline Array operator||(const Array& x, const Array& y) { return logical_or(Operand(x), Operand(y)); }
inline Array operator~(const Traced& x) { return bitwise_invert(x); }

}  // namespace weft
