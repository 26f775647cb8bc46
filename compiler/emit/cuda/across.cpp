// From the totals of a thread, over those of a block, to those of the device.
#include "compiler/emit/cuda/across.h"

#include <algorithm>

#include "compiler/emit/cuda/accumulators.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/statement.h"
#include "compiler/emit/cuda/values.h"
#include "compiler/emit/reduction.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

void start_across(Entry& e) {
  Writer& code = e.code;
  for (int a : e.layout.across.accumulators) {
    const DType t = span_dtype(e.program.accumulators[a]);
    code.line("{} across{}[{}][{}];", e.dialect.value_type(t), a, e.own.unroll, e.own.lanes);
    code.unrolled("u", e.own.unroll);
    code.unrolled("e", e.own.lanes);
    code.line("across{}[u][e] = {};", a, identity_of(e.program.accumulators[a], t, e.dialect));
    code.add("}");
    code.add("}");
  }
}

namespace {

// Where the blocks' totals of the k-th accumulator begin, one block's behind the other.
std::string place_of_totals(Entry& e, size_t k) {
  const AcrossLayout& across = e.layout.across;
  const DType t = span_dtype(e.program.accumulators[across.accumulators[k]]);
  return format("({}*)((char*)partials + {})", e.dialect.value_type(t), e.arguments.add(across.places[k]));
}

// Rows that lie beside each other in a block: those of a warp tell each other, then the warps.
void join_accumulator(Entry& e, size_t k) {
  Writer& code = e.code;
  const int a = e.layout.across.accumulators[k], threads = e.own.threads_per_row, lanes = e.own.lanes;
  const int groups = e.own.threads / std::max(threads, 32), elements = threads * e.own.unroll * lanes;
  const Accumulator& acc = e.program.accumulators[a];
  const DType t = span_dtype(acc);
  const std::string total = format("across{}[u][e]", a);
  code.add("{");
  code.line("{0} (*const all)[{1}] = ({0} (*)[{1}])beside;", e.dialect.value_type(t), elements);
  code.unrolled("u", e.own.unroll);
  code.unrolled("e", lanes);
  if (threads < 32) {
    code.add("#pragma unroll");
    code.line("for (int k = 16; k >= {}; k /= 2) {} = {};", threads, total,
              joined(acc, t, total, format("weft_exchange({}, k)", total)));
    code.line("if (threadIdx.x % 32 < {})", threads);
  }
  code.line("{}all[threadIdx.x / {}][(t + u * {}) * {} + e] = {};", threads < 32 ? "  " : "",
            std::max(threads, 32), threads, lanes, total);
  code.add("}");
  code.add("}");
  code.add("__syncthreads();");
  code.line("for (I k = (I)threadIdx.x; k < m * {}; k += {}) {{", lanes, e.own.threads);
  code.line("{} total = all[0][k];", e.dialect.value_type(t));
  code.add("#pragma unroll");
  code.line("for (int j = 1; j < {}; ++j) total = {};", groups, joined(acc, t, "total", "all[j][k]"));
  code.line("({})[(long long)walker * m * {} + k] = total;", place_of_totals(e, k), lanes);
  code.add("}");
  code.add("}");
}

void join_across(Entry& e) {
  const auto& accumulators = e.layout.across.accumulators;
  const int threads = e.own.threads_per_row;
  const int groups = e.own.threads / std::max(threads, 32), elements = threads * e.own.unroll * e.own.lanes;
  size_t widest = 0;
  for (int a : accumulators) widest = std::max(widest, size_of(span_dtype(e.program.accumulators[a])));
  e.code.line("__shared__ __align__(16) unsigned char beside[{}];",
              widest * static_cast<size_t>(groups * elements));
  for (size_t k = 0; k < accumulators.size(); ++k) {
    if (k > 0) e.code.add("__syncthreads();");
    join_accumulator(e, k);
  }
}

}  // namespace

