// weft.compile's functions as Python objects: a call finds the recording that its arguments fit and runs the
// program without entering the interpreter.
#include "frontend/python/src/arguments.h"

#include <structmember.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "compiler/base/short_list.h"
#include "frontend/cpp/cell.h"
#include "frontend/cpp/weft/compiled.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/the_end.h"

namespace weft::python {
namespace {

std::optional<Number> number_in(PyObject* object) {
  try {
    return number_from(object);
  } catch (const Error&) {
    return std::nullopt;  // of a kind that no array has
  }
}

// Whether a function records the same with either: numbers are compared with their signs and NaNs.
bool same_value(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyTuple_Check(a)) {
    const Py_ssize_t size = PyTuple_GET_SIZE(a);
    if (PyTuple_GET_SIZE(b) != size) return false;
    for (Py_ssize_t i = 0; i < size; ++i)
      if (!same_value(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
    return true;
  }
  if (const auto x = number_in(a), y = number_in(b); x && y) return x->value().same(y->value());
  const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) throw nb::python_error();
  return equal == 1;
}

// The bytes of an array of NumPy's, in the order of its axes, or of another object that lies in one piece.
bool has_bytes(PyObject* array, PyObject* bytes) {
  const std::string_view were(PyBytes_AS_STRING(bytes), static_cast<size_t>(PyBytes_GET_SIZE(bytes)));
  Py_buffer now;
  if (PyObject_GetBuffer(array, &now, PyBUF_SIMPLE) == 0) {
    const bool same =
        were == std::string_view(static_cast<const char*>(now.buf), static_cast<size_t>(now.len));
    PyBuffer_Release(&now);
    return same;
  }
  drop_error();  // it has gaps, or is a view that was released
  if (PyMemoryView_Check(array)) return false;
  const nb::object copy = nb::module_::import_("numpy").attr("ndarray").attr("tobytes")(nb::handle(array));
  return PyObject_RichCompareBool(copy.ptr(), bytes, Py_EQ) == 1;
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

// Something that the function may have read besides its arguments: see weft/_guards.py.
struct Guard {
  enum class Kind : uint8_t { Held, Cell, Name, Class, Attribute, Slot, List, Items, Parts, Bytes };
  nb::object holder, key, value;  // no value: there is none
  Kind kind;

  explicit Guard(nb::handle given) : holder(given[0]), key(given[1]) {
    if (nb::len(given) > 2) value = given[2];
    PyObject* from = holder.ptr();
    kind = from == value.ptr()               ? Kind::Held
           : PyCell_Check(from)              ? Kind::Cell
           : !key.is_none()                  ? kind_of_name()
           : PyBytes_CheckExact(value.ptr()) ? Kind::Bytes
           : PyDict_Check(from)              ? Kind::Items
           : PyList_Check(from)              ? Kind::List
                                             : Kind::Parts;
  }
  Kind kind_of_name() const {
    if (PyDict_CheckExact(holder.ptr())) return Kind::Name;
    if (!PyUnicode_CheckExact(key.ptr())) return Kind::Slot;
    return PyType_Check(holder.ptr()) ? Kind::Class : Kind::Attribute;
  }

  bool holds() const {
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
        return has_bytes(from, was);
    }
    return false;
  }
};

// The function as it was recorded for arguments of one kind.
struct Recording {
  nb::object program_object;
  const Compiled* program;
  std::vector<nb::object> values;  // of each argument that is no array; null: an array
  std::vector<bool> is_value;      // whether an argument is an array that is one value
  nb::object kind;                 // of the result: Array, None, tuple or list
  std::vector<bool> gives_value;   // whether an array of the result is one value
  std::vector<Guard> guards;

  // Whether it still says what the function would do.
  bool is_current() const {
    return program->is_current() &&
           std::all_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.holds(); });
  }
  bool takes(PyObject* const* args, size_t count, std::span<const Array> arrays) const {
    if (values.size() != count) return false;
    for (size_t i = 0; i < count; ++i) {
      PyObject* value = values[i].ptr();
      if (value ? is_array(args[i]) || !same_value(value, args[i]) : !is_array(args[i])) return false;
      if (!value && weft::python::is_value(args[i]) != is_value[i]) return false;
    }
    return program->takes(arrays);
  }
};

struct CompiledFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject *attributes, *weak_references;
  PyObject *function, *record, *general;
  std::vector<std::shared_ptr<Recording>>* recordings;  // the one used last in front
};

CompiledFunction& compiled_of(PyObject* self) { return *reinterpret_cast<CompiledFunction*>(self); }

bool holds_array(PyObject* tuple) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* const item = PyTuple_GET_ITEM(tuple, i);
    if (is_array(item) || (PyTuple_Check(item) && holds_array(item))) return true;
  }
  return false;
}

