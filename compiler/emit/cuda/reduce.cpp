#include <algorithm>
#include <bit>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// A sweep's accumulators are the members of one struct S<sweep>, so that threads, warps and blocks join them
// all at once: t<n> is accumulator n, i<n> the position of argmax and argmin.

std::vector<int> CudaEmitter::folded(size_t sweep) const {
  if (sweep == p_.sweeps.size()) return section_totals();
  std::vector<int> out = p_.sweeps[sweep].accumulators;
  if (!totalling_) std::erase_if(out, [&](int a) { return p_.accumulators[a].is_running(); });
  return out;
}

void CudaEmitter::declare_state(size_t sweep) {
  struct Member {
    size_t bytes;
    std::string text;
  };
  std::vector<Member> members;
  std::string body;
  size_t align = 4, bytes = 0;
  for (int a : folded(sweep)) {
    auto& acc = p_.accumulators[a];
    DType t = total_of(acc);
    members.push_back({size_of(t), format("{} t{};", dialect_.value_type(t), a)});
    bytes += size_of(t);
    align = std::max(align, size_of(t));
    if (ir::gives_index(acc.op)) {
      members.push_back({wide_ ? 8u : 4u, format("I i{};", a)});
      bytes += wide_ ? 8 : 4;
      if (wide_) align = std::max<size_t>(align, 8);
      body += format("  weft_first_{0}(a.t{1}, a.i{1}, b.t{1}, b.i{1});\n",
                     acc.op == ir::Op::argmax ? "max" : "min", a);
    } else if (acc.relative_to()) {
      body.insert(0, joined_relative(a));
    } else {
      body += format("  a.t{0} = {1};\n", a, joined(acc, t, format("a.t{}", a), format("b.t{}", a)));
    }
  }
  state_bytes_.push_back(static_cast<int64_t>((bytes + align - 1) / align * align));
  if (members.empty()) return;
  // The largest first: no padding between members.
  std::stable_sort(members.begin(), members.end(), [](auto& a, auto& b) { return a.bytes > b.bytes; });
  functions_ += format("struct __align__({}) S{} {{", align, sweep);
  for (auto& m : members) functions_ += " " + m.text;
  functions_ +=
      format(" }};\nstatic __device__ __forceinline__ void join{0}(S{0}& a, const S{0}& b) {{\n{1}}}\n",
             sweep, body);
}

std::string CudaEmitter::joined(const Accumulator& acc, DType t, const std::string& a,
                                const std::string& b) const {
  if (is_integer(t) && adds_up(acc))
    return dialect_.wrap(t, std::string(info(*info(acc.op).joined_by).code), a, b);
  return combine(acc.op, t, a, b);
}

void CudaEmitter::each_column(bool open) {
  if (!columns_) return;
  if (open)
    code_.unrolled("e", s_.lanes);
  else
    code_.add("}");
}

void CudaEmitter::start_totals(size_t sweep, bool declare) {
  const std::vector<int> accumulators = folded(sweep);
  if (accumulators.empty()) return;
  if (declare) code_.line("S{0} s{0}{1};", sweep, columns_ ? format("[{}]", s_.lanes) : "");
  each_column(true);
  for (int a : accumulators) {
    auto& acc = p_.accumulators[a];
    std::string state = format("s{}{}", sweep, columns_ ? "[e]" : "");
    code_.line("{}.t{} = {};", state, a, identity_of(acc, total_of(acc), dialect_));
    if (ir::gives_index(acc.op))
      code_.line("{}.i{} = {};", state, a, wide_ ? "0x7fffffffffffffffll" : "0x7fffffff");
  }
  each_column(false);
}

void CudaEmitter::start_runs(size_t sweep) {
  for (int a : folded(sweep)) {
    auto& acc = p_.accumulators[a];
    if (!has_run(acc)) continue;
    DType t = span_dtype(acc);
    code_.line("{} r{}{};", dialect_.value_type(t), a, columns_ ? format("[{}]", s_.lanes) : "");
    each_column(true);
    code_.line("r{}{} = {};", a, columns_ ? "[e]" : "", identity_of(acc, t, dialect_));
    each_column(false);
  }
}

