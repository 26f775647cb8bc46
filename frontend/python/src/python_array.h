// weft.Array as a Python object: a C struct around an Array, made and taken apart without a registry, since
// every operation does both.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "frontend/cpp/weft/weft.h"

namespace weft::python {

namespace nb = nanobind;

struct PyArray {
  PyObject_HEAD Array array;
  PyObject* weak_references;
  std::vector<Lent>* lent;  // memory that others use for as long as they hold this object; null: none
};

extern PyTypeObject* array_type;

inline bool is_array(PyObject* object) { return Py_TYPE(object) == array_type; }
inline Array& array_of(PyObject* object) { return reinterpret_cast<PyArray*>(object)->array; }
// A new reference; null with MemoryError set.
PyObject* wrap(Array array) noexcept;

// Makes the type and puts it into the module.
void bind_array_type(nb::module_& m);

// What the type's slots and methods are, one function for each topic.
struct TypeParts {
  std::vector<PyType_Slot> slots;
  std::vector<PyMethodDef> methods;
  std::vector<PyGetSetDef> properties;
};
void add_operators(TypeParts& parts);
void add_indexing(TypeParts& parts);
void add_values(TypeParts& parts);
void add_properties(TypeParts& parts);

}  // namespace weft::python

namespace nanobind::detail {

template <>
struct type_caster<weft::Array> {
  NB_TYPE_CASTER(weft::Array, const_name("Array"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    if (!weft::python::is_array(source.ptr())) return false;
    value = weft::python::array_of(source.ptr());
    return true;
  }
  static handle from_cpp(const weft::Array& array, rv_policy, cleanup_list*) noexcept {
    return weft::python::wrap(array);
  }
};

}  // namespace nanobind::detail
