// Index maps: how each view reads its input, how maps compose, and what ranges and conditions come out.
#include <gtest/gtest.h>

#include "compiler/base/error.h"
#include "compiler/ir/analysis/access.h"
#include "compiler/ir/text/parse.h"
#include "tests/fuzz/random.h"

namespace weft::ir {
namespace {

// The nodes of a text by the order of its lines, and the access of the last one over its own axes.
struct Reader {
  Graph graph;
  Variables variables;
  const Node* node = nullptr;
  Access top;

  explicit Reader(const std::string& text) : graph(parse(text)), node(graph.outputs[0].get()) {
    for (int64_t extent : node->shape()) top.push_back(variables.of(variables.add_axis(extent)));
  }
  InputAccess read(size_t input = 0) { return input_access(*node, input, top, variables); }
  // Through inputs 0 down to an input node.
  InputAccess read_all() {
    InputAccess all{top, {}, false};
    for (const Node* n = node; n->op != Op::input; n = n->inputs[0].get()) {
      InputAccess step = input_access(*n, 0, all.at, variables);
      all.at = step.at;
      all.when.insert(all.when.end(), step.when.begin(), step.when.end());
      all.never |= step.never;
    }
    return all;
  }
  int64_t value(const Linear& l, const std::vector<int64_t>& position) const {
    int64_t sum = l.offset;
    for (auto& [v, c] : l.terms) {
      const Variable& x = variables[v];
      if (x.kind == VariableKind::Axis) {
        sum += c * position[static_cast<size_t>(v)];
      } else {
        int64_t of = value(x.of, position), q = of / x.divisor - (of % x.divisor < 0);
        sum += c * (x.kind == VariableKind::Quotient ? q : of - q * x.divisor);
      }
    }
    return sum;
  }
};

Linear axis(int v, int64_t by = 1, int64_t offset = 0) { return {{{v, by}}, offset}; }

TEST(Access, BroadcastReadsAxesOfOneElementAtZero) {
  Reader r("graph { %x = input : f32[3, 1]\n %y = broadcast %x : f32[2, 3, 4]\n return %y }");
  EXPECT_EQ(r.read().at, (Access{axis(1), {}}));
}

TEST(Access, PermuteReordersAxes) {
  Reader r("graph { %x = input : f32[2, 3, 4]\n %y = permute %x, axes=[2, 0, 1]\n return %y }");
  EXPECT_EQ(r.read().at, (Access{axis(1), axis(2), axis(0)}));
}

TEST(Access, SliceScalesAndShifts) {
  Reader r(
      "graph { %x = input : f32[10, 6]\n %y = slice %x, starts=[9, 1], steps=[-3, 2] : f32[4, 2]\n return %y "
      "}");
  EXPECT_EQ(r.read().at, (Access{axis(0, -3, 9), axis(1, 2, 1)}));
}

TEST(Access, SlicesCompose) {
  Reader r(R"(graph { %x = input : f32[20]
    %y = slice %x, starts=[1], steps=[2] : f32[9]
    %z = slice %y, starts=[8], steps=[-1] : f32[9]
    return %z })");
  EXPECT_EQ(r.read_all().at, (Access{axis(0, -2, 17)}));
}

TEST(Access, ReshapeThatMergesNeedsNoDivision) {
  Reader r("graph { %x = input : f32[24]\n %y = reshape %x : f32[2, 3, 4]\n return %y }");
  EXPECT_EQ(r.read().at, (Access{Linear{{{0, 12}, {1, 4}, {2, 1}}, 0}}));
}

TEST(Access, ReshapeThatSplitsDivides) {
  Reader r("graph { %x = input : f32[4, 6]\n %y = reshape %x : f32[24]\n return %y }");
  Access at = r.read().at;
  EXPECT_EQ(r.variables[at[0].single().value()].kind, VariableKind::Quotient);
  EXPECT_EQ(r.variables[at[1].single().value()].kind, VariableKind::Remainder);
  EXPECT_EQ(r.variables.range(at[0]), (std::pair<int64_t, int64_t>{0, 3}));
  EXPECT_EQ(r.variables.range(at[1]), (std::pair<int64_t, int64_t>{0, 5}));
  EXPECT_EQ(address(at, {6, 1}, 0, r.variables), axis(0)) << "6 * (i / 6) + i % 6 is i again";
}

TEST(Access, AxesOfOneElementAreZero) {
  Reader r("graph { %x = input : f32[6]\n %y = reshape %x : f32[1, 6, 1]\n return %y }");
  EXPECT_EQ(r.read().at, (Access{axis(1)}));
}

TEST(Access, ReshapeThereAndBackIsNothing) {
  Reader r(R"(graph { %x = input : f32[4, 6]
    %y = reshape %x : f32[3, 8]
    %z = reshape %y : f32[4, 6]
    return %z })");
  InputAccess in = r.read_all();
  EXPECT_EQ(address(in.at, {6, 1}, 0, r.variables), (Linear{{{0, 6}, {1, 1}}, 0}));
}

