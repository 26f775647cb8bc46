// OpenBLAS as NumPy's wheels bring it: its names begin with scipy_ and end with 64_, and its integers have 64 bits. These functions
// take ours.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cpu/blas_functions.h"
#include "runtime/cpu/own_library.h"

namespace weft::runtime {

// The functions of the one such library of the process, and the same with integers of 32 bits.
template <typename T>
struct WideBlas {
  using Scalar = typename BlasFunctions<T>::Scalar;
  static inline void (*wide_gemm_)(int, int, int, int64_t, int64_t, int64_t, Scalar, const T*, int64_t,
                                   const T*, int64_t, Scalar, T*, int64_t);
  static inline void (*wide_gemv_)(int, int, int64_t, int64_t, Scalar, const T*, int64_t, const T*, int64_t,
                                   Scalar, T*, int64_t);
  static inline void (*wide_syrk_)(int, int, int, int64_t, int64_t, Scalar, const T*, int64_t, Scalar, T*,
                                   int64_t);
  static inline void (*wide_trsm_)(int, int, int, int, int, int64_t, int64_t, Scalar, const T*, int64_t, T*,
                                   int64_t);
  static inline void (*wide_getrf_)(const int64_t*, const int64_t*, T*, const int64_t*, int64_t*, int64_t*);

  static void gemm(int order, int transpose_a, int transpose_b, int m, int n, int k, Scalar alpha, const T* a,
                   int lda, const T* b, int ldb, Scalar beta, T* c, int ldc) {
    wide_gemm_(order, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
  static void gemv(int order, int transpose, int rows, int columns, Scalar alpha, const T* a, int lda,
                   const T* x, int step_x, Scalar beta, T* y, int step_y) {
    wide_gemv_(order, transpose, rows, columns, alpha, a, lda, x, step_x, beta, y, step_y);
  }
  static void syrk(int order, int triangle, int transpose, int n, int k, Scalar alpha, const T* a, int lda,
                   Scalar beta, T* c, int ldc) {
    wide_syrk_(order, triangle, transpose, n, k, alpha, a, lda, beta, c, ldc);
  }
  static void trsm(int order, int side, int triangle, int transpose, int diagonal, int m, int n, Scalar alpha,
                   const T* a, int lda, T* b, int ldb) {
    wide_trsm_(order, side, triangle, transpose, diagonal, m, n, alpha, a, lda, b, ldb);
  }
  static void getrf(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info) {
    const int64_t rows = *m, columns = *n, leading = *lda;
    std::vector<int64_t> wide_pivots(static_cast<size_t>(rows < columns ? rows : columns));
    int64_t wide_info = 0;
    wide_getrf_(&rows, &columns, a, &leading, wide_pivots.data(), &wide_info);
    for (size_t i = 0; i < wide_pivots.size(); ++i) pivots[i] = static_cast<int>(wide_pivots[i]);
    *info = static_cast<int>(wide_info);
  }

  // False where the library lacks one of them.
  static bool find_all(void* library, char letter, BlasFunctions<T>& functions) {
    const auto cblas = [&](const char* name) { return fmt::format("scipy_cblas_{}{}64_", letter, name); };
    functions = {gemm, gemv, syrk, trsm, getrf};
    return find(library, cblas("gemm"), wide_gemm_) && find(library, cblas("gemv"), wide_gemv_) &&
           find(library, cblas("syrk"), wide_syrk_) && find(library, cblas("trsm"), wide_trsm_) &&
           find(library, fmt::format("scipy_{}getrf_64_", letter), wide_getrf_);
  }
};

}  // namespace weft::runtime