void CudaEmitter::flush_runs(size_t sweep) {
  for (int a : folded(sweep)) {
    auto& acc = p_.accumulators[a];
    if (!has_run(acc)) continue;
    DType from = span_dtype(acc), to = total_of(acc);
    std::string e = columns_ ? "[e]" : "";
    std::string run = format("r{}{}", a, e), total = format("s{}{}.t{}", sweep, e, a);
    if (from != to) run = format("weft_cast_{}_{}({})", suffix(from), suffix(to), run);
    each_column(true);
    code_.line("{} = {};", total, joined(acc, to, total, run));
    each_column(false);
  }
}

void CudaEmitter::fold(const Fold& f) {
  auto& acc = p_.accumulators[f.accumulator];
  if (acc.is_over_points()) return fold_across(f);
  size_t sweep = 0;
  while (std::ranges::count(folded(sweep), f.accumulator) == 0) ++sweep;
  const std::string e = columns_ ? "[e]" : "", when = every_fold_ ? "" : "if (in_fold) ";
  std::string total = format("s{}{}.t{}", sweep, e, f.accumulator);
  if (ir::gives_index(acc.op)) {
    code_.line("{}weft_first_{}({}, s{}{}.i{}, {}, (I){});", when, acc.op == ir::Op::argmax ? "max" : "min",
               total, sweep, e, f.accumulator, name_of(f.value), name_of(f.position));
    return;
  }
  DType t = has_run(acc) ? span_dtype(acc) : total_of(acc);
  if (has_run(acc)) total = format("r{}{}", f.accumulator, e);
  code_.line("{}{} = {};", when, total, joined(acc, t, total, name_of(f.value)));
}

// Opens what only the last block does of those whose parts belong together: each of them has stored its part,
// and that block sees them all.
void CudaEmitter::begin_last() {
  give_counters(launch_.tasks / s_.split);
  code_.line("if (weft_is_last(counters + {}, (unsigned int){})) {{",
             quotient("blockIdx.x", split_, s_.split), split_);
}

void CudaEmitter::give_counters(int64_t words) {
  launch_.counters = static_cast<uint32_t>(words);
  extra(0);
  launch_.counting =
      static_cast<uint32_t>(p_.buffers.size() + has_partials() + p_.params.size() + extra_.size() - 1);
}

// Of the blocks whose parts belong together the one that starts last will wait for the others, all of which
// run by then. Nobody asks for the ticket before its part is done, so that it costs no time.
void CudaEmitter::take_ticket() {
  const int64_t states = p_.outer_count() * s_.split * (state_bytes_[0] / 4) * 2;
  give_counters(states + launch_.tasks / s_.split);
  code_.add("unsigned int ticket = 0;");
  const std::string before = extra(states);
  code_.line("if (threadIdx.x == 0) ticket = atomicInc(counters + {} + {}, (unsigned int){} - 1);", before,
             quotient("blockIdx.x", split_, s_.split), split_);
}

// Opens what only that block does, which has joined the parts. The others tell it of theirs where nothing was
// before, and it leaves nothing there. To store a part, to count it and then to read all of them would be
// three ways to memory, one behind the other, instead of one.
void CudaEmitter::collect_parts(int threads) {
  const int64_t words = state_bytes_[0] / 4;
  code_.line("const I part = (I)({});", part_of_block());
  code_.line("unsigned long long* const parts = (unsigned long long*)counters + (long long)row * {} * {};",
             split_, words);
  code_.line("const bool collects = __syncthreads_or(threadIdx.x == 0 && ticket == (unsigned int){} - 1);",
             split_);
  code_.line("if (!collects && live && t == 0) weft_publish(parts + (long long)part * {}, s0);", words);
  code_.add("if (collects) {");
  code_.add("const S0 mine = s0;");
  start_totals(0, false);
  code_.loop("for (I k = t; live && k < {}; k += {}) {{", split_, threads);
  code_.add("S0 other = mine;");
  code_.line("if (k != part) weft_take(parts + (long long)k * {}, other);", words);
  code_.add("join0(s0, other);");
  code_.add("}");
  join_row(0, threads);
}

