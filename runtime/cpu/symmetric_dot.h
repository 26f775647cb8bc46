// Products of a matrix with its own transpose, `X.T @ X`: the result is symmetric, so half of it is computed
// and the other half is copied, as NumPy does by BLAS's syrk.
#pragma once

#include <functional>

#include "compiler/program/program.h"
#include "runtime/cpu/openblas.h"
#include "runtime/cpu/parallel_for.h"

namespace weft::runtime {

// Whether b is a's memory, read the other way round, and large enough for the copy to pay.
bool symmetric_dot_applies(const Dot& d, const void* a, const void* b);

// A part of a matrix with its transpose: the first row, the first column, and how many of each.
struct DotTile {
  int64_t row, rows, column, columns;
};

// Writes a tile of the product over the terms [from, from + depth), its rows `ldc` from one another.
template <typename T>
using DotTileProduct =
    std::function<void(T* c, int64_t ldc, const DotTile& tile, int64_t from, int64_t depth)>;

// `off_diagonal` computes the tiles above the diagonal.
template <typename T>
void symmetric_dot(const BlasFunctions<T>& blas, const Dot& d, T* c, const T* a,
                   const DotTileProduct<T>& off_diagonal, const ParallelFor& parallel);

}  // namespace weft::runtime
