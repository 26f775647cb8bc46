// Blocks of statements: which of them are the same in every lane, and how the others reach memory.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "compiler/emit/cpu/lay_out_parts.h"
#include "compiler/machine/tuning.h"
#include "compiler/plan/facts/cpu_access.h"

namespace weft::emit::cpu {

using namespace plan;
using namespace tuning;

namespace {

bool same_but_for_offset(const Index& a, const Index& b) {
  const auto same_axis = [](const AxisTerm& x, const AxisTerm& y) {
    return x.axis == y.axis && x.by == y.by;
  };
  const auto same_value = [](const ValueTerm& x, const ValueTerm& y) {
    return x.value == y.value && x.by == y.by;
  };
  return std::ranges::equal(a.axes, b.axes, same_axis) && std::ranges::equal(a.values, b.values, same_value);
}

// Whose elements Clang has plain vectors of, in registers as in memory.
bool deals(DType t) { return !is_complex(t) && (size_of(t) == 4 || size_of(t) == 8); }

bool is_run(const LaneLayout& lanes, const Run& run, const Index& at) {
  const Num* by = along_lanes(lanes, at);
  return lanes.masked && run.length > 1 && by && by->value == run.length;
}

// Across columns, a span may fold several rows before it touches the accumulators in memory: where the last
// row axis moves nothing but plain loads. That axis, or -1.
int axis_of_many_rows(const RowProgram& p, const CpuLayout& l, const Sweep& w) {
  if (!l.columns() || l.lanes.masked || p.ordered || p.row.empty()) return -1;
  const int axis = l.outer_axes + static_cast<int>(p.row.size()) - 1;
  const auto crosses = [&](Value v) { return l.scratch.arrays.contains(v); };
  for (auto& s : w.body) {
    if (std::holds_alternative<Store>(s) || std::holds_alternative<Scan>(s)) return -1;
    if (crosses(defines(s)) || std::ranges::any_of(uses(s), crosses)) return -1;
    if (auto* f = std::get_if<Fold>(&s)) {
      if (ir::gives_index(p.accumulators[f->accumulator].op)) return -1;
      continue;
    }
    const Index* at = index_of(s);
    const bool moves = at && std::ranges::any_of(at->axes, [&](const AxisTerm& t) {
                         return t.axis == axis && t.by.value != 0;
                       });
    auto* load = std::get_if<Load>(&s);
    if (moves && (!load || !varies(l.lanes, s) || is_each(l.lanes, *load))) return -1;
    if (load && std::ranges::any_of(load->guards, [&](Value g) { return p.values[g].row; })) return -1;
  }
  return axis;
}

// Elements of one buffer that every lane has at the same distances, and that no guard leaves out.
struct Candidates {
  bool written;
  int buffer;
  std::vector<SpanStmt*> members;
  static const Index& at(const SpanStmt* s) { return *index_of(*s->stmt); }
};

}  // namespace

BlockLayout EntryBuilder::block(const std::vector<Stmt>& stmts, int rows_axis) {
  BlockLayout out;
  std::vector<const Stmt*> varying;
  for (auto& s : stmts) (varies(l_.lanes, s) ? varying : out.uniform).push_back(&s);
  if (!varying.empty()) out.span = span(varying, rows_axis);
  return out;
}

SweepLayout EntryBuilder::sweep(const Sweep& sweep, const std::vector<Stmt>& body) {
  SweepLayout out;
  out.sweep = &sweep;
  out.rows_axis = axis_of_many_rows(p_, l_, sweep);
  out.before = block(sweep.before);
  out.body = block(body, out.rows_axis);
  out.after_section = block(sweep.after_section);
  return out;
}

SpanLayout EntryBuilder::span(const std::vector<const Stmt*>& stmts, int rows_axis) {
  SpanLayout span;
  span.rows_axis = rows_axis;
  for (auto* s : stmts) {
    span.stmts.push_back({s});
    const Value v = defines(*s);
    if (v < 0) continue;
    span.own.insert(v);
    auto* test = l_.lanes.definitions[v] ? std::get_if<Test>(l_.lanes.definitions[v]) : nullptr;
    if (l_.lanes.masked && test && l_.lanes.varies[v] && !values_vary(l_.lanes, test->at))
      span.bounded.insert(v);
  }
  const bool rows = l_.division.order == Order::Rows;
  for (auto* s : stmts) {
    auto* let = std::get_if<Let>(s);
    span.walks_series |= let && !let->series.empty();
    auto* fold = std::get_if<Fold>(s);
    span.folds |= rows && fold && !p_.accumulators[fold->accumulator].is_over_points();
    if (rows && std::holds_alternative<Scan>(*s)) (entry_.totals_scans ? span.folds : span.scans) = true;
  }
  find_families(span);
  find_ways(span);
  find_ends(span);
  return span;
}

// Reading sooner and writing later than the program does changes nothing: what is read is what was there
// before.
void EntryBuilder::find_families(SpanLayout& span) {
  if (l_.lanes.masked || span.rows_axis >= 0 || p_.ordered) return;
  std::vector<Candidates> all;
  for (auto& s : span.stmts) {
    auto* load = std::get_if<Load>(s.stmt);
    auto* store = std::get_if<Store>(s.stmt);
    if (!load && !store) continue;
    const Index& at = *index_of(*s.stmt);
    const int buffer = load ? load->buffer : store->buffer;
    const Num* by = along_lanes(l_.lanes, at);
    if (!by || std::abs(by->value) < 2 || values_vary(l_.lanes, at) || !deals(p_.buffers[buffer].dtype))
      continue;
    if (load && (!load->guards.empty() || is_tiled(l_, *load))) continue;
    auto of = std::ranges::find_if(all, [&](const Candidates& c) {
      return c.written == (store != nullptr) && c.buffer == buffer &&
             same_but_for_offset(Candidates::at(c.members[0]), at);
    });
    if (of == all.end()) of = all.insert(of, {store != nullptr, buffer, {}});
    of->members.push_back(&s);
  }
  for (auto& [written, buffer, members] : all) {
    const auto offset = [](const SpanStmt* s) { return Candidates::at(s).offset.value; };
    std::ranges::stable_sort(members, {}, offset);
    // Lanes must not write to the same elements.
    const int64_t apart = std::abs(along_lanes(l_.lanes, Candidates::at(members[0]))->value);
    const auto most = static_cast<size_t>(
        std::min<int64_t>({kMostNeighbours, l_.lanes.count, written ? apart : kMostNeighbours}));
    for (size_t k = 0, next = 0; k < members.size(); k = next) {
      for (next = k + 1; next < members.size() && next - k < most &&
                         offset(members[next]) == offset(members[next - 1]) + 1;)
        ++next;
      next = k + std::bit_floor(next - k);
      if (next - k == 1) continue;
      for (size_t n = k; n < next; ++n)
        members[n]->way = Way::Neighbours, members[n]->family = span.families.size(), members[n]->nth = n - k;
      span.families.push_back({&Candidates::at(members[k]), next - k});
    }
  }
}

Way EntryBuilder::way_of(const SpanLayout& span, const Load& load) const {
  const LaneLayout& lanes = l_.lanes;
  if (is_each(lanes, load)) return Way::Each;
  if (is_run(lanes, load.run, load.at)) return Way::Run;
  if (is_tiled(l_, load)) return Way::Tile;
  const bool bounded =
      std::ranges::all_of(load.guards, [&](Value g) { return !lanes.varies[g] || span.bounded.contains(g); });
  if (!lanes.masked || !bounded) return Way::Vector;
  if (!along_lanes(lanes, load.at)) return Way::One;
  return l_.scratch.windows.contains(load.out) ? Way::Window : Way::Vector;
}

Way EntryBuilder::way_of(const SpanLayout& span, const Stmt& stmt) const {
  if (auto* load = std::get_if<Load>(&stmt)) return way_of(span, *load);
  if (auto* store = std::get_if<Store>(&stmt)) {
    if (is_run(l_.lanes, store->run, store->at)) return Way::Run;
    return values_vary(l_.lanes, store->at) ? Way::Each : Way::Vector;
  }
  auto* test = std::get_if<Test>(&stmt);
  if (!test) return Way::Vector;
  if (is_stretch(l_.lanes, test->out)) return Way::Stretch;
  return span.bounded.contains(test->out) ? Way::Bounds : Way::Each;
}

void EntryBuilder::find_ways(SpanLayout& span) {
  for (auto& s : span.stmts) {
    if (s.way != Way::Neighbours) s.way = way_of(span, *s.stmt);
    const Index* at = index_of(*s.stmt);
    const bool asks_position = std::holds_alternative<Position>(*s.stmt) || s.way == Way::Each;
    span.takes_positions |= at && asks_position && along_lanes(l_.lanes, *at);
    auto* load = std::get_if<Load>(s.stmt);
    if (!load) continue;
    ask_ahead(s, *load);
    find_bounds(s, *load);
  }
}

// The first load of its array to walk on through memory asks for what comes a page on.
void EntryBuilder::ask_ahead(SpanStmt& s, const Load& load) {
  if (l_.division.prefetched == 0 || (s.way != Way::Vector && s.way != Way::One && s.way != Way::Window))
    return;
  if (reads_ahead(p_, load, l_.lanes.axis, l_.division.prefetched))
    s.asks_ahead = asked_ahead_.insert(load.buffer).second;
}

// What masked loads may ask for.
void EntryBuilder::find_bounds(const SpanStmt& s, const Load& load) {
  if (s.way == Way::Window) {
    bound(load.buffer, true);
    bound(load.buffer, false);
  }
  if (l_.lanes.masked && s.way == Way::Vector && load.guards.empty() &&
      is_one(along_lanes(l_.lanes, load.at)))
    bound(load.buffer, true);
}

void EntryBuilder::bound(int buffer, bool is_end) {
  const std::string name = (is_end ? "past" : "first") + std::to_string(buffer);
  if (entry_.bounds.contains(name)) return;
  const BufferUse& b = p_.buffers[static_cast<size_t>(buffer)];
  entry_.bounds[name] = {buffer, is_end, add_word(l_, is_end ? b.past : b.first)};
}

// Where whole vectors begin and end, and how many of them there are.
void EntryBuilder::find_ends(SpanLayout& span) const {
  const bool rows = l_.division.order == Order::Rows;
  const int64_t extent = l_.lanes.extent, whole = extent / l_.lanes.count;
  float work = 0;
  bool writes_scratch = std::ranges::any_of(span.own, [&](Value v) { return l_.scratch.arrays.contains(v); });
  bool cut = false, guarded = false;
  std::vector<const Store*> contiguous;
  for (auto& s : span.stmts) {
    if (auto* let = std::get_if<Let>(s.stmt)) work += cost_of(*let);
    auto* fold = std::get_if<Fold>(s.stmt);
    writes_scratch |= fold && p_.accumulators[fold->accumulator].is_over_points();
    auto* store = std::get_if<Store>(s.stmt);
    if (store && s.way == Way::Vector && is_one(along_lanes(l_.lanes, store->at)))
      contiguous.push_back(store);
    cut |= s.way == Way::Stretch ||
           std::ranges::any_of(uses(*s.stmt), [&](Value v) { return is_stretch(l_.lanes, v); });
    auto* load = std::get_if<Load>(s.stmt);
    guarded |= load && s.way == Way::Vector &&
               std::ranges::any_of(load->guards, [&](Value g) { return !l_.lanes.varies[g]; });
  }
  span.is_heavy = work > kWorkOfMasks;
  if (l_.lanes.masked) {
    // What lies in scratch is written in whole vectors, from where it begins.
    if (l_.division.aligned() && !span.folds && !span.scans && !span.is_heavy && !writes_scratch &&
        !contiguous.empty())
      span.aligned = contiguous[0];
    const int64_t points = l_.lanes.outer ? p_.outer_count() / extent : p_.outer_count();
    span.counts_vectors =
        !span.aligned && !span.is_heavy && points > 1 && whole <= kCountedVectors &&
        static_cast<float>(whole) * work <= kCountedWork &&
        extent <= (rows ? kFinishedTogether : std::min(l_.division.chunk, kFinishedTogether));
    return;
  }
  if (l_.division.streaming() && contiguous.size() == 1) span.aligned = contiguous[0];
  span.aligns_positions = l_.division.streaming() && contiguous.size() > 1;
  span.calls_directly = rows && !cut && !guarded && !span.aligned && !span.aligns_positions &&
                        !span.takes_positions && extent <= kRowOfDirectCalls;
}

}  // namespace weft::emit::cpu