// The blocks of a cluster make ready for what they will tell each other, and begin to meet.
void CudaEmitter::begin_cluster() {
  if (s_.device_wide) {
    int64_t words = 0;
    for (auto& b : batches_)
      if (auto k = static_cast<size_t>(b.number); !folded(k).empty()) words += state_bytes_[k] / 4;
    give_counters(p_.outer_count() * s_.cluster * s_.cluster * words * 2);
    code_.add("unsigned long long* told = (unsigned long long*)counters;");
    return;
  }
  const int columns = columns_ ? s_.lanes * (s_.threads / s_.threads_per_row) : 1;
  std::string set_up, expected;
  for (auto& b : batches_) {
    if (folded(static_cast<size_t>(b.number)).empty()) continue;
    code_.line("__shared__ unsigned long long told{}{};", b.number, meets_in_turns() ? "[2]" : "");
    for (const char* turn : meets_in_turns() ? std::vector{"[0]", "[1]"} : std::vector{""}) {
      set_up += format(" weft_set_up(told{}{});", b.number, turn);
      expected +=
          format(" weft_expect(told{0}{2}, {1} * sizeof(S{0}));", b.number, s_.cluster * columns, turn);
    }
  }
  if (!expected.empty()) {
    code_.line("if (threadIdx.x == 0) {{{} }}", set_up);
    // Short code is predicated, not branched over, and racecheck then takes these for several threads.
    code_.add("__syncwarp();");
    code_.line("if (threadIdx.x == 0) {{{} }}", expected);
  }
  code_.add("weft_arrive();");
}

// Joins the states of the `threads` neighbouring threads of a row; each of them has the result.
void CudaEmitter::join_row(size_t sweep, int threads) {
  if (folded(sweep).empty() || threads == 1) return;
  join_in_block(sweep, threads);
  if (s_.cluster == 1) return;
  if (s_.device_wide) return meet_in_memory(sweep, threads);
  // Each block tells all of them. A block has to run before others write to it. Of rows in turn, a block may
  // tell of one when another has not yet read what was said of the one before.
  const std::string turn = meets_in_turns() ? "[turn % 2]" : "";
  code_.line("__shared__ S{0} blocks{0}{2}[{1}];", sweep, s_.cluster, meets_in_turns() ? "[2]" : "");
  if (!met_ && !meets_in_turns()) code_.add("weft_await();");
  met_ = true;
  code_.line("if (threadIdx.x < {1}) weft_tell_block(blocks{0}{2}[rank], told{0}{2}, threadIdx.x, s{0});",
             sweep, s_.cluster, turn);
  if (meets_in_turns())
    code_.line("weft_await_turn(told{0}{1}, turn / 2 % 2, {2} * sizeof(S{0}));", sweep, turn, s_.cluster);
  else
    code_.line("weft_await_told(told{});", sweep);
  code_.line("s{0} = blocks{0}{1}[0];", sweep, turn);
  code_.add("#pragma unroll");
  code_.line("for (int k = 1; k < {1}; ++k) join{0}(s{0}, blocks{0}{2}[k]);", sweep, s_.cluster, turn);
}

