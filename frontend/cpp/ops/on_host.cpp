#include "frontend/cpp/ops/on_host.h"

#include <cstring>

#include "compiler/ir/build.h"
#include "frontend/cpp/evaluate/evaluate.h"

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

runtime::BufferRef value_to_write(DeviceSlot& device, const ir::NodeRef& node, const ir::Lines& lines) {
  const DeviceSlot& host = host_of(device);
  runtime::BufferRef buffer;
  {
    const ir::NodeRef copy = ir::copy(node, lines);
    buffer = evaluate(device, {&copy, 1})[0];
  }
  if (buffer->device() != host.device) return moved(buffer, host);
  if (buffer.use_count() == 1) return buffer;
  // Where another array waits for the same value, one computation gave both their memory.
  runtime::BufferRef own = host.device->allocate(buffer->bytes());
  if (buffer->bytes() > 0) std::memcpy(own->data(), buffer->data(), buffer->bytes());
  return own;
}

}  // namespace weft::detail
