// Linear equations, solved at once: whether there is a solution depends on the values.
#include <array>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/ops/on_host.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/derivatives.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/products.h"

namespace weft {

bool can_solve(const Array& a, const Array& b) {
  detail::DeviceSlot& device = detail::Access::cell(a)->device;
  return a.ndim() == 2 && (b.ndim() == 1 || b.ndim() == 2) && a.shape()[0] == a.shape()[1] &&
         a.shape()[0] == b.shape()[0] && a.dtype() == b.dtype() &&
         &detail::Access::cell(b)->device == &device &&
         detail::host_of(device).device->supports_solve(a.dtype());
}

namespace {

Array known_solution(const Array& a, const Array& b) {
  std::optional<Array> x = solve(a, b);
  if (!x) throw Error("solve: the matrix of a derivative is singular, as it was not when it was solved");
  return *std::move(x);
}

Array product(const Array& a, const Array& b) { return matmul(a, b); }

// The solution x of a x = b with its derivatives: a dx = db - da x, and back the transposed equation.
Array derived(const Array& a, const Array& b, const Array& x) {
  const Array inputs[] = {a.copy(), b.copy()}, matrix = inputs[0];
  // As it is derived itself, x is the array that with_derivative() gives, which it knows once it is made.
  const auto known = std::make_shared<Array>();
  CustomDerivative derivative{"solve", {}, {}};
  derivative.vjp = [matrix, known](std::span<const Array> c) -> std::vector<Array> {
    const Array y = known_solution(matrix.T(), c[0]);
    const int64_t n = y.shape()[0], columns = y.ndim() == 1 ? 1 : y.shape()[1];
    const Array left = y.reshape({n, columns}), right = known->reshape({n, columns}).T();
    return {negative(product(left, right)), y};
  };
  derivative.jvp = [matrix, known](std::span<const Array> t) -> std::vector<Array> {
    const Array moved = t[0].has_value() ? product(t[0], *known) : Array();
    if (!moved.has_value()) return {known_solution(matrix, t[1])};
    return {known_solution(matrix, t[1].has_value() ? subtract(t[1], moved) : negative(moved))};
  };
  const Array result = with_derivative({&x, 1}, inputs, std::move(derivative))[0];
  *known = result.copy();  // whoever writes to the result writes to no derivative
  return result;
}

}  // namespace

std::optional<Array> solve(const Array& a, const Array& b) {
  detail::Recording r("solve", Operand(a));
  const auto text = [](const Array& x) { return std::string(name(x.dtype())) + to_string(x.shape()); };
  if (!can_solve(a, b))
    throw Error(
        "solve: takes a square matrix and one or several right-hand sides of its height, both f32, f64, "
        "c64 or c128, on one device: got " +
        text(a) + " and " + text(b));
  const ir::NodeRef left = ir::permute(r.node(a), {1, 0}, r.lines()), right = r.node(b);
  const detail::LongWork work;
  const std::array<ir::NodeRef, 2> together{r.node(a), right};  // what they share is computed once
  detail::evaluate(r.device(), together);
  const runtime::BufferRef factors = detail::value_to_write(r.device(), left, r.lines()),
                           solution = detail::value_to_write(r.device(), right, r.lines());
  const int64_t n = a.shape()[0], columns = b.ndim() == 1 ? 1 : b.shape()[1];
  const detail::DeviceSlot& solver = detail::host_of(r.device());
  if (!solver.device->solve(a.dtype(), n, columns, factors->data(), solution->data())) return std::nullopt;
  Array x = detail::record(r.device(), detail::input_node(right->type, detail::moved(solution, r.device())),
                           detail::kInMemory);
  if (!is_derived(a) && !is_derived(b)) return x;
  return derived(a, b, x);
}

}  // namespace weft
