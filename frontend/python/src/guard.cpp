#include "frontend/python/src/guard.h"

#include <algorithm>
#include <string_view>

#include "compiler/base/hash.h"
#include "frontend/python/src/errors.h"

namespace weft::python {

std::optional<Number> number_in(PyObject* object) {
  try {
    return number_from(object);
  } catch (const Error&) {
    return std::nullopt;  // of a kind that no array has
  }
}

namespace {

// What `f` says of the bytes of an array of NumPy's, in the order of its axes, or of another object that lies in one piece; false of a
// view that was released.
template <class F>
bool of_bytes(PyObject* array, F f) {
  Py_buffer now;
  if (PyObject_GetBuffer(array, &now, PyBUF_SIMPLE) == 0) {
    const bool said = f(std::string_view(static_cast<const char*>(now.buf), static_cast<size_t>(now.len)));
    PyBuffer_Release(&now);
    return said;
  }
  drop_error();  // it has gaps, or is a view that was released
  if (PyMemoryView_Check(array)) return false;
  // Masked arrays have a tobytes() of their own, which fills them.
  const nb::object copy = nb::module_::import_("numpy").attr("ndarray").attr("tobytes")(nb::handle(array));
  return f(
      std::string_view(PyBytes_AS_STRING(copy.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(copy.ptr()))));
}

// Whether a name still stands for what it stood for: the same object, or the same number or text.
bool unchanged(PyObject* now, PyObject* was) {
  if (now == was) return true;
  if (!now || !was || Py_TYPE(now) != Py_TYPE(was)) return false;
  if (PyTuple_CheckExact(was)) {
    const Py_ssize_t size = PyTuple_GET_SIZE(was);
    if (PyTuple_GET_SIZE(now) != size) return false;
    for (Py_ssize_t i = 0; i < size; ++i)
      if (!unchanged(PyTuple_GET_ITEM(now, i), PyTuple_GET_ITEM(was, i))) return false;
    return true;
  }
  if (PyUnicode_CheckExact(was) || PyBytes_CheckExact(was))
    return PyObject_RichCompareBool(now, was, Py_EQ) == 1;
  const auto x = number_in(now), y = number_in(was);
  return x && y && x->value().same(y->value());
}

}  // namespace

std::string digest(PyObject* array) {
  std::string made;
  of_bytes(array, [&](std::string_view bytes) {
    made = to_string(hash_text(bytes));
    return true;
  });
  return made;
}

Guard::Guard(nb::handle given) : holder(given[0]), key(given[1]) {
  if (nb::len(given) > 2) value = given[2];
  PyObject* from = holder.ptr();
  kind = from == value.ptr()                 ? Kind::Held
         : PyCell_Check(from)                ? Kind::Cell
         : !key.is_none()                    ? kind_of_name()
         : PyBytes_CheckExact(value.ptr())   ? Kind::Bytes
         : PyUnicode_CheckExact(value.ptr()) ? Kind::Digest
         : PyDict_Check(from)                ? Kind::Items
         : PyList_Check(from)                ? Kind::List
                                             : Kind::Parts;
}
Guard::Kind Guard::kind_of_name() const {
  if (PyDict_CheckExact(holder.ptr())) return Kind::Name;
  if (!PyUnicode_CheckExact(key.ptr())) return Kind::Slot;
  return PyType_Check(holder.ptr()) ? Kind::Class : Kind::Attribute;
}

nb::object Guard::as_given() const {
  return value.is_valid() ? nb::make_tuple(holder, key, value) : nb::make_tuple(holder, key);
}

bool Guard::holds() const {
  PyObject *from = holder.ptr(), *was = value.ptr();
  switch (kind) {
    case Kind::Held:
      return true;
    case Kind::Cell:
      return unchanged(PyCell_GET(from), was);
    case Kind::Name:
      return unchanged(PyDict_GetItemWithError(from, key.ptr()), was);
    case Kind::Class:
      return unchanged(_PyType_Lookup(reinterpret_cast<PyTypeObject*>(from), key.ptr()), was);
    case Kind::Slot: {
      const nb::object now = nb::steal(
          Py_TYPE(key.ptr())->tp_descr_get(key.ptr(), from, reinterpret_cast<PyObject*>(Py_TYPE(from))));
      if (!now) drop_error();
      return unchanged(now.ptr(), was);
    }
    case Kind::Attribute: {
      const nb::object now = nb::steal(PyObject_GetAttr(from, key.ptr()));
      if (!now) drop_error();
      return unchanged(now.ptr(), was);
    }
    case Kind::List: {
      if (PyList_GET_SIZE(from) != PyTuple_GET_SIZE(was)) return false;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(was); ++i)
        if (!unchanged(PyList_GET_ITEM(from, i), PyTuple_GET_ITEM(was, i))) return false;
      return true;
    }
    case Kind::Items: {
      if (2 * PyDict_GET_SIZE(from) != PyTuple_GET_SIZE(was)) return false;
      PyObject *name, *now;
      Py_ssize_t at = 0;
      for (Py_ssize_t i = 0; PyDict_Next(from, &at, &name, &now); i += 2)
        if (!unchanged(name, PyTuple_GET_ITEM(was, i)) || !unchanged(now, PyTuple_GET_ITEM(was, i + 1)))
          return false;
      return true;
    }
    case Kind::Parts:
      return unchanged(nb::tuple(holder).ptr(), was);
    case Kind::Bytes:
      return of_bytes(from, [&](std::string_view now) {
        return now == std::string_view(PyBytes_AS_STRING(was), static_cast<size_t>(PyBytes_GET_SIZE(was)));
      });
    case Kind::Digest:
      return digest(from) == nb::cast<std::string>(value);
  }
  return false;
}

}  // namespace weft::python
