#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// The threads of a row take several rows one after another, and keep a total for each element that is theirs
// in across<n>[u][e], in the dtype of a run. What the rows of a block have for the same element is joined,
// and each block, or cluster, writes what it has to `partials`; NAME_finish joins them in the dtype of
// totals, some threads down each of a few neighbouring elements.

std::vector<int> CudaEmitter::totals_across() const {
  std::vector<int> out;
  for (size_t a = 0; a < p_.accumulators.size(); ++a)
    if (p_.accumulators[a].is_over_points()) out.push_back(static_cast<int>(a));
  return out;
}

void CudaEmitter::start_across() {
  for (int a : totals_across()) {
    const DType t = span_dtype(p_.accumulators[a]);
    code_.line("{} across{}[{}][{}];", dialect_.value_type(t), a, s_.unroll, s_.lanes);
    code_.unrolled("u", s_.unroll);
    code_.unrolled("e", s_.lanes);
    code_.line("across{}[u][e] = {};", a, identity_of(p_.accumulators[a], t, dialect_));
    code_.add("}");
    code_.add("}");
  }
}

// Each thread copies what it alone keeps of its first row, then of the next one as soon as the row before is
// in registers.
void CudaEmitter::begin_ahead() {
  find_ahead();
  int64_t before = 0;
  for (Value v : ahead_) {
    const std::string type = vector_type(p_.values[v].dtype);
    code_.line("{0}* const z{1} = ({0}*)(weft_shared + {2}) + threadIdx.x;", type, v, before);
    before += static_cast<int64_t>(size_of(p_.values[v].dtype)) * s_.lanes * s_.threads * s_.unroll;
  }
  launch_.shared_bytes = static_cast<uint32_t>(before);
  copy_row(format("walker * {}", walk_));
}

void CudaEmitter::take_ahead() {
  if (ahead_.empty()) return;
  code_.add("weft_copied();");
  code_.unrolled("u", s_.unroll);
  for (Value v : ahead_) code_.line("k{0}[u] = z{0}[u * {1}];", v, s_.threads);
  code_.add("}");
  const int rows = s_.threads / s_.threads_per_row;
  code_.line("if (first + {} < rows_end) {{", rows);
  copy_row(format("first + {}", rows));
  code_.add("}");
}

void CudaEmitter::copy_row(const std::string& first) {
  if (ahead_.empty()) return;
  const int threads = s_.threads_per_row;
  code_.add("{");
  if (s_.threads == threads)
    code_.line("I q = {};", first);
  else
    code_.line("I q = weft_min({} + (I)(threadIdx.x / {}), n - 1);", first, threads);
  split_position(order_of(true), false);
  code_.unrolled("u", s_.unroll);
  code_.line("I q = {}t + u * {};", s_.cluster > 1 ? format("rank * {} + ", threads) : "",
             threads * s_.cluster);
  if (!exact_) code_.add("q = weft_min(q, m - 1);");
  split_position(order_of(false), false);
  for (Value v : ahead_) {
    auto& l = std::get<Load>(*definitions_.at(v));
    code_.line("{}(z{} + u * {}, b{} + ({}));", s_.loads_stay ? "weft_copy_to_stay" : "weft_copy_ahead", v,
               s_.threads, l.buffer, index_text(l.at));
  }
  code_.add("}");
  code_.add("}");
}

void CudaEmitter::fold_across(const Fold& f) {
  const Accumulator& acc = p_.accumulators[f.accumulator];
  const std::string total = format("across{}[u][e]", f.accumulator);
  code_.line("{}{} = {};", every_store_ ? "" : "if (in_store) ", total,
             joined(acc, span_dtype(acc), total, name_of(f.value)));
}

void CudaEmitter::store_across(int threads) {
  // One row's join writes what the threads of the row before may still read, unless another meeting is
  // between.
  const auto joins = std::ranges::count_if(
      batches_, [&](auto& b) { return !folded(static_cast<size_t>(b.number)).empty(); });
  if (threads > 32 && joins == 1) code_.add("__syncthreads();");
  code_.add("}");
  if (s_.threads > threads) return join_across(threads);
  code_.unrolled("u", s_.unroll);
  code_.line("const I q = {}t + u * {};", s_.cluster > 1 ? format("rank * {} + ", threads) : "",
             threads * s_.cluster);
  code_.add("if (q < m) {");
  for (int a : totals_across()) {
    code_.line("Vec<{}, {}> w{};", dialect_.value_type(span_dtype(p_.accumulators[a])), s_.lanes, a);
    code_.unrolled("e", s_.lanes);
    code_.line("w{0}.e[e] = across{0}[u][e];", a);
    code_.add("}");
    code_.line("weft_put({} + ((long long)walker * m + q) * {}, w{});", place_of_totals(a), s_.lanes, a);
  }
  code_.add("}");
  code_.add("}");
}

