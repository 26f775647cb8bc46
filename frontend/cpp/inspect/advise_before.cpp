#include "frontend/cpp/inspect/advise_before.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "frontend/cpp/inspect/advise.h"
#include "frontend/cpp/inspect/profile_data.h"

namespace weft::detail {

namespace {

struct Moved {
  std::vector<ProfileLine> lines;
  int64_t bytes = 0;
  int64_t second_launches = 0;
};

void add_steps(const Program& program, int64_t times, std::vector<Moved>& out);

void add_step(const Program&, const KernelStep& k, int64_t times, std::vector<Moved>& out) {
  out.push_back({lines_of(k.origin.lines), (k.bytes_read + k.bytes_written) * times,
                 k.launch.finish_tasks > 0 ? times : 0});
}

void add_step(const Program&, const DotStep& d, int64_t times, std::vector<Moved>& out) {
  const Dot& dot = d.dot;
  const int64_t elements = dot.k * (dot.m + dot.n) + dot.m * dot.n;
  out.push_back(
      {lines_of(d.origin.lines), dot.batch * elements * static_cast<int64_t>(size_of(dot.dtype)) * times});
}

void add_step(const Program& program, const CopyStep& c, int64_t times, std::vector<Moved>& out) {
  out.push_back({{}, 2 * program.buffers[static_cast<size_t>(c.to)].bytes * times});
}

void add_step(const Program&, const LoopStep& l, int64_t times, std::vector<Moved>& out) {
  const bool scan = l.loop->kind == LoopProgram::Kind::Scan;
  for (const LoopProgram::Body& body : l.loop->bodies)
    add_steps(body.program, scan ? l.loop->length * times : times, out);
}

void add_steps(const Program& program, int64_t times, std::vector<Moved>& out) {
  for (const ProgramStep& step : program.steps)
    std::visit([&](const auto& one) { add_step(program, one, times, out); }, step);
}

}  // namespace

std::vector<ProfileAdvice> advice_on(const Program& program, const std::vector<CostSeen>& costs,
                                     double memory_speed) {
  std::vector<Moved> steps;
  if (memory_speed > 0) add_steps(program, 1, steps);
  const auto ns = [&](int64_t bytes) {
    return static_cast<int64_t>(static_cast<double>(bytes) / memory_speed * 1e9);
  };
  int64_t all = 0;
  for (const Moved& step : steps) all += step.bytes;
  std::vector<ProfileAdvice> out;
  out.reserve(costs.size());
  for (const CostSeen& cost : costs) {
    ProfileAdvice one{cost.cause, lines_of(cost.lines), cost.text};
    int64_t bytes = 0, launches = 0;
    for (const Moved& step : steps)
      if (share_a_line(step.lines, one.lines)) bytes += step.bytes, launches += step.second_launches;
    if (memory_speed > 0) one.ns = ns(bytes), one.of_ns = ns(all);
    if (cost.cause == kSplitReduction) one.ns = std::min(one.ns, kSecondLaunch * launches);
    out.push_back(std::move(one));
  }
  rank(out);
  return out;
}

}  // namespace weft::detail
