#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/random_graph.h"
#include "tests/support/golden.h"

namespace weft::ir {
namespace {

using test::expect_golden;
using testing::HasSubstr;

Graph softmax() {
  SourceLine line{"src/softmax.cpp", 12};
  NodeRef a = input({DType::F32, {64, 96}}, {nullptr, "a", {}, 0}, line);
  auto over_rows = [&](const NodeRef& r) { return broadcast(reshape(r, {64, 1}, line), {64, 96}, line); };
  NodeRef e = map(Op::exp, {map(Op::subtract, {a, over_rows(reduce(Op::max, a, {1}, line))}, line)}, line);
  SourceLine next{"src/softmax.cpp", 14};
  return {{a}, {map(Op::divide, {e, over_rows(reduce(Op::sum, e, {1}, line))}, next)}};
}

std::string body(std::string_view lines) { return "graph {\n" + std::string(lines) + "\n}\n"; }

void expect_round_trip(const Graph& graph) {
  const std::string text = print(graph);
  Graph back = parse(text);
  EXPECT_EQ(print(back), text);
  EXPECT_EQ(hash_graph(back), hash_graph(graph)) << text;
}

TEST(Print, WritesOneExplicitLinePerNode) { expect_golden("graph/softmax.weft", print(softmax())); }

TEST(Print, AppendsProvenanceWhenAsked) {
  const std::string text = print(softmax(), {.lines = true});
  EXPECT_THAT(text, HasSubstr("axes=[1] : f32[64]  # softmax.cpp:12\n"));
  EXPECT_EQ(print(parse(text)), print(softmax()));
}

TEST(Print, KeepsNamesOfInputsThatAreIdentifiersAndNotTaken) {
  auto named = [](std::string name) { return input({DType::F32, {2}}, {nullptr, std::move(name), {}, 0}); };
  std::vector<NodeRef> inputs = {named("x"), named("x"), named("two words"),
                                 named("7"), named(""),  named("_y1")};
  const Graph graph{inputs, {concat(inputs, 0)}};
  EXPECT_THAT(print(graph), HasSubstr("concat %x, %0, %1, %2, %3, %_y1, axis=0"));
  expect_round_trip(graph);
}

TEST(Print, EscapesInputNames) {
  const std::string name = "q\"uo\\te\n\x01 ü";
  const Graph graph{{input({DType::F32, {2}}, {nullptr, name, {}, 0})}, {}};
  EXPECT_THAT(print(graph), HasSubstr(R"("q\"uo\\te\n\x01 ü")"));
  EXPECT_EQ(parse(print(graph)).inputs[0]->as<InputAttr>().name, name);
}

TEST(Print, KeepsUnusedInputsTheirOrderAndRepeatedOutputs) {
  NodeRef a = input({DType::F32, {2}}, {nullptr, "a", {}, 0});
  NodeRef unused = scalar({DType::I32, {}}, "unused");
  NodeRef b = input({DType::F32, {2}}, {nullptr, "b", {2}, 3});
  expect_round_trip({{b, unused, a}, {a, b, a}});
  EXPECT_EQ(parse(print({{b, unused, a}, {a}})).inputs.size(), 3u);
  expect_round_trip({{}, {}});
}

TEST(Print, KeepsNodesApartThatAreEqualButNotShared) {
  NodeRef a = input({DType::F32, {2}}, {nullptr, "a", {}, 0});
  NodeRef one = map(Op::exp, {a}), other = map(Op::exp, {a});
  expect_round_trip({{a}, {map(Op::add, {one, other})}});
  expect_round_trip({{a}, {map(Op::add, {one, one})}});
}

TEST(Print, KeepsNodesThatTheBuilderWouldDropOrFold) {
  NodeRef a = input({DType::F32, {2, 3}}, {nullptr, "a", {3, 1}, 4});
  NodeRef two = constant({DType::F32, {2, 3}}, Scalar::of(2.0));
  const NodeRef twos[] = {two, two};
  NodeRef same = make(Op::reshape, {a}, {}, a->type);
  NodeRef nothing = make(Op::pad, std::vector{same, constant({DType::F32, {}}, Scalar::of(0.0))},
                         PadAttr{{0, 0}, {0, 0}}, {});
  NodeRef cast_to_itself = make(Op::cast, {nothing}, {}, a->type);
  expect_round_trip({{a}, {cast_to_itself, make(Op::add, twos, {}, {})}});
}

TEST(PrintParse, RandomGraphsComeBackTheSame) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Graph graph = test::random_graph(seed, {.strided_inputs = seed % 2 == 0});
    verify(graph, "random_graph");
    expect_round_trip(graph);
    verify(parse(print(graph)), "parse");
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// ---- constants

void expect_exact(const Scalar& value) {
  const Graph graph{{}, {make(Op::constant, {}, ConstantAttr{value}, {value.dtype, {}})}};
  const Scalar back = parse(print(graph)).outputs[0]->as<ConstantAttr>().value;
  EXPECT_TRUE(back.same(value)) << to_string(value) << " came back as " << to_string(back);
}

TEST(Constants, EveryHalfIsExact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    for (DType dtype : {DType::F16, DType::BF16}) {
      auto stored = static_cast<uint16_t>(bits);
      expect_exact(Scalar::load(dtype, &stored));
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Constants, FloatsOfAnyBitsAreExact) {
  test::Random random(1);
  for (int i = 0; i < 20000; ++i)
    for (DType dtype : {DType::F32, DType::F64, DType::C64, DType::C128}) {
      uint64_t bits[2] = {random.bits(), random.bits()};
      // A third of the draws has an extreme exponent: zeros, subnormals, infinities and NaNs.
      if (i % 3 == 0)
        bits[0] = random.chance(0.5) ? bits[0] | 0x7ff000007f800000 : bits[0] & 0x800fffff807fffff;
      expect_exact(Scalar::load(dtype, bits));
    }
}

TEST(Constants, IntegersOfTheFullRangeAreExact) {
  for (int t = 0; t < kDTypeCount; ++t) {
    auto dtype = static_cast<DType>(t);
    if (!is_integer(dtype)) continue;
    for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, std::numeric_limits<int64_t>::min(),
                      std::numeric_limits<int64_t>::max(), int64_t{1} << (8 * size_of(dtype) - 1)})
      expect_exact(Scalar::of(v).cast(dtype));
  }
  expect_exact(Scalar::of(true));
  expect_exact(Scalar::of(false));
}

TEST(Constants, PrintAsAReaderWouldWriteThem) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_string(Scalar::of(0.1).cast(DType::F32)), "0.1");
  EXPECT_EQ(to_string(Scalar::of(0.1).cast(DType::F16)), "0.1");
  EXPECT_EQ(to_string(Scalar::of(65504.0).cast(DType::F16)), "65500.0");
  EXPECT_EQ(to_string(Scalar::of(1.0)), "1.0");
  EXPECT_EQ(to_string(Scalar::of(-0.0)), "-0.0");
  EXPECT_EQ(to_string(Scalar::of(1e300)), "1e+300");
  EXPECT_EQ(to_string(Scalar::of(kNan).cast(DType::F32)), "nan");
  EXPECT_EQ(to_string(Scalar::of(-kNan)), "-nan");
  EXPECT_EQ(to_string(Scalar::of(-kInfinity)), "-inf");
  EXPECT_EQ(to_string(Scalar::of(std::complex<double>(1.5, -0.0))), "(1.5, -0.0)");
  EXPECT_EQ(to_string(Scalar::of(true)), "true");
  EXPECT_EQ(to_string(Scalar{DType::U64, -1}), "18446744073709551615");
  const uint32_t payload = 0xffc00001;
  EXPECT_EQ(to_string(Scalar::load(DType::F32, &payload)), "nan(0xffc00001)");
}

