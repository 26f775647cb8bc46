#include "frontend/cpp/array/counts.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/ir/ops/storage.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/evaluate/evaluate.h"

namespace weft::detail {
namespace {

// Elements and counts: they take some milliseconds, for which nobody has to be able to stop them.
constexpr int64_t kMost = 1 << 22;

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
  int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce)
    for (int64_t k = 0; k < kAtOnce; ++k) see(i + k, k);
  for (; i < count; ++i) see(i, 0);
  T sign = 0, most = 0;
  for (int64_t k = 0; k < kAtOnce; ++k) {
    sign |= signs[k];
    most = std::max(most, larger[k]);
  }
  if (sign < T{0} || static_cast<uint64_t>(most) >= static_cast<uint64_t>(kMost)) return {};
  return static_cast<int64_t>(most);
}

}  // namespace

std::optional<Array> counts_on_host(const Array& x, int64_t at_least) {
  Cell& cell = *Access::cell(x);
  runtime::Device& device = *cell.device.device;
  if (x.ndim() != 1 || x.size() == 0 || x.size() > kMost || at_least > kMost || !is_integer(x.dtype()) ||
      !device.host_visible() || records_cells())
    return {};
  const Layout at = layout_of(x);
  const runtime::BufferRef memory = memory_now(cell);
  runtime::BufferRef counts;
  int64_t bins = 0;
  ir::with_dtype(x.dtype(), [&]<DType t>(std::integral_constant<DType, t>) {
    if constexpr (is_integer(t) && t != DType::U64) {
      const auto* numbers = static_cast<const typename ir::Storage<t>::Stored*>(memory->data()) + at.offset;
      const int64_t step = at.strides[0], count = x.size();
      const std::optional<int64_t> most = largest(numbers, count, step);
      if (!most) return;
      bins = std::max(*most + 1, at_least);
      const size_t bytes = static_cast<size_t>(bins) * sizeof(int64_t);
      counts = device.allocate(bytes);
      auto* const to = static_cast<int64_t*>(counts->data());
      std::memset(to, 0, bytes);
      for (int64_t i = 0; i < count; ++i) ++to[numbers[i * step]];
    }
  });
  if (!counts) return {};
  return record(cell.device, input_node({DType::I64, {bins}}, std::move(counts)), kInMemory);
}

}  // namespace weft::detail
