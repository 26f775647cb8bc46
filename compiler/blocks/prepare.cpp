#include "compiler/blocks/prepare.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/base/error.h"
#include "compiler/blocks/loops.h"

namespace weft::blocks {

using namespace plan;
using ir::Op;

namespace {

constexpr int64_t kBlockBytes = 24 << 10;  // of what lies in the first-level cache at once
constexpr int64_t kFewestOfBlock = 256, kMostOfBlock = 2048;
constexpr int64_t kFewestOfTask = 4096;

// A map: all outer axes are walked as one, in the order of memory, whatever axis the schedule's lanes run
// along. No element knows of another.
class Maps {
 public:
  explicit Maps(const RowProgram& p) : p_(p) {}

  BlockProgram run(const CpuSchedule& s) {
    out_.elements = p_.outer_count();
    find_places();
    for (auto& sweep : p_.sweeps) {
      list(sweep.before);
      list(sweep.body);
    }
    list(p_.epilogue);
    finish(s);
    return std::move(out_);
  }

 private:
  using Kind = BlockInstruction::Kind;

  struct Place {
    int32_t slot = -1;
    bool same = false;    // in all elements
    int last = -1;        // statement that reads it
    int stores = 0;       // how many store it
    bool direct = false;  // it may be written where it is to lie
  };

  void find_places() {
    places_.resize(p_.values.size());
    int at = 0;
    std::vector<Value> loaded;
    for_each_stmt(p_, [&](const Stmt& s) {
      if (const auto* load = std::get_if<Load>(&s)) loaded.push_back(load->out);
      if (const auto* store = std::get_if<Store>(&s)) ++place(store->value).stores;
      // Stores come at the end of a block.
      const int last = std::holds_alternative<Store>(s) ? std::numeric_limits<int>::max() : at;
      for (Value v : uses(s)) place(v).last = std::max(place(v).last, last);
      ++at;
    });
    // What is stored as it was loaded is copied at once, and not read later.
    for (Value v : loaded)
      if (!place(v).stores) last_read_ = std::max(last_read_, place(v).last);
  }

  void list(const std::vector<Stmt>& stmts) {
    for (const Stmt& s : stmts) {
      std::visit([&](auto& stmt) { write(stmt); }, s);
      release(s);
      ++at_;
    }
  }

  // ---- places

  Place& place(Value v) { return places_[static_cast<size_t>(v)]; }
  bool same(const std::vector<Value>& values) {
    return std::ranges::all_of(values, [&](Value v) { return place(v).same; });
  }
  int32_t add_slot(BlockSlot::Kind kind, size_t bytes) {
    out_.slots.push_back({kind, static_cast<uint8_t>(bytes), 0});
    return static_cast<int32_t>(out_.slots.size()) - 1;
  }
  // Blocks are taken again once their last reader has run.
  int32_t take_block(size_t bytes) {
    for (size_t k = 0; k < free_.size(); ++k)
      if (const int32_t slot = free_[k]; out_.slots[static_cast<size_t>(slot)].bytes == bytes) {
        free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(k));
        return slot;
      }
    return add_slot(BlockSlot::Kind::Block, bytes);
  }
  void release(const Stmt& s) {
    for (Value v : uses(s)) {
      Place& p = place(v);
      if (p.last == at_ && !p.same && is_block(p.slot)) {
        free_.push_back(p.slot);
        p.last = -1;
      }
    }
  }
  bool is_block(int32_t slot) const {
    return out_.slots[static_cast<size_t>(slot)].kind == BlockSlot::Kind::Block;
  }
  int32_t define(Value v, bool same_everywhere) {
    Place& p = place(v);
    const size_t bytes = size_of(p_.values[static_cast<size_t>(v)].dtype);
    p.same = same_everywhere;
    p.slot = same_everywhere ? add_slot(BlockSlot::Kind::Same, bytes) : take_block(bytes);
    return p.slot;
  }
  // Of a loop, whose value may be written where it is to lie, when nothing is read after it: what is written
  // may lie where something was read.
  int32_t define_by_loop(Value v, bool same_everywhere) {
    Place& p = place(v);
    if (same_everywhere || p.stores != 1 || at_ < last_read_) return define(v, same_everywhere);
    p.slot = add_slot(BlockSlot::Kind::Memory, size_of(p_.values[static_cast<size_t>(v)].dtype));
    p.direct = true;
    return p.slot;
  }
  int32_t temporary(int32_t& slot, size_t bytes) {
    if (slot < 0) slot = add_slot(BlockSlot::Kind::Block, bytes);
    return slot;
  }

  // ---- accesses