// Keywords, containers of arrays and NumPy's arrays: by the package's function, which calls one like this
// with the arrays that it finds in them.
PyObject* call_general(CompiledFunction& self, PyObject* const* args, size_t count, PyObject* keywords) {
  nb::list positional;
  for (size_t i = 0; i < count; ++i) positional.append(nb::handle(args[i]));
  nb::dict named;
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    named[nb::handle(PyTuple_GET_ITEM(keywords, i))] = nb::handle(args[count + static_cast<size_t>(i)]);
  return or_wait_for_the_end([&] { return nb::handle(self.general)(positional, named).release().ptr(); });
}

// Null where an argument is no key.
std::shared_ptr<Recording> recording_for(CompiledFunction& self, PyObject* const* args, size_t count,
                                         std::span<const Array> arrays) {
  auto& known = *self.recordings;
  for (size_t i = 0; i < known.size(); ++i) {
    std::shared_ptr<Recording> one = known[i];
    if (!one->takes(args, count, arrays)) continue;
    const bool current = one->is_current();
    // Comparing may have called Python, and Python this function.
    const auto from = std::find(known.begin(), known.end(), one);
    if (!current) {
      if (from != known.end()) known.erase(from);
      break;
    }
    if (from != known.begin() && from != known.end()) std::rotate(known.begin(), from, from + 1);
    return one;
  }
  auto made = std::make_shared<Recording>();
  nb::list given, places;
  for (size_t i = 0; i < count; ++i) {
    given.append(nb::handle(args[i]));
    made->is_value.push_back(is_array(args[i]) && is_value(args[i]));
    if (is_array(args[i])) {
      places.append(i);
      made->values.emplace_back();
    } else {
      // What can change its value in place is no key; a memoryview says so by a ValueError.
      if (PyObject_Hash(args[i]) == -1) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
          throw nb::python_error();
        PyErr_Clear();
        if (self.general == Py_None) {
          throw TypeError(std::string("compile: takes arrays, values that can be hashed, objects of classes "
                                      "outside of packages, and tuples, lists, dicts, sets, dataclasses and "
                                      "slices of them: got ") +
                          Py_TYPE(args[i])->tp_name);
        }
        return nullptr;
      }
      made->values.push_back(nb::borrow(args[i]));
    }
  }
  const nb::object recorded =
      or_wait_for_the_end([&] { return nb::handle(self.record)(nb::handle(self.function), given, places); });
  made->program_object = recorded[0];
  made->program = nb::cast<const Compiled*>(made->program_object);
  made->kind = recorded[1];
  for (const nb::handle one : nb::object(recorded[3])) made->gives_value.push_back(nb::cast<bool>(one));
  for (const nb::handle read : nb::object(recorded[2])) {
    Guard guard(read);
    // What the function itself changed is among what it does once.
    if (guard.holds()) made->guards.push_back(std::move(guard));
  }
  known.insert(known.begin(), made);
  return made;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flagged, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    if (Compiled::recording())
      return or_wait_for_the_end(
          [&] { return PyObject_Vectorcall(compiled_of(self).function, args, flagged, keywords); });
    const auto count = static_cast<size_t>(PyVectorcall_NARGS(flagged));
    bool general = keywords && PyTuple_GET_SIZE(keywords) > 0;
    constexpr size_t kFewArguments = 8;
    ShortList<Array, kFewArguments> held(count);
    size_t array_count = 0;
    for (size_t i = 0; i < count; ++i) {
      if (is_array(args[i])) {
        held[array_count++] = array_of(args[i]);
      } else if (PyTuple_Check(args[i]) && holds_array(args[i])) {
        general = true;
      }
    }
    const std::span<const Array> arrays(held.begin(), array_count);
    if (general) return call_general(compiled_of(self), args, count, keywords);
    const std::shared_ptr<Recording> recording = recording_for(compiled_of(self), args, count, arrays);
    if (!recording) return call_general(compiled_of(self), args, count, nullptr);
    // What is one array in two places is left to the function itself.
    if (recording->program->writes_shared(arrays))
      return or_wait_for_the_end(
          [&] { return PyObject_Vectorcall(compiled_of(self).function, args, flagged, nullptr); });
    std::vector<Array> results = (*recording->program)(arrays);
    PyObject* kind = recording->kind.ptr();
    if (kind == reinterpret_cast<PyObject*>(array_type))
      return wrap(std::move(results[0]), recording->gives_value[0]);
    if (kind == Py_None) return Py_NewRef(Py_None);
    nb::list made;
    for (size_t i = 0; i < results.size(); ++i)
      made.append(nb::steal(wrap(std::move(results[i]), recording->gives_value[i])));
    return nb::handle(kind)(made).release().ptr();
  });
}

