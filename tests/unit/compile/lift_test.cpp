// Lifting constants to scalars: which ones, in which order, and that the graph computes what it did.
#include "compiler/lift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"

namespace weft {
namespace {

ir::Graph affine(const std::string& a, const std::string& b) {
  return ir::parse("graph {\n  %x = input : f32[4]\n  %y = multiply %x, " + a + "\n  %z = add %y, " + b +
                   "\n  %w = pow %z, 2.0\n  return %w\n}\n");
}

TEST(LiftConstants, SpecialOnesStay) {
  std::vector<Scalar> values;
  ir::Graph lifted = lift_constants(affine("0.3", "0.0"), values);
  EXPECT_EQ(print(lifted), R"(graph {
  %x = input "x" : f32[4]
  %0 = scalar "0.3" : f32[4]
  %1 = multiply %x, %0 : f32[4]
  %2 = constant 0.0 : f32[4]
  %3 = add %1, %2 : f32[4]
  %4 = constant 2.0 : f32[4]
  %5 = pow %3, %4 : f32[4]
  return %5
}
)");
  ASSERT_EQ(values.size(), 1u);
  EXPECT_TRUE(values[0].same(Scalar::of(0.3).cast(DType::F32)));
}

TEST(LiftConstants, OtherNumbersGiveTheSameGraph) {
  std::vector<Scalar> one, other;
  EXPECT_EQ(hash_graph(lift_constants(affine("0.3", "7.5"), one)),
            hash_graph(lift_constants(affine("0.4", "1.0"), other)));
  EXPECT_EQ(one.size(), 2u);
  EXPECT_FALSE(one[0].same(other[0]));
}

TEST(LiftConstants, WhatIsSpecialDependsOnTheUser) {
  std::vector<Scalar> values;
  const ir::Graph graph = ir::parse(
      "graph {\n  %x = input : f32[4]\n  %a = multiply %x, 2.0\n  %b = divide %a, 2.0\n  %c = divide 2.0, "
      "%b\n"
      "  %d = maximum %c, 0.0\n  %e = add %d, 0.0\n  %f = exp %e\n  %g = minimum %f, inf\n  return %g\n}\n");
  EXPECT_EQ(print(lift_constants(graph, values)), R"(graph {
  %x = input "x" : f32[4]
  %0 = scalar "2.0" : f32[4]
  %1 = scalar "0.0" : f32[4]
  %inf = scalar "inf" : f32[4]
  %2 = multiply %x, %0 : f32[4]
  %3 = constant 2.0 : f32[4]
  %4 = divide %2, %3 : f32[4]
  %5 = divide %0, %4 : f32[4]
  %6 = maximum %5, %1 : f32[4]
  %7 = constant 0.0 : f32[4]
  %8 = add %6, %7 : f32[4]
  %9 = exp %8 : f32[4]
  %10 = minimum %9, %inf : f32[4]
  return %10
}
)");
}

TEST(LiftConstants, EqualConstantsAreOneScalar) {
  std::vector<Scalar> values;
  ir::Graph lifted = lift_constants(affine("0.3", "0.3"), values);
  EXPECT_EQ(lifted.inputs.size(), 2u);
  EXPECT_EQ(values.size(), 1u);
}

TEST(LiftConstants, TheResultIsTheSame) {
  ir::Graph graph = affine("0.3", "-7.5");
  std::vector<Scalar> values;
  ir::Graph lifted = lift_constants(graph, values);
  ir::HostTensor x;
  x.type = graph.inputs[0]->type;
  x.data.resize(16);
  for (int i = 0; i < 4; ++i) Scalar::of(20.0 * i).cast(DType::F32).store(x.data.data() + 4 * i);
  std::vector<ir::HostTensor> inputs = {x};
  auto want = interpret(graph, inputs);
  for (const Scalar& v : values) {
    ir::HostTensor t;
    t.type.dtype = v.dtype;
    t.data.resize(size_of(v.dtype));
    v.store(t.data.data());
    inputs.push_back(t);
  }
  EXPECT_EQ(interpret(lifted, inputs)[0].data, want[0].data);
}

}  // namespace
}  // namespace weft
