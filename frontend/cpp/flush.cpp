#include "frontend/cpp/flush.h"

#include <algorithm>
#include <array>

#include "frontend/cpp/canonical.h"
#include "frontend/cpp/evaluate.h"

namespace weft::detail {
namespace {

// A thread's writes since its last flush, by line. The line that writes least often is that of the outermost
// loop: between two turns of it lies the most that repeats.
class Turns {
 public:
  void count(const ir::SourceLine& line) {
    // Loops write in the same order again and again.
    for (size_t i = 0; i < used_; ++i) {
      next_ = next_ + 1 < used_ ? next_ + 1 : 0;
      if (lines_[next_].line == line) {
        ++lines_[next_].writes;
        return;
      }
    }
    if (used_ == lines_.size()) return;
    next_ = used_;
    lines_[used_++] = {line, 1};
  }
  bool is_rarest(const ir::SourceLine& line) const {
    uint32_t least = ~0u, here = ~0u;
    for (size_t i = 0; i < used_; ++i) {
      least = std::min(least, lines_[i].writes);
      if (lines_[i].line == line) here = lines_[i].writes;
    }
    return here == least;
  }
  bool was_cut(const ir::SourceLine& line) const {
    return line.file && std::find(cuts_.begin(), cuts_.end(), line) != cuts_.end();
  }
  // The graph is cut here; `again`: and shall be in later turns.
  void cut(const ir::SourceLine& line, bool again) {
    if (again && line.file && !was_cut(line)) cuts_[next_cut_++ % cuts_.size()] = line;
    used_ = next_ = 0;
  }
  bool empty() const { return used_ == 0; }

 private:
  struct Writes {
    ir::SourceLine line;
    uint32_t writes = 0;
  };
  std::array<Writes, 64> lines_;
  size_t used_ = 0, next_ = 0;
  std::array<ir::SourceLine, 16> cuts_;
  size_t next_cut_ = 0;
};

thread_local Turns turns;

}  // namespace

void flush_if_due(Cell& cell, const Cell* oldest, const ir::Lines& lines, bool write) {
  const ir::SourceLine& line = lines.only();
  if (write) turns.count(line);
  const Age since = cell.since();
  if (since == kInMemory) return;
  const SessionState& session = cell.device.session;
  const auto limit = static_cast<uint32_t>(session.options.graph_limit);
  const Age now = session.recorded.load(std::memory_order_relaxed);
  if (now - since <= limit / 2) return;
  const bool here = turns.was_cut(line) || (write && turns.is_rarest(line));
  if (now - since <= limit && !here) return;
  const uint32_t nodes = count_nodes(cell.value(), limit);
  if (nodes <= (here ? limit / 4 : limit)) {
    // Other arrays' nodes were recorded in between.
    cell.set_since(now - nodes);
    if (oldest && oldest->since() != kInMemory) oldest->set_since(std::max(oldest->since(), now - nodes));
    return;
  }
  turns.cut(line, here || turns.empty());
  materialized(cell);
}

}  // namespace weft::detail
