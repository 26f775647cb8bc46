// Numbers as `.weft` text writes them. A literal keeps its spelling until the dtype that it becomes is known,
// so that it is rounded once; what does not fit the dtype is an error.
#pragma once

#include <optional>

#include "compiler/base/dtype.h"
#include "compiler/ir/text/lexer.h"

namespace weft::ir {

struct Literal {
  struct Part {
    Token token;
    std::optional<Token> nan_bits;  // of `nan(0x7fc00001)`
  };
  DTypeKind kind = DTypeKind::Signed;  // Bool, Signed, Float or Complex: how it takes part in promotion
  Part re;
  std::optional<Part> im;  // of `(re, im)`
};

bool starts_literal(const Token& token);
// One of: true, -12, 2.5, 1e-30, inf, -nan, nan(0x7fc00001), (re, im).
Literal parse_literal(TextLexer& lexer);
// The value that `constant` states for `dtype`; Error at the literal when it is of another kind or does not
// fit.
Scalar to_scalar(const TextLexer& lexer, const Literal& literal, DType dtype);
int64_t to_int64(const TextLexer& lexer, const Token& token);

}  // namespace weft::ir
