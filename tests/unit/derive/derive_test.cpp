// Derivatives of every op, in both modes, beside differences; what has none says so.
#include "compiler/derive/derive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/base/error.h"
#include "compiler/derive/formula.h"
#include "compiler/derive/rules.h"
#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/random_graph.h"
#include "tests/support/golden.h"
#include "tests/unit/derive/check.h"

namespace weft::test {
namespace {

using ir::Graph;
using ir::NodeRef;
using ir::Op;
using ir::OpInfo;
using ir::OpKind;
using testing::HasSubstr;

NodeRef given(DType t, Shape shape, const char* name) {
  return ir::input({t, std::move(shape)}, {nullptr, name, {}, 0});
}

constexpr DType kFloats[] = {DType::F64, DType::F32, DType::F16, DType::BF16, DType::C128, DType::C64};

bool gives_floats(const OpInfo& op) {
  return (op.accepts & ir::kFloating) && op.result != ir::Result::Bool && op.result != ir::Result::Index;
}

std::vector<Op> all_ops() {
  std::vector<Op> ops;
  for (int i = 0; i < ir::kOpCount; ++i) ops.push_back(static_cast<Op>(i));
  return ops;
}

bool has_none(const OpInfo& op) { return op.derivative.starts_with("none: "); }
bool has_rule(const OpInfo& op) { return op.derivative.starts_with("rule: "); }

TEST(Derive, EveryFloatingOpHasADerivativeOrSaysWhyNot) {
  for (const Op op : all_ops()) {
    const OpInfo& row = ir::info(op);
    if (row.name == "input" || row.name == "scalar") continue;
    EXPECT_EQ(gives_floats(row), !row.derivative.empty()) << row.name;
    if (has_none(row)) {
      EXPECT_GT(row.derivative.size(), 12u) << row.name;
      EXPECT_EQ(row.kind == OpKind::View ? nullptr : derive::rule_of(op), nullptr) << row.name;
    } else if (has_rule(row)) {
      EXPECT_EQ(derive::rule_of(op) == nullptr, row.kind == OpKind::Loop)
          << row.name;  // those have their own
    } else if (!row.derivative.empty()) {
      EXPECT_EQ(derive::formula_count(row.derivative), static_cast<size_t>(row.arity)) << row.name;
      EXPECT_EQ(row.kind, OpKind::Map) << row.name;
    }
  }
}

// ---- maps

std::vector<Range> smooth_ranges(const OpInfo& row) {
  const double low = std::max(row.domain.low, -1.9), high = std::min(row.domain.high, 2.6);
  const double margin = 0.07 * (high - low);
  return std::vector<Range>(static_cast<size_t>(row.arity), Range{low + margin, high - margin});
}

class Maps : public testing::TestWithParam<std::tuple<Op, DType>> {};

TEST_P(Maps, HaveTheDerivativesThatDifferencesTell) {
  const auto [op, dtype] = GetParam();
  const OpInfo& row = ir::info(op);
  const auto build = [&](DType t) {
    Graph graph;
    ir::Inputs in(static_cast<size_t>(row.arity));
    for (NodeRef& one : in) {
      one = given(t, {7}, "x");
      graph.inputs.push_back(one);
    }
    graph.outputs = {ir::map(op, std::move(in))};
    return graph;
  };
  for (uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_EQ(wrong_derivative(build, dtype, seed, smooth_ranges(row)), "") << ir::print(build(dtype));
}

std::vector<std::tuple<Op, DType>> maps() {
  std::vector<std::tuple<Op, DType>> all;
  for (const Op op : all_ops()) {
    const OpInfo& row = ir::info(op);
    if (row.kind != OpKind::Map || !gives_floats(row) || has_none(row)) continue;
    if (op == Op::select || op == Op::cast || op == Op::apply) continue;
    for (const DType t : kFloats)
      if (ir::accepts(op, t)) all.emplace_back(op, t);
  }
  return all;
}

std::string map_name(const testing::TestParamInfo<std::tuple<Op, DType>>& info) {
  return std::string(ir::name(std::get<0>(info.param))) + "_" + std::string(name(std::get<1>(info.param)));
}
INSTANTIATE_TEST_SUITE_P(Derive, Maps, testing::ValuesIn(maps()), map_name);

// The value of a graph of one input at one point, and its derivative there.
double slope(const std::string& text, double at) {
  const Graph graph = ir::parse(text, "slope");
  const Graph gradient = derive::gradient(graph, graph.inputs);
  ir::HostTensor x{graph.inputs[0]->type, std::vector<std::byte>(sizeof(double))};
  Scalar::of(at).store(x.data.data());
  const std::vector<ir::HostTensor> result = ir::interpret(gradient, std::vector<ir::HostTensor>{x});
  return Scalar::load(DType::F64, result[0].data.data()).re;
}
double slope_of(const std::string& map, double at) {
  return slope("graph {\n %x = input : f64[]\n %y = " + map + "\n return %y\n}", at);
}

TEST(Derive, TakesTheSidesThatJaxDocuments) {
  EXPECT_EQ(slope_of("maximum %x, 0.0", 0), 0.5);
  EXPECT_EQ(slope_of("minimum %x, 0.0", 0), 0.5);
  EXPECT_EQ(slope_of("relu %x", 0), 0);
  EXPECT_EQ(slope_of("abs %x", 0), 0);
  EXPECT_EQ(slope_of("pow %x, 0.0", 0), 0);
  EXPECT_EQ(slope_of("pow %x, 1.0", 0), 1);
  EXPECT_EQ(slope_of("pow %x, 2.0", 0), 0);
  EXPECT_EQ(slope_of("hypot %x, 0.0", 0), 0);
  EXPECT_EQ(slope_of("logaddexp %x, -inf", -INFINITY), 0.5);
  EXPECT_NEAR(slope_of("lgamma %x", -2.5), 1.1031566406452432, 1e-13);  // digamma, by mpmath
  EXPECT_NEAR(slope_of("lgamma %x", 1e-3), -1000.5755719318336, 1e-9);
  EXPECT_NEAR(slope_of("lgamma %x", 50), 3.9019896734278922, 1e-14);
}

TEST(Derive, TakesNothingFromRootsAndPowersOfZeroThatDoNotCount) {
  for (const char* map : {"sqrt %z", "cbrt %z", "pow %z, 0.5", "pow %z, -1.5", "pow %z, 1.5"}) {
    const std::string text =
        "graph {\n %x = input : f64[]\n %z = multiply %x, 3.0\n %y = " + std::string(map) +
        "\n %c = greater %z, 0.0\n %m = select %c, %y, 0.0\n return %m\n}";
    EXPECT_EQ(slope(text, 0), 0) << map;
    EXPECT_GT(std::abs(slope(text, 2)), 0.01) << map;
  }
  EXPECT_EQ(slope_of("sqrt %x", 0), INFINITY);
  EXPECT_EQ(slope_of("pow %x, 0.5", 0), INFINITY);
}

TEST(Derive, SharesEqualExtremesEvenly) {
  const Graph graph = ir::parse(
      "graph {\n %a = input : f64[]\n %b = input : f64[]\n %x = broadcast %a : f64[2]\n %y = broadcast %b : "
      "f64[1]\n %z = concat %x, %y, axis=0\n %m = max %z\n return %m\n}",
      "ties");
  const Graph gradient = derive::gradient(graph, graph.inputs);
  ir::HostTensor one{{DType::F64, {}}, std::vector<std::byte>(sizeof(double))};
  Scalar::of(1.0).store(one.data.data());
  const auto result = ir::interpret(gradient, std::vector<ir::HostTensor>{one, one});
  EXPECT_NEAR(Scalar::load(DType::F64, result[0].data.data()).re, 2.0 / 3, 1e-15);
  EXPECT_NEAR(Scalar::load(DType::F64, result[1].data.data()).re, 1.0 / 3, 1e-15);
}

// ---- everything else, as text: `T` is the dtype that is tried

struct Written {
  const char* name;
  const char* body;
  bool complex = true;  // whether complex numbers are tried too
};

const Written kWritten[] = {
    {"select", "%x = input : T[4]\n%y = input : T[4]\n%c = input : bool[4]\n%r = select %c, %x, %y"},
    {"sum", "%x = input : T[3, 4, 2]\n%r = sum %x, axes=[0, 2]"},
    {"sum_of_all", "%x = input : T[3, 4]\n%r = sum %x"},
    {"prod", "%x = input : T[2, 3, 2]\n%r = prod %x, axes=[0, 2]"},
    {"max", "%x = input : T[3, 4, 2]\n%r = max %x, axes=[1]", false},
    {"min", "%x = input : T[3, 4, 2]\n%r = min %x, axes=[0, 2]", false},
    {"cumulative_sum", "%x = input : T[3, 5]\n%r = cumulative_sum %x, axis=1"},
    {"cumulative_prod", "%x = input : T[3, 5]\n%r = cumulative_prod %x, axis=1"},
    {"cumulative_prod_of_rows", "%x = input : T[6, 2]\n%r = cumulative_prod %x, axis=0"},
    {"cumulative_max", "%x = input : T[3, 5]\n%r = cumulative_max %x, axis=1", false},
    {"cumulative_min", "%x = input : T[5, 2]\n%r = cumulative_min %x, axis=0", false},
    {"broadcast", "%x = input : T[3, 1]\n%r = broadcast %x : T[2, 3, 4]"},
    {"permute", "%x = input : T[2, 3, 4]\n%r = permute %x, axes=[2, 0, 1]"},
    {"slice", "%x = input : T[5, 6]\n%r = slice %x, starts=[1, 2] : T[3, 2]"},
    {"slice_with_steps", "%x = input : T[5, 6]\n%r = slice %x, starts=[4, 1], steps=[-2, 2] : T[3, 2]"},
    {"reshape", "%x = input : T[2, 6]\n%r = reshape %x : T[3, 4]"},
    {"pad", "%x = input : T[2, 3]\n%f = input : T[]\n%r = pad %x, %f, before=[1, 0], after=[0, 2]"},
    {"concat", "%x = input : T[2, 3]\n%y = input : T[2, 1]\n%r = concat %x, %y, %x, axis=1"},
    {"gather", "%x = input : T[3, 4]\n%i = input : i64[2, 4]\n%r = gather %x, %i, axis=0"},
    {"gather_rows", "%x = input : T[3, 4]\n%i = input : i64[5, 1]\n%r = gather %x, %i, axis=0"},
    {"gather_repeated",
     "%x = input : T[1, 3, 1, 2]\n%i = input : i64[2, 4, 3, 2]\n%r = gather %x, %i, axis=1"},
    {"scatter",
     "%x = input : T[3, 2]\n%i = input : i64[6, 2]\n%v = input : T[6, 2]\n%r = scatter %x, %i, %v, axis=0"},
    {"scatter_rows",
     "%x = input : T[3, 2]\n%i = input : i64[4, 1]\n%w = broadcast %i : i64[4, 2]\n%v = input : T[4, 2]\n%r "
     "= "
     "scatter %x, %w, %v, axis=0"},
    {"scatter_distinct",
     "%x = input : T[4]\n%i = iota axis=0 : i64[3]\n%v = input : T[3]\n%r = scatter_distinct %x, %i, %v, "
     "axis=0"},
    {"scatter_add",
     "%x = input : T[3, 2]\n%i = input : i64[6, 2]\n%v = input : T[6, 2]\n%r = scatter_add %x, %i, %v, "
     "axis=0"},
    {"update",
     "%x = input : T[5, 4]\n%v = input : T[2, 3]\n%r = update %x, %v, starts=[0, 3], steps=[2, -1]"},
    {"dot", "%x = input : T[2, 3, 4]\n%y = input : T[2, 4, 2]\n%r = dot %x, %y"},
    {"dot_with_one_matrix",
     "%x = input : T[2, 3, 1, 4]\n%w = input : T[4, 2]\n%b = broadcast %w : T[2, 3, 4, 2]\n%p = dot %x, "
     "%b\n%v = input : T[1, 1, 3, 1]\n%a = broadcast %v : T[2, 3, 3, 1]\n%r = dot %a, %p"},
    {"dot_with_a_matrix_for_each_row",
     "%x = input : T[2, 3, 1, 4]\n%w = input : T[2, 1, 4, 2]\n%b = broadcast %w : T[2, 3, 4, 2]\n%r = dot "
     "%x, %b"},
    {"casts",
     "%x = input : T[4]\n%a = cast %x : f64[4]\n%b = square %a\n%c = cast %b : T[4]\n%r = multiply %c, %x",
     false},  // a cast to a real dtype is no function of complex numbers
    {"through_integers",
     "%x = input : T[4]\n%a = cast %x : i32[4]\n%b = cast %a : T[4]\n%r = multiply %b, %x"},
    {"parts",
     "%x = input : T[4]\n%a = real %x\n%b = imag %x\n%c = exp %a\n%s = sin %b\n%r = multiply %c, %s"},
    {"softmax",
     "%x = input : T[2, 4]\n%m = max %x, axes=[1]\n%k = reshape %m : T[2, 1]\n%s = subtract %x, %k\n%e = exp "
     "%s\n%t = sum %e, axes=[1]\n%u = reshape %t : T[2, 1]\n%r = divide %e, %u",
     false},
    {"norm", "%x = input : T[5]\n%a = abs %x\n%s = square %a\n%t = sum %s\n%r = sqrt %t"},
    {"small_parts",
     "%x = input : T[3, 16]\n%a = slice %x, starts=[0, 3] : T[3, 1]\n%b = slice %x, starts=[0, 3] : T[3, "
     "2]\n%c = slice %x, starts=[0, 0], steps=[1, 8] : T[3, 2]\n%s = sin %a\n%m = multiply %b, %c\n%u = "
     "update %x, %s, starts=[0, 5], steps=[1, 1]\n%v = update %u, %m, starts=[0, 4], steps=[1, 1]\n%p = "
     "slice %v, starts=[0, 5] : T[3, 1]\n%q = slice %u, starts=[0, 5] : T[3, 1]\n%t = multiply %p, %q\n%w "
     "= update %v, %t, starts=[0, 15], steps=[1, 1]\n%d = slice %w, starts=[0, 15] : T[3, 1]\n%e = "
     "multiply %d, %a\n%r = update %w, %e, starts=[0, 2], steps=[1, 1]"},
    // What is written to a row crosses what is written to a column, and both are read after that.
    {"crossing_parts",
     "%x = input : T[9, 9]\n%a = slice %x, starts=[2, 2] : T[1, 5]\n%s = sin %a\n%b = reshape %s : T[5, "
     "1]\n%u = update %x, %b, starts=[2, 2], steps=[1, 1]\n%v = update %u, %s, starts=[2, 2], steps=[1, "
     "1]\n%c = slice %v, starts=[1, 2] : T[4, 1]\n%d = slice %u, starts=[2, 1] : T[1, 4]\n%e = dot %d, "
     "%c\n%w = update %v, %e, starts=[2, 3], steps=[1, 1]\n%r = multiply %w, %w"},
    {"heat_step",
     "%x = input : T[8]\n%l = slice %x, starts=[0] : T[6]\n%h = slice %x, starts=[2] : T[6]\n%s = add %l, "
     "%h\n%m = multiply %s, 0.5\n%a = update %x, %m, starts=[1], steps=[1]\n%b = slice %a, starts=[0], "
     "steps=[3] : T[3]\n%r = sin %b"},
};

std::string text_of(const Written& one, DType t) {
  std::string text = "graph {\n" + std::string(one.body) + "\nreturn %r\n}\n";
  const std::string dtype(name(t));
  for (size_t at = 0; (at = text.find("T[", at)) != std::string::npos; at += dtype.size())
    text.replace(at, 1, dtype);
  return text;
}

class Others : public testing::TestWithParam<std::tuple<Written, DType>> {};

TEST_P(Others, HaveTheDerivativesThatDifferencesTell) {
  const auto& [one, dtype] = GetParam();
  const auto build = [&](DType t) { return ir::parse(text_of(one, t), one.name); };
  for (uint64_t seed = 1; seed <= 4; ++seed)
    EXPECT_EQ(wrong_derivative(build, dtype, seed), "") << text_of(one, dtype);
}

std::vector<std::tuple<Written, DType>> written() {
  std::vector<std::tuple<Written, DType>> all;
  for (const Written& one : kWritten)
    for (const DType t : kFloats)
      if (one.complex || !is_complex(t)) all.emplace_back(one, t);
  return all;
}
std::string written_name(const testing::TestParamInfo<std::tuple<Written, DType>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::string(name(std::get<1>(info.param)));
}
INSTANTIATE_TEST_SUITE_P(Derive, Others, testing::ValuesIn(written()), written_name);

TEST(Derive, CoversEveryOpWithARule) {
  std::string texts;
  for (const Written& one : kWritten) texts += one.body;
  for (const Op op : all_ops()) {
    const OpInfo& row = ir::info(op);
    if (!has_rule(row) || op == Op::assign) continue;  // the compiler makes it of updates, later
    if (row.kind == OpKind::Map && op != Op::select && op != Op::cast) continue;  // see Maps
    if (row.kind == OpKind::Loop) continue;                                       // see loops_test.cpp
    EXPECT_THAT(texts, HasSubstr("= " + std::string(row.name) + " "));
  }
}

TEST(Derive, OfProductsAreRightAtZeros) {
  for (const char* op : {"prod %x", "cumulative_prod %x, axis=0"}) {
    const Graph graph =
        ir::parse("graph {\n %x = input : f64[4]\n %r = " + std::string(op) + "\n return %r\n}", op);
    for (const std::vector<double>& at :
         {std::vector<double>{2, 0, 3, 5}, {0, 0, 3, 5}, {2, 3, 0, 0}, {0, 0, 0, 5}}) {
      const auto value = [&](const std::vector<double>& x) {
        ir::HostTensor in{{DType::F64, {4}}, std::vector<std::byte>(32)};
        for (size_t i = 0; i < 4; ++i) Scalar::of(x[i]).store(in.data.data() + 8 * i);
        return in;
      };
      const NodeRef t = given(DType::F64, {4}, "t");
      Graph derived{{graph.inputs[0], t}, derive::jvp(graph.outputs, graph.inputs, {&t, 1})};
      for (size_t k = 0; k < 4; ++k) {
        std::vector<double> unit(4, 0), up = at, down = at;
        unit[k] = 1, up[k] += 0.5, down[k] -= 0.5;
        const auto got = ir::interpret(derived, std::vector<ir::HostTensor>{value(at), value(unit)})[0];
        const auto high = ir::interpret(graph, std::vector<ir::HostTensor>{value(up)})[0];
        const auto low = ir::interpret(graph, std::vector<ir::HostTensor>{value(down)})[0];
        // Products are linear in each factor, so the difference is exact.
        for (size_t i = 0; i * 8 < got.data.size(); ++i)
          EXPECT_EQ(Scalar::load(DType::F64, got.data.data() + 8 * i).re,
                    Scalar::load(DType::F64, high.data.data() + 8 * i).re -
                        Scalar::load(DType::F64, low.data.data() + 8 * i).re)
              << op << " by element " << k << ", result " << i;
      }
    }
  }
}

// ---- as text

TEST(Derive, GradientsReadAsExpected) {
  const std::pair<const char*, const char*> graphs[] = {
      {"square", "%x = input \"x\" : f64[3]\n%y = square %x\n%r = sum %y"},
      {"pow", "%x = input \"x\" : f64[3]\n%y = input \"y\" : f64[3]\n%p = pow %x, %y\n%r = sum %p"},
      {"relu", "%x = input \"x\" : f32[3]\n%y = relu %x\n%r = sum %y"},
      {"halves", "%x = input \"x\" : f16[3]\n%y = tanh %x\n%r = sum %y"},
      {"maximum", "%x = input \"x\" : f32[3]\n%y = input \"y\" : f32[3]\n%m = maximum %x, %y\n%r = sum %m"},
      {"abs_of_complex", "%z = input \"z\" : c64[3]\n%y = abs %z\n%r = sum %y"},
      {"parts", "%z = input \"z\" : c64[3]\n%a = real %z\n%b = imag %z\n%m = multiply %a, %b\n%r = sum %m"},
      {"select",
       "%c = input \"c\" : bool[3]\n%x = input \"x\" : f32[3]\n%y = input \"y\" : f32[3]\n%s = select %c, "
       "%x, %y\n%r = sum %s"},
      {"cast", "%x = input \"x\" : f32[3]\n%d = cast %x : f64[3]\n%s = square %d\n%r = sum %s"},
      {"mean_of_rows",
       "%x = input \"x\" : f32[3, 4]\n%s = sum %x, axes=[1]\n%m = divide %s, 4\n%q = square "
       "%m\n%r = sum %q"},
      {"max", "%x = input \"x\" : f32[3, 4]\n%m = max %x, axes=[1]\n%r = sum %m"},
      {"prod", "%x = input \"x\" : f32[4]\n%r = prod %x"},
      {"cumulative_sum",
       "%x = input \"x\" : f32[4]\n%c = cumulative_sum %x, axis=0\n%s = square %c\n%r = sum %s"},
      {"cumulative_max", "%x = input \"x\" : f32[4]\n%c = cumulative_max %x, axis=0\n%r = sum %c"},
      {"stencil",
       "%x = input \"x\" : f32[8]\n%a = slice %x, starts=[0] : f32[7]\n%b = slice %x, starts=[1] : "
       "f32[7]\n%d = subtract %b, %a\n%s = square %d\n%r = sum %s"},
      {"write_through_a_view",
       "%x = input \"x\" : f32[8]\n%v = input \"v\" : f32[3]\n%u = update %x, %v, "
       "starts=[1], steps=[2]\n%s = square %u\n%r = sum %s"},
      {"add_to_a_part",
       "%x = input \"x\" : f32[8]\n%v = input \"v\" : f32[6]\n%p = slice %x, starts=[1] : f32[6]\n%n = add "
       "%p, "
       "%v\n%u = update %x, %n, starts=[1], steps=[1]\n%s = square %u\n%r = sum %s"},
      {"parts_at_one_place",
       "%x = input \"x\" : f32[8]\n%p = slice %x, starts=[1] : f32[6]\n%q = slice %x, starts=[1] : "
       "f32[6]\n%s "
       "= sin %p\n%e = exp %q\n%m = multiply %s, %e\n%r = sum %m"},
      {"columns",
       "%x = input \"x\" : f64[4, 8]\n%z = constant 0.0 : f64[4, 8]\n%c = slice %x, starts=[0, 0] : f64[4, "
       "1]\n%a = update %z, %c, starts=[0, 0], steps=[1, 1]\n%d = slice %x, starts=[0, 1] : f64[4, 1]\n%p = "
       "slice %a, starts=[0, 0] : f64[4, 1]\n%m = multiply %p, %d\n%b = update %a, %m, starts=[0, 1], "
       "steps=[1, 1]\n%s = square %b\n%r = sum %s"},
      {"gather",
       "%x = input \"x\" : f32[8]\n%i = input \"i\" : i64[5]\n%g = gather %x, %i, axis=0\n%s = square "
       "%g\n%r = sum %s"},
      {"scatter",
       "%x = input \"x\" : f32[8]\n%i = input \"i\" : i64[5]\n%v = input \"v\" : f32[5]\n%u = scatter %x, "
       "%i, %v, axis=0\n%s = square %u\n%r = sum %s"},
      {"dot",
       "%x = input \"x\" : f32[3, 4]\n%w = input \"w\" : f32[4, 2]\n%d = dot %x, %w\n%t = tanh %d\n%r = sum "
       "%t"},
      {"softmax_cross_entropy",
       "%x = input \"x\" : f32[8, 10]\n%t = input \"t\" : f32[8, 10]\n%m = max %x, axes=[1]\n%k = reshape %m "
       ": "
       "f32[8, 1]\n%s = subtract %x, %k\n%e = exp %s\n%n = sum %e, axes=[1]\n%l = log %n\n%j = reshape %l : "
       "f32[8, 1]\n%p = subtract %s, %j\n%q = multiply %p, %t\n%a = sum %q\n%r = negative %a"},
      {"logistic_regression",
       "%x = input \"x\" : f32[100, 8]\n%w = input \"w\" : f32[8, 1]\n%t = input \"t\" : f32[100, 1]\n%d = "
       "dot %x, "
       "%w\n%p = sigmoid %d\n%e = subtract %p, %t\n%q = square %e\n%r = sum %q"},
  };
  for (const auto& [name, body] : graphs) {
    const Graph graph = ir::parse("graph {\n" + std::string(body) + "\nreturn %r\n}", name);
    std::vector<NodeRef> wrt;
    for (const NodeRef& in : graph.inputs)
      if (derive::has_tangents(in->dtype())) wrt.push_back(in);
    const Graph gradient = derive::gradient(graph, wrt);
    expect_golden("derive/" + std::string(name) + ".weft",
                  "# of\n" + ir::print(graph) + "\n# the gradient\n" + ir::print(gradient));
  }
}

// ---- refusals

std::string refusal(const std::string& body) {
  try {
    const Graph graph = ir::parse("graph {\n" + body + "\nreturn %r\n}", "refused");
    derive::gradient(graph, graph.inputs);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Derive, RefusesWhatHasNoDerivative) {
  EXPECT_EQ(refusal("%x = input : f64[3]\n%y = nextafter %x, 1.0\n%r = sum %y"),
            "nextafter: it has no derivative: it steps from float to float, which is no function of real "
            "numbers: got "
            "f64(3,), at refused:3; stop_gradient() keeps derivatives out");
  EXPECT_THAT(
      refusal("%x = input : f64[3]\n%u = constant 0.5 : f64[3]\n%y = draw_poisson %u, %x\n%r = sum %y"),
      HasSubstr("draw_poisson: it has no derivative: it gives whole numbers"));
  EXPECT_THAT(refusal("%x = input : f64[3]\n%r = exp %x"),
              HasSubstr("grad: takes a graph that gives one real number of a float dtype: got f64(3,)"));
  EXPECT_THAT(refusal("%x = input : i64[3]\n%y = cast %x : f64[3]\n%r = sum %y"),
              HasSubstr("grad: derivatives are with respect to floats and complex numbers: got i64(3,)"));
  EXPECT_THAT(refusal("%x = input : c128[3]\n%r = sum %x"), HasSubstr("one real number"));
}

TEST(Derive, DoesNotAskForWhatNothingFlowsThrough) {
  EXPECT_EQ(
      refusal("%x = input : f64[3]\n%c = constant 0.5 : f64[3]\n%y = nextafter %c, 1.0\n%z = multiply %x, "
              "%y\n%r = sum %z"),
      "");
}

// ---- higher orders

TEST(Derive, OfDerivativesAreRight) {
  const char* const bodies[] = {
      "%x = input : f64[3]\n%y = sin %x\n%z = multiply %y, %x\n%s = sum %z\n%r = exp %s",
      "%x = input : f64[2, 3]\n%y = input : f64[3, 2]\n%d = dot %x, %y\n%t = tanh %d\n%r = sum %t",
      "%x = input : f64[4]\n%p = prod %x\n%c = cumulative_prod %x, axis=0\n%s = sum %c\n%m = multiply %p, "
      "%s\n%r = "
      "sin %m",
      "%x = input : f64[4]\n%e = exp %x\n%s = sum %e\n%r = log %s",
      "%x = input : f64[5]\n%i = input : i64[7]\n%g = gather %x, %i, axis=0\n%h = square %g\n%k = sigmoid "
      "%h\n%r = "
      "sum %k",
      "%x = input : f64[6]\n%a = slice %x, starts=[0], steps=[2] : f64[3]\n%u = update %x, %a, starts=[5], "
      "steps=[-1]\n%v = multiply %u, %x\n%c = cos %v\n%r = sum %c",
      "%x = input : f64[4]\n%a = abs %x\n%b = add %a, 0.5\n%l = lgamma %b\n%g = gelu %l\n%r = sum %g",
      "%x = input : f64[4]\n%y = input : f64[4]\n%a = atan2 %x, %y\n%h = hypot %x, %y\n%m = multiply %a, "
      "%h\n%r = "
      "sum %m",
      "%x = input : f64[4]\n%c = cumulative_max %x, axis=0\n%m = max %x\n%b = broadcast %m : f64[4]\n%d = "
      "multiply "
      "%c, %b\n%r = sum %d",
      "%x = input : c128[3]\n%y = input : c128[3]\n%m = multiply %x, %y\n%e = exp %m\n%a = abs %e\n%r = sum "
      "%a",
  };
  for (const char* body : bodies) {
    const Graph graph = ir::parse("graph {\n" + std::string(body) + "\nreturn %r\n}", "second");
    std::vector<NodeRef> wrt;
    for (const NodeRef& in : graph.inputs)
      if (derive::has_tangents(in->dtype())) wrt.push_back(in);
    const Graph gradient = derive::gradient(graph, wrt);
    bool compared = false;
    EXPECT_EQ(wrong_derivative(gradient, 7, compared), "") << ir::print(gradient);
    EXPECT_TRUE(compared) << body;
  }
}

// The graph in the widest dtypes, so that differences tell derivatives.
Graph widened(const Graph& graph) {
  std::string text = ir::print(graph);
  for (const auto& [narrow, wide] : {std::pair{" f32[", " f64["}, std::pair{" c64[", " c128["}})
    for (size_t at = 0; (at = text.find(narrow, at)) != std::string::npos;) text.replace(at, 5, wide);
  return ir::parse(text, "random");
}

TEST(Derive, OfRandomGraphsAreRight) {
  RandomGraphOptions options;
  options.ops = 10;
  options.max_elements = 64;
  options.halves = false;
  options.empty_axis = 0;
  for (const Op op : all_ops()) {
    const OpKind kind = ir::kind(op);
    if (kind != OpKind::Map && kind != OpKind::Reduce && kind != OpKind::Scan) continue;
    if (!has_none(ir::info(op)) && op != Op::bitcast && op != Op::apply) options.drawn_from.push_back(op);
  }
  int compared_count = 0;
  constexpr int kGraphs = 300;
  for (int seed = 1; seed <= kGraphs; ++seed) {
    const Graph drawn = random_graph(static_cast<uint64_t>(seed), options);
    // Bits of another width are other numbers.
    if (ir::print(drawn).find("bitcast") != std::string::npos) continue;
    const Graph graph = widened(drawn);
    bool compared = false;
    Graph floats{graph.inputs, {}};
    for (const NodeRef& output : graph.outputs)
      if (derive::has_tangents(output->dtype())) floats.outputs.push_back(output);
    if (floats.outputs.empty()) continue;
    EXPECT_EQ(wrong_derivative(floats, static_cast<uint64_t>(seed), compared, {}), "")
        << seed << ": " << ir::print(floats);
    compared_count += compared;
  }
  RecordProperty("compared", compared_count);
  EXPECT_GT(compared_count, kGraphs / 4);
}

}  // namespace
}  // namespace weft::test
