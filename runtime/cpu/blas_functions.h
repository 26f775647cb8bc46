// The functions of BLAS and LAPACK that products and solutions call, whichever build they are of.
#pragma once

#include <type_traits>

namespace weft::runtime {

// The functions for one dtype, with CBLAS's parameters where nothing else is said.
template <typename T>
struct BlasFunctions {
  using Scalar = std::conditional_t<std::is_floating_point_v<T>, T, const T*>;
  void (*gemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, Scalar alpha, const T* a,
               int lda, const T* b, int ldb, Scalar beta, T* c, int ldc);
  void (*gemv)(int order, int transpose, int rows, int columns, Scalar alpha, const T* a, int lda, const T* x,
               int step_x, Scalar beta, T* y, int step_y);
  void (*syrk)(int order, int triangle, int transpose, int n, int k, Scalar alpha, const T* a, int lda,
               Scalar beta, T* c, int ldc);
  void (*trsm)(int order, int side, int triangle, int transpose, int diagonal, int m, int n, Scalar alpha,
               const T* a, int lda, T* b, int ldb);
  void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);  // LAPACK's
};

inline constexpr int kBlasRowMajor = 101, kBlasPlain = 111, kBlasTransposed = 112, kBlasUpper = 121,
                     kBlasLower = 122, kBlasNonUnit = 131, kBlasUnit = 132, kBlasLeft = 141;

}  // namespace weft::runtime
