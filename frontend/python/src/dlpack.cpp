// Arrays to and from other libraries by DLPack. What Weft lends is read-only, which versions before 1 cannot
// say: those get a copy, unless the asker states that it wants none and so takes it on itself not to write.
#include "frontend/python/src/dlpack.h"

#include "compiler/base/error.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

DLDataType dlpack_dtype(DType dtype) {
  const auto bits = static_cast<uint8_t>(8 * size_of(dtype));
  switch (kind(dtype)) {
    case DTypeKind::Bool:
      return {kDLBool, bits, 1};
    case DTypeKind::Signed:
      return {kDLInt, bits, 1};
    case DTypeKind::Unsigned:
      return {kDLUInt, bits, 1};
    case DTypeKind::Float:
      return {dtype == DType::BF16 ? kDLBfloat : kDLFloat, bits, 1};
    case DTypeKind::Complex:
      return {kDLComplex, bits, 1};
  }
  return {};
}

DType dtype_of(const DLDataType& given) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const DLDataType known = dlpack_dtype(static_cast<DType>(i));
    if (known.code == given.code && known.bits == given.bits && given.lanes == 1)
      return static_cast<DType>(i);
  }
  throw TypeError("from_dlpack: arrays hold bool, integers, floats and complex numbers: got code " +
                  std::to_string(given.code) + " of " + std::to_string(given.bits) + " bits in " +
                  std::to_string(given.lanes) + " lanes");
}

DLDevice device_of(const std::string& name) {
  if (name == "cpu") return {kDLCPU, 0};
  return {kDLCUDA, std::stoi(name.substr(name.find(':') + 1))};
}

template <class Managed>
struct Export {
  Managed managed;
  Lent lent;
  Dims shape;
};

template <class Managed>
void delete_export(Managed* managed) {
  delete static_cast<Export<Managed>*>(managed->context);
}

template <class Managed>
constexpr const char* capsule_name() {
  return std::is_same_v<Managed, DLManagedTensor> ? "dltensor" : "dltensor_versioned";
}

// A capsule that nobody took deletes what it holds.
template <class Managed>
void drop_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, capsule_name<Managed>())) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, capsule_name<Managed>()));
  managed->deleter(managed);
}

template <class Managed>
nb::object make_capsule(const Array& x, uint64_t flags) {
  auto made = std::make_unique<Export<Managed>>(Export<Managed>{{}, lend(x), x.shape()});
  sync();  // whoever takes it may use another stream
  Managed& managed = made->managed;
  managed.context = made.get();
  managed.deleter = delete_export<Managed>;
  managed.tensor = {const_cast<void*>(made->lent.data),
                    device_of(x.device()),
                    static_cast<int32_t>(x.ndim()),
                    dlpack_dtype(x.dtype()),
                    made->shape.data(),
                    made->lent.strides.data(),
                    0};
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    managed.version = {1, 0};
    managed.flags = flags;
  }
  PyObject* capsule = PyCapsule_New(&managed, capsule_name<Managed>(), drop_capsule<Managed>);
  if (!capsule) throw nb::python_error();
  made.release();
  return nb::steal(capsule);
}

bool is_row_major(const DLTensor& t) {
  if (!t.strides) return true;
  int64_t expected = 1;
  for (int32_t i = t.ndim; i-- > 0;) {
    if (t.shape[i] > 1 && t.strides[i] != expected) return false;
    expected *= t.shape[i];
  }
  return true;
}

// None where the memory is not row-major: the caller asks for a copy then.
template <class Managed>
nb::object take_capsule(nb::handle capsule) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), capsule_name<Managed>()));
  if (!managed) throw nb::python_error();
  const DLTensor& t = managed->tensor;
  const bool host = t.device.kind == kDLCPU || t.device.kind == kDLCUDAHost;
  if (!host) {
    PyErr_SetString(PyExc_BufferError, "from_dlpack: takes host memory: got memory of another device");
    throw nb::python_error();
  }
  const DType dtype = dtype_of(t.dtype);
  const Shape shape(std::span<const int64_t>(t.shape, static_cast<size_t>(t.ndim)));
  if (!is_row_major(t)) return nb::none();
  const void* data = static_cast<const char*>(t.data) + t.byte_offset;
  Array array = element_count(shape) == 0
                    ? full(shape, 0, dtype)
                    : borrow(data, dtype, shape, [managed] { managed->deleter(managed); }, "cpu");
  PyCapsule_SetName(capsule.ptr(),
                    std::is_same_v<Managed, DLManagedTensor> ? "used_dltensor" : "used_dltensor_versioned");
  if (element_count(shape) == 0) managed->deleter(managed);
  return nb::steal(wrap(std::move(array)));
}

}  // namespace

void bind_dlpack(nb::module_& m) {
  m.def(
      "to_dlpack",
      [](const Array& x, bool versioned, bool copied) {
        if (versioned) return make_capsule<DLManagedTensorVersioned>(x, copied ? kDLCopied : kDLReadOnly);
        return make_capsule<DLManagedTensor>(x, 0);
      },
      "x"_a, "versioned"_a, "copied"_a);
  m.def(
      "dlpack_device",
      [](const Array& x) {
        const DLDevice device = device_of(x.device());
        return nb::make_tuple(device.kind, device.number);
      },
      "x"_a);
  m.def(
      "take_dlpack",
      [](nb::handle capsule) {
        if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned"))
          return take_capsule<DLManagedTensorVersioned>(capsule);
        return take_capsule<DLManagedTensor>(capsule);
      },
      "capsule"_a, "The array of a capsule, over its memory; None where that is not row-major.");
}

}  // namespace weft::python
