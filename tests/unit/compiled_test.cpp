// Functions recorded once: results, writes to arguments, captured arrays, and what they refuse.
#include <gmock/gmock.h>

#include "frontend/cpp/cell.h"
#include "tests/unit/test_session.h"

namespace weft {
namespace {

using testing::Each;
using testing::ElementsAre;

class CompiledTest : public testing::TestWithParam<int> {
 protected:
  TestSession session_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Both, CompiledTest, testing::Values(0, 1 << 20),
                         [](const auto& run) { return run.param ? "interpreted" : "compiled"; });

TEST_P(CompiledTest, LaterCallsRunTheProgramOnOtherValues) {
  int recorded = 0;
  const Array scale = from({1.0, 10.0, 100.0});
  const Array given[] = {from({1.0, 2.0, 3.0})};
  const Compiled f(given, [&](std::span<const Array> x) {
    ++recorded;
    return std::vector<Array>{x[0] * scale + 1, x[0], sum(x[0])};
  });
  for (double k : {1.0, 2.0}) {
    const Array values[] = {from({k, 2 * k, 3 * k})};
    const std::vector<Array> got = f(values);
    EXPECT_THAT(got[0].to_vector<double>(), ElementsAre(k + 1, 20 * k + 1, 300 * k + 1));
    EXPECT_THAT(got[1].to_vector<double>(), ElementsAre(k, 2 * k, 3 * k));
    EXPECT_EQ(got[2].item<double>(), 6 * k);
  }
  EXPECT_EQ(recorded, 1);
}

TEST_P(CompiledTest, WritesReachTheArgumentsAndTheirViews) {
  Array x = ones({4, 100}), row = x(1);
  const Array given[] = {x};
  const Compiled f(given, [](std::span<const Array> a) {
    a[0](Slice{1, 3}).assign(a[0](Slice{0, 2}) * 2);
    return std::vector<Array>{};
  });
  EXPECT_TRUE(f(given).empty());
  EXPECT_THAT(row.to_vector<double>(), Each(2));
  f(given);
  EXPECT_THAT(x(2).to_vector<double>(), Each(4));
}

TEST_P(CompiledTest, ArgumentsThatAreWrittenStandApart) {
  Array x = ones({4, 100});
  const Array apart[] = {x, ones({4, 100})}, same[] = {x, x}, halves[] = {x(Slice{0, 2}), x(Slice{2, 4})};
  const auto adds = [](std::span<const Array> a) {
    Array(a[0]).assign(a[0] + a[1]);
    return std::vector<Array>{};
  };
  const Compiled f(apart, adds), g(halves, adds);
  EXPECT_FALSE(f.writes_shared(apart));
  EXPECT_TRUE(f.writes_shared(same));
  EXPECT_THROW(f(same), Error);
  EXPECT_THROW(g(halves), Error);
  EXPECT_THAT(x.to_vector<double>(), Each(1));
  const Compiled reads(same, [](std::span<const Array> a) { return std::vector<Array>{a[0] + a[1]}; });
  EXPECT_THAT(reads(same)[0].to_vector<double>(), Each(2));
}

TEST_P(CompiledTest, PositionsAreHeldToTheirAxisInEachCallBeforeAnythingIsWritten) {
  Array x = zeros({4});
  const Array given[] = {x, from(std::vector<int64_t>{0, 1})};
  const Compiled f(given, [](std::span<const Array> a) {
    Array(a[0]).assign(a[0] + 1);
    return std::vector<Array>{take(a[0], a[1], 0)};
  });
  EXPECT_THAT(f(given)[0].to_vector<double>(), Each(1));
  const Array beyond[] = {x, from(std::vector<int64_t>{0, 4})};
  EXPECT_THROW(f(beyond), IndexError);
  EXPECT_THAT(x.to_vector<double>(), Each(1));
}

TEST_P(CompiledTest, WhatIsReturnedAsItWasFoundHasToBeAsItWas) {
  Array outside = from({1.0, 2.0});
  const Array given[] = {zeros({2})};
  const Compiled f(given, [&](std::span<const Array>) { return std::vector<Array>{outside(Slice{1, 2})}; });
  EXPECT_TRUE(f.is_current());
  EXPECT_EQ(f(given)[0].item<double>(), 2);
  outside.assign(outside + 1);
  EXPECT_FALSE(f.is_current());
}

TEST_P(CompiledTest, PositionsThatAreUsedOftenAreLookedAtOnce) {
  const Array given[] = {zeros({4}), zeros({5}), from(std::vector<int64_t>{0, 1})};
  size_t looks = 0;
  const Compiled f(given, [&](std::span<const Array> a) {
    const detail::CellsRead read({});
    std::vector<Array> results;
    for (int k = 0; k < 10; ++k) {
      results.push_back(take(a[0], a[2], 0) + take(a[0], a[2](Slice{0, 1}), 0));
      results.push_back(take(a[1], a[2], 0));
    }
    looks = read.late_positions().size();
    return results;
  });
  EXPECT_EQ(looks, 3U);
}

TEST_P(CompiledTest, ValuesAndOtherShapesAreRefused) {
  const Array given[] = {ones({3})}, others[] = {ones({4})};
  const auto looks = [](std::span<const Array> x) {
    return std::vector<Array>{x[0].at(0).item<double>() > 0 ? x[0] : -x[0]};
  };
  EXPECT_THROW(Compiled(given, looks), Error);
  const Compiled f(given, [](std::span<const Array> x) { return std::vector<Array>{x[0] + 1}; });
  EXPECT_FALSE(f.takes(others));
  EXPECT_THROW(f(others), Error);
}

}  // namespace
}  // namespace weft
