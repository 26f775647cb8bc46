// How accumulators are spelled: a sweep's totals are the members of one struct S<sweep>, so that threads,
// warps and blocks join them all at once. t<n> is the total of accumulator n, i<n> the position of argmax and
// argmin, r<n> what a run of elements adds up to.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// The join of two values of dtype `t`.
std::string joined(const plan::Accumulator& acc, DType t, const std::string& a, const std::string& b);
// The state's member, and the run, of the column e where a thread has several.
std::string total_text(const Entry& entry, size_t sweep, int accumulator);
std::string run_text(const Entry& entry, int accumulator);
// "[lanes]" where accumulators are arrays over the columns of a thread.
std::string columns_of_thread(const Entry& entry);
// What the total starts from.
std::string start_text(const Entry& entry, int accumulator);

// Calls write() once, or in a loop over the columns of a thread.
template <class F>
void each_column(Entry& entry, F&& write) {
  if (!entry.layout.columns()) return write();
  entry.code.unrolled("e", entry.own.lanes);
  write();
  entry.code.add("}");
}

}  // namespace weft::emit
