// Reductions along the lanes whose rows have sections that are totalled too, as the gradients of a group norm
// do.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"

namespace weft::plan {

namespace {

int64_t power_of_two_down(int64_t n) { return power_of_two_up(n / 2 + 1); }

}  // namespace

// A block takes whole sections, beside each other: its threads share them out equally, each section's are
// neighbours. Blocks of a cluster share the sections of a row of which one would have too many, or too much.
void CudaScheduler::rows_of_sections() {
  const int lane = best_axis(outer_ + p_.section_axes, outer_ + static_cast<int>(p_.row.size()));
  s_.order = Order::Rows;
  s_.lane_axis = lane;
  s_.lanes = lanes_along(lane);
  s_.keeper = Keeper::Registers;
  const int64_t sections = p_.section_count(), points = p_.outer_count();
  const int64_t row_vectors = lines(p_.row_count() / sections, lane) * vectors(lane);
  RowProgram kept = p_;
  // What is the same all along a section is no element's.
  repeat_cheap_values(kept, false, 4, lane);
  int64_t bytes = live_bytes(kept) * s_.lanes;
  struct Share {
    int64_t blocks = 0, threads = 1, vectors = 1;  // of a row; of a section, and of each of its threads
  };
  auto share = [&](int64_t blocks, int64_t most_bytes) {
    Share out{blocks, 0, 0};
    const int64_t beside = sections / blocks;
    const int64_t most = power_of_two_down(std::max<int64_t>(kSectionThreads / beside, 1));
    const int64_t each = std::max<int64_t>(most_bytes / std::max<int64_t>(bytes, 16), 1);
    out.threads = std::min(power_of_two_up(ceil_divide(row_vectors, each)), most);
    while (out.threads * beside % 32 != 0) out.threads *= 2;
    out.vectors = std::max<int64_t>(ceil_divide(row_vectors, out.threads), 1);
    return out;
  };
  // The fewest blocks that keep the row, or as many as there are multiprocessors for.
  Share best;
  bool keeps = false;
  for (const int64_t most_bytes : {kept_bytes_ / 2, kept_bytes_}) {
    for (int64_t blocks = 1; blocks <= std::min(has_clusters() ? kBlocksOfSections : 1, sections); ++blocks) {
      if (sections % blocks != 0 || sections / blocks > kSectionsOfBlock) continue;
      const Share next = share(blocks, most_bytes);
      const bool fits = next.vectors * bytes <= most_bytes;
      if (best.blocks == 0 || (fits && (!keeps || points * best.blocks < processors_)) ||
          (!keeps && next.vectors < best.vectors))
        best = next, keeps |= fits;
    }
    if (keeps) break;
  }
  if (keeps) {
    p_ = std::move(kept);
  } else {
    repeat_cheap_values(p_, true, 1e30f);
    bytes = 0;
    s_.streaming = false;
  }
  s_.cluster = static_cast<int>(std::max<int64_t>(best.blocks, 1));
  s_.threads = s_.threads_per_row = static_cast<int>(best.threads * (sections / s_.cluster));
  s_.unroll = static_cast<int>(best.vectors);
  // As many blocks as there are registers for.
  s_.resident = static_cast<int>(std::max<int64_t>(
      std::min(kRegisterFile / (best.vectors * bytes + kOtherBytesAlone), kThreadsOf64Registers) / s_.threads,
      1));
  s_.reason = fmt::format("rows of {} sections of {} threads along axis {}, {}", sections, best.threads, lane,
                          keeps ? "rows stay in registers" : "rows are read again");
  if (s_.cluster > 1) s_.reason += fmt::format(", {} blocks a row", s_.cluster);
}

}  // namespace weft::plan
