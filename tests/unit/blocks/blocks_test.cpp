// Blocks give the kernels' bits: every map op on every dtype in every layout, casts, views, and random graphs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/interpret/rounding.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"
#include "tests/op_table/graphs.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

using ir::HostTensor;

// The interpreter gives the same bits where it says so.
void compare_interpreted(const ir::Graph& graph, const std::vector<HostTensor>& inputs,
                         const std::vector<HostTensor>& blocks, const std::string& what) {
  ir::Graph part{graph.inputs, {}};
  std::vector<size_t> places;
  for (size_t k = 0; k < blocks.size(); ++k) {
    const std::vector<const ir::Node*> nodes = ir::topological_order({&graph.outputs[k], 1});
    if (!std::ranges::all_of(nodes, [](const ir::Node* n) { return ir::rounds_as_kernels(*n); })) continue;
    part.outputs.push_back(graph.outputs[k]);
    places.push_back(k);
  }
  if (places.empty()) return;
  const std::vector<HostTensor> interpreted = ir::interpret(part, inputs);
  for (size_t k = 0; k < places.size(); ++k)
    if (const std::string d = first_difference(blocks[places[k]], interpreted[k]); !d.empty())
      ADD_FAILURE() << what << ", output " << places[k] << ", interpreted and in blocks: " << d
                    << ir::print({graph.inputs, {part.outputs[k]}});
}

// Runs both ways and compares: which NaN comes of two is the machine's choice, by the order in which an
// instruction has its operands.
void compare(const ir::Graph& graph, const std::vector<HostTensor>& inputs, const std::string& what,
             const Options& options = {}) {
  Backend& cpu = backend("cpu");
  const std::vector<HostTensor> kernels = run_on(cpu, graph, inputs, options);
  const int64_t launched = cpu.counters->kernels_launched, in_blocks = cpu.counters->blocks_launched;
  const std::vector<HostTensor> blocks = run_in_blocks(cpu, graph, inputs, options);
  EXPECT_EQ(cpu.counters->blocks_launched - in_blocks, cpu.counters->kernels_launched - launched) << what;
  for (size_t k = 0; k < kernels.size(); ++k)
    if (const std::string d = first_difference(blocks[k], kernels[k]); !d.empty())
      ADD_FAILURE() << what << ", output " << k << " "
                    << (graph.outputs[k]->op == ir::Op::input ? "" : ir::name(graph.outputs[k]->op)) << ": "
                    << d;
  compare_interpreted(graph, inputs, blocks, what);
}

std::vector<HostTensor> picked_inputs(const ir::Graph& graph, uint64_t seed) {
  std::vector<HostTensor> inputs;
  for (const ir::NodeRef& in : graph.inputs) {
    const Columns& columns = argument_columns(in->dtype());
    const size_t k = inputs.size();
    inputs.push_back(tensor_from(columns[k % columns.size()], in->shape(), seed + k));
  }
  return inputs;
}

class BlocksOfMaps : public testing::TestWithParam<std::pair<DType, Layout>> {};

TEST_P(BlocksOfMaps, GiveTheBitsOfKernels) {
  const auto [t, layout] = GetParam();
  std::vector<Shape> shapes;
  if (layout == Layout::Contiguous) {
    for (int64_t n : {0, 1, 15, 16, 17, 65, 5003}) shapes.push_back({n});
    shapes.push_back({});
  } else {
    shapes = {{13, 37}, {3, 1}, {1, 70}, {67, 129}};
  }
  for (const Shape& shape : shapes) {
    const MapGraph m = map_graph(t, layout, shape);
    compare(m.graph, picked_inputs(m.graph, 7),
            fmt::format("{} {} {}", name(t), to_string(layout), to_string(shape)));
  }
}

std::vector<std::pair<DType, Layout>> map_cases() {
  std::vector<std::pair<DType, Layout>> out;
  for (DType t : all_dtypes())
    for (Layout layout : kLayouts) out.emplace_back(t, layout);
  return out;
}

INSTANTIATE_TEST_SUITE_P(, BlocksOfMaps, testing::ValuesIn(map_cases()), [](auto& test) {
  return fmt::format("{}_{}", name(test.param.first), to_string(test.param.second));
});

// Every pair of edge values.
TEST(Blocks, GiveTheBitsOfKernelsOnEdgeValues) {
  for (DType t : all_dtypes()) {
    const Columns& columns = argument_columns(t);
    std::vector<HostTensor> all;
    for (auto& column : columns) all.push_back(tensor_of(column));
    const MapGraph m = map_graph(t, Layout::Contiguous, all[0].type.shape);
    all.resize(m.graph.inputs.size());
    compare(m.graph, all, std::string(name(t)));
  }
}

