#include "frontend/python/src/errors.h"

#include <new>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/base/interrupted.h"
#include "frontend/cpp/weft/linalg.h"

namespace weft::python {
namespace {

namespace nb = nanobind;

PyObject *error_type, *memory_type, *internal_type;
PyObject *kept_type, *kept_value, *kept_trace;  // used with the interpreter's lock held

// NumPy is imported by the first of them: programs that have not done so themselves are spared the time.
void set_numpys_error(const char* module, const char* name, const char* text) {
  PyObject* exceptions = PyImport_ImportModule(module);
  PyObject* type = exceptions ? PyObject_GetAttrString(exceptions, name) : nullptr;
  if (type) PyErr_SetString(type, text);
  Py_XDECREF(type);
  Py_XDECREF(exceptions);
}

void set_error(const std::exception_ptr& pending) {
  try {
    std::rethrow_exception(pending);
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const nb::builtin_exception& e) {
    PyErr_SetString(e.type() == nb::exception_type::index_error ? PyExc_IndexError : PyExc_TypeError,
                    e.what());
  } catch (const TypeError& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const AxisError& e) {
    set_numpys_error("numpy.exceptions", "AxisError", e.what());
  } catch (const linalg::LinAlgError& e) {
    set_numpys_error("numpy.linalg", "LinAlgError", e.what());
  } catch (const IndexError& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const OverflowError& e) {
    PyErr_SetString(PyExc_OverflowError, e.what());
  } catch (const OutOfMemory& e) {
    PyErr_SetString(memory_type, e.what());
  } catch (const Error& e) {
    PyErr_SetString(error_type, e.what());
  } catch (const InternalError& e) {
    PyErr_SetString(internal_type, e.what());
  } catch (const Interrupted&) {
    // The signal was put back for its handler.
    if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

PyObject* make_type(nb::module_& m, const char* name, const char* doc, nb::handle bases) {
  PyObject* type =
      PyErr_NewExceptionWithDoc((std::string("weft.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (!type) throw nb::python_error();
  m.attr(name) = nb::borrow(type);
  return type;
}

}  // namespace

void set_python_error() noexcept { set_error(std::current_exception()); }

void drop_error() {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();
  PyErr_Clear();
}

void drop_error_before_refusal() noexcept {
  set_python_error();
  if (PyErr_ExceptionMatches(PyExc_Exception)) return PyErr_Clear();
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  std::swap(type, kept_type);
  std::swap(value, kept_value);
  std::swap(trace, kept_trace);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

bool set_error_before_refusal() noexcept {
  if (!kept_type) return false;
  PyErr_Restore(std::exchange(kept_type, nullptr), std::exchange(kept_value, nullptr),
                std::exchange(kept_trace, nullptr));
  return true;
}

void bind_errors(nb::module_& m) {
  error_type = make_type(m, "Error", "Something the caller can mend: a shape, a file, a device, an option.",
                         nb::handle(PyExc_ValueError));
  memory_type =
      make_type(m, "OutOfMemory", "No memory left on a device; says what was asked for and what is held.",
                nb::make_tuple(nb::handle(error_type), nb::handle(PyExc_MemoryError)));
  internal_type = make_type(m, "InternalError", "A defect of Weft itself.", nb::handle(PyExc_RuntimeError));
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const nb::python_error&) {
      throw;
    } catch (const nb::builtin_exception&) {
      throw;  // nanobind's own
    } catch (...) {
      set_error(p);
    }
  });
}

}  // namespace weft::python
