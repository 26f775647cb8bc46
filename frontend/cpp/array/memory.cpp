#include "frontend/cpp/weft/memory.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "frontend/cpp/array/lent_memory.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/derivatives/look.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/shaping.h"
#include "runtime/cuda/cuda_device.h"

namespace weft {
namespace {

using detail::Access;

// The order of the axes, largest stride first, in which the memory is row-major; none where it is not.
std::optional<Dims> row_major_order(const Shape& shape, const Dims& strides) {
  Dims order(shape.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  // An axis of extent 1 may have any stride: it stays where it is among those that it is not told from.
  const auto stride = [&](int64_t axis) {
    const auto k = static_cast<size_t>(axis);
    return shape[k] == 1 ? int64_t{0} : strides[k];
  };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return stride(a) > stride(b); });
  int64_t expected = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto k = static_cast<size_t>(order[i]);
    if (shape[k] == 1) continue;
    if (strides[k] != expected) return std::nullopt;
    expected *= shape[k];
  }
  return order;
}

}  // namespace

Array borrow(const void* data, DType dtype, const Shape& shape, std::function<void()> release,
             const std::string& device, uint64_t stream) {
  check_size("borrow", shape, size_of(dtype));
  detail::DeviceSlot& slot = detail::current_session().device(device);
  const size_t bytes = static_cast<size_t>(element_count(shape)) * size_of(dtype);
  runtime::BufferRef buffer = slot.device->adopt(const_cast<void*>(data), bytes, std::move(release), stream);
  return detail::record(slot, detail::input_node({dtype, shape}, std::move(buffer)), detail::kInMemory);
}

Borrowed borrow_strided(const void* data, DType dtype, const Shape& shape, const Dims& strides,
                        std::function<void()> release, const std::string& device, uint64_t stream,
                        bool may_copy) {
  if (element_count(shape) == 0) {
    Array empty = zeros(shape, {dtype, device});
    release();
    return {std::move(empty), false};
  }
  if (const std::optional<Dims> order = row_major_order(shape, strides)) {
    Shape lying = shape;
    Dims back(order->size(), 0);
    for (size_t i = 0; i < order->size(); ++i) {
      lying[i] = shape[static_cast<size_t>((*order)[i])];
      back[static_cast<size_t>((*order)[i])] = static_cast<int64_t>(i);
    }
    Array whole = borrow(data, dtype, lying, std::move(release), device, stream);
    return {std::is_sorted(back.begin(), back.end()) ? whole : whole.transpose(back), false};
  }
  if (!may_copy) return {};
  // The memory from the first element to the last, gaps included, and where in it each element lies.
  int64_t low = 0, high = 0;
  Array at;
  for (size_t k = 0; k < shape.size(); ++k) {
    (strides[k] < 0 ? low : high) += (shape[k] - 1) * strides[k];
    const Array step = iota(shape, static_cast<int64_t>(k), {DType::I64, device}) * strides[k];
    at = at.has_value() ? at + step : step;
  }
  const auto* first = static_cast<const std::byte*>(data) + low * static_cast<int64_t>(size_of(dtype));
  const Array whole = borrow(first, dtype, {high - low + 1}, std::move(release), device, stream);
  return {take(whole, at - low, 0).eval(), true};
}

namespace {
Lent lent_as(const Array& x, const runtime::BufferRef& buffer) {
  const detail::Layout at = detail::layout_of(x);
  const int64_t offset = element_count(at.type.shape) > 0 ? at.offset : 0;
  const auto bytes = offset * static_cast<int64_t>(size_of(at.type.dtype));
  return {static_cast<const std::byte*>(buffer->data()) + bytes, at.strides, buffer};
}
}  // namespace

Lent lend(const Array& x) {
  detail::check_look("lend", x);
  return lent_as(x, detail::materialized(*Access::cell(x)));
}

