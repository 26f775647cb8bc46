#include "runtime/cpu/cpu_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "compiler/base/error.h"
#include "runtime/cpu/few_rows_dot.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/onednn.h"
#include "runtime/cpu/openblas.h"
#include "runtime/cpu/small_dot.h"
#include "runtime/cpu/symmetric_dot.h"

namespace weft::runtime {
namespace {

// Sides of tiles. Packing costs the largest least; smaller ones are for products that would have few tiles,
// or short ones, which are done by some threads before others have begun.
constexpr int64_t kSides[] = {256, 128, 64};
constexpr int64_t kFewTiles = 16;
constexpr int64_t kTilesPerThread = 4;
constexpr double kLongTile = 1 << 24;     // multiply-adds
constexpr int64_t kStaying = 1 << 17;     // elements in half of a core's second-level cache
constexpr int64_t kFewestTileRows = 16;   // a micro-kernel's
constexpr int64_t kTiles = 64;            // enough for the threads of most machines, few enough to stay large
constexpr int64_t kSplitDepth = 1 << 13;  // k of one piece where only k is long
constexpr int64_t kSplitOutputs = 1 << 16;  // most outputs of such a product
constexpr int64_t kVectorPiece = 1 << 16;   // elements of the matrix in one piece of a matrix-vector product
constexpr int64_t kLongRow = 1 << 13;       // elements of a stored row that are worth being cut
constexpr int64_t kFewestRows = 64;         // that are added up before parts are
constexpr int64_t kDeepest = 1 << 30;       // k of one call
constexpr int64_t kFewRowsPiece = 1 << 12;  // bytes of a row of the matrix that one thread reads, or more
constexpr double kWorthGenerating = 1 << 23;  // multiply-adds that make up for 30 ms of the first product
constexpr double kWorthItsCall = 1 << 17;     // multiply-adds of a tile
constexpr double kFlopsPerThread = 1 << 17;   // multiply-adds that are worth waking a thread
constexpr double kSmallPerThread = 1 << 19;   // the same of small products, and
constexpr double kSmallStart = 1 << 5;        // what one costs besides its own

int blas_int(int64_t value, const char* what) {
  if (value > std::numeric_limits<int>::max())
    throw Error(fmt::format("dot: {} is {}, the CPU's matrix product takes at most {}", what, value,
                            std::numeric_limits<int>::max()));
  return static_cast<int>(value);
}

int transposed(bool yes) { return yes ? kBlasTransposed : kBlasPlain; }

// One product C[m×n] = A[m×k] B[k×n] on the calling thread.
template <typename T>
struct Product {
  const BlasFunctions<T>& blas;
  const OneDnn* onednn;  // where it computes products of matrices
  bool ta, tb;
  int64_t m, n, k, lda, ldb, ldc;

  const T* a_at(const T* a, int64_t row, int64_t depth) const {
    return a + (ta ? depth * lda + row : row * lda + depth);
  }
  const T* b_at(const T* b, int64_t depth, int64_t column) const {
    return b + (tb ? column * ldb + depth : depth * ldb + column);
  }

  void zero(T* c) const {
    // A column is a row here: it would be filled by as many calls as it has elements.
    if (ldc == n || m == 1) {
      std::fill_n(c, m * n, T{});
      return;
    }
    for (int64_t i = 0; i < m; ++i) std::fill_n(c + i * ldc, n, T{});
  }

  void run(T* c, const T* a, const T* b) const {
    if (m == 0 || n == 0) return;
    if (k == 0) return zero(c);
    for (int64_t done = 0; done < k; done += kDeepest)
      piece(c, a_at(a, 0, done), b_at(b, done, 0), std::min(kDeepest, k - done), done == 0);
  }

