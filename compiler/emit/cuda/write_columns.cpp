// Programs whose threads walk columns down: neighbouring threads take neighbouring columns, a block a strip
// of them, and several threads may share a column.
#include "compiler/emit/cuda/accumulators.h"
#include "compiler/emit/cuda/join.h"
#include "compiler/emit/cuda/online_softmax.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/scan.h"
#include "compiler/emit/cuda/shapes.h"
#include "compiler/emit/cuda/shared_memory.h"
#include "compiler/emit/cuda/statement.h"
#include "compiler/emit/cuda/totals.h"
#include "compiler/emit/cuda/write_batch.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

bool in_turns(const ColumnsShape& shape) { return shape.strips_at_once > 0; }

// Whether the entry joins the parts of strips in shares, and nothing else.
bool joins_shares(const Entry& e) { return e.own.is_finish && !e.layout.facts.scans; }

bool takes_share(const Entry& e, const ColumnsShape& shape) { return shape.has_shares && !e.own.is_finish; }

// How far it is from a strip to the next one, in this entry's vectors.
int own_columns(const Entry& e, const ColumnsShape& shape) { return e.beside() - shape.overlap; }

// ---- parts

// Where a part of the thread's column lies among those of all columns. Whole strips have one part.
std::string place_of_part(const Entry& e, const ColumnsShape& shape, const std::string& part) {
  const std::string columns =
      shape.has_shares ? format("(n - {} * {})", e.numbers.whole, shape.strip_columns / e.own.lanes) : "n";
  return format("((long long){} * {} + column) * {} + e", part, columns, e.own.lanes);
}

// Joins the totals of the parts first, first + step, … below `end` of the thread's columns.
void total_parts(Entry& e, const ColumnsShape& shape, const std::string& first, const std::string& end,
                 int step) {
  e.code.loop("for (I part = {}; part < {}; part += {}) {{", first, end, step);
  e.code.unrolled("e", e.own.lanes);
  e.code.line("join0(s0[e], ((const S0*)partials)[{}]);", place_of_part(e, shape, "part"));
  e.code.add("}");
  e.code.add("}");
}

// What the parts before the thread's own have.
void total_parts_before(Entry& e, const ColumnsShape& shape) {
  e.code.line("S0 s0[{}];", e.own.lanes);
  e.code.unrolled("e", e.own.lanes);
  start_state(e, "s0[e]", e.layout.states[0].accumulators);
  e.code.add("}");
  total_parts(e, shape, "0", "k", 1);
}

void store_part(Entry& e, const ColumnsShape& shape, const std::string& first) {
  e.code.line("if ({}) {{", first);
  e.code.unrolled("e", e.own.lanes);
  e.code.line("((S0*)partials)[{}] = s0[e];", place_of_part(e, shape, "k"));
  e.code.add("}");
  e.code.add("}");
}

// Parts of scanned columns are scanned, and those of strips that are shared out joined, by an entry of their
// own; others by the last block of a strip.
void join_last(Entry& e, const ColumnsShape& shape, const std::string& first) {
  if (e.layout.finish) return;
  begin_last(e);
  start_totals(e, 0);
  total_parts(e, shape, "ty", e.numbers.parts, e.own.threads_per_row);
  join_columns(e, 0);
  finish_totals(e, 0);
  outer_code(e, e.program.epilogue, first);
  e.code.add("}");
}

// ---- strips in turn

void copy_strip_ahead(Entry& e, const ColumnsShape& shape, const std::string& strip,
                      const std::string& start) {
  copy_next(e, format("weft_min({} * {} + tx, n - 1)", strip, own_columns(e, shape)),
            format("{} + u * {}", start, e.own.threads_per_row), "m");
}

