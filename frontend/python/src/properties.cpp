// What an array says of itself without computing anything.
#include <string>

#include "compiler/base/error.h"
#include "frontend/python/src/dtypes.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/python_array.h"
#include "frontend/python/src/shapes.h"

namespace weft::python {
namespace {

PyObject* dtype(PyObject* self, void*) {
  return guarded([&] { return Py_NewRef(dtype_object(array_of(self).dtype())); });
}
PyObject* shape(PyObject* self, void*) {
  return guarded([&] { return tuple_of(array_of(self).shape()).release().ptr(); });
}
[[noreturn]] void refuse_attribute(const std::string& text) {
  PyErr_SetString(PyExc_AttributeError, text.c_str());
  throw nb::python_error();
}
int set_dtype(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        if (!value) refuse_attribute("dtype: cannot be deleted");
        if (dtype_from(value) != array_of(self).dtype())
          refuse_attribute("dtype: is not changed in place: use view() or astype()");
        return 0;
      },
      -1);
}
// As NumPy: the same elements under another shape, in place; only where that is a view.
int set_shape(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        if (!value) refuse_attribute("shape: cannot be deleted");
        if (is_value(self)) refuse_attribute("shape: one value has no other shape: use reshape()");
        Array& x = array_of(self);
        const PythonLine line;
        const Array reshaped = x.reshape(Integers(value).all("shape", "a shape"));
        if (!reshaped.shares_cell(x)) {
          refuse_attribute("shape: the strides do not allow this shape without a copy, use reshape(): got " +
                           to_string(reshaped.shape()));
        }
        x = reshaped;
        return 0;
      },
      -1);
}
PyObject* ndim(PyObject* self, void*) { return PyLong_FromSize_t(array_of(self).ndim()); }
PyObject* size(PyObject* self, void*) { return PyLong_FromLongLong(array_of(self).size()); }
PyObject* itemsize(PyObject* self, void*) { return PyLong_FromSize_t(array_of(self).itemsize()); }
PyObject* nbytes(PyObject* self, void*) {
  return PyLong_FromLongLong(array_of(self).size() * static_cast<int64_t>(array_of(self).itemsize()));
}
PyObject* device(PyObject* self, void*) {
  return guarded([&] { return device_object(array_of(self).device()); });
}
// Version 3, as Numba's documentation defines it. Whoever takes the memory holds this object for as long as
// it is used.
PyObject* cuda_array_interface(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    const Array& x = array_of(self);
    if (x.device() == "cpu" || x.dtype() == DType::BF16) {
      PyErr_SetString(PyExc_AttributeError,
                      x.device() == "cpu" ? "__cuda_array_interface__: the array lies on the CPU"
                                          : "__cuda_array_interface__: has no name for bfloat16, use DLPack");
      throw nb::python_error();
    }
    auto*& held = reinterpret_cast<PyArray*>(self)->lent;
    if (!held) held = new std::vector<Lent>;
    Lent now = lend(x);
    if (held->empty() || held->back().owner != now.owner) held->push_back(now);
    const Lent& lent = now;
    nb::list strides;
    for (int64_t stride : lent.strides) strides.append(stride * static_cast<int64_t>(x.itemsize()));
    nb::dict d;
    d["shape"] = tuple_of(x.shape());
    d["typestr"] = nb::handle(dtype_object(x.dtype())).attr("str");
    d["data"] = nb::make_tuple(x.size() ? reinterpret_cast<uintptr_t>(lent.data) : uintptr_t{0}, true);
    d["strides"] = nb::tuple(strides);
    d["stream"] = stream_of(lent);
    d["version"] = 3;
    return d.release().ptr();
  });
}
PyObject* base(PyObject* self, void*) {
  PyObject* viewed = is_value(self) ? nullptr : reinterpret_cast<PyArray*>(self)->base;
  return Py_NewRef(viewed ? viewed : Py_None);
}
PyObject* transposed(PyObject* self, void*) {
  return guarded([&] { return wrap(array_of(self).T(), is_value(self)); });
}
PyObject* matrix_transposed(PyObject* self, void*) {
  return guarded([&] {
    const Array& x = array_of(self);
    if (x.ndim() < 2) throw Error("mT: needs at least two axes: got shape " + to_string(x.shape()));
    return wrap(swapaxes(x, -1, -2));
  });
}

}  // namespace

void add_properties(TypeParts& parts) {
  const auto add = [&](const char* name, getter get, const char* doc, setter set = nullptr) {
    parts.properties.push_back({name, get, set, doc, nullptr});
  };
  add("dtype", dtype, "The elements' numpy.dtype.", set_dtype);
  add("shape", shape, "The extents of the axes; assigning to it reshapes in place, where that needs no copy.",
      set_shape);
  add("ndim", ndim, "How many axes there are.");
  add("size", size, "How many elements there are.");
  add("itemsize", itemsize, "Bytes of an element.");
  add("nbytes", nbytes, "Bytes of all elements.");
  add("device", device, "Where the array lies: a device, equal to its name, 'cpu' or 'cuda:N'.");
  add("__cuda_array_interface__", cuda_array_interface,
      "The memory on a GPU, for reading by other libraries.");
  add("base", base, "The array whose memory this one is a view of; None where it has its own.");
  add("T", transposed, "The array with its axes reversed, a view.");
  add("mT", matrix_transposed, "The array with its last two axes swapped, a view.");
}

}  // namespace weft::python
