// What a caller should know though work goes on: a cache folder that cannot be used.
#pragma once

#include <string>

namespace weft {

// `tell` gets each warning, on any thread and under locks: it may not call Weft. Set once, before the first
// array. Whether or not there is one, warnings go to the session's log.
void on_warning(void (*tell)(const std::string& warning));

}  // namespace weft
