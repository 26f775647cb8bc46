// Three levels of parts, each 32 of the one below: a block reads at most 31 + 31 + 1 totals of those before
// it.
#include "compiler/emit/cuda/look_back.h"

#include "compiler/emit/cuda/lay_out_memory.h"
#include "compiler/emit/cuda/totals.h"

namespace weft::emit {

using namespace plan;

void take_number(Entry& e) {
  Writer& code = e.code;
  code.add("__shared__ unsigned int taken;");
  code.add("if (threadIdx.x == 0) taken = atomicAdd((unsigned int*)partials, 1u);");
  code.add("__syncthreads();");
  code.add("const unsigned int number = taken;");
}

namespace {

// Where parts, groups of 32 parts and groups of 1024 publish their totals.
void declare_places(Entry& e, int64_t words) {
  Writer& code = e.code;
  const std::string& parts = e.numbers.parts;
  code.line("const I groups = ({} + 31) / 32, tops = (groups + 31) / 32;", parts);
  code.line(
      "unsigned long long* const parts = (unsigned long long*)partials + {} + (long long)row * ({} + "
      "groups + tops) * {};",
      kTicketWords, parts, words);
  code.line("unsigned long long* const group = parts + ((long long){} + k / 32) * {};", parts, words);
  code.line("unsigned long long* const top = parts + ((long long){} + groups + k / 1024) * {};", parts,
            words);
  code.add("const I nth = k % 32, nth_group = k / 32 % 32;");
}

void exchange_in_warp(Writer& code, const char* state) {
  code.add("#pragma unroll");
  code.line("for (int i = 16; i; i /= 2) join0({0}, weft_exchange({0}, i));", state);
}

void declare(Entry& e, const char* state) {
  e.code.line("S0 {};", state);
  start_state(e, state, joined_after(e, 0));
}

// The block's total as s0, and what lies before the warp's run of it as `mine`.
void total_block(Entry& e) {
  Writer& code = e.code;
  const int warps = e.own.threads / 32;
  exchange_in_warp(code, "s0");
  code.line("__shared__ S0 runs[{}];", warps);
  code.add("if (lane == 0) runs[t / 32] = s0;");
  code.add("__syncthreads();");
  declare(e, "mine");
  code.add("s0 = mine;");
  code.line("for (int i = 0; i < {}; ++i) {{", warps);
  code.add("if (i == t / 32) mine = s0;");
  code.add("join0(s0, runs[i]);");
  code.add("}");
}

}  // namespace

void look_back(Entry& e) {
  Writer& code = e.code;
  const int64_t n = e.layout.states[0].bytes / 4;
  declare_places(e, n);
  total_block(e);
  code.line("if (t == 0 && nth < 31) weft_publish(parts + (long long)k * {}, s0);", n);
  declare(e, "before");
  code.line("if (t < nth) weft_find(parts + (long long)(k - nth + t) * {}, before);", n);
  code.line(
      "if (t >= 32 && t - 32 < nth_group) weft_find(group - (long long)(nth_group - t + 32) * {}, before);",
      n);
  code.line("if (t == 64 && k >= 1024) weft_find(top - {}, before);", n);
  exchange_in_warp(code, "before");
  code.add("__shared__ S0 earlier[3];");
  code.add("if (t == 0 && nth == 31) {");
  code.add("S0 all = before;");
  code.add("join0(all, s0);");
  code.add("weft_publish(group, all);");
  code.add("}");
  code.add("if (t < 96 && t % 32 == 0) earlier[t / 32] = before;");
  code.add("__syncthreads();");
  code.add("before = earlier[2];");
  code.add("join0(before, earlier[1]);");
  code.add("join0(before, earlier[0]);");
  code.add("if (t == 0 && k % 1024 == 1023) {");
  code.add("join0(s0, before);");
  code.add("weft_publish(top, s0);");
  code.add("}");
  code.add("join0(before, mine);");
}

}  // namespace weft::emit
