// A cell: what an array's name stands for. It holds the node of its current value; writing replaces the node.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/base/recycled.h"
#include "compiler/base/reference_count.h"
#include "compiler/base/spin_lock.h"
#include "compiler/ir/node.h"
#include "frontend/cpp/session/age.h"
#include "frontend/cpp/session/pending_writes.h"
#include "frontend/cpp/weft/array.h"

namespace weft::runtime {
class Buffer;
}

namespace weft::detail {

struct SessionState;
struct DeviceSlot;

// Integers from `least` to `most`.
struct Span {
  int64_t least = 0, most = 0;
};

struct Cell : Recycled<Cell>, Awaited {
  mutable ReferenceCount count;
  DeviceSlot& device;
  const ir::TensorType type;
  void* owner = nullptr;  // for the language above: the object that was made of it first

  Cell(DeviceSlot& where, ir::NodeRef value, Age since);
  ~Cell();

  // The value now: an input node, whose handle is the buffer, once somebody has computed it. Of lent memory
  // what lies there now, copied unless it is what was read last.
  ir::NodeRef value() const;
  // Whether somebody outside may write to the memory of the value: see lent_memory.h.
  bool lent() const { return lent_.load(std::memory_order_relaxed); }
  // As value(), but of lent memory the node over that: for a look that is over when the caller returns.
  ir::NodeRef memory() const;
  Age since() const { return since_.load(std::memory_order_relaxed); }
  void set_since(Age since) const { since_.store(since, std::memory_order_relaxed); }
  // Error where a function that is being recorded writes to what it did not take.
  void check_write() const;
  // How often somebody wrote to it.
  uint32_t writes() const {
    if (lent()) value();  // counts what was written from outside
    return writes_.load(std::memory_order_relaxed);
  }
  // Replaces the value by f(value); other writers wait. `since`: of what f adds.
  template <class F>
  void modify(Age since, F&& f) {
    check_write();
    if (lent()) part_from_lent();
    ir::NodeRef old;  // what the cell held is released after the lock
    std::lock_guard held(lock_);
    old = take_computed();
    ir::NodeRef next = f(node_);
    true_positions_ = {};
    known_span_.reset();
    std::swap(node_, next);
    writes_.store(writes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (since < since_.load(std::memory_order_relaxed)) set_since(since);
  }
  // The positions where the value is true, once somebody has asked for them: a node that is kept as long as
  // the value is.
  ir::NodeRef true_positions() const {
    std::lock_guard held(lock_);
    return true_positions_;
  }
  void set_true_positions(const ir::NodeRef& value, ir::NodeRef positions) const {
    std::lock_guard held(lock_);
    if (node_ == value) std::swap(true_positions_, positions);
  }
  // Where the value's integers lie, once somebody has looked, for as long as the cell has that value. Nothing
  // is known of lent memory, to which others may write.
  std::optional<Span> known_span(const ir::NodeRef& value) const {
    std::lock_guard held(lock_);
    return node_ == value && !lent() ? known_span_ : std::nullopt;
  }
  void set_known_span(const ir::NodeRef& value, Span span) const {
    std::lock_guard held(lock_);
    if (node_ == value && !lent()) known_span_ = span;
  }
  // Calls f(value), which says whether it wrote to the memory that the value names: the same node then stands
  // for other elements.
  template <class F>
  bool write_in_place(F&& f) {
    if (lent()) return false;
    check_write();
    ir::NodeRef old;
    std::lock_guard held(lock_);
    old = take_computed();
    if (!f(node_)) return false;
    true_positions_ = {};
    known_span_.reset();
    // Whoever adds to it holds the lock.
    writes_.store(writes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return true;
  }
  // Of an array that is made only now of what was there before the recording that goes on.
  void made_before() { made_in_ = 0; }
  // Calls f(value); nobody reads or writes the cell meanwhile. Of lent memory it is the node over that.
  template <class F>
  void inspect(F&& f) const {
    ir::NodeRef old;
    std::lock_guard held(lock_);
    old = take_computed();
    f(node_);
  }

 private:
  // Puts the value that was computed for the node in its place; returns what is to be released.
  ir::NodeRef take_computed() const;
  ir::NodeRef read_lent() const;
  // Leaves the lent memory to whoever has it; the value is what lies there now.
  void part_from_lent();

  mutable SpinLock lock_;
  mutable ir::NodeRef node_, true_positions_;
  mutable std::optional<Span> known_span_;
  mutable std::atomic<Age> since_;
  mutable std::atomic<uint32_t> writes_{0};
  uint32_t made_in_;          // the CellsRead of that serial number; 0: none
  mutable ir::NodeRef seen_;  // of lent memory, what was read last; none: nothing yet
  mutable std::atomic<bool> lent_{false};

  friend class CellsRead;
  friend std::shared_ptr<runtime::Buffer> lend_to_write(Cell& cell);
};

// Values that depend on the arguments of a function that is being recorded, and have to keep a rule: the
// extremes are looked at whenever it is called.
struct LateCheck {
  enum class Rule : uint8_t { Position, Exponent, Picked };
  Rule rule = Rule::Position;
  ir::NodeRef value;
  std::string op;
  size_t axis = 0;          // of positions
  int64_t extent = 0;       // of that axis; of what a mask picks, which of it is read
  DType base = DType::I64;  // what is raised to exponents
  Array least, most;
};

// Notes, once each, the cells that this thread reads for as long as it lives and that were there before, but
// for those of `own`; they alone, and new ones, can be written to. Notes what is to be looked at later, too.
class CellsRead {
 public:
  explicit CellsRead(std::span<const Array> own);
  ~CellsRead();
  CellsRead(const CellsRead&) = delete;
  CellsRead& operator=(const CellsRead&) = delete;
  const std::vector<Ref<Cell>>& cells() const { return cells_; }
  const std::vector<LateCheck>& late_checks() const { return late_checks_; }
  // From now on reading a cell is an Error once somebody has written to the one of `own` that stands for it.
  using StandsFor = std::vector<std::pair<const Cell*, Ref<Cell>>>;
  void refuse_behind(StandsFor stands_for) { stands_for_ = std::move(stands_for); }

 private:
  friend struct Cell;
  friend void note_read(Cell& cell);
  friend bool known_late(LateCheck::Rule rule, const ir::NodeRef& value, int64_t extent);
  friend void note_late(LateCheck check);
  friend bool depends_on_arguments(const ir::NodeRef& value);
  void note(const Ref<Cell>& cell);

  CellsRead* outer_;
  uint32_t serial_;
  std::vector<Ref<Cell>> cells_;
  StandsFor stands_for_;
  std::vector<LateCheck> late_checks_;
  // What is known of nodes, which are held so that none takes another's address.
  std::unordered_map<const ir::Node*, bool> depends_;
  std::vector<ir::NodeRef> held_;
};

// The library's door to Array.
struct Access {
  static Array make(Ref<Cell> cell, Ref<const View> view = {}) { return {std::move(cell), std::move(view)}; }
  static const Ref<Cell>& cell(const Array& a);  // Error for an array without a value
  static const Ref<const View>& view(const Array& a) { return a.view_; }
};

// A new array for a recorded value.
Array record(DeviceSlot& device, ir::NodeRef node, Age since);

// How many CellsRead there are on all threads: asking a thread for its own costs more than this where there are none.
extern std::atomic<int> all_cells_read;
bool thread_records_cells();
// Whether this thread has a CellsRead.
inline bool records_cells() {
  return all_cells_read.load(std::memory_order_relaxed) > 0 && thread_records_cells();
}
// Tells the thread's CellsRead that the cell's value is looked at.
void note_read(Cell& cell);
// Whether the value depends on the arguments of a function that this thread records. Each node is looked at
// once for a recording.
bool depends_on_arguments(const ir::NodeRef& value);
// Whether the thread's CellsRead, which there is, looks at these values by this rule, along an axis of this
// extent.
bool known_late(LateCheck::Rule rule, const ir::NodeRef& value, int64_t extent);
// Tells it what its function's calls have to look at.
void note_late(LateCheck check);

// The line that a node comes from: the thread's LineScope, else the caller's.
ir::Lines lines_at(Where at);
// What this thread's LineScope says; no file where there is none.
ir::SourceLine scope_line_now();

}  // namespace weft::detail
