// Kernels of a user's own text from the line that defines them, which docs/ir.md describes and print() writes.
#pragma once

#include <string>
#include <utility>

#include "compiler/ir/text/lexer.h"
#include "compiler/ir/user_kernel.h"

namespace weft::ir {

// The kernel at which the lexer stands, up to the end of its text, and its name. Error that points at what breaks a rule.
std::pair<std::string, UserKernelRef> parse_kernel(TextLexer& lexer);

}  // namespace weft::ir
