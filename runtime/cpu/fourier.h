// Discrete Fourier transforms along one axis, which the CPU computes as functions of the library.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/base/library_function.h"
#include "compiler/base/shape.h"

namespace weft::runtime {

// Complex numbers to complex ones by exp(-2 pi i j k / n) or by its conjugate; the first half of what the first gives of
// real numbers; and the real numbers of such a half by the second.
enum class Fourier : uint8_t { Forward, Backward, OfReal, ToReal };

// What a call is told. ToReal takes n / 2 + 1 elements along the axis and gives n, OfReal the other way round.
struct FourierNumbers {
  Fourier kind;
  int64_t n;           // elements of a transform
  int64_t apart = 1;   // elements between two of a transform
  int64_t pieces = 1;  // of the transforms whose elements lie among each other
  double factor = 1;   // of the results

  int64_t taken() const { return kind == Fourier::ToReal ? n / 2 + 1 : n; }
  int64_t given() const { return kind == Fourier::OfReal ? n / 2 + 1 : n; }
};

// For one contiguous array and one axis.
struct FourierCall : FourierNumbers {
  FourierCall(Fourier kind, const Shape& shape, size_t axis, int64_t n, double factor);
  int64_t range = 1, grain = 1;
  std::vector<int64_t> numbers() const;
};

// Of f32 and c64, or of f64 and c128.
const LibraryFunction& fourier_function(bool single);

}  // namespace weft::runtime
