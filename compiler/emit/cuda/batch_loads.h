// The first step of a batch: arrays, whatever is the same along the lanes, and loads, which so are in flight
// together.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// Arrays of what later steps read.
void batch_arrays(Entry& entry, const Batch& batch);
// Of vector u of the batch. `has_inverses`: those of its divisors are at hand.
void batch_loads(Entry& entry, const Batch& batch, bool has_inverses);

// Vectors of neighbours on the row, of which each batch takes one whole; those of the batch that begins at
// `step`.
void declare_runs(Entry& entry, const Batch& batch);
void load_runs(Entry& entry, const Batch& batch, const std::string& step);

// Loads a block's vector at the positions of the scope.
std::string block_load(const Entry& entry, const Block& block);

}  // namespace weft::emit
