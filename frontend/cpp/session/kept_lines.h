// Lines of the user's program whose values had to be computed a second time because no program had kept them:
// a loop that looks at one result in each turn, say, and carries another on. From then on they are kept in
// the graphs that are new. A graph that was seen before is computed as it was then: whoever runs a program
// again gets the same programs in the same order, and the same bits.
#pragma once

#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "compiler/base/hash.h"
#include "compiler/ir/lines.h"

namespace weft::detail {

class KeptLines {
 public:
  void add(const ir::SourceLine& line) {
    if (!line.file) return;
    std::lock_guard lock(mutex_);
    lines_.insert(line);
  }
  // Whether a value of this line is kept where it stands: `place` names the graph and the value in it. Always
  // the same answer for the same place, while it is remembered.
  bool keeps(const Hash& place, const ir::SourceLine& line) {
    std::lock_guard lock(mutex_);
    if (answers_.size() >= kPlaces) answers_.clear();
    return answers_.try_emplace(place, lines_.contains(line)).first->second;
  }

 private:
  struct HashOfLine {
    size_t operator()(const ir::SourceLine& line) const {
      return reinterpret_cast<uintptr_t>(line.file) * 31 + line.line;
    }
  };
  static constexpr size_t kPlaces = 1 << 16;
  std::mutex mutex_;
  std::unordered_set<ir::SourceLine, HashOfLine> lines_;
  std::unordered_map<Hash, bool, HashOf> answers_;
};

}  // namespace weft::detail
