// Which C++ types are elements of arrays, and the two half-precision types that C++20 lacks.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "compiler/base/dtype.h"

namespace weft {

// IEEE binary16 as its bits; converted by way of float, rounding to nearest even.
struct float16 {
  uint16_t bits = 0;
  float16() = default;
  explicit float16(float value) : bits(float_to_f16(value)) {}
  operator float() const { return f16_to_float(bits); }
};

// The upper half of an IEEE binary32 as its bits; converted by way of float, rounding to nearest even.
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  explicit bfloat16(float value) : bits(float_to_bf16(value)) {}
  operator float() const { return bf16_to_float(bits); }
};

namespace detail {

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::bool_constant<std::same_as<T, float> || std::same_as<T, double>> {};

}  // namespace detail

template <class T>
concept Half = std::same_as<T, float16> || std::same_as<T, bfloat16>;
template <class T>
concept ComplexElement = detail::IsComplex<T>::value;
// bool, the integers of 1 to 8 bytes, float16, bfloat16, float, double, and complex of the last two.
template <class T>
concept Element = (std::integral<T> && sizeof(T) <= 8) || std::same_as<T, float> || std::same_as<T, double> ||
                  Half<T> || ComplexElement<T>;

// The dtype that holds T.
template <Element T>
constexpr DType dtype_of() {
  if constexpr (std::same_as<T, bool>) {
    return DType::Bool;
  } else if constexpr (std::integral<T>) {
    constexpr int kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<DType>(static_cast<int>(std::is_signed_v<T> ? DType::I8 : DType::U8) + kLog);
  } else if constexpr (std::same_as<T, float16>) {
    return DType::F16;
  } else if constexpr (std::same_as<T, bfloat16>) {
    return DType::BF16;
  } else if constexpr (std::same_as<T, float>) {
    return DType::F32;
  } else if constexpr (std::same_as<T, double>) {
    return DType::F64;
  } else {
    return std::same_as<T, std::complex<float>> ? DType::C64 : DType::C128;
  }
}

template <Element T>
Scalar to_scalar(T value) {
  if constexpr (ComplexElement<T>) {
    return Scalar::of(std::complex<double>(value));
  } else if constexpr (std::same_as<T, bool>) {
    return Scalar::of(value);
  } else if constexpr (std::unsigned_integral<T> && sizeof(T) == 8) {
    return {DType::U64, static_cast<int64_t>(value), 0, 0};
  } else if constexpr (std::integral<T>) {
    return Scalar::of(static_cast<int64_t>(value));
  } else {
    return Scalar::of(static_cast<double>(value));
  }
}

// The value converted to T as a cast does.
template <Element T>
T from_scalar(const Scalar& value) {
  const Scalar converted = value.cast(dtype_of<T>());
  T result;
  converted.store(&result);
  return result;
}

}  // namespace weft
