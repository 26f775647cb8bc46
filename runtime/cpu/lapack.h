// LAPACK's decompositions, which the OpenBLAS of products brings. Integers are given by the address of 64 bits: builds whose
// integers have 32 read and write the lower halves, as every processor here is little-endian.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft::runtime {

template <typename T>
struct RealPart {
  using Type = T;
};
template <typename T>
struct RealPart<std::complex<T>> {
  using Type = T;
};
template <typename T>
using RealOf = typename RealPart<T>::Type;
template <typename T>
inline constexpr bool kIsComplex = !std::is_floating_point_v<T>;

// The functions for one dtype, with LAPACK's parameters. Complex ones take real workspaces too, and are the unitary and
// Hermitian ones of the names. The last parameters are the lengths of the letters.
template <typename T>
struct Lapack {
  using Int = const int64_t*;
  using Letter = const char*;
  using Real = RealOf<T>;
  template <typename OfReal, typename OfComplex>
  using Of = std::conditional_t<kIsComplex<T>, OfComplex, OfReal>*;

  void (*potrf)(Letter triangle, Int n, T* a, Int lda, int64_t* info, size_t);
  void (*getrf)(Int m, Int n, T* a, Int lda, int64_t* pivots, int64_t* info);
  void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int words, int64_t* info);
  void (*orgqr)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int words, int64_t* info);
  Of<void(Letter job, Letter triangle, Int n, T* a, Int lda, T* w, T* work, Int words, int64_t* integers,
          Int integer_words, int64_t* info, size_t, size_t),
     void(Letter job, Letter triangle, Int n, T* a, Int lda, Real* w, T* work, Int words, Real* reals,
          Int real_words, int64_t* integers, Int integer_words, int64_t* info, size_t, size_t)>
      syevd;
  Of<void(Letter job, Int m, Int n, T* a, Int lda, T* s, T* u, Int ldu, T* vt, Int ldvt, T* work, Int words,
          int64_t* integers, int64_t* info, size_t),
     void(Letter job, Int m, Int n, T* a, Int lda, Real* s, T* u, Int ldu, T* vt, Int ldvt, T* work,
          Int words, Real* reals, int64_t* integers, int64_t* info, size_t)>
      gesdd;
  Of<void(Letter left, Letter right, Int n, T* a, Int lda, T* re, T* im, T* vl, Int ldvl, T* vr, Int ldvr,
          T* work, Int words, int64_t* info, size_t, size_t),
     void(Letter left, Letter right, Int n, T* a, Int lda, T* w, T* vl, Int ldvl, T* vr, Int ldvr, T* work,
          Int words, Real* reals, int64_t* info, size_t, size_t)>
      geev;
  bool wide;  // integers have 64 bits

  // What a function said: 0 for success.
  int64_t said(int64_t info) const { return wide ? info : static_cast<int32_t>(info); }
  // Of those that getrf wrote, counted from 1.
  int64_t pivot(const int64_t* pivots, int64_t i) const {
    return wide ? pivots[i] : reinterpret_cast<const int32_t*>(pivots)[i];
  }
};

// The process's, for float, double and complex numbers of both. Throws Error, which says what to install, where there are none.
template <typename T>
const Lapack<T>& lapack();

}  // namespace weft::runtime
