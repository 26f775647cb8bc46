// Loops that one kernel runs give the bits of those that run turn by turn, on every back end and as CUDA on the host;
// what no element computes by itself stays a loop, and explain says why.
#include "compiler/passes/loops/map_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/make_loop.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/cuda_kernels.h"

namespace weft::test {
namespace {

using ir::Graph;
using ir::NodeRef;
using ir::Op;

const Target kMappedGpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, 232448};

bool has_loops(const Graph& graph) {
  return std::ranges::any_of(topological_order(graph.outputs),
                             [](const ir::Node* n) { return ir::is_loop(*n); });
}

Graph mapped(const Graph& graph, const Options& options = {}) { return prepare(graph, Target{}, options); }

// Bodies of random maps of what is carried, of what stands outside, and of the number of the turn.
class RandomBody {
 public:
  RandomBody(uint64_t seed, DType dtype, Shape shape, bool exact)
      : random_(seed), dtype_(dtype), shape_(std::move(shape)), exact_(exact) {}

  Graph graph(Op op) {
    const size_t carries = 1 + draw(3);
    for (size_t k = 0; k < carries; ++k) add_input(k > 0 && draw(4) == 0 ? Shape{} : shape_);
    for (size_t k = draw(3); k-- > 0;)
      add_input(draw(2) ? Shape{} : Shape{shape_.empty() ? 1 : shape_[shape_.size() - 1]});
    ir::Loop loop;
    loop.op = op;
    loop.carries = carries;
    loop.length = 3 + static_cast<int64_t>(draw(5));
    loop.reverse = op == Op::scan && draw(2);
    return around(std::move(loop));
  }

  // A scan that takes slices of views, and stacks what turns give.
  Graph graph_with_slices(int64_t length) {
    const size_t carries = draw(3), sliced = carries == 0 ? 1 : draw(4);
    for (size_t k = 0; k < carries; ++k) add_input(k > 0 && draw(4) == 0 ? Shape{} : shape_);
    for (size_t k = 0; k < sliced; ++k) add_input(any_shape());
    for (size_t k = draw(2); k-- > 0;) add_input(any_shape());
    ir::Loop loop;
    loop.op = Op::scan;
    loop.carries = carries;
    loop.sliced = sliced;
    loop.length = length + static_cast<int64_t>(draw(5));
    loop.reverse = draw(2);
    stacked_ = carries == 0 || sliced == 0 ? 1 + draw(2) : draw(3);
    return around(std::move(loop));
  }

