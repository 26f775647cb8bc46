// Arrays from memory, from numbers and from nothing. Without a dtype, numbers give bool, i64, f64 or c128.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft {

// What a new array may be told; the device is the session's default one unless named.
struct Make {
  std::optional<DType> dtype = std::nullopt;
  std::string device = {};
  Make() = default;
  Make(DType t) : dtype(t) {}                                               // NOLINT
  Make(DType t, std::string where) : dtype(t), device(std::move(where)) {}  // NOLINT
};

// Copies size_of(dtype) * element_count(shape) bytes, row-major.
Array from_bytes(const void* data, DType dtype, const Shape& shape, const std::string& device = {});
template <Element T>
Array from(const T* data, const Shape& shape, const std::string& device = {}) {
  return from_bytes(data, dtype_of<T>(), shape, device);
}
// Error when the shape does not hold as many elements as there are.
void check_count(size_t count, const Shape& shape);
template <Element T, size_t N>
Array from(std::span<T, N> data, const Shape& shape, const std::string& device = {}) {
  check_count(data.size(), shape);
  return from_bytes(data.data(), dtype_of<std::remove_const_t<T>>(), shape, device);
}
template <Element T>
Array from(const std::vector<T>& data, const Shape& shape, const std::string& device = {}) {
  check_count(data.size(), shape);
  if constexpr (std::same_as<T, bool>) {
    const std::vector<uint8_t> bytes(data.begin(), data.end());
    return from_bytes(bytes.data(), DType::Bool, shape, device);
  } else {
    return from_bytes(data.data(), dtype_of<T>(), shape, device);
  }
}
template <Element T>
Array from(const std::vector<T>& data) {
  return from(data, Shape{static_cast<int64_t>(data.size())});
}
template <Element T>
Array from(std::initializer_list<T> data) {
  return from(std::vector<T>(data));
}

// A row of values: what a view takes from a std::vector.
class Values {
 public:
  template <Element T>
  Values(const std::vector<T>& values, Where at = Where::current())
      : array_(from(values)), at_(at) {}  // NOLINT
  const Array& array() const { return array_; }
  Where at() const { return at_; }

 private:
  Array array_;
  Where at_;
};

Array full(const Shape& shape, const Number& value, const Make& make = {}, Where at = Where::current());
// A number as an array of rank 0.
Array scalar(const Number& value, const Make& make = {}, Where at = Where::current());
Array zeros(const Shape& shape, const Make& make = {}, Where at = Where::current());  // f64 unless told
Array ones(const Shape& shape, const Make& make = {}, Where at = Where::current());   // f64 unless told
// Elements of no particular value (in fact 0).
Array empty(const Shape& shape, const Make& make = {}, Where at = Where::current());
// Of one axis: zeros(3).
inline Array zeros(std::integral auto count, const Make& make = {}, Where at = Where::current()) {
  return zeros(Shape{static_cast<int64_t>(count)}, make, at);
}
inline Array ones(std::integral auto count, const Make& make = {}, Where at = Where::current()) {
  return ones(Shape{static_cast<int64_t>(count)}, make, at);
}
inline Array empty(std::integral auto count, const Make& make = {}, Where at = Where::current()) {
  return empty(Shape{static_cast<int64_t>(count)}, make, at);
}
Array zeros_like(const Array& x, Where at = Where::current());
Array ones_like(const Array& x, Where at = Where::current());
Array full_like(const Array& x, const Number& value, Where at = Where::current());

// 0, 1, … below stop; start, start + step, … before stop. Integers unless a number or the dtype is not.
Array arange(const Number& stop, const Make& make = {}, Where at = Where::current());
Array arange(const Number& start, const Number& stop, const Number& step = 1, const Make& make = {},
             Where at = Where::current());
// `count` values evenly from start to stop; the last is stop itself when `endpoint`.
Array linspace(const Number& start, const Number& stop, int64_t count, bool endpoint = true,
               const Make& make = {}, Where at = Where::current());
// Of each element its position along one axis, negative ones counted from the end: iota({2, 3}, 1) is [[0 1 2] [0 1 2]]; i64 unless told.
Array iota(const Shape& shape, int64_t axis, const Make& make = {}, Where at = Where::current());
// Ones on the diagonal `offset` above the main one; f64 unless told. `columns` -1: as many as rows.
Array eye(int64_t rows, int64_t columns = -1, int64_t offset = 0, const Make& make = {},
          Where at = Where::current());
// `tri` is 1 at and below the diagonal; `tril` and `triu` keep what is at and below, or at and above it.
Array tri(int64_t rows, int64_t columns = -1, int64_t offset = 0, const Make& make = {},
          Where at = Where::current());
Array tril(const Operand& x, int64_t offset = 0);
Array triu(const Operand& x, int64_t offset = 0);

}  // namespace weft
