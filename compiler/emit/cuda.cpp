#include "compiler/emit/cuda.h"

#include <algorithm>
#include <numeric>

#include "compiler/base/error.h"
#include "compiler/emit/cuda_emitter.h"
#include "compiler/emit/cuda_text.h"
#include "compiler/emit/prelude/prelude.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

CudaEmitter::CudaEmitter(const RowProgram& p, const Schedule& s, bool contract)
    : p_(p), s_(s), contract_(contract) {
  outer_axes_ = static_cast<int>(p.outer.size());
  int axes = outer_axes_ + static_cast<int>(p.row.size());
  lane_ = axes == 0 ? -1 : s.lane_axis;
  columns_ = s.order == Order::Columns;
  wide_ = !fits_32_bits(p);
  ranges_ = value_ranges(p);
  varies_ = lane_ < 0 ? std::vector<bool>(p.values.size(), false) : varies_along(p, lane_);
  axis_.resize(static_cast<size_t>(axes));
  if (s.shifted) {
    reference_ = lane_ < 0 ? nullptr : alignment_reference(p, lane_);
    if (!reference_ || columns_ || s.tile_axis >= 0 || p.row.size() > 1 || p.across() || p.scans())
      throw InternalError("emit cuda: shifted vectors lie along plain rows");
  }
  ragged_ = lane_ >= 0 && (s.shifted || extent(lane_).value % s.lanes != 0);
  if (lane_ < 0 && s.lanes > 1) throw InternalError("emit cuda: vectors of a program without axes");

  defined_in_.assign(p.values.size(), -1);
  for (size_t k = 0; k < p.sweeps.size(); ++k)
    for (auto& stmt : p.sweeps[k].body)
      if (Value v = defines(stmt); v >= 0) definitions_[v] = &stmt, defined_in_[v] = static_cast<int>(k);
  for (Value v : crossing_values(p)) kept_.insert(v);
  find_terms_beside_one();
  if (!kept_.empty() && s.keeper != Keeper::Registers && s.keeper != Keeper::Shared)
    throw InternalError("emit cuda: values cross sweeps and the schedule does not say where they stay\n" +
                        plan::print(p));
  whole_rows_ = s.keeper == Keeper::Registers;
  int64_t vectors = 0;
  if (s.order == Order::Rows && (whole_rows_ || s.keeper == Keeper::Shared)) {
    vectors = p.row_count() / std::max<int64_t>(extent(lane_).value, 1) * lane_vectors();
    const int64_t room = int64_t{s.unroll} * s.threads_per_row * s.cluster;
    if (whole_rows_ && room < vectors)
      throw InternalError("emit cuda: the row is longer than its threads' registers");
    const int64_t parts = s.chained ? s.split : 1;
    exact_ = vectors > 0 && (whole_rows_ ? room == vectors : vectors % (room * parts) == 0);
  }
  if (columns_ && s.keeper == Keeper::Shared)
    exact_ = p.row_count() % (int64_t{s.unroll} * s.threads_per_row * s.cluster) == 0;
  if (columns_ && whole_rows_) {
    const int64_t room = int64_t{s.unroll} * s.threads_per_row * s.cluster;
    if (room < p.row_count())
      throw InternalError("emit cuda: a column is longer than its threads' registers");
    exact_ = room == p.row_count();
  }
  if (s.order == Order::Pointwise && s.rows_per_task > 1 && s.tile_axis < 0) {
    if (outer_axes_ < 2 || s.rows_per_task != int64_t{s.threads} / s.threads_per_row * s.unroll)
      throw InternalError("emit cuda: a block's rows are its threads'");
    down_ = order_of(true)[1];
  }
  if (s.tile_axis >= 0 && (s.order != Order::Pointwise || s.tile < 1 || s.tile % s.lanes != 0 ||
                           s.unroll * s.threads * s.lanes != s.tile * s.tile))
    throw InternalError("emit cuda: tiles are squares of a pointwise program");
  if (s.wide_copies) {
    copied_ = wide_copy_elements(p, lane_);
    reference_ = alignment_reference(p, lane_);
    if (copied_ == 0 || !columns_ || s.keeper != Keeper::Shared || !s.ahead || s.lanes > 1 ||
        s.threads / s.threads_per_row % copied_ != 0)
      throw InternalError("emit cuda: strips of single columns are copied as vectors");
  }
  if (s.strips_at_once > 0 && (!columns_ || !whole_rows_ || s.split > 1 || p.scans()))
    throw InternalError("emit cuda: strips that blocks take in turn stay in registers");
  if (s.bundled &&
      (s.order != Order::Rows || p.outer.size() != 1 || p.row.size() != 1 || s.lanes > 1 ||
       s.threads_per_row > 1 || s.threads % 16 != 0 || s.split > 1 || s.keeper == Keeper::Shared))
    throw InternalError("emit cuda: rows of a thread each are bundled");
  bool keeps = s.keeper == Keeper::Registers || s.keeper == Keeper::Shared;
  if (s.cluster > 1 && (!keeps || s.split > 1 || (!columns_ && s.threads_per_row != s.threads)))
    throw InternalError("emit cuda: a cluster takes one row or strip, in registers or shared memory");
  exact_ &= !s.shifted;
  if (s.room > 0 && (!columns_ || s.keeper == Keeper::Shared))
    throw InternalError("emit cuda: shared memory is kept free for blocks that use none but to join");
  if (s.together > 1) {
    if (!columns_ || s.unroll != s.together || p.row.back().value % s.together != 0)
      throw InternalError("emit cuda: neighbours of the row are a batch of columns");
    exact_ = true;
  }
  if (s.run > 1 && !columns_) throw InternalError("emit cuda: columns alone have runs of several batches");
  if (s.ahead && s.keeper != Keeper::Shared && s.together == 1)
    throw InternalError("emit cuda: only rows that stay in shared memory, and neighbours, are loaded ahead");
  if (s.split > 1 && (p.sweeps.size() != (s.chained ? 2 : 1) || s.order == Order::Pointwise))
    throw InternalError("emit cuda: only the reductions of one sweep are split");
  // Runs of 128 elements lose nothing that matters.
  const int64_t steps = columns_ ? p.row_count() : vectors;
  const int64_t run = ceil_divide(steps, int64_t{s.threads_per_row} * s.cluster) * (columns_ ? 1 : s.lanes);
  scans_ = p.scans();
  if (scans_ && (s.cluster > 1 || (columns_ && s.threads_per_row > 1)))
    throw InternalError("emit cuda: one block scans a row, one thread a column");
  if (s.shares > 0 && (!columns_ || scans_ || s.split < 2))
    throw InternalError("emit cuda: only strips of columns that are reduced are shared out");
  if (scans_ && s.split > 1 && p.accumulators.size() != (s.chained ? 2 : 1))
    throw InternalError("emit cuda: parts of a row are scanned for one value only");
  if ((scans_ && s.split > 1 && !columns_) != s.chained)
    throw InternalError("emit cuda: parts of scanned rows are chained, and no others");
  if (s.chained && (s.threads != s.threads_per_row || s.threads < 128))
    throw InternalError("emit cuda: a part of a chain takes a block of 128 threads or more");
  totalling_ = scans_ && s.split > 1 && !s.chained;
  goes_across_ = p.across();
  if (s.walk > 1 && !goes_across_) throw InternalError("emit cuda: rows are walked for totals across them");
  if (goes_across_ && (s.order != Order::Rows || !whole_rows_ || s.split > 1 || s.cluster > 1))
    throw InternalError("emit cuda: totals across rows stay in registers, of one block's rows");
  two_level_ = !p.row.empty() && (!keeps || run > 128 || s.chained);
}

