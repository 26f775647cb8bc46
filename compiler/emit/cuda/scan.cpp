// The elements of a vector, the vectors of a warp, the warps of a block: each level scans what the one below
// totals.
#include "compiler/emit/cuda/scan.h"

#include <algorithm>
#include <functional>

#include "compiler/emit/cuda/accumulators.h"
#include "compiler/emit/cuda/values.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

// Threads that scan a run of a row together.
int scanning_threads(const Entry& e) { return e.layout.parts.look_back ? 32 : e.own.threads_per_row; }

std::string scanned_value(const Entry& e, const Scan& s) {
  return converted(span_dtype(e.program.accumulators[s.accumulator]), e.layout.totals[s.accumulator].dtype,
                   name_of(e, s.value));
}

void define_scanned(Entry& e, const Scan& s, const std::string& value) {
  e.code.line("const {} v{} = {};", e.value_type(s.out), s.out,
              converted(e.layout.totals[s.accumulator].dtype, e.dtype(s.out), value));
}

}  // namespace

void start_scans(Entry& e, size_t sweep, const std::string& begin) {
  if (e.own.totals_scans) return;
  for (int a : e.program.sweeps[sweep].accumulators) {
    if (!e.program.accumulators[a].is_running()) continue;
    const std::string type = e.dialect.value_type(e.layout.totals[a].dtype);
    e.code.line("{} so_far{}{};", type, a, columns_of_thread(e));
    each_column(
        e, [&] { e.code.line("so_far{}{} = {};", a, e.each(), begin.empty() ? start_text(e, a) : begin); });
    if (e.layout.columns()) continue;
    e.code.line("{} scan{}[{}][{}];", type, a, e.own.unroll, e.own.lanes);
    if (scanning_threads(e) > 32)
      e.code.line("__shared__ R{0} warps{0}[{1}][{2}];", a, e.own.unroll, e.own.threads / 32);
  }
}

void scan_column(Entry& e, const Scan& s, const Place& place) {
  const std::string so_far = format("so_far{}[e]", s.accumulator);
  e.code.line("{0}{1} = {2};", place.fold_if, so_far,
              joined(e.program.accumulators[s.accumulator], e.layout.totals[s.accumulator].dtype, so_far,
                     scanned_value(e, s)));
  define_scanned(e, s, so_far);
}

void scan_row(Entry& e, const Scan& s, const Place& place) {
  e.code.line("scan{}[u][e] = {};", s.accumulator, start_text(e, s.accumulator));
  e.code.line("{}scan{}[u][e] = {};", place.fold_if, s.accumulator, scanned_value(e, s));
}

void finish_scan(Entry& e, const Scan& s) { define_scanned(e, s, format("scan{}[u][e]", s.accumulator)); }

namespace {

using Join = std::function<std::string(const std::string&, const std::string&)>;

// What lies before the thread's vector among those of its warp, as `before`, and what the warp has, as `all`.
void scan_warp(Entry& e, int a, int threads, const Join& join) {
  Writer& code = e.code;
  code.line("R{} all = {{scan{}[u][0]}};", a, a);
  if (e.own.lanes > 1) {
    code.add("#pragma unroll");
    code.line("for (int e = 1; e < {}; ++e) scan{}[u][e] = all.t = {};", e.own.lanes, a,
              join("all.t", format("scan{}[u][e]", a)));
  }
  code.line("{} before = {};", e.dialect.value_type(e.layout.totals[a].dtype), start_text(e, a));
  if (threads == 1) return;
  code.add("#pragma unroll");
  code.line("for (int k = 1; k < {}; k *= 2) {{", std::min(threads, 32));
  code.line("const R{} other = weft_exchange(all, k);", a);
  code.line("if (threadIdx.x & k) before = {};", join("other.t", "before"));
  code.line("all.t = {};", join("all.t", "other.t"));
  code.add("}");
}

// The same of the block, through shared memory.
void scan_block(Entry& e, int a, int threads, const Join& join) {
  Writer& code = e.code;
  const int warps = threads / 32;
  code.line("before{}[u] = before;", a);
  code.line("if (threadIdx.x % 32 == 0) warps{}[u][threadIdx.x / 32] = all;", a);
  code.add("}");
  code.add("__syncthreads();");
  code.unrolled("u", e.own.unroll);
  code.line("const int first = (int)threadIdx.x / {} * {};", threads, warps);
  code.line("R{0} all = {{{1}}}, earlier = all;", a, start_text(e, a));
  code.line("for (int k = first; k < first + {}; ++k) {{", warps);
  code.line("const R{0} other = warps{0}[u][k];", a);
  code.line("if (k < (int)threadIdx.x / 32) earlier.t = {};", join("earlier.t", "other.t"));
  code.line("all.t = {};", join("all.t", "other.t"));
  code.add("}");
  code.line("{} before = {};", e.dialect.value_type(e.layout.totals[a].dtype),
            join("earlier.t", format("before{}[u]", a)));
}

}  // namespace

void join_scan(Entry& e, const Scan& s) {
  Writer& code = e.code;
  const int a = s.accumulator, threads = scanning_threads(e);
  const DType t = e.layout.totals[a].dtype;
  const Join join = [&](const std::string& x, const std::string& y) {
    return joined(e.program.accumulators[a], t, x, y);
  };
  const bool is_block = threads > 32;
  if (is_block) code.line("{} before{}[{}];", e.dialect.value_type(t), a, e.own.unroll);
  code.unrolled("u", e.own.unroll);
  scan_warp(e, a, threads, join);
  if (is_block) scan_block(e, a, threads, join);
  code.line("before = {};", join(format("so_far{}", a), "before"));
  code.line("so_far{} = {};", a, join(format("so_far{}", a), "all.t"));
  code.add("#pragma unroll");
  code.line("for (int e = 0; e < {}; ++e) scan{}[u][e] = {};", e.own.lanes, a,
            join("before", format("scan{}[u][e]", a)));
  code.add("}");
  // Nobody writes the next totals before all have read these.
  if (is_block) code.add("__syncthreads();");
}

}  // namespace weft::emit