 private:
  Graph around(ir::Loop loop) {
    const size_t carries = loop.carries, sliced = loop.sliced;
    const int64_t length = loop.length;
    Graph body{inputs_, {}};
    body.inputs.push_back(ir::turn_input());
    turn_ = body.inputs.back();
    if (loop.op == Op::while_loop)
      body.outputs = ended(loop, carries);
    else
      body.outputs = turn(carries);
    for (size_t k = 0; k < stacked_; ++k)
      body.outputs.push_back(draw(4) == 0 && carries > 0 ? inputs_[draw(carries)] : next(any_shape()));
    loop.bodies.push_back(std::move(body));
    Graph outside;
    std::vector<NodeRef> operands;
    operands.reserve(inputs_.size());
    for (size_t k = 0; k < inputs_.size(); ++k)
      operands.push_back(k >= carries && k < carries + sliced
                             ? view_of_slices(outside, inputs_[k]->shape(), length)
                             : given(outside, inputs_[k]->shape()));
    outside.outputs = ir::results_of(ir::checked(std::move(loop)), operands, {});
    return outside;
  }
  NodeRef given(Graph& outside, const Shape& shape) {
    outside.inputs.push_back(
        ir::input({dtype_, shape}, {nullptr, "a" + std::to_string(outside.inputs.size()), {}, 0}));
    return outside.inputs.back();
  }
  // So many slices of a shape, in one of the ways in which they lie in memory.
  NodeRef view_of_slices(Graph& outside, const Shape& shape, int64_t length) {
    Shape all{length}, last_first{length};
    Dims order{0}, zeros(shape.size() + 1, 0), ones(shape.size() + 1, 1);
    for (const int64_t n : shape) all.push_back(n);
    const size_t how = draw(8);
    if (how == 0) {  // the turns are neighbours
      Shape turned = shape;
      turned.push_back(length);
      order[0] = static_cast<int64_t>(shape.size());
      for (size_t k = 0; k < shape.size(); ++k) order.push_back(static_cast<int64_t>(k));
      return ir::permute(given(outside, turned), order);
    }
    if (how == 1) {  // backwards
      zeros[0] = length - 1, ones[0] = -1;
      return ir::slice(given(outside, all), zeros, all, ones);
    }
    if (how == 2) {  // every second
      Shape twice = all;
      twice[0] = 2 * length;
      ones[0] = 2;
      return ir::slice(given(outside, twice), zeros, all, ones);
    }
    if (how == 3) return ir::broadcast(given(outside, shape), all);
    if (how == 4) return ir::constant({dtype_, all}, Scalar::of(0.5).cast(dtype_));
    if (how == 5) return ir::map(Op::negative, {given(outside, all)});
    if (how == 6) return ir::broadcast(ir::cast(ir::iota({DType::I64, all}, 0), dtype_), all);
    return given(outside, all);
  }
  Shape any_shape() {
    const size_t which = draw(5);
    if (which == 0) return {};
    if (which == 1 && !shape_.empty()) return {shape_[shape_.size() - 1]};
    return shape_;
  }
  size_t draw(size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random_); }
  void add_input(const Shape& shape) {
    inputs_.push_back(ir::input({dtype_, shape}, {nullptr, "x" + std::to_string(inputs_.size()), {}, 0}));
  }
  NodeRef number(double value, const Shape& shape) const {
    return ir::constant({dtype_, shape}, Scalar::of(value).cast(dtype_));
  }
  NodeRef leaf(const Shape& shape) {
    const bool narrow = shape.empty();
    for (;;) {
      const size_t which = draw(inputs_.size() + 2);
      if (which == inputs_.size()) return number(0.25 * static_cast<double>(draw(9)), shape);
      if (which > inputs_.size()) return ir::broadcast(ir::cast(turn_, dtype_), shape);
      const NodeRef& in = inputs_[which];
      if (narrow && !in->shape().empty()) continue;
      if (in->shape().size() > shape.size()) continue;
      return ir::broadcast(in, shape);
    }
  }
  NodeRef map(std::vector<NodeRef>& values) {
    const auto any = [&] { return values[draw(values.size())]; };
    static constexpr Op kExact[] = {Op::add, Op::subtract, Op::multiply, Op::maximum, Op::minimum};
    static constexpr Op kMore[] = {Op::divide, Op::sin, Op::tanh, Op::exp, Op::sqrt};
    const size_t which = draw(exact_ || !is_float(dtype_) ? 7 : 12);
    if (which == 5) return ir::map(Op::negative, {any()});
    if (which == 6) return ir::map(Op::select, {ir::map(Op::less, {any(), any()}), any(), any()});
    if (which < 5) return ir::map(kExact[which], {any(), any()});
    const Op op = kMore[which - 7];
    return op == Op::divide ? ir::map(op, {any(), any()}) : ir::map(op, {any()});
  }
  NodeRef next(const Shape& shape) {
    std::vector<NodeRef> values;
    values.reserve(16);
    for (int k = 0; k < 4; ++k) values.push_back(leaf(shape));
    for (size_t k = 2 + draw(6); k-- > 0;) values.push_back(map(values));
    return values.back();
  }
  std::vector<NodeRef> turn(size_t carries) {
    std::vector<NodeRef> outputs;
    outputs.reserve(carries);
    for (size_t k = 0; k < carries; ++k) outputs.push_back(next(inputs_[k]->shape()));
    // Elements that are done stay as they are.
    if (draw(2) && carries > 1) {
      const NodeRef done = ir::map(Op::less, {inputs_[0], number(2, shape_)});
      for (size_t k = 0; k < carries; ++k)
        if (inputs_[k]->shape() == shape_) outputs[k] = ir::map(Op::select, {done, outputs[k], inputs_[k]});
    }
    return outputs;
  }
  // Elements go on while they are small, for a few turns.
  std::vector<NodeRef> ended(ir::Loop& loop, size_t carries) {
    const auto few = [&](const Shape& shape) {
      return ir::constant({DType::I64, shape}, Scalar::of(loop.length));
    };
    const NodeRef soon = ir::map(Op::less, {turn_, few({})});
    Graph condition{inputs_, {}};
    condition.inputs.push_back(turn_);
    if (draw(2)) {
      condition.outputs = {soon};
      loop.bodies.push_back(std::move(condition));
      return turn(carries);
    }
    const NodeRef each = ir::map(Op::less, {inputs_[0], number(3, shape_)});
    NodeRef any = each;
    for (size_t k = shape_.size(); k-- > 0;) any = ir::reduce(Op::any, any, Dims{static_cast<int64_t>(k)});
    condition.outputs = {ir::map(Op::logical_and, {any, soon})};
    loop.bodies.push_back(std::move(condition));
    std::vector<NodeRef> outputs = turn(carries);
    for (size_t k = 0; k < carries; ++k)
      outputs[k] =
          inputs_[k]->shape() == shape_ ? ir::map(Op::select, {each, outputs[k], inputs_[k]}) : inputs_[k];
    return outputs;
  }

