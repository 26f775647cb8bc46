// What explain() says before the kernels: what is moved, against op by op, and what to change; and the same as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/base/error.h"
#include "compiler/ir/text/parse.h"
#include "frontend/cpp/inspect/assembly_lines.h"
#include "frontend/cpp/inspect/colours.h"
#include "frontend/cpp/inspect/explain_graph.h"
#include "frontend/cpp/inspect/ways_to_fuse.h"
#include "frontend/cpp/weft/explain.h"
#include "frontend/cpp/weft/weft.h"
#include "frontend/cpp/weft/why.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

detail::ExplainedGraph of(const char* lines, const Options& options = {}) {
  const ir::Graph graph = ir::parse(std::string("graph {\n") + lines + "\n}", "e.weft");
  return detail::explained_graph(graph, compile_explained(graph, Target{}, options));
}

constexpr const char* kSoftmax = R"(
%x = input : f32[1000, 500]
%m = max %x, axes=[1]
%k = reshape %m : f32[1000, 1]
%d = subtract %x, %k
%e = exp %d
%s = sum %e, axes=[1]
%t = reshape %s : f32[1000, 1]
%y = divide %e, %t
return %y)";

TEST(Explain, SaysFirstWhatIsMovedAgainstOpByOp) {
  detail::ExplainedGraph softmax = of(kSoftmax);
  softmax.memory_speed = 1e10;
  const std::string text = text_of(softmax, ExplainDetail::Summary);
  // max reads 2 MB and writes 4 kB; subtract reads both and writes 2 MB; exp 2 and 2; sum 2; divide 2 and 2.
  EXPECT_EQ(
      text,
      "1 kernel does 5 operations: 2.0 MB read and 2.0 MB written\n"
      "op by op, as NumPy computes, it would be 16.0 MB read and written: 4.0 times as much\n"
      "at the 10.0 GB/s of this machine's memory that takes about 400 us, op by op 1.6 ms; less where arrays "
      "stay in caches, more where much is computed\n");
}

TEST(Explain, SaysAsMuchAsIsAskedFor) {
  const detail::ExplainedGraph softmax = of(kSoftmax);
  const std::string kernels = text_of(softmax, ExplainDetail::Kernels),
                    all = text_of(softmax, ExplainDetail::All);
  EXPECT_THAT(kernels, HasSubstr("step 0: kernel over (1000,) with rows (500,)"));
  EXPECT_THAT(kernels, Not(HasSubstr("fused: ")));
  EXPECT_THAT(all, StartsWith(kernels));
  EXPECT_THAT(
      all,
      HasSubstr(
          "fused: max : f32(1000,) at e.weft:4 -> sum : f32(1000,) at e.weft:8: 8.0 kB stay inside, as its "
          "rows are computed in the kernel that reads it\n"));
  EXPECT_THAT(all, Not(HasSubstr("GB/s")));  // of no machine
  EXPECT_THROW(explain_detail_named("much"), Error);
}

TEST(Explain, ColoursAreAroundWordsAndChangeNoText) {
  EXPECT_EQ(
      detail::coloured("1 kernel does 2\nadvice: widened at e.py:1: 3 %\n\nstep 0: kernel\n  keeps max\n"
                       "fused: a -> b\nother\n"),
      "\033[1m1 kernel does 2\033[0m\n\033[1;33madvice: widened\033[0m at e.py:1: 3 %\n\n"
      "\033[1;36mstep 0\033[0m: kernel\n\033[2m  keeps \033[0mmax\n\033[32mfused:\033[0m a -> b\nother\n");
  EXPECT_EQ(detail::coloured("    not fused: in a body"), "    \033[31mnot fused:\033[0m in a body");
  EXPECT_EQ(detail::coloured(""), "");
}

TEST(Explain, WhatDoesNotFuseSaysWhatToWriteInstead) {
  const detail::ExplainedGraph two = of(R"(
%x = input : f32[64, 64]
%d = dot %x, %x
%y = exp %d
return %y)");
  const std::string advice = detail::advice_of(two);
  EXPECT_THAT(advice, StartsWith("to change: dot : f32(64, 64) at e.weft:4: a library computes it: "));
  EXPECT_THAT(advice, HasSubstr("`sum(x * v, 1)`"));
  EXPECT_EQ(detail::advice_of(of(kSoftmax)), "");
  EXPECT_EQ(detail::way_to_fuse("its elements are read in the loop that computes them"), "");
}

