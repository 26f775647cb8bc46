// Reductions along the lanes: who shares a row, and where it stays between sweeps.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/rewrite/look_back.h"
#include "compiler/plan/rewrite/online_softmax.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"

namespace weft::plan {

void CudaScheduler::rows_along(int lane) {
  s_.order = Order::Rows;
  s_.lane_axis = lane;
  choose_lanes(lane);
  s_.bundled = can_bundle(lane);
  int64_t row_vectors = lines(p_.row_count(), lane) * vectors(lane);
  int64_t points = p_.outer_count();
  bool crosses = !crossing_values(p_).empty();
  std::string where = "nothing crosses sweeps";
  const bool blocks_share =
      crosses && (keep_among_few(row_vectors, points) || keep_across_device(row_vectors, points));
  const bool shares_bundle = crosses && !blocks_share && share_bundled_rows(lane, points);
  if (blocks_share || shares_bundle || (crosses && keep_in_registers(row_vectors, points))) {
    where = "rows stay in registers";
  } else {
    if (crosses && finish_in_one_sweep()) crosses = false, where = "sums are rescaled as the largest grows";
    s_.bundled &= !crosses;
    s_.unroll = unroll_for(s_.bundled ? row_vectors : p_.scans() ? 2 : 8);
    // Joining costs as much as some elements do: four batches a thread where there are rows enough, but
    // neighbours enough to read whole sectors.
    const int64_t widest = power_of_two_up(ceil_divide(row_vectors, s_.unroll));
    int64_t threads = std::max(power_of_two_up(ceil_divide(widest, 4)), std::min<int64_t>(widest, 16));
    while (threads < widest && points * threads < fill_) threads *= 2;
    // Rows of a line of memory lie in the same banks, of which two neighbours read too few at once.
    if (is_line(row_vectors)) threads = std::max<int64_t>(threads, 4);
    if (s_.bundled) threads = 1;
    if (threads > 32 && row_vectors <= 32 * 8 && points * 32 >= fill_) threads = 32;
    // A block of its own reads a short row in less time than several take to learn which of them is last.
    const bool alone = points * kThreads * 2 <= fill_ && widest <= kStepsAlone;
    const int64_t most = p_.sweeps.size() > 1   ? 1024
                         : !alone || p_.scans() ? kThreads
                         : points > processors_ ? 512
                                                : 1024;
    s_.threads_per_row = static_cast<int>(std::clamp<int64_t>(threads, 1, most));
    if (crosses && keep_in_shared(row_vectors)) {
      where = "rows stay in shared memory";
      s_.threads_per_row = std::max(s_.threads_per_row, 32);
    } else if (crosses) {
      where =
          read_again() ? "rows are read again, sums rescaled as the largest grows" : "rows are read again";
      s_.streaming = false;
      if (is_worth_device(row_vectors, points)) share_device(row_vectors, points);
    }
    s_.unroll =
        static_cast<int>(std::clamp<int64_t>(ceil_divide(row_vectors, s_.threads_per_row), 1, s_.unroll));
    if (p_.scans())
      where = chain_parts(row_vectors, points, where);
    else if (!alone)
      choose_split(row_vectors, points * s_.threads_per_row, int64_t{s_.threads_per_row} * s_.unroll, fill_);
    if (!crosses && s_.split > 1 && !s_.chained) share_in_cluster(row_vectors, points);
    if (!crosses && s_.split == 1 && s_.cluster == 1) take_at_once(row_vectors);
    // Each thread of the block that joins the parts waits for one of them, which large arrays do not feel.
    if (!s_.chained && !large_ && s_.split > s_.threads_per_row && s_.threads_per_row == kThreads)
      s_.threads_per_row *= 2, s_.split = ceil_divide(s_.split, 2);
  }
  s_.threads = std::max(s_.threads_per_row, s_.keeper == Keeper::Shared ? 32 : kThreadsOfRows);
  // To start a block takes longer than such rows do.
  if (s_.threads_per_row == 1 && !shares_bundle) {
    s_.threads = kThreads;
    s_.resident = (s_.resident + 1) / 2;
    // A thread that keeps little waits most of its time for its block's rows.
    if (s_.bundled && crosses) s_.resident = live_bytes(p_) * s_.unroll <= kLittleKept ? 8 : 6;
  }
  // ptxas makes do with 32 registers where it can, and asks for half of a step's vectors when it is done with
  // the others: odd rows of small elements, which are looked at one by one, then wait twice. Half as many
  // threads may have 64; wider elements need the threads.
  if (s_.shifted && s_.lanes >= kManyOfAVector && !crosses && !s_.bundled && s_.unroll > 1 &&
      s_.resident == 1 && is_light())
    s_.resident = std::max(1024 / s_.threads, 1);
  s_.rows_per_task = s_.threads / s_.threads_per_row;
  s_.reason = fmt::format("rows of {} threads along axis {}, {}", s_.threads_per_row, lane, where);
  if (s_.cluster > 1) s_.reason += fmt::format(", {} blocks a row", s_.cluster);
  if (s_.split > 1) s_.reason += fmt::format(", split in {}", s_.split);
}

// Whether what a row loads is as long as a line of memory, in vectors of which that has eight.
bool CudaScheduler::is_line(int64_t row_vectors) const {
  int64_t bytes = 0;
  for_each_stmt(p_, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    if (l && stride_along(l->at, s_.lane_axis) != 0)
      bytes = std::max(bytes, static_cast<int64_t>(size_of(p_.buffers[l->buffer].dtype)));
  });
  return row_vectors == kCudaLine / kWidestAccess && row_vectors * s_.lanes * bytes == kCudaLine;
}

