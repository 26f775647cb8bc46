// The buffer protocol: the host memory of arrays, as NumPy, memoryview and C extensions take it. Whoever may
// want to write gets memory to write to, see lend_to_write().
#include <memory>
#include <string>

#include "compiler/base/error.h"
#include "compiler/base/interrupted.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/interruption.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/python_array.h"

namespace weft::python {
namespace {

// The struct module's format; null where it has none.
const char* format_of(DType dtype) {
  constexpr const char* kFormats[kDTypeCount] = {"?", "b", "h",     "i", "l", "B",  "H", "I",
                                                 "L", "e", nullptr, "f", "d", "Zf", "Zd"};
  return kFormats[static_cast<int>(dtype)];
}

struct Exported {
  Lent lent;
  std::vector<Py_ssize_t> shape, strides;
};

[[noreturn]] void refuse_buffer(const std::string& why) {
  PyErr_SetString(PyExc_BufferError, ("buffer: " + why).c_str());
  throw nb::python_error();
}

// Whether the taker may want to write: he says so, or asks as memoryview() does, which takes what it gets.
bool may_write(int flags) { return (flags & PyBUF_WRITABLE) || (flags & PyBUF_FULL_RO) == PyBUF_FULL_RO; }

enum class Give : uint8_t {
  Values,      // those of this moment, which stay
  AsWritable,  // the same under the name of memory to write to, for functions that write to nothing
  Look,        // the memory as it is now, to look at before anything else happens
  Write,       // memory to write to
};

Lent lent_for(Give how, const Array& x) {
  if (how == Give::Look) return look(x);
  return how == Give::Write ? lend_to_write(x) : lend(x);
}

// `owner` is the object that the taker holds.
int give_buffer(PyObject* owner, const Array& x, const char* format, Give how, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded(
      [&] {
        if (x.device() != "cpu") refuse_buffer("host memory can be lent: got device " + x.device());
        if (!format)
          refuse_buffer("dtypes that the struct module knows can be lent: got " +
                        std::string(name(x.dtype())));
        const bool writable = how == Give::Write || how == Give::AsWritable;
        if ((flags & PyBUF_WRITABLE) && !writable) refuse_buffer("the array cannot be written to");
        std::unique_ptr<Exported> exported;
        try {
          const PythonAsked asked("numpy()");
          exported.reset(new Exported{lent_for(how, x), {}, {}});
        } catch (const Interrupted&) {
          // NumPy drops what is raised here and asks in another way, whose first step the signal ends then.
          set_interruption();
          throw nb::python_error();
        }
        const auto item = static_cast<Py_ssize_t>(x.itemsize());
        Py_ssize_t expected = item;
        bool contiguous = true;
        exported->shape.assign(x.shape().begin(), x.shape().end());
        exported->strides.resize(x.ndim());
        for (size_t i = x.ndim(); i-- > 0;) {
          exported->strides[i] = exported->lent.strides[i] * item;
          contiguous = contiguous && (x.shape()[i] == 1 || exported->strides[i] == expected);
          expected *= x.shape()[i];
        }
        contiguous = contiguous || x.size() == 0;
        if (!contiguous && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
          PyErr_SetString(PyExc_BufferError, "buffer: the array is not contiguous");
          throw nb::python_error();
        }
        view->buf = const_cast<void*>(exported->lent.data);
        view->len = static_cast<Py_ssize_t>(x.size()) * item;
        view->itemsize = item;
        view->readonly = writable ? 0 : 1;
        view->ndim = static_cast<int>(x.ndim());
        view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
        view->shape = (flags & PyBUF_ND) ? exported->shape.data() : nullptr;
        view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? exported->strides.data() : nullptr;
        view->suboffsets = nullptr;
        view->internal = exported.release();
        view->obj = Py_NewRef(owner);
        return 0;
      },
      -1);
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded(
      [&] {
        const Array& x = array_of(self);
        const bool to_write = may_write(flags) && (x.writable() || is_value(self));
        // Nobody else has the memory of what is given of one value.
        const Array lent = to_write && is_value(self) ? x.copy() : x;
        return give_buffer(self, lent, format_of(x.dtype()), to_write ? Give::Write : Give::Values, view,
                           flags);
      },
      -1);
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Exported*>(view->internal); }

// An array's memory as the buffer protocol shows it. bfloat16 is shown as uint16.
struct Memory {
  PyObject_HEAD PyObject* array;
  Give how;
};

int get_memory(PyObject* self, Py_buffer* view, int flags) {
  const auto* memory = reinterpret_cast<const Memory*>(self);
  const Array& x = array_of(memory->array);
  const DType shown = x.dtype() == DType::BF16 ? DType::U16 : x.dtype();
  return give_buffer(self, x, format_of(shown), memory->how, view, flags);
}

void deallocate_memory(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_DECREF(reinterpret_cast<Memory*>(self)->array);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyTypeObject* memory_type;

nb::object memory_of(nb::handle x, Give how) {
  auto* made = PyObject_New(Memory, memory_type);
  if (!made) throw nb::python_error();
  made->how = how;
  made->array = x.inc_ref().ptr();
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

// To write, where the array can be written.
Give write_or_values(PyObject* x) {
  return array_of(x).writable() && !is_value(x) ? Give::Write : Give::Values;
}

// The array of NumPy's that shows the memory. What is raised on the way would be lost if NumPy asked for it.
nb::object shown_by_numpy(nb::handle x, Give how) {
  static PyObject* const asarray = nb::object(numpy().attr("asarray")).release().ptr();
  const nb::object view = nb::steal(PyMemoryView_FromObject(memory_of(x, how).ptr()));
  if (!view.is_valid()) throw nb::python_error();
  nb::object shown = nb::steal(PyObject_CallOneArg(asarray, view.ptr()));
  if (!shown.is_valid()) throw nb::python_error();
  if (array_of(x.ptr()).dtype() != DType::BF16) return shown;
  return shown.attr("view")(nb::handle(dtype_object(DType::BF16)));
}

// What NumPy's functions are given for these values.
nb::list given_to_numpy(const nb::tuple& values, nb::handle other) {
  nb::list given;
  for (const nb::handle value : values) {
    const bool is_one = is_array(value.ptr());
    if (is_one && array_of(value.ptr()).device() == "cpu")
      given.append(shown_by_numpy(value, Give::Values));
    else if (is_one || PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()))
      given.append(other(value));
    else
      given.append(value);
  }
  return given;
}

}  // namespace

void bind_buffers(nb::module_& m) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(deallocate_memory)},
                         {Py_bf_getbuffer, reinterpret_cast<void*>(get_memory)},
                         {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                         {}};
  PyType_Spec spec = {"weft.Memory", sizeof(Memory), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  memory_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!memory_type) throw nb::python_error();
  m.def(
      "memory",
      [](nb::handle x, const std::string& how) {
        if (!is_array(x.ptr())) throw TypeError("memory: takes a weft.Array");
        if (how == "write") return memory_of(x, write_or_values(x.ptr()));
        return memory_of(x, how == "look"          ? Give::Look
                            : how == "as writable" ? Give::AsWritable
                                                   : Give::Values);
      },
      "x"_a, "how"_a = "values",
      "What gives the array's host memory by the buffer protocol; bfloat16 as uint16. `how`: 'values' of "
      "this "
      "moment, which stay; 'write', memory to write to where the array can be written; 'look', the memory as "
      "it is now, to look at before anything else happens; 'as writable', values under the name of memory to "
      "write to, for functions of NumPy's that copy what cannot be written, and write to nothing.");
  m.def(
      "shown_by_numpy",
      [](nb::handle x, bool to_write) -> nb::object {
        if (!is_array(x.ptr())) throw TypeError("shown_by_numpy: takes a weft.Array");
        if (array_of(x.ptr()).device() != "cpu") return nb::none();
        return shown_by_numpy(x, to_write ? write_or_values(x.ptr()) : Give::Values);
      },
      "x"_a, "to_write"_a,
      "The array's host memory as an array of NumPy's: as memory() shows it to 'write' or as 'values'; None "
      "for what "
      "lies elsewhere.");
  m.def("given_to_numpy", given_to_numpy, "values"_a, "other"_a,
        "The values as NumPy's functions take them: its arrays over what lies in host memory; `other` is "
        "called with what lies elsewhere, "
        "and with lists and tuples.");
}

void add_buffers(TypeParts& parts) {
  parts.slots.push_back({Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)});
  parts.slots.push_back({Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)});
}

}  // namespace weft::python
