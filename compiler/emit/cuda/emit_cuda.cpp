#include "compiler/emit/cuda/emit_cuda.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/emit/cuda/cuda_emitter.h"
#include "compiler/emit/cuda/inverse.h"
#include "compiler/emit/cuda/text.h"
#include "compiler/emit/prelude/prelude.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

CudaEmitter::CudaEmitter(const RowProgram& p, const CudaSchedule& s, bool contract)
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
    if (!reference_ || columns_ || s.tile_axis >= 0 || p.row.size() > 1 || p.reduces_points() || p.scans())
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
  if (s.overlap > 0 && (!columns_ || kept_.empty() || p.scans() || s.lanes > 1 || s.split > 1 ||
                        widest_sector(p, lane_) == 0 || s.overlap < widest_sector(p, lane_) ||
                        s.overlap >= s.threads / s.threads_per_row))
    throw InternalError("emit cuda: strips of single columns that stay overlap by a sector or more");
  if (s.bundled && (s.order != Order::Rows || p.outer.size() != 1 || p.row.size() != 1 || s.lanes > 1 ||
                    s.threads / s.threads_per_row % 16 != 0 || s.split > 1 || s.keeper == Keeper::Shared))
    throw InternalError("emit cuda: sixteen short rows or more are bundled");
  if (s.bundled && s.ahead && last_to_read_bundles(p, lane_) < 0)
    throw InternalError("emit cuda: bundled rows come ahead where they are read alone");
  bool keeps = s.keeper == Keeper::Registers || s.keeper == Keeper::Shared;
  if (s.cluster > 1 &&
      ((!keeps && !s.device_wide) || s.split > 1 || (!columns_ && s.threads_per_row != s.threads)))
    throw InternalError("emit cuda: a cluster takes one row or strip, in registers or shared memory");
  if (s.device_wide && (s.order != Order::Rows || (!whole_rows_ && s.keeper != Keeper::Reload) ||
                        s.cluster < 2 || s.cluster > s.threads))
    throw InternalError("emit cuda: blocks that meet in memory keep a row in registers, or read it again");
  exact_ &= !s.shifted;
  if (s.order == Order::Rows && s.keeper != Keeper::Shared && s.split == 1 && !p.scans()) find_sure_vectors();
  if (s.room > 0 && (!columns_ || s.keeper == Keeper::Shared))
    throw InternalError("emit cuda: shared memory is kept free for blocks that use none but to join");
  if (s.together > 1) {
    if (!columns_ || s.unroll != s.together || p.row.back().value % s.together != 0)
      throw InternalError("emit cuda: neighbours of the row are a batch of columns");
    exact_ = true;
  }
  if (s.run > 1 && !columns_) throw InternalError("emit cuda: columns alone have runs of several batches");
  if (s.ahead && s.keeper != Keeper::Shared && s.together == 1 && !p.reduces_points())
    throw InternalError("emit cuda: only rows in shared memory, or in turn, and neighbours are loaded ahead");
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
  goes_across_ = p.reduces_points();
  if (s.walk > 1 && !goes_across_) throw InternalError("emit cuda: rows are walked for totals across them");
  if (goes_across_ && (s.order != Order::Rows || !whole_rows_ || s.split > 1 || s.device_wide))
    throw InternalError("emit cuda: totals across rows stay in registers, of rows of a block or a cluster");
  check_sections();
  two_level_ = !p.row.empty() && (!keeps || run > 128 || s.chained ||
                                  (whole_rows_ && !columns_ && !goes_across_ && kept_.empty()));
}

void CudaEmitter::find_sure_vectors() {
  const int64_t at_once = int64_t{s_.threads_per_row} * s_.cluster;
  const int64_t vectors = p_.row_count() / std::max<int64_t>(extent(lane_).value, 1) * lane_vectors();
  if (vectors > at_once * s_.unroll || (ragged_ && p_.row.size() > 1)) return;
  // The last vector of a shifted row has something of it for some rows only, and the one before may have but
  // a part.
  const int64_t unsure = s_.shifted ? 2 : ragged_ ? 1 : 0;
  sure_ = static_cast<int>(std::max<int64_t>(vectors - unsure, 0) / at_once);
  // Where instructions take long, all threads of a warp often have none left to compute. Others are faster
  // when nobody asks.
  const bool slow = std::ranges::any_of(p_.values, [](auto& v) { return v.dtype == DType::F64; });
  skips_last_ = slow && sure_ > 0 && sure_ < s_.unroll && !exact_;
}

int64_t CudaEmitter::lane_vectors() const {
  const int64_t elements = extent(lane_).value;
  return s_.shifted ? (elements + 2 * s_.lanes - 2) / s_.lanes : ceil_divide(elements, s_.lanes);
}

std::string CudaEmitter::from_first(const std::string& first) const {
  return sure_ == 0 ? first : format("u == 0 ? {} : 0", first);
}

