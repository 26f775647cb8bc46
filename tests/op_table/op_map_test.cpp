// Every map row on every dtype that it takes, in every layout, on every device, against its own evaluation in
// a wider type.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/fuzz/backend.h"
#include "tests/op_table/graphs.h"
#include "tests/op_table/judge.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

struct Case {
  std::string device;
  DType dtype;
  Layout layout;
};

class MapRows : public testing::TestWithParam<Case> {};

// Reports the first failures of each op, and how many there are.
void check(const std::string& device, DType t, Layout layout, const Shape& shape,
           const std::vector<ir::HostTensor>& inputs) {
  constexpr int kShown = 3;
  const MapGraph m = map_graph(t, layout, shape);
  const std::vector<ir::HostTensor> args = interpret({m.graph.inputs, m.values}, inputs);
  const std::vector<ir::HostTensor> results = run_on(backend(device), m.graph, inputs);
  std::vector<Scalar> before;
  for (size_t k = 0; k < m.ops.size(); ++k) {
    const auto arity = static_cast<size_t>(info(m.ops[k]).arity);
    ASSERT_EQ(results[k].type, m.graph.outputs[k]->type);
    int failures = 0;
    std::string shown;
    before.clear();
    for (int64_t i = 0; i < element_count(shape); ++i) {
      std::vector<Scalar> values;
      for (size_t a = 0; a < arity; ++a) values.push_back(element(args[a], i));
      const Scalar got = element(results[k], i);
      values.push_back(got);
      // Runs of equal elements come from all pairs of edge values where only one is an argument.
      if (before.size() == values.size() && std::equal(values.begin(), values.end(), before.begin(),
                                                       [](auto& a, auto& b) { return a.same(b); }))
        continue;
      before = values;
      values.pop_back();
      if (!bound_holds(m.ops[k], values)) continue;
      std::string problem = judge(m.ops[k], values, got);
      if (problem.empty() || failures++ >= kShown) continue;
      std::string of;
      for (const Scalar& v : values) of += (of.empty() ? "" : ", ") + show(v);
      shown += fmt::format("  element {}, {}({}): {}\n", i, name(m.ops[k]), of, problem);
    }
    if (failures)
      ADD_FAILURE() << fmt::format("{} of {}{}, {}, on {}: {} elements are wrong\n{}", name(m.ops[k]),
                                   name(t), to_string(shape), to_string(layout), device, failures, shown);
  }
}

std::vector<ir::HostTensor> picked_inputs(const MapGraph& m, uint64_t seed) {
  std::vector<ir::HostTensor> inputs;
  for (const ir::NodeRef& in : m.graph.inputs) {
    const size_t k = inputs.size();
    inputs.push_back(tensor_from(argument_columns(in->dtype())[k], in->shape(), seed + k));
  }
  return inputs;
}

TEST_P(MapRows, KeepTheirBounds) {
  const auto& [device, t, layout] = GetParam();
  if (layout != Layout::Contiguous) {
    // Axes of extent 1 have kernels of their own, which take a second to compile for a GPU; what they change
    // is the access, so there one dtype of each size stands for the others.
    const bool stands =
        t == DType::Bool || t == DType::I16 || t == DType::F32 || t == DType::I64 || t == DType::C128;
    std::vector<Shape> shapes = {{13, 37}};
    if (device == "cpu" || stands) shapes.insert(shapes.end(), {{3, 1}, {1, 70}});
    for (const Shape& shape : shapes)
      check(device, t, layout, shape, picked_inputs(map_graph(t, layout, shape), 7));
    return;
  }
  const Columns& columns = argument_columns(t);
  std::vector<ir::HostTensor> all;
  for (auto& column : columns) all.push_back(tensor_of(column));
  check(device, t, layout, all[0].type.shape, all);
  // Around every number of lanes that kernels have, nothing at all, and a rank of zero.
  for (int64_t n : {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000})
    check(device, t, layout, {n}, picked_inputs(map_graph(t, layout, {n}), static_cast<uint64_t>(n)));
  check(device, t, layout, {}, picked_inputs(map_graph(t, layout, {}), 3));
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (auto& device : backend_names())
    for (DType t : all_dtypes())
      for (Layout layout : kLayouts) out.push_back({device, t, layout});
  return out;
}

INSTANTIATE_TEST_SUITE_P(, MapRows, testing::ValuesIn(cases()), [](auto& test) {
  return fmt::format("{}_{}_{}", test.param.device, name(test.param.dtype), to_string(test.param.layout));
});

TEST(MapRowsOnGpu, AreSkippedWithoutOne) {
  if (!why_no_gpu().empty()) GTEST_SKIP() << why_no_gpu();
}

}  // namespace
}  // namespace weft::test