TEST(Access, ReshapeOfWhatAGuardKeepsInsideNeedsNoDivision) {
  Reader r(R"(graph { %x = input : f32[4, 6, 1]
    %y = reshape %x : f32[4, 6]
    %z = pad %y, 0.0, before=[0, 1], after=[0, 1]
    return %z })");
  InputAccess in = r.read_all();
  EXPECT_EQ(in.at, (Access{axis(0), axis(1, 1, -1), {}})) << "beyond the guard nothing is read";
  EXPECT_EQ(in.when, (std::vector<Condition>{{axis(1, 1, -1), 6}}));
}

TEST(Access, ReshapeDividesOnlyWhereAxesAreSplit) {
  Reader r("graph { %x = input : f32[5, 4, 6, 3]\n %y = reshape %x : f32[5, 24, 3]\n return %y }");
  Access at = r.read().at;
  EXPECT_EQ(at[0], axis(0));
  EXPECT_EQ(r.variables[at[1].single().value()].of, axis(1));
  EXPECT_EQ(r.variables[at[2].single().value()].of, axis(1));
  EXPECT_EQ(at[3], axis(2));
}

TEST(Access, PadReadsWhereItsConditionsHold) {
  Reader r("graph { %x = input : f32[4, 5]\n %y = pad %x, 0.0, before=[2, 0], after=[1, 0]\n return %y }");
  InputAccess in = r.read();
  EXPECT_EQ(in.at, (Access{axis(0, 1, -2), axis(1)}));
  EXPECT_EQ(in.when, (std::vector<Condition>{{axis(0, 1, -2), 4}})) << "axis 1 needs none";
  EXPECT_EQ(r.read(1).at, Access{}) << "the fill has rank 0";
}

TEST(Access, SliceOfThePaddingIsNeverRead) {
  Reader r(R"(graph { %x = input : f32[4]
    %p = pad %x, 0.0, before=[3], after=[0]
    %s = slice %p, starts=[0] : f32[3]
    return %s })");
  EXPECT_TRUE(r.read_all().never);
}

TEST(Access, SliceInsideOfThePaddingNeedsNoCondition) {
  Reader r(R"(graph { %x = input : f32[4]
    %p = pad %x, 0.0, before=[3], after=[2]
    %s = slice %p, starts=[3] : f32[4]
    return %s })");
  InputAccess in = r.read_all();
  EXPECT_EQ(in.at, Access{axis(0)});
  EXPECT_TRUE(in.when.empty());
}

TEST(Access, ConcatShiftsEachPart) {
  Reader r(R"(graph { %x = input "x" : f32[2, 3]
    %y = input "y" : f32[2, 4]
    %z = concat %x, %y, axis=1
    return %z })");
  EXPECT_EQ(r.read(0).at, (Access{axis(0), axis(1)}));
  EXPECT_EQ(r.read(1).at, (Access{axis(0), axis(1, 1, -3)}));
  EXPECT_EQ(r.read(1).when, (std::vector<Condition>{{axis(1, 1, -3), 4}}));
}

TEST(Access, UpdateReadsItsValueInTheRange) {
  Reader r(R"(graph { %x = input "x" : f32[10]
    %v = input "v" : f32[4]
    %u = update %x, %v, starts=[3], steps=[1]
    return %u })");
  EXPECT_EQ(r.read(0).at, Access{axis(0)});
  EXPECT_TRUE(r.read(0).when.empty());
  EXPECT_EQ(r.read(1).at, Access{axis(0, 1, -3)});
  EXPECT_EQ(r.read(1).when, (std::vector<Condition>{{axis(0, 1, -3), 4}}));
}

TEST(Access, StridedUpdateTestsTheRemainder) {
  Reader r(R"(graph { %x = input "x" : f32[10]
    %v = input "v" : f32[3]
    %u = update %x, %v, starts=[8], steps=[-3]
    return %u })");
  InputAccess in = r.read(1);
  ASSERT_EQ(in.when.size(), 2u);
  for (int64_t i = 0; i < 10; ++i) {
    bool holds = true;
    for (auto& c : in.when) {
      int64_t at = r.value(c.at, {i});
      holds &= at >= 0 && at < c.extent;
    }
    EXPECT_EQ(holds, i == 8 || i == 5 || i == 2) << i;
    if (holds) {
      EXPECT_EQ(r.value(in.at[0], {i}), (8 - i) / 3);
    }
  }
}

