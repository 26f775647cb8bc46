// Functions recorded once: results, writes to arguments, captured arrays, and what they refuse.
#include <gmock/gmock.h>

#include "frontend/cpp/array/cell.h"
#include "tests/support/test_session.h"

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

TEST_P(CompiledTest, ResultsGetTheMemoryOfDonatedArgumentsThatNobodyElseHolds) {
  const size_t donated[] = {0};
  const std::vector<double> halves(1 << 17, 0.5);
  const Array given[] = {from(halves), from(halves)};
  const Compiled f(
      given, [](std::span<const Array> a) { return std::vector<Array>{a[0] * 2 + a[1]}; }, donated);
  for (const bool held : {false, true}) {
    const Array arguments[] = {from(halves), given[1]};
    const double* before = arguments[0].span<double>().data();
    const Array later = held ? arguments[0] * 3 : Array();
    const Array result = f(arguments)[0];
    EXPECT_EQ(result.span<double>().data() == before, !held);
    EXPECT_EQ(result.at(5).item<double>(), 1.5);
    EXPECT_EQ(given[1].at(5).item<double>(), 0.5);
    if (held) {
      EXPECT_EQ(later.at(5).item<double>(), 1.5);
    }
    try {
      static_cast<void>(arguments[0].at(5).item<double>());
      ADD_FAILURE() << "the argument has a value";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("donated to a compiled function has no value any more"));
    }
  }
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

TEST_P(CompiledTest, AFunctionIsRecordedForArgumentsThatShareMemoryAsTheyDo) {
  const auto adds = [](std::span<const Array> a) {
    Array(a[0]).assign(a[0] + a[1] + 1);
    return std::vector<Array>{a[1] * 2};
  };
  Array x = ones({4, 100});
  const Array apart[] = {x, ones({4, 100})}, same[] = {x, x};
  const Array halves[] = {x(Slice{0, 2}), x(Slice{2, 4})}, overlapping[] = {x(Slice{0, 2}), x(Slice{1, 3})};
  const Array moved[] = {x(Slice{1, 3}), x(Slice{2, 4})};
  const Compiled f(apart, adds), g(same, adds), h(overlapping, adds);
  EXPECT_TRUE(f.stands(apart));
  EXPECT_FALSE(f.stands(same));
  EXPECT_TRUE(g.stands(same));
  EXPECT_FALSE(g.stands(apart));
  EXPECT_TRUE(h.stands(overlapping));
  EXPECT_FALSE(h.stands(halves));
  EXPECT_FALSE(h.stands(moved));
  EXPECT_THROW(f(same), Error);
  EXPECT_THROW(h(moved), Error);
  EXPECT_THAT(x.to_vector<double>(), Each(1));
  EXPECT_THAT(g(same)[0].to_vector<double>(), Each(6));
  EXPECT_THAT(x.to_vector<double>(), Each(3));
  const Compiled parts(halves, adds);
  EXPECT_TRUE(parts.stands(halves));
  EXPECT_THAT(parts(halves)[0].to_vector<double>(), Each(6));
  EXPECT_THAT(x(1).to_vector<double>(), Each(7));
  EXPECT_THAT(x(2).to_vector<double>(), Each(3));
  const Array seen = h(overlapping)[0];
  EXPECT_THAT(x(1).to_vector<double>(), Each(11));
  EXPECT_THAT(x(0).to_vector<double>(), Each(15));
  EXPECT_THAT(seen(0).to_vector<double>(), Each(22));
  EXPECT_THAT(seen(1).to_vector<double>(), Each(6));
  const Compiled reads(same, [](std::span<const Array> a) { return std::vector<Array>{a[0] + a[1]}; });
  EXPECT_TRUE(reads.stands(same) && reads.stands(apart) && reads.stands(overlapping));
}

TEST_P(CompiledTest, AnArgumentThatIsReadFromOutsideOnceItWasWrittenIsRefused) {
  Array x = ones({300});
  const Array given[] = {x}, other[] = {ones({300})};
  const auto before = [&](std::span<const Array> a) {
    Array(a[0]).assign(a[0] + x);
    return std::vector<Array>{};
  };
  const auto after = [&](std::span<const Array> a) {
    Array(a[0]).assign(a[0] + 1);
    return std::vector<Array>{x * 2};
  };
  Compiled{given, before}(given);
  EXPECT_THAT(x.to_vector<double>(), Each(2));
  EXPECT_THROW(Compiled(given, after), Error);
  const Compiled f(other, after);
  EXPECT_TRUE(f.is_current(other));
  EXPECT_FALSE(f.is_current(given));
}

TEST_P(CompiledTest, NothingIsWrittenWhereOneArgumentCannotBe) {
  Array x = ones({300}), y = ones({300});
  const auto both = [](std::span<const Array> a) {
    Array(a[0]).assign(a[0] + 1);
    Array(a[1]).assign(a[1] + 1);
    return std::vector<Array>{};
  };
  const Array given[] = {x, y}, locked[] = {x, y.with_access(false)};
  const Compiled f(given, both);
  EXPECT_THROW(f(locked), Error);
  EXPECT_THAT(x.to_vector<double>(), Each(1));
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
  EXPECT_TRUE(f.is_current(given));
  EXPECT_EQ(f(given)[0].item<double>(), 2);
  outside.assign(outside + 1);
  EXPECT_FALSE(f.is_current(given));
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
    looks = read.late_checks().size();
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
  try {
    f(others);
    FAIL() << "other shapes are taken";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "compile: the function was recorded for (f64[3]) on cpu: got (f64[4])");
  }
}

}  // namespace
}  // namespace weft
