// Reductions over several axes that are cut in two along rows that they read: which, and that values stay.
#include "compiler/passes/reductions/split_reductions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

// The axes of each reduction, in order, after comparing values bit by bit: every input is of small integers,
// of which no order of additions rounds anything.
std::string axes_of(const std::string& lines, const Target& target = cpu()) {
  const ir::Graph graph = ir::parse("graph {\n" + lines + "\n}");
  const ir::Graph result = passes::split_reductions(graph, target, Options{});
  ir::verify(result, "split_reductions");
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  for (ir::HostTensor& input : inputs) {
    if (input.type.dtype != DType::F32) continue;
    for (size_t k = 0; k * sizeof(float) < input.data.size(); ++k) {
      const float number = static_cast<float>(k * 7 % 11) - 5;
      std::memcpy(input.data.data() + k * sizeof(float), &number, sizeof number);
    }
  }
  const std::vector<ir::HostTensor> want = ir::interpret(graph, inputs), have = ir::interpret(result, inputs);
  for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(have[k].data, want[k].data) << ir::print(result);
  std::string out;
  for (const ir::Node* n : topological_order(result.outputs))
    if (kind(n->op) == ir::OpKind::Reduce)
      out +=
          fmt::format("{}{}{}", out.empty() ? "" : " ", name(n->op), to_string(n->as<ir::AxesAttr>().axes));
  return out;
}

// The largest number of each row, taken from it, and what `tail` makes of %d.
std::string centred(const std::string& tail) {
  return "%x = input : f32[40, 30]\n%m = max %x, axes=[1]\n%r = reshape %m : f32[40, 1]\n%d = subtract %x, "
         "%r\n" +
         tail;
}

TEST(SplitReductions, ASumOfAllReadsRows) {
  EXPECT_EQ(axes_of(centred("%t = sum %d, axes=[0, 1]\nreturn %t")), "max(1,) sum(1,) sum(0,)");
  EXPECT_EQ(axes_of(centred("%t = sum %d, axes=[0, 1]\nreturn %t"), h200()), "max(1,) sum(1,) sum(0,)");
}

TEST(SplitReductions, OtherKindsOfReductions) {
  EXPECT_EQ(axes_of(centred("%t = min %d, axes=[0, 1]\nreturn %t")), "max(1,) min(1,) min(0,)");
  EXPECT_EQ(axes_of(centred("%b = less %d, -8.0\n%t = any %b, axes=[0, 1]\nreturn %t")),
            "max(1,) any(1,) any(0,)");
  // Positions are of all elements.
  EXPECT_EQ(axes_of(centred("%t = argmin %d, axes=[0, 1]\nreturn %t")), "max(1,) argmin(0, 1)");
}

TEST(SplitReductions, AMiddleAxis) {
  EXPECT_EQ(
      axes_of("%x = input : f32[3, 40, 5, 6]\n%m = sum %x, axes=[2, 3]\n%r = reshape %m : f32[3, 40, 1, 1]\n"
              "%d = subtract %x, %r\n%t = sum %d, axes=[0, 2, 3]\nreturn %t"),
      "sum(2, 3) sum(2, 3) sum(0,)");
}

// One that is reduced with others in rows: in sections of these.
TEST(SplitReductions, SectionsOfRows) {
  const std::string lines =
      "%x = input : f32[9, 4, 70]\n%m = sum %x, axes=[1, 2]\n%r = reshape %m : f32[9, 1, 1]\n"
      "%d = subtract %x, %r\n%s = sum %x, axes=[0, 2]\n%t = sum %d, axes=[0, 2]\nreturn %s, %t";
  EXPECT_EQ(axes_of(lines), "sum(2,) sum(0,) sum(1, 2) sum(2,) sum(0,)");
  EXPECT_EQ(axes_of(lines, h200()), "sum(2,) sum(0,) sum(1, 2) sum(2,) sum(0,)");
  // Too short to be totalled with the row.
  EXPECT_EQ(axes_of("%x = input : f32[9, 4, 7]\n%m = sum %x, axes=[1, 2]\n%r = reshape %m : f32[9, 1, 1]\n"
                    "%d = subtract %x, %r\n%t = sum %d, axes=[0, 2]\nreturn %t"),
            "sum(1, 2) sum(0, 2)");
  // Turned over in memory, so that no kernel takes both.
  EXPECT_EQ(
      axes_of("%z = input : f32[9, 70, 4]\n%x = permute %z, axes=[0, 2, 1]\n%m = sum %x, axes=[1, 2]\n"
              "%r = reshape %m : f32[9, 1, 1]\n%d = subtract %x, %r\n%t = sum %d, axes=[0, 2]\nreturn %t"),
      "sum(1, 2) sum(0, 2)");
  // Its last axis is not what is reduced.
  EXPECT_EQ(axes_of("%x = input : f32[9, 70, 80]\n%m = sum %x, axes=[1, 2]\n%r = reshape %m : f32[9, 1, 1]\n"
                    "%d = subtract %x, %r\n%t = sum %d, axes=[0, 1]\nreturn %t"),
            "sum(1, 2) sum(0, 1)");
}

