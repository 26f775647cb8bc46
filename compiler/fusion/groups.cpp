#include "compiler/fusion/groups.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"

namespace weft::fusion {

using namespace tuning;

constexpr size_t kGroupsWalked = 20'000;  // while looking for a cycle, before one is taken for granted

void run_after(Groups& groups, int g, const std::set<int>& needs) {
  for (int h : needs) {
    if (h == g) continue;
    groups.all[g].before.insert(h);
    groups.all[h].after.insert(g);
  }
  // Levels rise along the edges; there is no cycle to rise around.
  std::vector<int> stack{g};
  while (!stack.empty()) {
    int k = stack.back();
    stack.pop_back();
    int level = 0;
    for (int h : groups.all[k].before) level = std::max(level, groups.all[h].level + 1);
    if (level <= groups.all[k].level) continue;
    groups.all[k].level = level;
    for (int h : groups.all[k].after) stack.push_back(h);
  }
}

bool would_cycle(const Groups& groups, int g, const std::set<int>& needs) {
  std::vector<int> stack;
  std::unordered_set<int> seen;
  auto reads = [&](int h) {
    if (groups.all[h].level <= groups.all[g].level) return false;
    if (groups.all[h].before.contains(g)) return true;
    if (seen.insert(h).second) stack.push_back(h);
    return false;
  };
  for (auto h = needs.rbegin(); h != needs.rend(); ++h)
    if (*h != g && reads(*h)) return true;
  while (!stack.empty() && seen.size() <= kGroupsWalked) {
    int h = stack.back();
    stack.pop_back();
    if (std::any_of(groups.all[h].before.begin(), groups.all[h].before.end(), reads)) return true;
  }
  return !stack.empty();
}

bool enough_siblings(const Building& b, size_t more, const Target& target) {
  if (machine::is_gpu(target)) return false;
  const size_t together = b.roots.size() + more;
  return (together > kSmallSiblings && element_count(b.space.extents) < kSmallLoops) ||
         (together > kTotalsInRegisters && b.space.has_row);
}

int words_of(const ir::Node& n) {
  return n.op == ir::Op::scalar ? 2 : 2 + static_cast<int>(n.shape().size());
}

}  // namespace weft::fusion