Lent lend_to_write(const Array& x) {
  detail::Cell& cell = *Access::cell(x);
  if (!cell.device.device->host_visible() || !x.writable()) {
    throw Error("lend_to_write: takes arrays in host memory that can be written: got shape " +
                to_string(x.shape()) + " on " + cell.device.name);
  }
  detail::check_look("lend_to_write", x);
  return lent_as(x, detail::lend_to_write(cell));
}

Lent look(const Array& x) {
  detail::check_look("look", x);
  return lent_as(x, detail::memory_now(*Access::cell(x)));
}

bool give_back(const std::weak_ptr<void>& owner) {
  const auto buffer = std::static_pointer_cast<runtime::Buffer>(owner.lock());
  if (!buffer) return true;
  detail::DeviceSlot& slot = detail::current_session().device(buffer->device()->info().name);
  // Nobody begins to use the buffer of a node while this is held.
  std::unique_lock alone(slot.in_place, std::defer_lock);
  {
    const detail::LongWork wait;  // whoever holds it may ask for the interpreter's lock
    alone.lock();
  }
  constexpr int kNodeAndHere = 2;
  if (buffer.use_count() != kNodeAndHere) return false;
  slot.device->give_back(*buffer);
  return true;
}

Dims strides(const Array& x) { return detail::layout_of(x).strides; }

std::string device_of(const void* pointer) {
  return "cuda:" + std::to_string(runtime::cuda_device_of(pointer));
}

namespace {
const runtime::Buffer& buffer_of(const Lent& lent) {
  return *static_cast<runtime::Buffer*>(lent.owner.get());
}
}  // namespace

void lend_to(const Lent& lent, uint64_t stream) {
  buffer_of(lent).device()->lend_to(buffer_of(lent), stream);
}
void take_back(const Lent& lent, uint64_t stream) {
  buffer_of(lent).device()->take_back(buffer_of(lent), stream);
}
uint64_t stream_of(const Lent& lent) { return buffer_of(lent).device()->stream_of(buffer_of(lent)); }

Array duplicate(const Array& x) {
  detail::check_look("duplicate", x);
  const Array whole = Access::view(x) ? x.copy() : x;
  detail::Cell& cell = *Access::cell(whole);
  const runtime::BufferRef held = detail::materialized(cell);
  const size_t bytes = static_cast<size_t>(x.size()) * x.itemsize();
  const detail::LongWork work;
  runtime::BufferRef buffer = cell.device.device->allocate(bytes);
  cell.device.device->copy(*buffer, 0, *held, 0, bytes);
  return detail::record(cell.device, detail::input_node(cell.type, std::move(buffer)), detail::kInMemory);
}

std::shared_ptr<void> pinned(size_t bytes, const std::string& device) {
  return detail::current_session().device(device).device->allocate_host(bytes);
}

Array start_from(const void* data, DType dtype, const Shape& shape, const std::string& device) {
  check_size("start_from", shape, size_of(dtype));
  detail::DeviceSlot& slot = detail::current_session().device(device);
  const size_t bytes = static_cast<size_t>(element_count(shape)) * size_of(dtype);
  const detail::LongWork work;
  runtime::BufferRef buffer = slot.device->allocate(bytes);
  if (bytes > 0) slot.device->start_upload(*buffer, 0, data, bytes);
  return detail::record(slot, detail::input_node({dtype, shape}, std::move(buffer)), detail::kInMemory);
}

void start_copy_to(const Array& x, void* out) {
  detail::check_look("start_copy_to", x);
  const Array whole = Access::view(x) ? x.copy() : x;
  detail::Cell& cell = *Access::cell(whole);
  const runtime::BufferRef buffer = detail::materialized(cell);
  const size_t bytes = static_cast<size_t>(x.size()) * x.itemsize();
  const detail::LongWork work;
  if (bytes > 0) cell.device.device->start_download(out, *buffer, 0, bytes);
}

}  // namespace weft
