#include "runtime/cpu/packed_dot.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace weft::runtime {
namespace {

constexpr int64_t kVectorBytes = 64;
constexpr int64_t kRows = 14;  // of a tile; with two vectors a row all registers but three
constexpr int64_t kColumns =
    256;                        // of a unit; a part of its packed B takes a quarter of a second-level cache
constexpr int64_t kTasks = 64;  // tiles of rows in units, if narrower units give as many
constexpr int64_t kPartBytes = 1024;  // of a row of A; kRows of them fill half a first-level cache
constexpr int64_t kParts = 16;        // of k that are packed at once
constexpr int64_t kPackedBytes = int64_t{16} << 20;
constexpr int64_t kWorthAThread = 1 << 17, kWorthPacking = 1 << 20;  // multiply-adds
// Rows that make up for packing B, and for turning it over.
constexpr int64_t kFewestRows = 64, kFewestRowsTurned = 128, kFewestTerms = 16;

template <typename T>
constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));
template <typename T>
constexpr int64_t kStrip = 2 * kLanes<T>;  // columns of a tile
template <typename T>
constexpr int64_t kPart = kPartBytes / static_cast<int64_t>(sizeof(T));
// Elements from a packed row of A to the next, which begins in another set of the cache; where A is stored
// transposed, from one step along k to the next.
template <typename T>
constexpr int64_t kRowStep = kPart<T> + kLanes<T>;
constexpr int64_t kDepthStep = 16;

// A tile of C from packed rows of A and a packed strip of B. Prefetches run past the end of the strip.
template <int rows, bool across, typename T>
[[gnu::target("avx512f")]] void tile(T* c, int64_t ldc, bool add, const T* a, const T* b, int64_t depth) {
  typedef T Vector __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
  constexpr int64_t kFromRow = across ? 1 : kRowStep<T>, kFromStep = across ? kDepthStep : 1;
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * ldc, 1);
    __builtin_prefetch(c + i * ldc + kLanes<T>, 1);
  }
  Vector sums[rows][2] = {};
  for (int64_t p = 0; p < depth; ++p, a += kFromStep, b += kStrip<T>) {
    const Vector left = *reinterpret_cast<const Vector*>(b);
    const Vector right = *reinterpret_cast<const Vector*>(b + kLanes<T>);
    __builtin_prefetch(b + 8 * kStrip<T>);
    __builtin_prefetch(b + 8 * kStrip<T> + kLanes<T>);
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
      sums[i][0] += a[i * kFromRow] * left;
      sums[i][1] += a[i * kFromRow] * right;
    }
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
    auto* to = reinterpret_cast<Vector*>(c + i * ldc);
    to[0] = add ? to[0] + sums[i][0] : sums[i][0];
    to[1] = add ? to[1] + sums[i][1] : sums[i][1];
  }
}

template <typename T>
using Tile = void(T* c, int64_t ldc, bool add, const T* a, const T* b, int64_t depth);

template <typename T, bool across>
constexpr auto kTiles = []<size_t... i>(std::index_sequence<i...>) {
  return std::array<Tile<T>*, sizeof...(i)>{tile<static_cast<int>(i) + 1, across, T>...};
}(std::make_index_sequence<kRows>{});

// Where piece `index` of `count` begins.
int64_t begins(int64_t extent, int64_t count, int64_t index) { return extent * index / count; }

int64_t pieces(int64_t extent, int64_t largest) { return (extent + largest - 1) / largest; }

// A stretch of k for one matrix after another: what is packed at once.
template <typename T>
class Stretch {
 public:
  Stretch(const Dot& d, T* c, const T* a, const T* b, int64_t begin, int64_t end)
      : d_(d),
        c_(c),
        a_(a),
        b_(b),
        begin_(begin),
        depth_(end - begin),
        parts_(pieces(depth_, kPart<T>)),
        strips_(pieces(d.n, kStrip<T>)),
        row_tiles_(pieces(d.m, kRows)),
        units_(std::max(pieces(d.n, kColumns), std::min(strips_, pieces(kTasks, d.batch * row_tiles_)))) {}

