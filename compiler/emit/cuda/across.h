// Totals across the points, one for each element of the row. The threads of a row take several rows one after
// another, and keep a total for each element that is theirs in across<n>[u][e], in the dtype of a run. What
// the rows of a block have for the same element is joined, and each block, or cluster, writes what it has to
// `partials`; NAME_finish joins them in the dtype of totals, some threads down each of a few neighbouring
// elements.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

void start_across(Entry& entry);
// After the loop over rows.
void store_across(Entry& entry);
// The body of NAME_finish.
void finish_across(Entry& entry);

}  // namespace weft::emit
