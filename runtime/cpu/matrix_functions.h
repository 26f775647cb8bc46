// Decompositions of stacks of matrices, which the CPU computes by LAPACK as functions of the library. The matrices are of the last
// two axes, row-major; the axes before them count the matrices, as the range of a call does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/base/library_function.h"
#include "compiler/base/tensor_type.h"

namespace weft::runtime {

// What is made of a matrix A of m rows and n columns, k = min(m, n). Those but the determinant have `info` as their last result,
// one i64 for each matrix: 0, or why it has no such decomposition, and then the others are NaN.
enum class MatrixFunction : uint8_t {
  Cholesky,     // L with A = L L^H of A's lower triangle; or U with A = U^H U of its upper one
  Inverse,      // of A
  Solve,        // X with A X = B
  Determinant,  // and its sign, and the logarithm of its size
  Eigh,      // eigenvalues of a Hermitian matrix, of which one triangle is read, and the eigenvectors as rows
  Eigvalsh,  // the values alone
  Svd,       // U, the singular values and V^H
  Svdvals,   // the values alone
  Qr,        // Q and R
  QrFactor,  // R alone
  Eig,       // eigenvalues, complex, and eigenvectors as columns
  Eigvals,   // the values alone
};
inline constexpr int kMatrixFunctions = 12;

// The option 1: of Cholesky, Eigh and Eigvalsh the upper triangle; of Svd and Qr all columns of U and Q, and rows of V^H and R.
inline constexpr int64_t kUpper = 1, kComplete = 1;

// Why a matrix has no decomposition, beside what LAPACK says, which is positive.
inline constexpr int64_t kNotFinite = -1;

struct MatrixCall {
  std::vector<TensorType> results;
  std::vector<int64_t> numbers;  // option, m, n, columns of B
  int64_t range, grain;
};
// None where no such function takes these operands: contiguous, of one dtype and stack.
std::optional<MatrixCall> matrix_call(MatrixFunction what, int64_t option,
                                      std::span<const TensorType> operands);

// For operands of f32, f64, c64 or c128.
const LibraryFunction& matrix_function(MatrixFunction what, DType dtype);

// Whether it was not open yet. Throws Error, which says what to install, where no LAPACK can be opened.
bool open_lapack();

}  // namespace weft::runtime