TEST(Explain, GivesTheSameAsData) {
  const json all = json::parse(detail::json_of({of(kSoftmax)}));
  EXPECT_EQ(all["schema"], "weft.explain");
  EXPECT_EQ(all["version"], 2);
  const json& program = all["programs"][0];
  EXPECT_EQ(program["summary"]["kernels"], 1);
  EXPECT_EQ(program["summary"]["bytes_read"], 2'000'000);
  EXPECT_EQ(program["summary"]["op_by_op_bytes"], 16'016'000);
  EXPECT_TRUE(program["summary"]["seconds"].is_null());
  const json& step = program["steps"][0];
  EXPECT_EQ(step["kind"], "kernel");
  EXPECT_THAT(step["outer"], ElementsAre(1000));
  const auto named = [&](const json& value) { return program["values"][value.get<size_t>()]["op"]; };
  ASSERT_EQ(step["writes"].size(), 1u);
  EXPECT_EQ(named(step["writes"][0]), "divide");
  for (const json& edge : program["edges"]) {
    EXPECT_EQ(edge["fused"], true);
    EXPECT_EQ(edge["bytes_saved"], 8000) << named(edge["from"]);
  }
}

TEST(Explain, SaysWhyAStencilOfSomethingCostlyIsStored) {
  const char* stencil = R"(
%x = input : f32[1000, 1000]
%t = tanh %x
%l = log %t
%s = sin %l
%e = exp %s
%a = slice %e, starts=[0, 0], steps=[1, 1] : f32[1000, 997]
%b = slice %e, starts=[0, 1], steps=[1, 1] : f32[1000, 997]
%c = slice %e, starts=[0, 3], steps=[1, 1] : f32[1000, 997]
%n = add %a, %b
%y = add %n, %c
return %y)";
  const detail::ExplainedGraph stored = of(stencil);
  EXPECT_THAT(text_of(stored, ExplainDetail::All),
              HasSubstr("it is read at many positions: computed at each"));
  ASSERT_EQ(stored.costs.size(), 1u);
  EXPECT_EQ(stored.costs[0].cause, "stored stencil");
  EXPECT_EQ(stored.costs[0].lines[0].line, 7u);
}

TEST(Explain, TellsOfArraysInMemory) {
  const TestSession session;
  Array x = iota({2000}, 0);
  EXPECT_THAT(explain({&x, 1}, ExplainDetail::Summary), StartsWith("1 kernel does"));
  x.eval();
  EXPECT_THAT(explain({&x, 1}, ExplainDetail::Summary), HasSubstr("lies in memory"));
  EXPECT_THAT(json::parse(explain_json({&x, 1}))["programs"], IsEmpty());
}

TEST(Why, NamesWhatTheNearestProgramHadNot) {
  const TestSession session;
  exp(ones({300, 70})).eval();
  exp(ones({300, 70}).astype(DType::F32)).eval();
  EXPECT_THAT(why(0), IsEmpty());
  EXPECT_THAT(why(2), StartsWith("1. explain_test.cpp:"));
}

TEST(AssemblyLines, HaveTheLineOfTheSourceAndNothingForDebuggers) {
  const detail::AssemblyLines read = detail::assembly_lines(
      "\t.text\n\t.file\t\"k.cpp\"\nk:                  # @k\n\t.cfi_startproc\n"
      "\t.loc\t0 5 1 prologue_end # kernel.cpp:5:1\n\tvxorps\t%xmm0, %xmm0\n.Ltmp1:\n"
      "\t.loc\t0 9 7 is_stmt 0 # kernel.cpp:9:7\n\tvaddps\t%xmm0, %xmm1\n"
      "\t.section\t.debug_line,\"\",@progbits\n\t.byte\t1\n");
  EXPECT_EQ(read.text, "\t.text\nk:                  # @k\n\tvxorps\t%xmm0, %xmm0\n\tvaddps\t%xmm0, %xmm1\n");
  EXPECT_THAT(read.lines, ElementsAre(0, 0, 5, 9));
}

TEST(AssemblyLines, OfPtxAreReadToo) {
  const detail::AssemblyLines read = detail::assembly_lines(
      ".visible .entry k(\n)\n{\n\t.reg .b32 \t%r<2>;\n\t.loc\t1 45 0\n\tmov.u32 \t%r1, %tid.x;\n"
      "\t.loc\t1 20 37, function_name $L__info_string0, inlined_at 1 59 5\n\tret;\n}\n\t.file\t1 \"k.cu\"\n"
      "\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,0\n\n\t}\n");
  EXPECT_EQ(read.text,
            ".visible .entry k(\n)\n{\n\t.reg .b32 \t%r<2>;\n\tmov.u32 \t%r1, %tid.x;\n\tret;\n}\n");
  EXPECT_THAT(read.lines, ElementsAre(0, 0, 0, 0, 45, 20, 0));
}

}  // namespace
}  // namespace weft
