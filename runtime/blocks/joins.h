// How two values of a total become one, rounded as the kernels' prelude does it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace weft::runtime {

// What is found where nothing was.
constexpr int64_t kNowhere = std::numeric_limits<int64_t>::max();

struct Complex {
  double re, im;
};

struct SmallComplex {
  float re, im;
};

// As the prelude has it: integers wrap, -0 is less than +0, and NaN stays.
template <class T>
T added(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return {a.re + b.re, a.im + b.im};
  }
}
template <class T>
T multiplied(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
}
template <class T>
T joined(bool product, T a, T b) {
  return product ? multiplied(a, b) : added(a, b);
}
template <class T>
T most(T a, T b) {
  if (a != a) return a;
  if constexpr (std::is_floating_point_v<T>)
    if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <class T>
T least(T a, T b) {
  if (a != a) return a;
  if constexpr (std::is_floating_point_v<T>)
    if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class Total, class Span>
Total widened(Span x) {
  if constexpr (std::is_same_v<Span, SmallComplex>)
    return {x.re, x.im};
  else
    return x;
}

// Lanes by halves.
template <class T>
T join_lanes(bool product, T* lanes, int64_t count) {
  for (int64_t half = count / 2; half > 0; half /= 2)
    for (int64_t k = 0; k < half; ++k) lanes[k] = joined(product, lanes[k], lanes[k + half]);
  return lanes[0];
}

}  // namespace weft::runtime
