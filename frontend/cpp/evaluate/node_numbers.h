// Numbers that nodes have for as long as something walks over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::detail {

// Numbers of visited nodes: open addressing, emptied by counting a generation up.
class NodeNumbers {
 public:
  void clear() {
    size_ = 0;
    if (++generation_ == 0) {
      for (Slot& slot : slots_) slot.generation = 0;
      generation_ = 1;
    }
  }
  // The number's place; -1 in it when the node is new.
  int32_t& at(const ir::Node* node) {
    if (size_ * 2 >= slots_.size()) grow();
    Slot& slot = slots_[locate(node)];
    if (slot.generation != generation_) {
      slot = {node, generation_, -1};
      ++size_;
    }
    return slot.number;
  }
  // -1 where the node has none.
  int32_t find(const ir::Node* node) const {
    const Slot& slot = slots_[locate(node)];
    return slot.generation == generation_ ? slot.number : -1;
  }

 private:
  struct Slot {
    const ir::Node* node = nullptr;
    uint32_t generation = 0;
    int32_t number = -1;
  };
  size_t locate(const ir::Node* node) const {
    size_t i = (reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15u) >> shift_;
    while (slots_[i].generation == generation_ && slots_[i].node != node) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    for (const Slot& slot : old) {
      if (slot.generation == generation_) slots_[locate(slot.node)] = slot;
    }
  }
  std::vector<Slot> slots_ = std::vector<Slot>(256);
  size_t size_ = 0;
  int shift_ = 56;
  uint32_t generation_ = 1;
};

}  // namespace weft::detail