void CudaEmitter::join_in_block(size_t sweep, int threads) {
  auto exchange = [&](int width) {
    code_.add("#pragma unroll");
    code_.line("for (int k = {0}; k; k /= 2) join{1}(s{1}, weft_exchange(s{1}, k));", width / 2, sweep);
  };
  exchange(std::min(threads, 32));
  if (threads > 32) {
    int warps = threads / 32;
    code_.line("__shared__ S{0} joined{0}[{1}];", sweep, std::max(launch_threads_, threads) / 32);
    code_.line("if (threadIdx.x % 32 == 0) joined{0}[threadIdx.x / 32] = s{0};", sweep);
    code_.add("__syncthreads();");
    const std::string first =
        threads == launch_threads_ ? "" : format("threadIdx.x / {} * {} + ", threads, warps);
    const auto width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(warps)));
    std::string when;
    if (width > warps) {
      start_totals(sweep, false);
      when = format("if (threadIdx.x % {} < {}) ", width, warps);
    }
    code_.line("{3}s{0} = joined{0}[{1}threadIdx.x % {2}];", sweep, first, width, when);
    exchange(width);
  }
}

// Each block leaves its state for each of those of its row, which wait for theirs and leave nothing there.
// Every sweep has a place of its own, since a block may be a sweep ahead of another.
void CudaEmitter::meet_in_memory(size_t sweep, int threads) {
  const int64_t words = state_bytes_[sweep] / 4;
  code_.add("{");
  code_.line("if (t < {0}) weft_publish(told + (((long long)row * {0} + t) * {0} + rank) * {1}, s{2});",
             s_.cluster, words, sweep);
  start_totals(sweep, false);
  code_.line("if (t < {0}) weft_take(told + (((long long)row * {0} + rank) * {0} + t) * {1}, s{2});",
             s_.cluster, words, sweep);
  join_in_block(sweep, threads);
  code_.line("told += (long long)n * {};", s_.cluster * s_.cluster * words);
  code_.add("}");
}

// Joins the states of threads that walk different rows of the same columns: those of a warp, then the warps,
// by one thread for each column, then the blocks of a cluster; each thread has the result.
void CudaEmitter::join_columns(size_t sweep) {
  if (folded(sweep).empty() || s_.threads_per_row == 1) return;
  const int across = s_.threads / s_.threads_per_row, columns = s_.lanes * across;
  const int in_warp = s_.threads >= 32 && across < 32 ? 32 / across : 1,
            groups = s_.threads_per_row / in_warp;
  if (in_warp > 1) {
    code_.unrolled("e", s_.lanes);
    code_.add("#pragma unroll");
    code_.line("for (int k = 16; k >= {1}; k /= 2) join{0}(s{0}[e], weft_exchange(s{0}[e], k));", sweep,
               across);
    code_.add("}");
  }
  if (groups == 1 && s_.cluster == 1) return;
  // Runs the lines for each k below `count`, in one thread each.
  auto each = [&](int64_t count, std::initializer_list<std::string> lines) {
    if (count > s_.threads) {
      code_.add("#pragma unroll 1");
      code_.line("for (unsigned int k = threadIdx.x; k < {}; k += {}) {{", count, s_.threads);
    } else {
      code_.line("if (const unsigned int k = threadIdx.x; k < {}) {{", count);
    }
    for (auto& line : lines) code_.add(line);
    code_.add("}");
  };
  auto join_all = [&](const std::string& from, const std::string& at, int count, const std::string& to) {
    each(columns,
         {format("S{0} all = {1}{0}{2}[0][k];", sweep, from, at),
          state_bytes_[sweep] > 8 ? "#pragma unroll 1" : "#pragma unroll",
          format("for (int j = 1; j < {2}; ++j) join{0}(all, {1}{0}{3}[j][k]);", sweep, from, count, at),
          format("{}[k] = all;", to)});
    code_.add("__syncthreads();");
  };
  // All sweeps join in one place, so that what threads read after the last meeting is elsewhere while another
  // sweep follows, or while others still tell what was joined.
  // Of strips taken in turn, the next one follows; a block may have told of that when another has not yet
  // read what this one's said.
  const bool in_turns = s_.strips_at_once > 0;
  const std::string turn = in_turns ? "[turn % 2]" : "";
  bool last = s_.cluster == 1 && !in_turns;
  for (size_t k = sweep + 1; k < p_.sweeps.size(); ++k) last &= folded(k).empty();
  const std::string result = last ? format("joined{}[0]", sweep) : format("all{}", sweep);
  code_.line("S{0} (*const joined{0})[{1}] = (S{0} (*)[{1}])joins;", sweep, columns);
  if (!last) code_.line("__shared__ S{0} all{0}[{1}];", sweep, columns);
  if (in_warp > 1) code_.line("if (ty % {} == 0) {{", in_warp);
  code_.unrolled("e", s_.lanes);
  code_.line("joined{0}[ty{1}][e * {2} + tx] = s{0}[e];", sweep, in_warp > 1 ? format(" / {}", in_warp) : "",
             across);
  code_.add("}");
  if (in_warp > 1) code_.add("}");
  code_.add("__syncthreads();");
  if (s_.cluster == 1) {
    join_all("joined", "", groups, result);
  } else {
    if (groups > 1) join_all("joined", "", groups, format("joined{}[0]", sweep));
    code_.line("__shared__ S{0} blocks{0}{3}[{1}][{2}];", sweep, s_.cluster, columns, in_turns ? "[2]" : "");
    if (!met_) code_.add("weft_await();");
    met_ = true;
    each(int64_t{columns} * s_.cluster,
         {format("weft_tell_block(blocks{0}{2}[rank][k % {1}], told{0}{2}, k / {1}, joined{0}[0][k % {1}]);",
                 sweep, columns, turn)});
    if (in_turns)
      code_.line("weft_await_turn(told{0}{1}, (unsigned int)turn / 2 % 2, {2} * sizeof(S{0}));", sweep, turn,
                 s_.cluster * columns);
    else
      code_.line("weft_await_told(told{});", sweep);
    join_all("blocks", turn, s_.cluster, result);
  }
  code_.unrolled("e", s_.lanes);
  code_.line("s{}[e] = {}[e * {} + tx];", sweep, result, across);
  code_.add("}");
}

