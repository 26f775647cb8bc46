#include "frontend/cpp/array/lent_memory.h"

#include <cstring>
#include <utility>

#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/made_by.h"
#include "frontend/cpp/session/long_work.h"

namespace weft::detail {
namespace {

// Those of the cell's node and of the function that asks.
constexpr int kNodeAndHere = 2;
// Bytes up to which what is lent is noted at once, so that a look alone does not count as a write.
constexpr size_t kNoted = 4096;

bool same_bytes(const runtime::Buffer& a, const runtime::Buffer& b) {
  return a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

ir::NodeRef copy_of(const Cell& cell, const runtime::BufferRef& lent) {
  const runtime::Buffer& memory = *lent;
  runtime::BufferRef copy = cell.device.device->allocate(memory.bytes());
  cell.device.device->copy(*copy, 0, memory, 0, memory.bytes());
  said_of_memory().copied(memory, copy);
  made_lately().copied(lent, copy);
  return input_node(cell.type, std::move(copy));
}

}  // namespace

ir::NodeRef Cell::read_lent() const {
  ir::NodeRef memory, seen;
  {
    std::lock_guard held(lock_);
    if (!lent()) return node_;
    memory = node_, seen = seen_;
  }
  const runtime::BufferRef now = buffer_of(*memory);
  const bool given_back = now.use_count() == kNodeAndHere;
  const bool changed = !seen || !same_bytes(*buffer_of(*seen), *now);
  if (changed && !given_back) {
    const LongWork work;
    seen = copy_of(*this, now);
  }
  ir::NodeRef old;  // released after the lock
  std::unique_lock held(lock_);
  if (node_ != memory) {  // another thread has written to it
    held.unlock();
    return value();
  }
  if (changed) {
    writes_.fetch_add(1, std::memory_order_relaxed);
    true_positions_ = {};
    known_span_.reset();
  }
  if (!given_back) {
    old = std::exchange(seen_, seen);
    return seen;
  }
  // What was read before stays the value where it still is: what was recorded of it meets what will be.
  ir::NodeRef value = changed ? std::move(memory) : std::move(seen);
  old = std::exchange(node_, value);
  seen_ = {};
  lent_.store(false, std::memory_order_relaxed);
  return value;
}

void Cell::part_from_lent() {
  ir::NodeRef value = read_lent(), old;
  std::lock_guard held(lock_);
  if (!lent()) return;
  old = std::exchange(node_, std::move(value));
  seen_ = {};
  lent_.store(false, std::memory_order_relaxed);
}

runtime::BufferRef lend_to_write(Cell& cell) {
  while (true) {
    memory_now(cell)->complete();
    ir::NodeRef shared, old;
    bool ours = false;
    runtime::BufferRef memory;
    {
      std::lock_guard held(cell.lock_);
      old = cell.take_computed();
      if (const ir::Node* value = cell.node_->computed()) {  // kept, though nothing is derived by it
        old = ir::NodeRef(value);
        std::swap(old, cell.node_);
        continue;  // which lets the old one go
      }
      if (cell.node_->op != ir::Op::input) continue;  // another thread has written to it
      memory = buffer_of(*cell.node_);
      ours = memory->writable();
      if (cell.lent()) return memory;
      if (cell.node_->use_count() == 1 && memory.use_count() == kNodeAndHere && ours) {
        cell.lent_.store(true, std::memory_order_relaxed);
      } else {
        shared = cell.node_;
      }
    }
    ir::NodeRef lent, seen;
    if (!shared) {
      if (memory->bytes() > kNoted) return memory;
      seen = copy_of(cell, memory);
    } else {
      const LongWork work;
      lent = copy_of(cell, memory);
      // Memory of others is not held for this.
      if (ours) seen = shared;
    }
    std::lock_guard held(cell.lock_);
    if (shared) {
      if (cell.node_ != shared) continue;
      memory = buffer_of(*lent);
      std::swap(cell.node_, lent);
      cell.lent_.store(true, std::memory_order_relaxed);
    }
    std::swap(cell.seen_, seen);
    return memory;
  }
}

}  // namespace weft::detail