// Whether little is computed of what is read.
bool CudaScheduler::is_light() const {
  return p_.sweeps.size() == 1 && std::ranges::all_of(p_.sweeps[0].body, [](const Stmt& s) {
           auto* let = std::get_if<Let>(&s);
           return !std::holds_alternative<Scan>(s) && !std::holds_alternative<Largest>(s) &&
                  (!let || ir::info(let->op).cost <= kLightFold);
         });
}

// Where the row's values stay between sweeps.
bool CudaScheduler::keep_in_registers(int64_t row_vectors, int64_t points) {
  RowProgram kept = p_;
  repeat_cheap_values(kept, false, 4);
  int64_t bytes = live_bytes(kept) * s_.lanes;
  if (bytes == 0) return false;
  // 64 bytes a thread, or a warp for each row while that is enough: fewer are too few in flight, and
  // joining more threads takes longer. Two blocks of 512 threads, each at its own place in a row, keep a
  // multiprocessor busier than one of 1024.
  int64_t most = std::max<int64_t>(kept_bytes_ / 2 / bytes, 1);
  int64_t each = std::min(most, std::clamp<int64_t>(kInFlight / bytes, 4, 16));
  int64_t threads = power_of_two_up(ceil_divide(row_vectors, each));
  if (threads > 32 && ceil_divide(row_vectors, 32) <= std::min<int64_t>(most, 8)) threads = 32;
  // Neighbours that fill a sector together: half-written ones cost twice. Rows of half a sector or less lie
  // so close that threads of a row each do it, too, without joining.
  int64_t unit = s_.lanes;
  for (auto& b : p_.buffers)
    unit = std::max<int64_t>(unit, static_cast<int64_t>(size_of(b.dtype)) * s_.lanes);
  if (s_.bundled)
    threads = 1;
  else if (row_vectors * unit > kSector / 2)
    threads = std::max(threads,
                       std::min(power_of_two_up(row_vectors), power_of_two_up(ceil_divide(kSector, unit))));
  // Half as much of four or fewer lanes is in flight for longer, where it fits, and compiles faster.
  if (s_.lanes <= 4 && threads > 32 && threads <= 256 && row_vectors == threads * 4) threads *= 2;
  if (threads >= 1024) threads = 512;
  int64_t unroll = ceil_divide(row_vectors, threads);
  // Rows of a little more than three quarters of what their threads have room for leave the last vectors to
  // few of them, which takes as long as the others. Half the threads leave less room, where they are enough
  // and still read whole lines of memory; single halves take so long that they need not.
  const int64_t fewer = std::max<int64_t>(threads / 2, 1), longer = ceil_divide(row_vectors, fewer);
  const bool halves = threads == kThreadsOfHalves && live_bytes(kept) == 2;
  if ((threads >= kManyThreads || halves) && longer <= most && points * fewer * 4 >= fill_ &&
      longer * fewer * 8 <= threads * unroll * 7)
    threads = fewer, unroll = longer;
  // 64 registers take so many elements and what is computed of them.
  if (unroll > most || (threads == 512 && unroll * s_.lanes > 32)) return false;
  const int64_t body = body_statements(kept);
  if (body * unroll * s_.lanes > 2 * most_unrolled_) return false;
  p_ = std::move(kept);
  s_.keeper = Keeper::Registers;
  s_.threads_per_row = static_cast<int>(threads);
  s_.unroll = static_cast<int>(unroll);
  // 64 registers are enough for a thread that keeps little, and leave room for 1024 such threads.
  if (unroll * bytes <= kInFlight || threads == 512)
    s_.resident = static_cast<int>(1024 / std::max<int64_t>(threads, kThreadsOfRows));
  if (threads == 512 && unroll * bytes <= kInFlight / 2) s_.resident = 4;
  return true;
}

