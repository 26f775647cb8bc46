// What the op table's reference evaluations use beyond the standard library: generic over bool, 64-bit
// integers, the floats up to long double, and their complex types. NumPy's results, special values included;
// integers wrap around.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace weft::ir::eval {

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};
template <class T>
concept Complex = IsComplex<T>::value;
template <class T>
concept Float = std::is_floating_point_v<T>;
template <class T>
concept Integer = std::same_as<T, int64_t> || std::same_as<T, uint64_t>;

template <Float T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

inline uint64_t unsign(uint64_t x) { return x; }
inline uint64_t unsign(int64_t x) { return static_cast<uint64_t>(x); }

// ---- arithmetic

inline bool add(bool x, bool y) { return x || y; }
template <Integer T>
T add(T x, T y) {
  return static_cast<T>(unsign(x) + unsign(y));
}
template <class T>
  requires Float<T> || Complex<T>
T add(T x, T y) {
  return x + y;
}

template <Integer T>
T subtract(T x, T y) {
  return static_cast<T>(unsign(x) - unsign(y));
}
template <class T>
  requires Float<T> || Complex<T>
T subtract(T x, T y) {
  return x - y;
}

inline bool multiply(bool x, bool y) { return x && y; }
template <Integer T>
T multiply(T x, T y) {
  return static_cast<T>(unsign(x) * unsign(y));
}
template <Float T>
T multiply(T x, T y) {
  return x * y;
}
// The plain formula, as NumPy has it: C99's recovery of infinities from NaN parts is not wanted.
template <Complex T>
T multiply(T x, T y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

template <class T>
T divide(T x, T y) {
  return x / y;
}

template <Integer T>
T negative(T x) {
  return static_cast<T>(0 - unsign(x));
}
template <class T>
  requires Float<T> || Complex<T>
T negative(T x) {
  return -x;
}

inline uint64_t floor_divide(uint64_t x, uint64_t y) { return y == 0 ? 0 : x / y; }
inline int64_t floor_divide(int64_t x, int64_t y) {
  if (y == 0) return 0;
  if (y == -1) return negative(x);
  const int64_t quotient = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}
// npy_divmod: the quotient is made from the exact remainder, then snapped to the nearest integer. Infinite
// operands give the plain quotient, as the Array API standard has it.
template <Float T>
T floor_divide(T x, T y) {
  if (y == 0 || std::isinf(x) || std::isinf(y)) return x / y;
  const T rest = std::fmod(x, y);
  T quotient = (x - rest) / y;
  if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), x / y);
  const T floor = std::floor(quotient);
  return quotient - floor > T(0.5) ? floor + 1 : floor;
}

