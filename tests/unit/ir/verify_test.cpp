#include "compiler/ir/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "tests/fuzz/random_graph.h"

namespace weft::ir {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

NodeRef array(const Shape& shape, DType dtype = DType::F32) {
  return input({dtype, shape}, {nullptr, "a", {}, 0});
}

// A node that no builder would make.
NodeRef unchecked(Op op, TensorType type, std::vector<NodeRef> inputs, Attr attr = {}) {
  return NodeRef(new Node(op, std::move(type), Inputs(inputs), std::move(attr), {}));
}

std::string complaint(const Graph& graph) {
  try {
    verify(graph, "fuse");
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

TEST(Verify, AcceptsWhatTheBuilderMakes) {
  for (uint64_t seed = 1000; seed < 1100; ++seed) EXPECT_EQ(complaint(test::random_graph(seed)), "");
}

TEST(Verify, NamesThePassTheNodeAndTheRule) {
  NodeRef a = array({3, 4});
  NodeRef m = unchecked(Op::max, {DType::F32, {4}}, {a}, AxesAttr{{1}});
  EXPECT_EQ(complaint({{a}, {map(Op::exp, {m})}}),
            "fuse: broken graph: max: its type is f32[4], but its operands give f32[3] (a defect of Weft)\n"
            "  %0 = input \"a\" : f32[3, 4]\n"
            "  %1 = max %0, axes=[1] : f32[4]");
}

TEST(Verify, RefusesWhatTheOpRefuses) {
  NodeRef a = array({3}), b = array({4}), i = array({3}, DType::I32);
  EXPECT_THAT(complaint({{a, b}, {unchecked(Op::add, a->type, {a, b})}}), HasSubstr("add: shapes differ"));
  EXPECT_THAT(complaint({{a, i}, {unchecked(Op::add, a->type, {a, i})}}), HasSubstr("add: dtypes differ"));
  EXPECT_THAT(complaint({{a}, {unchecked(Op::add, a->type, {a})}}), HasSubstr("takes 2 inputs"));
  EXPECT_THAT(complaint({{a}, {unchecked(Op::max, {DType::F32, {}}, {a}, AxesAttr{{3}})}}),
              HasSubstr("axis"));
  EXPECT_THAT(complaint({{a}, {unchecked(Op::slice, {DType::F32, {2}}, {a}, SliceAttr{{2}, {1}})}}),
              HasSubstr("range leaves axis 0"));
}

TEST(Verify, RefusesTheAttributeOfAnotherOp) {
  NodeRef a = array({3});
  EXPECT_THAT(complaint({{a}, {unchecked(Op::max, {DType::F32, {}}, {a}, AxisAttr{0})}}),
              AllOf(StartsWith("fuse: broken graph: max: "), HasSubstr("attribute")));
}

TEST(Verify, RefusesInputsThatAreNotListed) {
  NodeRef a = array({3}), b = array({3});
  EXPECT_THAT(complaint({{a}, {map(Op::add, {a, b})}}), HasSubstr("the graph does not list this input"));
  EXPECT_EQ(complaint({{a, b}, {map(Op::exp, {a})}}), "");
}

TEST(Verify, RefusesListedNodesThatAreNoInputs) {
  NodeRef a = array({3}), e = map(Op::exp, {a});
  EXPECT_THAT(complaint({{a, e}, {e}}), HasSubstr("neither input nor scalar"));
  EXPECT_THAT(complaint({{a, a}, {e}}), HasSubstr("lists this input twice"));
}

TEST(Verify, RefusesEmptyReferences) {
  NodeRef a = array({3});
  EXPECT_THAT(complaint({{a}, {a, {}}}), HasSubstr("output 1 is empty"));
  EXPECT_THAT(complaint({{a, {}}, {a}}), HasSubstr("input 1 is empty"));
}

TEST(Verify, RefusesOperandsTakenAway) {
  NodeRef a = array({3}), e = map(Op::exp, {a});
  const_cast<Node*>(e.get())->inputs.begin()[0] = {};
  EXPECT_THAT(complaint({{a}, {e}}),
              AllOf(HasSubstr("exp: operand 0 is empty"), HasSubstr("%0 = exp %? : f32[3]")));
}

TEST(Verify, RefusesCycles) {
  NodeRef a = array({3}), first = map(Op::exp, {a}), second = map(Op::exp, {first});
  NodeRef& operand = const_cast<Node*>(first.get())->inputs.begin()[0];
  operand = second;
  EXPECT_THAT(complaint({{a}, {second}}), HasSubstr("operand 0 depends on this node itself"));
  operand = a;  // else the two would keep each other alive
}

NodeRef assign(const NodeRef& base, const NodeRef& value, int64_t start) {
  return make(Op::assign, std::vector{base, value}, SliceAttr{{start}, {1}}, {});
}

TEST(Verify, RefusesAssignsOverWhatIsStillNeeded) {
  NodeRef a = array({9}), v = array({2}), n = map(Op::negative, {a});
  EXPECT_EQ(complaint({{a, v}, {assign(a, v, 3)}}), "");
  EXPECT_EQ(complaint({{a, v}, {assign(assign(n, v, 3), v, 4)}}), "");
  EXPECT_THAT(complaint({{a, v}, {assign(a, v, 3), n}}),
              HasSubstr("assign: nothing else may read the replaced value: negative f32[9] does"));
  EXPECT_THAT(complaint({{a, v}, {assign(a, v, 3), a}}), HasSubstr("must not be an output"));
  NodeRef strided = input({DType::F32, {9}}, {nullptr, "s", {2}, 0});
  EXPECT_THAT(complaint({{strided, v}, {assign(strided, v, 3)}}), HasSubstr("row-major: got strides"));
  EXPECT_THAT(complaint({{v}, {assign(constant({DType::F32, {9}}, Scalar::of(1.0)), v, 3)}}),
              HasSubstr("must lie in memory: got constant"));
}

TEST(Verify, RefusesAssignsOfWhatIsReadAtOtherPositions) {
  NodeRef a = array({9});
  auto update = [&](int64_t from, int64_t to) {
    return complaint({{a}, {assign(a, map(Op::exp, {slice(a, {from}, {2}, {1})}), to)}});
  };
  EXPECT_EQ(update(3, 3), "");
  EXPECT_THAT(update(3, 4), HasSubstr("at their own positions only"));
  NodeRef sum = broadcast(reshape(make(Op::sum, std::vector{a}, AxesAttr{{0}}, {}), {1}), {2});
  EXPECT_THAT(complaint({{a}, {assign(a, sum, 3)}}), HasSubstr("at their own positions only"));
}

}  // namespace
}  // namespace weft::ir
