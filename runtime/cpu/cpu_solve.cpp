#include "runtime/cpu/cpu_solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "compiler/base/error.h"
#include "runtime/cpu/openblas.h"

namespace weft::runtime {
namespace {

constexpr int64_t kRightSides = 128;  // of the right-hand sides in one piece

// BLAS is told that `a` is row-major, as `b` is: the factors, L with ones on the diagonal and U, are then the
// transposed of its upper and its lower triangle.
template <typename T>
bool solve(const BlasFunctions<T>& blas, int64_t n, int64_t columns, T* a, T* b,
           const ParallelFor& parallel) {
  const int side = static_cast<int>(n);
  std::vector<int> pivots(static_cast<size_t>(n));
  int info = 0;
  blas.getrf(&side, &side, a, &side, pivots.data(), &info);
  if (info < 0) throw InternalError(fmt::format("solve: LAPACK refuses argument {} of getrf", -info));
  if (info > 0) return false;

  const int64_t pieces = (columns + kRightSides - 1) / kRightSides;
  parallel(pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t begin = columns * piece / pieces, count = columns * (piece + 1) / pieces - begin;
      T* x = b + begin;
      for (int64_t i = 0; i < n; ++i)
        if (const int64_t from = pivots[static_cast<size_t>(i)] - 1; from != i)
          std::swap_ranges(x + i * columns, x + i * columns + count, x + from * columns);
      const T one = 1;
      const auto triangle = [&](int which, int diagonal) {
        blas.trsm(kBlasRowMajor, kBlasLeft, which, kBlasTransposed, diagonal, side, static_cast<int>(count),
                  blas_scalar(one), a, side, x, static_cast<int>(columns));
      };
      triangle(kBlasUpper, kBlasUnit);
      triangle(kBlasLower, kBlasNonUnit);
    }
  });
  return true;
}

}  // namespace

bool cpu_solve(DType dtype, int64_t n, int64_t columns, void* a, void* b, const ParallelFor& parallel) {
  if (std::max(n, columns) > std::numeric_limits<int>::max())
    throw Error(fmt::format("solve: the CPU takes at most {} unknowns and right-hand sides, got {} and {}",
                            std::numeric_limits<int>::max(), n, columns));
  if (n == 0) return true;
  return with_blas("solve: the CPU solves for", dtype, [&]<typename T>(const BlasFunctions<T>& blas) {
    return solve<T>(blas, n, columns, static_cast<T*>(a), static_cast<T*>(b), parallel);
  });
}

}  // namespace weft::runtime
