// Values on the host. What lies in memory is copied from there, element by element through a view's strides;
// nothing is compiled for looking at an array, but for a large strided view.
#include <cstring>

#include "compiler/base/error.h"
#include "frontend/cpp/evaluate.h"
#include "frontend/cpp/long_work.h"
#include "frontend/cpp/record.h"
#include "frontend/cpp/view.h"

namespace weft {
namespace {

using detail::Access;
using detail::Layout;

Layout layout(const Array& a) { return detail::layout_of(Access::cell(a)->type, Access::view(a)); }

constexpr int64_t kGatheredByHost =
    1 << 16;  // elements; beyond, a kernel on all threads is worth its compiling

bool contiguous(const Layout& at) {
  int64_t expected = 1;
  for (size_t i = at.strides.size(); i-- > 0;) {
    const int64_t extent = at.type.shape[i];
    if (extent == 0) return true;
    if (extent != 1 && at.strides[i] != expected) return false;
    expected *= extent;
  }
  return true;
}

// Copies a strided array from `from` to row-major `out`.
void gather(const Layout& at, const std::byte* from, std::byte* out) {
  const Shape& shape = at.type.shape;
  const auto item = static_cast<int64_t>(size_of(at.type.dtype));
  const size_t rank = shape.size();
  const int64_t inner = rank == 0 ? 1 : shape.back(), step = rank == 0 ? 0 : at.strides.back() * item;
  if (element_count(shape) == 0) return;
  Dims position(rank, 0);
  const std::byte* row = from + at.offset * item;
  for (;;) {
    if (step == item) {
      std::memcpy(out, row, static_cast<size_t>(inner * item));
      out += inner * item;
    } else {
      const std::byte* element = row;
      for (int64_t i = 0; i < inner; ++i, element += step, out += item) {
        std::memcpy(out, element, static_cast<size_t>(item));
      }
    }
    size_t axis = rank < 2 ? 0 : rank - 1;
    for (;;) {
      if (axis == 0) return;
      --axis;
      row += at.strides[axis] * item;
      if (++position[axis] < shape[axis]) break;
      row -= at.strides[axis] * item * shape[axis];
      position[axis] = 0;
    }
  }
}

}  // namespace

void Array::copy_to(void* out) const {
  detail::Cell& cell = *Access::cell(*this);
  const Layout at = layout(*this);
  const size_t bytes = static_cast<size_t>(size()) * itemsize();
  if (bytes == 0) return;
  runtime::BufferRef buffer = detail::materialized(cell);
  runtime::Device& device = *cell.device.device;
  const detail::LongWork work;
  if (contiguous(at)) {
    device.download(out, *buffer, static_cast<size_t>(at.offset) * itemsize(), bytes);
  } else if (device.host_visible() && size() <= kGatheredByHost) {
    gather(at, static_cast<const std::byte*>(buffer->data()), static_cast<std::byte*>(out));
  } else {
    // One kernel makes it contiguous where it lies.
    const ir::NodeRef seen = detail::apply(view_.get(), detail::input_node(cell.type, buffer), {});
    buffer = detail::evaluate(cell.device, {&seen, 1})[0];
    device.download(out, *buffer, 0, bytes);
  }
}

std::vector<uint8_t> Array::host_bytes() const {
  std::vector<uint8_t> bytes(static_cast<size_t>(size()) * itemsize());
  copy_to(bytes.data());
  return bytes;
}

const void* Array::host_data() const {
  detail::Cell& cell = *Access::cell(*this);
  const Layout at = layout(*this);
  if (!cell.device.device->host_visible()) {
    throw Error("span: the array must lie in host memory: got device " + cell.device.name);
  }
  if (!contiguous(at)) {
    throw Error("span: the view must be contiguous: got strides " + to_string(at.strides) + " for shape " +
                to_string(at.type.shape));
  }
  return static_cast<const std::byte*>(detail::materialized(cell)->data()) +
         at.offset * static_cast<int64_t>(itemsize());
}

Scalar Array::only_element() const {
  if (size() != 1) {
    throw Error("item: takes an array of one element: got shape " + to_string(shape()));
  }
  detail::Cell& cell = *Access::cell(*this);
  const Layout at = layout(*this);
  const runtime::BufferRef buffer = detail::materialized(cell);
  std::byte bytes[16];
  cell.device.device->download(bytes, *buffer, static_cast<size_t>(at.offset) * itemsize(), itemsize());
  return Scalar::load(dtype(), bytes);
}

}  // namespace weft