int64_t CudaEmitter::lane_vectors() const {
  const int64_t elements = extent(lane_).value;
  return s_.shifted ? (elements + 2 * s_.lanes - 2) / s_.lanes : ceil_divide(elements, s_.lanes);
}

int CudaEmitter::phase_of(const Index& at) const {
  if (!s_.shifted) return vector_phase(p_, at, lane_, s_.lanes, varies_);
  return aligned_alike(p_, at, *reference_, lane_, s_.lanes) ? 0 : -1;
}

std::string CudaEmitter::extra(int64_t value) {
  extra_.push_back(value);
  return format("p[{}]", p_.params.size() + extra_.size() - 1);
}

// ---- positions

// Axes of the outer points or of the row, the one that neighbouring threads walk first.
std::vector<int> CudaEmitter::order_of(bool outer) const {
  int first = outer ? 0 : outer_axes_;
  int last = outer ? outer_axes_ : static_cast<int>(axis_.size());
  std::vector<int> order;
  if (lane_ >= first && lane_ < last) order.push_back(lane_);
  for (int a = last; a-- > first;)
    if (a != lane_) order.push_back(a);
  return order;
}

// How many steps the axes have together; the lane axis counts vectors.
std::string CudaEmitter::count_of(const std::vector<int>& order) const {
  std::string s;
  for (int a : order) {
    std::string e = spell(extent(a));
    if (a == lane_ && s_.lanes > 1)
      e = ragged_ ? format("({} + {}) / {}", e, s_.lanes - 1 + (s_.shifted ? s_.lanes - 1 : 0), s_.lanes)
                  : format("{} / {}", e, s_.lanes);
    s += s.empty() ? e : " * " + e;
  }
  return s.empty() ? "1" : s;
}

// From the step number q to the position on each axis.
void CudaEmitter::split_position(const std::vector<int>& order, bool of_batch) {
  for (size_t k = 0; k < order.size(); ++k) {
    int a = order[k];
    std::string step = k + 1 == order.size() ? "q" : format("weft_split(q, {})", count_of({a}));
    if (a == lane_ && s_.lanes > 1) step += format(" * {}", s_.lanes);
    axis_[a] = of_batch ? format("x{}[u]", a) : format("x{}", a);
    code_.line("{}{} = {};", of_batch ? "" : s_.shifted && a == lane_ ? "I " : "const I ", axis_[a], step);
  }
  if (s_.shifted && std::ranges::count(order, lane_) > 0) shift_position(of_batch);
}

// To where the reference is aligned. A last vector that has nothing of the row is the one before it again.
void CudaEmitter::shift_position(bool of_batch) {
  const std::string position = axis_[lane_];
  axis_[lane_] = "0";
  code_.line("{} -= ({}) & {};", position, index_text(*reference_), s_.lanes - 1);
  axis_[lane_] = position;
  const std::string end = spell(extent(lane_));
  if (of_batch) code_.line("ok[u] = ok[u] && {} < {};", position, end);
  code_.line("{0} -= {0} < {1} ? 0 : {2};", position, end, s_.lanes);
}

// ---- loops

void CudaEmitter::settle(const Sweep& sweep) {
  for (auto& s : sweep.body)
    if (Value v = defines(s); v >= 0 && kept(v)) settled_.insert(v);
}

// The steps start, start + step, … below `end`, `unroll` of them together. A loop runs on until there are
// none left.
void CudaEmitter::batch(const Batch& b, const std::string& start, const std::string& step,
                        const std::string& end, bool in_loop) {
  // Loops of much arithmetic only: others wait for memory.
  std::string normal = s_.run > 1 ? normal_when(b) : "";
  open_divisors(*b.sweep);
  if (!normal.empty()) {
    code_.line("if ({}) {{", normal);
    batch_steps(b, start, step, end, in_loop);
    normal_.clear();
    code_.add("} else {");
    // Seldom run, so one element at a time: that compiles in a fraction of the time.
    const Schedule together = s_;
    s_.run *= s_.together, s_.unroll = s_.together = 1;
    batch_steps(plan_batch(*b.sweep, b.number), alone_, step, end, in_loop);
    s_ = together;
    code_.add("}");
  } else {
    batch_steps(b, start, step, end, in_loop);
  }
  close_divisors();
}

