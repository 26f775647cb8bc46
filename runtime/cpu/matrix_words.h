// What functions over ranges of matrices share: the words of a call, copies, workspaces.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>

#include "compiler/base/error.h"
#include "runtime/cpu/lapack.h"
#include "runtime/cpu/matrix_functions.h"
#include "runtime/cpu/openblas.h"

namespace weft::runtime {

// Of a call with so many arrays: the operands, then the results.
class MatrixWords {
 public:
  MatrixWords(const uint64_t* words, int arrays) : words_(words), numbers_(words + arrays) {}
  int64_t option() const { return number(0); }
  int64_t m() const { return number(1); }
  int64_t n() const { return number(2); }
  int64_t columns() const { return number(3); }
  // Where the elements begin that an array has for one place of the range, of which each has so many.
  template <class E>
  E* at(int array, int64_t place, int64_t size) const {
    return reinterpret_cast<E*>(words_[array]) + place * size;
  }

 private:
  int64_t number(int k) const { return static_cast<int64_t>(numbers_[k]); }
  const uint64_t* words_;
  const uint64_t* numbers_;
};

// Memory without values for so many elements, one at least.
template <class E>
std::unique_ptr<E[]> scratch(int64_t count) {
  return std::make_unique_for_overwrite<E[]>(static_cast<size_t>(std::max<int64_t>(count, 1)));
}

inline int64_t leading(int64_t rows) { return std::max<int64_t>(rows, 1); }

// How many elements a workspace takes that LAPACK has asked for; f32 may have rounded the number down.
template <class T>
int64_t words_of(const T& asked) {
  const auto count = static_cast<int64_t>(std::real(asked));
  return std::max<int64_t>(1, count + (sizeof(RealOf<T>) == 4 ? count >> 22 : 0));
}

template <class T>
void fill_nan(T* to, int64_t count) {
  constexpr RealOf<T> kNan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  if constexpr (kIsComplex<T>)
    std::fill_n(to, count, T(kNan, kNan));
  else
    std::fill_n(to, count, kNan);
}

template <class T>
bool is_finite(const T& x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}

// Column-major from row-major, or back: to[c][r] = from[r][c], in blocks that caches hold.
template <class T, class F>
void transpose(const F* from, int64_t rows, int64_t columns, T* to) {
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock)
    for (int64_t c0 = 0; c0 < columns; c0 += kBlock)
      for (int64_t c = c0; c < std::min(columns, c0 + kBlock); ++c)
        for (int64_t r = r0; r < std::min(rows, r0 + kBlock); ++r) to[c * rows + r] = from[r * columns + c];
}

template <class T>
void set_identity(T* to, int64_t n) {
  std::fill_n(to, n * n, T(0));
  for (int64_t i = 0; i < n; ++i) to[i * n + i] = T(1);
}

// What LAPACK said, of which negative is that it refuses an argument: one that 32 bits do not hold.
template <class T>
int64_t said(const Lapack<T>& lapack, int64_t info, const char* what, const MatrixWords& call) {
  const int64_t what_it_said = lapack.said(info);
  if (what_it_said < 0)
    throw Error(std::string(what) + ": LAPACK refuses a matrix of " + std::to_string(call.m()) + " x " +
                std::to_string(call.n()) +
                ", which may be too large for an OpenBLAS whose integers have 32 bits");
  return what_it_said;
}

}  // namespace weft::runtime
