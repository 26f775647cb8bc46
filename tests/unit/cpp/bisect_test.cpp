// What makes results wrong is named: a pass, in random graphs that a wrong one spoils; an op by itself; the ops that have
// to share a kernel. And what is wrong is made small.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/shrink.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/inspect/bisect_graph.h"
#include "frontend/cpp/inspect/reduce_graph.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {
namespace {

using detail::Bisected;
using ir::Graph;
using ir::Node;
using ir::NodeRef;
using ir::Op;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A program's results, as the device is to give them for the kernels that it has.
using Spoil = std::function<void(const Program&, std::vector<ir::HostTensor>&)>;

Bisected bisect(const Graph& graph, const std::vector<ir::HostTensor>& inputs, const Options& options,
                const Spoil& spoil = {}) {
  std::vector<std::string> names;
  names.reserve(graph.outputs.size());
  for (size_t i = 0; i < graph.outputs.size(); ++i) names.push_back("output " + std::to_string(i));
  Backend& b = backend("cpu");
  const auto run = [&](const Graph& asked, const Options& with, bool prepared) {
    Options in_blocks = with;
    in_blocks.blocks = Blocks::Instead;
    Program program =
        prepared ? compile_prepared(asked, b.target, in_blocks) : compile(asked, b.target, in_blocks);
    const Program copy = program;
    std::vector<ir::HostTensor> results = run_made(b, asked, inputs, std::move(program));
    if (spoil) spoil(copy, results);
    return results;
  };
  return detail::bisect_graph(graph, inputs, names, b.target, options, run);
}

// ---- passes

// The op that a wrong pass puts in another's place; none where it is left alone.
std::optional<Op> mistaken(Op op) {
  static constexpr std::pair<Op, Op> kMistakes[] = {{Op::add, Op::subtract},    {Op::subtract, Op::add},
                                                    {Op::multiply, Op::add},    {Op::maximum, Op::minimum},
                                                    {Op::minimum, Op::maximum}, {Op::max, Op::min},
                                                    {Op::min, Op::max},         {Op::sum, Op::max},
                                                    {Op::sin, Op::cos},         {Op::cos, Op::sin}};
  const auto* const found = std::ranges::find(kMistakes, op, &std::pair<Op, Op>::first);
  return found == std::end(kMistakes) ? std::nullopt : std::optional(found->second);
}

// The same value with a small mistake; the node itself where none is known.
NodeRef with_mistake(const NodeRef& node) {
  const Node& n = *node;
  try {
    if (const auto op = mistaken(n.op)) {
      NodeRef other =
          ir::make(*op, ir::Inputs(std::span(n.inputs.begin(), n.inputs.end())), n.attr, n.type, n.lines);
      if (other->type == n.type) return other;
    }
    if (n.op == Op::slice)
      for (size_t k = 0; k < n.shape().size(); ++k) {
        ir::SliceAttr attr = n.as<ir::SliceAttr>();
        attr.starts[k] = attr.starts[k] > 0 ? attr.starts[k] - 1 : 1;
        return ir::make(n.op, {n.inputs[0]}, attr, n.type, n.lines);
      }
  } catch (const Error&) {
    return node;  // a slice that would leave its operand
  }
  for (const NodeRef& in : n.inputs)
    if (ir::kind(n.op) == ir::OpKind::Map && in->type == n.type && in->op != Op::constant) return in;
  return node;
}

// The graph with a mistake in the node of this number.
Graph spoiled(const Graph& graph, size_t number) {
  const NodeRef node(ir::topological_order(graph.outputs).at(number));
  return ir::replaced(graph, node.get(), with_mistake(node));
}

struct Mutant {
  std::string pass;
  uint64_t seed = 0;
  Graph graph;
  std::vector<ir::HostTensor> inputs;
  Options options;
};

// A graph that the pass changes, and a mistake in what the pass makes of it that shows in the results.
std::optional<Mutant> mutant_of(std::string_view pass, uint64_t seed) {
  RandomGraphOptions drawn;
  drawn.rewritten = 0.4;
  drawn.halves = drawn.complexes = false;
  drawn.empty_axis = 0;
  Mutant out{std::string(pass), seed, random_graph(seed, drawn), {}, {}};
  out.inputs = random_inputs(out.graph, seed, {-4, 4}, 0);
  const Target& target = backend("cpu").target;
  Graph before = out.graph;
  for (const std::string_view name : passes_of(out.options)) {
    Graph after = run_pass(name, before, target, out.options);
    if (name == pass) {
      if (hash_graph(after) == hash_graph(before)) return std::nullopt;
      const auto had = ir::topological_order(before.outputs), has = ir::topological_order(after.outputs);
      for (size_t k = 0; k < has.size(); ++k) {
        const size_t number = (k + seed) % has.size();
        const bool is_new = std::ranges::find(had, has[number]) == had.end();
        if (!is_new || hash_graph(spoiled(after, number)) == hash_graph(after)) continue;
        out.options.after_pass = [pass = std::string(pass), number](std::string_view ran, Graph& graph) {
          if (ran == pass) graph = spoiled(graph, number);
        };
        if (!bisect(out.graph, out.inputs, out.options).agrees()) return out;
      }
      return std::nullopt;
    }
    before = std::move(after);
  }
  return std::nullopt;
}

TEST(Bisect, NamesTheWrongPassOfThirty) {
  constexpr int kMutants = 30, kMostOfAPass = 5;
  const std::vector<std::string_view> passes = optional_passes();
  int mutants = 0, named = 0;
  double slowest = 0;
  std::string others;
  std::map<std::string, int> wrong;
  for (uint64_t seed = 0; mutants < kMutants && seed < 20'000; ++seed) {
    const std::string_view pass = passes[static_cast<size_t>(seed) % passes.size()];
    if (wrong[std::string(pass)] >= kMostOfAPass) continue;
    const auto mutant = mutant_of(pass, seed);
    if (!mutant) continue;
    ++mutants;
    ++wrong[mutant->pass];
    const auto start = std::chrono::steady_clock::now();
    const Bisected found = bisect(mutant->graph, mutant->inputs, mutant->options);
    slowest =
        std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    ASSERT_FALSE(found.agrees());
    if (found.pass && found.pass->name == mutant->pass)
      ++named;
    else
      others += mutant->pass + " of seed " + std::to_string(mutant->seed) + ":\n" + text_of(found);
  }
  EXPECT_EQ(mutants, kMutants);
  EXPECT_GE(named, 27) << others;
  RecordProperty("named", named);
  RecordProperty("slowest_seconds", std::to_string(slowest));
}

TEST(Bisect, NamesAPassThatBreaksTheGraphOrThrows) {
  const Graph graph =
      ir::parse("graph {\n  %x = input : f32[8]\n  %y = add %x, 0.0\n  %z = exp %y\n  return %z\n}\n");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1, {-1, 1}, 0);
  Options options;
  options.after_pass = [](std::string_view pass, Graph&) {
    if (pass == "narrow") throw InternalError("narrow: a rule met what it does not know");
  };
  const Bisected thrown = bisect(graph, inputs, options);
  ASSERT_TRUE(thrown.pass);
  EXPECT_EQ(thrown.pass->name, "narrow");
  EXPECT_EQ(thrown.pass->right_without, true);
  EXPECT_THAT(text_of(thrown), AllOf(HasSubstr("the pass narrow: narrow: a rule met"),
                                     HasSubstr("without it (--without narrow) the results are right")));
  options.after_pass = [](std::string_view pass, Graph& g) {
    if (pass == "share") g.outputs[0] = ir::input({DType::F32, {8}}, {nullptr, "elsewhere", {}, 0});
  };
  const Bisected broken = bisect(graph, inputs, options);
  ASSERT_TRUE(broken.pass);
  EXPECT_EQ(broken.pass->name, "share");
  EXPECT_THAT(broken.pass->problem, HasSubstr("share: broken graph"));
}