inline uint64_t remainder(uint64_t x, uint64_t y) { return y == 0 ? 0 : x % y; }
inline int64_t remainder(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return 0;
  const int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
template <Float T>
T remainder(T x, T y) {
  const T rest = std::fmod(x, y);
  if (y == 0) return rest;
  if (rest == 0) return std::copysign(T(0), y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}

// A negative exponent gives the truncated value of 1 / x^|y|, and 0 for x = 0 (an integer divided by zero).
template <Integer T>
T pow(T x, T y) {
  if constexpr (std::is_signed_v<T>) {
    if (y < 0) return x == 1 ? 1 : x == -1 ? ((y & 1) ? -1 : 1) : 0;
  }
  uint64_t result = 1, base = unsign(x);
  for (uint64_t n = unsign(y); n != 0; n >>= 1, base *= base) {
    if (n & 1) result *= base;
  }
  return static_cast<T>(result);
}
template <Float T>
T pow(T x, T y) {
  return std::pow(x, y);
}
// npy_cpow: exact cases by multiplication, the rest as exp(y log x). That loses the digits of |y log x|, so
// it is taken in the next wider type.
template <Complex T>
T pow(T x, T y) {
  using R = typename T::value_type;
  const R br = y.real(), bi = y.imag();
  if (br == 0 && bi == 0) return T(1, 0);
  if (x.real() == 0 && x.imag() == 0) {
    if (br > 0) return T(0, 0);
    const R nan = std::numeric_limits<R>::quiet_NaN();
    return T(nan, nan);
  }
  if (bi == 0 && br == std::trunc(br) && std::abs(br) < 100) {
    int n = static_cast<int>(br);
    const bool invert = n < 0;
    if (invert) n = -n;
    T power = x, result(1, 0);
    for (bool first = true; n != 0; n >>= 1) {
      if (n & 1) result = first ? power : multiply(result, power), first = false;
      if (n > 1) power = multiply(power, power);
    }
    return invert ? T(1, 0) / result : result;
  }
  using Wide = std::complex<Wider<R>>;
  return static_cast<T>(std::exp(multiply(static_cast<Wide>(y), std::log(static_cast<Wide>(x)))));
}

template <Float T>
T fma(T x, T y, T z) {
  return std::fma(x, y, z);
}

// x * y + z of halves, rounded to odd: rounding it to a half rounds the exact value once. The product is
// exact.
inline double fma_of_halves(double x, double y, double z) {
  const double product = x * y, sum = product + z, back = sum - product;
  const double lost = (product - (sum - back)) + (z - back);
  auto bits = std::bit_cast<uint64_t>(sum);
  if ((lost > 0 || lost < 0) && (bits & 1) == 0) bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return std::bit_cast<double>(bits);
}

inline uint64_t abs(uint64_t x) { return x; }
inline int64_t abs(int64_t x) { return x < 0 ? negative(x) : x; }
template <Float T>
T abs(T x) {
  return std::abs(x);
}
template <Complex T>
T abs(T x) {
  return T(std::hypot(x.real(), x.imag()), 0);
}

template <class T>
  requires Float<T> || Integer<T>
T sign(T x) {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
}
template <Complex T>
T sign(T x) {
  using R = typename T::value_type;
  R re = x.real(), im = x.imag();
  if (re == 0 && im == 0) return T(0, 0);
  // An exact power of two keeps the magnitude from overflowing and from losing bits below the normal range.
  const R largest = std::max(std::abs(re), std::abs(im));
  if (std::isfinite(largest)) {
    const int exponent = std::ilogb(largest);
    re = std::scalbn(re, -exponent), im = std::scalbn(im, -exponent);
  }
  // One infinite part alone gives the direction.
  if (std::isinf(re) && std::isfinite(im)) return T(std::copysign(R(1), re), std::copysign(R(0), im));
  if (std::isinf(im) && std::isfinite(re)) return T(std::copysign(R(0), re), std::copysign(R(1), im));
  const R size = std::hypot(re, im);
  return T(re / size, im / size);
}

template <class T>
T square(T x) {
  return multiply(x, x);
}

template <Float T>
T rsqrt(T x) {
  return 1 / std::sqrt(x);
}

// glibc's cbrt is more than 2 ulp off in double, so each type asks the next wider one.
template <Float T>
T cbrt(T x) {
  return static_cast<T>(std::cbrt(static_cast<Wider<T>>(x)));
}

inline bool maximum(bool x, bool y) { return x || y; }
inline bool minimum(bool x, bool y) { return x && y; }
template <Integer T>
T maximum(T x, T y) {
  return x > y ? x : y;
}
template <Integer T>
T minimum(T x, T y) {
  return x < y ? x : y;
}
template <Float T>
T maximum(T x, T y) {
  if (std::isnan(x)) return x;
  if (x == y) return std::signbit(x) ? y : x;  // +0 is above -0
  return x > y ? x : y;                        // y when y is NaN
}
template <Float T>
T minimum(T x, T y) {
  if (std::isnan(x)) return x;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

template <Float T>
T next_after(T x, T y) {
  return std::nextafter(x, y);
}

// The neighbour of x towards y where both are the bits of a 16-bit float whose infinity has the bits
// `infinity`.
inline uint16_t next_after_half(uint16_t x, uint16_t y, uint16_t infinity) {
  const uint16_t size_x = x & 0x7fff, size_y = y & 0x7fff;
  if (size_x > infinity) return x;
  if (size_y > infinity) return y;
  if (x == y || (size_x | size_y) == 0) return y;
  if (size_x == 0) return static_cast<uint16_t>((y & 0x8000) | 1);
  const bool inward = ((x ^ y) & 0x8000) || size_y < size_x;
  return static_cast<uint16_t>(inward ? x - 1 : x + 1);
}

// ---- rounding

#define WEFT_EVAL_ROUNDING(name, function)                        \
  template <class T>                                              \
  T name(T x) {                                                   \
    if constexpr (Float<T>) {                                     \
      return std::function(x);                                    \
    } else if constexpr (Complex<T>) {                            \
      return T(std::function(x.real()), std::function(x.imag())); \
    } else {                                                      \
      return x;                                                   \
    }                                                             \
  }
WEFT_EVAL_ROUNDING(floor, floor)
WEFT_EVAL_ROUNDING(ceil, ceil)
WEFT_EVAL_ROUNDING(trunc, trunc)
WEFT_EVAL_ROUNDING(round, nearbyint)
#undef WEFT_EVAL_ROUNDING

// ---- exponentials and logarithms. The complex library functions follow C99's Annex G.

template <class T>
T exp(T x) {
  return std::exp(x);
}

template <Float T>
T expm1(T x) {
  return std::expm1(x);
}
template <Complex T>
T expm1(T z) {
  using R = typename T::value_type;
  const R a = z.real(), b = z.imag();
  // Far from the origin nothing cancels, and Annex G settles the special values.
  if (!std::isfinite(a) || !std::isfinite(b) || a > 1) {
    const T e = std::exp(z);
    return T(e.real() - 1, e.imag());
  }
  if (b == 0) return T(std::expm1(a) + R(0), b);  // +0 at both real zeros
  const R half_sine = std::sin(b / 2);
  return T(std::expm1(a) * std::cos(b) - 2 * half_sine * half_sine, std::exp(a) * std::sin(b));
}

template <class T>
T log(T x) {
  return std::log(x);
}

template <Float T>
T log2(T x) {
  return std::log2(x);
}
template <Complex T>
T log2(T z) {
  using R = typename T::value_type;
  constexpr R kLn2 = static_cast<R>(0.693147180559945309417232121458176568L);
  const T w = std::log(z);
  return T(w.real() / kLn2, w.imag() / kLn2);
}

template <Float T>
T log10(T x) {
  return std::log10(x);
}
template <Complex T>
T log10(T z) {
  using R = typename T::value_type;
  constexpr R kLn10 = static_cast<R>(2.302585092994045684017991454684364208L);
  const T w = std::log(z);
  return T(w.real() / kLn10, w.imag() / kLn10);
}

template <Float T>
T log1p(T x) {
  return std::log1p(x);
}
template <Complex T>
T log1p(T z) {
  using R = typename T::value_type;
  const R a = z.real(), b = z.imag();
  const R angle = std::atan2(b, 1 + a);
  // |1 + z|^2 - 1 without the 1; elsewhere |1 + z| is not close to 1 or the angle is not close to 0.
  if (std::abs(a) < R(0.5) && std::abs(b) < R(0.5)) return T(std::log1p(a * (2 + a) + b * b) / 2, angle);
  return T(std::log(std::hypot(1 + a, b)), angle);
}

template <Float T>
T logaddexp(T x, T y) {
  if (x == y) return x + static_cast<T>(0.693147180559945309417232121458176568L);  // equal infinities too
  const T gap = x - y;
  if (gap > 0) return x + std::log1p(std::exp(-gap));
  if (gap <= 0) return y + std::log1p(std::exp(gap));
  return gap;
}

template <Float T>
T sigmoid(T x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const T e = std::exp(x);
  return e / (1 + e);
}

template <Float T>
T softplus(T x) {
  return (x > 0 ? x : x < 0 ? T(0) : x) + std::log1p(std::exp(-std::abs(x)));
}

template <Float T>
T tanh(T x) {
  return std::tanh(x);
}
// The Array API standard gives the zero beside an infinity the sign of x's imaginary part; C++ lets it turn.
template <Complex T>
T tanh(T x) {
  const T t = std::tanh(x);
  return std::isinf(x.real()) ? T(t.real(), std::copysign(t.imag(), x.imag())) : t;
}

template <Float T>
T tan(T x) {
  return std::tan(x);
}
template <Complex T>
T tan(T x) {
  const T t = std::tan(x);
  return std::isinf(x.imag()) ? T(std::copysign(t.real(), x.real()), t.imag()) : t;
}

// glibc's real atanh is more than 1 ulp off.
template <Float T>
T atanh(T x) {
  return static_cast<T>(std::atanh(static_cast<Wider<T>>(x)));
}
template <Complex T>
T atanh(T x) {
  return std::atanh(x);
}

// ---- special functions

// The reentrant forms: std::lgamma writes the global `signgam`.
inline float lgamma(float x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}
inline double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
inline long double lgamma(long double x) {
  int sign;
  return ::lgammal_r(x, &sign);
}

// 1 + erf(t) is erfc(-t), which keeps its digits for negative x; the rounding of t costs t^2 ulp, so it is
// taken in the next wider type. At -infinity, where the product is NaN, the limit.
template <Float T>
T gelu(T x) {
  using W = Wider<T>;
  constexpr W kSqrtHalf = static_cast<W>(0.707106781186547524400844362104849039L);
  if (x == -std::numeric_limits<T>::infinity()) return T(-0.0);
  return static_cast<T>(x * (std::erfc(-x * kSqrtHalf) / 2));
}

// (1 + tanh(t)) / 2 is sigmoid(2 t), which keeps its digits for negative x.
template <Float T>
T gelu_tanh(T x) {
  using W = Wider<T>;
  constexpr W kTwoSqrtTwoOverPi = static_cast<W>(1.595769121605730711759784793837160640L);
  if (x == -std::numeric_limits<T>::infinity()) return T(-0.0);
  const W w = x;
  return static_cast<T>(w * sigmoid(kTwoSqrtTwoOverPi * (w + static_cast<W>(0.044715L) * w * w * w)));
}

// ---- predicates and bits

template <class T>
bool truth(T x) {
  return x != T(0);
}

template <class T>
bool isnan(T x) {
  if constexpr (Float<T>) return std::isnan(x);
  if constexpr (Complex<T>) return std::isnan(x.real()) || std::isnan(x.imag());
  return false;
}
template <class T>
bool isinf(T x) {
  if constexpr (Float<T>) return std::isinf(x);
  if constexpr (Complex<T>) return std::isinf(x.real()) || std::isinf(x.imag());
  return false;
}
template <class T>
bool isfinite(T x) {
  if constexpr (Float<T>) return std::isfinite(x);
  if constexpr (Complex<T>) return std::isfinite(x.real()) && std::isfinite(x.imag());
  return true;
}

// The result of an integer operator back in its type: `&` of two bools is an int.
template <class T, class R>
T bits(R x) {
  return static_cast<T>(x);
}

inline bool invert(bool x) { return !x; }
template <Integer T>
T invert(T x) {
  return ~x;
}

// In 64 bits: a narrower dtype's width is kept by wrapping, since the shifted-out bits lie above it.
template <Integer T>
T shift_left(T x, T y) {
  return unsign(y) >= 64 ? T(0) : static_cast<T>(unsign(x) << y);
}
template <Integer T>
T shift_right(T x, T y) {
  if (unsign(y) >= 64) return x < 0 ? static_cast<T>(~uint64_t{0}) : T(0);
  return x >> y;
}

// Threefry-2x32-20 of Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
// The low word of a counter, key or result is the paper's word 0.
template <Integer T>
T threefry(T counter, T key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const auto low = [](T v) { return static_cast<uint32_t>(unsign(v)); };
  const auto high = [](T v) { return static_cast<uint32_t>(unsign(v) >> 32); };
  const uint32_t keys[3] = {low(key), high(key), 0x1bd11bda ^ low(key) ^ high(key)};
  uint32_t a = low(counter) + keys[0], b = high(counter) + keys[1];
  for (uint32_t group = 1; group <= 5; ++group) {
    for (int by : kRotations[(group - 1) % 2]) {
      a += b;
      b = (b << by | b >> (32 - by)) ^ a;
    }
    a += keys[group % 3];
    b += keys[(group + 1) % 3] + group;
  }
  return static_cast<T>(uint64_t{b} << 32 | a);
}

// ---- complex parts

template <class T>
T real(T x) {
  if constexpr (Complex<T>) return T(x.real(), 0);
  return x;
}
template <class T>
T imag(T x) {
  if constexpr (Complex<T>) return T(x.imag(), 0);
  return T(0);
}
template <class T>
std::complex<T> complex(T re, T im) {
  return {re, im};
}
template <class T>
T conj(T x) {
  if constexpr (Complex<T>) return std::conj(x);
  return x;
}

}  // namespace weft::ir::eval
