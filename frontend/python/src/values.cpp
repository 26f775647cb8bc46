// Looking at values: Python's numbers, truth, positions and text.
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/python/src/dtypes.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/operand.h"

namespace weft::python {
namespace {

PyObject* number_object(const Scalar& value) {
  switch (kind(value.dtype)) {
    case DTypeKind::Bool:
      return PyBool_FromLong(value.i != 0);
    case DTypeKind::Signed:
      return PyLong_FromLongLong(value.i);
    case DTypeKind::Unsigned:
      return PyLong_FromUnsignedLongLong(static_cast<uint64_t>(value.i));
    case DTypeKind::Float:
      return PyFloat_FromDouble(value.re);
    case DTypeKind::Complex:
      return PyComplex_FromDoubles(value.re, value.im);
  }
  return nullptr;
}

// The number that an array is, where nobody has to know that it was looked at; null otherwise.
const Scalar* known_number(PyObject* self) { return detail::records_cells() ? nullptr : number_of(self); }

// `by`: as the user writes the look. Of what lies in memory nobody has to know it.
Scalar looked_at(const Array& x, const char* by) {
  if (detail::Access::cell(x)->since() == detail::kInMemory) return x.only_element();
  const PythonAsked asked(by);
  return x.only_element();
}

nb::object only_element(PyObject* self, const char* by) {
  const Scalar* known = known_number(self);
  PyObject* number = number_object(known ? *known : looked_at(array_of(self), by));
  if (!number) throw nb::python_error();
  return nb::steal(number);
}

// The element of an array of rank 0; TypeError for others, as Python's conversions raise it.
nb::object one_value(PyObject* self, const char* what, const char* by) {
  if (known_number(self)) return only_element(self, by);
  const Array& x = array_of(self);
  if (x.ndim() == 0) return only_element(self, by);
  throw TypeError(std::string(what) + ": takes one element, an array of rank 0" +
                  (x.size() == 1 ? "; item() takes any array of one" : "") + ": got shape " +
                  to_string(x.shape()));
}

int truth(PyObject* self) {
  if (const Scalar* known = known_number(self)) return known->cast(DType::Bool).i != 0;
  return guarded(
      [&] {
        const Array& x = array_of(self);
        if (x.size() != 1) {
          throw Error(
              "bool: the truth of an array of more or fewer than one element is ambiguous, use any() or "
              "all(): "
              "got shape " +
              to_string(x.shape()));
        }
        return PyObject_IsTrue(only_element(self, "if or bool()").ptr());
      },
      -1);
}

PyObject* to_int(PyObject* self) {
  return guarded([&] { return PyNumber_Long(one_value(self, "int", "int()").ptr()); });
}
PyObject* to_float(PyObject* self) {
  return guarded([&] { return PyNumber_Float(one_value(self, "float", "float()").ptr()); });
}
PyObject* to_complex(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const nb::object number = one_value(self, "complex", "complex()");
    if (PyComplex_Check(number.ptr())) return number.inc_ref().ptr();
    const nb::object real = nb::steal(PyNumber_Float(number.ptr()));
    if (!real.is_valid()) throw nb::python_error();
    return PyComplex_FromDoubles(PyFloat_AS_DOUBLE(real.ptr()), 0);
  });
}

PyObject* to_index(PyObject* self) {
  if (const Scalar* known = known_number(self); known && is_integer(known->dtype))
    return number_object(*known);
  return guarded([&]() -> PyObject* {
    const Array& x = array_of(self);
    if (x.ndim() > 0 || !is_integer(x.dtype())) {
      throw TypeError("index: only an integer array of rank 0 is a position: got " +
                      std::string(name(x.dtype())) + " " + to_string(x.shape()));
    }
    return only_element(self, "an index or a range").release().ptr();
  });
}

PyObject* item(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (const Scalar* known = known_number(self); known && count == 0) return number_object(*known);
  return guarded([&]() -> PyObject* {
    const Array& x = array_of(self);
    if (count == 0) {
      if (x.size() != 1)
        throw Error("item: takes an array of one element: got shape " + to_string(x.shape()));
      return number_object(looked_at(x, "item()"));
    }
    Dims positions;
    const auto add = [&](PyObject* object) {
      const Py_ssize_t position = PyNumber_AsSsize_t(object, PyExc_IndexError);
      if (position == -1 && PyErr_Occurred()) throw nb::python_error();
      positions.push_back(position);
    };
    if (count == 1 && PyTuple_Check(args[0])) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[0]); ++i) add(PyTuple_GET_ITEM(args[0], i));
    } else {
      for (Py_ssize_t i = 0; i < count; ++i) add(args[i]);
    }
    if (positions.size() == 1 && x.ndim() != 1) {
      // A position in the flat array.
      const int64_t flat = positions[0] < 0 ? positions[0] + x.size() : positions[0];
      if (flat < 0 || flat >= x.size()) {
        throw IndexError("item: position out of range for " + std::to_string(x.size()) + " elements: got " +
                         std::to_string(positions[0]));
      }
      int64_t rest = flat;
      positions = Dims(x.ndim(), 0);
      for (size_t i = x.ndim(); i-- > 0;) {
        positions[i] = rest % x.shape()[i];
        rest /= x.shape()[i];
      }
    }
    if (positions.size() != x.ndim()) {
      throw Error("item: takes a position, or one for each of " + std::to_string(x.ndim()) + " axes: got " +
                  std::to_string(positions.size()));
    }
    return number_object(looked_at(x.element(positions), "item()"));
  });
}

}  // namespace

void add_values(TypeParts& parts) {
  const auto slot = [&](int id, auto* what) { parts.slots.push_back({id, reinterpret_cast<void*>(what)}); };
  slot(Py_nb_bool, truth);
  slot(Py_nb_int, to_int);
  slot(Py_nb_float, to_float);
  slot(Py_nb_index, to_index);
  parts.methods.push_back({"__complex__", to_complex, METH_NOARGS, "__complex__($self, /)\n--\n\n"});
  parts.methods.push_back(
      {"item", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(item)), METH_FASTCALL,
       "item($self, /, *args)\n--\n\nThe only element, or the one at a position, as a Python number."});
}

}  // namespace weft::python
