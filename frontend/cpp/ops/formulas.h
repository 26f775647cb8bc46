// Functions of a matrix whose derivatives are formulas in the matrix and in what the function gives.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft::linalg {

// The formulas' y are the values, which are derived themselves. A cotangent without a value is zero. For complex numbers the
// cotangents c and tangents t are paired as Re(sum(c * t)), so that conj(c) is the gradient of papers.
struct Formulas {
  using Arrays = std::span<const Array>;
  const char* op;
  std::function<std::vector<Array>(const Array& a)> values;
  std::function<Array(const Array& a, Arrays y, Arrays c)> vjp;
  std::function<std::vector<Array>(const Array& a, Arrays y, const Array& t)> jvp;
};
std::vector<Array> with_formulas(const Array& a, const Formulas& formulas);

}  // namespace weft::linalg
