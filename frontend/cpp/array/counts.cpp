#include "frontend/cpp/array/counts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "compiler/base/interrupted.h"
#include "compiler/ir/ops/storage.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "runtime/interrupt.h"

namespace weft::detail {
namespace {

// Elements that take some milliseconds, after which somebody may stop the work; and as many counts, at most.
constexpr int64_t kMostCounted = 1 << 22;

// Calls `part(begin, end)` for parts of [0, count).
template <class Part>
void in_parts(int64_t count, Part part) {
  for (int64_t begin = 0; begin < count; begin += kMostCounted) {
    if (begin > 0 && runtime::interrupted()) throw Interrupted();
    part(begin, std::min(count, begin + kMostCounted));
  }
}

// The largest of the numbers; none where some are not to be counted here.
template <class T>
std::optional<int64_t> largest(const T* numbers, int64_t count, int64_t step) {
  // Several at once: each waits for the last one of its own.
  constexpr int64_t kAtOnce = 8;
  std::array<T, kAtOnce> signs{}, larger{};
  const auto see = [&](int64_t i, int64_t k) {
    const T v = numbers[i * step];
    signs[k] |= v;
    larger[k] = v > larger[k] ? v : larger[k];
  };
  T sign = 0, most = 0;
  int64_t i = 0;
  if (step == 1 && sizeof(T) < 8)  // which compilers make vectors of
    for (; i < count; ++i) sign |= numbers[i], most = std::max(most, numbers[i]);
  for (; i + kAtOnce <= count; i += kAtOnce)
    for (int64_t k = 0; k < kAtOnce; ++k) see(i + k, k);
  for (; i < count; ++i) see(i, 0);
  for (int64_t k = 0; k < kAtOnce; ++k) {
    sign |= signs[k];
    most = std::max(most, larger[k]);
  }
  if (sign < T{0} || static_cast<uint64_t>(most) >= static_cast<uint64_t>(kMostCounted)) return {};
  return static_cast<int64_t>(most);
}

bool may_count(const Array& x, int64_t at_least) {
  return x.ndim() == 1 && x.size() > 0 && at_least <= kMostCounted && is_integer(x.dtype()) &&
         Access::cell(x)->device.device->host_visible() && !records_cells();
}

// The sums, of as many bins as the numbers and `at_least` ask for, of what `add(sums, bins, numbers, begin, end, step)` adds to zeros
// of a part of the numbers;
// none where the numbers are not to be counted here.
template <class Sum, class Add>
std::optional<Array> in_bins(const Array& x, int64_t at_least, DType dtype, Add add) {
  Cell& cell = *Access::cell(x);
  const Layout at = layout_of(x);
  const runtime::BufferRef memory = memory_now(cell);
  runtime::BufferRef made;
  int64_t bins = 0;
  ir::with_dtype(x.dtype(), [&]<DType t>(std::integral_constant<DType, t>) {
    if constexpr (is_integer(t) && t != DType::U64) {
      const auto* numbers = static_cast<const typename ir::Storage<t>::Stored*>(memory->data()) + at.offset;
      const std::optional<int64_t> most = largest(numbers, x.size(), at.strides[0]);
      if (!most) return;
      bins = std::max(*most + 1, at_least);
      const size_t bytes = static_cast<size_t>(bins) * sizeof(Sum);
      made = cell.device.device->allocate(bytes);
      auto* const sums = static_cast<Sum*>(made->data());
      std::memset(sums, 0, bytes);
      in_parts(x.size(),
               [&](int64_t begin, int64_t end) { add(sums, bins, numbers, begin, end, at.strides[0]); });
    }
  });
  if (!made) return {};
  return record(cell.device, input_node({dtype, {bins}}, std::move(made)), kInMemory);
}

// An addition to a count waits for the one before to the same: neighbours, which are often equal, have counts of their own
// where those stay in the first-level cache.
template <class T>
void add_counts(int64_t* counts, int64_t bins, const T* numbers, int64_t count, int64_t step) {
  constexpr int64_t kApart = 4, kMostApart = 2048;
  if (bins > kMostApart || count < 4 * bins) {
    for (int64_t i = 0; i < count; ++i) ++counts[numbers[i * step]];
    return;
  }
  std::vector<int32_t> apart(static_cast<size_t>(kApart * bins));
  const auto of = [&](int64_t k) { return apart.data() + k * bins; };
  int64_t i = 0;
  for (; i + kApart <= count; i += kApart)
    for (int64_t k = 0; k < kApart; ++k) ++of(k)[numbers[(i + k) * step]];
  for (; i < count; ++i) ++of(0)[numbers[i * step]];
  for (int64_t b = 0; b < bins; ++b)
    for (int64_t k = 0; k < kApart; ++k) counts[b] += of(k)[b];
}

}  // namespace

std::optional<Array> counts_on_host(const Array& x, int64_t at_least) {
  if (!may_count(x, at_least)) return {};
  return in_bins<int64_t>(
      x, at_least, DType::I64,
      [](int64_t* counts, int64_t bins, const auto* numbers, int64_t begin, int64_t end, int64_t step) {
        add_counts(counts, bins, numbers + begin * step, end - begin, step);
      });
}

std::optional<Array> sums_on_host(const Array& x, const Array& weights, int64_t at_least) {
  if (!may_count(x, at_least) || weights.dtype() != DType::F64 || weights.shape() != x.shape() ||
      &Access::cell(weights)->device != &Access::cell(x)->device || keeps_past())
    return {};
  const Layout at = layout_of(weights);
  const runtime::BufferRef memory = memory_now(*Access::cell(weights));
  const auto* added = static_cast<const double*>(memory->data()) + at.offset;
  const int64_t by = at.strides[0];
  return in_bins<double>(
      x, at_least, DType::F64,
      [=](double* sums, int64_t, const auto* numbers, int64_t begin, int64_t end, int64_t step) {
        for (int64_t i = begin; i < end; ++i) sums[numbers[i * step]] += added[i * by];
      });
}

}  // namespace weft::detail