  std::mt19937_64 random_;
  DType dtype_;
  Shape shape_;
  bool exact_;
  std::vector<NodeRef> inputs_;
  size_t stacked_ = 0;  // what a turn gives beside what is carried
  NodeRef turn_;
};

constexpr DType kDTypes[] = {DType::F64, DType::F32, DType::I32, DType::I64,
                             DType::U8,  DType::F16, DType::BF16};

std::vector<Graph> random_loops(uint64_t first, int count, bool exact, const std::vector<Shape>& shapes) {
  std::vector<Graph> all;
  for (int k = 0; k < count; ++k) {
    const uint64_t seed = first + static_cast<uint64_t>(k);
    const DType dtype = kDTypes[seed % std::size(kDTypes)];
    all.push_back(RandomBody(seed, dtype, shapes[seed % shapes.size()], exact)
                      .graph(seed % 3 ? Op::scan : Op::while_loop));
  }
  return all;
}

std::vector<Graph> random_scans(uint64_t first, int count, bool exact, const std::vector<Shape>& shapes,
                                int64_t length) {
  std::vector<Graph> all;
  for (int k = 0; k < count; ++k) {
    const uint64_t seed = first + static_cast<uint64_t>(k);
    all.push_back(RandomBody(seed, kDTypes[seed % std::size(kDTypes)], shapes[seed % shapes.size()], exact)
                      .graph_with_slices(length));
  }
  return all;
}

const std::vector<Shape> kLarge{{30, 800}, {24001}, {4, 3, 2100}};
const std::vector<Shape> kSmall{{7}, {}, {3, 5}, {0}, {1, 17}, {2, 0, 3}};

TEST(MappedLoops, OfRandomBodiesGiveTheBitsOfTurns) {
  int loops = 0;
  Options in_turns;
  in_turns.without_passes = {"map_loops"};
  for (const Graph& graph : random_loops(1, 42, false, kLarge)) {
    loops += has_loops(mapped(graph));
    Options options;
    std::vector<ir::HostTensor> inputs = random_inputs(graph, 7);
    const auto got = run_on(backend("cpu"), graph, inputs, options),
               want = run_on(backend("cpu"), graph, inputs, in_turns);
    for (size_t o = 0; o < want.size(); ++o)
      EXPECT_EQ(difference(got[o], want[o], {0, 0, true}), "") << ir::print(graph);
  }
  EXPECT_EQ(loops, 0);
}

