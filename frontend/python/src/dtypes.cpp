#include "frontend/python/src/dtypes.h"

#include <string>

#include "frontend/python/src/errors.h"
#include "frontend/python/src/python_array.h"

namespace weft::python {
namespace {

namespace nb = nanobind;

// As NumPy spells them, in DType's order.
constexpr const char* kNames[kDTypeCount] = {"bool",     "int8",    "int16",   "int32",     "int64",
                                             "uint8",    "uint16",  "uint32",  "uint64",    "float16",
                                             "bfloat16", "float32", "float64", "complex64", "complex128"};

PyObject* objects[kDTypeCount];
PyObject* known;  // a dict from dtypes, scalar types, Python's types and the texts that were given to numbers

void remember(nb::handle key, int number) {
  if (PyDict_SetItem(known, key.ptr(), nb::int_(number).ptr()) != 0) throw nb::python_error();
}

// bfloat16 is not NumPy's own: its package is imported when the dtype is asked for.
void load(int number) {
  const bool half = static_cast<DType>(number) == DType::BF16;
  const nb::object type =
      half ? nb::module_::import_("ml_dtypes").attr("bfloat16") : numpy().attr(kNames[number]);
  nb::object dtype = numpy().attr("dtype")(type);
  remember(type, number);
  remember(dtype, number);
  objects[number] = dtype.release().ptr();
}

void load_known() {
  known = PyDict_New();
  if (!known) throw nb::python_error();
  for (int i = 0; i < kDTypeCount; ++i)
    if (static_cast<DType>(i) != DType::BF16) load(i);
  remember(nb::handle(reinterpret_cast<PyObject*>(&PyBool_Type)), static_cast<int>(DType::Bool));
  remember(nb::handle(reinterpret_cast<PyObject*>(&PyLong_Type)), static_cast<int>(DType::I64));
  remember(nb::handle(reinterpret_cast<PyObject*>(&PyFloat_Type)), static_cast<int>(DType::F64));
  remember(nb::handle(reinterpret_cast<PyObject*>(&PyComplex_Type)), static_cast<int>(DType::C128));
}

int find(PyObject* object) {
  PyObject* number = PyDict_GetItemWithError(known, object);
  if (number) return static_cast<int>(PyLong_AsLong(number));
  drop_error();
  return -1;
}

}  // namespace

nb::handle numpy() {
  static PyObject* const module = nb::module_::import_("numpy").release().ptr();
  return module;
}

PyObject* numpy_if_imported() {
  static PyObject* module = nullptr;
  if (!module) module = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  return module;
}

PyObject* dtype_object(DType dtype) {
  const int number = static_cast<int>(dtype);
  if (!known) load_known();
  if (!objects[number]) load(number);
  return objects[number];
}

namespace {
nb::object numpys_dtype(PyObject* object) {
  try {
    return numpy().attr("dtype")(nb::handle(object));
  } catch (nb::python_error& e) {
    if (!PyUnicode_Check(object) || !e.matches(PyExc_TypeError)) throw;
    const std::string got = nb::cast<std::string>(nb::repr(nb::handle(object)));
    throw nb::type_error(("dtype: there is no such data type, as 'float32' is one: got " + got).c_str());
  }
}
}  // namespace

DType dtype_from(PyObject* object) {
  if (!known) load_known();
  int number = find(object);
  if (number >= 0) return static_cast<DType>(number);
  if (object == Py_None) throw nb::type_error("dtype: takes a dtype: got None");
  if (is_array(object)) throw nb::type_error("dtype: takes a dtype: got an array, use its dtype");
  std::string name;
  if (PyUnicode_Check(object)) name = nb::cast<std::string>(nb::str(nb::handle(object)));
  const nb::object dtype = name == "bfloat16" ? nb::borrow(dtype_object(DType::BF16)) : numpys_dtype(object);
  number = find(dtype.ptr());
  if (number < 0) {
    // Another spelling of the same (long long, platform types), or bfloat16 before its package was asked for.
    const std::string spelled = nb::cast<std::string>(nb::str(dtype.attr("name")));
    const bool native = nb::cast<bool>(dtype.attr("isnative"));
    for (int i = 0; native && i < kDTypeCount; ++i) {
      if (spelled == kNames[i] && dtype.equal(nb::handle(dtype_object(static_cast<DType>(i))))) number = i;
    }
  }
  if (number < 0) {
    const std::string text = nb::cast<std::string>(nb::str(dtype));
    throw nb::type_error(
        ("dtype: arrays hold bool, integers, floats and complex numbers in the machine's byte order: got " +
         text)
            .c_str());
  }
  if (PyUnicode_CheckExact(object))
    remember(object, number);  // NumPy takes a microsecond to read one; they are few
  return static_cast<DType>(number);
}

void bind_dtypes(nb::module_& m) {
  m.def(
      "dtype", [](nb::handle dtype) { return dtype_from(dtype.ptr()); }, nb::arg("dtype").none(),
      "The numpy.dtype that `dtype` stands for, if arrays can hold it.");
  m.def(
      "promote", [](DType a, DType b) { return promote(a, b); }, nb::arg("a"), nb::arg("b"),
      "The dtype that holds both.");
  nb::list names;
  for (const char* name : kNames) names.append(name);
  m.attr("dtype_names") = nb::tuple(names);
}

}  // namespace weft::python

namespace nanobind::detail {

bool type_caster<weft::DType>::from_python(handle source, uint32_t, cleanup_list*) noexcept {
  try {
    value = weft::python::dtype_from(source.ptr());
    return true;
  } catch (...) {
    weft::python::drop_error_before_refusal();
    return false;
  }
}

handle type_caster<weft::DType>::from_cpp(weft::DType dtype, rv_policy, cleanup_list*) noexcept {
  return weft::python::guarded([&] { return handle(Py_NewRef(weft::python::dtype_object(dtype))); });
}

}  // namespace nanobind::detail
