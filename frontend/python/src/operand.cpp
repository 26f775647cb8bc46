#include "frontend/python/src/operand.h"

#include <limits>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "frontend/cpp/evaluate/find_nans.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/python/src/dtypes.h"
#include "frontend/python/src/line.h"

namespace weft::python {
namespace {

PyObject* convert_foreign;
PyObject* flat_type;  // of x.flat, which NumPy's operators take as an array
// Of weft/_base/given.py.
PyObject* given_type;
PyObject* compute_given;

Number integer(PyObject* object) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
  }
  if (overflow > 0) {
    const uint64_t large = PyLong_AsUnsignedLongLong(object);
    if (large != static_cast<uint64_t>(-1) || !PyErr_Occurred()) return large;
    PyErr_Clear();
  }
  throw OverflowError("number: integers have 64 bits: got " +
                      nb::cast<std::string>(nb::str(nb::handle(object))));
}

PyObject* numpy_type(const char* name, PyObject*& cached) {
  if (!cached && numpy_if_imported()) cached = numpy().attr(name).ptr();
  return cached;
}

bool is_numpy_scalar(PyObject* object) {
  static PyObject* generic = nullptr;
  PyObject* type = numpy_type("generic", generic);
  return type && PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(type));
}

// Its dtype; none of a type that is not NumPy's own, or that no array holds.
std::optional<DType> dtype_of_numpy_scalar(PyObject* object) {
  static constexpr std::pair<const char*, DType> kNames[] = {
      {"bool_", DType::Bool},    {"int64", DType::I64},      {"float32", DType::F32}, {"int32", DType::I32},
      {"float64", DType::F64},   {"uint8", DType::U8},       {"int8", DType::I8},     {"int16", DType::I16},
      {"uint16", DType::U16},    {"uint32", DType::U32},     {"uint64", DType::U64},  {"float16", DType::F16},
      {"complex64", DType::C64}, {"complex128", DType::C128}};
  static PyObject* types[std::size(kNames)] = {};
  if (!numpy_if_imported()) return {};
  for (size_t k = 0; k < std::size(kNames); ++k)
    if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == numpy_type(kNames[k].first, types[k]))
      return kNames[k].second;
  return {};
}

bool is_numpy_array(PyObject* object) {
  static PyObject* ndarray = nullptr;
  PyObject* type = numpy_type("ndarray", ndarray);
  return type && PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(type));
}

// Subclasses of Python's own number types too.
// Python's sequences, and its memory of numbers, as array.array's.
bool is_plain_sequence(PyObject* object) {
  if (PyList_Check(object) || PyTuple_Check(object) || PyRange_Check(object)) return true;
  return PyObject_CheckBuffer(object) && !PyBytes_Check(object) && !PyByteArray_Check(object);
}

// What NumPy makes arrays of beyond that: other libraries' arrays and sequences. Operators leave these to the
// other side.
bool is_array_like(PyObject* object) {
  if (PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object)) return false;
  return PySequence_Check(object) || PyObject_HasAttrString(object, "__array__") ||
         PyObject_HasAttrString(object, "__array_interface__");
}

std::optional<Number> python_number(PyObject* object) {
  if (PyFloat_Check(object)) return Number(PyFloat_AS_DOUBLE(object));
  if (PyBool_Check(object)) return Number(object == Py_True);
  if (PyLong_Check(object)) return integer(object);
  if (PyComplex_Check(object)) {
    const Py_complex z = PyComplex_AsCComplex(object);
    return Number(std::complex<double>(z.real, z.imag));
  }
  return std::nullopt;
}

}  // namespace

bool is_numpy_float64(PyObject* object) {
  if (!PyFloat_Check(object) || PyFloat_CheckExact(object)) return false;
  static PyObject* float64 = nullptr;
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == numpy_type("float64", float64);
}

bool is_given(PyObject* object) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == given_type; }

