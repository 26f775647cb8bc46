// The accumulators of a sweep in an entry's text: their structs, where they start, folds, and what they end
// with.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// The structs S<sweep> with their joins, and R<n> of running values.
std::string state_structs(const plan::RowProgram& program, const CudaLayout& layout);

// The accumulators that this entry joins after the sweep; those of sections count as one more sweep's.
const std::vector<int>& joined_after(const Entry& entry, size_t sweep);

void start_totals(Entry& entry, size_t sweep, bool declare = true);
// The same of a state of that name, whose members are these accumulators.
void start_state(Entry& entry, const std::string& state, const std::vector<int>& accumulators);
void start_runs(Entry& entry, size_t sweep);
void flush_runs(Entry& entry, size_t sweep);
void fold(Entry& entry, const plan::Fold& fold, const Place& place);
// Folds of packed words, when a batch's vectors are there.
void fold_packed(Entry& entry, const Batch& batch, bool is_inside);
// What a vector is loaded as: elements, each of which a compiler takes from its word, or the words where
// nobody asks for an element.
std::string loaded_type(const Entry& entry, const Batch& batch, const plan::Load& load);
// The reductions that the sweep finishes, as values.
void finish_totals(Entry& entry, size_t sweep);

}  // namespace weft::emit