void CudaEmitter::batch_steps(const Batch& b, const std::string& start, const std::string& step,
                              const std::string& end, bool in_loop) {
  auto order = order_of(p_.row.empty());
  bool shared = s_.keeper == Keeper::Shared && !kept_.empty();
  // Threads that scan a row together take their steps together.
  const bool in_step = in_loop && scans_rows(b);
  const bool ahead = s_.ahead && s_.together > 1;
  if (ahead) {
    declare_runs(b);
    load_runs(b, format("weft_min({}, m - {})", start, s_.together));
  }
  if (in_loop && s_.run > 1) {
    code_.line("for (I d = {}; d < {}; d += {} * {}) {{", start, end, step, s_.unroll * s_.run);
    start_runs(static_cast<size_t>(b.number));
    code_.line("const I stop = weft_min(d + {} * {}, {});", step, s_.unroll * s_.run, end);
    code_.loop("for (I c = d; c < stop; c += {} * {}) {{", step, s_.unroll);
  } else if (in_loop) {
    code_.loop("for (I c = {}; c < {}; c += {} * {}) {{", start, in_step && s_.chained ? "from + run" : end,
               step, s_.unroll);
  }
  for (int a : order) code_.line("I x{}[{}];", a, s_.unroll);
  if (!exact_) code_.line("bool ok[{}];", s_.unroll);
  if (shared) {
    code_.line("I at[{}];", s_.unroll);
    for (Value v : kept_)
      if (defined_in_[v] <= b.number)
        code_.line("{} k{}[{}];", vector_type(p_.values[v].dtype), v, s_.unroll);
  }
  batch_arrays(b);
  if (in_loop && s_.run == 1) start_runs(static_cast<size_t>(b.number));
  if (!ahead) {
    declare_runs(b);
    load_runs(b, "c");
  }
  code_.unrolled("u", s_.unroll);
  code_.line("I q = {} + u * {};",
             in_step   ? (s_.chained ? "c + lane" : "c + t")
             : in_loop ? "c"
                       : start,
             s_.together > 1 ? "1" : step);
  if (!exact_) {
    code_.line("ok[u] = q < {};", end);
    // Another thread's place in shared memory is not to be read while that writes to it.
    if (shared && in_loop && !in_step)
      code_.add("q = ok[u] ? q : c;");
    else
      code_.line("q = weft_min(q, {} - 1);", end);
  }
  if (shared) {
    code_.line("at[u] = {};", place_in_shared("q"));
    for (Value v : kept_)
      if (defined_in_[v] < b.number || ahead_.contains(v)) code_.line("k{0}[u] = z{0}[at[u]];", v);
  }
  split_position(order, true);
  batch_loads(b);
  code_.add("}");
  // Where few vectors hold anything but the row, and each so many elements that to ask for all of them takes
  // longer than the memory does: with 8 and fewer the branch costs more.
  constexpr int64_t kLongRow = 128, kManyLanes = 16;
  const bool elements = std::ranges::count(b.by_words, false) > 0;
  if (elements && s_.shifted && !whole_rows_ && !p_.row.empty() && lane_vectors() >= kLongRow &&
      s_.lanes >= kManyLanes) {
    code_.add("bool inside = true;");
    code_.unrolled("u", s_.unroll);
    code_.line("inside = inside && {0}{1} >= 0 && {1} + {2} <= {3};", exact_ ? "" : "ok[u] && ", axis_[lane_],
               s_.lanes, spell(extent(lane_)));
    code_.add("}");
    code_.add("if (inside) {");
    inside_ = true;
    batch_elements(b);
    inside_ = false;
    code_.add("} else {");
    batch_elements(b);
    code_.add("}");
  } else {
    batch_elements(b);
  }
  fold_words(b);
  std::vector<Value> made;
  for (Value v : kept_)
    if (shared && defined_in_[v] == b.number && !ahead_.contains(v)) made.push_back(v);
  if (!made.empty()) {
    code_.unrolled("u", s_.unroll);
    if (!exact_) code_.add("if (ok[u]) {");
    for (Value v : made) code_.line("z{0}[at[u]] = k{0}[u];", v);
    if (!exact_) code_.add("}");
    code_.add("}");
  }
  batch_stores(b);
  if (!in_loop) return;
  // As soon as the registers are free.
  if (ahead) load_runs(b, format("weft_min(c + {} * {}, m - {})", step, s_.unroll, s_.together));
  if (s_.run > 1) code_.add("}");
  flush_runs(static_cast<size_t>(b.number));
  code_.add("}");
}

// Where the thread's vector of a step of the row is, behind z<value>.
std::string CudaEmitter::place_in_shared(const std::string& step) const {
  const std::string place = s_.cluster > 1 || s_.chained ? step + " - begin" : step;
  if (!columns_) return place;
  const std::string in_strip = format("({}) * {}", place, s_.threads / s_.threads_per_row + copied_);
  return copied_ > 0 ? format("{} + {}", in_strip, strip_shift(step)) : in_strip;
}

// How many elements before the strip's first of that row memory is aligned.
std::string CudaEmitter::strip_shift(const std::string& row) const {
  std::string s = reference_->offset.param >= 0 || reference_->offset.value != 0
                      ? spell(reference_->offset) + " + strip"
                      : "strip";
  for (auto& t : reference_->axes)
    if (t.axis != lane_) s += " + " + times(row, t.by);
  return format("({} & {})", s, copied_ - 1);
}

