// lay_out(): from a program and its schedule to the numbers and choices of a kernel, one part of the layout
// after the other.
#include <algorithm>
#include <cmath>

#include "compiler/base/error.h"
#include "compiler/base/integers.h"
#include "compiler/emit/cuda/check_schedule.h"
#include "compiler/emit/cuda/lay_out_memory.h"
#include "compiler/emit/cuda/layout.h"
#include "compiler/emit/cuda/plan_batch.h"
#include "compiler/machine/tuning.h"

namespace weft::emit {

using namespace plan;
using namespace tuning;

namespace {

// Values of which only what a sum with 1 keeps is wanted.
std::set<Value> terms_beside_one(const RowProgram& p) {
  std::set<Value> ones, terms, others;
  for_each_stmt(p, [&](const Stmt& s) {
    if (auto* c = std::get_if<Literal>(&s); c && c->value.dtype == DType::F32 && std::abs(c->value.re) == 1)
      ones.insert(c->out);
  });
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Let>(&s);
    const bool sum = l && (l->op == ir::Op::add || l->op == ir::Op::subtract);
    for (Value u : uses(s))
      (sum && (ones.contains(l->args[0]) || ones.contains(l->args[1])) ? terms : others).insert(u);
  });
  for (Value v : others) terms.erase(v);
  return terms;
}

CudaFacts facts_of(const RowProgram& p, bool contract) {
  CudaFacts f;
  f.contract = contract;
  f.wide = !fits_32_bits(p);
  f.outer_axes = static_cast<int>(p.outer.size());
  f.scans = p.scans();
  f.totals_across = p.reduces_points();
  f.ranges = value_ranges(p);
  f.defined_in.assign(p.values.size(), -1);
  for (size_t k = 0; k < p.sweeps.size(); ++k)
    for (auto& stmt : p.sweeps[k].body)
      if (Value v = defines(stmt); v >= 0) f.definitions[v] = &stmt, f.defined_in[v] = static_cast<int>(k);
  for (Value v : crossing_values(p)) f.crossing.insert(v);
  f.beside_one = terms_beside_one(p);
  return f;
}

// ---- vectors along the lane axis

int64_t lane_vectors(const RowProgram& p, const VectorLayout& v, int lanes) {
  return v.axis < 0 ? 1 : plan::vectors_of(p.extent(v.axis).value, lanes, v.shifted);
}

int64_t row_vectors(const RowProgram& p, const VectorLayout& v, int lanes) {
  return p.row_count() / std::max<int64_t>(p.extent(v.axis).value, 1) * lane_vectors(p, v, lanes);
}

// The elements that a thread takes together of a column, as vectors.
int neighbours_of(const CudaSchedule& s) {
  const auto* pairs = std::get_if<cuda::Pairs>(&s.shape);
  return pairs ? pairs->neighbours : 1;
}

// Whether every step of every thread has something of the row.
bool is_exact(const RowProgram& p, const CudaSchedule& s, const RowDivision& d, const VectorLayout& v) {
  const int64_t room = int64_t{d.vectors} * d.threads * d.blocks;
  const bool shared = d.residence == Residence::Shared;
  if (d.order == Order::Rows && (v.whole_row || shared)) {
    const int64_t vectors = row_vectors(p, v, s.lanes);
    if (v.whole_row && room < vectors)
      throw InternalError("emit cuda: the row is longer than its threads' registers");
    return !d.shifted && vectors > 0 && (v.whole_row ? room == vectors : vectors % (room * d.parts) == 0);
  }
  if (d.order != Order::Columns) return false;
  if (v.whole_row && room < p.row_count())
    throw InternalError("emit cuda: a column is longer than its threads' registers");
  if (neighbours_of(s) > 1) return true;
  return v.whole_row ? room == p.row_count() : shared && p.row_count() % room == 0;
}

