// Loops and choices of the array front end.
#include "frontend/cpp/weft/loops.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "frontend/cpp/weft/weft.h"

namespace weft {
namespace {

using Arrays = std::vector<Array>;
using Given = std::span<const Array>;

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

Scanned leaky(Given carry, Given x) {
  const Array next = carry[0] * 0.5 + x[0];
  return {{next}, {next * 2}};
}

TEST(ArrayLoops, ScanGivesTheBitsOfALoop) {
  for (const int64_t width : {3, 5000}) {
    const Array init = iota({width}, 0, DType::F64),
                xs = sin(iota({width * 7}, 0, DType::F64)).reshape({7, width});
    for (const bool reverse : {false, true}) {
      const Scanned got = scan(leaky, {&init, 1}, {&xs, 1}, {{}, reverse});
      Array carry = init;
      for (int64_t k = 0; k < 7; ++k) {
        const int64_t at = reverse ? 6 - k : k;
        const Array x = xs(at);
        carry = carry * 0.5 + x;
        EXPECT_EQ(got.ys[0](at).to_vector<double>(), (carry * 2).to_vector<double>()) << at;
      }
      EXPECT_EQ(got.carry[0].to_vector<double>(), carry.to_vector<double>());
    }
  }
}

TEST(ArrayLoops, TurnsCountAndConditionsEnd) {
  const Array zero = zeros({}, DType::I64);
  const Arrays sum = fori_loop(3, 7, [](const Array& i, Given v) { return Arrays{v[0] + i}; }, {&zero, 1});
  EXPECT_EQ(sum[0].item<int64_t>(), 18);
  const Array upper = full({}, int64_t{7});
  EXPECT_EQ(fori_loop(zero, upper, [](const Array& i, Given v) { return Arrays{v[0] + i}; }, {&zero, 1})[0]
                .item<int64_t>(),
            21);
  const Array three = full({}, int64_t{3});
  const Arrays doubled = while_loop([](Given v) { return less(v[0], 100); },
                                    [](Given v) { return Arrays{v[0] * 2}; }, {&three, 1});
  EXPECT_EQ(doubled[0].item<int64_t>(), 192);
}

TEST(ArrayLoops, ChoicesRunOneBranch) {
  const Array x = iota({1000}, 0, DType::F64) + 1;
  const auto twice = [](Given v) { return Arrays{v[0] * 2}; };
  const auto less_one = [](Given v) { return Arrays{v[0] - 1}; };
  EXPECT_EQ(cond(greater(sum(x), 0), twice, less_one, {&x, 1})[0].at(9).item<double>(), 20);
  EXPECT_EQ(cond(less(sum(x), 0), twice, less_one, {&x, 1})[0].at(9).item<double>(), 9);
  const ArrayFunction branches[] = {twice, less_one};
  for (const auto& [index, want] : {std::pair<int64_t, double>{-3, 20}, {0, 20}, {1, 9}, {5, 9}})
    EXPECT_EQ(switch_to(full({}, index), branches, {&x, 1})[0].at(9).item<double>(), want) << index;
}

TEST(ArrayLoops, AreDerived) {
  const Array x = full({}, 3.0);
  const auto power = [](const Array& v) {
    return fori_loop(0, 4, [&](const Array&, Given c) { return Arrays{c[0] * v}; }, {&v, 1})[0];
  };
  EXPECT_DOUBLE_EQ(grad(power)(x).item<double>(), 5 * 81.0);
  EXPECT_DOUBLE_EQ(grad([&](const Array& v) { return grad(power)(v); })(x).item<double>(), 20 * 27.0);
  const auto many = [&](Given v) { return Arrays{power(v[0])}; };
  const Array xs = iota({5}, 0, DType::F64);
  const std::optional<int64_t> first = 0;
  EXPECT_EQ(vmap(many, {&xs, 1}, {&first, 1})[0].to_vector<double>(),
            (std::vector<double>{0, 1, 32, 243, 1024}));
}

TEST(ArrayLoops, RefuseWhatDoesNotFit) {
  const Array x = zeros({3}), y = zeros({2, 3});
  const auto keeps = [](Given c, Given) -> Scanned { return {{c[0]}, {}}; };
  EXPECT_EQ(refusal([&] { scan(keeps, {&x, 1}, {}); }),
            "scan: takes something to scan, or a length: got neither");
  EXPECT_EQ(refusal([&] { scan(keeps, {&x, 1}, {}, {-1}); }), "scan: length is not negative: got -1");
  EXPECT_EQ(refusal([&] { scan(keeps, {&x, 1}, {&y, 1}, {3}); }),
            "scan: what is scanned has one extent along its first axis, the length: got 2 for 3");
  EXPECT_EQ(refusal([&] { scan([](Given, Given) -> Scanned { return {}; }, {&x, 1}, {}, {2}); }),
            "scan: the body gives as many values as it carries: got 0 for 1");
  EXPECT_EQ(
      refusal([&] { fori_loop(0, 2, [](const Array&, Given) { return Arrays{zeros({4})}; }, {&x, 1}); }),
      "fori_loop: what is carried keeps its dtype and its shape: carried value 0 is f64(3,): got f64(4,)");
  EXPECT_EQ(refusal([&] {
              while_loop([](Given c) { return less(c[0], 1); }, [](Given c) { return Arrays{c[0]}; },
                         {&x, 1});
            }),
            "while_loop: the condition gives one bool: got bool(3,)");
  EXPECT_EQ(refusal([&] { cond(x, [](Given) { return Arrays{}; }, [](Given) { return Arrays{}; }, {}); }),
            "cond: the predicate is one bool: got f64(3,)");
  EXPECT_EQ(refusal([&] { switch_to(full({}, int64_t{0}), {}, {}); }),
            "switch: takes one branch at least: got none");
}

TEST(ArrayLoops, RunInThreads) {
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&failures, k] {
      for (int round = 0; round < 10; ++round) {
        const Array ones_of_it = ones({3000});
        const Arrays got =
            fori_loop(0, k + 3, [](const Array&, Given v) { return Arrays{v[0] * 2}; }, {&ones_of_it, 1});
        failures += got[0].at(2999).item<double>() != std::ldexp(1.0, k + 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace weft
