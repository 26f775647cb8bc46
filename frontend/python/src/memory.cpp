// Memory that Python objects own, lent to arrays, and arrays copied out of it.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "frontend/cpp/derivatives/look.h"
#include "frontend/cpp/weft/interrupt.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/streams.h"
#include "frontend/python/src/the_end.h"

namespace weft::python {
namespace {

// The dtype of elements that the struct module's format says lie as this machine has them; none for others.
std::optional<DType> dtype_of_format(const char* format, Py_ssize_t size) {
  if (!format || size > 16) return {};
  const std::string_view text(format);
  if (text == "Zf") return DType::C64;
  if (text == "Zd") return DType::C128;
  if (text.size() != 1) return {};
  const auto integer = [&](DType of_one_byte) {
    const int log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return static_cast<DType>(static_cast<int>(of_one_byte) + log);
  };
  switch (text[0]) {
    case '?':
      return DType::Bool;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return integer(DType::I8);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return integer(DType::U8);
    case 'e':
      return DType::F16;
    case 'f':
      return DType::F32;
    case 'd':
      return DType::F64;
    default:
      return {};
  }
}

// A copy of an array that is NumPy's own and row-major: `below` so many bytes where nobody may write to it,
// `writable_below` so many where somebody may; none of others.
std::optional<Array> copied(PyObject* array, int64_t below, int64_t writable_below,
                            const std::string& device) {
  static PyObject* const ndarray = numpy().attr("ndarray").ptr();
  if (reinterpret_cast<PyObject*>(Py_TYPE(array)) != ndarray) return {};
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    drop_error();  // its elements lie otherwise, or have no format
    return {};
  }
  const std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> held(&view, PyBuffer_Release);
  const std::optional<DType> dtype = dtype_of_format(view.format, view.itemsize);
  if (!dtype || view.len >= (view.readonly ? below : writable_below)) return {};
  Shape shape;
  for (int k = 0; k < view.ndim; ++k) shape.push_back(view.shape[k]);
  return from_bytes(view.buf, *dtype, shape, device);
}

// Owners that were let go by threads without the interpreter's lock, until a thread that has it releases
// them.
std::mutex waiting_mutex;
std::vector<PyObject*> waiting;
std::atomic<bool> any_waiting{false};

int release_waiting(void*) {
  std::vector<PyObject*> owners;
  {
    std::lock_guard lock(waiting_mutex);
    owners.swap(waiting);
    any_waiting.store(false, std::memory_order_relaxed);
  }
  for (PyObject* owner : owners) Py_DECREF(owner);
  return 0;
}

void release(PyObject* owner) {
  if (!Py_IsInitialized()) return;
  if (PyGILState_Check()) {
    Py_DECREF(owner);
    return;
  }
  bool first;
  {
    std::lock_guard lock(waiting_mutex);
    first = waiting.empty();
    waiting.push_back(owner);
    any_waiting.store(true, std::memory_order_relaxed);
  }
  if (first) Py_AddPendingCall(release_waiting, nullptr);
}

void* let_go() {
  if (!PyGILState_Check()) return nullptr;
  enter_streams();
  return PyEval_SaveThread();
}
void take_lock_back(void* state) {
  leave_streams();
  wait_if_ended();
  or_wait_for_the_end([&] { PyEval_RestoreThread(static_cast<PyThreadState*>(state)); });
  // What the work let go of is free by the time it returns.
  if (any_waiting.load(std::memory_order_relaxed)) release_waiting(nullptr);
}

PyObject *handler_of, *interrupt, *raises_interrupt;  // _signal.getsignal, SIGINT and Python's own handler

// Whether Ctrl-C waits to become a KeyboardInterrupt. A handler of the program's own might return, and lets
// the work come to its end.
bool interrupted() {
  if (getpid() != gettid()) return false;  // no thread but the main one handles signals
  const nb::gil_scoped_acquire lock;
  if (!PyOS_InterruptOccurred()) return false;
  const nb::object handler = nb::steal(PyObject_CallOneArg(handler_of, interrupt));
  if (!handler) PyErr_Clear();
  PyErr_SetInterrupt();  // asking took it away; from here on whatever Python code runs would handle it
  return handler.ptr() == raises_interrupt;
}

void hook_long_work() {
  on_long_work(let_go, take_lock_back);
  const nb::module_ signals = nb::module_::import_("_signal");  // signal itself is slow to import
  handler_of = nb::object(signals.attr("getsignal")).release().ptr();
  interrupt = nb::object(signals.attr("SIGINT")).release().ptr();
  raises_interrupt = nb::object(signals.attr("default_int_handler")).release().ptr();
  on_interrupt(interrupted);
  // Registered as late as that, the function is called before anything of the process is destroyed.
  Py_AtExit([] { std::atexit(stop_work_elsewhere); });
}

void bind_copies_in(nb::module_& m) {
  m.def(
      "copy_from",
      [](nb::handle source, DType dtype, const Dims& shape, const std::string& device) {
        if (PyLong_Check(source.ptr())) {
          const auto address = nb::cast<uintptr_t>(source);
          return Valued{from_bytes(reinterpret_cast<const void*>(address), dtype, shape, device), false};
        }
        Py_buffer view;
        if (PyObject_GetBuffer(source.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
        const std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> held(&view, PyBuffer_Release);
        return Valued{from_bytes(view.buf, dtype, shape, device), false};
      },
      "source"_a, "dtype"_a, "shape"_a, "device"_a,
      "A copy of row-major host memory, at an address or lent by the buffer protocol, which costs less to "
      "ask.");
  m.def(
      "copied",
      [](nb::handle array, int64_t below, int64_t writable_below, const std::string& device) {
        const std::optional<Array> made = copied(array.ptr(), below, writable_below, device);
        return made ? nb::cast(Valued{*made, false}) : nb::none();
      },
      "array"_a.none(), "below"_a, "writable_below"_a, "device"_a,
      "A copy of an array of NumPy's that is row-major and takes less than so many bytes, which may differ "
      "where it can be "
      "written; None of others.");
}

void bind_loans(nb::module_& m) {
  m.def(
      "borrow",
      [](uintptr_t address, DType dtype, const Dims& shape, nb::object owner, const std::string& device,
         uint64_t stream) {
        PyObject* held = owner.ptr();
        Array array = borrow(
            reinterpret_cast<const void*>(address), dtype, shape, [held] { release(held); }, device, stream);
        owner.release();
        return Valued{std::move(array), false};
      },
      "address"_a, "dtype"_a, "shape"_a, "owner"_a, "device"_a, "stream"_a = 0,
      "An array over row-major memory that `owner` keeps, and that nobody writes to meanwhile; on a GPU, "
      "after what the "
      "foreign stream was given.");
  m.def(
      "loan_of",
      [](const Array& x) {
        return nb::capsule(new std::weak_ptr<void>(lend(x).owner),
                           [](void* memory) noexcept { delete static_cast<std::weak_ptr<void>*>(memory); });
      },
      "x"_a, "The memory of an array that borrow() has just made, for give_back().");
  m.def(
      "give_back",
      [](const nb::capsule& loan) {
        return give_back(*static_cast<const std::weak_ptr<void>*>(loan.data()));
      },
      "loan"_a,
      "Gives borrowed memory back before its time: what reads it reads a copy from now on. False where that "
      "cannot be.");
  m.def(
      "borrow_strided",
      [](uintptr_t address, DType dtype, const Dims& shape, const Dims& strides, nb::object owner,
         const std::string& device, uint64_t stream, bool may_copy) -> nb::object {
        const PythonLine line;
        PyObject* held = owner.ptr();
        Borrowed borrowed = borrow_strided(
            reinterpret_cast<const void*>(address), dtype, shape, strides, [held] { release(held); }, device,
            stream, may_copy);
        if (!borrowed.array) return nb::none();
        owner.release();
        return nb::make_tuple(Valued{*borrowed.array, false}, borrowed.copied);
      },
      "address"_a, "dtype"_a, "shape"_a, "strides"_a, "owner"_a, "device"_a, "stream"_a, "may_copy"_a,
      "As borrow, of memory with strides, of elements: the array and whether it is a copy, as memory with "
      "gaps has to be; "
      "None where it may not be one.");
}

void bind_looks(nb::module_& m) {
  m.def(
      "device_of", [](uintptr_t address) { return device_of(reinterpret_cast<const void*>(address)); },
      "address"_a, "The GPU in whose memory an address lies.");
  def(
      m, "check_look", [](const std::string& op, const Array& x) { detail::check_look(op, x); }, "op"_a,
      "x"_a);
  m.def(
      "duplicate", [](const Valued& x) { return Valued{duplicate(x.array), x.is_value}; }, "x"_a,
      "The array in memory of its own.");
  m.def(
      "copy_to",
      [](const Array& x, uintptr_t address) {
        const PythonAsked asked("numpy()");
        x.copy_to(reinterpret_cast<void*>(address));
      },
      "x"_a, "address"_a, "Writes the elements to row-major host memory.");
  m.def(
      "copy_into",
      [](const Array& x, nb::handle memory) {
        Py_buffer view;
        if (PyObject_GetBuffer(memory.ptr(), &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0) {
          PyErr_Clear();
          return false;
        }
        const std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> held(&view, PyBuffer_Release);
        if (view.len != x.size() * static_cast<Py_ssize_t>(x.itemsize())) return false;
        const PythonAsked asked("numpy()");
        x.copy_to(view.buf);
        return true;
      },
      "x"_a, "memory"_a,
      "Writes the elements to what lends so many row-major bytes to write to; False where it does not.");
  m.def(
      "address", [](const Array& x) { return reinterpret_cast<uintptr_t>(look(x).data); }, "x"_a,
      "Where the first element lies.");
  m.def(
      "strides",
      [](const Array& x) {
        Dims bytes = strides(x);
        for (int64_t& stride : bytes) stride *= static_cast<int64_t>(x.itemsize());
        return bytes;
      },
      "x"_a, "Bytes between neighbours along each axis.");
}

}  // namespace

void bind_memory(nb::module_& m) {
  hook_long_work();
  bind_copies_in(m);
  bind_loans(m);
  bind_looks(m);
}
}  // namespace weft::python
