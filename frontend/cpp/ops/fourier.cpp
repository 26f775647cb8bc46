// Transforms along one axis are kernels of the library; all others are made of these.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/user_kernel.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/derivatives.h"
#include "frontend/cpp/weft/fft.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/shaping.h"
#include "runtime/cpu/fourier.h"

namespace weft::fft {
namespace {

using runtime::Fourier;

// A transform whose axis and length are known.
struct Request {
  const char* op;
  Fourier kind;
  int64_t axis, n;
  double factor;
  Where at;
};

bool is_real(const Array& x) { return kind(x.dtype()) != DTypeKind::Complex; }

// Of the dtypes that transforms take.
Array taken(const Array& x, bool real, const char* op) {
  if (real && !is_real(x))
    throw TypeError(std::string(op) + ": takes real numbers: got " + std::string(name(x.dtype())) +
                    "; real() or fft() may be meant");
  const bool single =
      x.dtype() == DType::C64 || (kind(x.dtype()) == DTypeKind::Float && size_of(x.dtype()) <= 4);
  return x.astype(real ? (single ? DType::F32 : DType::F64) : (single ? DType::C64 : DType::C128));
}

Array first_of(const Array& x, int64_t axis, int64_t count) {
  return moveaxis(moveaxis(x, axis, 0)(Slice{0, count}), 0, axis);
}

// So many elements along the axis, zeros for those that x lacks.
Array fitted(const Array& x, int64_t axis, int64_t count) {
  const int64_t there = x.shape()[static_cast<size_t>(axis)];
  if (there == count) return x;
  if (there > count) return first_of(x, axis, count);
  std::vector<std::pair<int64_t, int64_t>> widths(x.ndim());
  widths[static_cast<size_t>(axis)].second = count - there;
  return pad(x, widths);
}

ir::UserKernelRef kernel_of(const ir::TensorType& x, const Request& r) {
  const bool single = x.dtype == DType::F32 || x.dtype == DType::C64;
  const runtime::FourierCall call(r.kind, x.shape, static_cast<size_t>(r.axis), r.n, r.factor);
  const DType real = single ? DType::F32 : DType::F64, complex = single ? DType::C64 : DType::C128;
  ir::TensorType result{r.kind == Fourier::ToReal ? real : complex, x.shape};
  result.shape[static_cast<size_t>(r.axis)] = call.given();
  return ir::library_kernel(runtime::fourier_function(single), {x}, {std::move(result)}, call.range,
                            call.numbers(), call.grain);
}

Array transformed(const Array& x, const Request& r);

// The transform is linear and its matrix symmetric: forward and back its derivative is itself.
Array derived(const Array& x, const Request& r) {
  const Array inputs[] = {x.copy()}, value = transformed(stop_gradient(inputs[0]), r);
  CustomDerivative derivative{r.op, {}, {}};
  derivative.vjp = [r](std::span<const Array> c) -> std::vector<Array> { return {transformed(c[0], r)}; };
  derivative.jvp = derivative.vjp;
  return with_derivative({&value, 1}, inputs, std::move(derivative))[0];
}

// What a real transform is of complex ones, each of which has its derivative.
Array by_complex(const Array& x, Request r) {
  if (r.kind == Fourier::OfReal) {
    r.kind = Fourier::Forward;
    const bool single = x.dtype() == DType::F32;
    return first_of(transformed(x.astype(single ? DType::C64 : DType::C128), r), r.axis, r.n / 2 + 1);
  }
  // The missing half are conjugates, backwards; what is its own conjugate has no imaginary part.
  r.kind = Fourier::Backward;
  const Array half = moveaxis(x, r.axis, 0);
  const int64_t own = (r.n + 1) / 2;
  std::vector<Array> parts{real(half(Slice{0, 1})).astype(x.dtype())};
  if (own > 1) parts.push_back(half(Slice{1, own}));
  if (r.n % 2 == 0) parts.push_back(real(half(Slice{own, own + 1})).astype(x.dtype()));
  if (own > 1) parts.push_back(conj(flip(half(Slice{1, own}), Dims{0})));
  return real(transformed(moveaxis(concat(parts, 0), 0, r.axis), r));
}

Array transformed(const Array& x, const Request& r) {
  if (is_derived(x))
    return r.kind == Fourier::Forward || r.kind == Fourier::Backward ? derived(x, r) : by_complex(x, r);
  if (const std::string device = x.device(); device != "cpu" && !device.starts_with("cpu:"))
    return transformed(x.to("cpu"), r).to(device);
  detail::Recording recording(r.op, Operand(x, r.at));
  const ir::NodeRef node = recording.node(x);
  const ir::KernelAttr attr{kernel_of(node->type, r), 0};
  return recording.finish(ir::make(ir::Op::kernel, {node}, attr, {}, recording.lines()));
}

double factor_of(Norm norm, bool back, int64_t n) {
  if (norm == Norm::Ortho) return 1 / std::sqrt(static_cast<double>(n));
  return (norm == Norm::Backward) == back ? 1 / static_cast<double>(n) : 1;
}

Array along_axis(const char* op, Fourier kind, bool back, const Array& x, const Along& along, Where at) {
  if (x.ndim() == 0) throw Error(std::string(op) + ": needs an axis: got an array of rank 0");
  const int64_t axis = normalize_axis(op, along.axis, x.ndim()), there = x.shape()[static_cast<size_t>(axis)];
  const int64_t n = along.n ? *along.n : kind == Fourier::ToReal ? 2 * (there - 1) : there;
  if (n < 1)
    throw Error(std::string(op) + ": transforms one element at least: got " + std::to_string(n) +
                " along axis " + std::to_string(axis) + " of shape " + to_string(x.shape()));
  const Array given = taken(x, kind == Fourier::OfReal, op);
  const Array result = transformed(fitted(given, axis, kind == Fourier::ToReal ? n / 2 + 1 : n),
                                   {op, kind, axis, n, factor_of(along.norm, back, n), at});
  // As NumPy has it.
  const bool half = weft::kind(x.dtype()) == DTypeKind::Float && size_of(x.dtype()) == 2;
  return half && kind == Fourier::ToReal ? result.astype(x.dtype()) : result;
}

// The axes, and the length along each.
struct Several {
  Dims axes;
  std::vector<std::optional<int64_t>> lengths;
};
Several several(const char* op, const Array& x, const Over& over) {
  Several all;
  const size_t count = over.shape ? over.shape->size() : over.axes ? over.axes->size() : x.ndim();
  if (over.axes) {
    for (const int64_t axis : *over.axes) all.axes.push_back(normalize_axis(op, axis, x.ndim()));
  } else {
    if (count > x.ndim())
      throw Error(std::string(op) + ": a shape of " + std::to_string(count) + " axes for an array of shape " +
                  to_string(x.shape()));
    for (size_t i = x.ndim() - count; i < x.ndim(); ++i) all.axes.push_back(static_cast<int64_t>(i));
  }
  if (all.axes.size() != count)
    throw Error(std::string(op) + ": takes as many axes as the shape has: got " +
                std::to_string(all.axes.size()) + " and " + std::to_string(count));
  all.lengths.resize(count);
  if (over.shape)
    for (size_t i = 0; i < count; ++i) all.lengths[i] = (*over.shape)[i];
  return all;
}

using One = Array (*)(const Array&, const Along&, Where);

// The last axis first, as NumPy has it; `last` transforms that one.
Array over_axes(const char* op, const Array& x, const Over& over, One each, One last, Where at) {
  const Several all = several(op, x, over);
  Array result = x;
  for (size_t i = all.axes.size(); i-- > 0;)
    result = (i + 1 == all.axes.size() ? last : each)(result, {all.lengths[i], all.axes[i], over.norm}, at);
  return result;
}

Array shifted(const char* op, const Array& x, const std::optional<Dims>& axes, bool back) {
  Array result = x;
  for (size_t i = 0; i < (axes ? axes->size() : x.ndim()); ++i) {
    const int64_t axis = axes ? normalize_axis(op, (*axes)[i], x.ndim()) : static_cast<int64_t>(i);
    const int64_t half = x.shape()[static_cast<size_t>(axis)] / 2;
    result = roll(result, back ? -half : half, axis);
  }
  return result;
}

}  // namespace

Array fft(const Array& x, const Along& along, Where at) {
  return along_axis("fft", Fourier::Forward, false, x, along, at);
}
Array ifft(const Array& x, const Along& along, Where at) {
  return along_axis("ifft", Fourier::Backward, true, x, along, at);
}
Array rfft(const Array& x, const Along& along, Where at) {
  return along_axis("rfft", Fourier::OfReal, false, x, along, at);
}
Array irfft(const Array& x, const Along& along, Where at) {
  return along_axis("irfft", Fourier::ToReal, true, x, along, at);
}
Array hfft(const Array& x, const Along& along, Where at) {
  return along_axis("hfft", Fourier::ToReal, false, conj(x), along, at);
}
Array ihfft(const Array& x, const Along& along, Where at) {
  return conj(along_axis("ihfft", Fourier::OfReal, true, x, along, at));
}

Array fftn(const Array& x, const Over& over, Where at) { return over_axes("fftn", x, over, fft, fft, at); }
Array ifftn(const Array& x, const Over& over, Where at) {
  return over_axes("ifftn", x, over, ifft, ifft, at);
}
Array rfftn(const Array& x, const Over& over, Where at) { return over_axes("rfftn", x, over, fft, rfft, at); }
Array irfftn(const Array& x, const Over& over, Where at) {
  const Several all = several("irfftn", x, over);
  Array result = x;
  for (size_t i = 0; i < all.axes.size(); ++i)
    result = (i + 1 == all.axes.size() ? irfft : ifft)(result, {all.lengths[i], all.axes[i], over.norm}, at);
  return result;
}

Array fftfreq(int64_t n, double d) {
  const Array k = arange(n).astype(DType::F64);
  return where(k < static_cast<double>(n) / 2, k, k - static_cast<double>(n)) / (static_cast<double>(n) * d);
}
Array rfftfreq(int64_t n, double d) {
  return arange(n / 2 + 1).astype(DType::F64) / (static_cast<double>(n) * d);
}

Array fftshift(const Array& x, const std::optional<Dims>& axes) {
  return shifted("fftshift", x, axes, false);
}
Array ifftshift(const Array& x, const std::optional<Dims>& axes) {
  return shifted("ifftshift", x, axes, true);
}

}  // namespace weft::fft
