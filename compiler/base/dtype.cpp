#include "compiler/base/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace weft {
namespace {

// Rounds to a 16-bit format of `exponent_bits` and `fraction_bits`, once, to nearest even.
template <int exponent_bits, int fraction_bits>
uint16_t round_to_half(double value) {
  static_assert(exponent_bits + fraction_bits == 15);
  constexpr int kExponentMax = (1 << exponent_bits) - 1;
  constexpr int kBias = kExponentMax / 2;
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 63) << 15);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  constexpr auto kInfinity = static_cast<uint16_t>(kExponentMax << fraction_bits);
  if (exponent == 0x7ff) {
    if (fraction == 0) return sign | kInfinity;
    const auto payload = static_cast<uint16_t>(fraction >> (52 - fraction_bits));
    return static_cast<uint16_t>(sign | kInfinity | (1 << (fraction_bits - 1)) | payload);
  }
  if (exponent == 0) return sign;  // zero, or a double subnormal: far below half of the smallest half
  int rebased = exponent - 1023 + kBias;
  if (rebased >= kExponentMax) return sign | kInfinity;
  int shift = 52 - fraction_bits;
  if (rebased <= 0) {
    shift += 1 - rebased;
    rebased = 0;
    if (shift > 53) return sign;
  }
  const uint64_t significand = fraction | (uint64_t{1} << 52);
  uint64_t rounded = significand >> shift;
  const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t tie = uint64_t{1} << (shift - 1);
  if (rest > tie || (rest == tie && (rounded & 1))) ++rounded;
  // The leading one of a normal number, and a carry out of the fraction, step the exponent by being added.
  if (rebased > 0) rounded += static_cast<uint64_t>(rebased - 1) << fraction_bits;
  return static_cast<uint16_t>(sign | (rounded >= kInfinity ? kInfinity : rounded));
}

// An integer as a double whose last bit is set when something below it was cut off, so that rounding the
// double to at most 51 bits rounds the integer just once.
double sticky_double(uint64_t magnitude) {
  if (magnitude >> 53) {
    const bool cut = (magnitude & 0x7ff) != 0;
    magnitude = (magnitude & ~uint64_t{0x7ff}) | (cut ? 0x800 : 0);
  }
  return static_cast<double>(magnitude);
}

int64_t wrap(int64_t v, DType t) {
  switch (t) {
    case DType::I8:
      return static_cast<int8_t>(v);
    case DType::I16:
      return static_cast<int16_t>(v);
    case DType::I32:
      return static_cast<int32_t>(v);
    case DType::U8:
      return static_cast<uint8_t>(v);
    case DType::U16:
      return static_cast<uint16_t>(v);
    case DType::U32:
      return static_cast<uint32_t>(v);
    default:
      return v;
  }
}

int64_t float_to_integer(double v, DType t) {
  if (std::isnan(v)) return 0;
  const int bits = static_cast<int>(size_of(t)) * 8;
  if (kind(t) == DTypeKind::Unsigned) {
    if (v <= 0) return 0;
    if (v >= std::ldexp(1.0, bits)) return static_cast<int64_t>(~uint64_t{0} >> (64 - bits));
    return static_cast<int64_t>(static_cast<uint64_t>(v));
  }
  if (v >= std::ldexp(1.0, bits - 1)) return static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
  if (v < -std::ldexp(1.0, bits - 1)) return -static_cast<int64_t>(~uint64_t{0} >> (65 - bits)) - 1;
  return static_cast<int64_t>(v);
}

double round_float(double v, DType t) {
  switch (t) {
    case DType::F16:
      return f16_to_float(round_to_half<5, 10>(v));
    case DType::BF16:
      return bf16_to_float(round_to_half<8, 7>(v));
    case DType::F32:
      return static_cast<float>(v);
    default:
      return v;
  }
}

double integer_to_float(int64_t bits, bool is_unsigned, DType t) {
  const bool negative = !is_unsigned && bits < 0;
  const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(bits) : static_cast<uint64_t>(bits);
  const double value =
      t == DType::F64 ? static_cast<double>(magnitude) : round_float(sticky_double(magnitude), t);
  return negative ? -value : value;
}

// Bits of the smallest signed integer that holds every value of an integer dtype.
constexpr int signed_bits(DType t) {
  const int bits = static_cast<int>(size_of(t)) * 8;
  return kind(t) == DTypeKind::Unsigned ? bits * 2 : bits;
}

constexpr DType signed_of(int bits) {
  return bits <= 8 ? DType::I8 : bits <= 16 ? DType::I16 : bits <= 32 ? DType::I32 : DType::I64;
}

// The float that NumPy pairs with an integer: one that holds the integer exactly, or f64.
constexpr DType float_holding(DType t) {
  return kind(t) == DTypeKind::Bool || size_of(t) == 1 ? DType::F16
         : size_of(t) == 2                             ? DType::F32
                                                       : DType::F64;
}

constexpr DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  if (is_half(a) && is_half(b)) return DType::F32;
  return size_of(a) > size_of(b) ? a : b;
}

constexpr DType compute_promotion(DType a, DType b) {
  if (a == b) return a;
  if (kind(a) > kind(b)) std::swap(a, b);
  if (a == DType::Bool) return b;
  if (is_integer(b)) {
    if (kind(a) == kind(b)) return size_of(a) > size_of(b) ? a : b;
    const int bits = std::max(signed_bits(a), signed_bits(b));
    return bits > 64 ? DType::F64 : signed_of(bits);
  }
  const DType real = is_integer(a) ? float_holding(a) : real_of(a);
  if (is_float(b)) {
    // bf16 holds i8 and u8 exactly, so the array's own format is kept.
    if (b == DType::BF16 && real == DType::F16 && is_integer(a)) return b;
    return promote_floats(real, b);
  }
  return promote_floats(real, real_of(b)) == DType::F64 ? DType::C128 : DType::C64;
}