// Loads of the first sweep that stay in shared memory go there directly, all of them at once: what a thread
// copies it alone reads.
void CudaEmitter::copy_ahead(const std::string& start, const std::string& step, const std::string& end) {
  if (s_.wide_copies) return copy_strip(end);
  find_ahead();
  if (ahead_.empty()) return;
  code_.add("#pragma unroll 4");
  code_.line("for (I c = {}; c < {}; c += {}) {{", start, end, step);
  code_.add("I q = c;");
  split_position(order_of(false), false);
  for (Value v : ahead_) {
    auto& l = std::get<Load>(*definitions_.at(v));
    code_.line("{}(z{} + {}, b{} + ({}));", s_.loads_stay ? "weft_copy_to_stay" : "weft_copy_ahead", v,
               place_in_shared("c"), l.buffer, index_text(l.at));
  }
  code_.add("}");
  code_.add("weft_copied();");
}

// Which loads of the first sweep can go to shared memory directly.
void CudaEmitter::find_ahead() {
  const Batch& b = batches_[0];
  ahead_.clear();
  for (size_t k = 0; k < b.routes.size(); ++k) {
    auto* l = std::get_if<Load>(&b.sweep->body[k]);
    if (!l || !kept(l->out) || !l->guards.empty() || !l->at.values.empty()) continue;
    const size_t bytes = size_of(p_.values[l->out].dtype) * static_cast<size_t>(s_.lanes);
    const bool aligned = b.routes[k].path == Path::Vector || s_.lanes == 1;
    if (aligned && (bytes == 4 || bytes == 8 || bytes == 16)) ahead_.insert(l->out);
  }
}

// Rows of the strip, by all threads of the block, each row from the last place before it where memory is
// aligned.
void CudaEmitter::copy_strip(const std::string& end) {
  const int across = s_.threads / s_.threads_per_row, vectors = across / copied_ + 1;
  ahead_.clear();
  for (auto& s : batches_[0].sweep->body)
    if (auto* l = std::get_if<Load>(&s); l && kept(l->out) && stride_along(l->at, lane_) == 1)
      ahead_.insert(l->out);
  if (ahead_.empty()) return;
  const std::string first = s_.cluster > 1 ? "begin" : "0";
  code_.line("const I strip_end = weft_min({}, n - strip);", across);
  code_.add("#pragma unroll 4");
  code_.line("for (I c = (I)threadIdx.x; c < ({} - {}) * {}; c += {}) {{", end, first, vectors, s_.threads);
  code_.line("const I down = {} + c / {}, back = {}, right = c % {} * {} - back;", first, vectors,
             strip_shift("down"), vectors, copied_);
  code_.add("if (right < strip_end) {");
  const std::string lane = axis_[lane_], row = axis_[1 - lane_];
  axis_[lane_] = "(strip + right)", axis_[1 - lane_] = "down";
  for (Value v : ahead_) {
    auto& l = std::get<Load>(*definitions_.at(v));
    code_.line("weft_copy_vector<{0}>(z{1} - tx + ({2}) * {3} + right + back, b{4} + ({5}));", copied_, v,
               s_.cluster > 1 ? "down - begin" : "down", across + copied_, l.buffer, index_text(l.at));
  }
  axis_[lane_] = lane, axis_[1 - lane_] = row;
  code_.add("}");
  code_.add("}");
  code_.add("weft_copied();");
  code_.add("__syncthreads();");
}

// Opens the loop in which blocks take strips of columns in turn. Each thread copies what it alone reads, a
// strip ahead of what it has in registers.
void CudaEmitter::begin_turns(const std::string& start, const std::string& end) {
  find_ahead();
  const int across = s_.threads / s_.threads_per_row;
  int64_t before = 0;
  for (Value v : ahead_) {
    const std::string type = vector_type(p_.values[v].dtype);
    code_.line("{0}* const z{1} = ({0}*)(weft_shared + {2}) + threadIdx.x;", type, v, before);
    before += static_cast<int64_t>(size_of(p_.values[v].dtype)) * s_.lanes * s_.threads * s_.unroll;
  }
  launch_.shared_bytes = static_cast<uint32_t>(before);
  code_.line("const I strips = (n + {}) / {}, at_once = {};", across - 1, across, extra(s_.strips_at_once));
  if (s_.cluster > 1) code_.add("weft_await();");
  const std::string own = s_.cluster > 1 ? format("(I)(blockIdx.x / {})", s_.cluster) : "(I)blockIdx.x";
  copy_turn(own, start, end);
  code_.loop("for (I strip = {}, turn = 0; strip < strips; strip += at_once, ++turn) {{", own);
  // Or what is computed of each place would stay in registers from turn to turn.
  code_.line("const I place = weft_again({});", start);
  for (Value v : kept_) code_.line("{} k{}[{}];", vector_type(p_.values[v].dtype), v, s_.unroll);
  if (ahead_.empty()) return;
  code_.add("weft_copied();");
  code_.unrolled("u", s_.unroll);
  for (Value v : ahead_) code_.line("k{0}[u] = z{0}[u * {1}];", v, s_.threads);
  code_.add("}");
  code_.add("if (strip + at_once < strips) {");
  copy_turn("(strip + at_once)", "place", end);
  code_.add("}");
}

