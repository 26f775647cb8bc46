#include "frontend/cpp/evaluate/turns.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "compiler/base/per_thread.h"

namespace weft::detail {

std::atomic<int> threads_with_due{0};

namespace {

// How often a thread's lines recorded something since it computed anything; nothing is remembered for longer,
// so that a program is cut at the same places whenever it runs. The line that does so least often is that of
// the outermost loop: between two turns of it lies the most that repeats.
class Turns {
 public:
  void count(const ir::SourceLine& line, bool write) {
    writes_ |= write;
    const size_t before = last_;
    // Loops record in the same order again and again.
    for (size_t i = 0; i < used_; ++i) {
      last_ = last_ + 1 < used_ ? last_ + 1 : 0;
      if (lines_[last_].line == line && lines_[last_].write == write) {
        ++lines_[last_].times;
        lines_[last_].returns += last_ != before;
        return;
      }
    }
    if (used_ == lines_.size()) return;
    last_ = used_;
    lines_[used_++] = {line, write, 1, 0};
  }
  // Whether the line that was counted last is the rarest of those that were `at_least` so often; where
  // something was written, of those that wrote.
  bool ended(uint32_t at_least) const {
    if (used_ == 0 || lines_[last_].write != writes_) return false;
    const uint32_t times = lines_[last_].times;
    return times >= at_least && std::none_of(lines_.begin(), lines_.begin() + used_, [&](const Line& line) {
             return line.write == writes_ && line.times >= at_least && line.times < times;
           });
  }
  bool wrote_often(const ir::SourceLine& line) const {
    constexpr uint32_t kOften = 8;
    return std::any_of(lines_.begin(), lines_.begin() + used_, [&](const Line& known) {
      return known.write && known.times >= kOften && known.line == line;
    });
  }
  void note_product() { products_ = true; }
  bool of_loop() const {
    constexpr uint32_t kMoreThanAStatement = 32;
    return used_ > 0 && !products_ &&
           (lines_[last_].returns > 0 || lines_[last_].times > kMoreThanAStatement);
  }
  void clear() {
    used_ = last_ = 0;
    writes_ = products_ = false;
  }

 private:
  struct Line {
    ir::SourceLine line;
    bool write = false;
    uint32_t times = 0;
    uint32_t returns = 0;  // of those, the ones that followed another line
  };
  std::array<Line, 64> lines_;
  size_t used_ = 0, last_ = 0;
  bool writes_ = false, products_ = false;
};

thread_local Turns turns;

// How often lines wrote to the same elements. One that writes to others each time, as a sweep over the rows of a table
// does, takes its own place again and again.
class Writes {
 public:
  bool count(const ir::SourceLine& line, int64_t offset, int64_t count) {
    constexpr uint32_t kOften = 1000;
    Write& known = known_[(line.line + reinterpret_cast<uintptr_t>(line.file) / 16) % known_.size()];
    if (known.line != line || known.offset != offset || known.count != count)
      known = {line, offset, count, 0};
    known.times += known.times < kOften;
    return known.times == kOften;
  }

 private:
  struct Write {
    ir::SourceLine line;
    int64_t offset = 0, count = 0;
    uint32_t times = 0;
  };
  std::array<Write, 64> known_;
};

// A cell that is computed as soon as the statement that wrote to it is done: until then what it wrote is
// held, as if somebody wanted it.
class Due {
 public:
  Due() = default;
  Due(const Due&) = delete;
  ~Due() { take(); }
  static bool any() { return threads_with_due.load(std::memory_order_relaxed) > 0; }
  void set(Cell& cell, const ir::SourceLine& line) {
    if (!cell_) ++threads_with_due;
    if (cell_.get() != &cell || line_ != line) writes_ = 0;
    cell_ = Ref<Cell>(&cell);
    line_ = line;
  }
  // A statement may write several times, one after another; a loop of one line writes without end.
  bool may_be_the_statement(const ir::SourceLine& line) {
    constexpr int kWritesOfAStatement = 8;
    return line == line_ && ++writes_ <= kWritesOfAStatement;
  }
  Ref<Cell> take() {
    if (cell_) --threads_with_due;
    writes_ = 0;
    return std::exchange(cell_, {});
  }
  const Cell* cell() const { return cell_.get(); }

 private:
  Ref<Cell> cell_;
  ir::SourceLine line_;
  int writes_ = 0;  // of that line since
};

}  // namespace

void count_line(const ir::SourceLine& line, bool write) { turns.count(line, write); }

void note_write(const ir::SourceLine& line) { turns.count(line, true); }

bool is_written_in_turns(const ir::SourceLine& line) { return turns.wrote_often(line); }

bool is_often_written(const ir::SourceLine& line, int64_t offset, int64_t count) {
  return PerThread<Writes>::get().count(line, offset, count);
}

bool turn_ended(uint32_t at_least) { return turns.ended(at_least); }

void note_product() { turns.note_product(); }

bool loop_turned() { return turns.of_loop(); }

void set_due(Cell& cell, const ir::SourceLine& line) { PerThread<Due>::get().set(cell, line); }

Ref<Cell> take_due(const ir::SourceLine& line, bool write) {
  if (!Due::any()) return {};
  Due& due = PerThread<Due>::get();
  if (!due.cell() || (write && due.may_be_the_statement(line))) return {};
  return due.take();
}

void flushed() {
  turns.clear();
  if (Due::any()) PerThread<Due>::get().take();
}

}  // namespace weft::detail