void store_across(Entry& e) {
  Writer& code = e.code;
  if (e.own.threads > e.own.threads_per_row) return join_across(e);
  const int threads = e.own.threads_per_row, blocks = e.layout.cluster.blocks;
  const auto& accumulators = e.layout.across.accumulators;
  code.unrolled("u", e.own.unroll);
  code.line("const I q = {}t + u * {};", blocks > 1 ? format("rank * {} + ", threads) : "", threads * blocks);
  code.add("if (q < m) {");
  for (size_t k = 0; k < accumulators.size(); ++k) {
    const int a = accumulators[k];
    code.line("Vec<{}, {}> w{};", e.dialect.value_type(span_dtype(e.program.accumulators[a])), e.own.lanes,
              a);
    code.unrolled("e", e.own.lanes);
    code.line("w{0}.e[e] = across{0}[u][e];", a);
    code.add("}");
    code.line("weft_put({} + ((long long)walker * m + q) * {}, w{});", place_of_totals(e, k), e.own.lanes, a);
  }
  code.add("}");
  code.add("}");
}

// ---- the finish

namespace {

// The total of the k-th accumulator for the thread's slot of the row, as the value that it is.
void finish_accumulator(Entry& e, size_t k, int beside) {
  Writer& code = e.code;
  const AcrossLayout& across = e.layout.across;
  const int a = across.accumulators[k], down = across.threads_down;
  const Accumulator& acc = e.program.accumulators[a];
  const DType from = span_dtype(acc), to = total_dtype(acc);
  const std::string type = e.dialect.value_type(from), total = e.dialect.value_type(to),
                    name = format("total{}", a);
  code.line("const {0}* const part{1} = (const {0}*)((const char*)partials + {2});", type, a,
            e.arguments.add(across.places[k]));
  code.line("{} {} = {};", total, name, identity_of(acc, to, e.dialect));
  code.add("#pragma unroll 8");
  code.line("for (I k = ty; k < {}; k += {})", e.numbers.blocks, down);
  code.line("  {} = {};", name,
            joined(acc, to, name, converted(from, to, format("part{}[(long long)k * m + slot]", a))));
  if (down > 1) {
    code.line("__shared__ {} down{}[{}][{}];", total, a, down, beside);
    code.line("down{0}[ty][tx] = total{0};", a);
    code.line("for (int k = {}; k; k /= 2) {{", down / 2);
    code.add("__syncthreads();");
    code.line("if (ty < k) down{0}[ty][tx] = total{0} = {1};", a,
              joined(acc, to, name, format("down{}[ty + k][tx]", a)));
    code.add("}");
  }
  code.line("const {} v{} = {};", e.value_type(acc.out), acc.out, converted(to, acc.dtype, name));
}

}  // namespace

void finish_across(Entry& e) {
  Writer& code = e.code;
  const auto order = row_axes(e);
  const bool ragged = e.layout.vectors.ragged;
  const int beside = e.own.threads / e.layout.across.threads_down, lanes = e.own.lanes;
  code.line("const I m = {} * {};", count_of(e, order), lanes);
  code.line("const I tx = (I)(threadIdx.x % {0}), ty = (I)(threadIdx.x / {0});", beside);
  code.line("I slot = (I)blockIdx.x * {} + tx;", beside);
  code.add("const bool there = slot < m;");
  code.add("slot = weft_min(slot, m - 1);");
  for (size_t k = 0; k < e.layout.across.accumulators.size(); ++k) finish_accumulator(e, k, beside);
  code.line("I q = slot / {};", lanes);
  split_position(e, order, false);
  if (lanes > 1) {
    const std::string at = format("{} + slot % {}", e.scope.axis[e.lane()], lanes),
                      end = spell(e.extent(e.lane()));
    if (ragged) code.line("const bool within = {} < {};", at, end);
    code.line("const I y = {};", ragged ? format("weft_min({}, {} - 1)", at, end) : at);
    e.scope.axis[e.lane()] = "y";
  }
  code.line("const bool live = there && ty == 0{};", ragged ? " && within" : "");
  outer_code(e, e.program.after, "live");
}

}  // namespace weft::emit