  void run(const ParallelFor& parallel, const Workspace& workspace) {
    const int64_t all = d_.batch * units_, unit_bytes = unit_elements() * static_cast<int64_t>(sizeof(T));
    const int64_t most = std::clamp<int64_t>(kPackedBytes / unit_bytes, 1, all);
    const auto memory = workspace(static_cast<size_t>(most * unit_bytes));
    packed_ = static_cast<T*>(memory.get());
    states_ = std::make_unique<std::atomic<int>[]>(static_cast<size_t>(most * unit_strips()));
    const int64_t grain = std::max<int64_t>(1, kWorthAThread / (kRows * unit_strips() * kStrip<T> * depth_));
    for (first_ = 0; first_ < all; first_ += most) {
      for (int64_t s = 0; s < most * unit_strips(); ++s) states_[static_cast<size_t>(s)] = kUntouched;
      parallel(std::min(most, all - first_) * row_tiles_, grain, [&](int64_t task, int64_t last) {
        while (task < last) {
          const int64_t unit = task / row_tiles_, end = std::min(last, (unit + 1) * row_tiles_);
          compute(unit, task - unit * row_tiles_, end - unit * row_tiles_);
          task = end;
        }
      });
    }
  }

 private:
  enum State { kUntouched, kBeingPacked, kPacked };

  int64_t unit_strips() const { return pieces(strips_, units_); }
  int64_t unit_elements() const { return unit_strips() * kStrip<T> * depth_; }

  // Strips of a unit lie beside each other for each part of k.
  void compute(int64_t unit, int64_t first_row, int64_t last_row) {
    const int64_t batch = (first_ + unit) / units_, column = (first_ + unit) % units_;
    const int64_t first = begins(strips_, units_, column),
                  strips = begins(strips_, units_, column + 1) - first;
    T* const packed = packed_ + unit * unit_elements();
    const T* b = b_ + batch * d_.stride_b;
    std::atomic<int>* states = states_.get() + unit * unit_strips();
    for (int64_t s = 0; s < strips; ++s) {
      int untouched = kUntouched;
      if (!states[s].compare_exchange_strong(untouched, kBeingPacked, std::memory_order_acquire)) continue;
      pack_strip(packed, s, strips, b, (first + s) * kStrip<T>);
      states[s].store(kPacked, std::memory_order_release);
    }
    for (int64_t s = 0; s < strips; ++s)
      while (states[s].load(std::memory_order_acquire) != kPacked) std::this_thread::yield();

    alignas(kVectorBytes) T rows[std::max(kRows * kRowStep<T>, kPart<T> * kDepthStep)];
    for (int64_t part = 0; part < parts_; ++part) {
      const int64_t from = begins(depth_, parts_, part), depth = begins(depth_, parts_, part + 1) - from;
      const T* const b_part = packed + from * strips * kStrip<T>;
      const bool add = begin_ + from > 0;
      for (int64_t t = first_row; t < last_row; ++t) {
        const int64_t i = begins(d_.m, row_tiles_, t), count = begins(d_.m, row_tiles_, t + 1) - i;
        pack_rows(rows, a_ + batch * d_.stride_a, i, count, begin_ + from, depth);
        Tile<T>* const multiply =
            (d_.transpose_a ? kTiles<T, true> : kTiles<T, false>)[static_cast<size_t>(count - 1)];
        T* const c = c_ + batch * d_.stride_c + i * d_.ldc;
        for (int64_t s = 0; s < strips; ++s) {
          const int64_t j = (first + s) * kStrip<T>, width = std::min(kStrip<T>, d_.n - j);
          const T* const strip = b_part + s * kStrip<T> * depth;
          ask_for_rows(a_ + batch * d_.stride_a, i + count, s, strips, begin_ + from, depth);
          if (width == kStrip<T>)
            multiply(c + j, d_.ldc, add, rows, strip, depth);
          else
            narrow(multiply, c + j, width, count, add, rows, strip, depth);
        }
      }
    }
  }

  // A share of what the next tile packs.
  void ask_for_rows(const T* a, int64_t i, int64_t s, int64_t strips, int64_t from, int64_t depth) const {
    const int64_t count = std::min(kRows, d_.m - i);
    if (d_.transpose_a) {
      for (int64_t p = begins(depth, strips, s); p < begins(depth, strips, s + 1) && count > 0; ++p)
        __builtin_prefetch(a + (from + p) * d_.lda + i);
    } else {
      for (int64_t r = begins(count, strips, s); r < begins(count, strips, s + 1); ++r)
        for (int64_t p = 0; p < depth; p += kLanes<T>)
          __builtin_prefetch(a + (i + r) * d_.lda + from + p, 0, 2);
    }
  }

