// Loops and branches, their derivatives, and loops of many values: by the interpreter, by kernels of this processor,
// and by kernels of CUDA, which the host runs and NVRTC takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/derive/batch.h"
#include "compiler/derive/derive.h"
#include "compiler/ir/build.h"
#include "compiler/ir/close.h"
#include "compiler/ir/make_loop.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/join_loops.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/cuda_kernels.h"
#include "tests/support/golden.h"
#include "tests/unit/derive/check.h"

namespace weft::test {
namespace {

using ir::Graph;
using ir::HostTensor;
using ir::NodeRef;

const Target kGpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, 232448};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& file : std::filesystem::directory_iterator(golden_path("loops")))
    if (file.path().extension() == ".weft") all.push_back(file.path().stem().string());
  std::ranges::sort(all);
  return all;
}

Graph loop_graph(const std::string& name) {
  const std::string path = golden_path("loops/" + name + ".weft");
  return ir::parse(read_text(path), path);
}

bool has_gradient(const Graph& graph) { return graph.outputs.size() == 1; }

std::vector<NodeRef> floats(const Graph& graph) {
  std::vector<NodeRef> wrt;
  for (const NodeRef& in : graph.inputs)
    if (derive::has_tangents(in->dtype())) wrt.push_back(in);
  return wrt;
}

// Loops, their gradients, and loops of three values each.
std::vector<Graph> graphs() {
  std::vector<Graph> all;
  for (const std::string& name : names()) {
    const Graph graph = loop_graph(name);
    all.push_back(graph);
    Graph wide;
    derive::Batched inputs;
    for (const NodeRef& in : graph.inputs) {
      ir::TensorType type{in->dtype(), {3}};
      for (const int64_t extent : in->shape()) type.shape.push_back(extent);
      wide.inputs.push_back(ir::input(type, {nullptr, in->as<ir::InputAttr>().name, {}, 0}));
      inputs.emplace(in.get(), wide.inputs.back());
    }
    wide.outputs = derive::batched(graph.outputs, inputs, 3);
    all.push_back(std::move(wide));
    if (!has_gradient(graph)) continue;
    Graph with_value = derive::gradient(graph, floats(graph));
    with_value.outputs.push_back(graph.outputs[0]);
    all.push_back(std::move(with_value));
  }
  return all;
}

TEST(DerivedLoops, AreOfEveryOpThatLoops) {
  std::string texts;
  for (const std::string& name : names()) texts += ir::print(loop_graph(name));
  for (int i = 0; i < ir::kOpCount; ++i) {
    const auto op = static_cast<ir::Op>(i);
    if (kind(op) != ir::OpKind::Loop) continue;
    EXPECT_NE(texts.find("= " + std::string(ir::name(op)) + " "), std::string::npos) << ir::name(op);
  }
}

TEST(DerivedLoops, AgreeWithDifferences) {
  for (const std::string& name : names()) {
    const Graph graph = loop_graph(name);
    if (!has_gradient(graph)) continue;
    bool all_compared = false;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      bool compared = false;
      EXPECT_EQ(wrong_derivative(graph, seed, compared), "") << name << seed;
      all_compared |= compared;
    }
    EXPECT_TRUE(all_compared) << name;
  }
}

TEST(DerivedLoops, AgreeWithDifferencesTwice) {
  for (const char* const name : {"recurrence", "from_the_end", "nested", "writes"}) {
    const Graph graph = loop_graph(name);
    const Graph first = derive::gradient(graph, floats(graph));
    // A number of all gradients.
    NodeRef sum;
    for (const NodeRef& output : first.outputs) {
      Dims axes;
      for (size_t k = 0; k < output->shape().size(); ++k) axes.push_back(static_cast<int64_t>(k));
      const NodeRef one = ir::reduce(ir::Op::sum, output, axes);
      sum = sum ? ir::map(ir::Op::add, {sum, one}) : one;
    }
    bool any_compared = false;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      bool compared = false;
      EXPECT_EQ(wrong_derivative({graph.inputs, {sum}}, seed, compared, {{-0.5, 0.5}}), "") << name << seed;
      any_compared |= compared;
    }
    EXPECT_TRUE(any_compared) << name;
  }
}

TEST(DerivedLoops, PrintTheirGradients) {
  for (const std::string& name : names()) {
    const Graph graph = loop_graph(name);
    if (!has_gradient(graph)) continue;
    const Graph gradient = derive::gradient(graph, floats(graph));
    ir::verify(gradient, "gradient");
    expect_golden("loops/" + name + ".gradient", ir::print(gradient));
  }
}

