// How threads join their states: by warp shuffles, through shared memory, between the blocks of a cluster,
// and between all blocks of the grid through memory.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// The blocks of a cluster make ready for the states that they will exchange, and begin to wait for each
// other.
void begin_cluster(Entry& entry);

// Joins the states of the `threads` neighbouring threads of a row; each of them has the result.
void join_row(Entry& entry, size_t sweep, int threads);
void join_in_block(Entry& entry, size_t sweep, int threads);

// Room for the states of all threads that walk columns, of the sweep with the largest.
void declare_joins(Entry& entry);
// Joins the states of threads that walk different rows of the same columns: those of a warp, then the warps,
// by one thread for each column, then the blocks of a cluster; each thread has the result.
void join_columns(Entry& entry, size_t sweep);

// Opens what only the last block does of those whose parts belong together: each of them has stored its part,
// and that block sees them all.
void begin_last(Entry& entry);
// Each block of those whose parts belong together draws a ticket as it begins. The one that drew the last will
// wait for the others, all of which run by then. A block looks at its ticket only when its part is done, so
// that the way to memory costs no time.
void take_ticket(Entry& entry);
// Opens what only that block does, which has joined the parts. The others tell it of theirs where nothing was
// before, and it leaves nothing there. To store a part, to count it and then to read all of them would be
// three ways to memory, one behind the other, instead of one.
void collect_parts(Entry& entry, int threads);

}  // namespace weft::emit