  void piece(T* c, const T* a, const T* b, int64_t deep, bool first) const {
    const int depth = static_cast<int>(deep);
    const int rows = blas_int(m, "m"), columns = blas_int(n, "n");
    // A stored matrix of one row has no distance between rows that a check should see.
    auto leading = [](int64_t given, int64_t stored_rows, int64_t width, const char* what) {
      return blas_int(stored_rows == 1 ? std::max(width, int64_t{1}) : given, what);
    };
    const int la = leading(lda, ta ? deep : m, ta ? m : deep, "a's leading dimension");
    const int lb = leading(ldb, tb ? n : deep, tb ? deep : n, "b's leading dimension");
    const int lc = leading(ldc, m, n, "c's leading dimension");
    if (n == 1 && m == 1 && ta && lda != 1) {
      // Read as a column it would be added up in another order than as a row.
      std::vector<T> row(static_cast<size_t>(deep));
      for (int64_t i = 0; i < deep; ++i) row[static_cast<size_t>(i)] = a[i * lda];
      Product inner = *this;
      inner.ta = false, inner.lda = deep;
      return inner.piece(c, row.data(), b, deep, first);
    }
    if (n == 1 || m == 1) {
      // A matrix-vector product reads the matrix once, without packing it. It adds to zeros: with beta = 0 it
      // would multiply what C happens to hold.
      if (first) zero(c);
      const T one = 1;
      if (n == 1)
        blas.gemv(kBlasRowMajor, transposed(ta), ta ? depth : rows, ta ? rows : depth, blas_scalar(one), a,
                  la, b, tb ? 1 : std::max(blas_int(ldb, "b's stride"), 1), blas_scalar(one), c,
                  m == 1 ? 1 : lc);
      else
        blas.gemv(kBlasRowMajor, transposed(!tb), tb ? columns : depth, tb ? depth : columns,
                  blas_scalar(one), b, lb, a, ta ? std::max(blas_int(lda, "a's stride"), 1) : 1,
                  blas_scalar(one), c, 1);
      return;
    }
    if constexpr (std::is_same_v<T, float>)
      if (onednn && static_cast<double>(m * n) * static_cast<double>(deep) >= kWorthItsCall) {
        const OneDnnThread one_thread(*onednn);
        const int failed = onednn->sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, deep, 1, a, la, b, lb,
                                         first ? 0.0f : 1.0f, c, lc);
        if (failed) throw Error(fmt::format("dot: oneDNN's product failed with status {}", failed));
        return;
      }
    const T one = 1, beta = first ? T{0} : T{1};
    blas.gemm(kBlasRowMajor, transposed(ta), transposed(tb), rows, columns, depth, blas_scalar(one), a, la, b,
              lb, blas_scalar(beta), c, lc);
  }
};

// Whether a product with a vector adds up the stored rows of its matrix.
bool adds_rows(const Dot& d) { return d.n == 1 ? d.transpose_a && d.m > 1 : d.m == 1 && !d.transpose_b; }

// How many parts k is cut into, whose results are added in order.
int64_t parts_of(const Dot& d) {
  const int64_t longest = std::max(d.m, d.n), outputs = d.batch * d.m * d.n;
  if (outputs <= kSplitOutputs && d.k >= 2 * kSplitDepth && longest < kSides[0])
    return std::min(kTiles, d.k / kSplitDepth);
  // Cut along its stored rows, a matrix of short ones has too few pieces.
  if (!adds_rows(d) || d.batch > 1 || longest >= kLongRow) return 1;
  return std::clamp<int64_t>(longest * d.k / kVectorPiece, 1,
                             std::min(kTiles, std::max<int64_t>(d.k / kFewestRows, 1)));
}

double multiply_adds(const Dot& d) {
  return static_cast<double>(d.batch) * static_cast<double>(d.m) * static_cast<double>(d.n) *
         static_cast<double>(std::max<int64_t>(d.k, 1));
}

// How many tiles each side is cut into.
struct Tiles {
  int64_t m = 1, n = 1;
};
// `packs`: whether a product packs b again for each tile. One that does not takes strips of whole rows, of as
// many outputs as squares have, where all of b stays in a core's cache.
Tiles tiles_of(const Dot& d, std::span<const int64_t> sides, bool packs) {
  const int64_t most = std::max<int64_t>(1, kTiles / std::max<int64_t>(d.batch, 1));
  if (d.n == 1 || d.m == 1) {
    // Cut along the stored rows, a piece reads parts of all of them: those parts must stay long.
    const int64_t along = std::max(d.m, d.n), shortest = adds_rows(d) ? 512 : 16;
    const int64_t bound = std::clamp<int64_t>(along / shortest, 1, most);
    const int64_t pieces = std::clamp<int64_t>(along * d.k / kVectorPiece, 1, bound);
    return d.n == 1 ? Tiles{pieces, 1} : Tiles{1, pieces};
  }
  Tiles tiles;
  for (const int64_t side : sides) {
    const bool strips = !packs && d.n > side && d.k * d.n <= kStaying;
    const int64_t width = strips ? d.n : side,
                  height = strips ? std::max(side * side / d.n, kFewestTileRows) : side;
    tiles = {std::max<int64_t>(d.m / height, 1), std::max<int64_t>(d.n / width, 1)};
    // Wide tiles rather than tall ones, since rows are written.
    while (tiles.m * tiles.n > most) {
      const bool wide = d.n / tiles.n > d.m / tiles.m;
      int64_t& halved = tiles.m > 1 && (wide || tiles.n == 1) ? tiles.m : tiles.n;
      halved = (halved + 1) / 2;
    }
    const int64_t count = d.batch * tiles.m * tiles.n;
    if (count >= kFewTiles &&
        (side < kSides[0] || multiply_adds(d) / static_cast<double>(count) >= kLongTile))
      break;
  }
  return tiles;
}

// Where the piece `index` of `count` begins; in steps of 16, so that micro-kernels see whole tiles.
int64_t piece_begin(int64_t extent, int64_t count, int64_t index) {
  if (index == count) return extent;
  return extent / count * index / 16 * 16;
}

// What fills no vector at the end of the rows is the library's.
template <typename T>
void few_rows_dot(const Product<T>& whole, const Dot& d, T* c, const T* a, const T* b,
                  const ParallelFor& parallel) {
  constexpr int64_t kUnit = kFewRowsUnit<T>, kGrain = kFewRowsPiece / static_cast<int64_t>(sizeof(T)) / kUnit;
  const int64_t units = d.n / kUnit, rest = d.n % kUnit;
  for (int64_t batch = 0; batch < d.batch; ++batch, c += d.stride_c, a += d.stride_a, b += d.stride_b) {
    const FewRows<T> rows{d.m, d.n,   d.k, a,    d.transpose_a ? 1 : d.lda, d.transpose_a ? d.lda : 1,
                          b,   d.ldb, c,   d.ldc};
    parallel(units, kGrain, [&](int64_t begin, int64_t end) { few_rows(rows, begin * kUnit, end * kUnit); });
    if (rest == 0) continue;
    Product<T> last = whole;
    last.n = rest;
    last.run(c + units * kUnit, a, b + units * kUnit);
  }
}

template <typename T>
void small_dot(const Dot& d, T* c, const T* a, const T* b, const ParallelFor& parallel) {
  const SmallDots<T> all{d.m,
                         d.n,
                         d.k,
                         a,
                         d.transpose_a ? 1 : d.lda,
                         d.transpose_a ? d.lda : 1,
                         d.stride_a,
                         b,
                         d.transpose_b ? 1 : d.ldb,
                         d.transpose_b ? d.ldb : 1,
                         d.stride_b,
                         c,
                         d.ldc,
                         d.stride_c};
  const double each = static_cast<double>(d.m * d.n * d.k) + kSmallStart;
  parallel(d.batch, static_cast<int64_t>(kSmallPerThread / each),
           [&](int64_t begin, int64_t end) { small_dots(all, begin, end); });
}

template <typename T>
void dot(const BlasFunctions<T>& blas, const Dot& d, T* c, const T* a, const T* b,
         const ParallelFor& parallel) {
  const double work = multiply_adds(d) / static_cast<double>(d.batch);
  const OneDnn* library = nullptr;
  if constexpr (std::is_same_v<T, float>)
    if (multiply_adds(d) >= kWorthGenerating) library = onednn();
  const Product<T> whole{blas, library, d.transpose_a, d.transpose_b, d.m, d.n, d.k, d.lda, d.ldb, d.ldc};
  auto grain_for = [](double flops) {
    return std::max<int64_t>(1, static_cast<int64_t>(kFlopsPerThread / std::max(flops, 1.0)));
  };

  if constexpr (std::is_floating_point_v<T>)
    if (small_dot_applies(d.m, d.n, d.k)) return small_dot(d, c, a, b, parallel);
  if (symmetric_dot_applies(d, a, b)) {
    auto tile_product = [&](T* into, int64_t ldc, const DotTile& tile, int64_t from, int64_t depth) {
      Product<T> product = whole;
      product.m = tile.rows, product.n = tile.columns, product.k = depth, product.ldc = ldc;
      product.run(into, whole.a_at(a, tile.row, from), whole.b_at(b, from, tile.column));
    };
    return symmetric_dot<T>(blas, d, c, a, tile_product, parallel);
  }
  if constexpr (std::is_floating_point_v<T>)
    if (!d.transpose_b && few_rows_apply(d.m, d.n, d.k, sizeof(T)))
      return few_rows_dot(whole, d, c, a, b, parallel);

  if (const int64_t parts = parts_of(d); parts > 1) {
    const size_t area = static_cast<size_t>(d.m * d.n);
    auto partial = std::make_unique<T[]>(static_cast<size_t>(parts * d.batch) * area);
    parallel(d.batch * parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t batch = task / parts, part = task % parts;
        const int64_t from = piece_begin(d.k, parts, part), to = piece_begin(d.k, parts, part + 1);
        Product<T> product = whole;
        product.k = to - from;
        product.ldc = d.n;
        product.run(partial.get() + static_cast<size_t>(task) * area,
                    whole.a_at(a + batch * d.stride_a, 0, from), whole.b_at(b + batch * d.stride_b, from, 0));
      }
    });
    const bool one_piece = d.ldc == d.n || d.m == 1;
    const int64_t rows = one_piece ? 1 : d.m, width = one_piece ? d.m * d.n : d.n;
    for (int64_t batch = 0; batch < d.batch; ++batch)
      for (int64_t i = 0; i < rows; ++i) {
        T* row = c + batch * d.stride_c + i * d.ldc;
        std::fill_n(row, width, T{});
        for (int64_t part = 0; part < parts; ++part) {
          const T* from =
              partial.get() + static_cast<size_t>(batch * parts + part) * area + static_cast<size_t>(i * d.n);
          for (int64_t j = 0; j < width; ++j) row[j] += from[j];
        }
      }
    return;
  }

  static const int64_t processors = usable_threads();  // asked once: it reads files
  // oneDNN packs little: it loses less by small tiles than many processors gain by sharing them evenly. How
  // many of those work does not matter, so that the results do not depend on it.
  const bool large =
      !library || d.batch * (d.m / kSides[0]) * (d.n / kSides[0]) >= kTilesPerThread * processors;
  const Tiles tiles = tiles_of(d, std::span(kSides).subspan(large ? 0 : 1), library == nullptr);
  const int64_t each = tiles.m * tiles.n;
  parallel(d.batch * each, grain_for(work / static_cast<double>(each)), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t batch = task / each, row = task % each / tiles.n, column = task % tiles.n;
      const int64_t i = piece_begin(d.m, tiles.m, row), j = piece_begin(d.n, tiles.n, column);
      Product<T> product = whole;
      product.m = piece_begin(d.m, tiles.m, row + 1) - i;
      product.n = piece_begin(d.n, tiles.n, column + 1) - j;
      product.run(c + batch * d.stride_c + i * d.ldc + j, whole.a_at(a + batch * d.stride_a, i, 0),
                  whole.b_at(b + batch * d.stride_b, 0, j));
    }
  });
}