// Opens the loop in which blocks take strips of columns in turn: one is computed in registers while the next
// is copied to shared memory. Each thread copies what it alone reads, a strip ahead of what it has in
// registers.
void open_turns(Entry& e, const ColumnsShape& shape, const std::string& start) {
  Writer& code = e.code;
  const int own = own_columns(e, shape), blocks = e.layout.cluster.blocks;
  declare_ahead(e);
  code.line("const I strips = (n + {}) / {}, at_once = {};", own - 1, own,
            e.arguments.add(shape.strips_at_once));
  if (blocks > 1) code.add("weft_await();");
  const std::string strip = blocks > 1 ? format("(I)(blockIdx.x / {})", blocks) : "(I)blockIdx.x";
  copy_strip_ahead(e, shape, strip, start);
  code.loop("for (I strip = {}, turn = 0; strip < strips; strip += at_once, ++turn) {{", strip);
  // Or what is computed of each place would stay in registers from turn to turn.
  code.line("const I place = weft_again({});", start);
  for (Value v : e.layout.facts.crossing)
    code.line("{} k{}[{}];", e.vector_type(e.dtype(v)), v, e.own.unroll);
  if (e.layout.shared.ahead.empty()) return;
  take_ahead(e);
  code.add("if (strip + at_once < strips) {");
  copy_strip_ahead(e, shape, "(strip + at_once)", "place");
  code.add("}");
}

// ---- the thread's column and steps

// The block's rank in its cluster, and where the thread begins in the row.
std::string open_cluster(Entry& e) {
  const int blocks = e.layout.cluster.blocks;
  if (blocks == 1) return "ty";
  e.code.line("const I rank = (I)(blockIdx.x % {});", blocks);
  begin_cluster(e);
  return format("rank * {} + ty", e.own.threads_per_row * e.own.unroll);
}

// The number of the block's strip.
std::string strip_of_block(Entry& e, const ColumnsShape& shape) {
  if (in_turns(shape)) return "strip";
  if (takes_share(e, shape)) return "mine.strip";
  return joins_shares(e) ? "(I)blockIdx.x" : row_of_block(e);
}

// The column of the thread, as axis positions and `live`. The number of the block's strip.
std::string open_column(Entry& e, const ColumnsShape& shape) {
  Writer& code = e.code;
  const int own = own_columns(e, shape), across = e.beside();
  code.line("const I n = {};", count_of(e, outer_axes(e)));
  code.line("const I tx = (I)(threadIdx.x % {0}), ty = (I)(threadIdx.x / {0});", across);
  if (in_turns(shape)) {
    declare_joins(e);
    code.line("const I m = {};", count_of(e, row_axes(e)));
    open_turns(e, shape, open_cluster(e));
  }
  if (takes_share(e, shape))
    code.line("const Share mine = weft_take_share((I)blockIdx.x, {});", e.numbers.share);
  const std::string strip = strip_of_block(e, shape);
  code.line("I q = {} * {} + tx;", strip, own);
  code.add("const bool live = q < n;");
  code.add("q = weft_min(q, n - 1);");
  if (e.layout.parts.count > 1 || shape.overlap > 0) code.add("const I column = q;");
  if (shape.overlap > 0) code.line("const I own = {} * {};", strip, own);
  split_position(e, outer_axes(e), false);
  if (!in_turns(shape)) declare_joins(e);
  return strip;
}

// The one thread of a column that stores what is known once for it.
std::string when_first(const Entry& e, const ColumnsShape& shape) {
  std::string first = e.own.threads_per_row > 1 ? "live && ty == 0" : "live";
  if (e.layout.cluster.blocks > 1) first += " && rank == 0";
  if (shape.overlap > 0) first += format(" && tx < {}", own_columns(e, shape));
  return first;
}

// The part of the column that the block takes.
void declare_part(Entry& e, const ColumnsShape& shape) {
  Writer& code = e.code;
  if (shape.has_shares) {
    const int step = e.own.threads_per_row * e.own.unroll;
    code.line("const I k = mine.part, begin = mine.begin * {0}, end = weft_min(mine.end * {0}, m);", step);
  } else if (e.layout.parts.count > 1) {
    code.line("const I k = (I)({});", part_of_block(e));
    code.line("const I begin = k * {};", e.numbers.part_length);
    code.line("const I end = weft_min(begin + {}, m);", e.numbers.part_length);
  }
}