  int32_t add_access(const Index& at, int buffer, const std::vector<Value>& guards) {
    BlockAccess a;
    a.buffer = buffer;
    a.bytes = static_cast<uint8_t>(buffer < 0 ? 8 : size_of(p_.buffers[static_cast<size_t>(buffer)].dtype));
    a.offset = at.offset.value;
    a.same_begin = static_cast<int32_t>(out_.terms.size());
    for (auto& t : at.values)
      if (place(t.value).same) out_.terms.push_back({place(t.value).slot, t.by.value});
    a.same_end = a.values_begin = static_cast<int32_t>(out_.terms.size());
    for (auto& t : at.values)
      if (!place(t.value).same) out_.terms.push_back({place(t.value).slot, t.by.value});
    a.values_end = static_cast<int32_t>(out_.terms.size());
    a.strides_begin = static_cast<int32_t>(out_.strides.size());
    add_strides(at, a.strides_begin);
    a.strides_end = static_cast<int32_t>(out_.strides.size());
    a.guards_begin = static_cast<int32_t>(out_.guards.size());
    for (Value g : guards) out_.guards.push_back(place(g).slot);
    a.guards_end = static_cast<int32_t>(out_.guards.size());
    out_.accesses.push_back(a);
    return static_cast<int32_t>(out_.accesses.size()) - 1;
  }

  // The index along the axes, neighbours joined where it walks them as one.
  void add_strides(const Index& at, int32_t begin) {
    for (int axis = static_cast<int>(p_.outer.size()); axis-- > 0;) {
      const int64_t extent = p_.extent(axis).value, by = stride_along(at, axis);
      if (extent == 1) continue;
      if (static_cast<int32_t>(out_.strides.size()) > begin) {
        BlockStride& inner = out_.strides.back();
        if (by == inner.by * inner.extent) {
          inner.extent *= extent;
          continue;
        }
      }
      out_.strides.push_back({extent, by});
    }
  }

  const BlockAccess& access(int32_t k) const { return out_.accesses[static_cast<size_t>(k)]; }
  // Whether it is the same for all elements.
  bool same(const BlockAccess& a) const {
    return a.values_begin == a.values_end &&
           std::all_of(out_.strides.begin() + a.strides_begin, out_.strides.begin() + a.strides_end,
                       [](auto& s) { return s.by == 0; });
  }
  bool contiguous(const BlockAccess& a) const {
    return a.values_begin == a.values_end && a.guards_begin == a.guards_end &&
           (a.strides_end - a.strides_begin == 1) &&
           out_.strides[static_cast<size_t>(a.strides_begin)].by == 1;
  }

  // ---- statements

  BlockInstruction& add(Kind kind, bool once) {
    auto& list = once ? out_.once : out_.body;
    list.push_back({kind});
    return list.back();
  }

  void write(const Let& s) {
    const bool once = same(s.args);
    const DType to = p_.values[static_cast<size_t>(s.out)].dtype;
    const DType from = p_.values[static_cast<size_t>(s.args[s.op == Op::select ? 1 : 0])].dtype;
    BlockInstruction i{Kind::Loop};
    i.arity = static_cast<uint8_t>(s.args.size());
    i.loop = static_cast<uint16_t>(s.op == Op::cast      ? loop_of_cast(from, to)
                                   : s.op == Op::bitcast ? loop_of_bitcast(from, to)
                                                         : loop_of(s.op, from));
    for (size_t k = 0; k < s.args.size(); ++k) i.in[k] = place(s.args[k]).slot;
    i.out = define_by_loop(s.out, once);
    (once ? out_.once : out_.body).push_back(i);
  }

  void write(const Literal& s) {
    BlockProgram::Constant c{define(s.out, true), s.value.dtype};
    s.value.store(c.words);
    out_.constants.push_back(c);
  }

  void write(const Argument& s) {
    int32_t word = 0;
    for (int k = 0; k < s.scalar; ++k) word += p_.scalars[static_cast<size_t>(k)] == DType::C128 ? 2 : 1;
    const int32_t slot = define(s.out, true);
    out_.arguments.push_back({slot, word, p_.scalars[static_cast<size_t>(s.scalar)]});
  }

  void write(const Position& s) {
    const int32_t a = add_access(s.at, -1, {});
    const bool once = same(access(a));
    const int32_t slot = define(s.out, once);
    BlockInstruction& i = add(Kind::Position, once);
    i.out = slot, i.access = a;
  }

  void write(const Divide& s) {
    const bool once = place(s.of).same;
    BlockProgram::Constant divisor{add_slot(BlockSlot::Kind::Same, 8), DType::I64};
    divisor.words[0] = static_cast<uint64_t>(s.divisor.value);
    out_.constants.push_back(divisor);
    const int32_t of = place(s.of).slot, slot = define(s.out, once);
    BlockInstruction& i = add(Kind::Loop, once);
    i.arity = 2;
    i.loop = static_cast<uint16_t>(loop_of(s.remainder ? Op::remainder : Op::floor_divide, DType::I64));
    i.in[0] = of, i.in[1] = divisor.slot;
    i.out = slot;
  }