TEST(Access, GatherReadsAtAValue) {
  Reader r(R"(graph { %x = input "x" : f32[9, 4]
    %i = input "i" : i64[5, 1]
    %g = gather %x, %i, axis=0
    return %g })");
  InputAccess in = r.read();
  const Variable& v = r.variables[in.at[0].single().value()];
  EXPECT_EQ(v.kind, VariableKind::Dynamic);
  EXPECT_EQ(v.node, r.node->inputs[1].get());
  EXPECT_EQ(v.at, (Access{axis(0), {}}));
  EXPECT_EQ(v.extent, 9);
  EXPECT_EQ(in.at[1], axis(1));
  EXPECT_EQ(r.read(1).at, (Access{axis(0), {}}));
  EXPECT_TRUE(r.variables.depends_on(in.at[0], 0));
  EXPECT_FALSE(r.variables.depends_on(in.at[0], 1));
  EXPECT_EQ(r.read().at, in.at) << "the same index at the same access is one variable";
}

// Windows are index maps: nothing is read to know where they lie.
TEST(Access, GatherReadsAtKnownSteps) {
  Reader r(R"(graph { %x = input "x" : f32[9, 1, 4]
    %a = iota axis=0 : i64[7, 3, 1]
    %b = iota axis=1 : i64[7, 3, 1]
    %i = add %a, %b
    %g = gather %x, %i, axis=0
    return %g })");
  const InputAccess in = r.read();
  EXPECT_EQ(in.at[0], r.variables.add(axis(0), axis(1)));
  EXPECT_EQ(in.at[2], axis(2));
  EXPECT_TRUE(r.read(1).never);
  EXPECT_TRUE(takes_steps(*r.node));
}

TEST(Access, GatherAtStepsThatLeaveTheAxisReadsAtAValue) {
  for (const char* index : {"%i = add %a, 3", "%i = subtract %a, 1", "%i = multiply %a, %a",
                            "%i = multiply %a, 4611686018427387904", "%i = bitwise_and %a, 3"}) {
    Reader r("graph { %x = input \"x\" : f32[9]\n%a = iota axis=0 : i64[7]\n" + std::string(index) +
             "\n%g = gather %x, %i, axis=0\nreturn %g }");
    EXPECT_FALSE(takes_steps(*r.node)) << index;
    EXPECT_FALSE(r.read(1).never) << index;
  }
  for (const char* index :
       {"%i = add %a, 2", "%i = subtract 8, %a", "%i = slice %a, starts=[6], steps=[-2] : i64[4]"}) {
    Reader r("graph { %x = input \"x\" : f32[9]\n%a = iota axis=0 : i64[7]\n" + std::string(index) +
             "\n%g = gather %x, %i, axis=0\nreturn %g }");
    EXPECT_TRUE(takes_steps(*r.node)) << index;
  }
}

TEST(Access, NodesWithoutAnIndexMapAreAnError) {
  Reader r("graph { %x = input : f32[4, 5]\n %s = sum %x, axes=[1]\n return %s }");
  EXPECT_THROW(r.read(), InternalError);
}

TEST(Linear, QuotientsTakeOutWhatDivides) {
  Variables v;
  int i = v.add_axis(10), j = v.add_axis(4);
  Linear a{{{i, 4}, {j, 1}}, 8};
  EXPECT_EQ(v.quotient(a, 4), axis(i, 1, 2));
  EXPECT_EQ(v.remainder(a, 4), axis(j));
  Linear b{{{i, 4}, {j, 1}}, 9};  // j + 1 may reach 4
  EXPECT_NE(v.quotient(b, 4), axis(i, 1, 2));
  EXPECT_EQ(v.add(v.scale(v.quotient(b, 4), 4), v.remainder(b, 4)), b) << "q * d + r";
}

TEST(Linear, NegativeOffsetsDivideDownwards) {
  Variables v;
  int i = v.add_axis(3);
  Linear q = v.quotient(axis(i, 1, -2), 4);
  EXPECT_EQ(v.range(q), (std::pair<int64_t, int64_t>{-1, 0}));
}

