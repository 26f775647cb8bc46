#include "runtime/cpu/small_dot.h"

#include <algorithm>

namespace weft::runtime {
namespace {

constexpr int64_t kMostRows = 32, kMostColumns = 16, kMostTerms = 32;
constexpr int64_t kVectorBytes = 32;

template <typename T>
using Vector __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias)) = T;
template <typename T>
constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));

// `rows` rows of C from row i, of `vectors` vectors each, the last of which may reach beyond the columns. B's
// rows are whole vectors.
template <int64_t rows, int64_t vectors, typename T>
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void block(const SmallDots<T>& w, const T* a,
                                                                  const T* b, int64_t row_b, T* c,
                                                                  int64_t i) {
  Vector<T> sums[rows][vectors] = {};
  for (int64_t p = 0; p < w.k; ++p) {
    const auto* from = reinterpret_cast<const Vector<T>*>(b + p * row_b);
    Vector<T> terms[vectors];
    for (int64_t v = 0; v < vectors; ++v) terms[v] = from[v];
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v) sums[r][v] += a[(i + r) * w.row_a + p * w.step_a] * terms[v];
  }
  for (int64_t r = 0; r < rows; ++r) {
    T* to = c + (i + r) * w.row_c;
    if (w.n == vectors * kLanes<T>) {
      for (int64_t v = 0; v < vectors; ++v) reinterpret_cast<Vector<T>*>(to)[v] = sums[r][v];
    } else {
      for (int64_t j = 0; j < w.n; ++j) to[j] = sums[r][j / kLanes<T>][j % kLanes<T>];
    }
  }
}

template <int64_t vectors, typename T>
[[gnu::target("avx2,fma")]] void products(const SmallDots<T>& w, int64_t begin, int64_t end) {
  constexpr int64_t kWidth = vectors * kLanes<T>;
  const bool packs = w.step_b != 1 || w.n != kWidth;
  T packed[kMostTerms * kWidth] = {};
  for (int64_t at = begin; at < end; ++at) {
    const T *a = w.a + at * w.next_a, *b = w.b + at * w.next_b;
    if (packs)
      for (int64_t p = 0; p < w.k; ++p)
        for (int64_t j = 0; j < w.n; ++j) packed[p * kWidth + j] = b[p * w.row_b + j * w.step_b];
    const T* from = packs ? packed : b;
    const int64_t row_b = packs ? kWidth : w.row_b;
    T* c = w.c + at * w.next_c;
    constexpr int64_t kRows = vectors > 2 ? 2 : 4;  // their sums fill the registers
    int64_t i = 0;
    for (; i + kRows <= w.m; i += kRows) block<kRows, vectors>(w, a, from, row_b, c, i);
    for (; i < w.m; ++i) block<1, vectors>(w, a, from, row_b, c, i);
  }
}

template <typename T>
void all(const SmallDots<T>& w, int64_t begin, int64_t end) {
  const int64_t vectors = (w.n + kLanes<T> - 1) / kLanes<T>;
  if (vectors <= 1) return products<1>(w, begin, end);
  if (vectors == 2) return products<2>(w, begin, end);
  if constexpr (kMostColumns > 2 * kLanes<T>) {
    if (vectors == 3) return products<3>(w, begin, end);
    products<4>(w, begin, end);
  }
}

}  // namespace

bool small_dot_applies(int64_t m, int64_t n, int64_t k) {
  static const bool instructions = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return instructions && m <= kMostRows && n <= kMostColumns && k <= kMostTerms;
}

void small_dots(const SmallDots<float>& what, int64_t begin, int64_t end) { all(what, begin, end); }
void small_dots(const SmallDots<double>& what, int64_t begin, int64_t end) { all(what, begin, end); }

}  // namespace weft::runtime