void find_sure_vectors(const RowProgram& p, const CudaSchedule& s, const RowDivision& d, VectorLayout& v) {
  const int64_t at_once = int64_t{d.threads} * d.blocks;
  const int64_t vectors = row_vectors(p, v, s.lanes);
  if (vectors > at_once * d.vectors || (v.ragged && p.row.size() > 1)) return;
  // The last vector of a shifted row has something of it for some rows only, and the one before may have but
  // a part.
  const int64_t unsure = d.shifted ? 2 : v.ragged ? 1 : 0;
  v.sure = static_cast<int>(std::max<int64_t>(vectors - unsure, 0) / at_once);
  // Where instructions take long, all threads of a warp often have none left to compute. Others are faster
  // when nobody asks.
  const bool slow = std::ranges::any_of(p.values, [](auto& value) { return value.dtype == DType::F64; });
  v.skips_last = slow && v.sure > 0 && v.sure < d.vectors && !v.exact;
}

bool divides_at_once(const cuda::Shape& shape) {
  if (auto* maps = std::get_if<cuda::Maps>(&shape)) return maps->divides_at_once;
  auto* stencils = std::get_if<cuda::Stencils>(&shape);
  return stencils && stencils->divides_at_once;
}

bool copies_vectors(const cuda::Shape& shape) {
  auto* columns = std::get_if<cuda::SharedColumns>(&shape);
  return columns && columns->copy == cuda::SharedColumns::Copy::Vectors;
}

VectorLayout vectors_of(const RowProgram& p, const CudaSchedule& s, const RowDivision& d) {
  VectorLayout v;
  v.axis = p.outer.empty() && p.row.empty() ? -1 : s.lane_axis;
  v.varies = v.axis < 0 ? std::vector<bool>(p.values.size(), false) : varies_along(p, v.axis);
  v.shifted = d.shifted;
  v.reference = d.shifted || copies_vectors(s.shape) ? alignment_reference(p, v.axis) : nullptr;
  v.ragged = v.axis >= 0 && (d.shifted || p.extent(v.axis).value % s.lanes != 0);
  v.whole_row = d.residence == Residence::Registers;
  v.exact = is_exact(p, s, d, v);
  v.all_at_once = divides_at_once(s.shape);
  if (d.order == Order::Rows && d.residence != Residence::Shared && d.parts == 1 && !p.scans())
    find_sure_vectors(p, s, d, v);
  // Few vectors hold anything but the row, and each has so many elements that to ask for all of them takes
  // longer than the memory does: with 8 and fewer the branch costs more.
  v.asks_once = d.shifted && !v.whole_row && v.sure == 0 && !p.row.empty() &&
                lane_vectors(p, v, s.lanes) >= kLongShiftedRow && s.lanes >= kManyShiftedLanes;
  return v;
}

// ---- parts, clusters and shapes

// Steps of the row that its threads take.
int64_t row_steps(const RowProgram& p, const VectorLayout& v, int lanes) {
  int64_t steps = 1;
  for (int a : axis_order(p, v.axis, false))
    steps *= a == v.axis ? lane_vectors(p, v, lanes) : p.extent(a).value;
  return steps;
}

// Vectors of all outer points.
int64_t outer_vectors(const RowProgram& p, const VectorLayout& v, int lanes) {
  int64_t vectors = 1;
  for (int a : axis_order(p, v.axis, true))
    vectors *= a == v.axis ? lane_vectors(p, v, lanes) : p.extent(a).value;
  return vectors;
}

PartLayout parts_of(const RowProgram& p, const CudaSchedule& s, const RowDivision& d, const CudaLayout& l) {
  const int64_t steps = row_steps(p, l.vectors, s.lanes);
  PartLayout parts;
  parts.count = d.parts;
  parts.look_back = std::holds_alternative<cuda::LookBackRows>(s.shape);
  parts.vectors = ceil_divide(steps, std::max<int64_t>(d.parts, d.blocks));
  // A part has something to begin with.
  if (parts.look_back) parts.count = std::max<int64_t>(ceil_divide(steps, parts.vectors), 1);
  const int64_t together = neighbours_of(s);
  if (auto* c = l.columns(); c && c->has_shares)
    parts.count = c->strips.parts;
  else if (parts.count > 1)
    parts.length = ceil_divide(parts.vectors, together) * together;
  else if (d.blocks > 1 && d.residence != Residence::Registers)
    parts.length = parts.vectors;
  if (l.facts.totals_across) parts.vectors = steps;
  parts.has_partials =
      (parts.count > 1 && (d.order == Order::Columns || parts.look_back)) || l.facts.totals_across;
  return parts;
}

