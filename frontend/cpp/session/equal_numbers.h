// Which numbers of a structure may be one argument of its program. A number that every turn of a loop gives,
// or every call of a function, is read once, and what is computed of it alone is computed once. Numbers that
// are equal by chance, now these and now those, would be another program each time.
#pragma once

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "compiler/base/hash.h"

namespace weft::detail {

class EqualNumbers {
 public:
  // Whether the numbers that are equal, named by a hash of which they are, may be one: yes for the first few
  // sets of them that a structure comes with. Always the same answer for the same set, while it is
  // remembered.
  bool may_be_one(const Hash& structure, const Hash& which) {
    std::lock_guard lock(mutex_);
    if (known_.size() >= kStructures) known_.clear();
    std::vector<Hash>& sets = known_[structure];
    if (std::find(sets.begin(), sets.end(), which) != sets.end()) return true;
    if (sets.size() == kSets) return false;
    sets.push_back(which);
    return true;
  }

 private:
  static constexpr size_t kSets = 4, kStructures = 4096;
  std::mutex mutex_;
  std::unordered_map<Hash, std::vector<Hash>, HashOf> known_;
};

}  // namespace weft::detail
