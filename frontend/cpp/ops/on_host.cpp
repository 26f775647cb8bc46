#include "frontend/cpp/ops/on_host.h"

namespace weft::detail {

DeviceSlot& host_of(DeviceSlot& device) {
  return device.device->host_visible() ? device : device.session.device("cpu");
}

runtime::BufferRef moved(const runtime::BufferRef& buffer, const DeviceSlot& to) {
  if (buffer->device() == to.device) return buffer;
  runtime::BufferRef result = to.device->allocate(buffer->bytes());
  if (buffer->bytes() == 0) return result;
  if (to.device->host_visible()) {
    buffer->device()->download(result->data(), *buffer, 0, buffer->bytes());
  } else {
    to.device->upload(*result, 0, buffer->data(), buffer->bytes());
  }
  return result;
}

}  // namespace weft::detail
