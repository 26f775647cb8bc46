// Which way a reduction goes, and what all of these ask.
#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/rewrite/online_softmax.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"

namespace weft::plan {

void CudaScheduler::reduce() {
  int axes = outer_ + static_cast<int>(p_.row.size());
  int row_lane = best_axis(outer_, axes);
  int outer_lane = outer_ > 0 ? best_axis(0, outer_) : -1;
  if (p_.ordered) return columns_along(outer_lane);
  if (p_.reduces_points()) return rows_and_totals(row_lane);
  if (p_.section_axes > 0) return rows_of_sections();
  if (outer_lane >= 0 && is_pairwise(outer_lane)) return pairs_along(outer_lane);
  if (outer_lane >= 0) {
    Along in_row = along(row_lane), across = along(outer_lane);
    bool columns = across.near > in_row.near && extent(outer_lane) >= 16;
    s_.lanes = lanes_along(row_lane);
    // Few columns that are too long to stay would be read again by a block or two.
    const bool few = p_.row_count() > kLongestColumn && is_worth_device(p_.row_count(), p_.outer_count());
    if (columns && !few && !can_bundle(row_lane)) return columns_along(outer_lane);
  }
  rows_along(row_lane);
}

int64_t CudaScheduler::state_bytes(const Sweep& sweep, int64_t unit) const {
  int64_t bytes = 0;
  for (int a : sweep.accumulators) {
    auto& acc = p_.accumulators[a];
    bytes +=
        std::max<int64_t>(2 * static_cast<int64_t>(size_of(acc.dtype)), 8) + (gives_index(acc.op) ? 8 : 0);
  }
  return round_up(bytes, unit);
}

// The most bytes of crossing values that are alive at once, for each row element: a register is free again
// after its value's last use.
int64_t CudaScheduler::live_bytes(const RowProgram& p) {
  std::vector<int> first(p.values.size(), -1), last(p.values.size(), -1);
  for (size_t k = 0; k < p.sweeps.size(); ++k)
    for (auto& s : p.sweeps[k].body) {
      if (Value v = defines(s); v >= 0) first[v] = static_cast<int>(k);
      for (Value u : uses(s)) last[u] = static_cast<int>(k);
    }
  int64_t most = 0;
  for (int k = 0; k + 1 < static_cast<int>(p.sweeps.size()); ++k) {
    int64_t bytes = 0;
    for (Value v : crossing_values(p))
      if (first[v] <= k && last[v] > k) bytes += static_cast<int64_t>(size_of(p.values[v].dtype));
    most = std::max(most, bytes);
  }
  return most;
}

// What is unrolled for each element that a thread keeps.
int64_t CudaScheduler::body_statements(const RowProgram& p) {
  int64_t statements = 0;
  for (auto& sweep : p.sweeps) statements += static_cast<int64_t>(sweep.body.size());
  return statements;
}

// Rows are read in each sweep, in fewer ones where sums can be rescaled; whether there are such.
bool CudaScheduler::read_again() {
  repeat_cheap_values(p_, true, 1e30f);
  s_.keeper = Keeper::Reload;
  return contract_ && rescale_sums(p_);
}

// Reductions alone, one of which needs the largest element of the row, as log-sum-exp does.
bool CudaScheduler::finish_in_one_sweep() {
  if (!contract_ || p_.scans()) return false;
  RowProgram once = p_;
  repeat_cheap_values(once, true, 1e30f);
  if (!rescale_sums(once) || once.sweeps.size() > 1) return false;
  p_ = std::move(once);
  return true;
}

// Cuts the row when there are too few points for the device: `busy` threads would work on them.
void CudaScheduler::choose_split(int64_t row_steps, int64_t busy, int64_t steps_of_part, int64_t fill) {
  if (p_.sweeps.size() != 1 || p_.accumulators.empty() || busy * 2 > fill) return;
  // Parts of a scanned column are totalled first, then scanned from what comes before each.
  if (p_.scans() && p_.accumulators.size() > 1) return;
  int64_t split =
      std::min(fill / std::max<int64_t>(busy, 1), row_steps / std::max<int64_t>(steps_of_part, 1));
  if (split > 1) s_.split = split;
}

}  // namespace weft::plan