// What a schedule of each shape is to those who write its text.
struct ShapeOf {
  const RowProgram& p;
  const CudaSchedule& s;
  const RowDivision& d;
  const CudaLayout& l;

  // Shapes of which all is said by how they divide a row.
  template <class Plain>
  CudaShape operator()(const Plain&) const {
    if (d.order == Order::Columns) return columns();
    if (d.order == Order::Rows) return RowsShape();
    return PointsShape{outer_vectors(p, l.vectors, s.lanes)};
  }
  CudaShape operator()(const cuda::Stencils& n) const {
    return StackedShape{axis_order(p, l.vectors.axis, true)[1], n.across,
                        int64_t{s.threads} / n.across * n.rows};
  }
  CudaShape operator()(const cuda::Tiles& t) const { return TransposedShape{t.axis, t.side}; }

  CudaShape operator()(const cuda::SharedRows& r) const { return RowsShape{.is_ahead = r.copied_ahead}; }
  CudaShape operator()(const cuda::LookBackRows& r) const { return RowsShape{.is_ahead = r.in_shared}; }
  CudaShape operator()(const cuda::BundledRows&) const { return bundled({}); }
  CudaShape operator()(const cuda::Totals& t) const {
    const RowsShape rows{.walk = t.rows_in_turn, .is_ahead = t.copied_ahead};
    return std::holds_alternative<cuda::Totals::Bundled>(t.owner) ? bundled(rows) : rows;
  }
  CudaShape operator()(const cuda::Sections&) const {
    return RowsShape{.section_threads = static_cast<int>(int64_t{d.threads} * d.blocks / p.section_count())};
  }

  CudaShape operator()(const cuda::SharedColumns& strip) const {
    ColumnsShape c = columns();
    c.own -= strip.overlap;
    c.overlap = strip.overlap;
    c.copied = copies_vectors(s.shape) ? wide_copy_elements(p, l.vectors.axis) : 0;
    c.is_ahead = strip.copy != cuda::SharedColumns::Copy::None;
    return c;
  }
  CudaShape operator()(const cuda::TurnColumns& turns) const {
    ColumnsShape c = columns();
    c.strips_at_once = turns.strips_at_once;
    return c;
  }
  CudaShape operator()(const cuda::Pairs& pairs) const {
    ColumnsShape c = columns();
    c.is_ahead = pairs.loaded_ahead;
    const auto* shares = std::get_if<cuda::Pairs::Shares>(&pairs.strip);
    if (!shares) return c;
    c.has_shares = true;
    const int64_t columns =
        p.outer_count() / p.extent(l.vectors.axis).value * lane_vectors(p, l.vectors, s.lanes);
    c.strips =
        plan::cuda::share_out(ceil_divide(columns * s.lanes, c.strip_columns), shares->blocks,
                              ceil_divide(row_steps(p, l.vectors, s.lanes), int64_t{d.threads} * d.vectors));
    return c;
  }

  CudaShape bundled(RowsShape rows) const {
    rows.is_bundled = true;
    rows.last_to_read = last_to_read_bundles(p, l.vectors.axis);
    return rows;
  }
  ColumnsShape columns() const {
    ColumnsShape c;
    c.own = c.across = s.threads / d.threads;
    c.strip_columns = int64_t{c.across} * s.lanes;
    return c;
  }
};

// ---- accumulators

