// How values and statements are written in a target language: what both dialects share comes from the op
// table, the rest is a Dialect.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "compiler/plan/plan.h"

namespace weft::emit {

class Dialect {
 public:
  virtual ~Dialect() = default;
  // The type of a value in registers: "f32v", "float". Halves are held as f32.
  virtual std::string value_type(DType dtype) const = 0;
  // The type of one element in memory: "float", "unsigned short" for halves, "unsigned char" for bool.
  std::string element_type(DType dtype) const;
  // A value with `scalar` (a C++ expression of the element's computing type) everywhere.
  virtual std::string splat(DType dtype, const std::string& scalar) const = 0;
  // `{0} + {1}` and its kind on integers of this dtype, where signed overflow has to wrap.
  virtual std::string wrap(DType dtype, const std::string& expression, const std::string& a,
                           const std::string& b) const = 0;

 protected:
  // The signed type of 64 bits, and what follows "c64" and "c128" in the names of elements.
  Dialect(std::string word, std::string complex) : word_(std::move(word)), complex_(std::move(complex)) {}

 private:
  std::string word_, complex_;
};

// "f32", "i8": what prelude functions end in.
inline std::string suffix(DType dtype) { return std::string(name(dtype)); }

// A C++ expression of one element: exact (hexadecimal floats), infinities and NaN by builtins.
std::string literal(const Scalar& value);

// The name of a value: "v12".
using Names = std::function<std::string(plan::Value)>;

// The expression of a map op on named arguments; prelude functions are named weft_<op>_<dtype>. Results in
// f16 or bf16 are rounded to the format.
std::string spell(const plan::Let& let, const plan::RowProgram& program, const Dialect& dialect,
                  const Names& names);
// Without that rounding, and whether there is one.
std::string spell_unrounded(const plan::Let& let, const plan::RowProgram& program, const Dialect& dialect,
                            const Names& names);
bool is_rounded(const plan::Let& let, const plan::RowProgram& program);

// "3", "p[2]".
std::string spell(const plan::Num& number);
// "x * p[2]", leaving out factors of 1.
std::string times(const std::string& x, const plan::Num& number);

}  // namespace weft::emit
