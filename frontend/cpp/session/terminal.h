// Whether people watch a stream of this process, and what they are shown meanwhile.
#pragma once

namespace weft::detail {

// Of a file descriptor: a terminal that can do more than write one line behind the other.
bool is_terminal(int descriptor);
// The same, where nobody asked for no colours (NO_COLOR).
bool takes_colours(int descriptor);
// From now on long work says on the standard error how far it is: on a terminal, but not in continuous integration
// (CI), nor where WEFT_PROGRESS is 0.
void watch_progress();

}  // namespace weft::detail
