// What a user wrote, where a text names an op: `linspace` is recorded as several ops, and none of them is in the user's line.
#pragma once

#include <string>
#include <string_view>

#include "frontend/cpp/session/costs_seen.h"

namespace weft::detail {

// The cost's text, in which a value's op is named only where its line calls a function of that name. Elsewhere the text of
// the line stands for it, as far as it can be read.
void tell_in_users_words(CostSeen& cost);
// Whether the text calls a function of this name: "exp" in "wf.exp(x)".
bool calls(std::string_view text, std::string_view name);

}  // namespace weft::detail