std::string CudaEmitter::until_last(const std::string& last) const {
  return sure_ == 0 ? last : format("u < {} ? {} : {}", sure_, s_.lanes, last);
}

int CudaEmitter::phase_of(const Index& at) const {
  if (!s_.shifted) return vector_phase(p_, at, lane_, s_.lanes, varies_);
  return aligned_alike(p_, at, *reference_, lane_, s_.lanes) ? 0 : -1;
}

std::string CudaEmitter::extra(int64_t value) {
  extra_.push_back(value);
  return format("p[{}]", p_.params.size() + extra_.size() - 1);
}

// What weft_quotient_by takes behind x.
std::string CudaEmitter::inverse(const std::string& n, int64_t value) {
  std::string& words = inverses_of_[n];
  if (words.empty()) {
    const CudaInverse by = cuda_inverse(value);
    words = extra(by.factor);
    words += ", " + extra(by.shift);
  }
  return words;
}

std::string CudaEmitter::quotient(const std::string& x, const std::string& n, int64_t value) {
  if (value < 2) return format("{} / (unsigned int){}", x, n);
  return format("weft_quotient_by({}, {})", x, inverse(n, value));
}

std::string CudaEmitter::remainder(const std::string& x, const std::string& n, int64_t value) {
  return format("{} - {} * (unsigned int){}", x, quotient(x, n, value), n);
}

std::string CudaEmitter::split(const std::string& x, const std::string& n, int64_t value) {
  if (wide_ || value < 2) return format("weft_split({}, {})", x, n);
  return format("weft_split_by({}, {}, {})", x, n, inverse(n, value));
}

std::string CudaEmitter::part_of_block() { return remainder("blockIdx.x", split_, s_.split); }

// ---- positions

// Axes of the outer points or of the row, the one that neighbouring threads walk first.
// Threads of a row have sections of their own, each of which is a row to them.
std::vector<int> CudaEmitter::order_of(bool outer) const {
  int first = outer ? 0 : outer_axes_ + p_.section_axes;
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

int64_t CudaEmitter::steps_along(int axis) const {
  return axis == lane_ ? lane_vectors() : extent(axis).value;
}

// From the step number q to the position on each axis.
void CudaEmitter::split_position(const std::vector<int>& order, bool of_batch) {
  for (size_t k = 0; k < order.size(); ++k) {
    int a = order[k];
    std::string step = k + 1 == order.size() ? "q" : split("q", count_of({a}), steps_along(a));
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
  const bool sure = of_batch && sure_ > 0;
  if (sure) code_.line("if (u >= {}) {{", sure_);
  if (of_batch) code_.line("ok[u] = ok[u] & ({} < {});", position, end);
  code_.line("{0} -= {0} < {1} ? 0 : {2};", position, end, s_.lanes);
  if (sure) code_.add("}");
}

// ---- entries

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

std::string CudaEmitter::entry(bool finish_entry) {
  code_ = CodeText(1);
  outer_values_.clear();
  settled_.clear();
  launch_threads_ = finish_entry ? static_cast<int>(launch_.finish_threads) : s_.threads;
  all_live_ = s_.order == Order::Pointwise || (s_.order == Order::Rows && s_.threads == s_.threads_per_row);
  const CudaSchedule main = s_;
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
  // need, and a batch's loads.
  const bool bound = s_.resident > 1 || (s_.run > 1 && s_.threads > 256) || s_.threads == 1024;
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
  (s_.device_wide ? launch_.meeting : launch_.cluster) = static_cast<uint32_t>(s_.cluster);
  int64_t steps = 1;
  for (int a : order_of(false)) steps *= a == lane_ ? lane_vectors() : extent(a).value;
  part_vectors_ = ceil_divide(steps, std::max<int64_t>(s_.split, s_.cluster));
  // A part has something to begin with.
  if (s_.chained) s_.split = std::max<int64_t>(ceil_divide(steps, part_vectors_), 1);
  if (s_.cluster > 1 && (s_.keeper == Keeper::Shared || s_.keeper == Keeper::Reload))
    part_length_ = extra(part_vectors_);
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
    walk_ = extra(rows);
    part_count_ = ceil_divide(p_.outer_count(), rows);
    part_vectors_ = steps;
    parts_ = extra(part_count_);
    launch_.finish_threads = static_cast<uint32_t>(std::clamp(threads_down() * 32, 128, kThreadsOfTotals));
  }
  for (size_t k = 0; k < p_.sweeps.size(); ++k) {
    declare_state(k);
    declare_scans(k);
  }
  if (p_.section_axes > 0) declare_state(p_.sweeps.size());
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
  if (s_.keeper == Keeper::Shared || s_.bundled || s_.strips_at_once > 0 || (goes_across_ && s_.ahead))
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

Emitted emit_cuda(const RowProgram& program, const CudaSchedule& schedule, bool contract) {
  return CudaEmitter(program, schedule, contract).run();
}

}  // namespace weft::emit
