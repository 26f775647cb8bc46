// Products of a matrix with its own transpose, `X.T @ X`: the result is symmetric, so half of it is computed
// and the other half is copied, as NumPy does by BLAS's syrk.
#pragma once

#include "compiler/program/program.h"
#include "runtime/cpu/openblas.h"
#include "runtime/cpu/parallel_for.h"

namespace weft::runtime {

// Whether b is a's memory, read the other way round, and large enough for the copy to pay.
bool symmetric_dot_applies(const Dot& d, const void* a, const void* b);

template <typename T>
void symmetric_dot(const BlasFunctions<T>& blas, const Dot& d, T* c, const T* a, const ParallelFor& parallel);

}  // namespace weft::runtime
