// grad() and its kin in C++: functions of arrays as they stand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "frontend/cpp/weft/weft.h"

namespace weft {
namespace {

using testing::HasSubstr;

Array sum_of(const Array& x) { return sum(x); }

TEST(Derivatives, OfAFunctionOfOneArray) {
  const auto slope = grad([](const Array& x) { return sum_of(sin(x)); });
  const Array x = from({0.5, 1.0});
  const std::vector<double> got = slope(x).to_vector<double>();
  EXPECT_NEAR(got[0], std::cos(0.5), 1e-15);
  EXPECT_NEAR(got[1], std::cos(1.0), 1e-15);
}

TEST(Derivatives, BySeveralArgumentsWithTheValue) {
  const auto both = value_and_grad<0, 1>([](const Array& x, const Array& y) { return sum_of(x * x * y); });
  const auto [value, grads] = both(from({1.0, 2.0}), from({3.0, 4.0}));
  EXPECT_EQ(value.item<double>(), 19);
  EXPECT_EQ(grads[0].to_vector<double>(), (std::vector<double>{6, 16}));
  EXPECT_EQ(grads[1].to_vector<double>(), (std::vector<double>{1, 4}));
}

TEST(Derivatives, GoThroughWritesToViews) {
  const auto f = [](const Array& x) {
    Array y = zeros({6});
    y(Slice{0, 6, 2}) = x;
    y(Slice{1, 6, 2}) = x * x;
    y += 1.0;
    return sum_of(y * y);
  };
  const std::vector<double> got = grad(f)(from({1.0, 2.0, 3.0})).to_vector<double>();
  for (size_t i = 0; i < 3; ++i) {
    const double x = static_cast<double>(i) + 1;
    EXPECT_NEAR(got[i], 2 * (x + 1) + 4 * x * (x * x + 1), 1e-12);
  }
}

TEST(Derivatives, LeaveTheArgumentAlone) {
  const Array x = from({1.0, 2.0});
  const auto f = [](Array y) {
    y *= 3.0;
    return sum_of(y * y);
  };
  EXPECT_EQ(grad(f)(x).to_vector<double>(), (std::vector<double>{18, 36}));
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{1, 2}));
}

TEST(Derivatives, Nest) {
  const auto cube = [](const Array& x) { return x * x * x; };
  EXPECT_EQ(grad(grad(cube))(from(std::vector<double>{5.0})(0)).item<double>(), 30);
}

TEST(Derivatives, BothModesAgree) {
  const ArrayFunction f = [](std::span<const Array> x) {
    return std::vector<Array>{tanh(x[0]) * x[1], sum(x[0])};
  };
  const std::vector<Array> at{from({0.3, -0.7}), from({2.0, 5.0})};
  const std::vector<Array> t{from({1.0, -1.0}), from({0.5, 2.0})};
  const std::vector<Array> c{from({3.0, 0.25}), from(std::vector<double>{-2.0})(0)};
  const auto [values, moved] = jvp(f, at, t);
  const Pullback back = vjp(f, at);
  const std::vector<Array> found = back.vjp(c);
  const double forward = sum(moved[0] * c[0]).item<double>() + (moved[1] * c[1]).item<double>();
  EXPECT_NEAR(forward, sum(found[0] * t[0]).item<double>() + sum(found[1] * t[1]).item<double>(), 1e-14);
  EXPECT_EQ(values[0].to_vector<double>(), back.values[0].to_vector<double>());
}

TEST(Derivatives, FollowCustomOnes) {
  const auto doubled = [](const Array& x) {
    const Array value = floor(x);
    return with_derivative(
        {&value, 1}, {&x, 1},
        {"straight_through", [](std::span<const Array> c) { return std::vector<Array>{2.0 * c[0]}; }, {}})[0];
  };
  const Array x = from({1.5, 2.5});
  EXPECT_EQ(doubled(x).to_vector<double>(), (std::vector<double>{1, 2}));
  EXPECT_EQ(grad([&](const Array& y) { return sum_of(doubled(y) * y); })(x).to_vector<double>(),
            (std::vector<double>{1 + 2 * 1.5, 2 + 2 * 2.5}));
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Derivatives, Refuse) {
  const Array x = from({1.0, 2.0});
  EXPECT_THAT(refusal([&] { grad([](const Array& y) { return y * 2.0; })(x); }),
              HasSubstr("grad: takes functions that give one real number of a float dtype: got f64(2,)"));
  EXPECT_THAT(
      refusal([&] { grad([](const Array& y) { return sum_of(y); })(from(std::vector<int64_t>{1, 2})); }),
      HasSubstr("grad: derivatives are by floats and complex numbers: got i64(2,)"));
  EXPECT_THAT(refusal([&] { grad([](const Array& y) { return sum_of(y) * y.at(0).item<double>(); })(x); }),
              HasSubstr("looks at numbers that derivatives are wanted of"));
  EXPECT_THAT(
      refusal([&] { grad([](const Array& y) { return sum_of(nextafter(y, 3.0)); })(x); }),
      HasSubstr("nextafter: it has no derivative: it steps from float to float, which is no function of real "
                "numbers: got f64(2,), at derivatives_test.cpp:"));
  const Compiled compiled({&x, 1}, [](std::span<const Array> in) { return std::vector<Array>{sum(in[0])}; });
  EXPECT_THAT(refusal([&] { grad([&](const Array& y) { return compiled({&y, 1})[0]; })(x); }),
              HasSubstr("calls of a recorded program have no derivatives"));
  // Nothing is derived any more.
  EXPECT_EQ(x.at(0).item<double>(), 1);
}

}  // namespace
}  // namespace weft