nb::object of_given(const char* op, PyObject* const* operands, Py_ssize_t count) {
  nb::list given;
  for (Py_ssize_t i = 0; i < count; ++i) given.append(nb::handle(operands[i]));
  return nb::handle(compute_given)(op, given);
}

std::optional<Scalar> numpy_scalar(PyObject* object) {
  const std::optional<DType> dtype = dtype_of_numpy_scalar(object);
  Py_buffer view;
  if (!dtype || PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    return {};
  }
  std::array<std::byte, 16> bytes{};
  const bool fits = static_cast<size_t>(view.len) == size_of(*dtype);
  if (fits) std::memcpy(bytes.data(), view.buf, static_cast<size_t>(view.len));
  PyBuffer_Release(&view);
  return fits ? std::optional(Scalar::load(*dtype, bytes.data())) : std::nullopt;
}

std::optional<Number> number_from(PyObject* object) {
  if (is_given(object)) return number_from(nb::object(nb::handle(object).attr("known")()).ptr());
  if (PyFloat_CheckExact(object)) return Number(PyFloat_AS_DOUBLE(object));
  if (PyLong_CheckExact(object)) return integer(object);
  if (is_numpy_float64(object)) return Number::typed(Scalar::of(PyFloat_AS_DOUBLE(object)));
  if (const std::optional<Scalar> known = numpy_scalar(object)) return Number::typed(*known);
  if (is_numpy_scalar(object)) {
    const nb::handle scalar(object);
    const DType dtype = dtype_from(scalar.attr("dtype").ptr());
    const nb::object value = scalar.attr("item")();
    auto number = python_number(value.ptr());
    if (!number) return std::nullopt;
    return Number::typed(number->value().cast(dtype));
  }
  return python_number(object);
}

bool Argument::parse(PyObject* object) {
  if (is_array(object)) {
    array_ = &array_of(object);
    return true;
  }
  if (auto number = number_from(object)) {
    number_ = *number;
    return true;
  }
  if (is_numpy_array(object) || is_plain_sequence(object) ||
      reinterpret_cast<PyObject*>(Py_TYPE(object)) == flat_type) {
    convert(object);
    return true;
  }
  return false;
}

bool Argument::parse_given(PyObject* object, DType strong, bool stored) {
  const nb::handle given(object);
  const nb::object value = given.attr("value");
  const std::optional<Number> number = python_number(value.ptr());
  const nb::object array = given.attr("array");
  // Whether an integer fits is a question of its value.
  if (!number || array.is_none() || (is_integer(strong) && PyLong_Check(value.ptr()) && strong != DType::I64))
    return false;
  converted_ = array_of(array.ptr());
  // NumPy's scalars have a dtype of their own.
  if (stored || !is_numpy_float64(value.ptr()))
    converted_ = converted_.astype(detail::weak_dtype("number", strong, *number));
  array_ = &converted_;
  return true;
}

bool Argument::parse_beside(PyObject* object, PyObject* other, ir::Op op) {
  // What is raised to a power depends on the exponent.
  if (is_given(object) && op != ir::Op::pow) {
    if (is_array(other) && parse_given(object, array_of(other).dtype())) return true;
  }
  try {
    return parse(object);
  } catch (const OverflowError&) {
    if (!PyLong_Check(object) || !is_array(other)) throw;
    const DType dtype = array_of(other).dtype();
    const bool whole = is_integer(dtype) || dtype == DType::Bool;
    if (whole && ir::info(op).result != ir::Result::Bool) throw;
    const double value = PyLong_AsDouble(object);
    if (!whole && value == -1 && PyErr_Occurred()) throw nb::python_error();
    PyErr_Clear();
    const int sign = PyObject_RichCompareBool(object, nb::int_(0).ptr(), Py_LT) == 1 ? -1 : 1;
    number_ = whole ? Number(sign * std::numeric_limits<double>::infinity()) : Number(value);
    return true;
  }
}

