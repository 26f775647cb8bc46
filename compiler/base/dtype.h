// The element types of arrays, one row each, and the promotion between them (Array API 2025.12).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

// X(enumerator, text name, bytes, kind); `kind` orders promotion between families.
#define WEFT_DTYPES(X)       \
  X(Bool, "bool", 1, Bool)   \
  X(I8, "i8", 1, Signed)     \
  X(I16, "i16", 2, Signed)   \
  X(I32, "i32", 4, Signed)   \
  X(I64, "i64", 8, Signed)   \
  X(U8, "u8", 1, Unsigned)   \
  X(U16, "u16", 2, Unsigned) \
  X(U32, "u32", 4, Unsigned) \
  X(U64, "u64", 8, Unsigned) \
  X(F16, "f16", 2, Float)    \
  X(BF16, "bf16", 2, Float)  \
  X(F32, "f32", 4, Float)    \
  X(F64, "f64", 8, Float)    \
  X(C64, "c64", 8, Complex)  \
  X(C128, "c128", 16, Complex)

enum class DType : uint8_t {
#define WEFT_X(name, text, bytes, kind) name,
  WEFT_DTYPES(WEFT_X)
#undef WEFT_X
};

inline constexpr int kDTypeCount = 15;

enum class DTypeKind : uint8_t { Bool, Signed, Unsigned, Float, Complex };

struct DTypeInfo {
  std::string_view name;
  size_t bytes;
  DTypeKind kind;
};

inline constexpr DTypeInfo kDTypeInfo[kDTypeCount] = {
#define WEFT_X(name, text, bytes, kind) {text, bytes, DTypeKind::kind},
    WEFT_DTYPES(WEFT_X)
#undef WEFT_X
};

constexpr const DTypeInfo& info(DType t) { return kDTypeInfo[static_cast<int>(t)]; }
constexpr std::string_view name(DType t) { return info(t).name; }
constexpr size_t size_of(DType t) { return info(t).bytes; }
constexpr DTypeKind kind(DType t) { return info(t).kind; }
constexpr bool is_integer(DType t) { return kind(t) == DTypeKind::Signed || kind(t) == DTypeKind::Unsigned; }
constexpr bool is_float(DType t) { return kind(t) == DTypeKind::Float; }
constexpr bool is_complex(DType t) { return kind(t) == DTypeKind::Complex; }
// f16 and bf16: computed in f32, rounded to the dtype after each op.
constexpr bool is_half(DType t) { return t == DType::F16 || t == DType::BF16; }
// The real dtype of a complex dtype's parts; every other dtype is its own.
constexpr DType real_of(DType t) { return t == DType::C64 ? DType::F32 : t == DType::C128 ? DType::F64 : t; }
// The complex dtype whose parts hold values of a float dtype.
constexpr DType complex_of(DType t) { return t == DType::F64 ? DType::C128 : DType::C64; }

// The dtype named `text` ("f32"), or none.
std::optional<DType> dtype_from_name(std::string_view text);

// The dtype that holds both, as the Array API standard has it, and as NumPy where the standard leaves
// it open (i64 with u64, integers with floats: f64; f16 with bf16: f32).
DType promote(DType a, DType b);

// The dtype of an array of `array` combined with a Python-like scalar of kind `scalar`: the array's own
// dtype when the scalar's kind does not exceed it, else the default dtype of that kind at its width.
DType promote_weak(DType array, DTypeKind scalar);

// f16 and bf16 as bits <-> float, round to nearest even; subnormals, infinities and NaN kept.
uint16_t float_to_f16(float value);
float f16_to_float(uint16_t bits);
uint16_t float_to_bf16(float value);
float bf16_to_float(uint16_t bits);

// One element of any dtype, as the host holds it. Integers are in `i` (u64 as its bits), floats in `re`,
// complex in `re` and `im`, bool as 0 or 1 in `i`.
struct Scalar {
  DType dtype = DType::F64;
  int64_t i = 0;
  double re = 0, im = 0;

  static Scalar of(bool v) { return {DType::Bool, v, 0, 0}; }
  static Scalar of(int64_t v) { return {DType::I64, v, 0, 0}; }
  static Scalar of(double v) { return {DType::F64, 0, v, 0}; }
  static Scalar of(std::complex<double> v) { return {DType::C128, 0, v.real(), v.imag()}; }

  // This value converted to `to` as a cast does: integers wrap, floats round to nearest even.
  Scalar cast(DType to) const;
  // Writes size_of(dtype) bytes in the dtype's storage format, and reads them back.
  void store(void* out) const;
  static Scalar load(DType dtype, const void* in);
  // Same dtype and same bits (two NaNs with the same bits are the same).
  bool same(const Scalar& other) const;
};

}  // namespace weft