// Room for the states of all rows' threads, of the sweep with the largest.
void CudaEmitter::room_for_joins() {
  const int across = s_.threads / s_.threads_per_row;
  const int groups = s_.threads_per_row / (s_.threads >= 32 && across < 32 ? 32 / across : 1);
  int64_t largest = 0;
  for (auto& b : batches_)
    if (auto k = static_cast<size_t>(b.number); !folded(k).empty())
      largest = std::max(largest, state_bytes_[k]);
  if (s_.threads_per_row == 1 || (groups == 1 && s_.cluster == 1) || largest == 0) return;
  joins_bytes_ = largest * groups * across * s_.lanes;
  code_.line("__shared__ __align__(16) unsigned char joins[{}];", joins_bytes_);
}

// The reductions that the sweep finishes, as values.
void CudaEmitter::finish(size_t sweep) {
  for (int a : folded(sweep)) {
    auto& acc = p_.accumulators[a];
    std::string from =
        format("s{}{}.{}{}", sweep, columns_ ? "[e]" : "", ir::gives_index(acc.op) ? 'i' : 't', a);
    DType t = total_of(acc);
    if (acc.relative_to()) from = finished_relative(a, format("s{}{}", sweep, columns_ ? "[e]" : ""));
    if (!ir::gives_index(acc.op) && t != acc.dtype)
      from = format("weft_cast_{}_{}({})", suffix(t), suffix(acc.dtype), from);
    if (!columns_) {
      code_.line("const {} v{} = {};", value_type(acc.out), acc.out, from);
      continue;
    }
    code_.line("{} h{}[{}];", value_type(acc.out), acc.out, s_.lanes);
    each_column(true);
    code_.line("h{}[e] = {};", acc.out, from);
    each_column(false);
    outer_values_.insert(acc.out);
  }
}

// What follows when the parts of the only sweep are joined.
void CudaEmitter::conclude(const std::string& when) {
  finish(0);
  outer_code(p_.epilogue, when);
}

}  // namespace weft::emit
