// Orders of rows as NumPy has them: ascending, NaN last, equal values in the order in which they stood. The device's threads
// share what is long; the result depends on the values alone.
#pragma once

#include <cstdint>

#include "runtime/cpu/parallel_for.h"
#include "runtime/device.h"

namespace weft::runtime {

// In place.
void sort_rows(const SortedRows& rows, void* values, int threads, const ParallelFor& parallel);
// Where in its row each value stands that comes next; the values stay.
void positions_of_rows(const SortedRows& rows, const void* values, int64_t* positions, int threads,
                       const ParallelFor& parallel);

}  // namespace weft::runtime