TEST(MappedLoops, GiveTheBitsOfTheInterpreter) {
  for (const Graph& graph : random_loops(100, 42, true, kSmall))
    EXPECT_EQ(check(on(backend("cpu")), graph, 3, true), "") << ir::print(graph);
}

std::string told(const Graph& graph, const Options& options = {}) {
  return compile(graph, Target{}, options).explanation;
}

TEST(MappedLoops, WithSlicesGiveTheBitsOfTurns) {
  Options in_turns;
  in_turns.without_passes = {"map_loops"};
  int kernels = 0;
  std::vector<Graph> graphs = random_scans(500, 28, false, {{30, 80}, {2001}}, 300);
  for (Graph& graph : random_scans(600, 42, false, kSmall, 256)) graphs.push_back(std::move(graph));
  for (const Graph& graph : graphs) {
    const std::string text = told(graph);
    EXPECT_EQ(text.find("turn by turn"), std::string::npos) << text;
    kernels += text.find("scan_of_") != std::string::npos;
    EXPECT_EQ(told(graph, in_turns).find("scan_of_"), std::string::npos);
    std::vector<ir::HostTensor> inputs = random_inputs(graph, 7);
    const auto got = run_on(backend("cpu"), graph, inputs, {}),
               want = run_on(backend("cpu"), graph, inputs, in_turns);
    for (size_t o = 0; o < want.size(); ++o)
      EXPECT_EQ(difference(got[o], want[o], {0, 0, true}), "") << o << "\n" << ir::print(graph);
  }
  EXPECT_GT(kernels, 50);
}

TEST(MappedLoops, WithSlicesGiveTheBitsOfTheInterpreter) {
  for (const Graph& graph : random_scans(700, 42, true, kSmall, 256))
    EXPECT_EQ(check(on(backend("cpu")), graph, 3, true), "") << ir::print(graph);
}

std::vector<Graph> for_cuda() {
  std::vector<Graph> graphs = random_loops(300, 3, false, {{3, 2000}});
  for (Graph& graph : random_scans(800, 28, true, kSmall, 256)) graphs.push_back(std::move(graph));
  for (Graph& graph : random_loops(400, 24, false, kSmall)) graphs.push_back(std::move(graph));
  return graphs;
}

TEST(MappedLoops, OfCudaGiveItOnTheHost) { expect_emulated_to_agree(for_cuda(), kMappedGpu); }

TEST(MappedLoops, OfCudaAreTakenByNvrtc) { expect_taken_by_nvrtc(for_cuda(), kMappedGpu); }

// A body of statements as text, of what is carried and of what stands outside.
std::string explained(const std::string& condition, const std::string& body,
                      const std::string& type = "f64[300, 400]", const char* more = "") {
  const std::string inputs = "  %c = input \"c\" : " + type + "\n  %x = input \"x\" : " + type +
                             "\n  %turn = scalar \"turn\" : i64[]\n";
  const bool until = !condition.empty();
  std::string text;
  if (until) text += "body test {\n" + inputs + condition + "}\n";
  text += "body one {\n" + inputs + body + "}\ngraph {\n  %a = input : " + type + "\n  %b = input : " + type +
          "\n";
  text += until ? "  %r = while_loop %a, %b, condition=test, body=one, result=0 : " + type
                : "  %r = scan %a, %b, body=one, carries=1, length=50, result=0 : " + type;
  return compile(ir::parse(text + more + "\n  return %r\n}\n", "graph"), Target{}).explanation;
}

