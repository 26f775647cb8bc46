// The functions that an op as text can call: those of C's and CUDA's mathematics, and every map of the op table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/code/code_values.h"

namespace weft::ir {

// What the function gives; none where there is no such function. Error at the place where it does not take these.
std::optional<CodeValue> call_in_code(CodeValues& values, std::string_view at, const std::string& name,
                                      std::span<const CodeValue> args);
// A constant by its name in C: M_PI, INFINITY.
std::optional<CodeValue> constant_in_code(std::string_view name);
// The constant that a name of another language stands for, as inf; empty where none is.
std::string_view like_constant(std::string_view name);
// The name of a function that is like this one; empty where none is.
std::string like_function(std::string_view name);

}  // namespace weft::ir