// Rows that lie beside each other in a block: those of a warp tell each other, then the warps.
void CudaEmitter::join_across(int threads) {
  const int groups = s_.threads / std::max(threads, 32), elements = threads * s_.unroll * s_.lanes;
  size_t widest = 0;
  for (int a : totals_across()) widest = std::max(widest, size_of(span_dtype(p_.accumulators[a])));
  code_.line("__shared__ __align__(16) unsigned char beside[{}];",
             widest * static_cast<size_t>(groups * elements));
  bool first = true;
  for (int a : totals_across()) {
    const Accumulator& acc = p_.accumulators[a];
    const DType t = span_dtype(acc);
    const std::string total = format("across{}[u][e]", a);
    if (!first) code_.add("__syncthreads();");
    first = false;
    code_.add("{");
    code_.line("{0} (*const all)[{1}] = ({0} (*)[{1}])beside;", dialect_.value_type(t), elements);
    code_.unrolled("u", s_.unroll);
    code_.unrolled("e", s_.lanes);
    if (threads < 32) {
      code_.add("#pragma unroll");
      code_.line("for (int k = 16; k >= {}; k /= 2) {} = {};", threads, total,
                 joined(acc, t, total, format("weft_exchange({}, k)", total)));
      code_.line("if (threadIdx.x % 32 < {})", threads);
    }
    code_.line("{}all[threadIdx.x / {}][(t + u * {}) * {} + e] = {};", threads < 32 ? "  " : "",
               std::max(threads, 32), threads, s_.lanes, total);
    code_.add("}");
    code_.add("}");
    code_.add("__syncthreads();");
    code_.line("for (I k = (I)threadIdx.x; k < m * {}; k += {}) {{", s_.lanes, s_.threads);
    code_.line("{} total = all[0][k];", dialect_.value_type(t));
    code_.add("#pragma unroll");
    code_.line("for (int j = 1; j < {}; ++j) total = {};", groups, joined(acc, t, "total", "all[j][k]"));
    code_.line("({})[(long long)walker * m * {} + k] = total;", place_of_totals(a), s_.lanes);
    code_.add("}");
    code_.add("}");
  }
}

// Where the blocks' totals of an accumulator begin, one block's behind the other.
std::string CudaEmitter::place_of_totals(int a) {
  const DType t = span_dtype(p_.accumulators[a]);
  const std::string place = extra(partial_bytes_);
  partial_bytes_ +=
      (part_count_ * part_vectors_ * s_.lanes * static_cast<int64_t>(size_of(t)) + 15) / 16 * 16;
  return format("({}*)((char*)partials + {})", dialect_.value_type(t), place);
}

// Of NAME_finish: a few parts for each, and a sector or more of memory beside each other.
int CudaEmitter::threads_down() const {
  int down = 1;
  while (down < kThreadsOfTotals / 8 && down * 8 < part_count_) down *= 2;
  return down;
}

void CudaEmitter::finish_across() {
  const auto order = order_of(false);
  const int down = threads_down(), across = static_cast<int>(launch_.finish_threads) / down;
  launch_.finish_tasks = (part_vectors_ * s_.lanes + across - 1) / across;
  code_.line("const I m = {} * {};", count_of(order), s_.lanes);
  code_.line("const I tx = (I)(threadIdx.x % {0}), ty = (I)(threadIdx.x / {0});", across);
  code_.line("I slot = (I)blockIdx.x * {} + tx;", across);
  code_.add("const bool there = slot < m;");
  code_.add("slot = weft_min(slot, m - 1);");
  int64_t place = 0;
  for (int a : totals_across()) {
    const Accumulator& acc = p_.accumulators[a];
    const DType from = span_dtype(acc), to = total_dtype(acc);
    const std::string type = dialect_.value_type(from), total = dialect_.value_type(to);
    auto cast = [](DType x, DType y, const std::string& value) {
      return x == y ? value : format("weft_cast_{}_{}({})", suffix(x), suffix(y), value);
    };
    code_.line("const {0}* const part{1} = (const {0}*)((const char*)partials + {2});", type, a,
               extra(place));
    place += (part_count_ * part_vectors_ * s_.lanes * static_cast<int64_t>(size_of(from)) + 15) / 16 * 16;
    code_.line("{} total{} = {};", total, a, identity_of(acc, to, dialect_));
    code_.add("#pragma unroll 8");
    code_.line("for (I k = ty; k < {}; k += {})", parts_, down);
    code_.line(
        "  total{} = {};", a,
        joined(acc, to, format("total{}", a), cast(from, to, format("part{}[(long long)k * m + slot]", a))));
    if (down > 1) {
      code_.line("__shared__ {} down{}[{}][{}];", total, a, down, across);
      code_.line("down{0}[ty][tx] = total{0};", a);
      code_.line("for (int k = {}; k; k /= 2) {{", down / 2);
      code_.add("__syncthreads();");
      code_.line("if (ty < k) down{0}[ty][tx] = total{0} = {1};", a,
                 joined(acc, to, format("total{}", a), format("down{}[ty + k][tx]", a)));
      code_.add("}");
    }
    code_.line("const {} v{} = {};", value_type(acc.out), acc.out, cast(to, acc.dtype, format("total{}", a)));
  }
  code_.line("I q = slot / {};", s_.lanes);
  split_position(order, false);
  if (s_.lanes > 1) {
    const std::string at = format("{} + slot % {}", axis_[lane_], s_.lanes);
    if (ragged_) code_.line("const bool within = {} < {};", at, spell(extent(lane_)));
    code_.line("const I y = {};", ragged_ ? format("weft_min({}, {} - 1)", at, spell(extent(lane_))) : at);
    axis_[lane_] = "y";
  }
  code_.line("const bool live = there && ty == 0{};", ragged_ ? " && within" : "");
  outer_code(p_.after, "live");
}

}  // namespace weft::emit
