// Transforms beside sums in long double, along each axis, and as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <numbers>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Complex = std::complex<double>;

class Fft : public testing::Test {
 protected:
  TestSession session_{1 << 20};
};

std::vector<Complex> sums(const std::vector<Complex>& x, int sign) {
  const auto n = static_cast<long double>(x.size());
  std::vector<Complex> all;
  for (size_t k = 0; k < x.size(); ++k) {
    std::complex<long double> sum = 0;
    for (size_t j = 0; j < x.size(); ++j) {
      const long double turns = static_cast<long double>(j * k % x.size()) / n;
      sum += std::complex<long double>(x[j]) *
             std::polar(1.0L, static_cast<long double>(sign) * 2 * std::numbers::pi_v<long double> * turns);
    }
    all.emplace_back(sum);
  }
  return all;
}

std::vector<Complex> drawn(size_t count) {
  std::vector<Complex> values;
  for (size_t i = 0; i < count; ++i)
    values.emplace_back(std::sin(static_cast<double>(3 * i + 1)), std::cos(static_cast<double>(i * i)));
  return values;
}

void expect_near(const std::vector<Complex>& got, const std::vector<Complex>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(std::abs(got[i] - expected[i]), 0, 1e-12) << i;
}

TEST_F(Fft, GivesTheSums) {
  for (const size_t n : {1, 2, 3, 7, 16, 45, 61}) {
    const std::vector<Complex> x = drawn(n);
    const Array a = from(x, {static_cast<int64_t>(n)});
    expect_near(fft::fft(a).to_vector<Complex>(), sums(x, -1));
    expect_near(fft::ifft(fft::fft(a)).to_vector<Complex>(), x);
    expect_near(fft::ifft(a, {.norm = fft::Norm::Forward}).to_vector<Complex>(), sums(x, 1));
  }
}

TEST_F(Fft, HalvesWhatIsReal) {
  const Array x = from(std::vector<double>{1, 2, 4, 8, 16}, {5});
  const Array half = fft::rfft(x);
  EXPECT_EQ(half.shape(), Shape({3}));
  expect_near(half.to_vector<Complex>(), fft::fft(x)(Slice{0, 3}).to_vector<Complex>());
  const std::vector<double> back = fft::irfft(half, {.n = 5}).to_vector<double>();
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(back[i], std::ldexp(1.0, static_cast<int>(i)), 1e-14);
  EXPECT_EQ(fft::rfft(x.astype(DType::F32)).dtype(), DType::C64);
  EXPECT_EQ(fft::irfft(half).shape(), Shape({4}));
  EXPECT_NEAR(fft::hfft(fft::ihfft(x), {.n = 5}).to_vector<double>()[4], 16, 1e-13);
}

TEST_F(Fft, TakesEveryAxisAndView) {
  const Array x = from(drawn(60), {3, 4, 5});
  const Array along = fft::fft(x, {.axis = 1});
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t k = 0; k < 5; ++k)
      expect_near(along(i, Slice{}, k).to_vector<Complex>(),
                  sums(x(i, Slice{}, k).copy().to_vector<Complex>(), -1));
  const Array turned = flip(x, Dims{2}).T();
  expect_near(fft::fft(turned).to_vector<Complex>(), fft::fft(turned.copy()).to_vector<Complex>());
  const Array all = fft::fftn(x), twice = fft::fft(fft::fft(fft::fft(x), {.axis = 1}), {.axis = 0});
  expect_near(all.to_vector<Complex>(), twice.to_vector<Complex>());
  expect_near(
      fft::irfftn(fft::rfftn(real(x)), {.shape = Shape{3, 4, 5}}).astype(DType::C128).to_vector<Complex>(),
      real(x).astype(DType::C128).to_vector<Complex>());
}

TEST_F(Fft, CutsAndFills) {
  const Array x = from(drawn(6), {6});
  expect_near(fft::fft(x, {.n = 4}).to_vector<Complex>(),
              fft::fft(x(Slice{0, 4}).copy()).to_vector<Complex>());
  expect_near(fft::fft(x, {.n = 9}).to_vector<Complex>(), fft::fft(pad(x, {{0, 3}})).to_vector<Complex>());
  EXPECT_EQ(fft::fft(zeros({0, 4})).shape(), Shape({0, 4}));
}

