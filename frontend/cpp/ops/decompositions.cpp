#include "frontend/cpp/ops/decompositions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/user_kernel.h"
#include "frontend/cpp/evaluate/graphs_seen.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/products.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft::linalg {
namespace {

bool has_info(runtime::MatrixFunction what) {
  using runtime::MatrixFunction;
  return what != MatrixFunction::Determinant && what != MatrixFunction::Qr &&
         what != MatrixFunction::QrFactor;
}

// "matrix (1, 2) of the stack", by its place among them.
std::string matrix_at(const Shape& stack, int64_t place) {
  if (stack.empty()) return "the matrix";
  if (stack.size() == 1) return "matrix " + std::to_string(place) + " of the stack";
  Shape position = stack;
  for (size_t i = stack.size(); i-- > 0;) position[i] = place % stack[i], place /= stack[i];
  return "matrix " + to_string(position) + " of the stack";
}

// They are computed together.
void check(const Decomposing& of, std::span<const Array> results) {
  const detail::AskedScope asked("a decomposition");
  eval(results);
  const std::vector<int64_t> info = results.back().to_vector<int64_t>();
  const auto failed = std::ranges::find_if(info, [](int64_t why) { return why != 0; });
  if (failed == info.end()) return;
  throw LinAlgError(std::string(of.op) + ": " + matrix_at(results.back().shape(), failed - info.begin()) +
                    " " + (*failed == runtime::kNotFinite ? "has elements that are not finite" : of.failure));
}

std::vector<Array> on_cpu(const Decomposing& of, std::span<const Array> operands, const std::string& device) {
  std::vector<Array> there, back;
  for (const Array& x : operands) there.push_back(x.to("cpu"));
  for (const Array& x : decomposed(of, there)) back.push_back(x.to(device));
  return back;
}

}  // namespace

void open_lapack() {
  auto opening = runtime::timed(detail::current_session().counters.trace);
  if (!runtime::open_lapack()) return;
  opening.end([] {
    runtime::TraceEvent event;
    event.what = detail::kSetsUp;
    return event;
  });
}

std::vector<Array> decomposed(const Decomposing& of, std::span<const Array> operands) {
  if (const std::string device = operands[0].device(); device != "cpu" && !device.starts_with("cpu:"))
    return on_cpu(of, operands, device);
  open_lapack();
  detail::Recording recording(of.op, of.at);
  std::vector<ir::NodeRef> inputs;
  std::vector<TensorType> types;
  for (const Array& x : operands) {
    inputs.push_back(recording.node(x));
    types.push_back(inputs.back()->type);
  }
  const std::optional<runtime::MatrixCall> call = runtime::matrix_call(of.what, of.option, types);
  if (!call)
    throw Error(std::string(of.op) + ": LAPACK takes no matrices of shape " + to_string(types[0].shape));
  const ir::UserKernelRef kernel =
      ir::library_kernel(runtime::matrix_function(of.what, types[0].dtype), types, call->results, call->range,
                         call->numbers, call->grain);
  std::vector<Array> results;
  results.reserve(call->results.size());
  const auto count = static_cast<uint32_t>(operands.size() + 1);
  for (size_t k = 0; k < call->results.size(); ++k)
    results.push_back(
        recording.finish(ir::make(ir::Op::kernel, inputs, ir::KernelAttr{kernel, static_cast<int64_t>(k)}, {},
                                  recording.lines()),
                         count));
  if (!has_info(of.what)) return results;
  const bool has_values =
      std::ranges::none_of(operands, [](const Array& x) { return detail::depends_on_arguments(x); });
  if (has_values && call->range > 0) check(of, results);
  results.pop_back();
  return results;
}

Array matrices(const char* op, const Array& a) {
  const DTypeKind k = kind(a.dtype());
  if (a.ndim() < 2)
    throw LinAlgError(std::string(op) + ": takes a matrix or a stack of them: got shape " +
                      to_string(a.shape()));
  if (k == DTypeKind::Float && size_of(a.dtype()) == 2)
    throw TypeError(std::string(op) + ": takes f32, f64, c64 and c128: got " + std::string(name(a.dtype())) +
                    ", which astype() converts");
  return k == DTypeKind::Float || k == DTypeKind::Complex ? a : a.astype(DType::F64);
}

Array square_matrices(const char* op, const Array& a) {
  const Array all = matrices(op, a);
  const Shape& shape = all.shape();
  if (shape[shape.size() - 2] != shape.back())
    throw LinAlgError(std::string(op) + ": takes square matrices: got shape " + to_string(shape));
  return all;
}

Array transposed(const Array& a) { return swapaxes(a, -2, -1); }
Array adjoint(const Array& a) {
  return kind(a.dtype()) == DTypeKind::Complex ? conj(transposed(a)) : transposed(a);
}
Array product(const Array& a, const Array& b) { return matmul(a, b); }
Array diagonal_of(const Array& a) { return diagonal(a); }
Array times_columns(const Array& a, const Array& by) { return a * expand_dims(by, -2); }
Array times_rows(const Array& a, const Array& by) { return a * expand_dims(by, -1); }
Array identity_like(const Array& a) { return eye(a.shape().back(), -1, 0, Make(a.dtype(), a.device())); }

}  // namespace weft::linalg
