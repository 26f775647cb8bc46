// Values that were computed while pending graphs still hold the nodes they were computed from. Evaluating x,
// then a y = f(x) that was recorded before, finds x here instead of computing it again.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "compiler/ir/node.h"

namespace weft::detail {

class Computed {
 public:
  // `value` is the input node that holds what `node` computes.
  void put(const ir::NodeRef& node, const ir::NodeRef& value);
  bool empty() const { return size_.load(std::memory_order_acquire) == 0; }

  // Looks nodes up while it lives; nothing is put or dropped meanwhile.
  class Reader {
   public:
    explicit Reader(Computed& from) : from_(from), lock_(from.mutex_, std::defer_lock) {
      if (!from.empty()) lock_.lock();
    }
    // Null when the node has not been computed.
    const ir::Node* find(const ir::Node* node) const {
      if (!lock_.owns_lock()) return nullptr;
      const auto found = from_.values_.find(node);
      return found == from_.values_.end() ? nullptr : found->second.value.get();
    }

   private:
    Computed& from_;
    std::unique_lock<std::mutex> lock_;
  };

 private:
  struct Entry {
    ir::NodeRef node, value;
  };
  void drop_unasked();

  std::mutex mutex_;
  std::unordered_map<const ir::Node*, Entry> values_;
  std::atomic<size_t> size_{0};
  size_t puts_until_drop_ = 32;
};

}  // namespace weft::detail
