#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// What a batch does before anything is written: how each of its statements reaches memory, and when.

bool CudaEmitter::slice_of(const Sweep& sweep, const std::vector<Value>& guards, std::set<Value>& out) const {
  std::set<Value> here;
  for (auto& s : sweep.body)
    if (Value v = defines(s); v >= 0) here.insert(v);
  std::vector<Value> stack(guards);
  while (!stack.empty()) {
    Value v = stack.back();
    stack.pop_back();
    if (!here.contains(v) || !varies_[v] || !out.insert(v).second) continue;
    const Stmt& s = *definitions_.at(v);
    if (std::holds_alternative<Load>(s)) return false;
    for (Value u : uses(s)) stack.push_back(u);
  }
  return true;
}

// Quotients and remainders of the position along the lanes.
void CudaEmitter::find_flat_rows(Batch& b) const {
  if (s_.lanes == 1 || s_.shifted || s_.tile_axis >= 0 || down_ >= 0) return;
  for (auto& s : b.sweep->body) {
    auto* d = std::get_if<Divide>(&s);
    if (!d || d->divisor.value < 2 || !definitions_.contains(d->of)) continue;
    auto* of = std::get_if<Position>(definitions_.at(d->of));
    if (!of || !of->at.values.empty() || of->at.axes.size() != 1 || of->at.axes[0].axis != lane_ ||
        of->at.axes[0].by.value != 1 || of->at.offset.value != 0)
      continue;
    const int64_t length = d->divisor.value;
    auto known = std::ranges::find_if(b.flat_rows, [&](auto& r) { return r.length.value == length; });
    b.row_of[d->out] = static_cast<int>(known - b.flat_rows.begin());
    if (known == b.flat_rows.end())
      b.flat_rows.push_back(
          {d->divisor, static_cast<int>((length + s_.lanes - 2) / length + 1), length < s_.lanes});
  }
}

Route CudaEmitter::route_load(const Batch& b, const Load& l, bool vector_guards) const {
  bool plain = l.guards.empty() && l.at.values.empty();
  if (s_.tile_axis >= 0 && plain && stride_along(l.at, s_.tile_axis) == 1 && stride_along(l.at, lane_) != 1 &&
      stride_along(l.at, lane_) != 0)
    return {Path::Tile};
  if (s_.together > 1 && plain && !varies_[l.out] &&
      vector_phase(p_, l.at, order_of(false)[0], s_.together, varies_) == 0)
    return {Path::Run};
  if (s_.lanes == 1) return {plain ? Path::Staged : Path::Element};
  if (!varies_[l.out]) return {Path::Same};
  if (l.guards.empty() && l.at.values.size() == 1 && stride_along(l.at, lane_) == 0)
    if (auto row = b.row_of.find(l.at.values[0].value); row != b.row_of.end()) {
      auto& d = std::get<Divide>(*definitions_.at(row->first));
      if (!d.remainder && b.flat_rows[static_cast<size_t>(row->second)].touched < s_.lanes)
        return {Path::Rows};
    }
  int phase = phase_of(l.at);
  // A vector may begin before the buffer or end behind it when the elements that it is loaded for are all
  // left out.
  bool checked = l.guards.empty() ? !ragged_ || phase == 0 : vector_guards && !ragged_;
  if (phase >= 0 && checked) return {phase == 0 ? Path::Vector : Path::Cover, phase};
  return {plain ? Path::Staged : Path::Element};
}

Route CudaEmitter::route_store(const Store& s) const {
  // Single elements of a row too: stores that follow each other fill sectors together.
  if ((s_.lanes > 1 || whole_rows_) && s_.overlap == 0 && !bundled(s) && phase_of(s.at) == 0)
    return {Path::Vector};
  return {Path::Element};
}

// The number of the aligned vector `shift` elements from where the load begins.
int CudaEmitter::share_block(Batch& batch, const Load& l, int64_t shift, unsigned needed) const {
  auto same_walk = [](auto& x, auto& y) { return x.axis == y.axis && x.by.value == y.by.value; };
  const int64_t stride = down_ >= 0 && l.guards.empty() ? stride_along(l.at, down_) : 0;
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

// How an element loop spells the block's vector for this load.
std::string CudaEmitter::covering(const Batch& b, int block, const Load& l, int64_t shift) const {
  const Block& from = b.blocks[static_cast<size_t>(block)];
  const int64_t apart = l.at.offset.value + shift - from.load->at.offset.value - from.shift;
  return apart == 0 ? format("c{}[u]", block)
                    : format("c{}[u + {}]", block, apart / stride_along(l.at, down_));
}

Batch CudaEmitter::plan_batch(const Sweep& sweep, int number) {
  Batch b;
  b.sweep = &sweep;
  b.number = number;
  find_flat_rows(b);
  std::set<Value> same;
  for (auto& s : sweep.body) {
    Route r;
    if (auto* l = std::get_if<Load>(&s)) {
      std::set<Value> slice;
      bool sliceable = s_.lanes > 1 && s_.lanes <= 32 && slice_of(sweep, l->guards, slice);
      r = route_load(b, *l, sliceable);
      if ((r.path == Path::Vector || r.path == Path::Cover) && !l->guards.empty())
        b.guard_sets.insert(l->guards);
      const bool shared = down_ >= 0 && l->guards.empty() && l->at.values.empty() &&
                          (r.path == Path::Vector || (r.path == Path::Staged && s_.lanes == 1));
      if (shared) r = {Path::Cover, 0};
      if (r.path == Path::Cover) {
        unsigned all = static_cast<unsigned>((uint64_t{1} << s_.lanes) - 1);
        unsigned first = static_cast<unsigned>((uint64_t{1} << (s_.lanes - r.phase)) - 1);
        r.first = share_block(b, *l, -r.phase, first);
        if (r.phase > 0) r.second = share_block(b, *l, s_.lanes - r.phase, all & ~first);
      }
    } else if (auto* st = std::get_if<Store>(&s)) {
      r = route_store(*st);
    } else if (Value v = defines(s); v >= 0 && s_.lanes > 1 && !varies_[v]) {
      r = {Path::Same};
    }
    if (r.path == Path::Same || r.path == Path::Run) same.insert(defines(s));
    b.routes.push_back(r);
  }
  for (size_t k = 0; k < sweep.body.size(); ++k) {
    const Stmt& s = sweep.body[k];
    if (b.routes[k].path == Path::Same) {
      if (kept(defines(s))) b.late.insert(defines(s));
      continue;
    }
    for (Value u : uses(s))
      if (same.contains(u)) b.late.insert(u);
  }
  fold_last(b, same);
  find_words(b);
  return b;
}

// Of squares of points and row elements: what folds, and products that are only added up, since those are one
// instruction with their sums.
void CudaEmitter::fold_last(Batch& b, const std::set<Value>& same) const {
  auto& body = b.sweep->body;
  if (s_.together == 1 || s_.lanes == 1 || std::ranges::any_of(body, [&](auto& s) { return meets(b, s); }))
    return;
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

bool CudaEmitter::at_once(const Stmt& s) const {
  auto* l = std::get_if<Let>(&s);
  if (!s_.at_once || !l || p_.values[l->out].dtype != DType::F32) return false;
  if (l->op != ir::Op::divide && l->op != ir::Op::sqrt) return false;
  // By numbers that are the same for all elements others divide.
  return std::ranges::all_of(l->args, [&](Value v) { return varies_[v] && definitions_.contains(v); });
}

}  // namespace weft::emit