TEST(MappedLoops, AreOneKernelAndSaySo) {
  const std::string text = explained("", "  %0 = multiply %c, %x\n  %1 = sin %0\n  return %1\n");
  EXPECT_NE(text.find("step 0: kernel over (300, 400): graph:12: loop_of_50_turns"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("step 1"), std::string::npos) << text;
}

// A scan of 300 turns over slices of `x`, as this statement makes them, which stacks `result`.
std::string explained_scan(const std::string& x, const std::string& slices, const std::string& result) {
  const std::string text =
      "body one {\n  %c = input \"c\" : f64[400]\n  %v = input \"v\" : f64[400]\n  %turn = scalar \"turn\" : "
      "i64[]\n  %0 = multiply %c, 0.5\n  %1 = add %0, %v\n" +
      result + "  return %1, %2\n}\ngraph {\n  %a = input : f64[400]\n  %x = input : " + x + "\n" + slices +
      "  %r = scan %a, %s, body=one, carries=1, sliced=1, length=300, result=1 : f64[300, 400]\n  return "
      "%r\n}\n";
  return compile(ir::parse(text, "graph"), Target{}).explanation;
}

TEST(MappedLoops, WithSlicesAreOneKernelAndSayHowTheyLie) {
  const std::string all = "  %2 = sin %1\n";
  const std::string text = explained_scan("f64[300, 400]", "  %s = negative %x\n", all);
  EXPECT_NE(
      text.find("step 1: kernel over (400,): graph:14: scan_of_300_turns\n  writes scan : f64(300, 400)"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("gathered"), std::string::npos) << text;
  const std::string turned = explained_scan("f64[400, 300]", "  %s = permute %x, axes=[1, 0]\n", all);
  EXPECT_NE(turned.find("step 0: kernel over (400,): graph:14: scan_of_300_turns"), std::string::npos)
      << turned;
  EXPECT_NE(
      turned.find("its turns walk along neighbours in memory, so elements beside each other are gathered"),
      std::string::npos)
      << turned;
  const std::string sums =
      explained_scan("f64[300, 400]", "  %s = negative %x\n", "  %2 = cumulative_sum %1, axis=0\n");
  EXPECT_NE(sums.find("runs turn by turn: a turn's cumulative_sum at graph:7 is no work of one element"),
            std::string::npos)
      << sums;
}

TEST(MappedLoops, StayLoopsAndSayWhy) {
  const std::string all = "  %0 = less %c, 10.0\n  %1 = any %0\n  return %1\n";
  for (const auto& [condition, body, why] : std::vector<std::array<std::string, 3>>{
           {"", "  %0 = sum %c, axes=[0] : f64[400]\n  %1 = broadcast %0 : f64[300, 400]\n  return %1\n",
            "a turn's sum at graph:5 is no work of one element"},
           {"", "  %0 = cumulative_sum %c, axis=1\n  return %0\n",
            "a turn's cumulative_sum at graph:5 is no work of one element"},
           {"",
            "  %0 = slice %c, starts=[0, 1] : f64[300, 399]\n  %1 = pad %0, 0.0, before=[0, 0], after=[0, "
            "1]\n"
            "  return %1\n",
            "a turn's pad at graph:6 is no work of one element"},
           {all, "  %0 = add %c, %x\n  return %0\n",
            "its condition is of any element, and a turn changes elements for which it does not hold"},
           {"  %0 = sum %c\n  %1 = less %0, 10.0\n  return %1\n", "  %0 = add %c, %x\n  return %0\n",
            "a turn's sum at graph:5 is no work of one element"}}) {
    const std::string text = explained(condition, body);
    EXPECT_NE(text.find("runs turn by turn: " + why), std::string::npos) << text;
  }
  const std::string few = explained("", "  %0 = add %c, %x\n  return %0\n", "f64[3]");
  EXPECT_NE(few.find("runs turn by turn: it has few turns of few elements"), std::string::npos) << few;
}

// Rows go on while any of their elements does, so no element may leave the turns by itself.
TEST(MappedLoops, OfRowsThatGoOnTogetherStayLoops) {
  const std::string rows = "  %0 = less %c, 10.0\n  %1 = any %0, axes=[1]\n";
  const std::string text =
      explained(rows + "  %2 = any %1\n  return %2\n",
                rows +
                    "  %2 = reshape %1 : bool[300, 1]\n  %3 = broadcast %2 : bool[300, 400]\n"
                    "  %4 = add %c, %x\n  %5 = select %3, %4, %c\n  return %5\n");
  EXPECT_NE(text.find("runs turn by turn"), std::string::npos) << text;
}

}  // namespace
}  // namespace weft::test
