#include "frontend/cpp/weft/memory.h"

#include <utility>

#include "frontend/cpp/evaluate.h"
#include "frontend/cpp/long_work.h"
#include "frontend/cpp/view.h"
#include "runtime/cuda/cuda_device.h"

namespace weft {
namespace {

using detail::Access;

}  // namespace

Array borrow(const void* data, DType dtype, const Shape& shape, std::function<void()> release,
             const std::string& device, uint64_t stream) {
  check_size("borrow", shape, size_of(dtype));
  detail::DeviceSlot& slot = detail::current_session().device(device);
  const size_t bytes = static_cast<size_t>(element_count(shape)) * size_of(dtype);
  runtime::BufferRef buffer = slot.device->adopt(const_cast<void*>(data), bytes, std::move(release), stream);
  return detail::record(slot, detail::input_node({dtype, shape}, std::move(buffer)), detail::kInMemory);
}

Lent lend(const Array& x) {
  detail::Cell& cell = *Access::cell(x);
  const detail::Layout at = detail::layout_of(x);
  const runtime::BufferRef buffer = detail::materialized(cell);
  const int64_t offset = element_count(at.type.shape) > 0 ? at.offset : 0;
  const auto bytes = offset * static_cast<int64_t>(size_of(at.type.dtype));
  return {static_cast<const std::byte*>(buffer->data()) + bytes, at.strides, buffer};
}

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
  const Array whole = Access::view(x) ? x.copy() : x;
  detail::Cell& cell = *Access::cell(whole);
  const runtime::BufferRef buffer = detail::materialized(cell);
  const size_t bytes = static_cast<size_t>(x.size()) * x.itemsize();
  const detail::LongWork work;
  if (bytes > 0) cell.device.device->start_download(out, *buffer, 0, bytes);
}

}  // namespace weft