TEST(Blocks, GiveTheBitsOfKernelsForCastsAndViews) {
  for (DType t : all_dtypes()) {
    for (int64_t n : {1, 15, 200}) {
      const ir::Graph casts = cast_graph(t, {n});
      compare(casts, picked_inputs(casts, 3), fmt::format("casts of {}", name(t)));
    }
    const ir::Graph views = view_graph(t);
    compare(views, picked_inputs(views, 3), fmt::format("views of {}", name(t)));
  }
}

TEST(Blocks, GiveTheBitsOfKernelsForReductions) {
  for (DType t : all_dtypes())
    for (const Shape& shape : {Shape{3, 5, 7}, Shape{2, 70, 33}, Shape{1000, 3}, Shape{40, 1, 200}}) {
      const ir::Graph graph = reduce_graph(t, shape);
      compare(graph, picked_inputs(graph, 5), fmt::format("{} {}", name(t), to_string(shape)));
    }
}

TEST(Blocks, GiveTheBitsOfKernelsForScans) {
  for (DType t : all_dtypes())
    for (const Shape& shape : {Shape{3, 5, 7}, Shape{20, 133}, Shape{70, 300}}) {
      const ir::Graph graph = scan_graph(t, shape);
      compare(graph, picked_inputs(graph, 5), fmt::format("{} {}", name(t), to_string(shape)));
    }
}

// Positions that meet within a block, and from one block to the next: the last one stays, sums add up.
TEST(Blocks, GiveTheBitsOfKernelsForScatters) {
  for (const char* t : {"bool", "i8", "i32", "f16", "f32", "f64", "c128"})
    for (const char* op : {"scatter", "scatter_add"})
      for (int64_t n : {1, 15, 257, 5003, 40000}) {
        if (*t == 'b' && std::string_view(op) == "scatter_add") continue;
        const ir::Graph graph = ir::parse(fmt::format(
            "graph {{\n  %x = input : {0}[300]\n  %p = input : i64[{1}]\n  %v = input : {0}[{1}]\n"
            "  %i = remainder %p, 300\n  %s = {2} %x, %i, %v, axis=0\n  return %s\n}}\n",
            t, n, op));
        compare(graph, random_inputs(graph, 5), fmt::format("{} {} {}", op, t, n));
      }
}

// Rows of every length around those that lanes, groups of terms and calls end at; split rows; columns.
TEST(Blocks, GiveTheBitsOfKernelsForSumsOfEveryLength) {
  for (const char* t : {"f16", "f32", "f64", "c64"})
    for (auto [rows, length] : std::vector<std::pair<int64_t, int64_t>>{{100, 1},
                                                                        {100, 17},
                                                                        {100, 64},
                                                                        {70, 255},
                                                                        {30, 513},
                                                                        {20, 1000},
                                                                        {9, 4097},
                                                                        {7, 8200},
                                                                        {3, 70001},
                                                                        {1, 300000},
                                                                        {2, 1200003}})
      for (const char* axis : {"0", "1"}) {
        const int64_t out = *axis == '0' ? length : rows;
        const ir::Graph graph = ir::parse(fmt::format(
            "graph {{\n  %a = input \"a\" : {0}[{1}, {2}]\n  %0 = multiply %a, %a : {0}[{1}, {2}]\n"
            "  %1 = sum %0, axes=[{3}] : {0}[{4}]\n  %2 = prod %a, axes=[{3}] : {0}[{4}]\n"
            "  return %1, %2\n}}\n",
            t, rows, length, axis, out));
        compare(graph, random_inputs(graph, 3, {0.5, 1.5}, 0),
                fmt::format("{} {}x{} {}", t, rows, length, axis));
      }
}

// Whether the bits of a NaN may become a number.
bool shows_bits(const ir::Graph& graph) {
  return std::ranges::any_of(topological_order(graph.outputs),
                             [](const ir::Node* n) { return n->op == ir::Op::bitcast; });
}

// Ops that may be drawn: all but those that show which NaN one is.
std::vector<ir::Op> without_signs_of_nans() {
  std::vector<ir::Op> out;
  for (int k = 0; k < ir::kOpCount; ++k) {
    const ir::Op op = static_cast<ir::Op>(k);
    if (op != ir::Op::signbit && op != ir::Op::copysign) out.push_back(op);
  }
  return out;
}

TEST(Blocks, GiveTheBitsOfKernelsForRandomGraphs) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomGraphOptions options;
    options.ops = seed % 3 == 0 ? 30 : 10;
    options.strided_inputs = seed % 2;
    options.spread = seed % 2 ? 0.5 : 0;
    options.drawn_from = without_signs_of_nans();
    const ir::Graph graph = random_graph(seed, options);
    if (shows_bits(graph)) continue;
    ++compared;
    compare(graph, random_inputs(graph, seed), fmt::format("seed {}", seed));
    if (HasFailure()) {
      FAIL() << ir::print(graph);
    }
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace weft::test