// Rows that are too few for the device: four blocks of a cluster and more share each, in registers, so that
// everything is asked for at once. Waiting for each other costs them as much as a few vectors more do.
bool CudaScheduler::keep_among_few(int64_t row_vectors, int64_t points) {
  // Twice the blocks with half as many vectors each begin to store sooner, while all of them run at once.
  if (!has_clusters() || p_.scans() || points * kSharersOfFewRows > 2 * processors_ ||
      row_vectors <= kVectorsOfFewRows * kThreads)
    return false;
  RowProgram kept = p_;
  repeat_cheap_values(kept, false, 4);
  const int64_t bytes = live_bytes(kept) * s_.lanes;
  if (bytes == 0) return false;
  const int64_t most = std::min(kept_bytes_ / 2 / bytes, kVectorsOfFewRows);
  int64_t threads = kThreads, cluster = kSharersOfFewRows;
  auto each = [&] { return ceil_divide(row_vectors, threads * cluster); };
  auto is_better_halved = [&] {
    if (points * cluster * 2 <= processors_) return each() > kVectorsWorthHalving;
    return each() > kVectorsWorthMoreBlocks && cluster < kPortableCluster && live_bytes(kept) < 8 &&
           points * cluster * 2 <= 4 * processors_;
  };
  while (cluster < kLargestCluster && (each() > most || is_better_halved())) cluster *= 2;
  if (each() > most) threads *= 2;
  // A part of the chip has no room for half a cluster, so that an eighth of the blocks that it could run stay
  // idle, and some clusters would have to wait for others to end.
  const bool fills = threads > kThreads || live_bytes(kept) >= 8;
  if (fills && cluster > kSharersOfFewRows && points * cluster * 8 > 7 * 2 * processors_) return false;
  // All of them at once, with 128 registers for each thread, or with 64, which hold so many elements and what
  // is computed of them.
  const int64_t room = (each() * s_.lanes <= kElementsOf64Registers ? 4 : 2) * processors_ * kThreads;
  if (each() > most || points * cluster * threads > room) return false;
  const int64_t unroll = each();
  const int64_t body = body_statements(kept);
  if (body * unroll * s_.lanes > 2 * most_unrolled_) return false;
  p_ = std::move(kept);
  s_.keeper = Keeper::Registers;
  s_.cluster = static_cast<int>(cluster);
  s_.threads_per_row = static_cast<int>(threads);
  s_.unroll = static_cast<int>(unroll);
  s_.resident = static_cast<int>(ceil_divide(points * cluster, processors_));
  return true;
}

// Rows so few and so long that all the device's blocks have something of each of them to do, and more of it
// than clusters do.
bool CudaScheduler::is_worth_device(int64_t row_vectors, int64_t points) const {
  return has_clusters() && !p_.scans() && p_.sweeps.size() > 1 && has_few(points, target_) &&
         row_vectors > kShortestDeviceRow;
}

