#include "compiler/blocks/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/base/error.h"
#include "compiler/blocks/in_order.h"
#include "compiler/blocks/loops.h"
#include "compiler/emit/cpu/layout.h"
#include "compiler/emit/reduction.h"
#include "compiler/machine/tuning.h"

namespace weft::blocks {

using namespace plan;
using emit::cpu::CpuLayout;
using emit::cpu::EntryLayout;
using ir::Op;

namespace {

constexpr int64_t kBlockBytes = 24 << 10;  // of what lies in the first-level cache at once
constexpr int64_t kFewestOfBlock = 256, kMostOfBlock = 2048;
constexpr int64_t kFewestOfTask = 4096;

class Lower {
 public:
  // Of rows and columns, the layout of the kernel that emit_cpu writes, and of its entry that does these sweeps.
  Lower(const RowProgram& p, const CpuSchedule& s, const CpuLayout* layout, const EntryLayout* entry)
      : p_(p),
        s_(s),
        l_(layout),
        entry_(entry),
        d_(plan::division_of(s)),
        maps_(p.row.empty()),
        columns_(d_.order == Order::Columns) {}

  BlockProgram run() {
    find_places();
    if (!maps_) declare_totals();
    out_.sweeps.resize(p_.sweeps.size());
    for (size_t k = 0; k < p_.sweeps.size(); ++k) sweep(k);
    list(p_.epilogue, maps_ ? out_.sweeps.back().body : out_.epilogue);
    for (size_t a = 0; a < p_.accumulators.size(); ++a)
      if (p_.accumulators[a].is_over_points()) define_total(static_cast<int>(a));
    list(p_.after, out_.after);
    if (maps_)
      finish_map();
    else
      finish_rows();
    lay_out();
    return std::move(out_);
  }

 private:
  using Kind = BlockInstruction::Kind;
  using How = BlockTotal::How;

  struct Place {
    int32_t slot = -1;
    bool same = false;     // in all elements of a block
    bool direct = false;   // it may be written where it is to lie
    bool crosses = false;  // another list reads it
    int list = -1;         // that defines it
    int last = -1;         // statement that reads it
    int stores = 0;        // how many store it
  };

  Place& place(Value v) { return places_[static_cast<size_t>(v)]; }
  DType dtype(Value v) const { return p_.values[static_cast<size_t>(v)].dtype; }

  // ---- what is known of all statements before the first

  void find_places() {
    places_.resize(p_.values.size());
    int at = 0, number = 0;
    std::vector<Value> loaded;
    const auto visit = [&](const std::vector<Stmt>& stmts) {
      for (const Stmt& s : stmts) {
        if (const auto* load = std::get_if<Load>(&s)) loaded.push_back(load->out);
        if (const auto* store = std::get_if<Store>(&s)) ++place(store->value).stores;
        // Stores come at the end of a block.
        const int last = std::holds_alternative<Store>(s) ? std::numeric_limits<int>::max() : at;
        for (Value v : uses(s)) {
          place(v).last = std::max(place(v).last, last);
          place(v).crosses |= place(v).list >= 0 && place(v).list != number;
        }
        if (const Value v = defines(s); v >= 0) place(v).list = number;
        ++at;
      }
      ++number;
    };
    for (auto& sweep : p_.sweeps) {
      visit(sweep.before);
      visit(sweep.body);
      visit(sweep.after_section);
    }
    visit(p_.epilogue);
    visit(p_.after);
    if (maps_)
      for (Place& place : places_) place.crosses = false;
    // What is stored as it was loaded is copied at once, and not read later.
    for (Value v : loaded)
      if (!place(v).stores && !place(v).crosses) last_read_ = std::max(last_read_, place(v).last);
  }

  void sweep(size_t number) {
    const Sweep& w = p_.sweeps[number];
    BlockSweep& to = out_.sweeps[number];
    list(w.before, to.before);
    list(w.body, to.body);
    to.section_totals.assign(w.section_totals.begin(), w.section_totals.end());
    for (int a : w.section_totals) define_total(a);
    list(w.after_section, to.after_section);
    to.totals.assign(w.accumulators.begin(), w.accumulators.end());
    for (int a : w.accumulators) define_total(a);
    to.folded = to.totals;
    to.folded.insert(to.folded.end(), to.section_totals.begin(), to.section_totals.end());
    if (!maps_) sums(w, entry_->sweeps[number], to);
  }

