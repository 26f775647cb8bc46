#include "runtime/cpu/few_rows_dot.h"

#include <algorithm>
#include <memory>
#include <type_traits>

#include "runtime/cpu/instructions.h"

namespace weft::runtime {
namespace {

constexpr int64_t kMostRows = 10;  // more take longer to compute than to read: a library computes better
constexpr int64_t kLeastBytes = int64_t{1} << 18;  // of B: smaller ones are read from a cache
constexpr int64_t kPart = 256;  // terms that are added up before they are added to the rest
constexpr int64_t kVectorBytes = 32;
constexpr int64_t kFewestSteps = 8;

// What the rows of A make of rows [0, steps) of B, added to `sums`, whose rows are `columns` long. The rows
// of B that come next are asked for. Steps times vectors fill the registers.
template <int64_t steps, int64_t vectors, typename T>
WEFT_FOR("avx2,fma")
void add_rows(T* sums, int64_t columns, const FewRows<T>& w, const T* a, const T* b, int64_t ahead) {
  typedef T Vector __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  int64_t j = 0;
  const auto add = [&]<int64_t count>(std::integral_constant<int64_t, count>) WEFT_FOR("avx2,fma")
                       __attribute__((always_inline)) {
                         Vector rows[steps][count];
                         for (int64_t p = 0; p < steps; ++p) {
                           const T* row = b + p * w.ldb + j;
                           for (int64_t v = 0; v < count; ++v)
                             rows[p][v] = reinterpret_cast<const Vector*>(row)[v];
                           __builtin_prefetch(row + ahead);
                         }
                         for (int64_t i = 0; i < w.m; ++i) {
                           auto* sum = reinterpret_cast<Vector*>(sums + i * columns + j);
                           Vector s[count];
                           for (int64_t v = 0; v < count; ++v) s[v] = sum[v];
                           for (int64_t p = 0; p < steps; ++p)
                             for (int64_t v = 0; v < count; ++v)
                               s[v] += a[i * w.row_a + p * w.step_a] * rows[p][v];
                           for (int64_t v = 0; v < count; ++v) sum[v] = s[v];
                         }
                       };
  for (; j + vectors * kLanes <= columns; j += vectors * kLanes)
    add(std::integral_constant<int64_t, vectors>{});
  for (; j < columns; j += kLanes) add(std::integral_constant<int64_t, 1>{});
}

template <int64_t steps, int64_t vectors, typename T>
void strip(const FewRows<T>& w, int64_t begin, int64_t end) {
  const int64_t columns = end - begin;
  const auto sums = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(w.m * columns));
  for (int64_t i = 0; i < w.m; ++i) std::fill_n(w.c + i * w.ldc + begin, columns, T{0});
  for (int64_t part = 0; part < w.k; part += kPart) {
    const int64_t last = std::min(part + kPart, w.k);
    std::fill_n(sums.get(), w.m * columns, T{0});
    int64_t p = part;
    const auto add = [&]<int64_t count>(std::integral_constant<int64_t, count>) {
      for (; p + count <= last; p += count)
        add_rows<count, vectors>(sums.get(), columns, w, w.a + p * w.step_a, w.b + p * w.ldb + begin,
                                 p + 2 * count <= w.k ? count * w.ldb : 0);
    };
    add(std::integral_constant<int64_t, steps>{});
    add(std::integral_constant<int64_t, 1>{});
    for (int64_t i = 0; i < w.m; ++i)
      for (int64_t j = 0; j < columns; ++j) w.c[i * w.ldc + begin + j] += sums[i * columns + j];
  }
}

// Few rows are read as fast as they come in; more share the factors from A between two vectors.
template <typename T>
void columns(const FewRows<T>& w, int64_t begin, int64_t end) {
  w.m <= 4 ? strip<8, 1>(w, begin, end) : strip<4, 2>(w, begin, end);
}

}  // namespace

bool few_rows_apply(int64_t m, int64_t n, int64_t k, int64_t element_bytes) {
  static const bool instructions = has_avx2();
  return instructions && m > 1 && m <= kMostRows && k >= kFewestSteps && n * k * element_bytes >= kLeastBytes;
}

void few_rows(const FewRows<float>& what, int64_t begin, int64_t end) { columns(what, begin, end); }
void few_rows(const FewRows<double>& what, int64_t begin, int64_t end) { columns(what, begin, end); }

}  // namespace weft::runtime
