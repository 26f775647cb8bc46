// The process's environment; env.cpp is the only file that reads it.
#pragma once

#include <optional>
#include <string>

namespace weft::detail {

// None when the variable is unset or empty.
std::optional<std::string> environment(const char* name);

}  // namespace weft::detail
