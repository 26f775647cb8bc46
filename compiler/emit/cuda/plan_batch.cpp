// Routes first, one statement after the other; then what follows from all of them together.
#include "compiler/emit/cuda/plan_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/cuda/lay_out_memory.h"
#include "compiler/emit/cuda/packed_folds.h"
#include "compiler/machine/tuning.h"

namespace weft::emit {

using namespace plan;
using namespace tuning;

namespace {

// The axis of rows that a thread computes one below the other; -1: none.
int axis_down(const CudaLayout& l) {
  auto* stacked = std::get_if<StackedShape>(&l.shape);
  return stacked ? stacked->down : -1;
}

int transposed_axis(const CudaLayout& l) {
  auto* transposed = std::get_if<TransposedShape>(&l.shape);
  return transposed ? transposed->axis : -1;
}

// Quotients and remainders of the position along the lanes.
void find_flat_rows(const CudaLayout& l, Batch& b) {
  const VectorLayout& v = l.vectors;
  if (b.lanes == 1 || v.shifted || transposed_axis(l) >= 0 || axis_down(l) >= 0) return;
  for (auto& s : b.sweep->body) {
    auto* d = std::get_if<Divide>(&s);
    if (!d || d->divisor.value < 2 || !l.facts.definitions.contains(d->of)) continue;
    auto* of = std::get_if<Position>(l.facts.definitions.at(d->of));
    if (!of || !of->at.values.empty() || of->at.axes.size() != 1 || of->at.axes[0].axis != v.axis ||
        of->at.axes[0].by.value != 1 || of->at.offset.value != 0)
      continue;
    const int64_t length = d->divisor.value;
    auto known = std::ranges::find_if(b.flat_rows, [&](auto& r) { return r.length.value == length; });
    b.row_of[d->out] = static_cast<int>(known - b.flat_rows.begin());
    if (known == b.flat_rows.end())
      b.flat_rows.push_back(
          {d->divisor, static_cast<int>((length + b.lanes - 2) / length + 1), length < b.lanes});
  }
}

Route route_load(const RowProgram& p, const CudaLayout& l, const Batch& b, const Load& load,
                 bool vector_guards) {
  const VectorLayout& v = l.vectors;
  const int transposed = transposed_axis(l);
  const bool plain = load.guards.empty() && load.at.values.empty();
  if (transposed >= 0 && plain && stride_along(load.at, transposed) == 1 &&
      stride_along(load.at, v.axis) != 1 && stride_along(load.at, v.axis) != 0)
    return {Path::Tile};
  if (b.together > 1 && plain && !v.varies[load.out] &&
      vector_phase(p, load.at, axis_order(p, v.axis, false)[0], b.together, v.varies) == 0)
    return {Path::Run};
  if (b.lanes == 1) return {plain ? Path::Staged : Path::Element};
  if (!v.varies[load.out]) return {Path::Same};
  if (load.guards.empty() && load.at.values.size() == 1 && stride_along(load.at, v.axis) == 0)
    if (auto row = b.row_of.find(load.at.values[0].value); row != b.row_of.end()) {
      auto& d = std::get<Divide>(*l.facts.definitions.at(row->first));
      if (!d.remainder && b.flat_rows[static_cast<size_t>(row->second)].touched < b.lanes)
        return {Path::Rows};
    }
  const int phase = phase_of(p, v, load.at, b.lanes);
  // A vector may begin before the buffer or end behind it when the elements that it is loaded for are all
  // left out.
  const bool checked = load.guards.empty() ? !v.ragged || phase == 0 : vector_guards && !v.ragged;
  if (phase >= 0 && checked) return {phase == 0 ? Path::Vector : Path::Cover, phase};
  return {plain ? Path::Staged : Path::Element};
}

Route route_store(const RowProgram& p, const CudaLayout& l, const Batch& b, const Stmt& stmt) {
  auto* columns = l.columns();
  const bool overlaps = columns && columns->overlap > 0;
  // Single elements of a row too: stores that follow each other fill sectors together.
  if ((b.lanes > 1 || l.vectors.whole_row) && !overlaps && !is_bundled(p, l, stmt) &&
      phase_of(p, l.vectors, std::get<Store>(stmt).at, b.lanes) == 0)
    return {Path::Vector};
  return {Path::Element};
}

// The number of the aligned vector `shift` elements from where the load begins.
int share_block(Batch& batch, const Load& l, int down, int64_t shift, unsigned needed) {
  auto same_walk = [](auto& x, auto& y) { return x.axis == y.axis && x.by.value == y.by.value; };
  const int64_t stride = down >= 0 && l.guards.empty() ? stride_along(l.at, down) : 0;
  for (size_t k = 0; k < batch.blocks.size(); ++k) {
    Block& other = batch.blocks[k];
    if (other.load->buffer != l.buffer || other.guards != l.guards || !l.at.values.empty() ||
        !other.load->at.values.empty() ||
        !std::equal(l.at.axes.begin(), l.at.axes.end(), other.load->at.axes.begin(),
                    other.load->at.axes.end(), same_walk))
      continue;
    const int64_t apart = l.at.offset.value + shift - other.load->at.offset.value - other.shift;
    if (apart != 0 && (stride == 0 || apart % stride != 0)) continue;
    const int64_t row = apart == 0 ? 0 : apart / stride,
                  span = std::max<int64_t>(other.span, row) - std::min<int64_t>(row, 0);
    if (span > kMostSpan) continue;
    if (row < 0) other.load = &l, other.shift = shift;
    other.span = static_cast<int>(span);
    other.needed |= needed;
    return static_cast<int>(k);
  }
  batch.blocks.push_back({&l, shift, l.guards, needed});
  return static_cast<int>(batch.blocks.size()) - 1;
}

void cover(Batch& b, const Load& load, int down, Route& r) {
  const auto all = static_cast<unsigned>((uint64_t{1} << b.lanes) - 1);
  const auto first = static_cast<unsigned>((uint64_t{1} << (b.lanes - r.phase)) - 1);
  r.first = share_block(b, load, down, -r.phase, first);
  if (r.phase > 0) r.second = share_block(b, load, down, b.lanes - r.phase, all & ~first);
}

// How many rows below the first one of the block the load's vector lies.
int64_t row_of_block(const Block& block, const Load& load, int down, int64_t shift) {
  const int64_t apart = load.at.offset.value + shift - block.load->at.offset.value - block.shift;
  return apart == 0 ? 0 : apart / stride_along(load.at, down);
}

// When all loads are known that share the blocks.
void find_rows_of_blocks(Batch& b, int down) {
  for (size_t k = 0; k < b.routes.size(); ++k) {
    Route& r = b.routes[k];
    if (r.path != Path::Cover) continue;
    auto& load = std::get<Load>(b.sweep->body[k]);
    r.first_row = row_of_block(b.blocks[static_cast<size_t>(r.first)], load, down, -r.phase);
    if (r.phase > 0)
      r.second_row = row_of_block(b.blocks[static_cast<size_t>(r.second)], load, down, b.lanes - r.phase);
  }
}

Route route(const RowProgram& p, const CudaLayout& l, Batch& b, const Stmt& s) {
  const int down = axis_down(l);
  if (auto* load = std::get_if<Load>(&s)) {
    std::set<Value> slice;
    const bool sliceable = b.lanes > 1 && b.lanes <= 32 && slice_of(l, *b.sweep, load->guards, slice);
    Route r = route_load(p, l, b, *load, sliceable);
    if ((r.path == Path::Vector || r.path == Path::Cover) && !load->guards.empty())
      b.guard_sets.insert(load->guards);
    const bool shared = down >= 0 && load->guards.empty() && load->at.values.empty() &&
                        (r.path == Path::Vector || (r.path == Path::Staged && b.lanes == 1));
    if (shared) r = {Path::Cover, 0};
    if (r.path == Path::Cover) cover(b, *load, down, r);
    return r;
  }
  if (std::holds_alternative<Store>(s)) return route_store(p, l, b, s);
  const Value v = defines(s);
  return {v >= 0 && b.lanes > 1 && !l.vectors.varies[v] ? Path::Same : Path::Element};
}

// Whether one call computes a statement for all elements of the batch.
bool is_all_at_once(const RowProgram& p, const CudaLayout& l, const Stmt& s) {
  auto* let = std::get_if<Let>(&s);
  if (!l.vectors.all_at_once || !let || p.values[let->out].dtype != DType::F32) return false;
  if (let->op != ir::Op::divide && let->op != ir::Op::sqrt) return false;
  // By numbers that are the same for all elements others divide.
  return std::ranges::all_of(let->args,
                             [&](Value v) { return l.vectors.varies[v] && l.facts.definitions.contains(v); });
}

// Statements that need all elements of the batch, and values that are read on the other side of one.
void find_barriers(const RowProgram& p, const CudaLayout& l, bool totals_scans, Batch& b) {
  auto& body = b.sweep->body;
  b.scans_row = !l.columns() && !totals_scans &&
                std::ranges::any_of(body, [](auto& s) { return std::holds_alternative<Scan>(s); });
  std::map<Value, int> phase;  // how many such statements stand before the definition
  int now = 0;
  for (size_t k = 0; k < body.size(); ++k) {
    const Stmt& s = body[k];
    const bool at_once = is_all_at_once(p, l, s);
    b.needs_all.push_back(std::holds_alternative<Largest>(s) || at_once ||
                          (std::holds_alternative<Scan>(s) && b.scans_row));
    if (b.routes[k].path == Path::Same) continue;
    for (Value v : uses(s))
      if (auto known = phase.find(v); known != phase.end() && known->second < now) b.across.insert(v);
    if (b.needs_all[k]) ++now;
    const Value v = defines(s);
    if (v >= 0) phase[v] = now;
    if (!at_once) continue;
    b.across.insert(v);
    for (Value of : uses(s)) b.across.insert(of);
  }
}

// Of squares of points and row elements: what folds, and products that are only added up, since those are one
// instruction with their sums.
void fold_last(Batch& b, const std::set<Value>& same) {
  auto& body = b.sweep->body;
  if (b.together == 1 || b.lanes == 1 || std::ranges::count(b.needs_all, true) > 0) return;
  std::map<Value, int> readers;
  std::set<Value> totalled;
  for (auto& s : body) {
    for (Value u : uses(s)) ++readers[u];
    if (auto* fold = std::get_if<Fold>(&s)) totalled.insert(fold->value);
  }
  for (auto& s : body) {
    auto* let = std::get_if<Let>(&s);
    const bool product = let && let->op == ir::Op::multiply && totalled.contains(let->out) &&
                         readers[let->out] == 1 && !same.contains(let->out);
    b.last.push_back(product || std::holds_alternative<Fold>(s));
  }
  std::set<Value> before;
  for (size_t k = 0; k < body.size(); ++k)
    if (Value v = defines(body[k]); v >= 0 && !b.last[k] && !same.contains(v)) before.insert(v);
  for (size_t k = 0; k < body.size(); ++k)
    if (b.last[k])
      for (Value u : uses(body[k]))
        if (before.contains(u)) b.folded.insert(u);
  if (b.folded.empty()) b.last.clear();
}

void find_divisors(const RowProgram& p, const CudaLayout& l, Batch& b) {
  if (!l.facts.contract || b.lanes * b.unroll == 1) return;
  for (auto& s : b.sweep->body) {
    auto* let = std::get_if<Let>(&s);
    if (!let || let->op != ir::Op::divide) continue;
    const DType t = p.values[let->args[1]].dtype;
    // An inverse of f64 takes as long as a quotient.
    if (t != DType::F32 && (t != DType::F64 || b.lanes * b.unroll < 4)) continue;
    auto divisor = l.facts.definitions.find(let->args[1]);
    if (divisor == l.facts.definitions.end() || std::holds_alternative<Argument>(*divisor->second))
      b.divisors.insert(let->args[1]);
  }
}

}  // namespace

int phase_of(const RowProgram& p, const VectorLayout& v, const Index& at, int lanes) {
  if (!v.shifted) return vector_phase(p, at, v.axis, lanes, v.varies);
  return aligned_alike(p, at, *v.reference, v.axis, lanes) ? 0 : -1;
}

bool slice_of(const CudaLayout& l, const Sweep& sweep, const std::vector<Value>& guards,
              std::set<Value>& out) {
  std::set<Value> here;
  for (auto& s : sweep.body)
    if (Value v = defines(s); v >= 0) here.insert(v);
  std::vector<Value> stack(guards);
  while (!stack.empty()) {
    Value v = stack.back();
    stack.pop_back();
    if (!here.contains(v) || !l.vectors.varies[v] || !out.insert(v).second) continue;
    const Stmt& s = *l.facts.definitions.at(v);
    if (std::holds_alternative<Load>(s)) return false;
    for (Value u : uses(s)) stack.push_back(u);
  }
  return true;
}

Batch plan_batch(const RowProgram& p, const CudaLayout& l, const Sweep& sweep, int number,
                 const BatchSize& size, bool totals_scans) {
  Batch b;
  static_cast<BatchSize&>(b) = size;
  b.sweep = &sweep;
  b.number = number;
  find_flat_rows(l, b);
  std::set<Value> same;
  for (auto& s : sweep.body) {
    const Route r = route(p, l, b, s);
    if (r.path == Path::Same || r.path == Path::Run) same.insert(defines(s));
    b.routes.push_back(r);
  }
  find_rows_of_blocks(b, axis_down(l));
  for (size_t k = 0; k < sweep.body.size(); ++k) {
    const Stmt& s = sweep.body[k];
    if (b.routes[k].path == Path::Same) {
      if (l.facts.crossing.contains(defines(s))) b.late.insert(defines(s));
      continue;
    }
    for (Value u : uses(s))
      if (same.contains(u)) b.late.insert(u);
  }
  find_barriers(p, l, totals_scans, b);
  fold_last(b, same);
  find_packed_folds(p, l, b);
  find_divisors(p, l, b);
  return b;
}

void find_normal_sums(const RowProgram& p, const CudaLayout& l, Batch& b) {
  const std::vector<bool> above_zero = never_negative(p);
  std::map<Value, int> arguments;
  for_each_stmt(p, [&](const Stmt& s) {
    if (auto* a = std::get_if<Argument>(&s)) arguments[a->out] = a->scalar;
  });
  std::set<int> numbers;
  for (auto& s : b.sweep->body) {
    auto* root = std::get_if<Let>(&s);
    if (!root || root->op != ir::Op::rsqrt || p.values[root->out].dtype != DType::F32) continue;
    auto of = l.facts.definitions.find(root->args[0]);
    auto* sum = of == l.facts.definitions.end() ? nullptr : std::get_if<Let>(of->second);
    if (!sum || sum->op != ir::Op::add) continue;
    for (size_t k = 0; k < 2; ++k) {
      auto number = arguments.find(sum->args[k]);
      if (number == arguments.end() || !above_zero[sum->args[1 - k]]) continue;
      numbers.insert(number->second);
      b.normal.insert(sum->out);
    }
  }
  for (int n : numbers)
    b.normal_when += fmt::format("{}a{} >= 0x1p-126f", b.normal_when.empty() ? "" : " && ", n);
}

}  // namespace weft::emit
