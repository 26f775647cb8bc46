// The clock of traces: a line through two moments of the processor's counter, and no other time than the system's.
#include "runtime/steady_now.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace weft::runtime {
namespace {

TEST(TickScale, GoesThroughBothMoments) {
  const TickScale scale = TickScale::through({1'000, 5'000'000}, {60'000'001'000, 20'005'000'000});
  EXPECT_EQ(scale.ns(60'000'001'000), 20'005'000'000);
  EXPECT_NEAR(static_cast<double>(scale.ns(1'000)), 5e6, 2);
  EXPECT_NEAR(static_cast<double>(scale.ns(60'000'004'000)), 20'005'001'000, 2);
}

TEST(TickScale, IsNotKnownWhereMomentsAreNearOrTheCounterStands) {
  EXPECT_EQ(TickScale::through({0, 0}, {3'000'000, 1'000'000}).ns_per_tick, 0);
  EXPECT_EQ(TickScale::through({500, 0}, {500, 50'000'000}).ns_per_tick, 0);
  EXPECT_EQ(TickScale::through({500, 0}, {400, 50'000'000}).ns_per_tick, 0);
  EXPECT_GT(TickScale::through({500, 0}, {900, 50'000'000}).ns_per_tick, 0);
}

TEST(SteadyNow, IsTheSystemsClockWithOrWithoutTheCounter) {
  const auto clock = [] {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  for (int turn = 0; turn < 2; ++turn, read_ticks_from_now_on()) {
    const int64_t now = steady_now();
    constexpr int64_t kMinute = 60'000'000'000;
    EXPECT_LT(std::abs(now - clock()), kMinute);
    EXPECT_LE(now, steady_now());
  }
}

}  // namespace
}  // namespace weft::runtime
