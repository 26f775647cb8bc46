// Checks of results: a planted fault is found with its op and line, and what is right agrees; NaN are told from where
// they were made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "frontend/cpp/inspect/verify_graph.h"
#include "frontend/cpp/weft/weft.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kText = R"(graph {
  %x = input : f64[2, 3]
  %e = exp %x
  %s = sum %e, axes=[1]
  %n = negative %s
  %r = square %e
  return %n, %r
}
)";

// The reference's inputs, and a device that computes `op` wrongly: in fused graphs alone, or always.
struct Planted {
  ir::Graph graph = ir::parse(kText, "planted.weft");
  std::vector<ir::HostTensor> inputs;
  std::vector<std::string> names = {"n", "r"};

  Planted() {
    ir::HostTensor x = ir::zeros(graph.inputs[0]->type, "x");
    auto* const values = reinterpret_cast<double*>(x.data.data());
    for (int i = 0; i < 6; ++i) values[i] = 0.25 * i;
    inputs.push_back(std::move(x));
  }
  detail::VerifiedGraph verify(std::optional<ir::Op> op, bool only_fused) const {
    return detail::verify_graph(graph, inputs, names, [&](const ir::Graph& asked, bool fuse) {
      std::vector<ir::HostTensor> results = ir::interpret(asked, inputs);
      if (!op || (only_fused && !fuse)) return results;
      for (size_t i = 0; i < results.size(); ++i) {
        const auto below = ir::topological_order({&asked.outputs[i], 1});
        if (std::ranges::any_of(below, [&](const ir::Node* node) { return node->op == *op; }))
          reinterpret_cast<double*>(results[i].data.data())[1] *= 1.5;
      }
      return results;
    });
  }
};

TEST(VerifyGraph, WhatIsRightAgreesInEveryOutput) {
  const detail::VerifiedGraph found = Planted().verify(std::nullopt, false);
  EXPECT_TRUE(found.agrees());
  EXPECT_EQ(found.ops, 4u);
  ASSERT_EQ(found.outputs.size(), 2u);
  EXPECT_EQ(found.outputs[1].fused.ulps, 0);
  EXPECT_THAT(text_of(found), testing::StartsWith("agrees: 4 ops, 2 outputs"));
}

TEST(VerifyGraph, AFaultOfAnOpIsFoundAtTheOpWithLineAndValues) {
  const detail::VerifiedGraph found = Planted().verify(ir::Op::exp, false);
  ASSERT_FALSE(found.agrees());
  EXPECT_FALSE(found.first->fused);
  EXPECT_EQ(found.first->op, "exp");
  ASSERT_EQ(found.first->lines.size(), 1u);
  EXPECT_EQ(found.first->lines[0].line, 3u);
  EXPECT_THAT(text_of(found), ContainsRegex("the first op that differs, op by op: exp at planted.weft:3: the "
                                            "largest difference: 1.92.* instead of 1.28.* at \\(0, 1\\)"));
}

TEST(VerifyGraph, AFaultOfFusionAloneIsSaidToBeOne) {
  const detail::VerifiedGraph found = Planted().verify(ir::Op::square, true);
  ASSERT_FALSE(found.agrees());
  EXPECT_TRUE(found.first->fused);
  EXPECT_EQ(found.first->op, "square");
  EXPECT_TRUE(found.outputs[0].fused.agrees && found.outputs[0].op_by_op.agrees);
  EXPECT_FALSE(found.outputs[1].fused.agrees);
  EXPECT_TRUE(found.outputs[1].op_by_op.agrees);
  const auto json = nlohmann::json::parse(json_of(found));
  EXPECT_EQ(json["first"]["way"], "fused");
  EXPECT_EQ(json["first"]["lines"][0]["line"], 6);
  EXPECT_FALSE(json["outputs"][1]["fused"]["agrees"]);
}

TEST(CompareUlps, CountsUnitsOfTheReferencesLastPlace) {
  const auto ulps = [](float got, float want) {
    ir::HostTensor a = ir::zeros({DType::F32, {}}, "a"), b = a;
    std::memcpy(a.data.data(), &got, sizeof got), std::memcpy(b.data.data(), &want, sizeof want);
    return detail::compare(a, b).ulps;
  };
  EXPECT_EQ(ulps(1, 1), 0);
  EXPECT_EQ(ulps(std::nextafter(1.0F, 2.0F), 1), 1);
  EXPECT_EQ(ulps(std::nextafter(1.0F, 0.0F), 1), 0.5);
  EXPECT_EQ(ulps(std::nextafter(3.0F, 9.0F), 3), 1);
  EXPECT_EQ(ulps(0, std::numeric_limits<float>::denorm_min()), 1);
  EXPECT_EQ(ulps(-0.0F, 0), 0);
  EXPECT_TRUE(std::isinf(ulps(NAN, 1)));
  EXPECT_EQ(ulps(NAN, NAN), 0);
}

class TrustTest : public testing::Test {
  TestSession session_;
};

TEST_F(TrustTest, ArraysAreVerifiedAndStayPending) {
  const Array y = exp(ones({300, 20})) + 1;
  const Verification found = verify(y);
  EXPECT_TRUE(found.agrees);
  EXPECT_THAT(found.text, HasSubstr("result 0 : f64(300, 20)"));
  EXPECT_TRUE(nlohmann::json::parse(found.json)["agrees"]);
  EXPECT_THAT(explain(y), testing::Not(HasSubstr("lies in memory")));
  y.eval();
  EXPECT_THROW(verify(y), Error);
}

TEST_F(TrustTest, ANanIsToldFromTheOpThatMadeIt) {
  Session::current().set_watch(Watch::Nans);
  const Array y = log(ones({1000}) - 2) * 3;
  try {
    y.eval();
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(),
                ContainsRegex("debug_nans: log\\(-1\\.0\\) at .*trust_test.cpp:[0-9]+ made NaN at \\(0"));
  }
  Session::current().set_watch(Watch::Nothing);
  EXPECT_NO_THROW(y.eval());
  EXPECT_THROW(watch_named("all"), Error);
}

}  // namespace
}  // namespace weft
