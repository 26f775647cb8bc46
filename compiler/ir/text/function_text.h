// Scalar functions as text (docs/ir.md describes the form): print and parse give the same function back.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/function.h"
#include "compiler/ir/text/lexer.h"

namespace weft::ir {

// "function name(%0 : f64) {", a line for each instruction, "}".
std::string print(const Function& function, std::string_view name);
// The function at which the lexer stands, up to its closing brace. Error that points at what breaks a rule.
FunctionRef parse_function(TextLexer& lexer);
// A text that is one function.
FunctionRef parse_function(std::string_view text, std::string_view file_name);

}  // namespace weft::ir
