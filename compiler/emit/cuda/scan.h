// Running values, as R<n> {t} for accumulator n: so_far<n> is what lies before the batch. Columns are walked
// one element after another. Along rows, a batch's elements first take their own vector's running values in
// scan<n>; then the threads of the row learn what lies before each vector: a warp by shuffles of halves, a
// block through shared memory.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// `begin`: what lies before, where that is not nothing.
void start_scans(Entry& entry, size_t sweep, const std::string& begin);
// One element of a column.
void scan_column(Entry& entry, const plan::Scan& scan, const Place& place);
// An element of a row; then, for all threads of the row; then the element's result.
void scan_row(Entry& entry, const plan::Scan& scan, const Place& place);
void join_scan(Entry& entry, const plan::Scan& scan);
void finish_scan(Entry& entry, const plan::Scan& scan);

}  // namespace weft::emit
