// Rows are joined by neighbouring threads, columns by threads that lie a strip apart; clusters and grids come
// after.
#include "compiler/emit/cuda/join.h"

#include <algorithm>
#include <bit>

#include "compiler/emit/cuda/lay_out_memory.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/totals.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

// Where the states of this turn are: a block may tell of a row when another has not yet read what was said of
// the one before.
const char* turn(const Entry& e) { return e.layout.cluster.in_turns ? "[turn % 2]" : ""; }
const char* both_turns(const Entry& e) { return e.layout.cluster.in_turns ? "[2]" : ""; }

int64_t words_of(const Entry& e, size_t sweep) { return e.layout.states[sweep].bytes / 4; }

// The first of a block's exchanges waits until all blocks of its cluster run: before that none may write to
// another.
bool is_first(const Entry& e, size_t sweep) {
  return !e.layout.cluster.in_turns && e.layout.cluster.first_join == static_cast<int>(sweep);
}

}  // namespace

void begin_cluster(Entry& e) {
  Writer& code = e.code;
  if (e.layout.cluster.device_wide) {
    e.arguments.add_counters();
    code.add("unsigned long long* told = (unsigned long long*)counters;");
    return;
  }
  const int columns = e.layout.columns() ? e.own.lanes * e.beside() : 1;
  const auto turns = e.layout.cluster.in_turns ? std::vector{"[0]", "[1]"} : std::vector{""};
  std::string set_up, expected;
  for (auto& b : e.own.batches) {
    if (joined_after(e, static_cast<size_t>(b.number)).empty()) continue;
    code.line("__shared__ unsigned long long told{}{};", b.number, both_turns(e));
    for (const char* at : turns) {
      set_up += format(" weft_set_up(told{}{});", b.number, at);
      expected += format(" weft_expect(told{0}{2}, {1} * sizeof(S{0}));", b.number,
                         e.layout.cluster.blocks * columns, at);
    }
  }
  if (!expected.empty()) {
    code.line("if (threadIdx.x == 0) {{{} }}", set_up);
    // Short code is predicated, not branched over, and racecheck then takes these for several threads.
    code.add("__syncwarp();");
    code.line("if (threadIdx.x == 0) {{{} }}", expected);
  }
  code.add("weft_arrive();");
}

// ---- rows

void join_in_block(Entry& e, size_t sweep, int threads) {
  Writer& code = e.code;
  auto exchange = [&](int width) {
    code.add("#pragma unroll");
    code.line("for (int k = {0}; k; k /= 2) join{1}(s{1}, weft_exchange(s{1}, k));", width / 2, sweep);
  };
  exchange(std::min(threads, 32));
  if (threads <= 32) return;
  const int warps = threads / 32;
  code.line("__shared__ S{0} joined{0}[{1}];", sweep, std::max(e.own.threads, threads) / 32);
  code.line("if (threadIdx.x % 32 == 0) joined{0}[threadIdx.x / 32] = s{0};", sweep);
  code.add("__syncthreads();");
  const std::string first =
      threads == e.own.threads ? "" : format("threadIdx.x / {} * {} + ", threads, warps);
  const auto width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(warps)));
  std::string when;
  if (width > warps) {
    start_totals(e, sweep, false);
    when = format("if (threadIdx.x % {} < {}) ", width, warps);
  }
  code.line("{3}s{0} = joined{0}[{1}threadIdx.x % {2}];", sweep, first, width, when);
  exchange(width);
}