  // Where the kernel's sums begin and end.
  void sums(const Sweep& w, const emit::cpu::SweepLayout& layout, BlockSweep& to) {
    to.rows_axis = columns_ && adds_floats(w) ? layout.rows_axis : -1;
    if (!layout.body.span) return;
    const emit::cpu::SpanLayout& span = *layout.body.span;
    to.folds = span.folds || span.scans;
    to.group = span.is_heavy && d_.masked() ? 1 : static_cast<int32_t>(tuning::kNarrowTerms);
    if (d_.masked() || (!to.folds && to.rows_axis < 0)) return;
    for (auto& [value, where] : tests_) {
      const Value v = value;
      if (std::ranges::any_of(
              w.body, [&](const Stmt& s) { return defines(s) == v || std::ranges::count(uses(s), v) > 0; }))
        to.cuts.push_back(where);
    }
    if (span.aligns_positions) to.aligned = BlockSweep::kPositions;
    if (span.aligned) to.aligned = add_access(span.aligned->at, span.aligned->buffer, {});
  }
  // What is exact is the same in any order.
  bool adds_floats(const Sweep& w) const {
    return std::ranges::any_of(w.accumulators, [&](int a) {
      const Accumulator& acc = p_.accumulators[static_cast<size_t>(a)];
      return adds_up(acc) && (is_float(acc.dtype) || is_complex(acc.dtype));
    });
  }

  void list(const std::vector<Stmt>& stmts, BlockList& to) {
    list_ = &to;
    stores_.clear();
    for (const Stmt& s : stmts) {
      std::visit([&](auto& stmt) { write(stmt); }, s);
      release(s);
      ++at_;
    }
    // When all of a block is read: what is written may lie where something was read.
    for (BlockInstruction& i : stores_) to.each.push_back(i);
  }

  // ---- places

  bool same(const std::vector<Value>& values) {
    return std::ranges::all_of(values, [&](Value v) { return place(v).same; });
  }
  int32_t add_slot(BlockSlot::Kind kind, size_t bytes) {
    out_.slots.push_back({kind, static_cast<uint8_t>(bytes)});
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
      if (p.last != at_ || p.same || out_.slots[static_cast<size_t>(p.slot)].kind != BlockSlot::Kind::Block)
        continue;
      if (is_total(v)) continue;
      free_.push_back(p.slot);
      p.last = -1;
    }
  }
  bool is_total(Value v) const {
    return std::ranges::any_of(p_.accumulators, [&](auto& acc) { return acc.out == v; });
  }
  int32_t define(Value v, bool same_everywhere) {
    Place& p = place(v);
    const size_t bytes = size_of(dtype(v));
    p.same = same_everywhere;
    if (same_everywhere) return p.slot = add_slot(BlockSlot::Kind::Same, bytes);
    if (!p.crosses) return p.slot = take_block(bytes);
    p.slot = add_slot(BlockSlot::Kind::Kept, bytes);
    out_.slots[static_cast<size_t>(p.slot)].rows = p_.values[static_cast<size_t>(v)].row;
    out_.kept.push_back(p.slot);
    return p.slot;
  }
  // Of a loop, whose value may be written where it is to lie, when nothing is read after it: what is written
  // may lie where something was read.
  int32_t define_by_loop(Value v, bool same_everywhere) {
    Place& p = place(v);
    if (same_everywhere || p.stores != 1 || p.crosses || at_ < last_read_) return define(v, same_everywhere);
    p.slot = add_slot(BlockSlot::Kind::Memory, size_of(dtype(v)));
    p.direct = true;
    return p.slot;
  }
  void need(int32_t& slot, size_t bytes) {
    if (slot < 0) slot = add_slot(BlockSlot::Kind::Block, bytes);
  }

  // ---- accesses

  // Whether a block has one position on the axis.
  bool fixed(int axis) const { return !maps_ && axis != s_.lane_axis; }

