// weft.Array as a Python object: a C struct around an Array, made and taken apart without a registry, since
// every operation does both.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "frontend/cpp/weft/weft.h"

namespace weft::detail {
struct DeviceSlot;
}

namespace weft::python {

namespace nb = nanobind;

struct PyArray {
  PyObject_HEAD Array array;      // none yet: a number that nobody has used as an array
  detail::DeviceSlot* number_of;  // of a number, the device whose element it is; null: not known as one
  Scalar number;
  bool is_value;   // of rank 0 and never written, as NumPy's scalars are
  PyObject* base;  // the array that was made first of what this one is a view of; null: this one
  PyObject* weak_references;
  std::vector<Lent>* lent;  // memory that others use for as long as they hold this object; null: none
};

extern PyTypeObject* array_type;

inline bool is_array(PyObject* object) { return Py_TYPE(object) == array_type; }
// Makes the array that a number is.
Array& array_of_number(PyArray& object);
inline Array& array_of(PyObject* object) {
  auto& self = *reinterpret_cast<PyArray*>(object);
  return self.array.has_value() ? self.array : array_of_number(self);
}
inline bool is_value(PyObject* object) { return reinterpret_cast<PyArray*>(object)->is_value; }
// A new reference; null with MemoryError set. What operations give of rank 0 is a value unless told.
PyObject* wrap(Array array, bool value_of_rank_0 = true) noexcept;

// Numbers are values that are known: elements that were read, and what is computed of them. They have neither cell
// nor node before somebody uses them as arrays.
PyObject* wrap_number(detail::DeviceSlot& device, const Scalar& number) noexcept;
// The number that an array is; null where it is none.
inline const Scalar* number_of(PyObject* array) {
  const auto& self = *reinterpret_cast<PyArray*>(array);
  return self.number_of ? &self.number : nullptr;
}
inline detail::DeviceSlot& device_of_number(PyObject* array) {
  return *reinterpret_cast<PyArray*>(array)->number_of;
}

// Weak references to the arrays that this thread makes for as long as it lives; they do not nest.
class Made {
 public:
  Made();
  ~Made();
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  const std::vector<nb::object>& references() const { return references_; }

 private:
  friend PyObject* wrap(Array array, bool value_of_rank_0) noexcept;
  std::vector<nb::object> references_;
};

// For functions that make arrays or views, or give what they were given: which of the two an argument is and
// the result is to be. A value is taken as a copy, so that no view of it can be written to change it.
struct Valued {
  Array array;
  bool is_value = false;
};
// False when the object is no array.
bool take(PyObject* object, Valued& out) noexcept;
// The array to write to. TypeError for a value.
const Array& target(const char* op, const Valued& given);

// The object is another array from here on, as NumPy's resize() makes it.
void rebind(PyObject* object, Array array);

// The value is an array of its own from here on, which can be written to; and a value again.
void make_array(PyObject* value);
void make_value(PyObject* array);

// Makes the type and puts it into the module.
void bind_array_type(nb::module_& m);

// What the type's slots and methods are, one function for each topic.
struct TypeParts {
  std::vector<PyType_Slot> slots;
  std::vector<PyMethodDef> methods;
  std::vector<PyGetSetDef> properties;
};
void add_operators(TypeParts& parts);
// An array compared with what no array holds, None or a fraction, as Python's operator of this number
// does; NotImplemented for other operands.
PyObject* compared_with_object(PyObject* a, PyObject* b, int how);
void add_indexing(TypeParts& parts);
void add_values(TypeParts& parts);
void add_buffers(TypeParts& parts);
void add_properties(TypeParts& parts);

}  // namespace weft::python

namespace nanobind::detail {

template <>
struct type_caster<weft::Array> {
  NB_TYPE_CASTER(weft::Array, const_name("Array"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    weft::python::Valued given;
    if (!weft::python::take(source.ptr(), given)) return false;
    value = std::move(given.array);
    return true;
  }
  static handle from_cpp(const weft::Array& array, rv_policy, cleanup_list*) noexcept {
    return weft::python::wrap(array);
  }
};

template <>
struct type_caster<weft::python::Valued> {
  NB_TYPE_CASTER(weft::python::Valued, const_name("Array"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    return weft::python::take(source.ptr(), value);
  }
  static handle from_cpp(const weft::python::Valued& given, rv_policy, cleanup_list*) noexcept {
    return weft::python::wrap(given.array, given.is_value);
  }
};

}  // namespace nanobind::detail
