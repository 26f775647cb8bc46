// Reductions along rows that stay nowhere: of one sweep, or loaded again in each.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/machine/feasible.h"
#include "compiler/plan/rewrite/online_softmax.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

// Whether what a row loads is as long as a line of memory, in vectors of which that has eight.
bool is_line(const RowProgram& p, const Vectors& v, int64_t row_vectors) {
  int64_t bytes = 0;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    if (l && stride_along(l->at, v.axis) != 0)
      bytes = std::max(bytes, static_cast<int64_t>(size_of(p.buffers[l->buffer].dtype)));
  });
  return row_vectors == kCudaLine / kWidestAccess && row_vectors * v.lanes * bytes == kCudaLine;
}

// Whether little is computed of what is read.
bool is_light(const RowProgram& p) {
  return p.sweeps.size() == 1 && std::ranges::all_of(p.sweeps[0].body, [](const Stmt& s) {
           auto* let = std::get_if<Let>(&s);
           return !std::holds_alternative<Scan>(s) && !std::holds_alternative<Largest>(s) &&
                  (!let || cost_of(*let) <= kLightFold);
         });
}

// Why registers hold a row that one sweep reads.
constexpr const char* kAtOnce = ", all of a row is loaded at once";

// Blocks of a cluster tell each other of their parts of a row in less time than it takes to find out by way
// of memory which of them is last.
std::optional<CudaSchedule> share_in_cluster(const RowProgram& p, const Facts& facts, int64_t row_vectors,
                                             int64_t points, const std::string& where) {
  struct Split {
    int64_t blocks, threads, resident;
  };
  if (!facts.has_clusters() || p.sweeps.size() != 1 || points * kLargestCluster < facts.processors) return {};
  for (const Split& s : {Split{4, kThreads, 2}, Split{4, 2 * kThreads, 1}, Split{8, 2 * kThreads, 2},
                         Split{2, 4 * kThreads, 1}}) {
    const int64_t each = ceil_divide(row_vectors, s.blocks * s.threads);
    const int64_t room = facts.processors * s.resident;
    if (each > kVectorsInCluster || points * s.blocks > (s.blocks > 4 ? running_in_clusters(room) : room) ||
        each * facts.row.lanes * facts.statements > facts.most_unrolled)
      continue;
    const RegisterRows rows{Cluster{static_cast<int>(s.blocks)}, static_cast<int>(each), facts.row.shifted};
    CudaSchedule out = schedule_of_rows(facts, rows, static_cast<int>(s.threads), where + kAtOnce);
    out.resident = static_cast<int>(s.resident);
    return out;
  }
  return {};
}

// Whether a block that would read a row in two steps, the last of which is short, reads it in one.
bool is_taken_at_once(const RowProgram& p, const Facts& facts, const RowThreads& t, int64_t row_vectors) {
  const int64_t each = ceil_divide(row_vectors, t.threads);
  return !p.scans() && p.sweeps.size() == 1 && t.threads == kThreads && each > t.vectors &&
         each < int64_t{2} * t.vectors && each <= kVectorsAtOnce &&
         each * facts.row.lanes * facts.statements <= facts.most_unrolled;
}

CudaSchedule one_sweep(const RowProgram& p, const Facts& facts, const std::string& where) {
  const int64_t row_vectors = vectors_of_row(p, facts.row), points = p.outer_count();
  RowThreads t = threads_of_row(p, facts);
  t.vectors = static_cast<int>(std::clamp<int64_t>(ceil_divide(row_vectors, t.threads), 1, t.vectors));
  int64_t parts = 1;
  if (!p.scans() && !t.alone)
    parts = parts_of_row(p, row_vectors, points * t.threads, int64_t{t.threads} * t.vectors, facts.fill);
  if (parts > 1)
    if (auto shared = share_in_cluster(p, facts, row_vectors, points, where)) return *shared;
  if (parts == 1 && is_taken_at_once(p, facts, t, row_vectors)) {
    const auto each = static_cast<int>(ceil_divide(row_vectors, t.threads));
    return schedule_of_rows(facts, RegisterRows{Threads{t.threads}, each, facts.row.shifted},
                            block_of_rows(t.threads), where + kAtOnce);
  }
  // Each thread of the block that joins the parts waits for one of them, which large arrays do not feel.
  if (!facts.large && parts > t.threads && t.threads == kThreads)
    t.threads *= 2, parts = ceil_divide(parts, 2);
  Rows rows{Threads{t.threads}, t.vectors, facts.row.shifted};
  if (parts > 1) rows.owner = Parts{parts};
  return schedule_of_rows(facts, rows, block_of_rows(t.threads), where);
}

}  // namespace

