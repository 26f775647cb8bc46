// What takes special hardware: arrays on two GPUs at once, and arrays whose indices pass 32 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "tests/support/test_session.h"

namespace weft {
namespace {

std::vector<float> numbers(int64_t n, float from) {
  std::vector<float> out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = from + static_cast<float>(i % 97) / 32;
  return out;
}

class TwoGpus : public testing::Test {
 protected:
  void SetUp() override {
    const auto names = Session::current().device_names();
    if (std::ranges::count(names, "cuda:1") == 0)
      GTEST_SKIP() << "fewer than two GPUs: " << Session::current().no_cuda_because();
  }
  TestSession session_;
};

TEST_F(TwoGpus, ComputeWhereTheirArraysLie) {
  const std::vector<float> x = numbers(100'003, 1);
  Array a = from(x, {100'003}, "cuda:0"), b = from(x, {100'003}, "cuda:1");
  Array y = exp(a) - a, z = sqrt(b) * 2.0f, s = sum(b * b);
  EXPECT_EQ(y.device(), "cuda:0");
  EXPECT_EQ(z.device(), "cuda:1");
  EXPECT_EQ(s.device(), "cuda:1");
  double squares = 0;
  for (float v : x) squares += static_cast<double>(v) * v;
  EXPECT_NEAR(s.item<float>(), squares, squares * 1e-6);
  const std::vector<float> got_y = y.to_vector<float>(), got_z = z.to_vector<float>();
  for (size_t i = 0; i < x.size(); i += 977) {
    EXPECT_NEAR(got_y[i], std::exp(x[i]) - x[i], 1e-5 * std::exp(x[i])) << i;
    EXPECT_NEAR(got_z[i], 2 * std::sqrt(x[i]), 1e-5) << i;
  }
}

TEST_F(TwoGpus, CopyFromOneToTheOther) {
  const std::vector<float> x = numbers(1'000'001, -2);
  Array there = from(x, {1'000'001}, "cuda:0");
  Array pending = there * 3.0f;  // is computed before it is copied
  Array here = pending.to("cuda:1");
  EXPECT_EQ(here.device(), "cuda:1");
  Array back = (here + 1.0f).to("cuda:0");
  EXPECT_EQ(back.device(), "cuda:0");
  EXPECT_TRUE(all(back == there * 3.0f + 1.0f).item<bool>());
  EXPECT_EQ(here.to("cpu").to_vector<float>(), pending.to_vector<float>());
}

TEST_F(TwoGpus, ArraysOfBothInOneOperationAreRefused) {
  Array a = from(numbers(10, 0), {10}, "cuda:0"), b = from(numbers(10, 0), {10}, "cuda:1");
  const std::string message = message_of([&] { (a + b).eval(); });
  EXPECT_NE(message.find("cuda:0"), std::string::npos) << message;
  EXPECT_NE(message.find("cuda:1"), std::string::npos) << message;
}

TEST_F(TwoGpus, EachMultipliesMatrices) {
  for (const char* device : {"cuda:0", "cuda:1"}) {
    Array a = from(numbers(300 * 200, 0), {300, 200}, device),
          b = from(numbers(200 * 100, 1), {200, 100}, device);
    Array product = matmul(a, b) + 1.0f;
    EXPECT_EQ(product.device(), device);
    Array want = matmul(a.to("cpu"), b.to("cpu")) + 1.0f;
    Array difference = max(abs(product.to("cpu") - want) / abs(want));
    EXPECT_LT(difference.item<float>(), 1e-5f) << device;
  }
}

TEST_F(TwoGpus, ServeThreadsOfTheirOwnAndOfEachOther) {
  std::vector<std::string> failures(4);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        try {
          for (int round = 0; round < 20; ++round) {
            const std::string device = (t + (t > 1 ? round : 0)) % 2 ? "cuda:1" : "cuda:0";
            const int64_t n = 5000 + 100 * t + round;
            Array x = from(numbers(n, static_cast<float>(t)), {n}, device);
            const auto got = sum(x - static_cast<float>(t)).item<float>();
            double want = 0;
            for (float v : numbers(n, 0)) want += v;
            if (std::abs(got - want) > want * 1e-4)
              failures[static_cast<size_t>(t)] = "a wrong sum on " + device;
          }
        } catch (const std::exception& e) {
          failures[static_cast<size_t>(t)] = e.what();
        }
      });
  }
  for (auto& failure : failures) EXPECT_EQ(failure, "");
}

// Elements are numbered beyond 2^31.
class Huge : public testing::Test {
 protected:
  void SetUp() override {
    const auto names = Session::current().device_names();
    if (std::ranges::count(names, "cuda:0") == 0)
      GTEST_SKIP() << "no GPU: " << Session::current().no_cuda_because();
    if (Session::current().device("cuda:0").memory_bytes < size_t{40} << 30)
      GTEST_SKIP() << "the GPU has less than 40 GiB of memory";
  }
  static constexpr int64_t kCount = (int64_t{1} << 31) + 12'347;
  TestSession session_;
};

TEST_F(Huge, ElementwiseAndReductions) {
  const Make on(DType::I64, "cuda:0");
  Array x = remainder(arange(kCount, on), 101).astype(DType::I8);
  x.eval();
  EXPECT_EQ(x.at(kCount - 1).item<int8_t>(), (kCount - 1) % 101);
  EXPECT_EQ(x.at(int64_t{1} << 31).item<int8_t>(), (int64_t{1} << 31) % 101);
  const int64_t whole = kCount / 101, rest = kCount % 101;
  EXPECT_EQ(sum(x).item<int64_t>(), whole * 5050 + rest * (rest - 1) / 2);
  EXPECT_EQ(max(x).item<int8_t>(), 100);
  Array at_end = x == static_cast<int8_t>((kCount - 1) % 101);
  EXPECT_EQ(count_nonzero(at_end).item<int64_t>(), whole + 1);
  // Differences of neighbours, which begin off the vectors' places.
  Array step = x[Slice{1}] - x[Slice{0, -1}];
  step.eval();
  EXPECT_EQ(step.at(kCount - 2).item<int8_t>(), 1);
  EXPECT_EQ(sum(step).item<int64_t>(), (kCount - 1) % 101);
}

TEST_F(Huge, RowsAndColumns) {
  constexpr int64_t kRows = 3, kColumns = (int64_t{1} << 30) + 64;
  Array x = (iota({kRows, kColumns}, 1, Make(DType::I64, "cuda:0")) % 7 == 3);
  x.eval();
  Array rows = sum(x, 1), columns = sum(x, 0);
  const int64_t each = kColumns / 7 + (kColumns % 7 > 3);
  EXPECT_EQ(rows.to_vector<int64_t>(), std::vector<int64_t>(kRows, each));
  EXPECT_EQ(max(columns).item<int64_t>(), kRows);
  EXPECT_EQ(sum(columns).item<int64_t>(), kRows * each);
  Array turned = x.T();
  EXPECT_EQ(sum(turned, 0).to_vector<int64_t>(), std::vector<int64_t>(kRows, each));
}

}  // namespace
}  // namespace weft
