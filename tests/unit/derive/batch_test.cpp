// A graph for many values at once gives what the graph gives for each.
#include "compiler/derive/batch.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/derive/derive.h"
#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {
namespace {

using ir::Graph;
using ir::HostTensor;
using ir::NodeRef;

constexpr int64_t kSize = 3;

// Every other input, from the first or the second on, differs from value to value.
std::string wrong_batch(const Graph& graph, uint64_t seed, bool first) {
  Graph all;
  derive::Batched inputs;
  std::vector<char> is_batched;
  bool next = first;
  for (const NodeRef& in : graph.inputs) {
    is_batched.push_back(in->op == ir::Op::input && next);
    next = !next;
    if (!is_batched.back()) {
      all.inputs.push_back(in);
      continue;
    }
    ir::TensorType type{in->dtype(), {kSize}};
    for (const int64_t extent : in->shape()) type.shape.push_back(extent);
    all.inputs.push_back(ir::input(type, {nullptr, in->as<ir::InputAttr>().name, {}, 0}));
    inputs.emplace(in.get(), all.inputs.back());
  }
  all.outputs = derive::batched(graph.outputs, inputs, kSize);
  ir::verify(all, "batched");
  std::vector<std::vector<HostTensor>> each;
  for (uint64_t k = 0; k < kSize; ++k) each.push_back(random_inputs(graph, seed * kSize + k));
  std::vector<HostTensor> given;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    HostTensor x = each[0][i];
    if (is_batched[i]) {
      x.type = all.inputs[i]->type;
      for (size_t k = 1; k < kSize; ++k)
        x.data.insert(x.data.end(), each[k][i].data.begin(), each[k][i].data.end());
    } else {
      for (size_t k = 1; k < kSize; ++k) each[k][i] = x;
    }
    given.push_back(std::move(x));
  }
  const std::vector<HostTensor> got = ir::interpret(all, given);
  for (size_t k = 0; k < kSize; ++k) {
    const std::vector<HostTensor> want = ir::interpret(graph, each[k]);
    for (size_t o = 0; o < want.size(); ++o) {
      const size_t bytes = want[o].data.size();
      if (got[o].data.size() != bytes * kSize) return "an output has another size";
      if (!std::equal(want[o].data.begin(), want[o].data.end(),
                      got[o].data.begin() + static_cast<std::ptrdiff_t>(k * bytes)))
        return "value " + std::to_string(k) + " of output " + std::to_string(o) + " differs";
    }
  }
  return "";
}

TEST(Batch, OfRandomGraphsGivesTheBitsOfEachValue) {
  RandomGraphOptions options;
  options.ops = 12;
  options.max_elements = 128;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const Graph graph = random_graph(seed, options);
    for (const bool first : {true, false})
      EXPECT_EQ(wrong_batch(graph, seed, first), "") << seed << ": " << ir::print(graph);
  }
}

TEST(Batch, FillsPadsWithAValueForEach) {
  Graph graph;
  graph.inputs = {ir::input({DType::F64, {}}, {nullptr, "f", {}, 0}),
                  ir::input({DType::F64, {2}}, {nullptr, "x", {}, 0})};
  graph.outputs = {ir::pad(graph.inputs[1], graph.inputs[0], {1}, {2})};
  EXPECT_EQ(wrong_batch(graph, 1, true), "");
  EXPECT_EQ(wrong_batch(graph, 1, false), "");
}

TEST(Batch, RepeatsWhatDependsOnNothing) {
  const NodeRef x = ir::input({DType::F64, {2}}, {nullptr, "x", {}, 0});
  const NodeRef own = derive::batched({&x, 1}, {}, 4)[0];
  EXPECT_EQ(own->shape(), (Shape{4, 2}));
}

}  // namespace
}  // namespace weft::test