  void write(const Clamp& s) {
    const bool once = place(s.index).same;
    const int32_t of = place(s.index).slot, slot = define(s.out, once);
    BlockInstruction& i = add(Kind::Clamp, once);
    i.in[0] = of, i.out = slot, i.number = s.extent.value;
  }

  void write(const Test& s) {
    const int32_t a = add_access(s.at, -1, {});
    const bool once = same(access(a));
    const int32_t slot = define(s.out, once);
    if (access(a).values_begin != access(a).values_end) temporary(out_.numbers, 8);
    BlockInstruction& i = add(Kind::Test, once);
    i.out = slot, i.access = a, i.number = s.extent.value;
  }

  void write(const Load& s) {
    const int32_t a = add_access(s.at, s.buffer, s.guards);
    if (contiguous(access(a)) && !place(s.out).stores) {
      const int32_t slot = add_slot(BlockSlot::Kind::Memory, access(a).bytes);
      place(s.out).slot = slot;
      BlockInstruction& i = add(Kind::Load, false);
      i.out = slot, i.access = a;
      return;
    }
    const bool once = same(access(a)) && same(s.guards);
    if (access(a).values_begin != access(a).values_end) temporary(out_.numbers, 8);
    if (std::ranges::count_if(s.guards, [&](Value g) { return !place(g).same; }) > 1) temporary(out_.mask, 1);
    const int32_t slot = define(s.out, once);
    BlockInstruction& i = add(Kind::Load, once);
    i.out = slot, i.access = a;
  }

  void write(const Store& s) {
    BlockInstruction i{Kind::Store};
    i.in[0] = place(s.value).slot;
    i.access = add_access(s.at, s.buffer, {});
    if (access(i.access).values_begin != access(i.access).values_end) temporary(out_.numbers, 8);
    if (!place(s.value).direct) return stores_.push_back(i);
    if (contiguous(access(i.access))) return out_.written.push_back(i);
    out_.slots[static_cast<size_t>(i.in[0])].kind = BlockSlot::Kind::Block;
    stores_.push_back(i);
  }

  void write(const Fold&) { throw InternalError("blocks: a map folds nothing"); }
  void write(const Scan&) { throw InternalError("blocks: a map scans nothing"); }
  void write(const Largest&) { throw InternalError("blocks: sums are rescaled on CUDA only"); }

  // Stores come when all of a block is read: what is written may lie where something was read.
  void finish(const CpuSchedule& s) {
    for (BlockInstruction& i : stores_) out_.body.push_back(i);
    int64_t bytes = 0;
    for (BlockSlot& slot : out_.slots)
      if (slot.kind == BlockSlot::Kind::Block) bytes += slot.bytes;
    out_.block = std::clamp<int64_t>(kBlockBytes / std::max<int64_t>(bytes, 1) / 64 * 64, kFewestOfBlock,
                                     kMostOfBlock);
    const int64_t whole = (out_.elements + 63) / 64 * 64;
    out_.block = std::min(out_.block, std::max<int64_t>(whole, 64));
    const int64_t task = std::max(kFewestOfTask, s.chunk * s.rows_per_task);
    out_.task = (task + out_.block - 1) / out_.block * out_.block;
    int64_t at = 0;
    for (BlockSlot& slot : out_.slots) {
      slot.offset = static_cast<int32_t>(at);
      const int64_t elements = slot.kind == BlockSlot::Kind::Block ? out_.block : kMostBlockLanes;
      at += (elements * slot.bytes + 63) / 64 * 64;
    }
    out_.memory_bytes = at;
  }

  const RowProgram& p_;
  BlockProgram out_;
  std::vector<Place> places_;
  std::vector<int32_t> free_;
  std::vector<BlockInstruction> stores_;
  int at_ = 0;          // the statement at hand
  int last_read_ = -1;  // the last that reads what was loaded
};

// Why a program cannot be run in blocks, or none.
std::optional<std::string> why_not(const RowProgram& p) {
  if (p.ordered) return "its rows are stored in order";
  if (!p.row.empty()) return "it reduces or scans rows";
  if (p.outer.size() > kMostBlockStrides) return "it has too many axes";
  std::optional<std::string> reason;
  for_each_stmt(p, [&](const Stmt& s) {
    if (const auto* store = std::get_if<Store>(&s); store && store->how != Storing::Plain)
      reason = "it stores in any order";
  });
  return reason;
}

}  // namespace

std::variant<BlockProgram, Refusal> prepare(const RowProgram& program, const CpuSchedule& schedule) {
  if (auto reason = why_not(program)) return Refusal{std::move(*reason)};
  return Maps(program).run(schedule);
}

}  // namespace weft::blocks
