// Programs whose threads share rows: a warp or a part of one, a block, a cluster, or blocks of the whole
// device.
#include <algorithm>

#include "compiler/emit/cuda/across.h"
#include "compiler/emit/cuda/join.h"
#include "compiler/emit/cuda/look_back.h"
#include "compiler/emit/cuda/online_softmax.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/scan.h"
#include "compiler/emit/cuda/shapes.h"
#include "compiler/emit/cuda/shared_memory.h"
#include "compiler/emit/cuda/statement.h"
#include "compiler/emit/cuda/totals.h"
#include "compiler/emit/cuda/values.h"
#include "compiler/emit/cuda/write_batch.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

bool is_whole_block(const Entry& e) { return e.own.threads == e.own.threads_per_row; }

// Where a part of a scanned row looks back, warps walk runs of it by themselves.
int walking_threads(const Entry& e) { return e.layout.parts.look_back ? 32 : e.own.threads_per_row; }

// Blocks that keep a row in registers take their steps together, as threads do.
int walking_blocks(const Entry& e) { return e.layout.vectors.whole_row ? e.layout.cluster.blocks : 1; }

std::string thread_of_cluster(const Entry& e) {
  return e.layout.cluster.blocks > 1 ? format("rank * {} + t", e.own.threads_per_row) : "t";
}

std::string when_first(const Entry& e) {
  return e.layout.cluster.blocks > 1 ? "live && t == 0 && rank == 0" : "live && t == 0";
}

void declare_rank(Entry& e) {
  if (e.layout.cluster.blocks > 1)
    e.code.line("const I rank = (I)(blockIdx.x % {});", e.layout.cluster.blocks);
}

// The row of the thread, as q, of which the block's begin at `first`.
void declare_row(Entry& e, const std::string& first) {
  if (is_whole_block(e))
    e.code.line("I q = {};", first);
  else
    e.code.line("I q = {} + (I)(threadIdx.x / {});", first, e.own.threads_per_row);
}

void declare_kept(Entry& e) {
  for (Value v : e.layout.facts.crossing)
    e.code.line("{} k{}[{}];", e.vector_type(e.dtype(v)), v, e.own.unroll);
}

// Copies the thread's vectors of a row of the block that begins at `first`.
void copy_row(Entry& e, const std::string& first) {
  const int threads = e.own.threads_per_row;
  const std::string row =
      is_whole_block(e) ? first : format("weft_min({} + (I)(threadIdx.x / {}), n - 1)", first, threads);
  copy_next(e, row, format("{} + u * {}", thread_of_cluster(e), threads * e.layout.cluster.blocks), "m");
}

// Opens the loop over the rows that a block takes one after another.
void open_walk(Entry& e, const RowsShape& shape, const std::string& block, const std::string& row_steps) {
  Writer& code = e.code;
  const std::string& walk = e.numbers.rows;
  const int rows = e.beside();
  const bool is_cluster = e.layout.cluster.blocks > 1;
  declare_rank(e);
  code.line("const I walker = {};", block);
  code.line("const I m = {};", row_steps);
  start_across(e);
  if (is_cluster) {
    begin_cluster(e);
    code.add("weft_await();");
  }
  code.line("const I rows_end = weft_min(walker * {0} + {0}, n);", walk);
  if (shape.is_bundled) declare_bundles(e);
  if (shape.is_ahead && shape.is_bundled) {
    copy_bundle(e, format("walker * {}", walk), format("weft_min(n - walker * {}, {})", walk, rows));
  } else if (shape.is_ahead) {
    declare_ahead(e);
    copy_row(e, format("walker * {}", walk));
  }
  if (is_cluster) code.add("unsigned int turn = 0;");
  code.loop("for (I first = walker * {}; first < rows_end; first += {}{}) {{", walk, rows,
            is_cluster ? ", ++turn" : "");
  declare_row(e, "first");
}

