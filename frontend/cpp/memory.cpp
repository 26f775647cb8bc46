#include "frontend/cpp/weft/memory.h"

#include <utility>

#include "frontend/cpp/evaluate.h"
#include "frontend/cpp/long_work.h"
#include "frontend/cpp/view.h"

namespace weft {
namespace {

using detail::Access;

class Borrowed : public runtime::Buffer {
 public:
  Borrowed(std::shared_ptr<runtime::Device> device, void* data, size_t bytes, std::function<void()> release)
      : Buffer(std::move(device), data, bytes, Writable::Never), release_(std::move(release)) {}
  ~Borrowed() override { release_(); }

 private:
  std::function<void()> release_;
};

void* (*enter_long_work)() = nullptr;
void (*leave_long_work)(void*) = nullptr;

}  // namespace

Array borrow(const void* data, DType dtype, const Shape& shape, std::function<void()> release,
             const std::string& device) {
  check_size("borrow", shape, size_of(dtype));
  detail::DeviceSlot& slot = detail::current_session().device(device);
  const size_t bytes = static_cast<size_t>(element_count(shape)) * size_of(dtype);
  auto buffer = std::make_shared<Borrowed>(slot.device, const_cast<void*>(data), bytes, std::move(release));
  return detail::record(slot, detail::input_node({dtype, shape}, std::move(buffer)), detail::kInMemory);
}

Lent lend(const Array& x) {
  detail::Cell& cell = *Access::cell(x);
  const detail::Layout at = detail::layout_of(cell.type, Access::view(x));
  const runtime::BufferRef buffer = detail::materialized(cell);
  const int64_t offset = element_count(at.type.shape) > 0 ? at.offset : 0;
  const auto bytes = offset * static_cast<int64_t>(size_of(at.type.dtype));
  return {static_cast<const std::byte*>(buffer->data()) + bytes, at.strides, buffer};
}

void on_long_work(void* (*enter)(), void (*leave)(void*)) {
  enter_long_work = enter;
  leave_long_work = leave;
}

detail::LongWork::LongWork() : token_(enter_long_work ? enter_long_work() : nullptr) {}
detail::LongWork::~LongWork() {
  if (token_) leave_long_work(token_);
}

}  // namespace weft
