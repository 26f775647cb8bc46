#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// The entry of programs whose threads share rows.

void CudaEmitter::rows() {
  int threads = s_.threads_per_row;
  auto outer = order_of(true);
  bool split = s_.split > 1;
  int64_t points = p_.outer_count(), rows = s_.threads / s_.threads_per_row;
  code_.line("const I n = {};", count_of(outer));
  const bool whole_block = rows == 1;
  if (s_.chained) take_number();
  code_.line("const I t = (I){};", whole_block ? "threadIdx.x" : format("(threadIdx.x % {})", threads));
  std::string block = s_.chained       ? format("(I)({})", quotient("number", split_, s_.split))
                      : split          ? format("(I)({})", quotient("blockIdx.x", split_, s_.split))
                      : s_.cluster > 1 ? format("(I)(blockIdx.x / {})", s_.cluster)
                                       : "(I)blockIdx.x";
  auto row_behind = [&](const std::string& first) {
    code_.line("I q = {};", whole_block ? first : format("{} + (I)(threadIdx.x / {})", first, threads));
  };
  // Rows are bundled that are so short that few numbers, which the text may know, are all that there are.
  const std::string row_steps = s_.bundled ? std::to_string(p_.row_count()) : count_of(order_of(false));
  const std::string rank = format("const I rank = (I)(blockIdx.x % {});", s_.cluster);
  if (goes_across_) {
    if (s_.cluster > 1) code_.add(rank);
    code_.line("const I walker = {};", block);
    code_.line("const I m = {};", row_steps);
    start_across();
    if (s_.cluster > 1) begin_cluster(), code_.add("weft_await();");
    code_.line("const I rows_end = weft_min(walker * {0} + {0}, n);", walk_);
    if (s_.bundled) bundle_places();
    if (s_.ahead && s_.bundled)
      copy_bundle(format("walker * {}", walk_), format("weft_min(n - walker * {}, {})", walk_, rows));
    else if (s_.ahead)
      begin_ahead();
    if (s_.cluster > 1) code_.add("unsigned int turn = 0;");
    code_.loop("for (I first = walker * {}; first < rows_end; first += {}{}) {{", walk_, rows,
               s_.cluster > 1 ? ", ++turn" : "");
    row_behind("first");
  } else {
    row_behind(whole_block ? block : format("{} * {}", block, rows));
    if (s_.cluster > 1) code_.add(rank);
  }
  if (whole_block) {
    code_.add("const bool live = true;");
  } else {
    code_.add("const bool live = q < n;");
    code_.add("q = weft_min(q, n - 1);");
  }
  if (split || s_.device_wide) code_.add("const I row = q;");
  launch_.tasks = (points + rows * s_.walk - 1) / (rows * s_.walk) * s_.split * s_.cluster;
  if (split && !s_.chained) take_ticket();
  split_position(outer, false);
  std::string last = s_.cluster > 1 ? "live && t == 0 && rank == 0" : "live && t == 0";
  if (!goes_across_) code_.line("const I m = {};", row_steps);
  if (s_.bundled) bundle_rows();
  std::string start = "t", end = "m";
  const bool shared = s_.keeper == Keeper::Shared;
  // Blocks that keep a row in registers take their steps together, as threads do.
  const int blocks = whole_rows_ ? s_.cluster : 1;
  if (blocks > 1) start = format("rank * {} + t", threads);
  if (s_.chained) code_.line("const I k = (I)({});", remainder("number", split_, s_.split));
  if (p_.section_axes > 0) start = take_section();
  if (split || (s_.cluster > 1 && !whole_rows_)) {
    code_.line("const I begin = {} * {};",
               s_.chained ? "k"
               : split    ? format("(I)({})", part_of_block())
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
  if (s_.cluster > 1 && !goes_across_) begin_cluster();
  met_ = false;
  if (shared) {
    shared_rows(rows, format("(I)(threadIdx.x / {})", s_.threads_per_row));
  } else if (whole_rows_) {
    for (Value v : kept_) code_.line("{} k{}[{}];", vector_type(p_.values[v].dtype), v, s_.unroll);
  }
  if (s_.ahead && !s_.bundled) goes_across_ ? take_ahead() : copy_ahead(start, std::to_string(threads), end);
  for (auto& b : batches_) {
    outer_code(b.sweep->before, last);
    auto number = static_cast<size_t>(b.number);
    start_totals(number);
    start_bases(number);
    start_scans(number, s_.chained ? "before.t1" : "");
    if (whole_rows_) {
      code_.add("{");
      if (two_level_) start_runs(number);
      if (two_level_ && !b.sweep->section_totals.empty()) start_runs(p_.sweeps.size());
    }
    // Without the thread's own place, where all take their steps together.
    const std::string together = split ? "from" : "0";
    const int step = p_.section_axes > 0 ? section_threads() : threads * blocks;
    batch(b, scans_rows(b) && !whole_rows_ ? together : start, std::to_string(step), end, !whole_rows_);
    if (whole_rows_) {
      if (two_level_) flush_runs(number);
      if (two_level_ && !b.sweep->section_totals.empty()) flush_runs(p_.sweeps.size());
      code_.add("}");
    }
    if (s_.ahead && s_.bundled && b.number == last_to_read_bundles(p_, lane_)) copy_next_bundle();
    if (s_.chained) {
      if (b.number == 0) look_back();
      settle(*b.sweep);
      continue;
    }
    join_row(number, threads);
    if (split) {
      collect_parts(threads);
      conclude(last);
      code_.add("}");
      return;
    }
    finish(number);
    settle(*b.sweep);
  }
  outer_code(p_.epilogue, last);
  if (p_.section_axes > 0) store_sections();
  if (s_.bundled) unbundle_rows();
  if (goes_across_) store_across(threads);
}

}  // namespace weft::emit