  // The last columns, fewer than a tile has.
  void narrow(Tile<T>* multiply, T* c, int64_t width, int64_t count, bool add, const T* rows, const T* strip,
              int64_t depth) const {
    alignas(kVectorBytes) T whole[kRows * kStrip<T>];
    multiply(whole, kStrip<T>, false, rows, strip, depth);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < width; ++j) {
        T& to = c[i * d_.ldc + j];
        to = add ? to + whole[i * kStrip<T> + j] : whole[i * kStrip<T> + j];
      }
  }

  void pack_rows(T* to, const T* a, int64_t i, int64_t count, int64_t from, int64_t depth) const {
    if (d_.transpose_a) {
      const T* column = a + from * d_.lda + i;
      const bool inside = i + kDepthStep <= d_.m;  // so that as many are copied at once
      for (int64_t p = 0; p < depth; ++p, column += d_.lda, to += kDepthStep)
        if (inside)
          std::memcpy(to, column, sizeof(T) * kDepthStep);
        else
          std::copy_n(column, count, to);
    } else {
      for (int64_t r = 0; r < count; ++r)
        std::copy_n(a + (i + r) * d_.lda + from, depth, to + r * kRowStep<T>);
    }
  }

  // Columns beyond the last are zeros.
  void pack_strip(T* packed, int64_t s, int64_t strips, const T* b, int64_t j) const {
    const int64_t width = std::min(kStrip<T>, d_.n - j);
    for (int64_t part = 0; part < parts_; ++part) {
      const int64_t from = begins(depth_, parts_, part), depth = begins(depth_, parts_, part + 1) - from;
      T* to = packed + (from * strips + s * depth) * kStrip<T>;
      if (width < kStrip<T>) std::fill_n(to, depth * kStrip<T>, T{0});
      if (d_.transpose_b)
        transpose(to, b + j * d_.ldb + begin_ + from, width, depth);
      else
        for (int64_t p = 0; p < depth; ++p, to += kStrip<T>) {
          const T* row = b + (begin_ + from + p) * d_.ldb + j;
          if (width == kStrip<T>)
            std::memcpy(to, row, sizeof(T) * kStrip<T>);
          else
            std::copy_n(row, width, to);
        }
    }
  }

  // In squares that stay in the first-level cache on both sides.
  void transpose(T* to, const T* b, int64_t width, int64_t depth) const {
    constexpr int64_t kSide = 8;
    for (int64_t p = 0; p < depth; p += kSide)
      for (int64_t j = 0; j < width; j += kSide)
        for (int64_t x = j; x < std::min(j + kSide, width); ++x)
          for (int64_t y = p; y < std::min(p + kSide, depth); ++y) to[y * kStrip<T> + x] = b[x * d_.ldb + y];
  }

  const Dot& d_;
  T* c_;
  const T *a_, *b_;
  int64_t begin_, depth_, parts_, strips_, row_tiles_, units_;
  int64_t first_ = 0;  // of the units that are packed now
  T* packed_ = nullptr;
  std::unique_ptr<std::atomic<int>[]> states_;
};

template <typename T>
void packed(const Dot& d, T* c, const T* a, const T* b, const ParallelFor& parallel,
            const Workspace& workspace) {
  const int64_t stretches = pieces(d.k, kParts * kPart<T>);
  for (int64_t s = 0; s < stretches; ++s)
    Stretch<T>(d, c, a, b, begins(d.k, stretches, s), begins(d.k, stretches, s + 1)).run(parallel, workspace);
}

}  // namespace

bool packed_dot_applies(const Dot& d) {
  static const bool instructions = __builtin_cpu_supports("avx512f");
  const int64_t strip = 2 * kVectorBytes / static_cast<int64_t>(size_of(d.dtype));
  const int64_t padding = pieces(d.n, strip) * strip - d.n;
  return instructions && d.m >= (d.transpose_b ? kFewestRowsTurned : kFewestRows) && 8 * padding <= d.n &&
         d.k >= kFewestTerms && d.m * d.n >= kWorthPacking / d.k;
}

void packed_dot(const Dot& what, float* c, const float* a, const float* b, const ParallelFor& parallel,
                const Workspace& workspace) {
  packed(what, c, a, b, parallel, workspace);
}
void packed_dot(const Dot& what, double* c, const double* a, const double* b, const ParallelFor& parallel,
                const Workspace& workspace) {
  packed(what, c, a, b, parallel, workspace);
}

}  // namespace weft::runtime