void check(const Dot& d) {
  if (std::min({d.batch, d.m, d.n, d.k}) < 0)
    throw InternalError(
        fmt::format("dot: negative extent in batch {}, m {}, n {}, k {}", d.batch, d.m, d.n, d.k));
  auto leading = [](const char* which, int64_t rows, int64_t width, int64_t given) {
    if (rows > 1 && given < width)
      throw InternalError(fmt::format("dot: the leading dimension of {} is {}, its rows have {} elements",
                                      which, given, width));
  };
  leading("a", d.transpose_a ? d.k : d.m, d.transpose_a ? d.m : d.k, d.lda);
  leading("b", d.transpose_b ? d.n : d.k, d.transpose_b ? d.k : d.n, d.ldb);
  leading("c", d.m, d.n, d.ldc);
  blas_int(d.lda, "a's leading dimension");
  blas_int(d.ldb, "b's leading dimension");
  blas_int(d.ldc, "c's leading dimension");
}

}  // namespace

bool cpu_supports_dot(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::C64 || dtype == DType::C128;
}

void cpu_dot(const Dot& what, void* c, const void* a, const void* b, const ParallelFor& parallel) {
  check(what);
  if (what.batch == 0 || what.m == 0 || what.n == 0) return;
  with_blas("dot: the CPU multiplies", what.dtype, [&]<typename T>(const BlasFunctions<T>& blas) {
    dot<T>(blas, what, static_cast<T*>(c), static_cast<const T*>(a), static_cast<const T*>(b), parallel);
  });
}

}  // namespace weft::runtime