void Argument::convert(PyObject* object, std::optional<DType> dtype) {
  const nb::handle as(dtype ? dtype_object(*dtype) : Py_None);
  const nb::object made = nb::handle(convert_foreign)(nb::handle(object), as);
  converted_ = array_of(made.ptr());
  array_ = &converted_;
}

void Argument::take(PyObject* object) noexcept {
  try {
    if (parse(object)) return;
    if (is_array_like(object)) return convert(object);
  } catch (...) {
    why_ = std::current_exception();
  }
  refused_ = object;
}

void Argument::refuse(const char* op) const {
  if (why_) std::rethrow_exception(why_);
  throw TypeError(std::string(op) + ": takes arrays and numbers: got " + Py_TYPE(refused_)->tp_name);
}

void parse_argument(Argument& out, const char* op, PyObject* object) {
  if (out.parse(object)) return;
  if (is_array_like(object)) return out.convert(object);
  throw TypeError(std::string(op) + ": takes arrays and numbers: got " + Py_TYPE(object)->tp_name);
}

void parse_mask(Argument& out, const char* op, PyObject* object) {
  const bool is_plain = is_array(object) ? is_value(object) : !is_numpy_array(object);
  if (is_plain) return out.convert(object, DType::Bool);
  parse_argument(out, op, object);
  if (out.array()->dtype() != DType::Bool) {
    throw TypeError(std::string(op) + ": where is of bools: got " + std::string(name(out.array()->dtype())));
  }
}

void parse_stored(Argument& out, const char* op, PyObject* object, DType dtype) {
  // Text and None are what NumPy makes numbers of.
  if (PyList_Check(object) || PyTuple_Check(object) || PyRange_Check(object) || PyUnicode_Check(object) ||
      PyBytes_Check(object) || object == Py_None)
    return out.convert(object, dtype);
  // A value is looked at where NumPy's scalar would have to fit.
  if (is_array(object) && is_value(object) && is_integer(dtype)) {
    const Array& one = array_of(object);
    if (promote(one.dtype(), dtype) != dtype && !is_complex(one.dtype()) &&
        !detail::depends_on_arguments(one)) {
      out.take_number(Number::typed(one.only_element()));
      return;
    }
  }
  if (is_given(object) && is_float(dtype) && out.parse_given(object, dtype, true)) return;
  if (PyLong_CheckExact(object) && !is_integer(dtype)) {
    // However large: floats hold what Python's float() makes of it, bools whether it is true.
    const nb::object held =
        nb::steal(dtype == DType::Bool ? PyBool_FromLong(PyObject_IsTrue(object)) : PyNumber_Float(object));
    if (!held) throw nb::python_error();
    out.parse(held.ptr());
    return;
  }
  parse_argument(out, op, object);
}

void bind_operands(nb::module_& m) {
  m.def(
      "convert_foreign_with",
      [](nb::object function, nb::object flat) {
        convert_foreign = function.release().ptr();
        flat_type = flat.release().ptr();
      },
      nb::arg("function"), nb::arg("flat"),
      "Sets the function that makes arrays of NumPy's arrays, of lists and of what has the type `flat`.");
  m.def(
      "take_given_with",
      [](nb::object type, nb::object function) {
        given_type = type.release().ptr();
        compute_given = function.release().ptr();
      },
      nb::arg("type"), nb::arg("function"),
      "Sets the type of numbers that a function takes which is being recorded, and what computes elementwise "
      "functions of them.");
}

bool may_make(detail::DeviceSlot& device, ir::Op op, std::span<const detail::Known> operands,
              const Scalar& value) noexcept {
  return guarded([&] {
    std::vector<Scalar> values;
    for (const detail::Known& one : operands) values.push_back(one.value);
    detail::refuse_made(device.session, op, values, value, {}, python_line());
    return true;
  });
}

}  // namespace weft::python
