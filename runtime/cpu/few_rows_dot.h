// Products of a few rows with a large matrix, as a layer of a network makes of a few inputs. They take the
// time of reading the matrix once; a library that packs it first takes longer.
#pragma once

#include <cstdint>

namespace weft::runtime {

// C[m×n] = A[m×k] B[k×n]: element (i, p) of A lies at a[i * row_a + p * step_a], rows of B and C are
// contiguous.
template <typename T>
struct FewRows {
  int64_t m, n, k;
  const T* a;
  int64_t row_a, step_a;
  const T* b;
  int64_t ldb;
  T* c;
  int64_t ldc;
};

template <typename T>
constexpr int64_t kFewRowsUnit = 32 / sizeof(T);

// Whether the processor has the instructions and the shape is one that is read rather than computed.
bool few_rows_apply(int64_t m, int64_t n, int64_t k, int64_t element_bytes);

// Columns [begin, end), whose number is a multiple of kFewRowsUnit<T>. Each element's sum runs along k in
// parts of fixed length, whatever the columns beside it.
void few_rows(const FewRows<float>& what, int64_t begin, int64_t end);
void few_rows(const FewRows<double>& what, int64_t begin, int64_t end);

}  // namespace weft::runtime
