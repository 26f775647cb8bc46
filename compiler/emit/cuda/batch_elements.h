// The second and third step of a batch: its elements, one by one, then the stores of whole vectors.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// `is_inside`: in a branch in which all elements are of the row.
void batch_elements(Entry& entry, const Batch& batch, bool is_inside = false);
void batch_stores(Entry& entry, const Batch& batch);

}  // namespace weft::emit
