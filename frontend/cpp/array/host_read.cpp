// Values on the host. What lies in memory is copied from there, element by element through a view's strides;
// nothing is compiled for looking at an array, but for a large strided view.
#include <cmath>
#include <cstring>

#include "compiler/base/error.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/array/strided.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/derivatives/look.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/session/long_work.h"

namespace weft {
namespace {

using detail::Access;
using detail::Layout;
using detail::layout_of;

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

}  // namespace

void Array::copy_to(void* out) const {
  detail::Cell& cell = *Access::cell(*this);
  const Layout at = layout_of(*this);
  const size_t bytes = static_cast<size_t>(size()) * itemsize();
  detail::check_look("copy_to", *this);
  const detail::AskedScope asked("copy_to() or to_vector()");
  runtime::BufferRef buffer = detail::memory_now(cell);
  if (bytes == 0) return;
  runtime::Device& device = *cell.device.device;
  const detail::LongWork work;
  if (contiguous(at)) {
    device.download(out, *buffer, static_cast<size_t>(at.offset) * itemsize(), bytes);
  } else if (device.host_visible() && size() <= kGatheredByHost) {
    const detail::Strided places{at.type.shape, at.strides, at.offset, static_cast<int64_t>(itemsize())};
    detail::gather(places, static_cast<const std::byte*>(buffer->data()), static_cast<std::byte*>(out));
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
  const Layout at = layout_of(*this);
  if (!cell.device.device->host_visible()) {
    throw Error("span: the array must lie in host memory: got device " + cell.device.name);
  }
  if (!contiguous(at)) {
    throw Error("span: the view must be contiguous: got strides " + to_string(at.strides) + " for shape " +
                to_string(at.type.shape));
  }
  detail::check_look("span", *this);
  const detail::AskedScope asked("span()");
  return static_cast<const std::byte*>(detail::memory_now(cell)->data()) +
         at.offset * static_cast<int64_t>(itemsize());
}

void Array::check_held(const Scalar& value, DType wanted) {
  if (!detail::holds(wanted, value))
    throw OverflowError("item: " + std::string(name(wanted)) + " does not hold the value: got " +
                        ir::to_string(value) + " of dtype " + std::string(name(value.dtype)));
}

void Array::check_convertible(DType wanted) const {
  if (size() == 1) return;
  const bool truth = wanted == DType::Bool;
  throw Error("conversion to " + std::string(name(wanted)) + ": takes an array of one element: got shape " +
              to_string(shape()) + (truth ? "; any() and all() are of many" : ""));
}

Scalar Array::only_element() const {
  if (size() != 1) {
    throw Error("item: takes an array of one element: got shape " + to_string(shape()));
  }
  detail::Cell& cell = *Access::cell(*this);
  std::optional<Scalar> known;
  cell.inspect([&](const ir::NodeRef& value) {
    if (value->op == ir::Op::constant && dtype() == value->dtype())
      known = value->as<ir::ConstantAttr>().value;
  });
  if (known) {
    detail::note_read(cell);
    return *known;
  }
  detail::check_look("item", *this);
  const detail::AskedScope asked("item()");
  const Layout at = layout_of(*this);
  const runtime::BufferRef buffer = detail::memory_now(cell);
  std::byte bytes[16];
  cell.device.device->download(bytes, *buffer, static_cast<size_t>(at.offset) * itemsize(), itemsize());
  return Scalar::load(dtype(), bytes);
}

}  // namespace weft
