#include "frontend/cpp/weft/array.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/derivatives/look.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/session/long_work.h"

namespace weft {

using detail::Access;

DType Array::dtype() const {
  const auto& cell = Access::cell(*this);
  return view_ ? view_->type.dtype : cell->type.dtype;
}

const Shape& Array::shape() const {
  const auto& cell = Access::cell(*this);
  return view_ ? view_->type.shape : cell->type.shape;
}

std::string Array::device() const { return Access::cell(*this)->device.name; }

bool Array::writable() const { return !view_ || view_->writable; }

bool Array::is_viewed() const { return Access::cell(*this)->count.now() > 1; }

void Array::check_dtype(const char* what, DType wanted) const {
  if (dtype() != wanted) {
    throw TypeError(std::string(what) + ": the array is " + std::string(name(dtype())) + ": got " +
                    std::string(name(wanted)));
  }
}

Array Array::copy() const {
  const auto& cell = Access::cell(*this);
  // Values are immutable: a copy costs nothing before one of the two is written.
  ir::NodeRef now = detail::read(*this, {});
  return detail::record(cell->device, std::move(now), cell->since());
}

Array Array::astype(DType dtype, Where at) const {
  detail::Recording r("astype", at);
  const ir::NodeRef x = r.node(*this);
  return r.finish(r.looked_at(ir::Op::cast, {&x, 1}, ir::cast(x, dtype, r.lines())));
}

Array Array::to(const std::string& device) const {
  detail::DeviceSlot& from = Access::cell(*this)->device;
  detail::DeviceSlot& there = from.session.device(device);
  if (&from == &there) return *this;
  detail::check_look("to", *this);
  const Array whole = view_ ? copy() : *this;  // row-major
  const runtime::BufferRef held = detail::materialized(*Access::cell(whole));
  const size_t bytes = static_cast<size_t>(size()) * itemsize();
  const detail::LongWork work;
  runtime::BufferRef buffer = there.device->allocate(bytes);
  if (bytes == 0) {
  } else if (from.device->host_visible()) {
    there.device->upload(*buffer, 0, held->data(), bytes);
  } else if (there.device->host_visible()) {
    from.device->download(buffer->data(), *held, 0, bytes);
  } else {
    there.device->copy(*buffer, 0, *held, 0, bytes);
  }
  return detail::record(there, detail::input_node({dtype(), shape()}, std::move(buffer)), detail::kInMemory);
}

const Array& Array::eval() const {
  const detail::AskedScope asked("eval()");
  detail::memory_now(*Access::cell(*this));
  return *this;
}

void eval(std::span<const Array> arrays) {
  const detail::AskedScope asked("eval()");
  if (arrays.size() == 1) {
    detail::Cell* const one = Access::cell(arrays[0]).get();
    return detail::materialize({&one, 1});
  }
  std::vector<detail::Cell*> cells;
  for (const Array& a : arrays) cells.push_back(Access::cell(a).get());
  detail::materialize(cells);
}

void sync(const Array& x) {
  x.eval();
  const detail::LongWork work;
  Access::cell(x)->device.device->synchronize();
}

}  // namespace weft
