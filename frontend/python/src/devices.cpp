// Devices: what they are, which one is the default, and the Python objects that stand for them.
#include <fmt/format.h>

#include <map>
#include <set>

#include "compiler/base/error.h"
#include "frontend/cpp/session/open_device.h"
#include "frontend/cpp/weft/calibrate.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/python_array.h"

namespace weft::python {
namespace {

PyObject* device_type;     // weft._base.devices.Device
PyObject* default_device;  // a ContextVar of (device, the value around it), or None

const std::string* chosen_default() {
  if (!PyGILState_Check()) return nullptr;
  PyObject* value = nullptr;
  if (PyContextVar_Get(default_device, nullptr, &value) < 0) throw nb::python_error();
  const nb::object chosen = nb::steal(value);
  if (!chosen.is_valid() || chosen.is_none()) return nullptr;
  static auto* const names = new std::set<std::string>;  // they live as long as the program
  return &*names->insert(nb::cast<std::string>(chosen[0])).first;
}

nb::dict info(const std::string& name) {
  const DeviceSummary s = Session::current().device(name);
  nb::dict d;
#define WEFT_FIELD(name) d[#name] = s.name
  WEFT_FIELD(description);
  WEFT_FIELD(architecture);
  WEFT_FIELD(threads);
  WEFT_FIELD(vector_bytes);
  WEFT_FIELD(cache_bytes);
  WEFT_FIELD(shared_bytes);
  WEFT_FIELD(memory_bytes);
  WEFT_FIELD(in_use);
  WEFT_FIELD(pooled);
  WEFT_FIELD(peak);
#undef WEFT_FIELD
  return d;
}

nb::dict dict_of(const MachineFacts& facts) {
  nb::list caches;
  for (const CacheFacts& one : facts.caches) {
    nb::dict cache;
    cache["level"] = one.level, cache["bytes"] = one.bytes, cache["processors"] = one.processors;
    caches.append(cache);
  }
  nb::dict d;
#define WEFT_FIELD(name) d[#name] = facts.name
  WEFT_FIELD(description);
  WEFT_FIELD(architecture);
  WEFT_FIELD(threads);
  WEFT_FIELD(processors);
  WEFT_FIELD(cores);
  WEFT_FIELD(vector_bytes);
  WEFT_FIELD(vector_registers);
  WEFT_FIELD(memory_bytes);
#undef WEFT_FIELD
  d["caches"] = caches;
  d["speeds"] = nb::none();
  if (!facts.speeds) return d;
  nb::dict speeds;
  for (const SpeedField& field : speed_fields()) speeds[field.name] = *facts.speeds.*field.value;
  d["speeds"] = speeds;
  return d;
}

// The device of the first array among them, and in lists and tuples among them; null where there is none.
PyObject* device_among(PyObject* values) {
  PyObject* const* const items = PySequence_Fast_ITEMS(values);
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(values); ++k) {
    if (is_array(items[k])) return device_object(array_of(items[k]).device());
    if (!PyList_Check(items[k]) && !PyTuple_Check(items[k])) continue;
    if (PyObject* found = device_among(items[k])) return found;
  }
  return nullptr;
}

}  // namespace

PyObject* device_object(const std::string& name) {
  static auto* const known = new std::map<std::string, PyObject*>;
  PyObject*& object = (*known)[name];
  if (!object) object = nb::handle(device_type)(name.c_str()).release().ptr();
  return Py_NewRef(object);
}

void bind_devices(nb::module_& m) {
  m.def(
      "device_among",
      [](nb::handle values) -> nb::object {
        if (!PyList_Check(values.ptr()) && !PyTuple_Check(values.ptr()))
          throw TypeError("device_among: takes a list or a tuple");
        PyObject* found = device_among(values.ptr());
        return found ? nb::steal(found) : nb::object(nb::str(""));
      },
      "values"_a,
      "The device of the first array among them, and in lists and tuples among them; '' without one.");
  m.def("device_name", [](const std::string& name) { return detail::device_named(name).text(); }, "name"_a);
  m.def("device_names", [] { return Session::current().device_names(); });
  m.def("device_info", info, "name"_a,
        "What a device is, opened first, and the memory that Weft holds there.");
  m.def(
      "machine_facts", [](const std::string& name) { return dict_of(machine_facts(name)); }, "name"_a,
      "What the machine is, and its speeds where they were measured.");
  m.def(
      "calibrate",
      [](const std::string& name) {
        MachineFacts facts;
        {
          const nb::gil_scoped_release others;
          facts = calibrate(name);
        }
        return dict_of(facts);
      },
      "name"_a, "Measures the speeds and keeps them.");
  m.def("default_device", [] { return nb::steal(device_object(Session::current().default_device())); });
  m.def(
      "libraries",
      [] {
        nb::list all;
        for (const UsedLibrary& one : Session::libraries()) all.append(nb::make_tuple(one.name, one.what));
        all.append(nb::make_tuple(
            "nanobind", fmt::format("{}.{}.{}", NB_VERSION_MAJOR, NB_VERSION_MINOR, NB_VERSION_PATCH)));
        return all;
      },
      "The libraries that compile and compute here: names, and versions or why there are none.");
  m.def("no_cuda_because", [] { return Session::current().no_cuda_because(); });
  m.def("synchronize_device", [](const std::string& name) { Session::current().sync(name); }, "name"_a);
  m.def("trim_device", [](const std::string& name) { Session::current().trim(name); }, "name"_a);
  m.def(
      "use_device_objects",
      [](nb::object type, nb::object chosen) {
        device_type = type.release().ptr();
        default_device = chosen.release().ptr();
      },
      "type"_a, "chosen"_a);
  m.def(
      "choose_default_device", [] { choose_default_device_by(chosen_default); },
      "From now on the context variable is asked for the default device.");
}

}  // namespace weft::python