namespace {

// Each block leaves its state for each of those of its row, which wait for theirs and leave nothing there.
// Every sweep has a place of its own, since a block may be a sweep ahead of another.
void join_in_memory(Entry& e, size_t sweep, int threads) {
  Writer& code = e.code;
  const int64_t words = words_of(e, sweep);
  const int blocks = e.layout.cluster.blocks;
  code.add("{");
  code.line("if (t < {0}) weft_publish(told + (((long long)row * {0} + t) * {0} + rank) * {1}, s{2});",
            blocks, words, sweep);
  start_totals(e, sweep, false);
  code.line("if (t < {0}) weft_take(told + (((long long)row * {0} + rank) * {0} + t) * {1}, s{2});", blocks,
            words, sweep);
  join_in_block(e, sweep, threads);
  code.line("told += (long long)n * {};", blocks * blocks * words);
  code.add("}");
}

// Each block tells all of them.
void join_cluster(Entry& e, size_t sweep) {
  Writer& code = e.code;
  const int blocks = e.layout.cluster.blocks;
  code.line("__shared__ S{0} blocks{0}{2}[{1}];", sweep, blocks, both_turns(e));
  if (is_first(e, sweep)) code.add("weft_await();");
  code.line("if (threadIdx.x < {1}) weft_tell_block(blocks{0}{2}[rank], told{0}{2}, threadIdx.x, s{0});",
            sweep, blocks, turn(e));
  if (e.layout.cluster.in_turns)
    code.line("weft_await_turn(told{0}{1}, turn / 2 % 2, {2} * sizeof(S{0}));", sweep, turn(e), blocks);
  else
    code.line("weft_await_told(told{});", sweep);
  code.line("s{0} = blocks{0}{1}[0];", sweep, turn(e));
  code.add("#pragma unroll");
  code.line("for (int k = 1; k < {1}; ++k) join{0}(s{0}, blocks{0}{2}[k]);", sweep, blocks, turn(e));
}

}  // namespace

void join_row(Entry& e, size_t sweep, int threads) {
  if (joined_after(e, sweep).empty() || threads == 1) return;
  join_in_block(e, sweep, threads);
  if (e.layout.cluster.device_wide)
    join_in_memory(e, sweep, threads);
  else if (e.layout.cluster.blocks > 1)
    join_cluster(e, sweep);
}

// ---- columns

void declare_joins(Entry& e) {
  if (e.own.column_join.bytes > 0)
    e.code.line("__shared__ __align__(16) unsigned char joins[{}];", e.own.column_join.bytes);
}

namespace {

// Runs the lines for each k below `count`, in one thread each.
void each_in_block(Entry& e, int64_t count, std::initializer_list<std::string> lines) {
  if (count > e.own.threads) {
    e.code.add("#pragma unroll 1");
    e.code.line("for (unsigned int k = threadIdx.x; k < {}; k += {}) {{", count, e.own.threads);
  } else {
    e.code.line("if (const unsigned int k = threadIdx.x; k < {}) {{", count);
  }
  for (auto& line : lines) e.code.add(line);
  e.code.add("}");
}

// Of each column, the `count` states at `from`, to `to`.
void join_all(Entry& e, size_t sweep, int columns, const std::string& from, int count,
              const std::string& to) {
  each_in_block(e, columns,
                {format("S{0} all = {1}[0][k];", sweep, from),
                 e.layout.states[sweep].bytes > 8 ? "#pragma unroll 1" : "#pragma unroll",
                 format("for (int j = 1; j < {2}; ++j) join{0}(all, {1}[j][k]);", sweep, from, count),
                 format("{}[k] = all;", to)});
  e.code.add("__syncthreads();");
}

// What the block has of each column, told to all blocks of the cluster and joined by each.
void join_columns_of_cluster(Entry& e, size_t sweep, const ColumnJoin& j, const std::string& result) {
  Writer& code = e.code;
  const int blocks = e.layout.cluster.blocks;
  if (j.groups > 1)
    join_all(e, sweep, j.columns, format("joined{}", sweep), j.groups, format("joined{}[0]", sweep));
  code.line("__shared__ S{0} blocks{0}{3}[{1}][{2}];", sweep, blocks, j.columns, both_turns(e));
  if (is_first(e, sweep)) code.add("weft_await();");
  each_in_block(
      e, int64_t{j.columns} * blocks,
      {format("weft_tell_block(blocks{0}{2}[rank][k % {1}], told{0}{2}, k / {1}, joined{0}[0][k % {1}]);",
              sweep, j.columns, turn(e))});
  if (e.layout.cluster.in_turns)
    code.line("weft_await_turn(told{0}{1}, (unsigned int)turn / 2 % 2, {2} * sizeof(S{0}));", sweep, turn(e),
              blocks * j.columns);
  else
    code.line("weft_await_told(told{});", sweep);
  join_all(e, sweep, j.columns, format("blocks{}{}", sweep, turn(e)), blocks, result);
}

void shuffle_columns(Entry& e, size_t sweep, int across) {
  Writer& code = e.code;
  code.unrolled("e", e.own.lanes);
  code.add("#pragma unroll");
  code.line("for (int k = 16; k >= {1}; k /= 2) join{0}(s{0}[e], weft_exchange(s{0}[e], k));", sweep, across);
  code.add("}");
}

}  // namespace