TEST(DerivedLoops, WhileGoesForwardAlone) {
  const Graph graph = loop_graph("turns");
  const NodeRef t = ir::input(graph.inputs[0]->type, {nullptr, "t", {}, 0});
  Graph forward = graph;
  forward.inputs.push_back(t);
  forward.outputs = derive::jvp(graph.outputs, {graph.inputs.data(), 1}, {&t, 1});
  ir::verify(forward, "jvp");
  const auto at = [&](double shift) {
    std::vector<HostTensor> given{ir::zeros(graph.inputs[0]->type, "a"),
                                  ir::zeros(graph.inputs[1]->type, "b")};
    auto* a = reinterpret_cast<double*>(given[0].data.data());
    auto* b = reinterpret_cast<double*>(given[1].data.data());
    for (int i = 0; i < 3; ++i) a[i] = 0.1 * i + shift, b[i] = 1 + i;
    return given;
  };
  std::vector<HostTensor> given = at(0);
  given.push_back(ir::zeros(t->type, "t"));
  for (int i = 0; i < 3; ++i) reinterpret_cast<double*>(given[2].data.data())[i] = 1;
  const auto moved = ir::interpret(forward, given), above = ir::interpret(graph, at(1e-6)),
             below = ir::interpret(graph, at(-1e-6));
  for (size_t o = 0; o < 2; ++o) {
    for (size_t i = 0; i < 3; ++i) {
      const auto value = [&](const std::vector<HostTensor>& of) {
        return reinterpret_cast<const double*>(of[o].data.data())[i];
      };
      const double want = (value(above) - value(below)) / 2e-6;
      EXPECT_NEAR(value(moved), want, 1e-6 * std::max(1.0, std::abs(want))) << o << i;
    }
  }
  try {
    derive::vjp(graph.outputs, {graph.inputs.data(), 1}, {graph.outputs.data(), 2});
    ADD_FAILURE() << "went back";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("while_loop: it has no derivative back"), std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find("fori_loop() and scan()"), std::string::npos) << e.what();
  }
}

TEST(DerivedLoops, KeepWhatTheyCarryOfTheLoopThatRunsAnyway) {
  const Graph graph = loop_graph("recurrence");
  Graph both = derive::gradient(graph, floats(graph));
  both.outputs.push_back(graph.outputs[0]);
  const auto count = [](const Graph& g) {
    std::vector<const ir::Node*> loops;
    for (const ir::Node* n : ir::topological_order(g.outputs))
      if (ir::is_loop(*n) && std::ranges::none_of(loops, [&](auto* l) { return ir::same_loop(*l, *n); }))
        loops.push_back(n);
    return loops.size();
  };
  EXPECT_EQ(count(both), 3u);
  EXPECT_EQ(count(passes::join_loops(both, kGpu, {})), 2u);
}

TEST(BatchedLoops, GiveTheBitsOfEachValue) {
  for (const std::string& name : names()) {
    const Graph graph = loop_graph(name);
    for (size_t batched_input = 0; batched_input <= graph.inputs.size(); ++batched_input) {
      // One input differs from value to value; at last all do.
      Graph wide;
      derive::Batched inputs;
      std::vector<char> differs;
      for (size_t i = 0; i < graph.inputs.size(); ++i) {
        const NodeRef& in = graph.inputs[i];
        differs.push_back(i == batched_input || batched_input == graph.inputs.size());
        if (!differs.back()) {
          wide.inputs.push_back(in);
          continue;
        }
        ir::TensorType type{in->dtype(), {3}};
        for (const int64_t extent : in->shape()) type.shape.push_back(extent);
        wide.inputs.push_back(ir::input(type, {nullptr, in->as<ir::InputAttr>().name, {}, 0}));
        inputs.emplace(in.get(), wide.inputs.back());
      }
      wide.outputs = derive::batched(graph.outputs, inputs, 3);
      ir::verify(wide, "batched");
      std::vector<std::vector<HostTensor>> each;
      for (uint64_t k = 0; k < 3; ++k) each.push_back(random_inputs(graph, 7 + k));
      std::vector<HostTensor> given;
      for (size_t i = 0; i < graph.inputs.size(); ++i) {
        HostTensor x = each[0][i];
        for (size_t k = 1; k < 3; ++k) {
          if (differs[i])
            x.data.insert(x.data.end(), each[k][i].data.begin(), each[k][i].data.end());
          else
            each[k][i] = x;
        }
        x.type = wide.inputs[i]->type;
        given.push_back(std::move(x));
      }
      const auto got = ir::interpret(wide, given);
      for (size_t k = 0; k < 3; ++k) {
        const auto want = ir::interpret(graph, each[k]);
        for (size_t o = 0; o < want.size(); ++o)
          EXPECT_TRUE(std::equal(want[o].data.begin(), want[o].data.end(),
                                 got[o].data.begin() + static_cast<std::ptrdiff_t>(k * want[o].data.size())))
              << name << ": value " << k << " of output " << o << ", input " << batched_input;
      }
    }
  }
}

