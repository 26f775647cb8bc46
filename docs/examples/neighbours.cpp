// The C++ of docs/cpp.md that takes arrays of other libraries and gives them: Eigen, xtensor, DLPack. It is compiled where their
// headers are.
#include <dlpack/dlpack.h>
#include <weft/weft.h>

#include <Eigen/Dense>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xtensor.hpp>

namespace {

using namespace weft;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "neighbours: does not hold: %s\n", what);
  std::exit(1);
}
#define CHECK(condition) check(condition, #condition)

// clang-format off
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A copy, in either order of Eigen's.
Array from_eigen(const Rows& m) { return from(m.data(), {m.rows(), m.cols()}); }

// Where x lies, until x is written or let go.
Eigen::Map<const Rows> as_eigen(const Array& x) {
  return {x.span<double>().data(), x.shape()[0], x.shape()[1]};
}

Array from_xtensor(const xt::xtensor<double, 2>& t) {
  const Shape shape = {static_cast<int64_t>(t.shape(0)), static_cast<int64_t>(t.shape(1))};
  return from(t.data(), shape);
}

auto as_xtensor(const Array& x) {
  const std::vector<size_t> shape(x.shape().begin(), x.shape().end());
  return xt::adapt(x.span<double>().data(), x.span<double>().size(), xt::no_ownership(), shape);
}

DLDataType dlpack_type(DType dtype) {
  const auto bits = static_cast<uint8_t>(8 * size_of(dtype));
  switch (kind(dtype)) {
    case DTypeKind::Signed: return {kDLInt, bits, 1};
    case DTypeKind::Unsigned: return {kDLUInt, bits, 1};
    case DTypeKind::Float: return {static_cast<uint8_t>(dtype == DType::BF16 ? kDLBfloat : kDLFloat), bits, 1};
    default: throw TypeError("dlpack: takes integers and floats");
  }
}

// What a consumer reads, and must not write: x and its views keep their values.
DLManagedTensor* to_dlpack(const Array& x) {
  struct Held { Lent lent; std::vector<int64_t> shape, strides; DLManagedTensor tensor; };
  auto held = std::make_unique<Held>();
  held->lent = lend(x);
  held->shape.assign(x.shape().begin(), x.shape().end());
  held->strides.assign(held->lent.strides.begin(), held->lent.strides.end());
  DLTensor& t = held->tensor.dl_tensor;
  t = {const_cast<void*>(held->lent.data), {kDLCPU, 0}, static_cast<int>(x.ndim()), dlpack_type(x.dtype()), held->shape.data(), held->strides.data(), 0};
  held->tensor.manager_ctx = held.get();
  held->tensor.deleter = [](DLManagedTensor* self) { delete static_cast<Held*>(self->manager_ctx); };
  return &held.release()->tensor;
}

// f64 on the host, where it lies if it is contiguous. The producer does not write to it meanwhile.
Array from_dlpack(DLManagedTensor* tensor) {
  const DLTensor& t = tensor->dl_tensor;
  if (t.device.device_type != kDLCPU || t.dtype.code != kDLFloat || t.dtype.bits != 64) throw TypeError("dlpack: takes f64 on the host");
  const Shape shape(std::span(t.shape, static_cast<size_t>(t.ndim)));
  const Dims strides = t.strides ? Dims(std::span(t.strides, static_cast<size_t>(t.ndim))) : contiguous_strides(shape);
  const auto* data = static_cast<const std::byte*>(t.data) + t.byte_offset;
  const auto release = [tensor] { if (tensor->deleter) tensor->deleter(tensor); };
  return *borrow_strided(data, DType::F64, shape, strides, release, "cpu", 0, true).array;
}
// clang-format on

void eigen() {
  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  const Array a = from_eigen(m);
  CHECK(a.shape() == (Shape{2, 3}) && a.at(1, 0).item<double>() == 4);
  const Array doubled = a * 2;
  const Eigen::MatrixXd back = as_eigen(doubled);
  CHECK(back == 2 * m);
}

void xtensor() {
  const xt::xtensor<double, 2> t = {{1, 2, 3}, {4, 5, 6}};
  const Array a = from_xtensor(t);
  const Array rooted = sqrt(a * a);
  CHECK(as_xtensor(rooted) == t);
}

void dlpack() {
  const Array a = arange(6.0).reshape({2, 3});
  const Array turned = a.T();
  DLManagedTensor* lent = to_dlpack(turned);
  CHECK(lent->dl_tensor.shape[0] == 3 && lent->dl_tensor.strides[0] == 1 && lent->dl_tensor.strides[1] == 3);
  const Array back = from_dlpack(lent);
  CHECK(all(back == turned).item<bool>() && back.at(2, 1).item<double>() == 5);
}

}  // namespace

int main() {
  eigen();
  xtensor();
  dlpack();
  return 0;
}
