#include <algorithm>

#include "compiler/emit/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// Running values, as R<n> {t} for accumulator n: so_far<n> is what lies before the batch. Columns are walked
// one element after another. Along rows, a batch's elements first take their own vector's running values in
// scan<n>; then the threads of the row learn what lies before each vector: a warp by exchanging halves, a
// block through shared memory.

int CudaEmitter::scans_of(const Batch& b) const {
  return static_cast<int>(
      std::ranges::count_if(b.sweep->body, [](auto& s) { return std::holds_alternative<Scan>(s); }));
}

std::set<Value> CudaEmitter::across_meetings(const Batch& b) const {
  std::set<Value> out;
  std::map<Value, int> phase;  // how many meetings stand before the definition
  int now = 0;
  for (size_t k = 0; k < b.sweep->body.size(); ++k) {
    const Stmt& s = b.sweep->body[k];
    if (b.routes[k].path == Path::Same) continue;
    for (Value v : uses(s))
      if (auto known = phase.find(v); known != phase.end() && known->second < now) out.insert(v);
    if (meets(b, s)) ++now;
    const Value v = defines(s);
    if (v >= 0) phase[v] = now;
    if (!at_once(s)) continue;
    out.insert(v);
    for (Value of : uses(s)) out.insert(of);
  }
  return out;
}

void CudaEmitter::declare_scans(size_t sweep) {
  for (int a : p_.sweeps[sweep].accumulators) {
    auto& acc = p_.accumulators[a];
    if (!acc.running) continue;
    DType t = total_of(acc);
    functions_ +=
        format("struct __align__({}) R{} {{ {} t; }};\n", size_of(t) > 8 ? 16 : 8, a, dialect_.value_type(t));
  }
}

void CudaEmitter::start_scans(size_t sweep, const std::string& from_parts) {
  if (totalling_) return;
  for (int a : p_.sweeps[sweep].accumulators) {
    auto& acc = p_.accumulators[a];
    if (!acc.running) continue;
    DType t = total_of(acc);
    code_.line("{} so_far{}{};", dialect_.value_type(t), a, columns_ ? format("[{}]", s_.lanes) : "");
    each_column(true);
    std::string state = from_parts + (columns_ ? "[e]" : "");
    code_.line("so_far{}{} = {};", a, columns_ ? "[e]" : "",
               from_parts.empty() ? identity_of(acc, t, dialect_) : format("{}.t{}", state, a));
    each_column(false);
    if (columns_) continue;
    code_.line("{} scan{}[{}][{}];", dialect_.value_type(t), a, s_.unroll, s_.lanes);
    if (s_.threads_per_row > 32) code_.line("__shared__ R{0} warps{0}[{1}];", a, s_.threads / 32);
  }
}

void CudaEmitter::scan_column(const Scan& s) {
  auto& acc = p_.accumulators[s.accumulator];
  DType t = total_of(acc), from = span_dtype(acc), to = p_.values[s.out].dtype;
  std::string value = name_of(s.value), c = format("so_far{}[e]", s.accumulator);
  if (from != t) value = format("weft_cast_{}_{}({})", suffix(from), suffix(t), value);
  code_.line("{0}{1} = {2};", every_fold_ ? "" : "if (in_fold) ", c, joined(acc, t, c, value));
  code_.line("const {} v{} = {};", value_type(s.out), s.out,
             t == to ? c : format("weft_cast_{}_{}({})", suffix(t), suffix(to), c));
}

void CudaEmitter::scan_row(const Scan& s) {
  auto& acc = p_.accumulators[s.accumulator];
  DType t = total_of(acc), from = span_dtype(acc);
  std::string value = name_of(s.value);
  if (from != t) value = format("weft_cast_{}_{}({})", suffix(from), suffix(t), value);
  code_.line("scan{}[u][e] = {};", s.accumulator, identity_of(acc, t, dialect_));
  code_.line("{}scan{}[u][e] = {};", every_fold_ ? "" : "if (in_fold) ", s.accumulator, value);
}

void CudaEmitter::join_scan(const Scan& s) {
  auto& acc = p_.accumulators[s.accumulator];
  DType t = total_of(acc);
  const int a = s.accumulator, threads = s_.threads_per_row;
  auto join = [&](const std::string& x, const std::string& y) { return joined(acc, t, x, y); };
  code_.unrolled("u", s_.unroll);
  code_.line("R{} all = {{scan{}[u][0]}};", a, a);
  if (s_.lanes > 1) {
    code_.add("#pragma unroll");
    code_.line("for (int e = 1; e < {}; ++e) scan{}[u][e] = all.t = {};", s_.lanes, a,
               join("all.t", format("scan{}[u][e]", a)));
  }
  code_.line("{} before = {};", dialect_.value_type(t), identity_of(acc, t, dialect_));
  if (threads > 1) {
    code_.add("#pragma unroll");
    code_.line("for (int k = 1; k < {}; k *= 2) {{", std::min(threads, 32));
    code_.line("const R{} other = weft_exchange(all, k);", a);
    code_.line("if (threadIdx.x & k) before = {};", join("other.t", "before"));
    code_.line("all.t = {};", join("all.t", "other.t"));
    code_.add("}");
  }
  if (threads > 32) {
    const int warps = threads / 32;
    code_.line("if (threadIdx.x % 32 == 0) warps{}[threadIdx.x / 32] = all;", a);
    code_.add("__syncthreads();");
    code_.line("const int first = (int)threadIdx.x / {} * {};", threads, warps);
    code_.line("{} earlier = {};", dialect_.value_type(t), identity_of(acc, t, dialect_));
    code_.add("all.t = earlier;");
    code_.line("for (int k = first; k < first + {}; ++k) {{", warps);
    code_.line("const R{0} other = warps{0}[k];", a);
    code_.line("if (k < (int)threadIdx.x / 32) earlier = {};", join("earlier", "other.t"));
    code_.line("all.t = {};", join("all.t", "other.t"));
    code_.add("}");
    code_.line("before = {};", join("earlier", "before"));
    // Nobody writes the next totals before all have read these.
    code_.add("__syncthreads();");
  }
  code_.line("before = {};", join(format("so_far{}", a), "before"));
  code_.line("so_far{} = {};", a, join(format("so_far{}", a), "all.t"));
  code_.add("#pragma unroll");
  code_.line("for (int e = 0; e < {}; ++e) scan{}[u][e] = {};", s_.lanes, a,
             join("before", format("scan{}[u][e]", a)));
  code_.add("}");
}

void CudaEmitter::finish_scan(const Scan& s) {
  DType t = total_of(p_.accumulators[s.accumulator]), to = p_.values[s.out].dtype;
  std::string value = format("scan{}[u][e]", s.accumulator);
  code_.line("const {} v{} = {};", value_type(s.out), s.out,
             t == to ? value : format("weft_cast_{}_{}({})", suffix(t), suffix(to), value));
}

}  // namespace weft::emit
