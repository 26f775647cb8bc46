#include "compiler/blocks/estimate.h"

#include <algorithm>

#include "compiler/blocks/in_order.h"
#include "compiler/ir/ops/op.h"
#include "compiler/machine/first_calls.h"

namespace weft::blocks {

using namespace tuning;

namespace {

// Of one element of 4 bytes, and of the loop over a block.
double element_ns(const plan::RowProgram& p, const plan::Stmt& stmt) {
  const auto wide = [](DType t) { return static_cast<double>(std::max<size_t>(size_of(t), 4)) / 4; };
  const auto of_access = [&](const plan::Index& at, DType t) {
    return at.values.empty() ? kTimeOfStatement * wide(t) : kTimeOfPlace;
  };
  if (const auto* l = std::get_if<plan::Let>(&stmt)) {
    const DType t = p.values[static_cast<size_t>(l->out)].dtype;
    return (kTimeOfWork * std::max<double>(cost_of(*l), 0.5) * (is_complex(t) ? 4 : 1) + kTimeOfStatement) *
           wide(t);
  }
  if (const auto* l = std::get_if<plan::Load>(&stmt))
    return of_access(l->at, p.buffers[static_cast<size_t>(l->buffer)].dtype);
  if (const auto* s = std::get_if<plan::Store>(&stmt))
    return of_access(s->at, p.buffers[static_cast<size_t>(s->buffer)].dtype);
  return kTimeOfStatement + kTimeOfWork;
}

}  // namespace

BlockEstimate estimate(const plan::RowProgram& p, const plan::CpuSchedule& s, const Target& target,
                       int64_t tasks, size_t text_bytes) {
  const auto points = static_cast<double>(p.outer_count()), row = static_cast<double>(p.row_count());
  double ns = 0;
  const auto add = [&](const std::vector<plan::Stmt>& list, double elements) {
    const double loops = std::max(elements / static_cast<double>(kBlockElements), 1.0);
    for (const plan::Stmt& stmt : list) ns += elements * element_ns(p, stmt) + loops * kTimeOfLoop;
  };
  for (const plan::Sweep& sweep : p.sweeps) {
    add(sweep.before, points);
    add(sweep.body, points * row);
    add(sweep.after_section, points * static_cast<double>(p.section_count()));
  }
  add(p.epilogue, points);
  add(p.after, row);
  // A block does not go beyond a row.
  const double extent = static_cast<double>(p.extent(s.lane_axis).value);
  if (division_of(s).order != plan::Order::Pointwise && !is_map_in_order(p) &&
      extent < static_cast<double>(kBlockElements))
    for (const plan::Sweep& sweep : p.sweeps)
      ns += static_cast<double>(sweep.body.size()) * points * row / std::max(extent, 1.0) * kTimeOfLoop;
  const int64_t threads = std::clamp<int64_t>(tasks / std::max<int64_t>(s.grain, 1), 1, target.threads);
  BlockEstimate e;
  e.run = kTimeOfBlocks + ns / static_cast<double>(threads);
  e.compile = kTimeOfCompile + kTimeOfText * static_cast<double>(text_bytes);
  e.load = kTimeOfLoad;
  e.worth = kWorthCompiling;
  e.calls = kCallsInBlocks;
  return e;
}

std::optional<BlockEstimate> estimate_without_text(const plan::RowProgram& p, const plan::CpuSchedule& s,
                                                   const Target& target) {
  const BlockEstimate e = estimate(p, s, target, 1, kLateText);
  return e.run > kTimeOfSource ? std::nullopt : std::optional(e);
}

}  // namespace weft::blocks
