// What is in shared memory, as z<value> or z<buffer>: values that stay there between sweeps, loads that are
// copied there ahead of them, and short rows that pass through it.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// Pointers z<value> to the vectors that stay in shared memory: those of rows, or parts of rows, of which the
// thread's begins after `mine` others.
void shared_rows(Entry& entry, const std::string& mine);
// Where the thread's vector of a step of the row is, behind z<value>.
std::string place_in_shared(const Entry& entry, const std::string& step);
// Loads of the first sweep that stay in shared memory go there directly, all of them at once: what a thread
// copies it alone reads.
void copy_ahead(Entry& entry, const std::string& start, const std::string& step, const std::string& end);

// Rows or strips that a thread takes in turn: it copies what it alone keeps of the first, then of the next
// one as soon as the one before is in registers.
void declare_ahead(Entry& entry);  // pointers z<value>
void take_ahead(Entry& entry);     // to registers
// `point` is the number of the row or column, `step` that of the thread's vector u.
void copy_next(Entry& entry, const std::string& point, const std::string& step, const std::string& end);

// Short rows: the block's part of what is read, in shared memory, where there is room for what it writes.
void bundle_rows(Entry& entry);
void declare_bundles(Entry& entry);
void copy_bundle(Entry& entry, const std::string& first, const std::string& here);
// The block's next rows, as soon as none of its threads will read these again.
void copy_next_bundle(Entry& entry);
void unbundle_rows(Entry& entry);

}  // namespace weft::emit
