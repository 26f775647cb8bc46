#include "runtime/cpu/symmetric_dot.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>

namespace weft::runtime {
namespace {

constexpr int64_t kFewestColumns = 12, kFewestTerms = 12;  // of smaller ones the library's calls take longest
constexpr int64_t kSide = 192;                             // of tiles: larger ones leave threads without any
constexpr int64_t kDepth = 1 << 11;                        // terms of one part, at least, and
constexpr int64_t kMostDotParts = 16, kPartOutputs = 1 << 22;  // how many there are, by what they hold

// Where piece `index` of `count` begins.
int64_t begin_of(int64_t extent, int64_t count, int64_t index) { return extent * index / count; }

// What lies above the diagonal, copied below it, in squares that caches hold.
template <typename T>
void mirror(T* c, int64_t n, int64_t ldc, const ParallelFor& parallel) {
  constexpr int64_t kSquare = 32;
  const int64_t strips = (n + kSquare - 1) / kSquare;
  parallel(strips, kSquare, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * kSquare; i < std::min(end * kSquare, n); i += kSquare)
      for (int64_t j = 0; j <= i; j += kSquare)
        for (int64_t row = i; row < std::min(i + kSquare, n); ++row)
          for (int64_t column = j; column < std::min(j + kSquare, row); ++column)
            c[row * ldc + column] = c[column * ldc + row];
  });
}

}  // namespace

bool symmetric_dot_applies(const Dot& d, const void* a, const void* b) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  return a == b && d.batch == 1 && d.transpose_a != d.transpose_b && d.m == d.n && d.lda == d.ldb &&
         d.m >= kFewestColumns && d.k >= kFewestTerms && d.m <= kMost && d.k <= kMost;
}

template <typename T>
void symmetric_dot(const BlasFunctions<T>& blas, const Dot& d, T* c, const T* a,
                   const DotTileProduct<T>& off_diagonal, const ParallelFor& parallel) {
  const int64_t n = d.m, side = (n + kSide - 1) / kSide, tiles = side * (side + 1) / 2;
  const int64_t parts = std::clamp<int64_t>(d.k / std::max(kDepth, 4 * n), 1,
                                            std::clamp<int64_t>(kPartOutputs / (n * n), 1, kMostDotParts));
  const int64_t area = n * n;
  const auto partial = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(parts > 1 ? parts * area : 0));
  const int64_t ldc = parts > 1 ? n : d.ldc;
  const T one = 1, zero = 0;
  parallel(parts * tiles, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t part = task / tiles, from = begin_of(d.k, parts, part);
      int64_t row = 0, column = task % tiles;
      for (; column >= side - row; ++row) column -= side - row;
      column += row;
      const int64_t i = begin_of(n, side, row), j = begin_of(n, side, column);
      const DotTile tile{i, begin_of(n, side, row + 1) - i, j, begin_of(n, side, column + 1) - j};
      const int64_t depth = begin_of(d.k, parts, part + 1) - from;
      T* into = (parts > 1 ? partial.get() + part * area : c) + i * ldc + j;
      if (i != j)
        off_diagonal(into, ldc, tile, from, depth);
      else
        blas.syrk(kBlasRowMajor, kBlasUpper, d.transpose_a ? kBlasTransposed : kBlasPlain,
                  static_cast<int>(tile.rows), static_cast<int>(depth), blas_scalar(one),
                  a + (d.transpose_a ? from * d.lda + i : i * d.lda + from), static_cast<int>(d.lda),
                  blas_scalar(zero), into, static_cast<int>(ldc));
    }
  });
  for (int64_t i = 0; parts > 1 && i < n; ++i) {
    T* sums = c + i * d.ldc;
    std::fill(sums + i, sums + n, T{});
    for (int64_t part = 0; part < parts; ++part) {
      const T* more = partial.get() + part * area + i * n;
      for (int64_t j = i; j < n; ++j) sums[j] += more[j];
    }
  }
  mirror(c, n, d.ldc, parallel);
}

template void symmetric_dot(const BlasFunctions<float>&, const Dot&, float*, const float*,
                            const DotTileProduct<float>&, const ParallelFor&);
template void symmetric_dot(const BlasFunctions<double>&, const Dot&, double*, const double*,
                            const DotTileProduct<double>&, const ParallelFor&);
template void symmetric_dot(const BlasFunctions<std::complex<float>>&, const Dot&, std::complex<float>*,
                            const std::complex<float>*, const DotTileProduct<std::complex<float>>&,
                            const ParallelFor&);
template void symmetric_dot(const BlasFunctions<std::complex<double>>&, const Dot&, std::complex<double>*,
                            const std::complex<double>*, const DotTileProduct<std::complex<double>>&,
                            const ParallelFor&);

}  // namespace weft::runtime