// Recordings are freed when nothing of the function is in reach any more.
void let_go(CompiledFunction& self) {
  const auto* recordings = std::exchange(self.recordings, nullptr);
  delete recordings;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  const CompiledFunction& object = compiled_of(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object.attributes);
  Py_VISIT(object.function);
  Py_VISIT(object.record);
  Py_VISIT(object.general);
  if (object.recordings) {
    for (const auto& recording : *object.recordings) {
      for (const nb::object& value : recording->values) Py_VISIT(value.ptr());
      for (const Guard& guard : recording->guards) {
        Py_VISIT(guard.holder.ptr());
        Py_VISIT(guard.key.ptr());
        Py_VISIT(guard.value.ptr());
      }
    }
  }
  return 0;
}

int clear(PyObject* self) {
  CompiledFunction& object = compiled_of(self);
  Py_CLEAR(object.attributes);
  Py_CLEAR(object.general);
  if (object.recordings) object.recordings->clear();
  return 0;
}

void deallocate(PyObject* self) {
  CompiledFunction& object = compiled_of(self);
  PyObject_GC_UnTrack(self);
  if (object.weak_references) PyObject_ClearWeakRefs(self);
  clear(self);
  let_go(object);
  Py_CLEAR(object.function);
  Py_CLEAR(object.record);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* create(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *function, *record, *general;
  if (!PyArg_ParseTuple(args, "OOO", &function, &record, &general)) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  CompiledFunction& object = compiled_of(self);
  object.call = call;
  object.function = Py_NewRef(function);
  object.record = Py_NewRef(record);
  object.general = Py_NewRef(general);
  object.recordings = new (std::nothrow) std::vector<std::shared_ptr<Recording>>;
  if (object.recordings) return self;
  Py_DECREF(self);
  return PyErr_NoMemory();
}

// A method where it is an attribute of a class, as Python's functions are.
PyObject* get(PyObject* self, PyObject* instance, PyObject*) {
  return instance && instance != Py_None ? PyMethod_New(self, instance) : Py_NewRef(self);
}
PyObject* describe(PyObject* self) {
  return PyUnicode_FromFormat("<compiled %R>", compiled_of(self).function);
}
// Pickled by its name.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyObject* make_type() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledFunction, call), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(CompiledFunction, attributes), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledFunction, weak_references), READONLY, nullptr},
      {}};
  static PyGetSetDef properties[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
  static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {}};
  const auto as_slot = [](auto* what) { return reinterpret_cast<void*>(what); };
  PyType_Slot slots[] = {{Py_tp_new, as_slot(create)},
                         {Py_tp_call, as_slot(PyVectorcall_Call)},
                         {Py_tp_repr, as_slot(describe)},
                         {Py_tp_descr_get, as_slot(get)},
                         {Py_tp_traverse, as_slot(traverse)},
                         {Py_tp_clear, as_slot(clear)},
                         {Py_tp_dealloc, as_slot(deallocate)},
                         {Py_tp_members, members},
                         {Py_tp_getset, properties},
                         {Py_tp_methods, methods},
                         {}};
  PyType_Spec spec = {"weft.CompiledFunction", sizeof(CompiledFunction), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) throw nb::python_error();
  return type;
}

}  // namespace

void bind_compiled(nb::module_& m) {
  m.attr("CompiledFunction") = nb::steal(make_type());
  nb::class_<Compiled>(m, "Compiled")
      .def(
          "__init__",
          [](Compiled* self, const std::vector<Valued>& arguments, const nb::object& f, nb::list& held) {
            const PythonLine line;
            std::vector<Array> arrays;
            arrays.reserve(arguments.size());
            for (const Valued& argument : arguments) arrays.push_back(argument.array);
            new (self) Compiled(arrays, [&](std::span<const Array> places) {
              const Made made;
              nb::list given;
              for (size_t i = 0; i < places.size(); ++i)
                given.append(nb::steal(wrap(places[i], arguments[i].is_value)));
              auto results = nb::cast<std::vector<Array>>(or_wait_for_the_end([&] { return f(given); }));
              for (const nb::object& reference : made.references()) {
                const nb::object array = reference();
                if (!array.is_none() &&
                    detail::depends_on_arguments(detail::Access::cell(array_of(array.ptr()))->value()))
                  held.append(reference);
              }
              return results;
            });
          },
          "arguments"_a, "f"_a, "held"_a,
          "`held` gets weak references to arrays that depend on the arguments and that somebody held when f "
          "had returned.");
}

}  // namespace weft::python