// ---- hand-written text

TEST(Parse, ShortFormsBecomeExplicit) {
  const std::string text = test::read_text(test::golden_path("graph/short_forms.weft"));
  expect_golden("graph/short_forms.explicit.weft", print(parse(text)));
}

TEST(Parse, ElementwiseMixesAsTheBuilderDoes) {
  Graph parsed = parse(body(R"(
    %a = input : i32[3, 1]
    %b = input : f32[4]
    %c = divide %a, %b
    return %c)"));
  const NodeRef args[] = {input({DType::I32, {3, 1}}, {}), input({DType::F32, {4}}, {})};
  EXPECT_EQ(hash_graph(parsed), hash_graph({{args[0], args[1]}, {elementwise(Op::divide, args)}}));
}

TEST(Parse, LiteralsAreWeak) {
  auto type_of = [](std::string_view dtype, std::string_view literal) {
    return parse(body(fmt::format("%a = input : {}[3]\n%b = add {}, %a\nreturn %b", dtype, literal)))
        .outputs[0]
        ->dtype();
  };
  EXPECT_EQ(type_of("f32", "2.5"), DType::F32);
  EXPECT_EQ(type_of("bf16", "2"), DType::BF16);
  EXPECT_EQ(type_of("u8", "255"), DType::U8);
  EXPECT_EQ(type_of("i32", "2.5"), promote_weak(DType::I32, DTypeKind::Float));
  EXPECT_EQ(type_of("f32", "(1, 2)"), DType::C64);
  EXPECT_EQ(type_of("f64", "true"), DType::F64);
}

TEST(Parse, SelectTakesLiteralsOnEitherSide) {
  Graph graph = parse(body(R"(
    %a = input : f32[3]
    %m = greater %a, 0
    %r = select %m, %a, 0 : f32[3]
    return %r)"));
  EXPECT_EQ(print(*graph.outputs[0]->inputs[2], {}), "%? = constant 0.0 : f32[3]");
}

TEST(Parse, LongChainsNeedNoRecursion) {
  std::string text = "graph {\n%v0 = input : f32[2]\n";
  constexpr int kLength = 100000;
  for (int i = 1; i <= kLength; ++i) text += fmt::format("%v{} = negative %v{}\n", i, i - 1);
  text += fmt::format("return %v{}\n}}\n", kLength);
  const Graph graph = parse(text);
  EXPECT_EQ(topological_order(graph.outputs).size(), kLength + 1u);
  verify(graph, "parse");
  expect_round_trip(graph);
}

TEST(Parse, AnyRank) {
  std::string ones = "1";
  for (int i = 0; i < 2000; ++i) ones += ", 1";
  const Graph graph = parse(body("%a = input : f32[" + ones + "]\n%b = sum %a\nreturn %b"));
  EXPECT_EQ(graph.inputs[0]->shape().size(), 2001u);
  EXPECT_EQ(graph.outputs[0]->shape().size(), 0u);
  expect_round_trip(graph);
}

TEST(Parse, NodesRememberFileAndLine) {
  Graph graph;
  {
    std::string file = "dir/user.weft";
    graph = parse(body("%a = input : f32[2]\n\n%b = add %a, 1\nreturn %b"), file);
  }
  EXPECT_EQ(to_string(graph.outputs[0]->lines), "user.weft:4");
  EXPECT_EQ(to_string(graph.outputs[0]->inputs[1]->lines), "user.weft:4");
}

TEST(Parse, WindowsLineEndsAndCommentsAreFine) {
  const Graph graph = parse(
      "# a graph\r\ngraph named { # opens\r\n\r\n%a = input : f32[2, # rows\r\n 3]\r\nreturn %a\r\n}\r\n");
  EXPECT_EQ(graph.inputs[0]->shape(), (Shape{2, 3}));
}

// Whatever the bytes, there is a graph that verifies and comes back, or an Error that begins with the place.
void expect_graph_or_error(const std::string& text) {
  try {
    const Graph graph = parse(text, "mutated");
    verify(graph, "parse");
    const std::string printed = print(graph);
    EXPECT_EQ(print(parse(printed)), printed) << text;
  } catch (const Error& e) {
    EXPECT_EQ(std::string_view(e.what()).substr(0, 8), "mutated:") << text;
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what() << "\n" << text;
  }
}

TEST(Parse, MutatedTextsAreGraphsOrErrors) {
  static const std::vector<std::string> fragments = {"%",         "%0",      "%a0",
                                                     "[",         "]",       "(",
                                                     ")",         "\"",      ":",
                                                     "=",         ",",       "\n",
                                                     "#",         "-",       "9223372036854775807",
                                                     "-1",        "0",       "1e999",
                                                     "nan(0x0)",  "inf",     "f32[]",
                                                     "f64[0, 3]", "{",       "}",
                                                     "add",       "reshape", "axes=[-1]",
                                                     "graph",     "return",  "\\x",
                                                     "steps=[0]", "\xff",    "starts=[-9223372036854775808]",
                                                     "2.5",       "true"};
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    test::Random random(seed);
    std::string text = print(test::random_graph(seed % 40, {.ops = 5, .strided_inputs = true}));
    for (int64_t edits = random.between(1, 4); edits > 0; --edits) {
      auto at = static_cast<size_t>(random.below(static_cast<int64_t>(text.size()) + 1));
      auto count = static_cast<size_t>(random.between(1, 6));
      switch (random.below(5)) {
        case 0:
          text.erase(at, count);
          break;
        case 1:
          text.insert(at, random.pick(fragments));
          break;
        case 2:
          text.insert(at,
                      text.substr(static_cast<size_t>(random.below(static_cast<int64_t>(text.size()) + 1)),
                                  4 * count));
          break;
        case 3:
          text.resize(at);
          break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(random.bits());
      }
    }
    expect_graph_or_error(text);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Parse, RandomBytesAreErrors) {
  test::Random random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text = random.chance(0.5) ? "graph {\n" : "";
    for (int64_t n = random.below(60); n > 0; --n) text += static_cast<char>(random.bits());
    EXPECT_THROW(parse(text), Error);
  }
}

}  // namespace
}  // namespace weft::ir
