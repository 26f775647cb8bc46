// How elements are stored and in which type they are computed, as types: Storage<DType::F16> and a dispatch
// to it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "compiler/base/dtype.h"

namespace weft::ir {

// `Stored` is the format in memory; load and store convert to and from `Compute`, storing wraps or rounds.
template <class S, class C>
struct PlainStorage {
  using Stored = S;
  using Compute = C;
  static C load(const std::byte* from, int64_t at) {
    S v;
    std::memcpy(&v, from + at * static_cast<int64_t>(sizeof v), sizeof v);
    return static_cast<C>(v);
  }
  static void store(std::byte* to, int64_t at, C value) {
    const S v = static_cast<S>(value);
    std::memcpy(to + at * static_cast<int64_t>(sizeof v), &v, sizeof v);
  }
};

template <float (*widen)(uint16_t), uint16_t (*round)(float)>
struct HalfStorage {
  using Stored = uint16_t;
  using Compute = float;
  static float load(const std::byte* from, int64_t at) {
    return widen(PlainStorage<uint16_t, uint16_t>::load(from, at));
  }
  static void store(std::byte* to, int64_t at, float value) {
    PlainStorage<uint16_t, uint16_t>::store(to, at, round(value));
  }
};

template <DType>
struct Storage;
template <>
struct Storage<DType::Bool> : PlainStorage<uint8_t, bool> {};
template <>
struct Storage<DType::I8> : PlainStorage<int8_t, int64_t> {};
template <>
struct Storage<DType::I16> : PlainStorage<int16_t, int64_t> {};
template <>
struct Storage<DType::I32> : PlainStorage<int32_t, int64_t> {};
template <>
struct Storage<DType::I64> : PlainStorage<int64_t, int64_t> {};
template <>
struct Storage<DType::U8> : PlainStorage<uint8_t, uint64_t> {};
template <>
struct Storage<DType::U16> : PlainStorage<uint16_t, uint64_t> {};
template <>
struct Storage<DType::U32> : PlainStorage<uint32_t, uint64_t> {};
template <>
struct Storage<DType::U64> : PlainStorage<uint64_t, uint64_t> {};
template <>
struct Storage<DType::F16> : HalfStorage<f16_to_float, float_to_f16> {};
template <>
struct Storage<DType::BF16> : HalfStorage<bf16_to_float, float_to_bf16> {};
template <>
struct Storage<DType::F32> : PlainStorage<float, float> {};
template <>
struct Storage<DType::F64> : PlainStorage<double, double> {};
template <>
struct Storage<DType::C64> : PlainStorage<std::complex<float>, std::complex<float>> {};
template <>
struct Storage<DType::C128> : PlainStorage<std::complex<double>, std::complex<double>> {};

// Calls f(std::integral_constant<DType, t>()).
template <class F>
decltype(auto) with_dtype(DType t, F&& f) {
  switch (t) {
#define WEFT_X(name, text, bytes, kind) \
  case DType::name:                     \
    return f(std::integral_constant<DType, DType::name>());
    WEFT_DTYPES(WEFT_X)
#undef WEFT_X
  }
  __builtin_unreachable();
}

}  // namespace weft::ir
