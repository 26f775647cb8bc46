#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// The entry of programs whose threads walk columns down.

// Where a part of the thread's column lies among those of all columns. Whole strips have one part.
std::string CudaEmitter::place_of_part(const std::string& part) const {
  const std::string columns =
      s_.shares > 0 ? format("(n - {} * {})", whole_, strip_columns_ / s_.lanes) : "n";
  return format("((long long){} * {} + column) * {} + e", part, columns, s_.lanes);
}

// Totals of the parts first, first + step, … below `end` of the thread's columns.
void CudaEmitter::total_parts(const std::string& first, const std::string& end, int step) {
  start_totals(0);
  code_.loop("for (I part = {}; part < {}; part += {}) {{", first, end, step);
  code_.unrolled("e", s_.lanes);
  code_.line("join0(s0[e], ((const S0*)partials)[{}]);", place_of_part("part"));
  code_.add("}");
  code_.add("}");
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
                      : split && !finish_entry ? format("(I)({})", quotient("blockIdx.x", split_, s_.split))
                      : s_.cluster > 1         ? format("(I)(blockIdx.x / {})", s_.cluster)
                                               : "(I)blockIdx.x";
  code_.line("I q = {} * {} + tx;", block, own_columns());
  if (!shared_out)
    (finishing ? launch_.finish_tasks : launch_.tasks) =
        (vectors + own_columns() - 1) / own_columns() * (finish_entry ? 1 : s_.split * s_.cluster);
  if (in_turns) launch_.tasks = std::min(launch_.tasks, s_.strips_at_once * s_.cluster);
  code_.add("const bool live = q < n;");
  code_.add("q = weft_min(q, n - 1);");
  if (split || s_.overlap > 0) code_.add("const I column = q;");
  if (s_.overlap > 0) code_.line("const I own = {} * {};", block, own_columns());
  split_position(outer, false);
  std::string first = groups > 1 ? "live && ty == 0" : "live";
  if (!in_turns) room_for_joins();
  if (s_.cluster > 1) first += " && rank == 0";
  if (s_.overlap > 0) first += format(" && tx < {}", own_columns());
  if (finish_entry) {
    outer_code(p_.sweeps[0].before, first);
    code_.line("const I parts = weft_parts(column / {}, {});", strip_columns_ / s_.lanes, shares_);
    total_parts("ty", "parts", groups);
    join_columns(0);
    conclude(first);
    return;
  }
  if (!in_turns) code_.line("const I m = {};", count_of(order_of(false)));
  const std::string place_in_row = s_.together > 1 ? format("ty * {}", s_.together) : "ty";
  std::string start = place_in_row, end = "m";
  if (shared_out) {
    const int step = groups * s_.unroll;
    code_.line("const I k = mine.part, begin = mine.begin * {0}, end = weft_min(mine.end * {0}, m);", step);
  } else if (split) {
    code_.line("const I k = (I)({});", part_of_block());
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
    if (copied_ > 0) code_.line("const I strip = {} * {};", block, own_columns());
    shared_rows(across + copied_, "tx");
    if (s_.ahead) copy_ahead(start, std::to_string(groups), end);
  }
  met_ = in_turns;
  if (whole_rows_ && !in_turns)
    for (Value v : kept_) code_.line("{} k{}[{}];", vector_type(p_.values[v].dtype), v, s_.unroll);
  if (finishing) {
    totalling_ = true;
    total_parts("0", "k", 1);
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
      code_.line("((S0*)partials)[{}] = s0[e];", place_of_part("k"));
      code_.add("}");
      code_.add("}");
      const int64_t once = s_.shares > 0 ? strips_.whole * across : 0;
      partial_bytes_ = state_bytes_[0] * s_.lanes * (once + (vectors - once) * s_.split);
      // Parts of scanned columns are scanned, and those of strips that are shared out joined, by an entry of
      // their own.
      if (has_finish()) return;
      begin_last();
      total_parts("ty", split_, groups);
      join_columns(0);
      conclude(first);
      code_.add("}");
      return;
    }
    finish(number);
    settle(*b.sweep);
  }
  outer_code(p_.epilogue, first);
  if (in_turns) code_.add("}");
}

}  // namespace weft::emit