TEST(Bisect, SaysWhereAllIsRight) {
  const Graph graph = ir::parse("graph {\n  %x = input : f32[8]\n  %z = exp %x\n  return %z\n}\n");
  const Bisected found = bisect(graph, random_inputs(graph, 1, {-1, 1}, 0), {});
  EXPECT_TRUE(found.agrees());
  EXPECT_THAT(text_of(found), HasSubstr("nothing to search"));
  const auto data = nlohmann::json::parse(json_of(found));
  EXPECT_EQ(data["schema"], "weft.bisect");
  EXPECT_TRUE(data["agrees"] && data["pass"].is_null() && data["op"].is_null() && data["edges"].empty());
}

// ---- kernels

constexpr const char* kMany = R"(graph {
  %x = input : f32[40, 30]
  %a = sin %x
  %b = square %a
  %e = exp %b
  %s = sum %e, axes=[1]
  %r = reshape %s : f32[40, 1]
  %n = negative %r
  %d = add %e, %n
  %q = sqrt %s
  %m = cos %x
  return %d, %q, %m
}
)";

// Wrong where one kernel computes all of these ops.
Spoil wrong_together(std::vector<std::string> ops) {
  return [ops = std::move(ops)](const Program& program, std::vector<ir::HostTensor>& results) {
    for (auto& step : program.steps) {
      const auto* kernel = std::get_if<KernelStep>(&step);
      if (!kernel || !std::ranges::all_of(ops, [&](auto& op) {
            return (" " + to_string(kernel->origin) + ",").find(" " + op + ",") != std::string::npos;
          }))
        continue;
      for (ir::HostTensor& result : results) {
        float value = 0;
        std::memcpy(&value, result.data.data(), sizeof value);
        value = value * 2 + 100;
        std::memcpy(result.data.data(), &value, sizeof value);
      }
    }
  };
}

