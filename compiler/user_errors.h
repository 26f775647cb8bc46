// What a compiler says of a kernel of the user's own text, told in that text's lines: Weft's lines are around it, and the
// user neither wrote nor sees them.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// The errors and notes of a log of Clang or NVRTC that stand in the user's text, each with line and column. Errors of the
// call that Weft writes are left out where the text has one of its own. Where it has none, they are told as what is
// wrong with `called`, the name that the call takes, as in "f<floot>".
std::string of_users_text(const std::string& log, std::string_view text, const std::string& called);

}  // namespace weft
