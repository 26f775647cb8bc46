// What a session does before kernels are there: what runs in blocks, what compiles first, what is never compiled.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/support/test_session.h"

namespace weft {
namespace {

class FirstCallsTest : public testing::Test {
 protected:
  TestSession session_{0, 4096, Tier::Auto};
  Stats since(const Stats& before) const {
    Stats now = session_.stats();
    now.compiles -= before.compiles;
    now.compiles_behind -= before.compiles_behind;
    now.kernels_launched -= before.kernels_launched;
    now.blocks_launched -= before.blocks_launched;
    return now;
  }
};

Array line(int64_t n) {
  const Array x = arange(n, DType::F32) * 0.001;
  x.eval();
  return x.copy();
}

TEST_F(FirstCallsTest, ASmallProgramRunsInBlocksAndThenByItsKernelWithTheSameBits) {
  WEFT_NEEDS_A_COMPILER();
  const Array x = line(1000);
  const auto f = [&] {
    return (exp(x) * sin(x) + softmax(x.reshape({10, 100}), 1).reshape({1000})).to_vector<float>();
  };
  const Stats before = session_.stats();
  const std::vector<float> first = f();
  EXPECT_GT(since(before).blocks_launched, 0);
  EXPECT_EQ(since(before).compiles, 0);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(f(), first);
  session_.session().finish_kernels();
  const Stats then = session_.stats();
  EXPECT_GT(then.compiles, before.compiles);
  EXPECT_EQ(f(), first);
  EXPECT_EQ(since(then).blocks_launched, 0);
  EXPECT_GT(since(then).kernels_launched, 0);
}

TEST_F(FirstCallsTest, WhatIsCalledOnceIsNeverCompiled) {
  const Array x = line(500);
  const Stats before = session_.stats();
  for (int k = 0; k < 32; ++k) {
    Array y = x;
    for (int bit = 0; bit < 5; ++bit) y = k >> bit & 1 ? sin(y) : exp(-y);
    y.eval();
  }
  session_.session().finish_kernels();
  // A run that other work of the machine holds up may look as if a kernel were worth it.
  EXPECT_LT(since(before).compiles, 8);
  EXPECT_EQ(since(before).blocks_launched, 32);
}

TEST_F(FirstCallsTest, LargeWorkCompilesFirst) {
  WEFT_NEEDS_A_COMPILER();
  // However many threads share it.
  Array x = line((int64_t{1} << 22) * std::clamp(std::thread::hardware_concurrency(), 2U, 32U));
  for (int k = 0; k < 8; ++k) x = sin(x) + cos(x * 0.5);
  const Stats before = session_.stats();
  x.eval();
  EXPECT_EQ(since(before).blocks_launched, 0);
  EXPECT_GT(since(before).kernels_launched, 0);
}

TEST_F(FirstCallsTest, AKernelThatAnotherProgramHasRunsAtOnce) {
  WEFT_NEEDS_A_COMPILER();
  session_.session().set_tier(Tier::Compile);
  (exp(line(400'000)) * 0.5).eval();
  session_.session().set_tier(Tier::Auto);
  const Array x = line(600'000);
  const Stats before = session_.stats();
  (exp(x) * 0.5).eval();
  EXPECT_EQ(since(before).blocks_launched, 0);
  EXPECT_EQ(since(before).kernels_launched, 1);
  EXPECT_EQ(since(before).compiles, 0);
}

TEST_F(FirstCallsTest, WhereBlocksTakeLessTimeThanFindingAKernelItIsFoundInAFewCalls) {
  session_.session().set_tier(Tier::Compile);
  (exp(line(400)) * 0.25).eval();
  session_.session().set_tier(Tier::Auto);
  const Array x = line(600);
  const Stats before = session_.stats();
  const std::vector<float> first = (exp(x) * 0.25).to_vector<float>();
  EXPECT_EQ(since(before).blocks_launched, 1);
  for (int k = 0; k < 8; ++k) EXPECT_EQ((exp(x) * 0.25).to_vector<float>(), first);
  session_.session().finish_kernels();
  const Stats then = session_.stats();
  EXPECT_EQ((exp(x) * 0.25).to_vector<float>(), first);
  EXPECT_EQ(since(then).blocks_launched, 0);
  EXPECT_EQ(since(before).compiles, 0) << "it was there";
}

TEST_F(FirstCallsTest, TheTierIsTheSessionsUntilItIsSet) {
  WEFT_NEEDS_A_COMPILER();
  const Session& session = session_.session();
  EXPECT_EQ(session.tier(), Tier::Auto);
  session.set_tier(Tier::Compile);
  const Array x = line(700);
  const Stats before = session_.stats();
  const std::vector<float> compiled = tanh(x).to_vector<float>();
  EXPECT_EQ(since(before).compiles, 1);
  session.set_tier(Tier::Blocks);
  const std::vector<float> in_blocks = tanh(x).to_vector<float>();
  EXPECT_EQ(since(before).compiles, 1);
  EXPECT_EQ(since(before).blocks_launched, 1) << "blocks take no kernel, even one that is there";
  EXPECT_EQ(in_blocks, compiled);
  EXPECT_EQ(message_of([] { tier_named("slow"); }), "tier: takes auto, compile or blocks: got 'slow'");
}

TEST_F(FirstCallsTest, AFunctionThatWasWarmedRunsItsKernels) {
  WEFT_NEEDS_A_COMPILER();
  const Array x = line(900);
  const Compiled f({&x, 1},
                   [](std::span<const Array> a) { return std::vector<Array>{exp(a[0]) + sqrt(a[0])}; });
  const Stats before = session_.stats();
  const std::vector<float> first = f({&x, 1})[0].to_vector<float>();
  EXPECT_EQ(since(before).blocks_launched, 1);
  f.warm();
  EXPECT_EQ(since(before).compiles, 1);
  EXPECT_EQ(f({&x, 1})[0].to_vector<float>(), first);
  EXPECT_EQ(since(before).blocks_launched, 1);
}

TEST_F(FirstCallsTest, ThreadsShareProgramsWhileTheirKernelsCome) {
  WEFT_NEEDS_A_COMPILER();
  const Array x = line(2000);
  const auto f = [&](int which) { return (which % 2 ? sin(x) : exp(x)) * (which / 2 ? sqrt(x) : x) + 1.5; };
  std::vector<std::vector<float>> expected;
  for (int k = 0; k < 4; ++k) expected.push_back(f(k).to_vector<float>());
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int k = 0; k < 40; ++k) EXPECT_EQ(f((k + t) % 4).to_vector<float>(), expected[(k + t) % 4]);
      });
  }
  session_.session().finish_kernels();
  const Stats before = session_.stats();
  for (int k = 0; k < 4; ++k) EXPECT_EQ(f(k).to_vector<float>(), expected[k]);
  EXPECT_EQ(since(before).blocks_launched, 0);
}

}  // namespace
}  // namespace weft
