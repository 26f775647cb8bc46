// Reductions along rows whose sections are totalled too, as the gradients of a group norm do.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

int64_t power_of_two_down(int64_t n) { return power_of_two_up(n / 2 + 1); }

struct SectionShare {
  int64_t blocks = 0, threads = 1, vectors = 1;  // of a row; of a section, and of each of its threads
};

// The threads of a section's `vectors`, each of `bytes` that stay, where `blocks` share a row's sections.
SectionShare share_sections(int64_t sections, int64_t blocks, int64_t vectors, int64_t bytes,
                            int64_t most_bytes) {
  SectionShare out{blocks, 0, 0};
  const int64_t beside = sections / blocks;
  const int64_t most = power_of_two_down(std::max<int64_t>(kSectionThreads / beside, 1));
  const int64_t each = std::max<int64_t>(most_bytes / std::max<int64_t>(bytes, 16), 1);
  out.threads = std::min(power_of_two_up(ceil_divide(vectors, each)), most);
  while (out.threads * beside % kWarp != 0) out.threads *= 2;
  out.vectors = std::max<int64_t>(ceil_divide(vectors, out.threads), 1);
  return out;
}

// The fewest blocks that keep the row, or as many as there are multiprocessors for; and whether they keep it.
std::pair<SectionShare, bool> best_share(const Facts& facts, int64_t sections, int64_t points,
                                         int64_t vectors, int64_t bytes) {
  SectionShare best;
  bool keeps = false;
  for (const int64_t most_bytes : {facts.kept_bytes / 2, facts.kept_bytes}) {
    for (int64_t blocks = 1; blocks <= std::min(facts.has_clusters() ? kBlocksOfSections : 1, sections);
         ++blocks) {
      if (sections % blocks != 0 || sections / blocks > kSectionsOfBlock) continue;
      const SectionShare next = share_sections(sections, blocks, vectors, bytes, most_bytes);
      const bool fits = next.vectors * bytes <= most_bytes;
      if (best.blocks == 0 || (fits && (!keeps || points * best.blocks < facts.processors)) ||
          (!keeps && next.vectors < best.vectors))
        best = next, keeps |= fits;
    }
    if (keeps) break;
  }
  return {best, keeps};
}

}  // namespace

// A block takes whole sections, beside each other: its threads share them out equally, each section's are
// neighbours. Blocks of a cluster share the sections of a row of which one would have too many, or too much.
Choice choose_sections(const RowProgram& program, const Facts& facts) {
  const int lane = facts.lane_axis;
  const Vectors v{lane, lanes_along(program, facts, lane)};
  const int64_t sections = program.section_count();
  const int64_t vectors = lines(program, program.row_count() / sections, lane) * v.count(program);
  // What is the same all along a section is no element's.
  RowProgram p = keeping(program, lane);
  int64_t bytes = live_bytes(p) * v.lanes;
  const auto [share, keeps] = best_share(facts, sections, program.outer_count(), vectors, bytes);
  CudaSchedule s{.lane_axis = lane, .lanes = v.lanes, .caching = caching_by_size(facts)};
  if (!keeps) {
    p = loading_again(program);
    bytes = 0;
    s.caching = Caching::Plain;
  }
  const int64_t blocks = std::max<int64_t>(share.blocks, 1);
  s.shape = Sections{static_cast<int>(blocks), static_cast<int>(share.vectors)};
  s.threads = static_cast<int>(share.threads * (sections / blocks));
  // As many blocks as there are registers for.
  s.resident = static_cast<int>(std::max<int64_t>(
      std::min(kRegisterFile / (share.vectors * bytes + kOtherBytesAlone), kThreadsOf64Registers) / s.threads,
      1));
  s.reason = fmt::format("rows of {} sections of {} threads along axis {}, {}", sections, share.threads, lane,
                         keeps ? "rows stay in registers" : "rows are read again");
  if (blocks > 1) s.reason += fmt::format(", {} blocks a row", blocks);
  return Scheduled{std::move(p), std::move(s)};
}

}  // namespace weft::plan::cuda
