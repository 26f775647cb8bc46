// Scalar functions from their text, which docs/ir.md describes and print() writes.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/function.h"
#include "compiler/ir/text/lexer.h"

namespace weft::ir {

// The function at which the lexer stands, up to its closing brace. Error that points at what breaks a rule.
FunctionRef parse_function(TextLexer& lexer);
// The number behind `ulps`.
double parse_ulps(TextLexer& lexer);
// A text that is one function.
FunctionRef parse_function(std::string_view text, std::string_view file_name);

}  // namespace weft::ir