// What reads the same array with the same axes stays beside it, from wherever it reads.
TEST(SplitReductions, OthersOfTheSameArrayFollow) {
  EXPECT_EQ(axes_of(centred("%s = sum %x, axes=[0, 1]\n%t = sum %d, axes=[0, 1]\nreturn %s, %t")),
            "sum(1,) sum(0,) max(1,) sum(1,) sum(0,)");
  EXPECT_EQ(axes_of("%y = input : f32[40, 30]\n" +
                    centred("%s = sum %y, axes=[0, 1]\n%t = sum %d, axes=[0, 1]\nreturn %s, %t")),
            "sum(0, 1) max(1,) sum(1,) sum(0,)");
}

TEST(SplitReductions, WhatStaysWhole) {
  // The whole is the row.
  EXPECT_EQ(axes_of("%x = input : f32[40, 30]\n%m = max %x, axes=[0, 1]\n%d = subtract %x, %m\n"
                    "%t = sum %d, axes=[0, 1]\nreturn %t"),
            "max(0, 1) sum(0, 1)");
  // Totals across rows.
  EXPECT_EQ(axes_of(centred("%t = sum %d, axes=[0]\nreturn %t")), "max(1,) sum(0,)");
  // Rows of another array.
  EXPECT_EQ(
      axes_of("%x = input : f32[40, 30]\n%y = input : f32[40, 30]\n%m = max %y, axes=[1]\n"
              "%r = reshape %m : f32[40, 1]\n%d = subtract %x, %r\n%t = sum %d, axes=[0, 1]\nreturn %t"),
      "max(1,) sum(0, 1)");
  // Rows that are read elsewhere than at their own places.
  EXPECT_EQ(axes_of(centred("%n = slice %m, starts=[1] : f32[20]\n%q = reshape %n : f32[20, 1]\n"
                            "%y = slice %x, starts=[0, 0] : f32[20, 30]\n%z = subtract %y, %q\n"
                            "%t = sum %z, axes=[0, 1]\nreturn %t")),
            "max(1,) sum(0, 1)");
  EXPECT_EQ(axes_of("%x = input : f32[0, 30]\n%m = sum %x, axes=[1]\n%r = reshape %m : f32[0, 1]\n"
                    "%d = subtract %x, %r\n%t = sum %d, axes=[0, 1]\nreturn %t"),
            "sum(1,) sum(0, 1)");
}

// The sums of single rows are no halves: one of them, 80000, would be infinite.
TEST(SplitReductions, HalvesAreRoundedOnce) {
  const ir::Graph graph = ir::parse(
      "graph {\n%x = input : f16[2, 100]\n%m = max %x, axes=[1]\n%r = reshape %m : f16[2, 1]\n"
      "%d = subtract %x, %r\n%e = subtract %x, %d\n%t = sum %e, axes=[0, 1]\nreturn %t\n}");
  const ir::Graph result = passes::split_reductions(graph, cpu(), Options{});
  ir::verify(result, "split_reductions");
  EXPECT_EQ(std::ranges::count_if(topological_order(result.outputs),
                                  [](const ir::Node* n) { return n->op == ir::Op::sum; }),
            2);
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  constexpr uint16_t kEightHundred = 0x6240, kMinusSevenHundred = 0xe178, kTenThousand = 0x70e2;
  for (size_t k = 0; k < 200; ++k) {
    const uint16_t bits = k < 100 ? kEightHundred : kMinusSevenHundred;
    std::memcpy(inputs[0].data.data() + 2 * k, &bits, 2);
  }
  uint16_t sum = 0;
  std::memcpy(&sum, ir::interpret(result, inputs)[0].data.data(), 2);
  EXPECT_EQ(sum, kTenThousand);
}

// A loss over all rows of a softmax reads memory once.
TEST(SplitReductions, ACrossEntropyIsOneKernelAndASmallOne) {
  for (const Target& target : {cpu(), h200()}) {
    const Program p = compile(
        ir::parse("graph {\n" +
                  centred("%y = input : f32[40, 30]\n%e = exp %d\n%s = sum %e, axes=[1]\n%l = log %s\n"
                          "%k = reshape %l : f32[40, 1]\n%z = subtract %d, %k\n%p = multiply %z, %y\n"
                          "%t = sum %p, axes=[0, 1]\nreturn %t\n}")),
        target);
    ASSERT_EQ(p.steps.size(), 2u) << p.explanation;
    EXPECT_EQ(std::get<KernelStep>(p.steps[0]).bytes_read, 2 * 40 * 30 * 4) << p.explanation;
    EXPECT_EQ(std::get<KernelStep>(p.steps[1]).bytes_read, 40 * 4) << p.explanation;
  }
}

}  // namespace
}  // namespace weft::test