TEST(Bisect, NamesTheOpsThatMayNotShareAKernelAndTheEdge) {
  const Graph graph = ir::parse(kMany, "many.weft");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1, {-1, 1}, 0);
  const Bisected found = bisect(graph, inputs, {}, wrong_together({"exp", "sum"}));
  ASSERT_FALSE(found.agrees() || found.pass || found.op) << text_of(found);
  ASSERT_EQ(found.group.size(), 2u) << text_of(found);
  EXPECT_EQ(found.group[0].text, "exp f32[40, 30]");
  EXPECT_EQ(found.group[1].text, "sum f32[40, 30], axes=[1]");
  EXPECT_EQ(found.group[0].lines[0].line, 5u);
  EXPECT_THAT(found.edges, ElementsAre(std::pair<size_t, size_t>(0, 1)));
  EXPECT_THAT(text_of(found), HasSubstr("the edge exp f32[40, 30] at many.weft:5 -> sum f32[40, 30]"));
  const auto data = nlohmann::json::parse(json_of(found));
  EXPECT_EQ(data["edges"][0]["from"], 0);
  EXPECT_EQ(data["group"][1]["lines"][0]["line"], 6);
}

// What lies between is named, too, as without it both would not meet; so are views, which are no ops, passed over.
TEST(Bisect, KeepsTheOpsThatLieBetween) {
  const Graph graph = ir::parse(kMany, "many.weft");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1, {-1, 1}, 0);
  const Bisected found = bisect(graph, inputs, {}, wrong_together({"sum", "add"}));
  ASSERT_FALSE(found.agrees() || found.pass || found.op) << text_of(found);
  std::vector<std::string> ops;
  ops.reserve(found.group.size());
  for (auto& op : found.group) ops.push_back(op.text.substr(0, op.text.find(' ')));
  EXPECT_THAT(ops, AllOf(Contains("sum"), Contains("negative"), Contains("add"), Not(Contains("cos"))));
  EXPECT_GE(found.edges.size(), 2u);
}

TEST(Bisect, NamesTheOpThatIsWrongByItself) {
  const Graph graph = ir::parse(kMany, "many.weft");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1, {-1, 1}, 0);
  const Bisected found = bisect(graph, inputs, {}, wrong_together({"exp"}));
  ASSERT_TRUE(found.op) << text_of(found);
  EXPECT_THAT(text_of(found), HasSubstr("in a kernel of its own"));
}

// ---- reduced graphs

TEST(Reduce, KeepsWhatGoesWrongWithItsData) {
  const Graph graph = ir::parse(kMany, "many.weft");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1, {-1, 1}, 0);
  // Wrong where the first exponential is of something positive, which the first input and its sine are not.
  const auto problem = [](const Graph& asked, std::span<const ir::HostTensor> given) -> std::string {
    for (const Node* node : ir::topological_order(asked.outputs)) {
      if (node->op != Op::exp) continue;
      const auto values = ir::interpret({asked.inputs, {node->inputs[0]}}, given);
      float first = 0;
      std::memcpy(&first, values[0].data.data(), sizeof first);
      if (first > 0.01F) return "output 0: wrong";
    }
    return {};
  };
  ASSERT_EQ(problem(graph, inputs), "output 0: wrong");
  const detail::ReducedGraph small = detail::reduce_graph(graph, inputs, problem);
  EXPECT_EQ(small.ops_before, 10u);
  EXPECT_EQ(small.ops, 1u);
  EXPECT_EQ(
      print(small.graph),
      "graph {\n  %cut0 = input \"cut0\" : f32[40, 30]\n  %0 = exp %cut0 : f32[40, 30]\n  return %0\n}\n");
  ASSERT_EQ(small.inputs.size(), 1u);
  // The value that the op had.
  const Node* square = nullptr;
  for (const Node* node : ir::topological_order(graph.outputs))
    if (node->op == Op::square) square = node;
  EXPECT_EQ(small.inputs[0].data, ir::interpret({graph.inputs, {NodeRef(square)}}, inputs)[0].data);
}

TEST(Reduce, DoesNotTakeAFailureForAWrongResult) {
  const Graph graph = ir::parse(kMany, "many.weft");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1, {-1, 1}, 0);
  const auto run = [&](const Graph& asked, std::span<const ir::HostTensor> given) {
    bool has_sum = false, has_exp = false;
    for (const Node* node : ir::topological_order(asked.outputs))
      has_sum |= node->op == Op::sum, has_exp |= node->op == Op::exp;
    if (!has_sum) throw InternalError("no sum");
    std::vector<ir::HostTensor> out = ir::interpret(asked, given);
    if (has_exp) out[0].data[3] = std::byte{0x7f};
    return out;
  };
  const detail::ReducedGraph small = detail::reduce_graph(graph, inputs, [&](const Graph& g, auto given) {
    return detail::problem_beside_interpreter(g, given, run);
  });
  EXPECT_EQ(small.ops, 2u) << print(small.graph);
  EXPECT_THAT(small.problem, HasSubstr("the largest difference"));
}

TEST(Reduce, RefusesWhatIsRight) {
  const Graph graph = ir::parse(kMany, "many.weft");
  const auto right = [](const Graph&, std::span<const ir::HostTensor>) { return std::string(); };
  EXPECT_THROW(detail::reduce_graph(graph, random_inputs(graph, 1), right), Error);
}

}  // namespace
}  // namespace weft::test
