// Look-back scans: a row is cut into parts, a block scans each, and learns from the parts before what to
// begin with.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// Blocks take parts in the order in which they start, so that a part that waits for another does not keep it
// from running.
void take_number(Entry& entry);

// What lies before the warp's run of part k of the row: the runs before it, and the parts of its group of 32
// before it, the groups of its 32 before that, and all that is before these. Always the same are joined, so
// the bits do not depend on who comes first. The last part of a group makes the group known, the last of 32
// groups all that came until then.
void look_back(Entry& entry);

}  // namespace weft::emit
