#include "compiler/plan/facts/traffic.h"

#include <algorithm>
#include <limits>

namespace weft::plan {

namespace {

struct Bounds {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  double accesses = 0;  // may exceed 64 bits
};

// At positions that are values: no more points than the loops have.
double points_at_values(const Index& at, const RowProgram& p, const BufferUse& buffer) {
  const auto in_row = [&](const ValueTerm& term) { return p.values[static_cast<size_t>(term.value)].row; };
  const auto of_row = [&](const AxisTerm& term) { return static_cast<size_t>(term.axis) >= p.outer.size(); };
  const bool every_row = std::ranges::any_of(at.values, in_row) || std::ranges::any_of(at.axes, of_row);
  const double loops =
      static_cast<double>(p.outer_count()) * (every_row ? static_cast<double>(p.row_count()) : 1);
  return std::min(loops, static_cast<double>(buffer.past - buffer.first));
}

void add(Bounds& bounds, const Index& at, const RowProgram& p, const BufferUse& buffer) {
  int64_t low = at.offset.value, high = low;
  double points = 1;
  for (const AxisTerm& term : at.axes) {
    const int64_t extent = p.extent(term.axis).value;
    const int64_t last = term.by.value * std::max<int64_t>(extent - 1, 0);
    (last < 0 ? low : high) += last;
    if (term.by.value != 0) points *= static_cast<double>(extent);
  }
  if (!at.values.empty()) {
    low = buffer.first, high = buffer.past - 1;
    points = points_at_values(at, p, buffer);
  }
  // Beyond the buffer a guard is false.
  low = std::max(low, buffer.first), high = std::min(high, buffer.past - 1);
  if (low > high) return;
  bounds.low = std::min(bounds.low, low), bounds.high = std::max(bounds.high, high);
  bounds.accesses += points;
}

}  // namespace

std::vector<int64_t> touched_elements(const RowProgram& program) {
  std::vector<Bounds> reached(program.buffers.size());
  for_each_stmt(program, [&](const Stmt& stmt) {
    const int buffer = std::holds_alternative<Load>(stmt)    ? std::get<Load>(stmt).buffer
                       : std::holds_alternative<Store>(stmt) ? std::get<Store>(stmt).buffer
                                                             : -1;
    if (buffer < 0) return;
    const auto b = static_cast<size_t>(buffer);
    add(reached[b], *index_of(stmt), program, program.buffers[b]);
  });
  for_each_series(program, [&](const Series& series, const Index& at) {
    const auto b = static_cast<size_t>(series.buffer);
    Index last = at;
    last.offset.value += series.step.value * std::max<int64_t>(series.turns - 1, 0);
    add(reached[b], at, program, program.buffers[b]);
    add(reached[b], last, program, program.buffers[b]);
    reached[b].accesses *= static_cast<double>(series.turns) / 2;
  });
  std::vector<int64_t> result;
  for (const Bounds& r : reached) {
    const int64_t span = r.low > r.high ? 0 : r.high - r.low + 1;
    result.push_back(r.accesses < static_cast<double>(span) ? static_cast<int64_t>(r.accesses) : span);
  }
  return result;
}

}  // namespace weft::plan
