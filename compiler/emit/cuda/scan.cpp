#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

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
    if (!acc.is_running()) continue;
    DType t = total_of(acc);
    functions_ +=
        format("struct __align__({}) R{} {{ {} t; }};\n", size_of(t) > 8 ? 16 : 8, a, dialect_.value_type(t));
  }
}

// `begin`: what lies before, where that is not nothing.
void CudaEmitter::start_scans(size_t sweep, const std::string& begin) {
  if (totalling_) return;
  for (int a : p_.sweeps[sweep].accumulators) {
    auto& acc = p_.accumulators[a];
    if (!acc.is_running()) continue;
    DType t = total_of(acc);
    code_.line("{} so_far{}{};", dialect_.value_type(t), a, columns_ ? format("[{}]", s_.lanes) : "");
    each_column(true);
    code_.line("so_far{}{} = {};", a, columns_ ? "[e]" : "",
               begin.empty() ? identity_of(acc, t, dialect_) : begin);
    each_column(false);
    if (columns_) continue;
    code_.line("{} scan{}[{}][{}];", dialect_.value_type(t), a, s_.unroll, s_.lanes);
    if (scanning_threads() > 32)
      code_.line("__shared__ R{0} warps{0}[{1}][{2}];", a, s_.unroll, s_.threads / 32);
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
  const int a = s.accumulator, threads = scanning_threads();
  auto join = [&](const std::string& x, const std::string& y) { return joined(acc, t, x, y); };
  const std::string type = dialect_.value_type(t), nothing = identity_of(acc, t, dialect_);
  const bool block = threads > 32;
  if (block) code_.line("{} before{}[{}];", type, a, s_.unroll);
  code_.unrolled("u", s_.unroll);
  code_.line("R{} all = {{scan{}[u][0]}};", a, a);
  if (s_.lanes > 1) {
    code_.add("#pragma unroll");
    code_.line("for (int e = 1; e < {}; ++e) scan{}[u][e] = all.t = {};", s_.lanes, a,
               join("all.t", format("scan{}[u][e]", a)));
  }
  code_.line("{} before = {};", type, nothing);
  if (threads > 1) {
    code_.add("#pragma unroll");
    code_.line("for (int k = 1; k < {}; k *= 2) {{", std::min(threads, 32));
    code_.line("const R{} other = weft_exchange(all, k);", a);
    code_.line("if (threadIdx.x & k) before = {};", join("other.t", "before"));
    code_.line("all.t = {};", join("all.t", "other.t"));
    code_.add("}");
  }
  if (block) {
    const int warps = threads / 32;
    code_.line("before{}[u] = before;", a);
    code_.line("if (threadIdx.x % 32 == 0) warps{}[u][threadIdx.x / 32] = all;", a);
    code_.add("}");
    code_.add("__syncthreads();");
    code_.unrolled("u", s_.unroll);
    code_.line("const int first = (int)threadIdx.x / {} * {};", threads, warps);
    code_.line("R{0} all = {{{1}}}, earlier = all;", a, nothing);
    code_.line("for (int k = first; k < first + {}; ++k) {{", warps);
    code_.line("const R{0} other = warps{0}[u][k];", a);
    code_.line("if (k < (int)threadIdx.x / 32) earlier.t = {};", join("earlier.t", "other.t"));
    code_.line("all.t = {};", join("all.t", "other.t"));
    code_.add("}");
    code_.line("{} before = {};", type, join("earlier.t", format("before{}[u]", a)));
  }
  code_.line("before = {};", join(format("so_far{}", a), "before"));
  code_.line("so_far{} = {};", a, join(format("so_far{}", a), "all.t"));
  code_.add("#pragma unroll");
  code_.line("for (int e = 0; e < {}; ++e) scan{}[u][e] = {};", s_.lanes, a,
             join("before", format("scan{}[u][e]", a)));
  code_.add("}");
  // Nobody writes the next totals before all have read these.
  if (block) code_.add("__syncthreads();");
}

// Blocks take parts in the order in which they start, so that a part that waits for another does not keep it
// from running.
void CudaEmitter::take_number() {
  code_.add("__shared__ unsigned int taken;");
  code_.add("if (threadIdx.x == 0) taken = atomicAdd((unsigned int*)partials, 1u);");
  code_.add("__syncthreads();");
  code_.add("const unsigned int number = taken;");
}

// What lies before the warp's run of part k of the row: the runs before it, and the parts of its group of 32
// before it, the groups of its 32 before that, and all that is before these. Always the same are joined, so
// the bits do not depend on who comes first. The last part of a group makes the group known, the last of 32
// groups all that came until then.
void CudaEmitter::look_back() {
  const int64_t words = state_bytes_[0] / 4, groups = (s_.split + 31) / 32, tops = (groups + 31) / 32,
                ticket = 2;
  const std::string n = std::to_string(words);
  partial_bytes_ = 8 * (ticket + p_.outer_count() * (s_.split + groups + tops) * words);
  launch_.zeroed = static_cast<uint32_t>(p_.buffers.size());
  launch_.zeroed_bytes = static_cast<size_t>(partial_bytes_);
  code_.line("const I groups = ({} + 31) / 32, tops = (groups + 31) / 32;", split_);
  code_.line(
      "unsigned long long* const parts = (unsigned long long*)partials + {} + (long long)row * ({} + "
      "groups + tops) * {};",
      ticket, split_, n);
  code_.line("unsigned long long* const group = parts + ((long long){} + k / 32) * {};", split_, n);
  code_.line("unsigned long long* const top = parts + ((long long){} + groups + k / 1024) * {};", split_, n);
  code_.add("const I nth = k % 32, nth_group = k / 32 % 32;");
  auto start = [&](const char* state) {
    code_.line("S0 {};", state);
    for (int a : folded(0)) {
      auto& acc = p_.accumulators[a];
      code_.line("{}.t{} = {};", state, a, identity_of(acc, total_of(acc), dialect_));
    }
  };
  const int warps = s_.threads / 32;
  code_.add("#pragma unroll");
  code_.add("for (int i = 16; i; i /= 2) join0(s0, weft_exchange(s0, i));");
  code_.line("__shared__ S0 runs[{}];", warps);
  code_.add("if (lane == 0) runs[t / 32] = s0;");
  code_.add("__syncthreads();");
  start("mine");
  code_.add("s0 = mine;");
  code_.line("for (int i = 0; i < {}; ++i) {{", warps);
  code_.add("if (i == t / 32) mine = s0;");
  code_.add("join0(s0, runs[i]);");
  code_.add("}");
  code_.line("if (t == 0 && nth < 31) weft_publish(parts + (long long)k * {}, s0);", n);
  start("before");
  code_.line("if (t < nth) weft_find(parts + (long long)(k - nth + t) * {}, before);", n);
  code_.line(
      "if (t >= 32 && t - 32 < nth_group) weft_find(group - (long long)(nth_group - t + 32) * {}, before);",
      n);
  code_.line("if (t == 64 && k >= 1024) weft_find(top - {}, before);", n);
  code_.add("#pragma unroll");
  code_.add("for (int i = 16; i; i /= 2) join0(before, weft_exchange(before, i));");
  code_.add("__shared__ S0 earlier[3];");
  code_.add("if (t == 0 && nth == 31) {");
  code_.add("S0 all = before;");
  code_.add("join0(all, s0);");
  code_.add("weft_publish(group, all);");
  code_.add("}");
  code_.add("if (t < 96 && t % 32 == 0) earlier[t / 32] = before;");
  code_.add("__syncthreads();");
  code_.add("before = earlier[2];");
  code_.add("join0(before, earlier[1]);");
  code_.add("join0(before, earlier[0]);");
  code_.add("if (t == 0 && k % 1024 == 1023) {");
  code_.add("join0(s0, before);");
  code_.add("weft_publish(top, s0);");
  code_.add("}");
  code_.add("join0(before, mine);");
}

void CudaEmitter::finish_scan(const Scan& s) {
  DType t = total_of(p_.accumulators[s.accumulator]), to = p_.values[s.out].dtype;
  std::string value = format("scan{}[u][e]", s.accumulator);
  code_.line("const {} v{} = {};", value_type(s.out), s.out,
             t == to ? value : format("weft_cast_{}_{}({})", suffix(t), suffix(to), value));
}

}  // namespace weft::emit
