// Values in the common refinement of two shapes: which, and that they stay.
#include "compiler/passes/refine_shapes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

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

// What each reduction reads, in order, after comparing values bit by bit: every input is of small integers,
// of which no order of additions rounds anything.
std::string reduced(const std::string& lines) {
  const ir::Graph graph = ir::parse("graph {\n" + lines + "\n}");
  const ir::Graph result = passes::refine_shapes(graph, cpu(), Options{});
  ir::verify(result, "refine_shapes");
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  for (ir::HostTensor& input : inputs)
    for (size_t k = 0; k * sizeof(float) < input.data.size(); ++k) {
      const float number = static_cast<float>(k * 7 % 11) - 5;
      std::memcpy(input.data.data() + k * sizeof(float), &number, sizeof number);
    }
  const std::vector<ir::HostTensor> want = ir::interpret(graph, inputs), have = ir::interpret(result, inputs);
  for (size_t k = 0; k < want.size(); ++k) {
    EXPECT_EQ(have[k].type.shape, want[k].type.shape);
    EXPECT_EQ(have[k].data, want[k].data) << ir::print(result);
  }
  std::string out;
  for (const ir::Node* n : topological_order(result.outputs))
    if (kind(n->op) == ir::OpKind::Reduce)
      out += fmt::format("{}{} of {} along {}", out.empty() ? "" : ", ", name(n->op),
                         to_string(n->inputs[0]->shape()), to_string(n->as<ir::AxesAttr>().axes));
  return out;
}

// The largest number of each of 3 groups of 2 channels, taken from all of the group, and what `tail` makes of
// %h, in the channels' shape.
std::string groups(const std::string& tail, const std::string& head = "") {
  return head +
         "%x = input : f32[4, 6, 5, 7]\n%r = reshape %x : f32[4, 3, 70]\n%m = max %r, axes=[2]\n"
         "%n = add %m, 1.0\n%k = reshape %n : f32[4, 3, 1]\n%d = subtract %r, %k\n%h = reshape %d : f32[4, "
         "6, 5, 7]\n" +
         tail;
}

TEST(RefineShapes, GroupsOfChannels) {
  EXPECT_EQ(reduced("%g = input : f32[6, 1, 1]\n" + groups("%y = multiply %h, %g\nreturn %y")),
            "max of (4, 3, 2, 5, 7) along (2, 3, 4)");
}

TEST(RefineShapes, ReductionsInBothShapesAndOfTheArraysThatAreRead) {
  EXPECT_EQ(
      reduced(
          "%g = input : f32[4, 6, 5, 7]\n" +
          groups("%y = multiply %h, %g\n%s = sum %y, axes=[0, 2]\n%t = sum %g, axes=[0, 3]\nreturn %s, %t")),
      "max of (4, 3, 2, 5, 7) along (2, 3, 4), sum of (4, 3, 2, 5, 7) along (0, 3), "
      "sum of (4, 3, 2, 5, 7) along (0, 4)");
}

TEST(RefineShapes, OutputsKeepTheirShapes) {
  EXPECT_EQ(reduced("%g = input : f32[6, 1, 1]\n" + groups("%y = multiply %h, %g\nreturn %y, %d, %m, %h")),
            "max of (4, 3, 2, 5, 7) along (2, 3, 4)");
}

TEST(RefineShapes, PositionsCountAsBefore) {
  EXPECT_EQ(reduced("%g = input : f32[6, 1, 1]\n" +
                    groups("%y = multiply %h, %g\n%a = argmax %y, axes=[1, 2]\nreturn %a")),
            "max of (4, 3, 2, 5, 7) along (2, 3, 4), argmax of (4, 3, 2, 5, 7) along (1, 2, 3)");
}

TEST(RefineShapes, WhatStaysAsItIs) {
  // 70 and 7 * 4 do not divide each other.
  EXPECT_EQ(reduced("%g = input : f32[5, 12, 14]\n" +
                    groups("%i = reshape %d : f32[5, 12, 14]\n%y = multiply %i, %g\nreturn %y")),
            "max of (4, 3, 70) along (2,)");
  // Nothing is computed in the other shape.
  EXPECT_EQ(reduced(groups("return %h")), "max of (4, 3, 70) along (2,)");
  // What runs along an axis does so whole.
  EXPECT_EQ(reduced("%g = input : f32[6, 1, 1]\n" +
                    groups("%c = cumulative_sum %d, axis=2\n%i = reshape %c : f32[4, 6, 5, 7]\n"
                           "%y = multiply %h, %g\n%z = add %i, %y\nreturn %z")),
            "max of (4, 3, 70) along (2,)");
  // No rows.
  EXPECT_EQ(reduced("%x = input : f32[4, 6]\n%g = input : f32[2, 1, 6]\n%d = negative %x\n"
                    "%r = reshape %d : f32[2, 2, 6]\n%y = multiply %r, %g\nreturn %y"),
            "");
}

// As a group norm is written: one kernel, that reads and writes memory once.
TEST(RefineShapes, AGroupNormIsOneKernel) {
  for (const Target& target : {cpu(), h200()}) {
    const Program p =
        compile(ir::parse("graph {\n" + groups("%y = multiply %h, %g\n%z = add %y, %b\nreturn %z\n}",
                                               "%g = input : f32[6, 1, 1]\n%b = input : f32[6, 1, 1]\n")),
                target);
    ASSERT_EQ(p.steps.size(), 1u) << p.explanation;
    EXPECT_EQ(std::get<KernelStep>(p.steps[0]).bytes_read, (4 * 6 * 35 + 2 * 6) * 4) << p.explanation;
  }
}

}  // namespace
}  // namespace weft::test