// As many blocks for a row as run at once, where each thread has a vector to take.
void CudaScheduler::share_device(int64_t row_vectors, int64_t points) {
  // Fewer blocks have fewer others to hear from; where rows have few of them, smaller ones wait for each
  // other less.
  const int64_t resident = points > kRowsOfLargeBlocks && bias_.frugal == 0 ? 2 : 1,
                threads = 2 * kThreads / resident;
  int64_t blocks = std::min(processors_ * resident / points, ceil_divide(row_vectors, threads));
  blocks = std::min(blocks, threads);
  const int64_t each = ceil_divide(row_vectors, threads * blocks);
  if (s_.keeper == Keeper::Registers) blocks = ceil_divide(row_vectors, threads * each);
  s_.device_wide = blocks > 1;
  s_.cluster = static_cast<int>(blocks);
  s_.threads_per_row = static_cast<int>(threads);
  s_.resident = static_cast<int>(resident);
  s_.unroll = static_cast<int>(s_.keeper == Keeper::Registers ? each : std::min<int64_t>(each, s_.unroll));
}

// Rows that are too long, or too many, for clusters to keep them in registers, but not for the whole device.
bool CudaScheduler::keep_across_device(int64_t row_vectors, int64_t points) {
  RowProgram kept = p_;
  // One reading is enough for them.
  repeat_cheap_values(kept, true, 1e30f);
  if (!is_worth_device(row_vectors, points) || (contract_ && rescale_sums(kept) && kept.sweeps.size() == 1))
    return false;
  kept = p_;
  repeat_cheap_values(kept, false, 4);
  const int64_t bytes = live_bytes(kept) * s_.lanes;
  if (bytes == 0) return false;
  const CudaSchedule before = s_;
  s_.keeper = Keeper::Registers;
  share_device(row_vectors, points);
  const int64_t body = body_statements(kept);
  const int64_t elements = int64_t{s_.unroll} * s_.lanes;
  if (!s_.device_wide || s_.unroll * bytes > kept_bytes_ || elements > kElementsAcrossDevice ||
      body * elements > 2 * most_unrolled_) {
    s_ = before;
    return false;
  }
  p_ = std::move(kept);
  return true;
}

// Blocks of a cluster tell each other of their parts of a row in less time than it takes to find out by way
// of memory which of them is last.
void CudaScheduler::share_in_cluster(int64_t row_vectors, int64_t points) {
  struct Shape {
    int64_t blocks, threads, resident;
  };
  if (!has_clusters() || p_.sweeps.size() != 1 || points * 16 < processors_) return;
  for (const Shape& s : {Shape{4, kThreads, 2}, Shape{4, 2 * kThreads, 1}, Shape{8, 2 * kThreads, 2},
                         Shape{2, 4 * kThreads, 1}}) {
    const int64_t each = ceil_divide(row_vectors, s.blocks * s.threads);
    const int64_t idle = s.blocks > 4 ? 1 : 0;  // eighths of the blocks that could run, as above
    if (each > kVectorsInCluster || points * s.blocks * 8 > (8 - idle) * processors_ * s.resident ||
        each * s_.lanes * statements_ > most_unrolled_)
      continue;
    s_.split = 1;
    s_.keeper = Keeper::Registers;
    s_.cluster = static_cast<int>(s.blocks);
    s_.threads_per_row = static_cast<int>(s.threads);
    s_.unroll = static_cast<int>(each);
    s_.resident = static_cast<int>(s.resident);
    return;
  }
}

// Rows that a block would read in two steps, the last of which is short, in one.
void CudaScheduler::take_at_once(int64_t row_vectors) {
  const int64_t each = ceil_divide(row_vectors, s_.threads_per_row);
  if (p_.scans() || p_.sweeps.size() != 1 || s_.threads_per_row != kThreads || each <= s_.unroll ||
      each >= 2 * s_.unroll || each > kVectorsAtOnce || each * s_.lanes * statements_ > most_unrolled_)
    return;
  s_.keeper = Keeper::Registers;
  s_.unroll = static_cast<int>(each);
}