// The thread's row, as axis positions and `live`.
void open_row(Entry& e, const RowsShape& shape) {
  Writer& code = e.code;
  const PartLayout& parts = e.layout.parts;
  code.line("const I n = {};", count_of(e, outer_axes(e)));
  if (parts.look_back) take_number(e);
  code.line("const I t = (I){};",
            is_whole_block(e) ? "threadIdx.x" : format("(threadIdx.x % {})", e.own.threads_per_row));
  const std::string block =
      parts.look_back ? format("(I)({})", e.arguments.quotient("number", e.numbers.parts, parts.count))
                      : row_of_block(e);
  // Rows are bundled that are so short that few numbers, which the text may know, are all that there are.
  const std::string row_steps =
      shape.is_bundled ? std::to_string(e.program.row_count()) : count_of(e, row_axes(e));
  if (e.layout.facts.totals_across) {
    open_walk(e, shape, block, row_steps);
  } else {
    declare_row(e, is_whole_block(e) ? block : format("{} * {}", block, e.beside()));
    declare_rank(e);
  }
  if (is_whole_block(e)) {
    code.add("const bool live = true;");
  } else {
    code.add("const bool live = q < n;");
    code.add("q = weft_min(q, n - 1);");
  }
  if (parts.count > 1 || e.layout.cluster.device_wide) code.add("const I row = q;");
  if (parts.count > 1 && !parts.look_back) take_ticket(e);
  split_position(e, outer_axes(e), false);
  if (!e.layout.facts.totals_across) code.line("const I m = {};", row_steps);
}

// Finds the thread's section of the row. The thread's place there.
std::string take_section(Entry& e, const RowsShape& shape) {
  const int threads = shape.section_threads, beside = e.own.threads / threads;
  e.code.line("q = {}t / {};", e.layout.cluster.blocks > 1 ? format("rank * {} + ", beside) : "", threads);
  const int outer = e.layout.facts.outer_axes;
  std::vector<int> order;
  for (int a = outer + e.program.section_axes; a-- > outer;) order.push_back(a);
  split_position(e, order, false);
  start_totals(e, e.program.sweeps.size());
  return format("t % {}", threads);
}

// Which steps of the row the thread takes.
Steps steps_of_row(Entry& e, const RowsShape& shape) {
  Writer& code = e.code;
  const PartLayout& parts = e.layout.parts;
  const bool has_sections = e.program.section_axes > 0;
  const int step = has_sections ? shape.section_threads : walking_threads(e) * walking_blocks(e);
  Steps s{walking_blocks(e) > 1 ? thread_of_cluster(e) : "t", std::to_string(step), "m",
          !e.layout.vectors.whole_row};
  if (parts.look_back)
    code.line("const I k = (I)({});", e.arguments.remainder("number", e.numbers.parts, parts.count));
  if (has_sections) s.start = take_section(e, shape);
  if (parts.count > 1 || (e.layout.cluster.blocks > 1 && !e.layout.vectors.whole_row)) {
    const std::string part = parts.look_back   ? "k"
                             : parts.count > 1 ? format("(I)({})", part_of_block(e))
                                               : "rank";
    code.line("const I begin = {} * {};", part, e.numbers.part_length);
    code.line("const I end = weft_min(begin + {}, m);", e.numbers.part_length);
    s.start = "begin + t", s.end = "end";
  }
  if (parts.look_back) {
    // Each warp scans a run of the part by itself.
    const int warps = e.own.threads / 32;
    code.line("const I run = ({} + {}) / {};", e.numbers.part_length, warps - 1, warps);
    code.add("const I lane = t % 32, from = begin + t / 32 * run, stop = weft_min(from + run, end);");
    s.start = "from + lane", s.end = "stop";
  }
  return s;
}

