// Columns that stay on the chip: in the registers of a thread, in registers while the next strip is copied, or
// in shared memory.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

// Of a vector in which single columns are copied; of 4 bytes each. As single elements they are copied as fast
// as memory writes parts of sectors.
constexpr int kWords = 4;

// A strip's block, and how many of them share one.
struct Strip {
  int64_t across = 1, threads = 1, cluster = 1, resident = 1;
  int64_t down() const { return threads / across; }
};

// Strips of columns in shared memory, whose rows are copied as vectors of `copied` elements (0: one by one).
class StripFitter {
 public:
  StripFitter(const RowProgram& program, const RowProgram& kept, const Facts& facts, const Vectors& v,
              int copied)
      : program_(program),
        facts_(facts),
        lanes_(v.lanes),
        copied_(copied),
        columns_(lines(program, program.outer_count(), v.axis) * v.count(program)),
        row_(program.row_count()),
        bytes_(shared_places(kept).element_bytes() * v.lanes),
        unit_(largest_element(program) * v.lanes),
        most_(static_cast<int64_t>(facts.target->shared_bytes) - kColumnJoins) {}

  // As wide as 256 bytes, since memory is slower at less, and as few blocks for each as leave room for three in
  // a multiprocessor, or for one.
  std::optional<Strip> choose() const {
    // Narrower strips, or a multiprocessor to one block, are slower than to read columns again; where there are
    // no clusters, that is done for strips of 32 bytes.
    const int64_t largest = facts_.has_clusters() ? kLargestCluster : 1;
    std::optional<Strip> best = widest(kNarrowestStrip, kKeepingBlocks, largest);
    if (!best && largest == 1) best = widest(kSector, 1, 1);
    if (!best) return {};
    // With few strips, more blocks for each, and narrower ones.
    const int64_t portable = std::min(largest, kPortableCluster);
    while (are_few(*best) && best->cluster * 2 <= portable) {
      const auto more = fit(best->across, best->cluster * 2, best->resident);
      if (!more) break;
      best = more;
    }
    while (are_few(*best) && best->across * unit_ > kCudaLine) {
      const auto narrower = fit(best->across / 2, best->cluster, best->resident);
      if (!narrower) break;
      best = narrower;
    }
    return best;
  }

 private:
  // The widest strip of `narrowest` bytes or more that the fewest blocks keep.
  std::optional<Strip> widest(int64_t narrowest, int64_t resident, int64_t largest_cluster) const {
    const int64_t first =
        std::min(std::clamp<int64_t>(kWidestStrip / unit_, 4, 64), power_of_two_up(columns_));
    for (int64_t across = first; across == first || across * unit_ >= narrowest; across /= 2) {
      int64_t cluster = 1;
      while (ceil_divide(row_, cluster) * bytes_ * (across + copied_) > most_ / resident) cluster *= 2;
      if (cluster > largest_cluster) continue;
      if (auto strip = fit(across, cluster, resident)) return strip;
    }
    return {};
  }

  bool are_few(const Strip& s) const {
    return ceil_divide(columns_, s.across) * s.cluster < facts_.processors;
  }

  std::optional<Strip> fit(int64_t across, int64_t cluster, int64_t resident) const {
    int64_t threads = resident > 1 ? kThreads : 512;
    while (threads > kWarp && threads / across > power_of_two_up(row_)) threads /= 2;
    if (threads < across || (cluster > 1 && row_ < cluster * threads / across)) return {};
    // Runs that need no wider totals keep what is joined small.
    if (ceil_divide(row_, threads / across * cluster) > kRunElements) return {};
    const int64_t joins = join_bytes(threads, across, cluster);
    if (joins > kJoinBytes || across < copied_ ||
        ceil_divide(row_, cluster) * bytes_ * (across + copied_) + joins > most_ / resident)
      return {};
    return Strip{across, threads, cluster, resident};
  }

