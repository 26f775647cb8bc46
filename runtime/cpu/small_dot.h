// Products of matrices so small that a library takes longer to look at its arguments than to multiply. Each
// is computed in registers, its terms added in order, so that a product alone and one of a batch have the
// same bits.
#pragma once

#include <cstdint>

namespace weft::runtime {

// C[i, j] = sum over p of A[i, p] B[p, j], for each of a batch. Steps count elements: `row_` from row to row,
// `step_` from column to column, `next_` from one matrix of the batch to that behind it.
template <typename T>
struct SmallDots {
  int64_t m, n, k;
  const T* a;
  int64_t row_a, step_a, next_a;
  const T* b;
  int64_t row_b, step_b, next_b;
  T* c;
  int64_t row_c, next_c;
};

// Whether it is for products of these extents: small ones, on a processor that has the instructions.
bool small_dot_applies(int64_t m, int64_t n, int64_t k);

// Whether the processor has vectors of 64 bytes.
bool small_dots_are_wide();

// Products [begin, end) of the batch; `wide` in vectors of 64 bytes, with the same bits.
void small_dots(const SmallDots<float>& what, int64_t begin, int64_t end, bool wide = small_dots_are_wide());
void small_dots(const SmallDots<double>& what, int64_t begin, int64_t end, bool wide = small_dots_are_wide());

}  // namespace weft::runtime