// To start a block takes longer than rows of single threads do.
int block_of_rows(int threads) { return threads == 1 ? kThreads : std::max(threads, kThreadsOfRows); }

int64_t vectors_of_row(const RowProgram& p, const Vectors& v) {
  return lines(p, p.row_count(), v.axis) * v.count(p);
}

CudaSchedule schedule_of_rows(const Facts& facts, const Shape& shape, int block, const std::string& where) {
  CudaSchedule s{.shape = shape, .lane_axis = facts.lane_axis, .lanes = facts.row.lanes};
  s.threads = block;
  s.caching = caching_by_size(facts);
  const RowDivision d = division_of(s);
  s.reason = fmt::format("rows of {} threads along axis {}, {}", d.threads, s.lane_axis, where);
  if (d.blocks > 1) s.reason += fmt::format(", {} blocks a row", d.blocks);
  if (d.parts > 1) s.reason += fmt::format(", split in {}", d.parts);
  return s;
}

RowThreads threads_of_row(const RowProgram& p, const Facts& facts) {
  const int64_t row_vectors = vectors_of_row(p, facts.row), points = p.outer_count();
  RowThreads t;
  t.vectors = vectors_in_flight(p, facts, facts.row, p.scans() ? 2 : kMostVectorsInFlight);
  // Joining costs as much as some elements do: four batches a thread where there are rows enough, but
  // neighbours enough to read whole sectors.
  const int64_t widest = power_of_two_up(ceil_divide(row_vectors, t.vectors));
  int64_t threads = std::max(power_of_two_up(ceil_divide(widest, 4)), std::min<int64_t>(widest, 16));
  while (threads < widest && points * threads < facts.fill) threads *= 2;
  // Rows of a line of memory lie in the same banks, of which two neighbours read too few at once.
  if (is_line(p, facts.row, row_vectors)) threads = std::max<int64_t>(threads, 4);
  if (threads > kWarp && row_vectors <= kWarp * 8 && points * kWarp >= facts.fill) threads = kWarp;
  t.alone = points * kThreads * 2 <= facts.fill && widest <= kStepsAlone;
  const int64_t most = p.sweeps.size() > 1         ? 1024
                       : !t.alone || p.scans()     ? kThreads
                       : points > facts.processors ? 512
                                                   : 1024;
  t.threads = static_cast<int>(std::clamp<int64_t>(threads, 1, most));
  return t;
}

// Nothing crosses sweeps, or nothing does any more.
Choice choose_one_sweep_rows(const RowProgram& program, const Facts& facts) {
  Scheduled out{program, {}};
  std::string where = "nothing crosses sweeps";
  if (facts.crosses) {
    out.program = loading_again(program);
    if (program.scans() || !becomes_one_sweep(out.program, facts)) return {};
    where = "sums are rescaled as the largest grows";
  }
  CudaSchedule& s = out.schedule = one_sweep(out.program, facts, where);
  // ptxas makes do with 32 registers where it can, and asks for half of a step's vectors when it is done with
  // the others: odd rows of small elements, which are looked at one by one, then wait twice. Half as many
  // threads may have 64; wider elements need the threads.
  const RowDivision d = division_of(s);
  if (d.shifted && s.lanes >= kManyOfAVector && d.vectors > 1 && s.resident == 1 && is_light(out.program))
    s.resident = std::max(1024 / s.threads, 1);
  return out;
}

Choice choose_rows_loaded_again(const RowProgram& program, const Facts& facts) {
  const RowThreads t = threads_of_row(program, facts);
  const int64_t row_vectors = vectors_of_row(program, facts.row), points = program.outer_count();
  RowProgram p = loading_again(program);
  const bool rescaled = facts.contract && rescale_sums(p);
  const std::string where =
      rescaled ? "rows are read again, sums rescaled as the largest grows" : "rows are read again";
  Rows rows{Threads{t.threads}, t.vectors, facts.row.shifted};
  int threads = t.threads, resident = 1;
  if (is_worth_device(p, facts, row_vectors, points)) {
    const DeviceShare share = share_device(facts, row_vectors, points, false);
    threads = static_cast<int>(share.threads), resident = static_cast<int>(share.resident);
    rows.vectors = static_cast<int>(std::min<int64_t>(share.vectors, t.vectors));
    rows.owner = Threads{threads};
    if (share.blocks > 1) rows.owner = Device{static_cast<int>(share.blocks)};
  }
  rows.vectors = static_cast<int>(std::clamp<int64_t>(ceil_divide(row_vectors, threads), 1, rows.vectors));
  CudaSchedule s = schedule_of_rows(facts, rows, block_of_rows(threads), where);
  s.caching = Caching::Plain;
  s.resident = resident;
  return Scheduled{std::move(p), std::move(s)};
}

}  // namespace weft::plan::cuda
