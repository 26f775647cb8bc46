#include "runtime/blocks/run_blocks.h"

#include <algorithm>

#include "runtime/blocks/run.h"

namespace weft::runtime {

// Blocks that totals look at are whole vectors of theirs, too.
int64_t Run::unit(const BlockProgram& p, const BlockLoops& loops) {
  if (p.shape == BlockProgram::Shape::Maps) return loops.lanes;
  return std::max({loops.lanes, loops.wide.width, p.shape == BlockProgram::Shape::Rows ? p.walk.lanes : 1});
}

Run::Run(const BlockProgram& program, const BlockLoops& loops, const BlockArguments& arguments, char* memory)
    : p_(program),
      loops_(loops),
      arguments_(arguments),
      memory_(memory),
      where_(reinterpret_cast<char**>(memory + p_.memory_bytes)),
      steps_(reinterpret_cast<long*>(where_ + p_.slots.size())),
      position_(reinterpret_cast<int64_t*>(steps_ + p_.slots.size())),
      terms_(position_ + p_.walk.extents.size()),
      run_(terms_ + p_.totals.size()),
      unit_(unit(program, loops)) {
  for (size_t k = 0; k < p_.slots.size(); ++k) {
    const BlockSlot& slot = p_.slots[k];
    where_[k] = memory + slot.offset;
    steps_[k] = slot.kind == BlockSlot::Kind::Same ? 0 : long{slot.bytes} * loops.lanes;
  }
  std::fill_n(position_, p_.walk.extents.size(), 0);
  for (auto& c : p_.constants) put(c.slot, reinterpret_cast<const char*>(c.words));
  for (auto& a : p_.arguments) put(a.slot, reinterpret_cast<const char*>(arguments.scalars + a.word));
  for (auto& i : p_.once) same(i);
}

void Run::operator()(int64_t begin, int64_t end, bool finishes) {
  if (p_.shape == BlockProgram::Shape::Maps)
    return walk(p_.sweeps[0].body, begin * p_.task, std::min(end * p_.task, p_.elements));
  const bool across = p_.walk.across_parts > 0;
  for (task_ = begin; task_ < end; ++task_) {
    if (across && finishes) {
      finish_across(task_);
      continue;
    }
    if (across) clear_across(task_);
    run_task(task_, finishes);
  }
}

void Run::run_task(int64_t task, bool finishes) {
  const bool columns = p_.shape == BlockProgram::Shape::Columns;
  int64_t block = task, part = 0;
  // Joined, parts are one task's; scanned, each is one again.
  if (p_.walk.split > 1 && (!finishes || p_.walk.scans)) part = block % p_.walk.split, block /= p_.walk.split;
  if (columns) {
    const int64_t lane = extent(p_.walk.lane_axis), chunk = finishes ? p_.walk.finish_chunk : p_.walk.chunk,
                  chunks = (lane + chunk - 1) / chunk;
    task_left_ = block % chunks * chunk, task_right_ = std::min(task_left_ + chunk, lane);
    block /= chunks;
  }
  const int64_t first = block * p_.walk.rows_per_task,
                last = std::min(first + p_.walk.rows_per_task, p_.walk.points);
  for (int64_t point = first; point < last; ++point) {
    stand_at(point);
    if (columns)
      run_columns(point, part, finishes);
    else
      run_rows(point, part, finishes);
  }
}

void Run::stand_at(int64_t point) {
  for (int a = p_.walk.outer; a-- > 0;) {
    if (a == p_.walk.lane_axis) continue;
    position_[a] = point % extent(a);
    point /= extent(a);
  }
}

int64_t Run::stretch(const BlockSweep& sweep, int64_t from, int64_t right) const {
  // 0 <= base + by * x < extent holds for low <= x < high.
  const auto floor_of = [](int64_t a, int64_t b) { return a / b - (a % b < 0); };
  int64_t end = right;
  for (auto& cut : sweep.cuts) {
    const BlockAccess& a = access(cut.access);
    const int64_t base = start(a), by = p_.strides[static_cast<size_t>(a.strides_begin)].by,
                  step = by < 0 ? -by : by, first = by < 0 ? cut.extent - 1 - base : base,
                  low = -floor_of(first, step), high = floor_of(cut.extent - 1 - first, step) + 1;
    end = std::min(end, from < low ? low : from < high ? high : right);
  }
  return end;
}

size_t block_memory(const BlockProgram& p) {
  const size_t own = static_cast<size_t>(p.memory_bytes) + p.slots.size() * (sizeof(char*) + sizeof(long)) +
                     (p.walk.extents.size() + p.totals.size() + p.most_strides) * sizeof(int64_t);
  return p.parts ? std::max(own, block_memory(*p.parts)) : own;
}

void run_blocks(const BlockProgram& program, const BlockLoops& loops, const BlockArguments& arguments,
                int64_t begin, int64_t end, bool finishes, char* memory) {
  const BlockProgram& runs = program.parts && !finishes ? *program.parts : program;
  Run(runs, loops, arguments, memory)(begin, end, finishes);
}

}  // namespace weft::runtime
