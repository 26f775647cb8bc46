// A cell: what an array's name stands for. It holds the node of its current value; writing replaces the node.
#pragma once

#include <mutex>

#include "compiler/ir/node.h"
#include "frontend/cpp/weft/array.h"

namespace weft::detail {

struct SessionState;
struct DeviceSlot;

struct Cell {
  mutable std::atomic<uint32_t> count{0};
  DeviceSlot& device;
  const ir::TensorType type;

  Cell(DeviceSlot& where, ir::NodeRef value, uint32_t nodes);

  // The value now. An input node's handle is the buffer that holds it.
  ir::NodeRef value() const;
  // At least as many nodes as computing the value takes; 0 when it lies in memory.
  uint32_t pending() const { return pending_.load(std::memory_order_relaxed); }
  void set_pending(uint32_t nodes) { pending_.store(nodes, std::memory_order_relaxed); }
  // Replaces the value by f(value); other writers wait. `nodes`: how many f adds.
  template <class F>
  void modify(uint32_t nodes, F&& f) {
    std::lock_guard lock(mutex_);
    node_ = f(node_);
    pending_.fetch_add(nodes, std::memory_order_relaxed);
  }
  // Calls f(value); nobody reads or writes the cell meanwhile.
  template <class F>
  void inspect(F&& f) const {
    std::lock_guard lock(mutex_);
    f(node_);
  }
  // Replaces the value by f(), which computes it from `from`, unless the cell was written since. Nobody reads
  // or writes the cell meanwhile.
  template <class F>
  void compute(const ir::NodeRef& from, F&& f) {
    ir::NodeRef old;  // what the cell held is released after the lock
    std::lock_guard lock(mutex_);
    if (!(node_ == from)) return;
    old = f();
    std::swap(old, node_);
    pending_.store(0, std::memory_order_relaxed);
  }
  // Puts the computed value in place of the node it was computed from, unless the cell was written since.
  void settle(const ir::NodeRef& from, const ir::NodeRef& computed);

 private:
  mutable std::mutex mutex_;
  ir::NodeRef node_;
  std::atomic<uint32_t> pending_;
};

// The library's door to Array.
struct Access {
  static Array make(Ref<Cell> cell, Ref<const View> view = {}) { return {std::move(cell), std::move(view)}; }
  static const Ref<Cell>& cell(const Array& a);  // Error for an array without a value
  static const Ref<const View>& view(const Array& a) { return a.view_; }
};

// Computes the cell's value when its graph has grown past the session's limit.
void bound(Cell& cell);
// A new array for a recorded value.
Array record(DeviceSlot& device, ir::NodeRef node, uint32_t nodes);
// The array's current value as a node: the cell's, seen through the view.
ir::NodeRef read(const Array& x, const ir::Lines& lines);
// At least as many nodes as computing the array takes.
uint32_t pending(const Array& x);

// The line that a node comes from: the thread's LineScope, else the caller's.
ir::Lines lines_at(Where at);

}  // namespace weft::detail
