// Random numbers and streams through the C++ front end; tests/python/test_random.py has the distributions.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::HasSubstr;

class RandomTest : public testing::TestWithParam<int> {
 protected:
  TestSession session_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Both, RandomTest, testing::Values(0, 1 << 20),
                         [](const auto& run) { return run.param ? "interpreted" : "compiled"; });

std::vector<double> doubles(const Array& a) { return a.astype(DType::F64).to_vector<double>(); }

TEST_P(RandomTest, ElementsDependOnTheirPositionAndKeyAlone) {
  const Array key = random::key(7);
  const std::vector<double> whole = doubles(random::uniform(key, {30, 40}));
  EXPECT_EQ(doubles(random::uniform(key, {1200})), whole);
  EXPECT_EQ(doubles(random::uniform(key, {30, 40})[Slice{3, 4}]),
            std::vector<double>(whole.begin() + 120, whole.begin() + 160));
  EXPECT_NE(doubles(random::uniform(random::key(8), {30, 40})), whole);
  EXPECT_EQ(doubles(random::uniform(Number::typed(key.only_element()), {30, 40})), whole);
}

TEST_P(RandomTest, NumbersFuseWithWhatUsesThem) {
  const Array x = from(std::vector<float>(3000, 1.0f), {30, 100});
  const Array y = exp(x + random::normal(random::key(1), x.shape(), DType::F32) * 0.1);
  if (GetParam() == 0) one_kernel(y);
  const double mean = sum(log(y)).astype(DType::F64).item<double>() / 3000;
  EXPECT_NEAR(mean, 1, 0.01);
}

TEST_P(RandomTest, SplitKeysGiveNewNumbers) {
  const Array key = random::key(3), keys = random::split(key, 3);
  const std::vector<uint64_t> split = keys.to_vector<uint64_t>(),
                              direct = random::bits(key, {3}).to_vector<uint64_t>();
  for (uint64_t one : split) EXPECT_THAT(direct, testing::Not(testing::Contains(one)));
  EXPECT_NE(random::fold_in(key, 1).item<uint64_t>(), random::fold_in(key, 2).item<uint64_t>());
  EXPECT_EQ(random::fold_in(key, 1).item<uint64_t>(), random::fold_in(key, 1).item<uint64_t>());
}

TEST_P(RandomTest, IntegersKeepToTheirBounds) {
  const Array key = random::key(5);
  const auto extremes = [&](const Number& low, const Number& high, DType dtype) {
    const Array x = random::integers(key, {5000}, low, high, dtype);
    EXPECT_EQ(x.dtype(), dtype);
    return std::pair(min(x).astype(DType::F64).item<double>(), max(x).astype(DType::F64).item<double>());
  };
  EXPECT_EQ(extremes(-2, 3, DType::I64), std::pair(-2.0, 3.0));
  EXPECT_EQ(extremes(9, 9, DType::I8), std::pair(9.0, 9.0));
  EXPECT_EQ(extremes(0, 255, DType::U8), std::pair(0.0, 255.0));
  const auto [low, high] = extremes(0, ~uint64_t{0}, DType::U64);
  EXPECT_LT(low, 0x1p56);
  EXPECT_GT(high, 0x1p64 - 0x1p56);
}

TEST_P(RandomTest, DistributionsHaveTheirMeansAndShapes) {
  const Array key = random::key(11);
  const auto mean_of = [](const Array& x) { return mean(x.astype(DType::F64)).item<double>(); };
  const Shape size = {4000};
  EXPECT_NEAR(mean_of(random::gamma(key, 2.5, 2.0, size)), 5, 0.2);
  EXPECT_NEAR(mean_of(random::gamma(key, 0.25, 1.0, size)), 0.25, 0.04);
  EXPECT_NEAR(mean_of(random::beta(key, 2.0, 3.0, size)), 0.4, 0.02);
  EXPECT_NEAR(mean_of(random::poisson(key, 3.0, size)), 3, 0.15);
  EXPECT_NEAR(mean_of(random::poisson(key, 300.0, size)), 300, 1.5);
  EXPECT_NEAR(mean_of(random::binomial(key, 100, 0.3, size)), 30, 0.4);
  EXPECT_NEAR(mean_of(random::hypergeometric(key, 300, 200, 100, size)), 60, 0.4);
  EXPECT_NEAR(mean_of(random::zipf(key, 4.0, size)), 1.1106, 0.05);
  EXPECT_NEAR(mean_of(random::vonmises(key, 0.5, 3.0, size)), 0.5, 0.06);
  EXPECT_NEAR(mean_of(random::bernoulli(key, 0.3, size)), 0.3, 0.04);
  EXPECT_EQ(random::poisson(key, 3.0, size).dtype(), DType::I64);
  EXPECT_EQ(random::gamma(key, 3.0, 1.0, size, DType::F32).dtype(), DType::F32);

  const Array rates = from(std::vector<double>{1, 20, 300}, {3});
  const Array events = random::poisson(key, rates.reshape({3, 1}), Shape{3, 2000});
  EXPECT_NEAR(mean_of(events[2]), 300, 2);
  EXPECT_EQ(random::poisson(key, rates).shape(), (Shape{3}));
  if (GetParam() == 0) one_kernel(events * 2);
}