// Runs of up to 128 elements lose nothing that matters.
bool has_two_levels(const RowProgram& p, const CudaSchedule& s, const RowDivision& d, const CudaLayout& l) {
  if (p.row.empty()) return false;
  const VectorLayout& v = l.vectors;
  const bool is_columns = d.order == Order::Columns, stays = d.residence != Residence::Nowhere;
  int64_t steps = 0;
  if (is_columns)
    steps = p.row_count();
  else if (d.order == Order::Rows && stays)
    steps = row_vectors(p, v, s.lanes);
  const int64_t run = ceil_divide(steps, int64_t{d.threads} * d.blocks) * (is_columns ? 1 : s.lanes);
  return !stays || run > kRunElements || l.parts.look_back ||
         (v.whole_row && !is_columns && !l.facts.totals_across && l.facts.crossing.empty());
}

// The accumulators whose folds are joined, of each sweep and then of all sections: all but running ones, or
// those too where the parts of a row are totalled.
std::vector<std::vector<int>> joined_in(const RowProgram& p, bool totals_scans) {
  std::vector<std::vector<int>> joined;
  std::vector<int> of_sections;
  for (auto& sweep : p.sweeps) {
    auto& list = joined.emplace_back(sweep.accumulators);
    if (!totals_scans) std::erase_if(list, [&](int a) { return p.accumulators[a].is_running(); });
    of_sections.insert(of_sections.end(), sweep.section_totals.begin(), sweep.section_totals.end());
  }
  joined.push_back(of_sections);
  return joined;
}

int64_t bytes_of_state(const RowProgram& p, const CudaLayout& l, const std::vector<int>& accumulators) {
  size_t align = 4, bytes = 0;
  for (int a : accumulators) {
    const size_t size = size_of(l.totals[a].dtype);
    bytes += size;
    align = std::max(align, size);
    if (!ir::gives_index(p.accumulators[a].op)) continue;
    bytes += l.facts.wide ? 8 : 4;
    if (l.facts.wide) align = std::max<size_t>(align, 8);
  }
  return static_cast<int64_t>((bytes + align - 1) / align * align);
}

void lay_out_totals(const RowProgram& p, const CudaSchedule& s, const RowDivision& d, CudaLayout& l) {
  const bool two_levels = has_two_levels(p, s, d, l);
  for (auto& acc : p.accumulators)
    l.totals.push_back({two_levels ? total_dtype(acc) : span_dtype(acc), two_levels && adds_up(acc), 0});
  for (auto& accumulators : l.main.joined) {
    for (int a : accumulators) l.totals[a].sweep = l.states.size();
    l.states.push_back({accumulators, bytes_of_state(p, l, accumulators)});
  }
}

// ---- entries

BatchSize size_of_batch(const CudaSchedule& s) {
  const auto* pairs = std::get_if<cuda::Pairs>(&s.shape);
  return {s.lanes, division_of(s).vectors, neighbours_of(s), pairs ? pairs->run : 1};
}

// Columns join their states in one place, which has room for those of the sweep with the largest.
ColumnJoin column_join(const EntryLayout& e, const CudaLayout& l) {
  ColumnJoin j;
  if (!l.columns()) return j;
  j.across = e.threads / e.threads_per_row;
  j.columns = e.lanes * j.across;
  if (e.threads >= 32 && j.across < 32) j.in_warp = 32 / j.across;
  j.groups = e.threads_per_row / j.in_warp;
  if (e.threads_per_row == 1 || (j.groups == 1 && l.cluster.blocks == 1)) return j;
  int64_t largest = 0;
  for (auto& b : e.batches)
    if (auto k = static_cast<size_t>(b.number); !e.joined[k].empty())
      largest = std::max(largest, l.states[k].bytes);
  j.bytes = largest * j.groups * j.columns;
  return j;
}

EntryLayout main_entry(const RowProgram& p, const CudaSchedule& s, const RowDivision& d,
                       const CudaLayout& l) {
  EntryLayout e;
  e.threads = s.threads, e.threads_per_row = d.threads, e.lanes = s.lanes, e.unroll = d.vectors;
  e.lane_vectors = lane_vectors(p, l.vectors, s.lanes);
  e.all_live = d.order == Order::Pointwise || (d.order == Order::Rows && s.threads == d.threads);
  e.totals_scans = l.facts.scans && d.parts > 1 && !l.parts.look_back;
  e.joined = joined_in(p, e.totals_scans);
  return e;
}

