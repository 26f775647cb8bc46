// Linear equations, solved at once: whether there is a solution depends on the values.
#include <array>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/products.h"

namespace weft {

bool can_solve(const Array& a, const Array& b) {
  const detail::DeviceSlot& device = detail::Access::cell(a)->device;
  return a.ndim() == 2 && (b.ndim() == 1 || b.ndim() == 2) && a.shape()[0] == a.shape()[1] &&
         a.shape()[0] == b.shape()[0] && a.dtype() == b.dtype() &&
         &detail::Access::cell(b)->device == &device && device.device->supports_solve(a.dtype());
}

std::optional<Array> solve(const Array& a, const Array& b) {
  detail::Recording r("solve", Operand(a));
  const auto text = [](const Array& x) { return std::string(name(x.dtype())) + to_string(x.shape()); };
  if (!can_solve(a, b))
    throw Error(
        "solve: takes a square matrix and one or several right-hand sides of its height, of one dtype, on a "
        "device with LAPACK: got " +
        text(a) + " and " + text(b));
  // In memory of their own: one is lost and the other becomes the result.
  const std::array<ir::NodeRef, 2> copies{ir::copy(ir::permute(r.node(a), {1, 0}, r.lines()), r.lines()),
                                          ir::copy(r.node(b), r.lines())};
  const detail::LongWork work;
  std::vector<runtime::BufferRef> memory = detail::evaluate(r.device(), copies);
  const int64_t n = a.shape()[0], columns = b.ndim() == 1 ? 1 : b.shape()[1];
  if (!r.device().device->solve(a.dtype(), n, columns, memory[0]->data(), memory[1]->data()))
    return std::nullopt;
  return detail::record(r.device(), detail::input_node(copies[1]->type, std::move(memory[1])),
                        detail::kInMemory);
}

}  // namespace weft