TEST_P(RandomTest, VectorsOfCountsAddUp) {
  const Array key = random::key(12);
  const Array counts = random::multinomial(key, 20, {0.2, 0.3, 0.5}, Shape{500});
  EXPECT_EQ(counts.shape(), (Shape{500, 3}));
  EXPECT_EQ(min(sum(counts, -1)).item<int64_t>(), 20);
  EXPECT_EQ(max(sum(counts, -1)).item<int64_t>(), 20);
  const Array colors = random::multivariate_hypergeometric(key, {5, 0, 7}, 12);
  EXPECT_EQ(colors.to_vector<int64_t>(), (std::vector<int64_t>{5, 0, 7}));
  const Array parts = random::dirichlet(key, from(std::vector<double>{1, 2, 3}, {3}), {400});
  EXPECT_EQ(parts.shape(), (Shape{400, 3}));
  EXPECT_NEAR(sum(parts).item<double>(), 400, 1e-9);
}

TEST_P(RandomTest, SaysWhatIsWrong) {
  const Array key = random::key(5);
  EXPECT_THAT(message_of([] { random::bits(zeros({2}), {3}); }), HasSubstr("bits: the key must be one u64"));
  EXPECT_THAT(message_of<TypeError>([&] { random::uniform(key, {3}, DType::I32); }),
              HasSubstr("uniform: draws floats: got i32"));
  EXPECT_THAT(message_of<TypeError>([&] { random::bits(key, {3}, DType::I32); }),
              HasSubstr("bits: draws unsigned integers: got i32"));
  EXPECT_THAT(message_of([&] { random::integers(key, {3}, 4, 3); }),
              HasSubstr("integers: low must not exceed high: got 4 and 3"));
  EXPECT_THAT(message_of<OverflowError>([&] { random::integers(key, {3}, 0, 256, DType::U8); }),
              HasSubstr("integers"));
  EXPECT_THAT(message_of([&] { random::split(key, -1); }), HasSubstr("split: the count"));
  EXPECT_THAT(message_of([&] { random::poisson(key, -1.0); }),
              HasSubstr("poisson: lam is from 0.0 to 1e+15: got -1.0"));
  EXPECT_THAT(message_of([&] { random::gamma(key, 1.0, -2.0); }),
              HasSubstr("gamma: scale is 0.0 or more: got"));
  EXPECT_THAT(message_of([&] { random::hypergeometric(key, 1, 2, 4); }),
              HasSubstr("hypergeometric: nsample is at most ngood + nbad: got 4 of 1 + 2"));
  EXPECT_THAT(
      message_of([&] { random::beta(key, zeros({2, 3}), 1.0, Shape{3}); }),
      HasSubstr("beta: the parameters' shapes must broadcast to the size (3,): got parameters of (2, 3)"));
  EXPECT_THAT(message_of([&] { random::multinomial(key, 5, {0.7, 0.7, 0.0}); }),
              HasSubstr("multinomial: pvals are probabilities"));
}

std::vector<int64_t> whole(const Array& a) { return a.to_vector<int64_t>(); }

TEST_P(RandomTest, PermutationsPutTheKeysBitsInOrder) {
  const Array key = random::key(4);
  const Array order = random::permutation(key, 1000);
  const std::vector<uint64_t> words = take(random::bits(key, {1000}), order).to_vector<uint64_t>();
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  std::vector<int64_t> sorted = whole(order), all(1000);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  const Array x = arange(12).reshape({3, 4});
  EXPECT_EQ(whole(random::permutation(key, x)), whole(take(x, random::permutation(key, 3), 0)));
  EXPECT_EQ(whole(random::permutation(key, x, -1)), whole(take(x, random::permutation(key, 4), 1)));
  EXPECT_EQ(whole(random::permutation(key, 0)), std::vector<int64_t>());
  EXPECT_EQ(random::permutation(key, x(1, 2)).item<int64_t>(), 6);
}

TEST_P(RandomTest, ShufflesAreSeenByEveryViewOfTheMemory) {
  const Array key = random::key(4);
  const Array x = arange(20), view = x.reshape({4, 5});
  random::shuffle(key, view, 1);
  EXPECT_EQ(whole(x), whole(take(arange(20).reshape({4, 5}), random::permutation(key, 5), 1)));
  EXPECT_THAT(message_of([&] { random::shuffle(key, broadcast_to(x, {2, 20})); }),
              HasSubstr("shuffle: cannot write to a read-only view"));
  EXPECT_THAT(message_of([&] { random::shuffle(key, x, 1); }), HasSubstr("axis"));
}