void CudaEmitter::copy_turn(const std::string& strip, const std::string& start, const std::string& end) {
  if (ahead_.empty()) return;
  code_.add("{");
  code_.line("I q = weft_min({} * {} + tx, n - 1);", strip, s_.threads / s_.threads_per_row);
  split_position(order_of(true), false);
  code_.unrolled("u", s_.unroll);
  code_.line("I q = {} + u * {};", start, s_.threads_per_row);
  if (!exact_) code_.line("q = weft_min(q, {} - 1);", end);
  split_position(order_of(false), false);
  for (Value v : ahead_) {
    auto& l = std::get<Load>(*definitions_.at(v));
    code_.line("{}(z{} + u * {}, b{} + ({}));", s_.loads_stay ? "weft_copy_to_stay" : "weft_copy_ahead", v,
               s_.threads, l.buffer, index_text(l.at));
  }
  code_.add("}");
  code_.add("}");
}

void CudaEmitter::pointwise() {
  auto order = order_of(true);
  int64_t vectors = 1;
  for (int a : order) vectors *= a == lane_ ? lane_vectors() : extent(a).value;
  int64_t tile = int64_t{s_.threads} * s_.unroll;
  launch_.tasks = (vectors + tile - 1) / tile;
  code_.line("const I n = {};", count_of(order));
  code_.line("const I first = (I)blockIdx.x * {} + (I)threadIdx.x;", tile);
  batch(batches_[0], "first", std::to_string(s_.threads), "n", false);
}

