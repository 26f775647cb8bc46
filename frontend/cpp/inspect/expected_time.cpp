#include "frontend/cpp/inspect/expected_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/planned_work.h"

namespace weft::detail {

namespace {

constexpr double kWord = 4;                 // bytes of an f32
constexpr double kOperationsOfCycle = 2;    // of a lane: a multiply-add; some processors begin two
constexpr double kCyclesOfChain = 4;        // of an addition that waits for the one before
constexpr double kCyclesOfJoin = 4;         // of a vector's lanes: some shuffles, beside what goes on
constexpr double kCyclesOfMaskedRow = 4;    // what surrounds a row that is one call with masks
constexpr double kCyclesOfCopiedRow = 100;  // the same where its ends go through copies
constexpr double kPiecesOfThread = 4;       // that a launch is divided into, at most

double bytes_of_level(const MachineFacts& facts, int level) {
  for (const CacheFacts& one : facts.caches)
    if (one.level == level) return static_cast<double>(one.bytes);
  return 0;
}

// Bytes a second that `used` threads move where they walk `bytes` together.
double speed_of(double bytes, double used, const MachineFacts& facts) {
  const MachineSpeeds& speeds = *facts.speeds;
  const double share = used / facts.threads;
  if (speeds.first_cache > 0 && bytes <= used * bytes_of_level(facts, 1)) return share * speeds.first_cache;
  if (speeds.second_cache > 0 && bytes <= used * bytes_of_level(facts, 2)) return share * speeds.second_cache;
  if (speeds.last_cache > 0 && !facts.caches.empty() &&
      bytes <= static_cast<double>(facts.caches.back().bytes))
    return share * speeds.last_cache;
  return std::min(speeds.memory, used * speeds.memory_one_thread);
}

ExpectedTime on_cpu(const KernelCost& cost, const MachineFacts& facts) {
  const MachineSpeeds& speeds = *facts.speeds;
  const double threads = std::max(facts.threads, 1);
  const auto pieces =
      static_cast<double>(std::max<int64_t>(1, cost.tasks / std::max<int64_t>(cost.grain, 1)));
  const double used = std::min(threads, pieces), share = used / threads;
  const double cycles =
      speeds.multiply_adds_f32 / threads / (facts.vector_bytes / kWord) / kOperationsOfCycle * used;
  ExpectedTime out;
  const auto arrays = static_cast<double>(cost.bytes_read + cost.bytes_written);
  const double from = speed_of(arrays, used, facts);
  const bool owns_lines =
      !cost.streaming && from <= speeds.memory;  // a line is read before a part of it is written
  out.memory = (arrays + (owns_lines ? static_cast<double>(cost.bytes_written) : 0)) / from;
  if (cost.bytes_again > 0)
    out.memory += static_cast<double>(cost.bytes_again) /
                  speed_of(std::min(static_cast<double>(cost.kept_bytes) * used, arrays), used, facts);
  const double arithmetic = 2 * cost.operations / speeds.multiply_adds_f32 +
                            cost.divisions / speeds.divisions + cost.square_roots / speeds.square_roots +
                            cost.functions / speeds.exponentials;
  const double accesses =
      speeds.first_cache > 0 ? static_cast<double>(cost.bytes_accessed) / speeds.first_cache : 0;
  out.computing = std::max({(std::max(arithmetic, accesses) + cost.gathers / speeds.gathers) / share,
                            cost.chained * kCyclesOfChain / cycles});
  out.ends = (static_cast<double>(cost.rows) * (cost.row_masked ? kCyclesOfMaskedRow : kCyclesOfCopiedRow) +
              static_cast<double>(cost.joins) * kCyclesOfJoin) /
             cycles;
  out.starting = static_cast<double>(cost.launches) *
                 (speeds.launch_seconds +
                  (pieces > 1 ? std::min(pieces, threads * kPiecesOfThread) * speeds.task_seconds : 0));
  return out;
}

// What is known of a GPU's own caches and of waiting within its blocks is not enough to tell a time by.
ExpectedTime on_gpu(const KernelCost& cost, const MachineFacts& facts) {
  const MachineSpeeds& speeds = *facts.speeds;
  ExpectedTime out;
  out.memory = static_cast<double>(cost.bytes_read + cost.bytes_written) / speeds.memory;
  out.computing = 2 * cost.operations / speeds.multiply_adds_f32 + cost.divisions / speeds.divisions +
                  cost.square_roots / speeds.square_roots + cost.functions / speeds.exponentials +
                  cost.gathers / speeds.gathers;
  out.starting = static_cast<double>(cost.launches) * speeds.launch_seconds +
                 static_cast<double>(cost.tasks) * speeds.task_seconds;
  return out;
}

}  // namespace

ExpectedTime expected_time(const KernelCost& cost, const MachineFacts& facts) {
  if (!facts.speeds) return {};
  return facts.vector_bytes > 0 ? on_cpu(cost, facts) : on_gpu(cost, facts);
}

std::string to_string(const ExpectedTime& time) {
  std::string out = readable_seconds(time.seconds()) + ":";
  const auto add = [&](const char* name, double seconds) {
    if (seconds >= time.seconds() / 100)
      out += fmt::format("{} {} {}", out.back() == ':' ? "" : ",", name, readable_seconds(seconds));
  };
  add("memory", time.memory), add("computing", time.computing), add("ends of rows", time.ends);
  add("starting", time.starting);
  return out;
}

double expected_seconds(const Explained& explained, const MachineFacts& facts) {
  double sum = 0;
  for (const Explanation::Step& step : explained.explanation.steps)
    if (step.cost) sum += expected_time(*step.cost, facts).seconds();
  return sum;
}

}  // namespace weft::detail