// Several blocks share a row that is too long for one, or would leave a multiprocessor to one block, which
// reads, computes and writes in turn. Two blocks wait for each other little; where it takes more of them,
// smaller parts and more of them at once make up for the waiting.
bool CudaScheduler::keep_in_shared(int64_t row_vectors) {
  RowProgram kept = p_;
  repeat_cheap_values(kept, false, 4);
  const int64_t bytes = shared_places(kept).element_bytes() * s_.lanes * row_vectors;
  // Joins have static shared memory of their own.
  const auto most = static_cast<int64_t>(target_.shared_bytes) - (4 << 10);
  if (bytes == 0) return false;
  auto use = [&](int64_t cluster, int64_t blocks, int64_t threads) {
    if (bytes > most / blocks * cluster) return false;
    s_.cluster = static_cast<int>(cluster);
    s_.ahead = threads > 0;
    if (!s_.ahead) return true;
    s_.threads_per_row = static_cast<int>(std::clamp<int64_t>(power_of_two_up(row_vectors), 32, threads));
    s_.unroll = statements_ * s_.lanes <= most_unrolled_ / 16 ? 2 : 1;
    // Few registers, so that all the blocks that shared memory has room for do run.
    if (s_.unroll == 2) s_.resident = static_cast<int>(blocks);
    return true;
  };
  // A row is scanned by one block. Values of 8 bytes take twice the registers.
  const bool several = has_clusters() && !p_.scans();
  const int64_t threads = live_bytes(kept) >= 8 ? 256 : 512, small = live_bytes(kept) >= 8 ? 128 : 256;
  const bool shared = several && (use(1, kKeepingBlocks, threads) || use(2, kKeepingBlocks, threads) ||
                                  use(4, 2 * kKeepingBlocks, small) || use(8, 2 * kKeepingBlocks, small) ||
                                  use(8, kKeepingBlocks, 256) || use(16, kKeepingBlocks, threads) ||
                                  (p_.outer_count() * 2 <= processors_ &&
                                   !is_worth_device(row_vectors, p_.outer_count()) && use(16, 1, threads)));
  if (!shared && (several || !use(1, 1, 0))) return false;
  p_ = std::move(kept);
  s_.keeper = Keeper::Shared;
  return true;
}

// Parts of rows that are too few for the device: a block scans each, from what lies before it. It keeps
// what it reads, or takes it from the cache again.
std::string CudaScheduler::chain_parts(int64_t row_vectors, int64_t points, const std::string& where) {
  if (p_.sweeps.size() != 1 || p_.accumulators.size() != 1 || points * kChainThreads * 2 > fill_ ||
      row_vectors < 4 * kChainThreads * s_.unroll)
    return where;
  total_parts_first(p_);
  RowProgram kept = p_;
  repeat_cheap_values(kept, false, 4);
  const int64_t bytes = shared_places(kept).element_bytes() * s_.lanes;
  const int64_t room =
      (static_cast<int64_t>(target_.shared_bytes) / kKeepingBlocks - (4 << 10)) / std::max<int64_t>(bytes, 4);
  if (room < kChainThreads * s_.unroll) s_.unroll = 1;
  s_.chained = true;
  s_.threads_per_row = kChainThreads;
  const int64_t step = int64_t{kChainThreads} * s_.unroll;
  int64_t part = ceil_divide(row_vectors * points, processors_);
  part = std::clamp<int64_t>(part / step * step, step, std::max<int64_t>(room / step, 1) * step);
  s_.split = ceil_divide(row_vectors, part);
  if (bytes == 0) return "parts of it in turn";
  if (room < step) {
    repeat_cheap_values(p_, true, 1e30f);
    s_.keeper = Keeper::Reload;
    s_.streaming = false;
    return "parts of it in turn, each read again from the cache";
  }
  p_ = std::move(kept);
  s_.keeper = Keeper::Shared;
  s_.ahead = true;
  s_.resident = kKeepingBlocks;
  return "parts of it in turn, each in shared memory";
}

}  // namespace weft::plan