TEST_P(RandomTest, ChoicesAreDrawnByTheirProbabilities) {
  const Array key = random::key(9);
  EXPECT_EQ(whole(random::choice(key, 5, {3, 4})), whole(random::integers(key, {3, 4}, 0, 4)));
  EXPECT_EQ(whole(random::choice(key, 50, {2, 3}, {.replace = false})),
            whole(random::permutation(key, 50)[Slice{0, 6}]));
  const Array p = from({0.25, 0.0, 0.75});
  const std::vector<double> uniform = doubles(random::uniform(key, {4000}));
  const std::vector<int64_t> drawn = whole(random::choice(key, 3, {4000}, {.p = p}));
  for (size_t i = 0; i < drawn.size(); ++i) ASSERT_EQ(drawn[i], uniform[i] < 0.25 ? 0 : 2) << uniform[i];
  std::vector<int64_t> first;
  for (int64_t k = 0; k < 500; ++k) {
    const Array two = random::choice(random::fold_in(key, k), 3, {2}, {.replace = false, .p = p});
    first.push_back(two.at(0).item<int64_t>());
    EXPECT_EQ(sum(two).item<int64_t>(), 2) << "0 and 2";
  }
  EXPECT_NEAR(static_cast<double>(std::count(first.begin(), first.end(), 2)), 375, 40);
  const Array rows = arange(6).reshape({2, 3});
  EXPECT_EQ(whole(random::choice(key, rows, {4}, {}, 1)), whole(take(rows, random::choice(key, 3, {4}), 1)));
}

TEST_P(RandomTest, ChoicesThatCannotBeMadeAreErrors) {
  const auto error = [](int64_t count, const Shape& shape, const random::Choice& how) {
    return message_of([&] { random::choice(1, count, shape, how); });
  };
  EXPECT_EQ(error(0, {1}, {}), "choice: cannot draw from nothing");
  EXPECT_EQ(error(-1, {1}, {}), "choice: the count must not be negative: got -1");
  EXPECT_EQ(error(3, {4}, {.replace = false}), "choice: cannot draw 4 of 3 elements without replacement");
  EXPECT_EQ(error(3, {2}, {.p = from({1.0})}),
            "choice: needs one probability for each of 3 elements: got shape (1,)");
  EXPECT_EQ(error(2, {2}, {.p = from({0.5, 0.75})}),
            "choice: probabilities are not negative and sum to 1: got a sum of 1.250000");
  EXPECT_EQ(error(3, {2}, {.p = from({-1.0, 1.0, 1.0})}),
            "choice: probabilities are not negative and sum to 1: got a negative one");
  EXPECT_EQ(error(2, {2}, {.p = from({0.0, std::nan("")})}),
            "choice: probabilities are not negative and sum to 1: got a sum of nan");
  EXPECT_EQ(error(2, {2}, {.replace = false, .p = from({0.0, 1.0})}),
            "choice: fewer than 2 elements have a probability above 0: got 1");
  EXPECT_EQ(whole(random::choice(1, 0, {0, 3})), std::vector<int64_t>());
}

TEST_P(RandomTest, StreamsOfTheCpuTakeWorkAtOnce) {
  const Stream stream("cpu"), other("cpu");
  const Event start = stream.record();
  Array y;
  {
    const StreamScope scope(stream);
    const StreamScope inner(other);
    y = (arange(1000, DType::F64) + 1.0).eval();
  }
  other.wait(stream.record());
  stream.synchronize();
  EXPECT_TRUE(stream.done());
  EXPECT_EQ(stream.handle(), 0u);
  EXPECT_EQ(stream.device(), "cpu");
  EXPECT_GE(stream.record().milliseconds_since(start), 0);
  EXPECT_EQ(y.at(7).item<double>(), 8);
  EXPECT_THAT(message_of([] { pinned(10, "cpu"); }), HasSubstr("page-locked memory is for copies"));
}

TEST_P(RandomTest, CopiesThatAreStartedAndMemoryOfOnesOwn) {
  std::vector<double> data(3000);
  std::iota(data.begin(), data.end(), 0.0);
  const Array x = start_from(data.data(), DType::F64, {30, 100}, "cpu");
  std::vector<double> back(3000);
  start_copy_to(x.T(), back.data());
  EXPECT_EQ(back[1], 100);
  const Array own = duplicate(x[Slice{1, 3}]);
  EXPECT_NE(lend(own).data, lend(x[Slice{1, 3}]).data);
  EXPECT_EQ(doubles(own), std::vector<double>(data.begin() + 100, data.begin() + 300));
}

}  // namespace
}  // namespace weft
