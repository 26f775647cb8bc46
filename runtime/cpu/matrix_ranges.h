// The parts of a range of matrices, one function for each of matrix_functions.h; of T float, double or complex numbers of both.
#pragma once

#include <cstdint>

namespace weft::runtime {

template <class T>
void cholesky_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void inverse_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void solve_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void determinant_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void eigh_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void eigvalsh_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void svd_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void svdvals_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void qr_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void qr_factor_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void eig_range(const uint64_t* words, long begin, long end, char*);
template <class T>
void eigvals_range(const uint64_t* words, long begin, long end, char*);

}  // namespace weft::runtime
