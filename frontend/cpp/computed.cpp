#include "frontend/cpp/computed.h"

#include <algorithm>
#include <vector>

namespace weft::detail {

void Computed::put(const ir::NodeRef& node, const ir::NodeRef& value) {
  std::lock_guard lock(mutex_);
  // While there are few, what a loop's last turn left goes at once: its buffers are the ones to use again.
  if (values_.size() < 32 || --puts_until_drop_ == 0) drop_unasked();
  values_[node.get()] = {node, value};
  size_.store(values_.size(), std::memory_order_release);
}

// Entries that only this table holds go. Dropping one may leave another unasked for; that one goes next time.
// Waiting for as many puts as entries stayed makes the cost of a put constant on average.
void Computed::drop_unasked() {
  std::erase_if(values_, [](const auto& entry) { return entry.second.node->use_count() == 1; });
  puts_until_drop_ = std::max<size_t>(32, values_.size());
}

}  // namespace weft::detail