void join_columns(Entry& e, size_t sweep) {
  if (joined_after(e, sweep).empty() || e.own.threads_per_row == 1) return;
  Writer& code = e.code;
  const ColumnJoin& j = e.own.column_join;
  const bool is_cluster = e.layout.cluster.blocks > 1;
  if (j.in_warp > 1) shuffle_columns(e, sweep, j.across);
  if (j.groups == 1 && !is_cluster) return;
  // All sweeps join in one place, so that what threads read after the last exchange is elsewhere while
  // another sweep follows, or while others still tell what was joined. Of strips taken in turn, the next one
  // follows.
  bool last = !is_cluster && !e.layout.cluster.in_turns;
  for (size_t k = sweep + 1; k < e.program.sweeps.size(); ++k) last &= joined_after(e, k).empty();
  const std::string result = last ? format("joined{}[0]", sweep) : format("all{}", sweep);
  code.line("S{0} (*const joined{0})[{1}] = (S{0} (*)[{1}])joins;", sweep, j.columns);
  if (!last) code.line("__shared__ S{0} all{0}[{1}];", sweep, j.columns);
  if (j.in_warp > 1) code.line("if (ty % {} == 0) {{", j.in_warp);
  code.unrolled("e", e.own.lanes);
  code.line("joined{0}[ty{1}][e * {2} + tx] = s{0}[e];", sweep,
            j.in_warp > 1 ? format(" / {}", j.in_warp) : "", j.across);
  code.add("}");
  if (j.in_warp > 1) code.add("}");
  code.add("__syncthreads();");
  if (is_cluster)
    join_columns_of_cluster(e, sweep, j, result);
  else
    join_all(e, sweep, j.columns, format("joined{}", sweep), j.groups, result);
  code.unrolled("e", e.own.lanes);
  code.line("s{}[e] = {}[e * {} + tx];", sweep, result, j.across);
  code.add("}");
}

// ---- parts of rows

void begin_last(Entry& e) {
  e.arguments.add_counters();
  const std::string& parts = e.numbers.parts;
  e.code.line("if (weft_is_last(counters + {}, (unsigned int){})) {{",
              e.arguments.quotient("blockIdx.x", parts, e.layout.parts.count), parts);
}

void take_ticket(Entry& e) {
  e.arguments.add_counters();
  e.code.add("unsigned int ticket = 0;");
  const std::string before = e.arguments.add(words_of_parts(e.program, e.layout));
  const std::string& parts = e.numbers.parts;
  e.code.line("if (threadIdx.x == 0) ticket = atomicInc(counters + {} + {}, (unsigned int){} - 1);", before,
              e.arguments.quotient("blockIdx.x", parts, e.layout.parts.count), parts);
}

void collect_parts(Entry& e, int threads) {
  Writer& code = e.code;
  const int64_t words = words_of(e, 0);
  const std::string& parts = e.numbers.parts;
  code.line("const I part = (I)({});", part_of_block(e));
  code.line("unsigned long long* const parts = (unsigned long long*)counters + (long long)row * {} * {};",
            parts, words);
  code.line("const bool collects = __syncthreads_or(threadIdx.x == 0 && ticket == (unsigned int){} - 1);",
            parts);
  code.line("if (!collects && live && t == 0) weft_publish(parts + (long long)part * {}, s0);", words);
  code.add("if (collects) {");
  code.add("const S0 mine = s0;");
  start_totals(e, 0, false);
  code.loop("for (I k = t; live && k < {}; k += {}) {{", parts, threads);
  code.add("S0 other = mine;");
  code.line("if (k != part) weft_take(parts + (long long)k * {}, other);", words);
  code.add("join0(s0, other);");
  code.add("}");
  join_row(e, 0, threads);
}

}  // namespace weft::emit