void plan_batches(const RowProgram& p, const CudaSchedule& s, const std::vector<Sweep>& sweeps,
                  const CudaLayout& l, EntryLayout& e) {
  const BatchSize size = size_of_batch(s);
  for (size_t k = 0; k < sweeps.size(); ++k) {
    const auto number = static_cast<int>(k);
    Batch b = plan_batch(p, l, sweeps[k], number, size, e.totals_scans);
    // Loops of much arithmetic only: others wait for memory.
    if (size.run > 1) find_normal_sums(p, l, b);
    if (!b.normal.empty()) {
      // Seldom run, so one element at a time: that compiles in a fraction of the time.
      BatchSize one = size;
      one.run *= one.together, one.unroll = one.together = 1;
      Batch& single = e.single[number] = plan_batch(p, l, sweeps[k], number, one, e.totals_scans);
      single.divisors = b.divisors;
    }
    e.batches.push_back(std::move(b));
  }
}

// An entry of its own scans the parts of columns, or joins what rows have for each of their elements; parts
// of what is reduced are joined by one of their blocks, unless strips are shared out.
std::optional<EntryLayout> finish_entry(const RowProgram& p, const CudaSchedule& s, const CudaLayout& l) {
  const auto* columns = l.columns();
  const bool has_shares = columns && columns->has_shares;
  const bool is_needed =
      l.facts.totals_across || (l.parts.count > 1 && !l.parts.look_back && (l.facts.scans || has_shares));
  if (!is_needed) return std::nullopt;
  EntryLayout e = l.main;
  e.is_finish = true;
  e.totals_scans = false;
  e.batches.clear();
  e.joined = joined_in(p, false);
  if (has_shares) {
    // Few parts of strips are left to join, by one thread for each column: that compiles faster than vectors
    // of them.
    e.threads = 128, e.threads_per_row = 1;
    if (!l.vectors.ragged) e.lanes = 1;
    e.lane_vectors = lane_vectors(p, l.vectors, e.lanes);
  } else if (l.facts.totals_across) {
    e.threads = std::clamp(l.across.threads_down * 32, 128, kThreadsOfJoinedTotals);
    e.tasks = ceil_divide(l.parts.vectors * e.lanes, e.threads / l.across.threads_down);
    return e;
  } else {
    plan_batches(p, s, p.sweeps, l, e);
  }
  e.column_join = column_join(e, l);
  e.tasks = ceil_divide(outer_vectors(p, l.vectors, e.lanes), e.threads / e.threads_per_row) *
            (has_shares ? 1 : l.parts.count);
  return e;
}

int64_t main_tasks(const RowProgram& p, const CudaSchedule& s, const CudaLayout& l) {
  const VectorLayout& v = l.vectors;
  if (auto* c = l.columns()) {
    if (c->has_shares) return c->strips.tasks;
    const int64_t tasks =
        ceil_divide(outer_vectors(p, v, s.lanes), c->own) * l.parts.count * l.cluster.blocks;
    return c->strips_at_once > 0 ? std::min(tasks, c->strips_at_once * l.cluster.blocks) : tasks;
  }
  if (auto* r = l.rows()) {
    const int64_t rows = l.main.threads / l.main.threads_per_row * r->walk;
    return ceil_divide(p.outer_count(), rows) * l.parts.count * l.cluster.blocks;
  }
  if (auto* points = std::get_if<PointsShape>(&l.shape))
    return ceil_divide(points->vectors, int64_t{s.threads} * l.main.unroll);
  int64_t tasks = 1;
  if (auto* t = std::get_if<TransposedShape>(&l.shape)) {
    for (int a : axis_order(p, v.axis, true))
      tasks *= a == v.axis || a == t->axis ? ceil_divide(p.extent(a).value, t->side) : p.extent(a).value;
  } else if (auto* stacked = std::get_if<StackedShape>(&l.shape)) {
    for (int a : axis_order(p, v.axis, true))
      tasks *= a == v.axis          ? ceil_divide(ceil_divide(p.extent(a).value, s.lanes), stacked->across)
               : a == stacked->down ? ceil_divide(p.extent(a).value, stacked->rows)
                                    : p.extent(a).value;
  }
  return tasks;
}

