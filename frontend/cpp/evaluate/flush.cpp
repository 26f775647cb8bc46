#include "frontend/cpp/evaluate/flush.h"

#include <algorithm>

#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/turns.h"

namespace weft::detail {

void flush_due(const ir::SourceLine& line, bool write) {
  const Ref<Cell> written = take_due(line, write);
  const bool wanted = written && written->count.now() > 1;
  if (wanted) materialized(*written);
}

void flush_if_due(Cell& cell, const Cell* oldest, const ir::Lines& lines, bool write) {
  flush_due(lines.only(), write);
  const Age since = cell.since();
  if (since == kInMemory) return;
  const SessionState& session = cell.device.session;
  const auto limit = static_cast<uint32_t>(session.options.graph_limit);
  const Age now = session.recorded.load(std::memory_order_relaxed);
  const Age age = now - since;
  // Many more operations than writes are recorded; those of a large graph do.
  if (write || age > limit / 4) count_line(lines.only(), write);
  if (age <= limit / 2) return;
  // A line that came only once may belong to no loop at all.
  const bool here = turn_ended(age <= limit / 4 * 3 ? 1 : 2);
  if (age <= limit && !here) return;
  const uint32_t nodes = count_nodes(cell.value(), limit);
  if (nodes <= (here ? limit / 4 : limit)) {
    // Other arrays' nodes were recorded in between.
    cell.set_since(now - nodes);
    if (oldest && oldest->since() != kInMemory) oldest->set_since(std::max(oldest->since(), now - nodes));
    return;
  }
  if (write && here)
    set_due(cell, lines.only());
  else
    materialized(cell);
}

}  // namespace weft::detail