constexpr std::array<DType, kDTypeCount * kDTypeCount> kPromotion = [] {
  std::array<DType, kDTypeCount * kDTypeCount> table{};
  for (int a = 0; a < kDTypeCount; ++a) {
    for (int b = 0; b < kDTypeCount; ++b) {
      table[static_cast<size_t>(a * kDTypeCount + b)] =
          compute_promotion(static_cast<DType>(a), static_cast<DType>(b));
    }
  }
  return table;
}();

}  // namespace

std::optional<DType> dtype_from_name(std::string_view text) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kDTypeInfo[i].name == text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

DType promote(DType a, DType b) {
  return kPromotion[static_cast<size_t>(a) * kDTypeCount + static_cast<size_t>(b)];
}

DType promote_weak(DType array, DTypeKind scalar) {
  switch (scalar) {
    case DTypeKind::Bool:
      return array;
    case DTypeKind::Signed:
    case DTypeKind::Unsigned:
      return array == DType::Bool ? DType::I64 : array;
    case DTypeKind::Float:
      return is_float(array) || is_complex(array) ? array : DType::F64;
    case DTypeKind::Complex:
      if (is_complex(array)) return array;
      return is_float(array) && array != DType::F64 ? DType::C64 : DType::C128;
  }
  return array;
}

uint16_t float_to_f16(float value) { return round_to_half<5, 10>(value); }
uint16_t float_to_bf16(float value) { return round_to_half<8, 7>(value); }

float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

float f16_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 31;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

Scalar Scalar::cast(DType to) const {
  if (to == dtype) return *this;
  const DTypeKind from = kind(dtype);
  const bool from_integer = from <= DTypeKind::Unsigned;
  Scalar result{to, 0, 0, 0};
  switch (kind(to)) {
    case DTypeKind::Bool:
      result.i = from_integer ? i != 0 : re != 0 || im != 0;
      break;
    case DTypeKind::Signed:
    case DTypeKind::Unsigned:
      result.i = from_integer ? wrap(i, to) : float_to_integer(re, to);
      break;
    case DTypeKind::Float:
    case DTypeKind::Complex: {
      const DType part = real_of(to);
      result.re =
          from_integer ? integer_to_float(i, from == DTypeKind::Unsigned, part) : round_float(re, part);
      if (is_complex(to) && is_complex(dtype)) result.im = round_float(im, part);
      break;
    }
  }
  return result;
}

namespace {

template <class T>
void put(void* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

template <class T>
T get(const void* in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

}  // namespace

void Scalar::store(void* out) const {
  switch (dtype) {
    case DType::Bool:
      put<uint8_t>(out, i != 0);
      break;
    case DType::I8:
    case DType::U8:
      put(out, static_cast<uint8_t>(i));
      break;
    case DType::I16:
    case DType::U16:
      put(out, static_cast<uint16_t>(i));
      break;
    case DType::I32:
    case DType::U32:
      put(out, static_cast<uint32_t>(i));
      break;
    case DType::I64:
    case DType::U64:
      put(out, i);
      break;
    case DType::F16:
      put(out, round_to_half<5, 10>(re));
      break;
    case DType::BF16:
      put(out, round_to_half<8, 7>(re));
      break;
    case DType::F32:
      put(out, static_cast<float>(re));
      break;
    case DType::F64:
      put(out, re);
      break;
    case DType::C64:
      put(out, std::array{static_cast<float>(re), static_cast<float>(im)});
      break;
    case DType::C128:
      put(out, std::array{re, im});
      break;
  }
}

Scalar Scalar::load(DType dtype, const void* in) {
  Scalar s{dtype, 0, 0, 0};
  switch (dtype) {
    case DType::Bool:
      s.i = get<uint8_t>(in) != 0;
      break;
    case DType::I8:
      s.i = get<int8_t>(in);
      break;
    case DType::I16:
      s.i = get<int16_t>(in);
      break;
    case DType::I32:
      s.i = get<int32_t>(in);
      break;
    case DType::I64:
    case DType::U64:
      s.i = get<int64_t>(in);
      break;
    case DType::U8:
      s.i = get<uint8_t>(in);
      break;
    case DType::U16:
      s.i = get<uint16_t>(in);
      break;
    case DType::U32:
      s.i = get<uint32_t>(in);
      break;
    case DType::F16:
      s.re = f16_to_float(get<uint16_t>(in));
      break;
    case DType::BF16:
      s.re = bf16_to_float(get<uint16_t>(in));
      break;
    case DType::F32:
      s.re = get<float>(in);
      break;
    case DType::F64:
      s.re = get<double>(in);
      break;
    case DType::C64:
      s.re = get<std::array<float, 2>>(in)[0], s.im = get<std::array<float, 2>>(in)[1];
      break;
    case DType::C128:
      s.re = get<std::array<double, 2>>(in)[0], s.im = get<std::array<double, 2>>(in)[1];
      break;
  }
  return s;
}

bool Scalar::same(const Scalar& other) const {
  return dtype == other.dtype && i == other.i &&
         std::bit_cast<uint64_t>(re) == std::bit_cast<uint64_t>(other.re) &&
         std::bit_cast<uint64_t>(im) == std::bit_cast<uint64_t>(other.im);
}

}  // namespace weft