// Pointers z<value> to the vectors that stay in shared memory: those of `rows` rows, or parts of rows, of
// which the thread's begins after `mine` others.
void CudaEmitter::shared_rows(int64_t rows, const std::string& mine) {
  const SharedPlaces places = shared_places(p_);
  std::vector<int> by_size(places.bytes.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::stable_sort(by_size, [&](int a, int b) { return places.bytes[a] > places.bytes[b]; });
  const std::string room = s_.cluster > 1 || s_.chained ? part_length_ : "m";
  int64_t before = 0;
  for (int place : by_size) {
    for (auto& [v, of] : places.of)
      if (of == place)
        code_.line("{0}* z{1} = ({0}*)(weft_shared + {2} * {3}) + {4}{5};", vector_type(p_.values[v].dtype),
                   v, room, before * rows, mine, columns_ ? "" : format(" * {}", room));
    before += places.bytes[place] * s_.lanes;
  }
  launch_.shared_bytes = static_cast<uint32_t>(before * rows * part_vectors_);
}

// The block's part of what is read, in shared memory; and room there for what it writes.
void CudaEmitter::bundle_rows() {
  code_.line("const I first = (I)blockIdx.x * {}, here = weft_min(n - first, {}) * m;", s_.threads,
             s_.threads);
  int64_t before = 0;
  bool loads = false;
  std::set<int> known;
  for_each_stmt(p_, [&](const Stmt& s) {
    if (!bundled(s)) return;
    auto* l = std::get_if<Load>(&s);
    const int buffer = l ? l->buffer : std::get<Store>(s).buffer;
    if (!known.insert(buffer).second) return;
    const std::string type = dialect_.element_type(p_.buffers[buffer].dtype);
    code_.line("{0}* const z{1} = ({0}*)(weft_shared + {2} * m);", type, buffer, before);
    before += static_cast<int64_t>(size_of(p_.buffers[buffer].dtype)) * s_.threads;
    if (!l) return;
    loads = true;
    code_.line("weft_copy_run(z{0}, b{0} + first * m, here);", buffer);
  });
  launch_.shared_bytes = static_cast<uint32_t>(before * p_.row_count());
  if (!loads) return;
  code_.add("weft_copied();");
  code_.add("__syncthreads();");
}

void CudaEmitter::unbundle_rows() {
  bool any = false;
  for_each_stmt(p_, [&](const Stmt& s) {
    auto* store = std::get_if<Store>(&s);
    if (!store || !bundled(s)) return;
    if (!any) code_.add("__syncthreads();");
    any = true;
    code_.line("weft_put_run(b{0} + first * m, z{0}, here);", store->buffer);
  });
}

// Where a single element is read or written.
std::string CudaEmitter::place_of(const Stmt& s, int buffer) const {
  if (bundled(s)) return format("z{}[(I)threadIdx.x * m + {}]", buffer, axis_[lane_]);
  return format("b{}[{}]", buffer, index_text(*index_of(s)));
}

void CudaEmitter::rows() {
  int threads = s_.threads_per_row;
  auto outer = order_of(true);
  bool split = s_.split > 1;
  int64_t points = p_.outer_count(), rows = s_.threads / s_.threads_per_row;
  code_.line("const I n = {};", count_of(outer));
  const bool whole_block = rows == 1;
  if (s_.chained) take_number();
  code_.line("const I t = (I){};", whole_block ? "threadIdx.x" : format("(threadIdx.x % {})", threads));
  std::string block = s_.chained       ? format("(I)(number / (unsigned int){})", split_)
                      : split          ? format("(I)(blockIdx.x / (unsigned int){})", split_)
                      : s_.cluster > 1 ? format("(I)(blockIdx.x / {})", s_.cluster)
                                       : "(I)blockIdx.x";
  code_.line("I q = {};",
             whole_block ? block : format("{} * {} + (I)(threadIdx.x / {})", block, rows, threads));
  if (s_.cluster > 1) code_.line("const I rank = (I)(blockIdx.x % {});", s_.cluster);
  if (goes_across_) {
    code_.add("const I walker = q;");
    code_.line("const I m = {};", count_of(order_of(false)));
    start_across();
    code_.loop("for (I step = 0; step < {}; ++step) {{", walk_);
    code_.line("I q = walker * {} + step;", walk_);
  }
  if (rows == 1 && !goes_across_) {
    code_.add("const bool live = true;");
  } else {
    code_.add("const bool live = q < n;");
    code_.add("q = weft_min(q, n - 1);");
  }
  if (split) code_.add("const I row = q;");
  launch_.tasks = (points + rows * s_.walk - 1) / (rows * s_.walk) * s_.split * s_.cluster;
  if (split && !s_.chained) take_ticket();
  split_position(outer, false);
  std::string last = s_.cluster > 1 ? "live && t == 0 && rank == 0" : "live && t == 0";
  if (!goes_across_) code_.line("const I m = {};", count_of(order_of(false)));
  if (s_.bundled) bundle_rows();
  std::string start = "t", end = "m";
  const bool shared = s_.keeper == Keeper::Shared;
  if (s_.cluster > 1 && whole_rows_) start = format("rank * {} + t", threads * s_.unroll);
  if (s_.chained) code_.line("const I k = (I)(number % (unsigned int){});", split_);
  if (split || (s_.cluster > 1 && shared)) {
    code_.line("const I begin = {} * {};",
               s_.chained ? "k"
               : split    ? format("(I)(blockIdx.x % (unsigned int){})", split_)
                          : std::string("rank"),
               part_length_);
    code_.line("const I end = weft_min(begin + {}, m);", part_length_);
    start = "begin + t", end = "end";
  }
  if (s_.chained) {
    // Each warp scans a run of the part by itself.
    threads = 32;
    code_.line("const I run = ({} + {}) / {};", part_length_, s_.threads / 32 - 1, s_.threads / 32);
    code_.add("const I lane = t % 32, from = begin + t / 32 * run, stop = weft_min(from + run, end);");
    start = "from + lane", end = "stop";
  }
  if (s_.cluster > 1) begin_cluster();
  met_ = false;
  if (shared) {
    shared_rows(rows, format("(I)(threadIdx.x / {})", s_.threads_per_row));
  } else if (whole_rows_) {
    for (Value v : kept_) code_.line("{} k{}[{}];", vector_type(p_.values[v].dtype), v, s_.unroll);
  }
  if (s_.ahead) copy_ahead(start, std::to_string(threads), end);
  for (auto& b : batches_) {
    outer_code(b.sweep->before, last);
    auto number = static_cast<size_t>(b.number);
    start_totals(number);
    start_bases(number);
    start_scans(number, s_.chained ? "before.t1" : "");
    if (whole_rows_) {
      code_.add("{");
      if (two_level_) start_runs(number);
    }
    // Without the thread's own place, where all take their steps together.
    const std::string together = split ? "from" : "0";
    batch(b, scans_rows(b) && !whole_rows_ ? together : start, std::to_string(threads), end, !whole_rows_);
    if (whole_rows_) {
      if (two_level_) flush_runs(number);
      code_.add("}");
    }
    if (s_.chained) {
      if (b.number == 0) look_back();
      settle(*b.sweep);
      continue;
    }
    join_row(number, threads);
    if (split) {
      collect_parts(threads);
      finish(0);
      outer_code(p_.epilogue, last);
      code_.add("}");
      return;
    }
    finish(number);
    settle(*b.sweep);
  }
  outer_code(p_.epilogue, last);
  if (s_.bundled) unbundle_rows();
  if (goes_across_) store_across(threads);
}

void CudaEmitter::columns(bool finishing) {
  const bool finish_entry = finishing && !scans_;
  auto outer = order_of(true);
  int64_t vectors = 1;
  for (int a : outer) vectors *= a == lane_ ? (extent(a).value + s_.lanes - 1) / s_.lanes : extent(a).value;
  int groups = s_.threads_per_row, across = s_.threads / groups;
  bool split = s_.split > 1;
  code_.line("const I n = {};", count_of(outer));
  code_.line("const I tx = (I)(threadIdx.x % {0}), ty = (I)(threadIdx.x / {0});", across);
  const bool shared_out = s_.shares > 0 && !finish_entry, in_turns = s_.strips_at_once > 0;
  if (in_turns) {
    room_for_joins();
    code_.line("const I m = {};", count_of(order_of(false)));
    std::string start = "ty";
    if (s_.cluster > 1) {
      code_.line("const I rank = (I)(blockIdx.x % {});", s_.cluster);
      begin_cluster();
      start = format("rank * {} + ty", groups * s_.unroll);
    }
    begin_turns(start, "m");
  }
  if (shared_out) code_.line("const Share mine = weft_take_share((I)blockIdx.x, {});", shares_);
  std::string block = in_turns                 ? "strip"
                      : shared_out             ? "mine.strip"
                      : split && !finish_entry ? format("(I)(blockIdx.x / (unsigned int){})", split_)
                      : s_.cluster > 1         ? format("(I)(blockIdx.x / {})", s_.cluster)
                                               : "(I)blockIdx.x";
  code_.line("I q = {} * {} + tx;", block, across);
  if (!shared_out)
    (finishing ? launch_.finish_tasks : launch_.tasks) =
        (vectors + across - 1) / across * (finish_entry ? 1 : s_.split * s_.cluster);
  if (in_turns) launch_.tasks = std::min(launch_.tasks, s_.strips_at_once * s_.cluster);
  code_.add("const bool live = q < n;");
  code_.add("q = weft_min(q, n - 1);");
  if (split) code_.add("const I column = q;");
  split_position(outer, false);
  std::string first = groups > 1 ? "live && ty == 0" : "live";
  if (!in_turns) room_for_joins();
  if (s_.cluster > 1) first += " && rank == 0";
  // Whole strips have one part.
  const int64_t strip = strip_columns_ / s_.lanes;
  const std::string several = s_.shares > 0 ? format("(n - {} * {})", whole_, strip) : "n";
  std::string place = format("[((long long)k * {} + column) * {} + e]", several, s_.lanes);
  if (finish_entry) {
    outer_code(p_.sweeps[0].before, first);
    start_totals(0);
    code_.line("const I parts = weft_parts(column / {}, {});", strip, shares_);
    code_.loop("for (I k = ty; k < parts; k += {}) {{", groups);
    code_.unrolled("e", s_.lanes);
    code_.line("join0(s0[e], ((const S0*)partials){});", place);
    code_.add("}");
    code_.add("}");
    join_columns(0);
    finish(0);
    outer_code(p_.epilogue, first);
    return;
  }
  if (!in_turns) code_.line("const I m = {};", count_of(order_of(false)));
  const std::string place_in_row = s_.together > 1 ? format("ty * {}", s_.together) : "ty";
  std::string start = place_in_row, end = "m";
  if (shared_out) {
    const int step = groups * s_.unroll;
    code_.line("const I k = mine.part, begin = mine.begin * {0}, end = weft_min(mine.end * {0}, m);", step);
  } else if (split) {
    code_.line("const I k = (I)(blockIdx.x % (unsigned int){});", split_);
    code_.line("const I begin = k * {};", part_length_);
    code_.line("const I end = weft_min(begin + {}, m);", part_length_);
  }
  if (split) start = "begin + " + place_in_row, end = "end";
  alone_ = split ? "begin + ty" : "ty";
  if (s_.cluster > 1) {
    if (in_turns) {
      start = "place";
    } else {
      code_.line("const I rank = (I)(blockIdx.x % {});", s_.cluster);
      begin_cluster();
      start = format("rank * {} + ty", groups * s_.unroll);
    }
  }
  if (s_.keeper == Keeper::Shared) {
    start = "ty";
    if (s_.cluster > 1) {
      code_.line("const I begin = rank * {};", part_length_);
      code_.line("const I end = weft_min(begin + {}, m);", part_length_);
      start = "begin + ty", end = "end";
    }
    if (copied_ > 0) code_.line("const I strip = {} * {};", block, across);
    shared_rows(across + copied_, "tx");
    if (s_.ahead) copy_ahead(start, std::to_string(groups), end);
  }
  met_ = in_turns;
  if (whole_rows_ && !in_turns)
    for (Value v : kept_) code_.line("{} k{}[{}];", vector_type(p_.values[v].dtype), v, s_.unroll);
  if (finishing) {
    totalling_ = true;
    start_totals(0);
    code_.loop("for (I part = 0; part < k; ++part) {{");
    code_.unrolled("e", s_.lanes);
    code_.line("join0(s0[e], ((const S0*)partials)[((long long)part * n + column) * {} + e]);", s_.lanes);
    code_.add("}");
    code_.add("}");
    totalling_ = false;
  }
  for (auto& b : batches_) {
    outer_code(b.sweep->before, first);
    auto number = static_cast<size_t>(b.number);
    start_totals(number);
    start_bases(number);
    start_scans(number, finishing ? "s0[e].t0" : "");
    if (whole_rows_) {
      code_.add("{");
      start_runs(number);
    }
    batch(b, start, std::to_string(groups), end, !whole_rows_);
    if (whole_rows_) {
      flush_runs(number);
      code_.add("}");
    }
    join_columns(number);
    if (split && !finishing) {
      code_.line("if ({}) {{", first);
      code_.unrolled("e", s_.lanes);
      code_.line("((S0*)partials){} = s0[e];", place);
      code_.add("}");
      code_.add("}");
      const int64_t once = s_.shares > 0 ? strips_.whole * across : 0;
      partial_bytes_ = state_bytes_[0] * s_.lanes * (once + (vectors - once) * s_.split);
      // Parts of scanned columns are scanned, and those of strips that are shared out joined, by an entry of
      // their own.
      if (has_finish()) return;
      begin_last();
      start_totals(0);
      code_.loop("for (I k = ty; k < {}; k += {}) {{", split_, groups);
      code_.unrolled("e", s_.lanes);
      code_.line("join0(s0[e], ((const S0*)partials){});", place);
      code_.add("}");
      code_.add("}");
      join_columns(0);
      finish(0);
      outer_code(p_.epilogue, first);
      code_.add("}");
      return;
    }
    finish(number);
    settle(*b.sweep);
  }
  outer_code(p_.epilogue, first);
  if (in_turns) code_.add("}");
}

// ---- entries

std::string CudaEmitter::entry(bool finish_entry) {
  code_ = CodeText(1);
  outer_values_.clear();
  settled_.clear();
  launch_threads_ = finish_entry ? static_cast<int>(launch_.finish_threads) : s_.threads;
  all_live_ = s_.order == Order::Pointwise ||
              (s_.order == Order::Rows && s_.threads == s_.threads_per_row && !goes_across_);
  const Schedule main = s_;
  // Few parts of strips are left to join, by one thread for each column: that compiles faster than vectors of
  // them.
  if (finish_entry && s_.shares > 0) {
    if (!ragged_) s_.lanes = 1;
    s_.threads = launch_threads_, s_.threads_per_row = 1;
  }
  if (s_.order == Order::Pointwise)
    s_.tile_axis >= 0 ? tiled() : down_ >= 0 ? shelves() : pointwise();
  else if (columns_)
    columns(finish_entry);
  else if (finish_entry && goes_across_)
    finish_across();
  else
    rows();
  s_ = main;
  return code_.text();
}

// The entry's opening: the arguments under the names that the body uses.
std::string CudaEmitter::opening(const std::string& name, int threads) const {
  CodeText code;
  // Without a number ptxas leaves a third of the registers of a large block unused, which sums over pairs
  // need.
  const bool bound = s_.resident > 1 || (s_.run > 1 && s_.threads > 256);
  code.line("extern \"C\" __global__ void __launch_bounds__({}) {}(const __grid_constant__ Args args) {{",
            bound && threads == s_.threads ? format("{}, {}", threads, s_.resident) : std::to_string(threads),
            name);
  size_t word = 0;
  for (size_t b = 0; b < p_.buffers.size(); ++b) {
    std::string type = (p_.buffers[b].written ? "" : "const ") + dialect_.element_type(p_.buffers[b].dtype);
    code.line("{}* const b{} = ({}*)args.w[{}];", type, b, type, word++);
  }
  if (has_partials()) code.line("void* const partials = (void*)args.w[{}];", word++);
  if (launch_.counters > 0)
    code.line("unsigned int* const counters = (unsigned int*)args.w[{}];", launch_.counting);
  if (size_t count = p_.params.size() + extra_.size()) {
    std::string list;
    for (size_t k = 0; k < count; ++k) list += format("{}(I)args.w[{}]", k ? ", " : "", word++);
    code.line("const I p[] = {{{}}};", list);
  }
  for (size_t k = 0; k < p_.scalars.size(); ++k) {
    DType t = p_.scalars[k];
    if (t == DType::C128) {
      code.line("const c128 a{0} = {{*(const double*)&args.w[{1}], *(const double*)&args.w[{2}]}};", k, word,
                word + 1);
      word += 2;
    } else {
      code.line("const {} a{} = weft_unpack_{}(*(const {}*)&args.w[{}]);", dialect_.value_type(t), k,
                suffix(t), dialect_.element_type(t), word++);
    }
  }
  return code.text();
}

Emitted CudaEmitter::run() {
  launch_.threads = static_cast<uint32_t>(s_.threads);
  launch_.cluster = static_cast<uint32_t>(s_.cluster);
  int64_t steps = 1;
  for (int a : order_of(false)) steps *= a == lane_ ? lane_vectors() : extent(a).value;
  part_vectors_ = ceil_divide(steps, std::max<int64_t>(s_.split, s_.cluster));
  // A part has something to begin with.
  if (s_.chained) s_.split = std::max<int64_t>(ceil_divide(steps, part_vectors_), 1);
  if (s_.cluster > 1 && s_.keeper == Keeper::Shared) part_length_ = extra(part_vectors_);
  strip_columns_ = int64_t{s_.threads} / s_.threads_per_row * s_.lanes;
  if (s_.shares > 0) {
    const int64_t columns = p_.outer_count() / extent(lane_).value * lane_vectors();
    strips_ = share_out(ceil_divide(columns * s_.lanes, strip_columns_), s_.shares,
                        ceil_divide(steps, int64_t{s_.threads_per_row} * s_.unroll));
    s_.split = strips_.parts;
    launch_.tasks = strips_.tasks;
    launch_.finish_threads = 128;
    whole_ = extra(strips_.whole);
    shares_ = whole_;
    for (int64_t number : {strips_.periods, strips_.strips, strips_.shares, strips_.inverse, strips_.steps})
      shares_ += ", " + extra(number);
  } else if (s_.split > 1) {
    split_ = extra(s_.split);
    part_length_ = extra(ceil_divide(part_vectors_, s_.together) * s_.together);
    if (has_finish()) launch_.finish_threads = launch_.threads;
  }
  if (goes_across_) {
    const int64_t rows = s_.threads / s_.threads_per_row * s_.walk;
    walk_ = extra(s_.walk);
    part_count_ = ceil_divide(p_.outer_count(), rows) * (s_.threads / s_.threads_per_row);
    parts_ = extra(part_count_);
    launch_.finish_threads = kThreadsOfTotals;
  }
  for (size_t k = 0; k < p_.sweeps.size(); ++k) {
    declare_state(k);
    declare_scans(k);
  }
  if (totalling_) {
    totals_.before = p_.sweeps[0].before;
    totals_.body = scanned_only(p_.sweeps[0].body);
    batches_.push_back(plan_batch(totals_, 0));
  } else {
    for (size_t k = 0; k < p_.sweeps.size(); ++k)
      batches_.push_back(plan_batch(p_.sweeps[k], static_cast<int>(k)));
  }
  std::string main = entry(false);
  if (s_.room > joins_bytes_) launch_.shared_bytes = static_cast<uint32_t>(s_.room - joins_bytes_);
  if (totalling_) {
    totalling_ = false;
    batches_ = {plan_batch(p_.sweeps[0], 0)};
  }
  std::string finish_body = has_finish() ? entry(true) : "";

  size_t words = p_.buffers.size() + has_partials() + p_.params.size() + extra_.size();
  for (DType t : p_.scalars) words += t == DType::C128 ? 2 : 1;
  std::string text = format("struct Args {{ unsigned long long w[{}]; }};\n", std::max<size_t>(words, 1));
  if (s_.keeper == Keeper::Shared || s_.bundled || s_.strips_at_once > 0)
    text += "extern __shared__ __align__(16) unsigned char weft_shared[];\n";
  text += functions_;
  text += opening("WEFT_NAME", s_.threads) + main + "}\n";
  if (has_finish())
    text += opening("WEFT_NAME_finish", static_cast<int>(launch_.finish_threads)) + finish_body + "}\n";
  text = cuda_support(text, wide_) + text;
  text = prelude_for(PreludeTarget::Cuda, 0, text) + text;

  Emitted out;
  out.source.hash = hash_text(text);
  out.source.name = "weft_" + to_string(out.source.hash).substr(0, 16);
  for (size_t at; (at = text.find("WEFT_NAME")) != std::string::npos;) text.replace(at, 9, out.source.name);
  out.source.text = std::move(text);
  out.launch = launch_;
  out.params = p_.params;
  out.params.insert(out.params.end(), extra_.begin(), extra_.end());
  out.partial_bytes = partial_bytes_;
  return out;
}

Emitted emit_cuda(const RowProgram& program, const Schedule& schedule, bool contract) {
  return CudaEmitter(program, schedule, contract).run();
}

}  // namespace weft::emit
