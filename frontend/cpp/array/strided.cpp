#include "frontend/cpp/array/strided.h"

#include <cstring>

#include "compiler/base/repeat.h"

namespace weft::detail {
namespace {

template <int kItem>
void copy_items(std::byte* to, int64_t to_step, const std::byte* from, int64_t from_step, int64_t count) {
  for (int64_t i = 0; i < count; ++i, to += to_step, from += from_step) std::memcpy(to, from, kItem);
}

void copy_items(std::byte* to, int64_t to_step, const std::byte* from, int64_t from_step, int64_t count,
                int64_t item) {
  if (to_step == item && from_step == item) {
    std::memcpy(to, from, static_cast<size_t>(count * item));
    return;
  }
  switch (item) {
    case 1:
      return copy_items<1>(to, to_step, from, from_step, count);
    case 2:
      return copy_items<2>(to, to_step, from, from_step, count);
    case 4:
      return copy_items<4>(to, to_step, from, from_step, count);
    case 8:
      return copy_items<8>(to, to_step, from, from_step, count);
    default:
      return copy_items<16>(to, to_step, from, from_step, count);
  }
}

// Calls row(byte offset) for each row along the last axis, in row-major order.
template <class Row>
void each_row(const Strided& at, Row&& row) {
  const size_t rank = at.shape.size();
  if (element_count(at.shape) == 0) return;
  Dims position(rank, 0);
  int64_t offset = at.offset * at.item;
  for (;;) {
    row(offset);
    size_t axis = rank < 2 ? 0 : rank - 1;
    for (;;) {
      if (axis == 0) return;
      --axis;
      offset += at.strides[axis] * at.item;
      if (++position[axis] < at.shape[axis]) break;
      offset -= at.strides[axis] * at.item * at.shape[axis];
      position[axis] = 0;
    }
  }
}

}  // namespace

void gather(const Strided& at, const std::byte* from, std::byte* row_major) {
  const int64_t count = at.shape.empty() ? 1 : at.shape.back(),
                step = at.shape.empty() ? 0 : at.strides.back() * at.item;
  each_row(at, [&](int64_t offset) {
    copy_items(row_major, at.item, from + offset, step, count, at.item);
    row_major += count * at.item;
  });
}

void scatter(const Strided& at, const std::byte* row_major, std::byte* to) {
  const int64_t count = at.shape.empty() ? 1 : at.shape.back(),
                step = at.shape.empty() ? 0 : at.strides.back() * at.item;
  each_row(at, [&](int64_t offset) {
    copy_items(to + offset, step, row_major, at.item, count, at.item);
    row_major += count * at.item;
  });
}

void fill(const Strided& at, const std::byte* item, std::byte* to) {
  const int64_t count = at.shape.empty() ? 1 : at.shape.back(),
                step = at.shape.empty() ? 0 : at.strides.back() * at.item;
  if (step == at.item) {
    const auto size = static_cast<size_t>(at.item), elements = static_cast<size_t>(count);
    each_row(at, [&](int64_t offset) { repeat(to + offset, item, size, elements); });
    return;
  }
  each_row(at, [&](int64_t offset) { copy_items(to + offset, step, item, 0, count, at.item); });
}

}  // namespace weft::detail
