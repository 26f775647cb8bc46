#include "frontend/python/src/shapes.h"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

#include "compiler/base/error.h"
#include "frontend/python/src/errors.h"

namespace weft::python {
namespace {

namespace nb = nanobind;

// As NumPy, which takes no bool for a count or an axis.
int64_t integer(PyObject* object) {
  if (PyBool_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "takes an integer, no bool");
    throw nb::python_error();
  }
  const Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_OverflowError);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

Dims dims_from(PyObject* object) {
  if (PyLong_Check(object)) return {integer(object)};
  Dims dims;
  if (PyTuple_CheckExact(object)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
      dims.push_back(integer(PyTuple_GET_ITEM(object, i)));
    return dims;
  }
  if (PyIndex_Check(object)) {
    const Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (value != -1 || !PyErr_Occurred()) return {value};
    drop_error();
  }
  // Sets and dicts have no order, and what an iterator gives is there once.
  if (!PySequence_Check(object) || PyUnicode_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "takes an integer or a sequence of integers");
    throw nb::python_error();
  }
  const nb::object items = nb::steal(PySequence_Fast(object, "takes an integer or a sequence of integers"));
  if (!items.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i)
    dims.push_back(integer(PySequence_Fast_GET_ITEM(items.ptr(), i)));
  return dims;
}

// f(), and a TypeError or OverflowError of Python's told in full.
template <class F>
auto read(const char* op, const char* what, const char* rule, nb::handle given, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (nb::python_error& e) {
    const bool large = e.matches(PyExc_OverflowError);
    if (!large && !e.matches(PyExc_TypeError)) throw;
    const std::string got = nb::cast<std::string>(nb::repr(given));
    if (large)
      throw OverflowError(std::string(op) + ": " + what + " is " + rule + " of at most 64 bits: got " + got);
    throw TypeError(std::string(op) + ": " + what + " is " + rule + ": got " + got);
  }
}

}  // namespace

nb::object tuple_of(const Dims& dims) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(dims.size()));
  if (!tuple) throw nb::python_error();
  for (size_t i = 0; i < dims.size(); ++i) {
    PyObject* extent = PyLong_FromLongLong(dims[i]);
    if (!extent) {
      Py_DECREF(tuple);
      throw nb::python_error();
    }
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), extent);
  }
  return nb::steal(tuple);
}

int64_t Integers::one(const char* op, const char* what) const {
  return read(op, what, "an integer", given_, [&] { return integer(given_.ptr()); });
}

Dims Integers::all(const char* op, const char* what) const {
  return read(op, what, "an integer or a sequence of integers", given_,
              [&] { return dims_from(given_.ptr()); });
}

Dims Integers::axes(const char* op) const {
  return read(op, "axis", "an integer or a tuple of integers", given_, [&]() -> Dims {
    if (PyTuple_Check(given_.ptr())) return dims_from(given_.ptr());
    return {integer(given_.ptr())};
  });
}

bool Flag::is(const char* op, const char* what) const {
  PyObject* given = given_.ptr();
  if (PyBool_Check(given)) return given == Py_True;
  // NumPy's bools are no integers to Python.
  if (std::string_view(Py_TYPE(given)->tp_name).starts_with("numpy.bool")) return PyObject_IsTrue(given) == 1;
  if (PyIndex_Check(given)) {
    const Py_ssize_t value = PyNumber_AsSsize_t(given, PyExc_OverflowError);
    if (value != -1 || !PyErr_Occurred()) return value != 0;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();  // an array, or one value that is no integer
  }
  throw TypeError(std::string(op) + ": " + what + " is True or False: got " +
                  nb::cast<std::string>(nb::repr(given_)));
}

}  // namespace weft::python

namespace nanobind::detail {

bool type_caster<weft::Dims>::from_python(handle source, uint32_t, cleanup_list*) noexcept {
  try {
    value = weft::python::dims_from(source.ptr());
    return true;
  } catch (...) {
    weft::python::drop_error_before_refusal();
    return false;
  }
}

handle type_caster<weft::Dims>::from_cpp(const weft::Dims& dims, rv_policy, cleanup_list*) noexcept {
  return weft::python::guarded([&] { return handle(weft::python::tuple_of(dims).release()); });
}

}  // namespace nanobind::detail