  int32_t add_access(const Index& at, int buffer, const std::vector<Value>& guards) {
    BlockAccess a;
    a.buffer = buffer;
    a.bytes = static_cast<uint8_t>(buffer < 0 ? 8 : size_of(p_.buffers[static_cast<size_t>(buffer)].dtype));
    a.offset = at.offset.value;
    a.axes_begin = static_cast<int32_t>(out_.terms.size());
    for (auto& t : at.axes)
      if (fixed(t.axis) && t.by.value != 0) out_.terms.push_back({t.axis, t.by.value});
    a.axes_end = a.same_begin = static_cast<int32_t>(out_.terms.size());
    for (auto& t : at.values)
      if (place(t.value).same) out_.terms.push_back({place(t.value).slot, t.by.value});
    a.same_end = a.values_begin = static_cast<int32_t>(out_.terms.size());
    for (auto& t : at.values)
      if (!place(t.value).same) out_.terms.push_back({place(t.value).slot, t.by.value});
    a.values_end = static_cast<int32_t>(out_.terms.size());
    a.strides_begin = static_cast<int32_t>(out_.strides.size());
    if (maps_)
      add_strides(at, a.strides_begin);
    else if (const int64_t by = stride_along(at, s_.lane_axis))
      out_.strides.push_back({p_.extent(s_.lane_axis).value, by});
    a.strides_end = static_cast<int32_t>(out_.strides.size());
    a.guards_begin = static_cast<int32_t>(out_.guards.size());
    for (Value g : guards) out_.guards.push_back(place(g).slot);
    a.guards_end = static_cast<int32_t>(out_.guards.size());
    if (a.values_begin != a.values_end) need(out_.numbers, 8);
    if (std::ranges::count_if(guards, [&](Value g) { return !place(g).same; }) > 1) need(out_.mask, 1);
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
  // Whether it is the same for all elements of a block.
  bool same(const BlockAccess& a) const {
    return a.values_begin == a.values_end &&
           std::all_of(out_.strides.begin() + a.strides_begin, out_.strides.begin() + a.strides_end,
                       [](auto& s) { return s.by == 0; });
  }
  bool contiguous(const BlockAccess& a) const {
    return a.values_begin == a.values_end && a.guards_begin == a.guards_end &&
           a.strides_end - a.strides_begin == 1 && out_.strides[static_cast<size_t>(a.strides_begin)].by == 1;
  }

  // ---- statements

  // What is the same everywhere runs once, where a block walks over all axes.
  std::vector<BlockInstruction>& list_of(bool same_everywhere) {
    return !same_everywhere ? list_->each : maps_ ? out_.once : list_->same;
  }
  BlockInstruction& add(Kind kind, bool same_everywhere) {
    auto& to = list_of(same_everywhere);
    to.push_back({kind});
    return to.back();
  }

  void write(const Let& s) {
    const bool one = same(s.args);
    const DType to = dtype(s.out), from = dtype(s.args[s.op == Op::select ? 1 : 0]);
    BlockInstruction i{Kind::Loop};
    i.arity = static_cast<uint8_t>(s.args.size());
    i.loop = static_cast<uint16_t>(s.op == Op::cast      ? loop_of_cast(from, to)
                                   : s.op == Op::bitcast ? loop_of_bitcast(from, to)
                                                         : loop_of(s.op, from));
    for (size_t k = 0; k < s.args.size(); ++k) i.in[k] = place(s.args[k]).slot;
    i.out = define_by_loop(s.out, one);
    list_of(one).push_back(i);
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
    const bool one = same(access(a));
    const int32_t slot = define(s.out, one);
    BlockInstruction& i = add(Kind::Position, one);
    i.out = slot, i.access = a;
  }

  void write(const Divide& s) {
    const bool one = place(s.of).same;
    BlockProgram::Constant divisor{add_slot(BlockSlot::Kind::Same, 8), DType::I64};
    divisor.words[0] = static_cast<uint64_t>(s.divisor.value);
    out_.constants.push_back(divisor);
    const int32_t of = place(s.of).slot, slot = define(s.out, one);
    BlockInstruction& i = add(Kind::Loop, one);
    i.arity = 2;
    i.loop = static_cast<uint16_t>(loop_of(s.remainder ? Op::remainder : Op::floor_divide, DType::I64));
    i.in[0] = of, i.in[1] = divisor.slot;
    i.out = slot;
  }

  void write(const Clamp& s) {
    const bool one = place(s.index).same;
    const int32_t of = place(s.index).slot, slot = define(s.out, one);
    BlockInstruction& i = add(Kind::Clamp, one);
    i.in[0] = of, i.out = slot, i.number = s.extent.value;
  }

  void write(const Test& s) {
    const int32_t a = add_access(s.at, -1, {});
    const bool one = same(access(a));
    const int32_t slot = define(s.out, one);
    BlockInstruction& i = add(Kind::Test, one);
    i.out = slot, i.access = a, i.number = s.extent.value;
    if (!maps_ && emit::cpu::is_stretch(l_->lanes, s.out)) tests_.push_back({s.out, {a, s.extent.value}});
  }

  void write(const Load& s) {
    const int32_t a = add_access(s.at, s.buffer, s.guards);
    if (contiguous(access(a)) && !place(s.out).stores && !place(s.out).crosses) {
      const int32_t slot = add_slot(BlockSlot::Kind::Memory, access(a).bytes);
      place(s.out).slot = slot;
      BlockInstruction& i = add(Kind::Load, false);
      i.out = slot, i.access = a;
      return;
    }
    const bool one = same(access(a)) && same(s.guards);
    const int32_t slot = define(s.out, one);
    BlockInstruction& i = add(Kind::Load, one);
    i.out = slot, i.access = a;
  }

  void write(const Store& s) {
    BlockInstruction i{Kind::Store};
    i.in[0] = place(s.value).slot;
    i.access = add_access(s.at, s.buffer, {});
    if (place(s.value).direct) {
      if (contiguous(access(i.access))) return list_->written.push_back(i);
      out_.slots[static_cast<size_t>(i.in[0])].kind = BlockSlot::Kind::Block;
    }
    // One element for a whole block.
    if (!maps_ && same(access(i.access)) && place(s.value).same) return list_->same.push_back(i);
    stores_.push_back(i);
  }

  void write(const Fold& s) {
    BlockInstruction i{Kind::Fold};
    i.out = s.accumulator;
    i.in[0] = place(s.value).slot;
    i.arity = 1;
    if (const Value other = s.factor >= 0 ? s.factor : s.position; other >= 0)
      i.in[1] = place(other).slot, i.arity = 2;
    list_->each.push_back(i);
    BlockTotal& t = out_.totals[static_cast<size_t>(s.accumulator)];
    if (columns_) need(t.wide, size_of(t.total));
  }
  void write(const Scan& s) {
    BlockTotal& t = out_.totals[static_cast<size_t>(s.accumulator)];
    const DType to = dtype(s.out);
    if (t.total != to) t.finish = loop_of_cast(t.total, to);
    BlockInstruction i{Kind::Scan};
    i.number = s.accumulator;
    i.in[0] = place(s.value).slot, i.arity = 1;
    need(t.wide, size_of(t.total));
    if (t.value != t.span && !columns_) t.narrow_values = add_slot(BlockSlot::Kind::Block, size_of(t.span));
    i.out = define(s.out, false);
    list_->each.push_back(i);
  }
  void write(const Largest&) { throw InternalError("blocks: sums are rescaled on CUDA only"); }

  // ---- totals

  static void put(uint64_t (&words)[2], const Accumulator& acc, DType t) {
    emit::identity_of(acc, t).store(words);
  }

  void declare_totals() {
    for (const Accumulator& acc : p_.accumulators) {
      const emit::cpu::TotalLayout& layout = l_->totals[out_.totals.size()];
      BlockTotal t;
      t.value = acc.dtype, t.span = layout.span, t.total = layout.total, t.kept = layout.row;
      const bool counts = adds_up(acc) && (is_float(acc.dtype) || is_complex(acc.dtype));
      // Of rows that are scanned in parts, the first launch totals these.
      const bool running = acc.is_running() && !entry_->totals_scans;
      t.how = acc.is_over_points() ? How::Across
              : columns_           ? How::Columns
              : running            ? How::Running
              : counts             ? How::Lanes
                                   : How::Any;
      t.product = acc.op == Op::prod;
      t.finds = ir::gives_index(acc.op);
      using Join = BlockTotal::Join;
      t.join_by = acc.op == Op::sum    ? Join::Sum
                  : acc.op == Op::prod ? Join::Product
                  : acc.op == Op::max  ? Join::Most
                                       : Join::Least;
      if (t.how == How::Lanes)
        t.widens = layout.widens, t.narrow = layout.few_vectors, t.lanewise = !layout.is_number;
      t.fold = static_cast<uint16_t>(loop_of(acc.op, acc.dtype));
      t.fold_product = static_cast<uint16_t>(loop_of(Op::fma, acc.dtype));
      t.fold_total = static_cast<uint16_t>(loop_of(acc.op, t.total));
      t.fold_total_product = static_cast<uint16_t>(loop_of(Op::fma, t.total));
      if (t.span != t.total) t.widen = loop_of_cast(t.span, t.total);
      if (t.value != t.total) t.spread = loop_of_cast(t.value, t.total);
      if (t.how == How::Running) t.spread = t.value == t.span ? -1 : loop_of_cast(t.value, t.span);
      put(t.none_of_value, acc, acc.dtype);
      put(t.none_of_span, acc, t.span);
      put(t.none_of_total, acc, t.total);
      out_.totals.push_back(t);
    }
  }

  // The result, once its sweep is over.
  void define_total(int a) {
    const Accumulator& acc = p_.accumulators[static_cast<size_t>(a)];
    if (acc.is_running()) return;
    BlockTotal& t = out_.totals[static_cast<size_t>(a)];
    Place& p = place(acc.out);
    const DType to = dtype(acc.out);
    const bool each = t.how == How::Columns || t.how == How::Across;
    p.same = !each;
    p.slot = t.out = add_slot(each ? BlockSlot::Kind::Kept : BlockSlot::Kind::Same, size_of(to));
    if (each) out_.kept.push_back(t.out);
    const DType from = t.finds ? DType::I64 : each ? t.total : t.how == How::Any ? t.span : t.kept;
    if (from != to) t.finish = loop_of_cast(from, to);
    if (each) need(t.wide, size_of(t.total));
  }

  // ---- sizes

  void finish_map() {
    out_.shape = BlockProgram::Shape::Maps;
    out_.elements = p_.outer_count();
    choose_block(out_.elements, 1);
    const int64_t task = std::max(kFewestOfTask, d_.chunk * d_.points);
    out_.task = (task + out_.block - 1) / out_.block * out_.block;
    out_.tasks = (out_.elements + out_.task - 1) / out_.task;
  }

  int64_t word(emit::cpu::Word w) const { return l_->words[static_cast<size_t>(w)]; }

  void finish_rows() {
    using Shape = BlockProgram::Shape;
    out_.shape = columns_ ? Shape::Columns : Shape::Rows;
    BlockWalk& w = out_.walk;
    const int outer = l_->outer_axes, axes = outer + static_cast<int>(p_.row.size());
    for (int a = 0; a < axes; ++a) w.extents.push_back(p_.extent(a).value);
    w.outer = outer, w.lane_axis = s_.lane_axis, w.lanes = s_.lanes, w.masked = d_.masked();
    w.points = word(l_->tasks.all_points), w.rows_per_task = word(l_->tasks.points);
    w.section_axes = p_.section_axes;
    w.call_vectors = tuning::kFoldedVectors, w.group_rows = tuning::kRowsOfSpan;
    const int64_t lane = l_->lanes.extent;
    if (columns_) {
      w.chunk = word(entry_->chunk);
      w.finish_chunk = l_->finish ? word(l_->finish->chunk) : w.chunk;
    }
    choose_block(columns_ ? std::min(w.chunk, lane) : lane, s_.lanes);
    // Values between lists: of a block in Columns, else of a row.
    w.kept_width = round_up(columns_ ? out_.block : lane, kMostKernelLanes);
    out_.tasks = l_->launch.tasks, out_.finish_tasks = l_->launch.finish_tasks;
    if (l_->has_partials()) finish_parts();
  }

  // What tasks leave for the second launch lies where the kernel has it.
  void finish_parts() {
    BlockWalk& w = out_.walk;
    w.partials = static_cast<int32_t>(p_.buffers.size());
    out_.partial_bytes = l_->partials.bytes;
    w.split = d_.parts;
    if (d_.parts > 1) w.part_length = word(l_->tasks.part_length), w.scans = l_->scans;
    if (!l_->across.accumulators.empty()) {
      w.across_elements = word(l_->across.elements), w.across_parts = word(l_->across.parts);
      w.across_line = l_->line();
      w.finish_chunk = word(l_->finish->chunk);
    }
    for (size_t a = 0; a < out_.totals.size(); ++a) {
      BlockTotal& t = out_.totals[a];
      if (d_.parts == 1 && t.how != How::Across) continue;
      const emit::cpu::PartialLayout::Place& place = l_->partials.places[a];
      t.partials = word(place.values);
      if (t.finds) t.partial_positions = word(place.positions);
    }
  }

  // As many elements as the first-level cache has room for, whole vectors of the kernel's.
  void choose_block(int64_t elements, int64_t lanes) {
    int64_t bytes = 0;
    for (BlockSlot& slot : out_.slots)
      if (slot.kind == BlockSlot::Kind::Block) bytes += slot.bytes;
    const int64_t unit = std::max(lanes, kMostKernelLanes);
    const int64_t most =
        std::clamp(kBlockBytes / std::max<int64_t>(bytes, 1) / unit * unit, kFewestOfBlock, kMostOfBlock);
    out_.block = std::min(most, (std::max<int64_t>(elements, 1) + unit - 1) / unit * unit);
  }

  void lay_out() {
    int64_t at = 0;
    const auto take = [&](int64_t elements, size_t bytes) {
      const int64_t first = at;
      at += (elements * static_cast<int64_t>(bytes) + 63) / 64 * 64;
      return static_cast<int32_t>(first);
    };
    int64_t lines = 1;
    for (size_t k = 0; k < p_.row.size(); ++k)
      if (static_cast<int>(p_.outer.size() + k) != s_.lane_axis) lines *= p_.row[k].value;
    for (BlockSlot& slot : out_.slots) {
      using enum BlockSlot::Kind;
      slot.offset = take(slot.kind == Block  ? out_.block
                         : slot.kind == Kept ? out_.walk.kept_width * (slot.rows ? lines : 1)
                         : slot.kind == Same ? kMostBlockLanes
                                             : kMostKernelLanes,
                         slot.bytes);
    }
    for (BlockTotal& t : out_.totals) {
      const int64_t elements = columns_ || t.how == How::Across ? out_.block : kMostKernelLanes;
      t.lanes = take(elements, size_of(t.span));
      t.wider = take(elements, size_of(t.total));
      t.sums = take(elements, size_of(t.total));
      t.positions = take(elements, 8);
    }
    out_.memory_bytes = at;
    for (const BlockAccess& a : out_.accesses)
      out_.most_strides = std::max(out_.most_strides, static_cast<size_t>(a.strides_end - a.strides_begin));
  }

  const RowProgram& p_;
  const CpuSchedule& s_;
  const CpuLayout* const l_;
  const EntryLayout* const entry_;
  const TaskDivision d_;
  const bool maps_, columns_;
  BlockProgram out_;
  BlockList* list_ = nullptr;
  std::vector<Place> places_;
  std::vector<int32_t> free_;
  std::vector<BlockInstruction> stores_;
  std::vector<std::pair<Value, BlockCut>> tests_;  // those that hold for one stretch of the lanes
  int at_ = 0;                                     // the statement at hand
  int last_read_ = -1;                             // the last that reads what was loaded
};

// Of rows that are scanned in parts, what totals these first.
RowProgram totalling(const RowProgram& p) {
  RowProgram out = p;
  out.epilogue.clear();
  for (Sweep& sweep : out.sweeps) {
    sweep.body = scanned_only(sweep.body);
    for (Stmt& s : sweep.body)
      if (const auto* scan = std::get_if<Scan>(&s)) s = Fold{scan->accumulator, scan->value};
  }
  return out;
}

}  // namespace

BlockProgram prepare(const RowProgram& p, const CpuSchedule& s, const CpuLayout& layout) {
  if (is_map_in_order(p)) {
    const RowProgram map = map_in_order(p);
    BlockProgram out = Lower(map, s, nullptr, nullptr).run();
    out.task = out.elements, out.tasks = 1;
    return out;
  }
  const bool in_parts = layout.scans && layout.division.parts > 1;
  BlockProgram out = Lower(p, s, &layout, in_parts ? &*layout.finish : &layout.main).run();
  if (!in_parts) return out;
  const RowProgram totalled = totalling(p);
  out.parts = std::make_shared<const BlockProgram>(Lower(totalled, s, &layout, &layout.main).run());
  return out;
}

BlockProgram prepare(const RowProgram& p, const CpuSchedule& s) {
  if (p.row.empty()) return Lower(p, s, nullptr, nullptr).run();
  return prepare(p, s, emit::cpu::lay_out(p, s));
}

}  // namespace weft::blocks
