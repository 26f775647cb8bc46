// Outputs in another shape than they are computed in: which are computed without it.
#include "compiler/passes/unreshape.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/compile.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {
namespace {

// The output's op and shape after the pass; values are compared as well.
std::string output_of(const std::string& lines, const Target& target = {}) {
  const ir::Graph graph = ir::parse("graph {\n" + lines + "\n}");
  const ir::Graph after = passes::unreshape(graph, target, {});
  ir::verify(after, "unreshape");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  const auto want = ir::interpret(graph, inputs), got = ir::interpret(after, inputs);
  for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(got[k].data, want[k].data) << "output " << k;
  const ir::Node& n = *after.outputs[0];
  return std::string(name(n.op)) + " " + to_string(n.shape());
}

constexpr const char* kTable = R"(%a = input "a" : f32[6, 4]
    %b = input "b" : f32[4]
    %c = broadcast %b : f32[6, 4]
    %d = multiply %a, %c
    )";

TEST(Unreshape, AComputedValueKeepsItsShape) {
  EXPECT_EQ(output_of(std::string(kTable) + "%r = reshape %d : f32[24]\n return %r"), "multiply (6, 4)");
  EXPECT_EQ(
      output_of(std::string(kTable) + "%p = reshape %d : f32[3, 8]\n %r = reshape %p : f32[24]\n return %r"),
      "multiply (6, 4)");
  EXPECT_EQ(
      output_of(std::string(kTable) + "%p = permute %a, axes=[1, 0]\n %r = reshape %p : f32[24]\n return %r"),
      "permute (4, 6)");
}

TEST(Unreshape, WhatIsReadInTheOtherShapeStays) {
  EXPECT_EQ(output_of(std::string(kTable) + "%r = reshape %d : f32[24]\n %e = exp %r\n return %r, %e"),
            "reshape (24,)");
}

TEST(Unreshape, InputsStay) {
  EXPECT_EQ(output_of("%a = input \"a\" : f32[6, 4]\n %r = reshape %a : f32[24]\n return %r"),
            "reshape (24,)");
}

TEST(Unreshape, CudaStays) {
  EXPECT_EQ(output_of(std::string(kTable) + "%r = reshape %d : f32[24]\n return %r", {TargetKind::Cuda}),
            "reshape (24,)");
}

// How many reshapes are left.
int reshapes_of(const std::string& lines) {
  const ir::Graph graph = ir::parse("graph {\n" + lines + "\n}");
  const ir::Graph after = passes::unreshape(graph, {}, {});
  ir::verify(after, "unreshape");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  const auto want = ir::interpret(graph, inputs), got = ir::interpret(after, inputs);
  for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(got[k].data, want[k].data) << "output " << k;
  const auto order = topological_order(after.outputs);
  return static_cast<int>(std::ranges::count_if(order, [](auto* n) { return n->op == ir::Op::reshape; }));
}

TEST(Unreshape, MapsBetweenReshapesThatUndoEachOtherNeedNeither) {
  const std::string flat = std::string(kTable) + "%f = reshape %d : f32[24]\n";
  const std::string padded =
      "%h = reshape %g : f32[6, 4]\n %z = constant 0.0 : f32[]\n"
      " %r = pad %h, %z, before=[1, 1], after=[1, 1]\n return %r";
  EXPECT_EQ(reshapes_of(flat + "%g = exp %f\n" + padded), 0);
  EXPECT_EQ(reshapes_of(flat + "%e = exp %f\n %t = scalar \"t\" : f32[24]\n %g = multiply %e, %t\n" + padded),
            1)
      << "of the scalar, which no loop splits";
  EXPECT_EQ(reshapes_of(flat + "%w = input \"w\" : f32[24]\n %g = add %f, %w\n" + padded), 1)
      << "of an input";
  // There and back inside of another detour.
  EXPECT_EQ(reshapes_of(flat +
                        "%e = exp %f\n %i = reshape %e : f32[6, 4]\n %j = abs %i\n"
                        " %k = reshape %j : f32[24]\n %g = negative %k\n" +
                        padded),
            0);
}

TEST(Unreshape, MapsThatOthersReadInTheirShapeStay) {
  const std::string flat = std::string(kTable) + "%f = reshape %d : f32[24]\n %g = exp %f\n";
  EXPECT_EQ(reshapes_of(flat + "%h = reshape %g : f32[6, 4]\n %n = negative %h\n %r = sum %g, axes=[0]\n"
                               " return %n, %r"),
            2);
  EXPECT_EQ(reshapes_of(flat + "%h = reshape %g : f32[3, 8]\n %r = sum %h, axes=[1]\n return %r"), 2)
      << "another shape than before";
}

// A group norm: rows of the groups, in the shape of its argument.
constexpr const char* kGroups = R"(%a = input "a" : f32[2, 6, 4]
    %g = reshape %a : f32[2, 2, 12]
    %s = sum %g, axes=[2]
    %t = reshape %s : f32[2, 2, 1]
    %u = broadcast %t : f32[2, 2, 12]
    %n = subtract %g, %u
    %y = reshape %n : f32[2, 6, 4]
    )";

TEST(Unreshape, WhatIsOfRowsKeepsTheirShapeEverywhere) {
  for (const TargetKind kind : {TargetKind::Cpu, TargetKind::Cuda}) {
    EXPECT_EQ(output_of(std::string(kGroups) + "return %y", {kind}), "subtract (2, 2, 12)");
    EXPECT_EQ(output_of(std::string(kGroups) + "%r = relu %y\n return %r", {kind}), "relu (2, 2, 12)");
    EXPECT_EQ(output_of(std::string(kGroups) +
                            "%e = exp %a\n %r = add %y, %e\n %h = reshape %r : f32[48]\n return %h",
                        {kind}),
              "add (2, 2, 12)");
  }
}

TEST(Unreshape, MapsOfWhatIsMoreThanAnotherViewStay) {
  const std::string by_channel = R"(%w = input "w" : f32[6, 1]
    %c = broadcast %w : f32[2, 6, 4]
    %r = multiply %y, %c
    return %r)";
  EXPECT_EQ(output_of(kGroups + by_channel), "multiply (2, 6, 4)");
  EXPECT_EQ(output_of(std::string(kGroups) + "%e = exp %y\n %r = relu %e\n return %r, %e"), "relu (2, 6, 4)");
}

TEST(Unreshape, NormsOfGroupsAreOneKernel) {
  for (const char* last : {"return %y", "%r = relu %y\n return %r", "%r = add %y, %a\n return %r",
                           "%k = scalar : f32[2, 6, 4]\n %r = maximum %y, %k\n return %r"})
    for (const TargetKind kind : {TargetKind::Cpu, TargetKind::Cuda}) {
      Target target;
      target.kind = kind;
      const Program program = compile(ir::parse("graph {\n" + std::string(kGroups) + last + "\n}"), target);
      EXPECT_EQ(program.steps.size(), 1u) << last;
    }
}

TEST(Unreshape, SpareDivisions) {
  const ir::Graph graph =
      ir::parse("graph {\n" + std::string(kTable) + "%r = reshape %d : f32[24]\n return %r\n}");
  std::string plans;
  Options options;
  options.dump = [&](std::string_view stage, std::string_view text) {
    if (stage == "plan") plans += text;
  };
  compile(graph, {}, options);
  EXPECT_EQ(plans.find(" mod "), std::string::npos) << plans;
  options.without_passes = {"unreshape"};
  compile(graph, {}, options);
  EXPECT_NE(plans.find(" mod "), std::string::npos) << plans;
}

}  // namespace
}  // namespace weft::test