  // Of static shared memory: for the warps that share columns, and for the blocks.
  int64_t join_bytes(int64_t threads, int64_t across, int64_t cluster) const {
    const int64_t warps = std::max<int64_t>(std::min(threads / across, threads / kWarp), 1);
    int64_t joined = 0, told = 0;
    for (auto& sweep : program_.sweeps) {
      int64_t state = 0;
      for (int a : sweep.accumulators) {
        auto& acc = program_.accumulators[a];
        state +=
            std::max<int64_t>(static_cast<int64_t>(size_of(acc.dtype)), 4) + (gives_index(acc.op) ? 8 : 0);
      }
      joined = std::max(joined, state);
      told += state * (cluster > 1 ? cluster + 1 : 1);
    }
    return (joined * warps + told) * lanes_ * across;
  }

  const RowProgram& program_;
  const Facts& facts_;
  const int64_t lanes_, copied_, columns_, row_;
  const int64_t bytes_;  // of a vector of columns in shared memory
  const int64_t unit_;   // bytes of the largest vector
  const int64_t most_;   // bytes of shared memory
};

// What all kept columns ask: that something stays of columns that are no scans.
bool may_stay(const RowProgram& p, const RowProgram& kept, const Facts& facts) {
  return facts.crosses && !p.scans() && live_bytes(kept) > 0 && p.row_count() > 0;
}

int64_t count_columns(const RowProgram& p, const Vectors& v) {
  return lines(p, p.outer_count(), v.axis) * v.count(p);
}

// A sector that two strips write parts of costs more than to read and compute its columns in both; where
// sixteen blocks share a strip, they wait for each other longer than for memory. Strips of 2-byte and 8-byte
// elements lost by it on an H200.
int overlap_of(const RowProgram& p, const Vectors& v, const Strip& s, int copied) {
  const int64_t sector = widest_sector(p, v.axis);
  const bool pays = copied == kWords && s.cluster <= kPortableCluster && count_columns(p, v) > s.across &&
                    sector * 4 <= s.across;
  return pays ? static_cast<int>(sector) : 0;
}

// Strips, and in which vectors and with which overlap they are copied: in single words where that leaves wide
// strips and whole sectors to store.
struct CopiedStrip {
  Strip strip;
  int copied = 0, overlap = 0;
};
std::optional<CopiedStrip> choose_strip(const RowProgram& p, const RowProgram& kept, const Facts& facts,
                                        const Vectors& v) {
  const int vectors = v.lanes == 1 && facts.has_clusters() ? wide_copy_elements(kept, v.axis) : 0;
  const int copied = vectors == kWords ? 0 : vectors;
  const auto single = StripFitter(p, kept, facts, v, copied).choose();
  if (!single) return {};
  if (vectors == kWords)
    if (const auto wide = StripFitter(p, kept, facts, v, kWords).choose();
        wide && wide->across >= single->across)
      if (const int overlap = overlap_of(p, v, *wide, kWords); overlap > 0)
        return CopiedStrip{*wide, kWords, overlap};
  return CopiedStrip{*single, copied, 0};
}

}  // namespace

Choice choose_register_columns(const RowProgram& program, const Facts& facts) {
  RowProgram kept = keeping(program);
  if (!may_stay(program, kept, facts)) return {};
  const Vectors v = vectors_of_columns(program, facts);
  const int64_t row = program.row_count();
  if (row > kRowsOfThread || count_columns(program, v) < kWarp * facts.processors ||
      body_statements(kept) * row * v.lanes > facts.most_unrolled)
    return {};
  CudaSchedule s{.shape = RegisterColumns{static_cast<int>(row)},
                 .lane_axis = v.axis,
                 .lanes = v.lanes,
                 .threads = kThreads};
  s.reason = fmt::format("columns, {} lanes along axis {}, which stay in a thread's registers", s.lanes,
                         s.lane_axis);
  return Scheduled{std::move(kept), std::move(s)};
}

