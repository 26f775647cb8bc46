#include "frontend/cpp/evaluate/flush.h"

#include <algorithm>
#include <optional>

#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/turns.h"
#include "frontend/cpp/session/asked.h"

namespace weft::detail {

namespace {

// Of the session's limit, by the nodes that were recorded: from where on turns are counted, where loops are cut at
// the end of a turn of the outermost, where at that of any, and where what may be no loop is cut, too.
constexpr uint32_t kCounted = 16, kOutermost = 8, kAny = 5, kNoLoop = 2;
// Up to where a graph goes on to the end of an inner loop.
constexpr uint32_t kEndOfLoop = 3;

// Whether a turn ends here that is worth computing, now that so many nodes were recorded. Graphs of some hundred nodes
// stay in the second cache, compile in time that rises faster than their size, and take as little for each as larger.
bool is_end_of_turn(Age age, uint32_t limit) {
  if (age <= limit / kNoLoop) return loop_turned() && turn_ended(age <= limit / kAny ? 1 : 2);
  // A line that came only once may belong to no loop at all.
  return turn_ended(age <= limit / 4 * 3 ? 1 : 2);
}

// How many more writes reach the end of the axis that a loop's writes move along, one range behind the other; -1 where
// the last two do not. `writes`: how many of the graph do, or write elsewhere in loops around that one.
int64_t writes_to_the_end(const ir::Node& last, uint32_t& writes) {
  const auto is_write = [](const ir::Node& n) { return n.op == ir::Op::update && !n.computed(); };
  if (!is_write(last) || !is_write(*last.inputs[0])) return -1;
  const ir::Node& before = *last.inputs[0];
  const Shape &shape = last.shape(), &extents = last.inputs[1]->shape();
  const auto &from = before.as<ir::SliceAttr>(), &to = last.as<ir::SliceAttr>();
  if (before.inputs[1]->shape() != extents) return -1;
  std::optional<size_t> axis;
  for (size_t k = 0; k < shape.size(); ++k) {
    if (from.starts[k] == to.starts[k]) continue;
    if (axis || extents[k] != 1) return -1;
    axis = k;
  }
  if (!axis || to.starts[*axis] < from.starts[*axis]) return -1;
  writes = 0;
  for (const ir::Node* n = &last; is_write(*n); n = n->inputs[0].get()) ++writes;
  return (shape[*axis] - 1 - to.starts[*axis]) / (to.starts[*axis] - from.starts[*axis]);
}

// Whether the loop is so near to its end that the graph had better go on to there: cut at the ends of an inner loop, the
// graphs of the turns around it are one program, whatever its length.
bool goes_to_the_end(const ir::Node& last, Age age, uint32_t limit) {
  uint32_t writes = 0;
  const int64_t left = writes_to_the_end(last, writes);
  return left > 0 && age + left * age / writes <= limit / kEndOfLoop;
}

void compute_now(Cell& cell) {
  const AskedScope asked(kEndOfTurn);
  materialized(cell);
}

}  // namespace

void flush_what_is_due(const ir::SourceLine& line, bool write) {
  const Ref<Cell> written = take_due(line, write);
  const bool wanted = written && written->count.now() > 1;
  if (wanted) compute_now(*written);
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
  if (write || age > limit / kCounted) count_line(lines.only(), write);
  if (age <= limit / kOutermost) return;
  const bool here = is_end_of_turn(age, limit) && !(write && goes_to_the_end(*cell.value(), age, limit));
  if (age <= limit && !here) return;
  const uint32_t nodes = count_nodes(cell.value(), limit);
  const uint32_t least = age <= limit / kNoLoop ? limit / kCounted : limit / 4;
  if (nodes <= (here ? least : limit)) {
    // Other arrays' nodes were recorded in between.
    cell.set_since(now - nodes);
    if (oldest && oldest->since() != kInMemory) oldest->set_since(std::max(oldest->since(), now - nodes));
    return;
  }
  if (write && here)
    set_due(cell, lines.only());
  else
    compute_now(cell);
}

}  // namespace weft::detail