// Which steps of the column the thread takes.
Steps steps_of_column(Entry& e, const ColumnsShape& shape, const Batch& b) {
  const bool is_part = e.layout.parts.count > 1, is_shared = e.layout.shared.holds_rows;
  const std::string place = b.together > 1 ? format("ty * {}", b.together) : "ty";
  if (!in_turns(shape)) e.code.line("const I m = {};", count_of(e, row_axes(e)));
  declare_part(e, shape);
  Steps s{place, std::to_string(e.own.threads_per_row), "m", !e.layout.vectors.whole_row, "ty"};
  if (is_part) s.start = "begin + " + place, s.end = "end", s.single_start = "begin + ty";
  if (e.layout.cluster.blocks > 1) s.start = in_turns(shape) ? "place" : open_cluster(e);
  if (!is_shared) return s;
  s.start = "ty";
  if (e.layout.cluster.blocks > 1) {
    e.code.line("const I begin = rank * {};", e.numbers.part_length);
    e.code.line("const I end = weft_min(begin + {}, m);", e.numbers.part_length);
    s.start = "begin + ty", s.end = "end";
  }
  return s;
}

// Makes room for what stays between sweeps, and brings what is copied ahead.
void open_memory(Entry& e, const ColumnsShape& shape, const std::string& strip, const Steps& s) {
  if (e.layout.shared.holds_rows) {
    if (shape.copied > 0) e.code.line("const I strip = {} * {};", strip, own_columns(e, shape));
    shared_rows(e, "tx");
    if (shape.is_ahead) copy_ahead(e, s.start, s.step, s.end);
  } else if (e.layout.vectors.whole_row && !in_turns(shape)) {
    for (Value v : e.layout.facts.crossing)
      e.code.line("{} k{}[{}];", e.vector_type(e.dtype(v)), v, e.own.unroll);
  }
}

// The batch of a sweep, between the start of its accumulators and their joins.
void write_sweep(Entry& e, const Batch& b, const Steps& steps) {
  const auto number = static_cast<size_t>(b.number);
  const bool whole_row = e.layout.vectors.whole_row;
  start_totals(e, number);
  start_bases(e, number);
  start_scans(e, number, e.own.is_finish ? "s0[e].t0" : "");
  if (whole_row) {
    e.code.add("{");
    start_runs(e, number);
  }
  write_batch(e, b, steps);
  if (whole_row) {
    flush_runs(e, number);
    e.code.add("}");
  }
  join_columns(e, number);
}

// The parts of a strip's columns, whose totals another block has each.
void join_shares(Entry& e, const ColumnsShape& shape, const std::string& first) {
  outer_code(e, e.program.sweeps[0].before, first);
  e.code.line("const I parts = weft_parts(column / {}, {});", shape.strip_columns / e.own.lanes,
              e.numbers.share);
  start_totals(e, 0);
  total_parts(e, shape, "ty", "parts", e.own.threads_per_row);
  join_columns(e, 0);
  finish_totals(e, 0);
  outer_code(e, e.program.epilogue, first);
}

}  // namespace

void write_columns(Entry& e, const ColumnsShape& shape) {
  const std::string strip = open_column(e, shape);
  const std::string first = when_first(e, shape);
  if (joins_shares(e)) return join_shares(e, shape, first);
  const Steps steps = steps_of_column(e, shape, e.own.batches[0]);
  open_memory(e, shape, strip, steps);
  if (e.own.is_finish) total_parts_before(e, shape);
  for (auto& b : e.own.batches) {
    outer_code(e, b.sweep->before, first);
    write_sweep(e, b, steps);
    if (e.layout.parts.count > 1 && !e.own.is_finish) {
      store_part(e, shape, first);
      return join_last(e, shape, first);
    }
    finish_totals(e, static_cast<size_t>(b.number));
    settle(e, *b.sweep);
  }
  outer_code(e, e.program.epilogue, first);
  if (in_turns(shape)) e.code.add("}");
}

}  // namespace weft::emit
