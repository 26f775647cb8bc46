// Numbers for nodes: an open-addressing table from a node's address to an int. Faster than the standard maps
// for the walks over graphs of many thousands of nodes. It neither looks into the nodes nor keeps them alive.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace weft::ir {

class Node;

class NodeIndex {
 public:
  explicit NodeIndex(size_t expected = 16) { resize(expected * 2); }

  // The node's number, or -1.
  int32_t find(const Node* node) const { return slots_[locate(node)].second; }
  // Gives the node a number of 0 or more unless it has one; whether it was given.
  bool insert(const Node* node, int32_t number) {
    auto* slot = &slots_[locate(node)];
    if (slot->first) return false;
    if (++size_ * 2 > slots_.size()) {
      resize(slots_.size() * 2);
      slot = &slots_[locate(node)];
    }
    *slot = {node, number};
    return true;
  }
  // Changes the number of a node that has one, or gives it.
  void set(const Node* node, int32_t number) {
    if (!insert(node, number)) slots_[locate(node)].second = number;
  }
  size_t size() const { return size_; }

 private:
  using Slot = std::pair<const Node*, int32_t>;

  size_t locate(const Node* node) const {
    size_t at = (reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15u) >> shift_;
    while (slots_[at].first && slots_[at].first != node) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void resize(size_t wanted) {
    int bits = 4;
    while ((size_t{1} << bits) < wanted) ++bits;
    std::vector<Slot> old(size_t{1} << bits, Slot{nullptr, -1});
    old.swap(slots_);
    shift_ = 64 - bits;
    for (const Slot& slot : old) {
      if (slot.first) slots_[locate(slot.first)] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
  int shift_ = 60;
};

}  // namespace weft::ir
