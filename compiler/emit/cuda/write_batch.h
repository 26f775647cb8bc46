// The loop over batches: what a step of it loads, computes, keeps and stores, and in which order.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// The steps start, start + step, … below `end`, those of a batch together. A loop runs on until there are
// none left.
struct Steps {
  std::string start, step, end;
  bool in_loop = true;
  std::string single_start = {};  // where a thread starts that takes one element of the row at a time
};

void write_batch(Entry& entry, const Batch& batch, const Steps& steps);

// Later sweeps find in k<value>[u] what the sweep has kept.
void settle(Entry& entry, const plan::Sweep& sweep);

}  // namespace weft::emit