// Long strips, of which there are many, leave a block no room for a second one beside it, so that memory
// would rest while it computes: it computes in registers, and shared memory takes the next strip. Memory is
// slower at narrow strips, so they are as wide as registers let them be.
Choice choose_turn_columns(const RowProgram& program, const Facts& facts) {
  RowProgram kept = keeping(program);
  if (!may_stay(program, kept, facts) || !facts.has_clusters()) return {};
  const Vectors v = vectors_of_columns(program, facts);
  const int64_t columns = count_columns(program, v), row = program.row_count();
  if (row < (v.lanes == 1 ? kLongSingleColumn + 1 : kLongColumn)) return {};
  const int64_t body = body_statements(kept), unit = largest_element(program) * v.lanes;
  int64_t joined = 0, told = 0;
  for (auto& sweep : kept.sweeps) {
    joined = std::max(joined, state_bytes(kept, sweep, 1));
    told += state_bytes(kept, sweep, 1);
  }
  const int64_t each = facts.kept_bytes / (std::max<int64_t>(live_bytes(kept), 4) * v.lanes);
  if (unit < 4 || unit > kWidestAccess || each == 0) return {};
  for (const int64_t width : {kWidestStrip, kWidestStrip / 2}) {
    const int64_t across = width / unit, down = kTurnThreads / across;
    const int64_t cluster = power_of_two_up(ceil_divide(row, down * each));
    const int64_t elements = ceil_divide(row, down * cluster), strips = ceil_divide(columns, across);
    // A chip's GPCs have some processors that fill no cluster.
    const int64_t at_once = facts.processors * 10 / 11 / cluster;
    const int64_t warps = std::min(down, kTurnThreads / kWarp);
    const int64_t joins = (joined * warps + told * (2 * cluster + 1)) * v.lanes * across;
    if (cluster > kLargestCluster || joins > kJoinBytes || strips < 4 * at_once ||
        body * elements * v.lanes > facts.most_unrolled)
      continue;
    CudaSchedule s{.lane_axis = v.axis, .lanes = v.lanes, .threads = static_cast<int>(kTurnThreads)};
    s.shape =
        TurnColumns{static_cast<int>(down), static_cast<int>(cluster), static_cast<int>(elements), at_once};
    s.caching = caching_by_size(facts);
    s.reason = fmt::format(
        "columns, {} lanes along axis {}, {} threads down each, strips in turn in registers, {} blocks a "
        "strip",
        s.lanes, s.lane_axis, down, cluster);
    return Scheduled{std::move(kept), std::move(s)};
  }
  return {};
}

// Strips 256 bytes wide where they may be; several blocks share long ones.
Choice choose_shared_columns(const RowProgram& program, const Facts& facts) {
  RowProgram kept = keeping(program);
  if (!may_stay(program, kept, facts)) return {};
  const Vectors v = vectors_of_columns(program, facts);
  const auto chosen = choose_strip(program, kept, facts, v);
  if (!chosen) return {};
  const Strip& strip = chosen->strip;
  using Copy = SharedColumns::Copy;
  SharedColumns shape{static_cast<int>(strip.down()), static_cast<int>(strip.cluster)};
  shape.elements = body_statements(kept) * v.lanes <= facts.most_unrolled / kSmallBody ? 2 : 1;
  shape.copy = chosen->copied > 0 ? Copy::Vectors : facts.has_clusters() ? Copy::Ahead : Copy::None;
  shape.overlap = chosen->overlap;
  CudaSchedule s{.shape = shape, .lane_axis = v.axis, .lanes = v.lanes};
  s.threads = static_cast<int>(strip.threads);
  s.resident = shape.elements == 1 ? 1 : static_cast<int>(strip.resident);
  s.reason = fmt::format("columns, {} lanes along axis {}, {} threads down each, which stay in shared memory",
                         s.lanes, s.lane_axis, shape.down);
  if (shape.cluster > 1) s.reason += fmt::format(", {} blocks a strip", shape.cluster);
  if (shape.overlap > 0) s.reason += fmt::format(", strips overlap by {} columns", shape.overlap);
  return Scheduled{std::move(kept), std::move(s)};
}

}  // namespace weft::plan::cuda
