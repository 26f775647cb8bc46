// Factors of few rows: LAPACK takes longer to begin than these take. Column-major, as LAPACK's.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>

#include "runtime/cpu/lapack.h"

namespace weft::runtime {

inline constexpr int64_t kFewRows = 16, kFewRowsOfCholesky = 8;

// LAPACK's measure of a pivot.
template <class T>
RealOf<T> size_of_pivot(const T& x) {
  return std::abs(std::real(x)) + std::abs(std::imag(x));
}

// x / by for so many; by the reciprocal, unless that is infinite.
template <class T>
void divide(T* x, const T& by, int64_t count) {
  if (size_of_pivot(by) < std::numeric_limits<RealOf<T>>::min()) {
    for (int64_t i = 0; i < count; ++i) x[i] /= by;
    return;
  }
  const T inverse = T(1) / by;
  for (int64_t i = 0; i < count; ++i) x[i] *= inverse;
}

// to += by * from, as many; complex numbers by their parts, as C's rules for NaN take longer.
template <class T>
void add_times(T* to, const T& by, const T* from, int64_t count) {
  if constexpr (kIsComplex<T>) {
    for (int64_t i = 0; i < count; ++i)
      to[i] += T(by.real() * from[i].real() - by.imag() * from[i].imag(),
                 by.real() * from[i].imag() + by.imag() * from[i].real());
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] += by * from[i];
  }
}

// As getrf: L with ones on the diagonal, and U, of the matrix whose row k was swapped with row pivots[k], from k = 0 on. The result
// is 0, or the first pivot that is zero, from 1.
template <class T>
int64_t few_rows_lu(int64_t n, T* a, int64_t* pivots) {
  int64_t info = 0;
  for (int64_t k = 0; k < n; ++k) {
    T* column = a + k * n;
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (size_of_pivot(column[i]) > size_of_pivot(column[pivot])) pivot = i;
    pivots[k] = pivot;
    if (column[pivot] == T(0)) {
      if (info == 0) info = k + 1;
      continue;
    }
    if (pivot != k)
      for (int64_t j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot]);
    divide(column + k + 1, column[k], n - k - 1);
    for (int64_t j = k + 1; j < n; ++j)
      add_times(a + j * n + k + 1, -a[j * n + k], column + k + 1, n - k - 1);
  }
  return info;
}

// x of the transposed factors: U^T L^T x = b for rows of so many elements.
template <class T>
void few_rows_solve(int64_t n, const T* a, int64_t columns, T* x) {
  for (int64_t r = 0; r < n; ++r) {
    T* row = x + r * columns;
    for (int64_t i = 0; i < r; ++i) add_times(row, -a[r * n + i], x + i * columns, columns);
    divide(row, a[r * n + r], columns);
  }
  for (int64_t r = n; r-- > 0;)
    for (int64_t i = r + 1; i < n; ++i) add_times(x + r * columns, -a[r * n + i], x + i * columns, columns);
}

// As potrf of the upper triangle, which it overwrites: U with A = U^H U, column after column. The result is 0, or the place, from 1,
// at which the matrix is not positive definite.
template <class T>
int64_t few_rows_cholesky(int64_t n, T* a) {
  for (int64_t j = 0; j < n; ++j) {
    T* column = a + j * n;
    for (int64_t i = 0; i <= j; ++i) {
      const T* other = a + i * n;
      T sum = column[i];
      for (int64_t k = 0; k < i; ++k) {
        if constexpr (kIsComplex<T>)
          sum -= T(other[k].real() * column[k].real() + other[k].imag() * column[k].imag(),
                   other[k].real() * column[k].imag() - other[k].imag() * column[k].real());
        else
          sum -= other[k] * column[k];
      }
      if (i < j) {
        column[i] = sum / std::real(other[i]);
        continue;
      }
      if (!(std::real(sum) > 0)) return j + 1;
      column[j] = std::sqrt(std::real(sum));
    }
  }
  return 0;
}

}  // namespace weft::runtime
