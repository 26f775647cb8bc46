#include "frontend/python/src/interruption.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace weft::python {
namespace {

// What the exception's attributes hold. They are let go of first when an exception ends, so it can be asked then.
struct Guard {
  PyObject_HEAD PyBaseExceptionObject* exception;  // which holds this, so it is not held
};

PyTypeObject* guard_type;

void end_guard(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  // A frame of Python's that an exception passes is noted in its traceback.
  if (!reinterpret_cast<Guard*>(self)->exception->traceback) PyErr_SetInterrupt();
  PyObject_Free(self);
  Py_DECREF(type);
}

// A copy of the exception, as of another process, has nothing to send.
PyObject* reduce_guard(PyObject*, PyObject*) {
  return Py_BuildValue("(O())", reinterpret_cast<PyObject*>(&PyBaseObject_Type));
}

}  // namespace

void bind_interruption() {
  static PyMethodDef methods[] = {{"__reduce__", reduce_guard, METH_NOARGS, nullptr}, {}};
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(end_guard)}, {Py_tp_methods, methods}, {}};
  PyType_Spec spec = {"weft.Interruption", sizeof(Guard), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  guard_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!guard_type) throw nb::python_error();
}

void set_interruption() {
  // Without one the work of another thread ended, as that of the process does.
  if (PyErr_CheckSignals() == 0) return PyErr_SetNone(PyExc_KeyboardInterrupt);
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (!trace && PyExceptionInstance_Check(value)) {
    if (auto* guard = PyObject_New(Guard, guard_type)) {
      guard->exception = reinterpret_cast<PyBaseExceptionObject*>(value);
      const nb::object held = nb::steal(reinterpret_cast<PyObject*>(guard));
      if (PyObject_SetAttrString(value, "_weft_interruption", held.ptr()) != 0) PyErr_Clear();
    } else {
      PyErr_Clear();
    }
  }
  PyErr_Restore(type, value, trace);
}

}  // namespace weft::python