TEST(LoopKernels, GiveWhatTheInterpreterGives) {
  for (const std::string& name : backend_names())
    for (const Graph& graph : graphs())
      for (uint64_t seed : {3, 4})
        EXPECT_EQ(check(on(backend(name)), graph, seed, false), "") << name << ": " << ir::print(graph);
}

TEST(LoopKernels, GiveTheSameWithoutPassesAndFusion) {
  Options apart;
  apart.fuse = false;
  Options bare;
  for (const std::string_view pass : optional_passes()) bare.without_passes.emplace_back(pass);
  for (const Graph& graph : graphs())
    for (const Options& options : {apart, bare})
      EXPECT_EQ(check(on(backend("cpu")), graph, 5, false, options), "") << ir::print(graph);
}

// A scan whose body is a random graph, all of whose inputs are sliced.
Graph random_scan(uint64_t seed) {
  RandomGraphOptions options;
  options.ops = 10;
  options.max_elements = 96;
  const Graph body = random_graph(seed, options);
  ir::Loop loop;
  loop.length = 3;
  loop.sliced = body.inputs.size();
  loop.reverse = seed % 2 == 0;
  Graph inside, outside;
  for (size_t i = 0; i < body.inputs.size(); ++i) {
    const ir::TensorType& type = body.inputs[i]->type;
    inside.inputs.push_back(ir::input(type, {nullptr, "x" + std::to_string(i), {}, 0}));
    ir::TensorType stacked{type.dtype, {3}};
    for (const int64_t extent : type.shape) stacked.shape.push_back(extent);
    outside.inputs.push_back(ir::input(stacked, {nullptr, "x" + std::to_string(i), {}, 0}));
  }
  inside.outputs = ir::inlined(body, inside.inputs);
  inside.inputs.push_back(ir::turn_input());
  loop.bodies.push_back(std::move(inside));
  outside.outputs = ir::results_of(ir::checked(std::move(loop)), outside.inputs, {});
  return outside;
}

TEST(LoopKernels, OfRandomBodiesGiveWhatTheInterpreterGives) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Graph graph = random_scan(seed);
    EXPECT_EQ(check(on(backend("cpu")), graph, seed, false), "") << seed << ": " << ir::print(graph);
  }
}

TEST(LoopKernels, RunInBlocks) {
  for (const Graph& graph : graphs()) {
    const auto in_blocks = [&](const Graph& g, const std::vector<HostTensor>& inputs,
                               const Options& options) {
      return run_in_blocks(backend("cpu"), g, inputs, options);
    };
    EXPECT_EQ(check(in_blocks, graph, 6, false), "") << ir::print(graph);
  }
}

TEST(LoopKernels, OfCudaGiveItOnTheHost) { expect_emulated_to_agree(graphs(), kGpu); }

// A broadcast that is stored before the loop would take many times the memory of what it repeats.
TEST(Loops, ReadInTheirBodiesWhatIsAViewOfTheOutside) {
  const NodeRef carried = ir::input({DType::F32, {6, 4, 5}}, {nullptr, "c", {}, 0});
  const NodeRef x = ir::input({DType::F32, {5, 4}}, {nullptr, "x", {}, 0});
  const NodeRef sines = ir::map(ir::Op::sin, {x});
  const NodeRef wide = ir::broadcast(ir::permute(sines, {1, 0}), {6, 4, 5});
  const std::vector<NodeRef> output{ir::map(ir::Op::add, {carried, wide})};
  const ir::Closed closed = ir::close({&output, 1}, {&carried, 1}, {});
  ASSERT_EQ(closed.captured.size(), 1u);
  EXPECT_EQ(closed.captured[0], sines);
  EXPECT_EQ(closed.bodies[0].inputs[1]->shape(), (Shape{5, 4}));
}

TEST(LoopKernels, OfCudaAreTakenByNvrtc) { expect_taken_by_nvrtc(graphs(), kGpu); }

}  // namespace
}  // namespace weft::test