AcrossLayout across_of(const RowProgram& p, const CudaSchedule& s, const RowDivision& d,
                       const CudaLayout& l) {
  AcrossLayout across;
  const auto* totals = std::get_if<cuda::Totals>(&s.shape);
  if (!totals) return across;
  across.rows_of_block = s.threads / d.threads * totals->rows_in_turn;
  across.blocks = ceil_divide(p.outer_count(), across.rows_of_block);
  // A few parts for each, and a sector or more of memory beside each other.
  while (across.threads_down < kThreadsOfJoinedTotals / 8 && across.threads_down * 8 < across.blocks)
    across.threads_down *= 2;
  int64_t place = 0;
  for (size_t a = 0; a < p.accumulators.size(); ++a) {
    if (!p.accumulators[a].is_over_points()) continue;
    across.accumulators.push_back(static_cast<int>(a));
    across.places.push_back(place);
    const auto size = static_cast<int64_t>(size_of(span_dtype(p.accumulators[a])));
    place += (across.blocks * l.parts.vectors * s.lanes * size + 15) / 16 * 16;
  }
  across.bytes = place;
  return across;
}

}  // namespace

std::vector<int> axis_order(const RowProgram& p, int lane_axis, bool outer) {
  const int outer_axes = static_cast<int>(p.outer.size());
  const int first = outer ? 0 : outer_axes + p.section_axes;
  const int last = outer ? outer_axes : outer_axes + static_cast<int>(p.row.size());
  std::vector<int> order;
  if (lane_axis >= first && lane_axis < last) order.push_back(lane_axis);
  for (int a = last; a-- > first;)
    if (a != lane_axis) order.push_back(a);
  return order;
}

CudaLayout lay_out(const RowProgram& p, const CudaSchedule& s, bool contract) {
  check_schedule(p, s);
  const RowDivision d = division_of(s);
  CudaLayout l;
  l.facts = facts_of(p, contract);
  l.vectors = vectors_of(p, s, d);
  l.streaming = s.caching == Caching::Streaming, l.loads_stay = s.caching == Caching::LoadsStay;
  // Without a number ptxas leaves a third of the registers of a large block unused, which sums over pairs
  // need, and a batch's loads.
  if (s.resident > 1 || (size_of_batch(s).run > 1 && s.threads > 256) || s.threads == 1024)
    l.resident = s.resident;
  const bool takes_strips = std::holds_alternative<cuda::TurnColumns>(s.shape);
  l.cluster = {d.blocks, d.device_wide, takes_strips || (l.facts.totals_across && d.blocks > 1), -1};
  l.shape = std::visit(ShapeOf{p, s, d, l}, s.shape);
  l.parts = parts_of(p, s, d, l);
  l.across = across_of(p, s, d, l);
  l.main = main_entry(p, s, d, l);
  lay_out_totals(p, s, d, l);
  if (l.main.totals_scans) {
    const Sweep& sweep = p.sweeps[0];
    Sweep& totalled = l.totalled.emplace_back();
    totalled.before = sweep.before;
    totalled.body = scanned_only(sweep.body);
  }
  plan_batches(p, s, l.main.totals_scans ? l.totalled : p.sweeps, l, l.main);
  l.main.column_join = column_join(l.main, l);
  l.main.tasks = main_tasks(p, s, l);
  l.finish = finish_entry(p, s, l);
  l.shared = shared_of(p, s, l);
  l.launch = launch_of(p, l);
  l.partial_bytes = partial_bytes(p, l);
  for (size_t k = p.sweeps.size(); k-- > 0;)
    if (!l.main.joined[k].empty()) l.cluster.first_join = static_cast<int>(k);
  return l;
}

}  // namespace weft::emit