// Makes room for what stays between sweeps, and brings what was copied ahead.
void open_memory(Entry& e, const RowsShape& shape, const Steps& s) {
  if (e.layout.shared.holds_rows)
    shared_rows(e, format("(I)(threadIdx.x / {})", e.own.threads_per_row));
  else if (e.layout.vectors.whole_row)
    declare_kept(e);
  if (!shape.is_ahead || shape.is_bundled) return;
  if (!e.layout.facts.totals_across) return copy_ahead(e, s.start, s.step, s.end);
  take_ahead(e);
  if (e.layout.shared.ahead.empty()) return;
  e.code.line("if (first + {} < rows_end) {{", e.beside());
  copy_row(e, format("first + {}", e.beside()));
  e.code.add("}");
}

// The batch of a sweep, between the start of its accumulators and their joins.
void write_sweep_of_rows(Entry& e, const Batch& b, const Steps& steps) {
  const auto number = static_cast<size_t>(b.number), sections = e.program.sweeps.size();
  const bool whole_row = e.layout.vectors.whole_row, has_sections = !b.sweep->section_totals.empty();
  start_totals(e, number);
  start_bases(e, number);
  start_scans(e, number, e.layout.parts.look_back ? "before.t1" : "");
  if (whole_row) {
    e.code.add("{");
    start_runs(e, number);
    if (has_sections) start_runs(e, sections);
  }
  Steps s = steps;
  // Without the thread's own place, where all take their steps together.
  if (b.scans_row && !whole_row) s.start = e.layout.parts.count > 1 ? "from" : "0";
  write_batch(e, b, s);
  if (!whole_row) return;
  flush_runs(e, number);
  if (has_sections) flush_runs(e, sections);
  e.code.add("}");
}

void store_sections(Entry& e, const RowsShape& shape) {
  const size_t all = e.program.sweeps.size();
  join_in_block(e, all, shape.section_threads);
  finish_totals(e, all);
  for (auto& sweep : e.program.sweeps)
    outer_code(e, sweep.after_section, format("t % {} == 0", shape.section_threads));
}

// Closes the loop over rows. One row's join writes what the threads of the row before may still read, unless
// another barrier is between.
void close_walk(Entry& e) {
  const auto joins = std::ranges::count_if(
      e.own.batches, [&](auto& b) { return !joined_after(e, static_cast<size_t>(b.number)).empty(); });
  if (e.own.threads_per_row > 32 && joins == 1) e.code.add("__syncthreads();");
  e.code.add("}");
}

}  // namespace

void write_rows(Entry& e, const RowsShape& shape) {
  if (e.own.is_finish) return finish_across(e);
  const PartLayout& parts = e.layout.parts;
  const bool across = e.layout.facts.totals_across;
  const int threads = walking_threads(e);
  const std::string first = when_first(e);
  open_row(e, shape);
  if (shape.is_bundled) bundle_rows(e);
  const Steps steps = steps_of_row(e, shape);
  if (e.layout.cluster.blocks > 1 && !across) begin_cluster(e);
  open_memory(e, shape, steps);
  for (auto& b : e.own.batches) {
    const auto number = static_cast<size_t>(b.number);
    outer_code(e, b.sweep->before, first);
    write_sweep_of_rows(e, b, steps);
    if (shape.is_ahead && shape.is_bundled && b.number == shape.last_to_read) copy_next_bundle(e);
    if (parts.look_back) {
      if (b.number == 0) look_back(e);
      settle(e, *b.sweep);
      continue;
    }
    join_row(e, number, threads);
    if (parts.count > 1) {
      collect_parts(e, threads);
      finish_totals(e, 0);
      outer_code(e, e.program.epilogue, first);
      e.code.add("}");
      return;
    }
    finish_totals(e, number);
    settle(e, *b.sweep);
  }
  outer_code(e, e.program.epilogue, first);
  if (e.program.section_axes > 0) store_sections(e, shape);
  if (shape.is_bundled) unbundle_rows(e);
  if (!across) return;
  close_walk(e);
  store_across(e);
}

}  // namespace weft::emit
