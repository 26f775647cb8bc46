// Streams, events and page-locked memory. Which streams are chosen stands in a context variable, so that
// every task and thread has its own; it is asked whenever work starts.
#include "frontend/python/src/streams.h"

#include <deque>

#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

PyObject*
    chosen_streams;  // a ContextVar of (stream, the value around it), or None; null before the first block

thread_local std::deque<StreamScope> scopes;

void enter(nb::handle chain) {
  if (chain.is_none()) return;
  enter(chain[1]);  // the outermost first
  scopes.emplace_back(nb::cast<const Stream&>(chain[0]));
}

}  // namespace

void enter_streams() {
  if (!chosen_streams) return;
  PyObject* value = nullptr;
  if (PyContextVar_Get(chosen_streams, nullptr, &value) < 0) throw nb::python_error();
  const nb::object chain = nb::steal(value);
  if (chain.is_valid()) enter(chain);
}

void leave_streams() {
  while (!scopes.empty()) scopes.pop_back();
}

void bind_streams(nb::module_& m) {
  nb::class_<Event>(m, "Event")
      .def("done", &Event::done)
      .def("synchronize", &Event::synchronize)
      .def("milliseconds_since", &Event::milliseconds_since, "earlier"_a);
  nb::class_<Stream>(m, "Stream")
      .def(nb::init<const std::string&>(), "device"_a)
      .def_static("current", &Stream::current, "device"_a)
      .def("device", &Stream::device)
      .def("handle", &Stream::handle)
      .def("done", &Stream::done)
      .def("synchronize", &Stream::synchronize)
      .def("record", &Stream::record)
      .def("wait", &Stream::wait, "event"_a);
  m.def(
      "choose_streams_by", [](nb::object variable) { chosen_streams = variable.release().ptr(); },
      "variable"_a, "From now on the context variable is asked for the streams of work that starts.");
  m.def(
      "pinned",
      [](size_t bytes, const std::string& device) {
        auto* memory = new std::shared_ptr<void>(pinned(bytes, device));
        return nb::make_tuple(
            reinterpret_cast<uintptr_t>(memory->get()),
            nb::capsule(memory, [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); }));
      },
      "bytes"_a, "device"_a, "The address of page-locked memory, and what keeps it.");
  m.def(
      "start_from",
      [](uintptr_t address, DType dtype, const Dims& shape, const std::string& device) {
        return start_from(reinterpret_cast<const void*>(address), dtype, shape, device);
      },
      "address"_a, "dtype"_a, "shape"_a, "device"_a, "As copy_from, but the copy may still run.");
  m.def(
      "start_copy_to",
      [](const Array& x, uintptr_t address) { start_copy_to(x, reinterpret_cast<void*>(address)); }, "x"_a,
      "address"_a, "As copy_to, but the copy may still run.");
}

}  // namespace weft::python
