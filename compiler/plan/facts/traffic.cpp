#include "compiler/plan/facts/traffic.h"

#include <algorithm>
#include <limits>

namespace weft::plan {

namespace {

struct Bounds {
  int64_t low = std::numeric_limits<int64_t>::max(), high = -1;
  double accesses = 0;  // may exceed 64 bits
};

void add(Bounds& bounds, const Index& at, const RowProgram& p, int64_t elements) {
  int64_t low = at.offset.value, high = low;
  double points = 1;
  for (const AxisTerm& term : at.axes) {
    const int64_t extent = p.extent(term.axis).value;
    const int64_t last = term.by.value * std::max<int64_t>(extent - 1, 0);
    (last < 0 ? low : high) += last;
    if (term.by.value != 0) points *= static_cast<double>(extent);
  }
  if (!at.values.empty()) low = 0, high = elements - 1, points = static_cast<double>(elements);
  // Beyond the buffer a guard is false.
  bounds.low = std::min(bounds.low, std::max<int64_t>(low, 0));
  bounds.high = std::max(bounds.high, std::min(high, elements - 1));
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
    add(reached[b], *index_of(stmt), program, program.buffers[b].elements);
  });
  for_each_series(program, [&](const Series& series, const Index& at) {
    const auto b = static_cast<size_t>(series.buffer);
    Index last = at;
    last.offset.value += series.step.value * std::max<int64_t>(series.turns - 1, 0);
    add(reached[b], at, program, program.buffers[b].elements);
    add(reached[b], last, program, program.buffers[b].elements);
    reached[b].accesses *= static_cast<double>(series.turns) / 2;
  });
  std::vector<int64_t> result;
  for (const Bounds& r : reached) {
    const int64_t span = std::max<int64_t>(r.high - r.low + 1, 0);
    result.push_back(r.high < 0                               ? 0
                     : r.accesses < static_cast<double>(span) ? static_cast<int64_t>(r.accesses)
                                                              : span);
  }
  return result;
}

}  // namespace weft::plan
