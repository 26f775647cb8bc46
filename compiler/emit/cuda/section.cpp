#include <bit>

#include "compiler/base/error.h"
#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// A block has whole sections of the row, beside each other: neighbouring threads share one, and walk it as
// they would a row. What they folded of it they join among themselves when the row is done.

void CudaEmitter::check_sections() const {
  if (p_.section_axes == 0) return;
  const int64_t sections = p_.section_count(), threads = int64_t{s_.threads_per_row} * s_.cluster;
  if (s_.order != Order::Rows || !whole_rows_ || s_.split > 1 || s_.device_wide || s_.shifted || s_.ahead ||
      s_.threads != s_.threads_per_row || s_.threads % 32 != 0 || lane_ < outer_axes_ + p_.section_axes)
    throw InternalError("emit cuda: rows of sections stay in registers, of a block or a cluster each");
  if (sections % s_.cluster != 0 || threads % sections != 0 ||
      !std::has_single_bit(static_cast<uint64_t>(threads / sections)))
    throw InternalError("emit cuda: a block takes whole sections, each by a power of two of its threads");
}

std::vector<int> CudaEmitter::section_totals() const {
  std::vector<int> out;
  for (auto& sweep : p_.sweeps)
    out.insert(out.end(), sweep.section_totals.begin(), sweep.section_totals.end());
  return out;
}

// Finds the thread's section. The thread's place there.
std::string CudaEmitter::take_section() {
  const int threads = section_threads(), beside = s_.threads / threads;
  code_.line("q = {}t / {};", s_.cluster > 1 ? format("rank * {} + ", beside) : "", threads);
  std::vector<int> order;
  for (int a = outer_axes_ + p_.section_axes; a-- > outer_axes_;) order.push_back(a);
  split_position(order, false);
  start_totals(p_.sweeps.size());
  return format("t % {}", threads);
}

void CudaEmitter::store_sections() {
  const size_t all = p_.sweeps.size();
  join_in_block(all, section_threads());
  finish(all);
  for (auto& sweep : p_.sweeps) outer_code(sweep.after_section, format("t % {} == 0", section_threads()));
}

}  // namespace weft::emit