TEST(Linear, TermsCancel) {
  Variables v;
  int i = v.add_axis(3), j = v.add_axis(5);
  Linear a{{{i, 2}, {j, -1}}, 7}, b{{{i, -2}, {j, 1}}, 1};
  EXPECT_EQ(v.add(a, b), (Linear{{}, 8}));
  EXPECT_EQ(v.range(a), (std::pair<int64_t, int64_t>{3, 11}));
  EXPECT_EQ(v.of(v.add_axis(1)), Linear{}) << "an axis of one element is 0";
}

// Chains of views drawn at random: the map and its conditions name the element that stepping through the
// views one by one gives.
TEST(Access, ChainsOfViewsReadTheRightElement) {
  test::Random random(7);
  auto below = [&](int64_t n) { return random.below(n); };
  for (int round = 0; round < 300; ++round) {
    Shape shape{1 + below(4), 1 + below(5), 1 + below(6)};
    auto dims = [](const Dims& d) {
      std::string out = "[";
      for (size_t k = 0; k < d.size(); ++k) out += (k ? ", " : "") + std::to_string(d[k]);
      return out + "]";
    };
    int64_t count = element_count(shape);
    std::string text = "graph {\n %v0 = input : f32" + dims(shape) + "\n";
    // The element of the input behind each element, -1 for padding.
    std::vector<int64_t> elements(static_cast<size_t>(count));
    for (int64_t e = 0; e < count; ++e) elements[static_cast<size_t>(e)] = e;
    int steps = 1 + static_cast<int>(below(5));
    for (int s = 0; s < steps; ++s) {
      Shape next = shape;
      std::vector<std::vector<int64_t>> from(shape.size());  // position of each position, on each axis
      std::string line;
      switch (below(3)) {
        case 0: {
          Dims starts, by;
          for (size_t k = 0; k < shape.size(); ++k) {
            int64_t step = below(2) ? 1 + below(2) : -1 - below(2),
                    extent = 1 + below((shape[k] - 1) / std::abs(step) + 1);
            int64_t span = (extent - 1) * std::abs(step),
                    start = below(shape[k] - span) + (step < 0 ? span : 0);
            starts.push_back(start), by.push_back(step), next[k] = extent;
            for (int64_t i = 0; i < extent; ++i) from[k].push_back(start + i * step);
          }
          line = "slice %v" + std::to_string(s) + ", starts=" + dims(starts) + ", steps=" + dims(by);
          break;
        }
        case 1: {
          Dims before, after;
          for (size_t k = 0; k < shape.size(); ++k) {
            before.push_back(below(3)), after.push_back(below(2));
            next[k] += before[k] + after[k];
            for (int64_t i = 0; i < next[k]; ++i)
              from[k].push_back(i < before[k] || i >= before[k] + shape[k] ? -1 : i - before[k]);
          }
          line = "pad %v" + std::to_string(s) + ", 0.0, before=" + dims(before) + ", after=" + dims(after);
          break;
        }
        default: {
          int64_t whole = element_count(shape), a = 1 + below(whole);
          while (whole % a) --a;
          int64_t b = 1 + below(whole / a);
          while (whole / a % b) --b;
          next = {a, b, whole / a / b};
          line = "reshape %v" + std::to_string(s);
        }
      }
      text += " %v" + std::to_string(s + 1) + " = " + line + " : f32" + dims(next) + "\n";
      if (!from[0].empty()) {
        std::vector<int64_t> moved;
        for (int64_t i : from[0])
          for (int64_t j : from[1])
            for (int64_t k : from[2])
              moved.push_back(i < 0 || j < 0 || k < 0
                                  ? -1
                                  : elements[static_cast<size_t>((i * shape[1] + j) * shape[2] + k)]);
        elements = moved;
      }
      shape = next;
    }
    Reader r(text + " return %v" + std::to_string(steps) + " }");
    const Node* input = r.graph.inputs[0].get();
    InputAccess in = r.read_all();
    Linear where = in.never ? Linear{} : address(in.at, contiguous_strides(input->shape()), 0, r.variables);
    size_t e = 0;
    for (int64_t i = 0; i < shape[0]; ++i)
      for (int64_t j = 0; j < shape[1]; ++j)
        for (int64_t k = 0; k < shape[2]; ++k, ++e) {
          bool holds = !in.never;
          for (auto& c : in.when) {
            int64_t at = r.value(c.at, {i, j, k});
            auto [low, high] = r.variables.range(c.at);
            ASSERT_TRUE(low <= at && at <= high);
            holds &= at >= 0 && at < c.extent;
          }
          ASSERT_EQ(holds, elements[e] >= 0) << text;
          if (holds) {
            ASSERT_EQ(r.value(where, {i, j, k}), elements[e]) << text;
          }
        }
  }
}

}  // namespace
}  // namespace weft::ir
