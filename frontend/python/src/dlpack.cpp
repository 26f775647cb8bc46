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

DLDevice dlpack_device(const std::string& name) {
  if (name == "cpu") return {kDLCPU, 0};
  return {kDLCUDA, std::stoi(name.substr(name.find(':') + 1))};
}

template <class Managed>
struct Export {
  Managed managed;
  Lent lent;
  Dims shape;
  uint64_t stream;  // of the taker, whose work with the memory may still run when it lets go; 0: none
};

template <class Managed>
void delete_export(Managed* managed) {
  auto* made = static_cast<Export<Managed>*>(managed->context);
  try {
    if (made->stream != 0) take_back(made->lent, made->stream);
  } catch (const std::exception&) {
    // The device has failed, which its next use says.
  }
  delete made;
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
nb::object make_capsule(const Array& x, uint64_t flags, uint64_t stream) {
  auto made = std::make_unique<Export<Managed>>(Export<Managed>{{}, lend(x), x.shape(), stream});
  if (stream != 0) lend_to(made->lent, stream);
  Managed& managed = made->managed;
  managed.context = made.get();
  managed.deleter = delete_export<Managed>;
  managed.tensor = {const_cast<void*>(made->lent.data),
                    dlpack_device(x.device()),
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

// The array and whether it is a copy; None where there are gaps or repetitions in memory that is not to be
// copied here.
template <class Managed>
nb::object take_capsule(nb::handle capsule, bool may_copy) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), capsule_name<Managed>()));
  if (!managed) throw nb::python_error();
  const DLTensor& t = managed->tensor;
  const bool host = t.device.kind == kDLCPU || t.device.kind == kDLCUDAHost;
  if (!host && t.device.kind != kDLCUDA) {
    PyErr_SetString(PyExc_BufferError,
                    ("from_dlpack: takes memory of the host and of CUDA devices: got device kind " +
                     std::to_string(t.device.kind))
                        .c_str());
    throw nb::python_error();
  }
  const std::string device = host ? "cpu" : "cuda:" + std::to_string(t.device.number);
  const DType dtype = dtype_of(t.dtype);
  const Shape shape(std::span<const int64_t>(t.shape, static_cast<size_t>(t.ndim)));
  const Dims strides =
      t.strides ? Dims(std::span<const int64_t>(t.strides, shape.size())) : contiguous_strides(shape);
  const void* data = static_cast<const char*>(t.data) + t.byte_offset;
  Borrowed borrowed = borrow_strided(
      data, dtype, shape, strides, [managed] { managed->deleter(managed); }, device, 0, may_copy);
  if (!borrowed.array) return nb::none();
  PyCapsule_SetName(capsule.ptr(),
                    std::is_same_v<Managed, DLManagedTensor> ? "used_dltensor" : "used_dltensor_versioned");
  return nb::make_tuple(nb::steal(wrap(std::move(*borrowed.array))), borrowed.copied);
}

}  // namespace

void bind_dlpack(nb::module_& m) {
  m.def(
      "to_dlpack",
      [](const Array& x, bool versioned, bool copied, uint64_t stream) {
        if (versioned)
          return make_capsule<DLManagedTensorVersioned>(x, copied ? kDLCopied : kDLReadOnly, stream);
        return make_capsule<DLManagedTensor>(x, 0, stream);
      },
      "x"_a, "versioned"_a, "copied"_a, "stream"_a, "`stream`: of the taker, by CUDA's name; 0: none.");
  m.def(
      "dlpack_device",
      [](const Array& x) {
        const DLDevice device = dlpack_device(x.device());
        return nb::make_tuple(device.kind, device.number);
      },
      "x"_a);
  m.def(
      "take_dlpack",
      [](nb::handle capsule, bool may_copy) {
        const PythonLine line;
        if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned"))
          return take_capsule<DLManagedTensorVersioned>(capsule, may_copy);
        return take_capsule<DLManagedTensor>(capsule, may_copy);
      },
      "capsule"_a, "may_copy"_a,
      "The array of a capsule, over its memory, and whether it is a copy, as memory with gaps has to be; "
      "None where it may "
      "not be one.");
}

}  // namespace weft::python