TEST_F(Fft, SaysWhatIsWrong) {
  EXPECT_THAT([] { fft::fft(zeros({3, 0})); },
              ThrowsMessage<Error>(
                  HasSubstr("fft: transforms one element at least: got 0 along axis 1 of shape (3, 0)")));
  EXPECT_THAT([] { fft::fft(full({}, 1.0)); }, ThrowsMessage<Error>(HasSubstr("fft: needs an axis")));
  EXPECT_THAT([] { fft::rfft(zeros({3}, DType::C128)); },
              ThrowsMessage<TypeError>(HasSubstr("rfft: takes real numbers: got c128")));
  EXPECT_THAT([] { fft::fftn(zeros({3}), {.shape = Shape{2}, .axes = Dims{0, 0}}); },
              ThrowsMessage<Error>(HasSubstr("fftn: takes as many axes as the shape has")));
}

TEST_F(Fft, FrequenciesAndTheirOrder) {
  EXPECT_THAT(fft::fftfreq(5, 0.1).to_vector<double>(), ElementsAre(0, 2, 4, -4, -2));
  EXPECT_THAT(fft::rfftfreq(4).to_vector<double>(), ElementsAre(0, 0.25, 0.5));
  EXPECT_THAT(fft::fftshift(fft::fftfreq(4)).to_vector<double>(), ElementsAre(-0.5, -0.25, 0, 0.25));
  EXPECT_THAT(fft::ifftshift(fft::fftshift(arange(5))).to_vector<int64_t>(), ElementsAre(0, 1, 2, 3, 4));
}

// Graphs that are dumped can be read again.
const std::string kText =
    R"(kernel fourier_f64(c128[2, 8] x0) -> (c128[2, 8] r0), range=2, grain=2048, library=[0, 8, 1, 1, 4607182418800017408]

graph {
  %x = input "x" : c128[2, 8]
  %0 = kernel %x, function=fourier_f64, result=0 : c128[2, 8]
  return %0
}
)";

TEST(FftText, NamesTheFunctionOfTheLibrary) {
  EXPECT_EQ(ir::print(ir::parse(kText)), kText);
  std::string other = kText;
  for (size_t at = 0; (at = other.find("fourier_f64", at)) != std::string::npos;)
    other.replace(at, 11, "fourier_f16");
  EXPECT_THAT([&] { ir::parse(other); },
              ThrowsMessage<Error>(HasSubstr("the library has no function fourier_f16")));
}

// What would read or write outside of the arrays, as text of strangers may.
TEST(FftText, IsHeldToItsShapes) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kText;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const auto& [from, to, rule] : std::vector<std::array<std::string, 3>>{
           {"[0, 8, 1", "[0, 9, 1",
            "a range of 2 with n 9, apart 1 and pieces 1 does not make c128[2, 8] of c128[2, 8]"},
           {"[0, 8, 1, 1", "[0, 8, 2, 1", "n 8, apart 2 and pieces 1 does not make"},
           {"[0, 8, 1, 1", "[0, 8, 2, 0", "pieces 0 does not make"},
           {"[0, 8, 1, 1", "[0, 8, 9223372036854775807, 576460752303423488", "does not make"},
           {"[0, 8, 1, 1", "[0, 9223372036854775807, 1, 1", "does not make"},
           {"[0, 8, 1, 1", "[0, 0, 1, 1", "does not make"},
           {"range=2,", "range=3,", "a range of 3 with"},
           {"range=2,", "range=0,", "a range of 0 with"},
           {"grain=2048", "grain=0", "a grain is 1 at least: got 0"},
           {"[0, 8", "[4, 8", "the kind of a transform is 0 to 3: got 4"},
           {"[0, 8", "[2, 8", "does not make c128 of c128"},
           {"1, 4607182418800017408]", "1]",
            "takes one array and the numbers [kind, n, apart, pieces, factor]"},
           {"-> (c128[2, 8] r0)", "-> (c128[2, 7] r0)", "does not make c128[2, 7] of c128[2, 8]"},
           {"-> (c128[2, 8] r0)", "-> (c64[2, 8] r0)", "does not make c64 of c128"},
       })
    EXPECT_THAT([&] { ir::parse(with(from, to)); }, ThrowsMessage<Error>(HasSubstr(rule))) << from << to;
}

}  // namespace
}  // namespace weft
