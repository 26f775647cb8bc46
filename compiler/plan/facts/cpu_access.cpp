#include "compiler/plan/facts/cpu_access.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"

namespace weft::plan {

using namespace machine;
using namespace tuning;

// What is the same along the row counts once a row.
double contiguity(const RowProgram& p, int axis) {
  double score = 0;
  for_each_stmt(p, [&](const Stmt& s) {
    int buffer = -1;
    if (auto* l = std::get_if<Load>(&s)) buffer = l->buffer;
    if (auto* st = std::get_if<Store>(&s)) buffer = st->buffer;
    if (buffer < 0) return;
    const Index& at = *index_of(s);
    bool in_row = std::any_of(at.axes.begin(), at.axes.end(), [&](auto& t) {
      return t.axis >= static_cast<int>(p.outer.size()) && t.by.value != 0;
    });
    double weight = in_row ? 1.0 : 1.0 / static_cast<double>(std::max<int64_t>(p.row_count(), 1));
    int64_t by = stride_along(at, axis);
    double bytes = static_cast<double>(size_of(p.buffers[buffer].dtype)) * weight;
    if (by == 1) score += 2 * bytes;
    if (by != 0 && by != 1) score -= bytes;
  });
  for_each_series(p, [&](const Series& series, const Index& at) {
    const auto bytes = static_cast<double>(size_of(p.buffers[series.buffer].dtype));
    const int64_t by = stride_along(at, axis);
    if (by != 0) score += by == 1 ? 2 * bytes : -bytes;
  });
  return score;
}

bool reads_across(const RowProgram& p, int lane_axis) {
  bool across = false;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    if (!l || std::abs(stride_along(l->at, lane_axis)) <= 1) return;
    for (auto& t : l->at.axes) across |= t.axis != lane_axis && t.by.value == 1;
  });
  return across;
}

bool in_one_piece(const RowProgram& p, int axis) {
  bool all = true;
  for_each_stmt(p, [&](const Stmt& s) {
    all &= !std::holds_alternative<Test>(s);
    if (!std::holds_alternative<Load>(s) && !std::holds_alternative<Store>(s)) return;
    const Index& at = *index_of(s);
    all &= at.values.empty() && (stride_along(at, axis) == 0 || stride_along(at, axis) == 1);
  });
  return all;
}

bool crosses_lines(const RowProgram& p, int lane_axis) {
  bool any = false;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* st = std::get_if<Store>(&s);
    if (!st || stride_along(st->at, lane_axis) != 1) return;
    const auto size = static_cast<int64_t>(size_of(p.buffers[st->buffer].dtype));
    any |= p.extent(lane_axis).value * size >= kAlignedRow &&
           std::any_of(st->at.axes.begin(), st->at.axes.end(),
                       [&](auto& t) { return t.axis != lane_axis && t.by.value * size % kCpuLine != 0; });
  });
  return any;
}

bool reads_ahead(const RowProgram& p, const Load& load, int lane_axis, int64_t bytes) {
  const BufferUse& buffer = p.buffers[load.buffer];
  const auto size = static_cast<int64_t>(size_of(buffer.dtype));
  const int64_t row = p.extent(lane_axis).value;
  if (buffer.elements * size < bytes || !load.at.values.empty() || stride_along(load.at, lane_axis) != 1)
    return false;
  return row * size >= bytes ||
         (row * size <= kFeelsItsEnd && std::any_of(load.at.axes.begin(), load.at.axes.end(), [&](auto& t) {
            return t.axis != lane_axis && t.by.value == row;
          }));
}

void name_small_steps(RowProgram& p, int lane_axis) {
  const auto is_dealt = [](DType dtype, int64_t step) {
    return step >= 2 && step <= 4 && !is_complex(dtype) && (size_of(dtype) == 4 || size_of(dtype) == 8);
  };
  for_each_stmt(p, [&](Stmt& s) {
    auto* load = std::get_if<Load>(&s);
    if (!load || !load->at.values.empty() ||
        !is_dealt(p.buffers[load->buffer].dtype, stride_along(load->at, lane_axis)))
      return;
    for (AxisTerm& term : load->at.axes)
      if (term.axis == lane_axis) term.by.param = kLiteral;
  });
}

}  // namespace weft::plan
