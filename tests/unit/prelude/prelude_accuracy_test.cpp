// Every function of the CPU prelude for real floats against a wider reference, in ulp: all special values,
// all exponents, a sweep over the bit patterns of f32, random f64, and the ranges where the functions change
// method.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/unit/prelude/prelude_accuracy_table.h"

struct PreludeEntry {
  const char* name;
  void (*f32)(const float*, const float*, const float*, float*, long);
  void (*f64)(const double*, const double*, const double*, double*, long);
};
extern "C" const PreludeEntry prelude_entries[];

namespace weft::test {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
// glibc's double functions are within 2^-28 ulp of f32, its long double functions within 2^-8 ulp of f64.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

// f(x) in 160 bits.
template <class W, class F>
W with_mpfr(W x, F f) {
  mpfr_t v;
  mpfr_init2(v, 160);
  mpfr_set_ld(v, static_cast<long double>(x), MPFR_RNDN);
  f(v);
  const long double r = mpfr_get_ld(v, MPFR_RNDN);
  mpfr_clear(v);
  return static_cast<W>(r);
}

// x Phi(x); erfc of -x / sqrt 2 to first order in the rounding error of that argument.
template <class W>
W gelu(W x) {
  if (x == -kInf<W>) return W(-0.0);
  if (!std::isfinite(x)) return x;
  const W root = W(0.70710678118654752440084436210484903928L);
  const W error = std::fma(-root, root, W(0.5)) / (2 * root);  // of root itself
  const W t = -x * root;
  const W dt = std::fma(-x, root, -t) - x * error;
  const W slope = W(-1.12837916709551257389615890312154517L) * std::exp(-t * t);
  return x * (W(0.5) * (std::erfc(t) + slope * dt));
}

template <class W>
W gelu_tanh(W x) {
  if (!std::isfinite(x)) return x == -kInf<W> ? W(-0.0) : x;
  if (std::is_same_v<W, double> || x > -1)
    return x / (1 + std::exp(W(-2 * 0.79788456080286535588L) * (x + W(0.044715) * x * x * x)));
  return with_mpfr(x, [](mpfr_t v) {
    mpfr_t t, c;
    mpfr_inits2(160, t, c, nullptr);
    mpfr_sqr(t, v, MPFR_RNDN);
    mpfr_set_str(c, "0.044715", 10, MPFR_RNDN);
    mpfr_mul(t, t, c, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_mul(t, t, v, MPFR_RNDN);
    mpfr_const_pi(c, MPFR_RNDN);
    mpfr_ui_div(c, 8, c, MPFR_RNDN);
    mpfr_sqrt(c, c, MPFR_RNDN);
    mpfr_mul(t, t, c, MPFR_RNDN);
    mpfr_neg(t, t, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_div(v, v, t, MPFR_RNDN);
    mpfr_clears(t, c, nullptr);
  });
}

// NumPy's npy_divmod: the remainder with the divisor's sign, and the floored quotient that belongs to it;
// with infinite operands the plain quotient, as the Array API standard has it.
template <class T>
T remainder(T a, T b) {
  T mod = std::fmod(a, b);
  if (b == 0 || std::isnan(mod)) return kNan<T>;
  if (mod == 0) return std::copysign(T(0), b);
  return (b < 0) != (mod < 0) ? mod + b : mod;
}

template <class T>
T floor_divide(T a, T b) {
  if (b == 0 || std::isinf(a) || std::isinf(b)) return a / b;
  const T mod = std::fmod(a, b);
  T div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
  if (div == 0) return std::copysign(T(0), a / b);
  const T floored = std::floor(div);
  return div - floored > T(0.5) ? floored + 1 : floored;
}

template <class W>
W logaddexp(W a, W b) {
  if (std::isnan(a) || std::isnan(b)) return kNan<W>;
  if (a == b) return a + std::log(W(2));
  return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}

template <class T>
std::map<std::string, Wide<T> (*)(Wide<T>, Wide<T>, Wide<T>)> references() {
  using W = Wide<T>;
  return {
      {"acos", [](W x, W, W) { return std::acos(x); }},
      {"acosh", [](W x, W, W) { return std::acosh(x); }},
      {"asin", [](W x, W, W) { return std::asin(x); }},
      {"asinh", [](W x, W, W) { return std::asinh(x); }},
      {"atan", [](W x, W, W) { return std::atan(x); }},
      {"atan2", [](W x, W y, W) { return std::atan2(x, y); }},
      {"atanh", [](W x, W, W) { return std::atanh(x); }},
      {"cbrt", [](W x, W, W) { return std::cbrt(x); }},
      {"ceil", [](W x, W, W) { return std::ceil(x); }},
      {"copysign", [](W x, W y, W) { return std::copysign(x, y); }},
      {"cos", [](W x, W, W) { return std::cos(x); }},
      {"cosh", [](W x, W, W) { return std::cosh(x); }},
      {"erf", [](W x, W, W) { return std::erf(x); }},
      {"erfc", [](W x, W, W) { return std::erfc(x); }},
      {"exp", [](W x, W, W) { return std::exp(x); }},
      {"exp2", [](W x, W, W) { return std::exp2(x); }},
      {"expm1", [](W x, W, W) { return std::expm1(x); }},
      {"floor", [](W x, W, W) { return std::floor(x); }},
      {"floor_divide", [](W x, W y, W) { return W(floor_divide(T(x), T(y))); }},
      {"fma", [](W x, W y, W z) { return W(std::fma(T(x), T(y), T(z))); }},
      {"fmod", [](W x, W y, W) { return W(std::fmod(T(x), T(y))); }},
      {"gelu", [](W x, W, W) { return gelu(x); }},
      {"gelu_tanh", [](W x, W, W) { return gelu_tanh(x); }},
      {"hypot", [](W x, W y, W) { return std::hypot(x, y); }},
      {"lgamma", [](W x, W, W) { return std::lgamma(x); }},
      {"log", [](W x, W, W) { return std::log(x); }},
      {"log10", [](W x, W, W) { return std::log10(x); }},
      {"log1p", [](W x, W, W) { return std::log1p(x); }},
      {"log2", [](W x, W, W) { return std::log2(x); }},
      {"logaddexp", [](W x, W y, W) { return logaddexp(x, y); }},
      {"nextafter", [](W x, W y, W) { return W(std::nextafter(T(x), T(y))); }},
      {"pow", [](W x, W y, W) { return std::pow(x, y); }},
      {"reciprocal", [](W x, W, W) { return 1 / x; }},
      {"remainder", [](W x, W y, W) { return W(remainder(T(x), T(y))); }},
      {"round", [](W x, W, W) { return std::nearbyint(x); }},
      {"rsqrt", [](W x, W, W) { return 1 / std::sqrt(x); }},
      {"sigmoid", [](W x, W, W) { return 1 / (1 + std::exp(-x)); }},
      {"sign", [](W x, W, W) { return std::isnan(x) ? x : W((x > 0) - (x < 0)); }},
      {"sin", [](W x, W, W) { return std::sin(x); }},
      {"sinh", [](W x, W, W) { return std::sinh(x); }},
      {"softplus", [](W x, W, W) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }},
      {"sqrt", [](W x, W, W) { return std::sqrt(x); }},
      {"tan", [](W x, W, W) { return std::tan(x); }},
      {"tanh", [](W x, W, W) { return std::tanh(x); }},
      {"trunc", [](W x, W, W) { return std::trunc(x); }},
  };
}

// The distance in ulp of T at the exact value (or at `scale`, where larger); infinite when NaN, infinity or
// the sign of a zero is wrong. An infinity stands for the first power of two that T does not hold.
template <class T>
double ulps(T got, Wide<T> exact, Wide<T> scale) {
  using W = Wide<T>;
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : kInf<double>;
  if (std::isinf(exact)) return exact == W(got) ? 0 : kInf<double>;
  const W magnitude = std::fmax(std::fabs(exact), scale);
  if (std::signbit(got) != std::signbit(exact) && magnitude == std::fabs(exact)) return kInf<double>;
  const W top = std::ldexp(W(1), Limits::max_exponent);
  W value = std::isinf(got) ? std::copysign(top, W(got)) : W(got);
  if (std::fabs(exact) >= top) return std::isinf(got) ? 0 : kInf<double>;
  int exponent = Limits::min_exponent;
  if (magnitude > 0) std::frexp(magnitude, &exponent);
  exponent = std::max(exponent, static_cast<int>(Limits::min_exponent));
  return static_cast<double>(std::fabs(value - exact) / std::ldexp(W(1), exponent - Limits::digits));
}

template <class T>
const PreludeEntry& entry_of(const std::string& name) {
  const PreludeEntry* entry = prelude_entries;
  while (name != entry->name) ++entry;
  return *entry;
}

// Runs one function over inputs and keeps its worst error.
template <class T>
class Checker {
 public:
  explicit Checker(const Accuracy& row)
      : row_(row), bound_(sizeof(T) == 4 ? row.f32 : row.f64), reference_(references<T>().at(row.name)) {
    const PreludeEntry& entry = entry_of<T>(row.name);
    if constexpr (sizeof(T) == 4)
      function_ = entry.f32;
    else
      function_ = entry.f64;
  }

  void add(T a, T b = 1, T c = 1) {
    a_.push_back(a);
    b_.push_back(b);
    c_.push_back(c);
    if (a_.size() == kBatch) flush();
  }

  void finish() {
    while (!a_.empty()) add(1);
    RecordProperty();
  }

 private:
  static constexpr size_t kBatch = 4096;

  void flush() {
    std::vector<T> out(kBatch);
    function_(a_.data(), b_.data(), c_.data(), out.data(), kBatch);
    for (size_t i = 0; i < kBatch; ++i) {
      const Wide<T> exact = reference_(a_[i], b_[i], c_[i]);
      Wide<T> scale = 0;
      if (std::strcmp(row_.name, "lgamma") == 0 && !(a_[i] > 0))
        scale = std::fmax(Wide<T>(1), std::isfinite(exact) ? std::lgamma(std::fabs(Wide<T>(a_[i]))) : 1);
      if (std::strcmp(row_.name, "logaddexp") == 0 && std::isfinite(a_[i]) && std::isfinite(b_[i]))
        scale = std::fmax(std::fabs(a_[i]), std::fabs(b_[i]));
      const double error = ulps<T>(out[i], exact, scale);
      if (error > worst_) {
        worst_ = error;
        if (error > bound_ && failures_++ < 4)
          ADD_FAILURE() << row_.name << "(" << std::hexfloat << a_[i] << ", " << b_[i] << ") = " << out[i]
                        << " against " << static_cast<double>(exact) << ": " << std::defaultfloat << error
                        << " ulp, the bound is " << bound_;
      }
    }
    a_.clear();
    b_.clear();
    c_.clear();
  }

  void RecordProperty() { testing::Test::RecordProperty("worst_ulp", std::to_string(worst_)); }

  const Accuracy& row_;
  double bound_;
  Wide<T> (*reference_)(Wide<T>, Wide<T>, Wide<T>);
  void (*function_)(const T*, const T*, const T*, T*, long) = nullptr;
  std::vector<T> a_, b_, c_;
  double worst_ = -1;
  int failures_ = 0;
};

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           kInf<T>,
                           kNan<T>,
                           Limits::denorm_min(),
                           3 * Limits::denorm_min(),
                           Limits::min(),
                           std::nextafter(Limits::min(), T(0)),
                           Limits::max(),
                           std::nextafter(T(1), T(0)),
                           std::nextafter(T(1), T(2)),
                           Limits::epsilon(),
                           std::ldexp(T(1), Limits::digits - 1),
                           std::ldexp(T(1), Limits::digits) - 1,
                           std::ldexp(T(1), Limits::digits) + 2,
                           T(0.1),
                           T(0.5),
                           T(1) / 3};
  for (int i = 1; i <= 12; ++i) values.push_back(static_cast<T>(i));
  for (int i = 0; i < 6; ++i) values.push_back(static_cast<T>(i) + T(0.5));
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

template <class T>
void check_unary(const Accuracy& row) {
  Checker<T> checker(row);
  for (T x : special_values<T>()) checker.add(x);
  std::mt19937_64 random(7);
  const auto uniform = [&](T low, T high) { return std::uniform_real_distribution<T>(low, high)(random); };
  // Every exponent, either sign.
  for (int e = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
       e < std::numeric_limits<T>::max_exponent; ++e)
    for (int i = 0; i < 8; ++i) checker.add(std::ldexp(i == 0 ? T(1) : uniform(1, 2), e) * (i & 1 ? -1 : 1));
  // Where trigonometric reduction cancels most.
  for (int i = 1; i < 20000; ++i) checker.add(static_cast<T>(i * 1.57079632679489661923L));
  for (int i = 0; i < 20000; ++i) {
    const long double k = static_cast<long double>(random() >> (1 + i % 50));
    checker.add(static_cast<T>(k * 1.57079632679489661923L));
  }
  if constexpr (sizeof(T) == 4) {
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 1021)
      checker.add(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  } else {
    for (int i = 0; i < 60000; ++i) checker.add(std::bit_cast<double>(random()));
    for (int i = 0; i < 60000; ++i) checker.add(uniform(-40, 40));
    for (int i = 0; i < 30000; ++i) checker.add(uniform(-800, 800));
    for (int i = 0; i < 60000; ++i) checker.add(std::ldexp(uniform(-1, 1), -(i % 20)));
  }
  for (int i = 0; i < 60000; ++i) checker.add(uniform(-3, 3));
  for (int i = 0; i < 60000; ++i) checker.add(uniform(-20, 20));
  checker.finish();
}

template <class T>
void check_binary(const Accuracy& row) {
  Checker<T> checker(row);
  const auto values = special_values<T>();
  for (T x : values)
    for (T y : values) checker.add(x, y, x);
  std::mt19937_64 random(11);
  const auto uniform = [&](T low, T high) { return std::uniform_real_distribution<T>(low, high)(random); };
  const auto any = [&] { return std::bit_cast<T>(static_cast<Bits<T>>(random())); };
  for (int i = 0; i < 200000; ++i) checker.add(any(), any(), any());
  for (int i = 0; i < 100000; ++i) checker.add(uniform(-10, 10), uniform(-10, 10), uniform(-10, 10));
  for (int i = 0; i < 100000; ++i) checker.add(uniform(0, 100), uniform(-100, 100));
  for (int i = 0; i < 100000; ++i) checker.add(uniform(0, 2), std::ldexp(uniform(-1, 1), i % 16));
  for (int i = 0; i < 40000; ++i)
    checker.add(std::ldexp(uniform(-1, 1), i % 200 - 100), static_cast<T>(i % 61 - 30));
  for (int i = 0; i < 40000; ++i) {  // almost equal, almost a multiple
    const T y = uniform(0.5, 8);
    checker.add(y * static_cast<T>(i % 100 + 1), y);
    checker.add(-y * static_cast<T>(i % 100 + 1), y);
    checker.add(std::nextafter(y * static_cast<T>(i % 100), T(0)), -y);
  }
  checker.finish();
}

class Prelude : public testing::TestWithParam<Accuracy> {};

TEST_P(Prelude, F32StaysWithinItsBound) {
  GetParam().arity == 1 ? check_unary<float>(GetParam()) : check_binary<float>(GetParam());
}

TEST_P(Prelude, F64StaysWithinItsBound) {
  GetParam().arity == 1 ? check_unary<double>(GetParam()) : check_binary<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Accuracy, Prelude, testing::ValuesIn(kAccuracy),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace weft::test
