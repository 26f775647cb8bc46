// weft.compile's functions as Python objects: a call finds the recording that its arguments fit and runs the
// program without entering the interpreter.
#include "frontend/python/src/arguments.h"

#include <structmember.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "compiler/base/short_list.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/export/export.h"
#include "frontend/cpp/weft/compiled.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/guard.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/profile.h"
#include "frontend/python/src/the_end.h"

namespace weft::python {
namespace {

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

size_t mixed(size_t hash, size_t with) { return (hash ^ with) * 0x9e3779b97f4a7c15u; }

// Equal where same_value() is; none where the object is no key, since its value can change in place.
std::optional<size_t> hash_of(PyObject* object) {
  const auto type = reinterpret_cast<size_t>(Py_TYPE(object));
  if (PyTuple_Check(object)) {
    size_t hash = type;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      const std::optional<size_t> part = hash_of(PyTuple_GET_ITEM(object, i));
      if (!part) return std::nullopt;
      hash = mixed(hash, *part);
    }
    return hash;
  }
  if (!PyUnicode_CheckExact(object)) {
    if (const auto number = number_in(object)) {
      const Scalar& value = number->value();
      const auto bits = [](double x) {
        return static_cast<size_t>(std::bit_cast<uint64_t>(x == x ? x : 0.0));
      };
      return mixed(mixed(mixed(type, static_cast<size_t>(value.i)), bits(value.re)), bits(value.im));
    }
  }
  const Py_hash_t hash = PyObject_Hash(object);
  if (hash != -1) return mixed(type, static_cast<size_t>(hash));
  // A memoryview says by a ValueError that it is no key.
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
    throw nb::python_error();
  PyErr_Clear();
  return std::nullopt;
}

// Numbers that are arguments of programs, as arrays of rank 0: floats and integers of Python's own, and NumPy's
// float64.
bool is_program_number(PyObject* object) {
  if (PyFloat_CheckExact(object) || is_numpy_float64(object)) return true;
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}
// More of them are taken by their values: a list of weights is no list of arguments.
constexpr size_t kMostNumbers = 32;
bool takes_numbers(PyObject* const* args, size_t count) {
  const auto numbers = static_cast<size_t>(std::count_if(args, args + count, is_program_number));
  return numbers > 0 && numbers <= kMostNumbers;
}
Array array_of_program_number(PyObject* object, const std::string& device) {
  if (PyFloat_Check(object)) {
    const double value = PyFloat_AS_DOUBLE(object);
    return from_bytes(&value, DType::F64, {}, device);
  }
  const int64_t value = PyLong_AsLongLong(object);
  return from_bytes(&value, DType::I64, {}, device);
}

// The function as it was recorded for arguments of one kind.
struct Recording {
  nb::object program_object;
  const Compiled* program;
  std::vector<nb::object>
      values;  // of each argument that decides something; null: an array, or any number of `type`
  std::vector<PyTypeObject*> type;  // of an argument that is a number; null: of others
  std::vector<bool> is_value;       // whether an argument is an array that is one value
  nb::object kind;                  // of the result: Array, None, tuple or list
  std::vector<bool> gives_value;    // whether an array of the result is one value
  std::vector<Guard> guards;

  // Whether it still says what the function would do.
  bool is_current(std::span<const Array> arrays) const {
    return program->is_current(arrays) &&
           std::all_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.holds(); });
  }
  // The guards that hold no more, and for an array that was written to, each that it may be, as the holder of one.
  nb::list changed(std::span<const Array> arrays) const {
    nb::list found;
    for (const Guard& guard : guards)
      if (!guard.holds()) found.append(guard.as_given());
    if (program->is_current(arrays)) return found;
    for (const Guard& guard : guards)
      if (guard.value.is_valid() && is_array(guard.value.ptr())) found.append(nb::make_tuple(guard.value));
    return found;
  }
  bool takes(PyObject* const* args, size_t count, std::span<const Array> arrays) const {
    if (values.size() != count) return false;
    for (size_t i = 0; i < count; ++i) {
      PyObject* value = values[i].ptr();
      if (!value && type[i]) {
        if (Py_TYPE(args[i]) != type[i]) return false;
        continue;
      }
      if (value ? is_array(args[i]) || !same_value(value, args[i]) : !is_array(args[i])) return false;
      if (!value && weft::python::is_value(args[i]) != is_value[i]) return false;
    }
    return program->takes(arrays) && program->stands(arrays);
  }
};

// A function's recordings by what their arguments have to be, the one used last in front. There are at most a
// few for arguments that differ in their values alone: a number that is another in each call would keep one
// for each.
class Recordings {
 public:
  // Of arguments: `kind` of their dtypes, shapes and types, `values` of those that are no arrays, too.
  struct Key {
    size_t kind = 0, values = 0;
  };
  struct Entry {
    Key key;
    std::shared_ptr<Recording> recording;
  };

  // The next from `at` on whose key has these values; at the end there is none.
  std::shared_ptr<Recording> next(const Key& key, size_t& at) const {
    for (; at < entries_.size(); ++at)
      if (entries_[at].key.values == key.values) return entries_[at++].recording;
    return nullptr;
  }
  void to_front(const std::shared_ptr<Recording>& one) {
    const auto from = find(one);
    if (from != entries_.begin() && from != entries_.end()) std::rotate(entries_.begin(), from, from + 1);
  }
  // The one that is dropped is given back, to be freed once nothing is in the middle of a change.
  std::shared_ptr<Recording> drop(const std::shared_ptr<Recording>& one) {
    const auto from = find(one);
    return from == entries_.end() ? nullptr : erase(from);
  }
  std::shared_ptr<Recording> add(const Key& key, std::shared_ptr<Recording> one) {
    entries_.insert(entries_.begin(), {key, std::move(one)});
    size_t alike = 0;
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
      if (entry->key.kind == key.kind && ++alike > kMostAlike) return erase(entry);
    return entries_.size() > kMost ? erase(entries_.end() - 1) : nullptr;
  }
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Entry> take_all() { return std::exchange(entries_, {}); }

 private:
  static constexpr size_t kMostAlike = 16, kMost = 256;
  using Iterator = std::vector<Entry>::iterator;
  Iterator find(const std::shared_ptr<Recording>& one) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const Entry& entry) { return entry.recording == one; });
  }
  std::shared_ptr<Recording> erase(Iterator at) {
    std::shared_ptr<Recording> dropped = std::move(at->recording);
    entries_.erase(at);
    return dropped;
  }
  std::vector<Entry> entries_;
};

struct CompiledFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject *attributes, *weak_references;
  PyObject *function, *record, *general;
  Recordings* recordings;
};

CompiledFunction& compiled_of(PyObject* self) { return *reinterpret_cast<CompiledFunction*>(self); }

// Arrays, or floats in a tuple that can be made again. A tuple of integers alone is taken as it is: most are shapes
// and axes, whose values decide.
bool holds_arguments(PyObject* tuple) {
  const bool takes_floats = PyTuple_CheckExact(tuple) || PyObject_HasAttrString(tuple, "_make");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* const item = PyTuple_GET_ITEM(tuple, i);
    if (is_array(item)) return true;
    if (takes_floats && (PyFloat_CheckExact(item) || is_numpy_float64(item))) return true;
    if (PyTuple_Check(item) && holds_arguments(item)) return true;
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

// None where an argument is no key.
std::optional<Recordings::Key> key_of(PyObject* const* args, size_t count) {
  Recordings::Key key{count, count};
  const bool numbers = takes_numbers(args, count);
  for (size_t i = 0; i < count; ++i) {
    size_t kind = reinterpret_cast<size_t>(Py_TYPE(args[i])), value = 0;
    if (is_array(args[i])) {
      const Array& array = array_of(args[i]);
      kind = mixed(kind, static_cast<size_t>(array.dtype()) * 2 + (is_value(args[i]) ? 1 : 0));
      for (const int64_t extent : array.shape()) kind = mixed(kind, static_cast<size_t>(extent));
      kind = mixed(kind, array.ndim());
    } else if (!numbers || !is_program_number(args[i])) {
      const std::optional<size_t> hash = hash_of(args[i]);
      if (!hash) return std::nullopt;
      value = *hash;
    }
    key.kind = mixed(key.kind, kind);
    key.values = mixed(mixed(key.values, kind), value);
  }
  return key;
}

[[noreturn]] void refuse_what_is_no_key(PyObject* const* args, size_t count) {
  size_t i = 0;
  while (i + 1 < count && (is_array(args[i]) || hash_of(args[i]))) ++i;
  throw TypeError(std::string("compile: takes arrays, values that can be hashed, objects of classes "
                              "outside of packages, and tuples, lists, dicts, sets, dataclasses and "
                              "slices of them: got ") +
                  Py_TYPE(args[i])->tp_name);
}

// Null where an argument is no key.
std::shared_ptr<Recording> recording_for(CompiledFunction& self, PyObject* const* args, size_t count,
                                         std::span<const Array> arrays) {
  const std::optional<Recordings::Key> key = key_of(args, count);
  if (!key) {
    if (self.general == Py_None) refuse_what_is_no_key(args, count);
    return nullptr;
  }
  Recordings& known = *self.recordings;
  size_t at = 0;
  nb::object changed = nb::none();
  while (const std::shared_ptr<Recording> one = known.next(*key, at)) {
    // Comparing may call Python, and Python this function.
    if (!one->takes(args, count, arrays)) continue;
    if (one->is_current(arrays)) {
      known.to_front(one);
      return one;
    }
    changed = one->changed(arrays);
    known.drop(one);
    break;
  }
  auto made = std::make_shared<Recording>();
  const bool takes = takes_numbers(args, count);
  nb::list given, places, numbers, number_arrays;
  const size_t array_count = static_cast<size_t>(std::count_if(args, args + count, is_array));
  for (size_t i = 0; i < count; ++i) {
    given.append(nb::handle(args[i]));
    made->is_value.push_back(is_array(args[i]) && is_value(args[i]));
    made->type.push_back(nullptr);
    if (takes && is_program_number(args[i])) {
      made->type.back() = Py_TYPE(args[i]);
      number_arrays.append(nb::steal(wrap(arrays[array_count + nb::len(numbers)])));
      numbers.append(i);
    }
    if (is_array(args[i])) {
      places.append(i);
      made->values.emplace_back();
    } else {
      made->values.push_back(nb::borrow(args[i]));
    }
  }
  const nb::object recorded = or_wait_for_the_end([&] {
    return nb::handle(self.record)(nb::handle(self.function), given, places, numbers, number_arrays, changed);
  });
  made->program_object = recorded[0];
  made->program = nb::cast<const Compiled*>(made->program_object);
  made->kind = recorded[1];
  const nb::object decided(recorded[4]);
  for (const nb::handle number : numbers) {
    const auto i = nb::cast<size_t>(number);
    if (!PySequence_Contains(decided.ptr(), number.ptr())) made->values[i] = nb::object();
  }
  for (const nb::handle one : nb::object(recorded[3])) made->gives_value.push_back(nb::cast<bool>(one));
  for (const nb::handle read : nb::object(recorded[2])) {
    Guard guard(read);
    // What the function itself changed is among what it does once.
    if (guard.holds()) made->guards.push_back(std::move(guard));
  }
  const std::shared_ptr<Recording> dropped = known.add(*key, made);
  return made;
}

// Whether this thread's calls are to have kernels compiled and to run nothing.
thread_local bool warms = false;

PyObject* call(PyObject* self, PyObject* const* args, size_t flagged, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    // What derives it derives the function itself, and who looks for NaN looks at its ops.
    if (Compiled::recording() || detail::keeps_past() || Session::current().watch() != Watch::Nothing)
      return or_wait_for_the_end(
          [&] { return PyObject_Vectorcall(compiled_of(self).function, args, flagged, keywords); });
    const int64_t since = profile_time();
    const auto count = static_cast<size_t>(PyVectorcall_NARGS(flagged));
    bool general = keywords && PyTuple_GET_SIZE(keywords) > 0;
    constexpr size_t kFewArguments = 8;
    ShortList<Array, kFewArguments> held(count);
    size_t array_count = 0;
    for (size_t i = 0; i < count; ++i) {
      if (is_array(args[i])) {
        held[array_count++] = array_of(args[i]);
      } else if (PyTuple_Check(args[i]) && holds_arguments(args[i])) {
        general = true;
      }
    }
    if (!general && takes_numbers(args, count)) {
      const std::string device = array_count > 0 ? held[0].device() : std::string();
      for (size_t i = 0; i < count; ++i)
        if (is_program_number(args[i])) held[array_count++] = array_of_program_number(args[i], device);
    }
    const std::span<const Array> arrays(held.begin(), array_count);
    if (general) return call_general(compiled_of(self), args, count, keywords);
    const std::shared_ptr<Recording> recording = recording_for(compiled_of(self), args, count, arrays);
    if (!recording) return call_general(compiled_of(self), args, count, nullptr);
    if (warms) {
      recording->program->warm();
      return Py_NewRef(Py_None);
    }
    const PythonAsked asked("a call of a compiled function");
    std::vector<Array> results = detail::call_since(since, *recording->program, arrays);
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

PyObject* warm(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  const bool outer = std::exchange(warms, true);
  PyObject* result = call(self, args, static_cast<size_t>(count), keywords);
  warms = outer;
  if (!result) return nullptr;
  Py_DECREF(result);  // that of a function which is being recorded
  return Py_NewRef(Py_None);
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
    for (const auto& [key, recording] : object.recordings->entries()) {
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
  if (object.recordings) object.recordings->take_all();
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
  object.recordings = new (std::nothrow) Recordings;
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
  static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                                  {"warm", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(warm)),
                                   METH_FASTCALL | METH_KEYWORDS,
                                   "Records the function for these arguments, if it is not, and returns when "
                                   "its kernels are compiled. It runs "
                                   "nothing."},
                                  {}};
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

namespace {

// A function of Python's as C++ records it.
class Recordable {
 public:
  // `held` gets weak references to arrays that depend on the arguments and that somebody held when f had returned.
  Recordable(const nb::list& arguments, nb::object f, nb::list held)
      : f_(std::move(f)), held_(std::move(held)) {
    for (const nb::handle argument : arguments) {
      arrays_.push_back(array_of(argument.ptr()));
      is_one_value_.push_back(is_value(argument.ptr()));
    }
  }
  // Those themselves, of values too: they tell which share memory.
  const std::vector<Array>& arguments() const { return arrays_; }

  std::vector<Array> operator()(std::span<const Array> places) {
    const Made made;
    nb::list given;
    for (size_t i = 0; i < places.size(); ++i) given.append(nb::steal(wrap(places[i], is_one_value_[i])));
    auto results = nb::cast<std::vector<Array>>(or_wait_for_the_end([&] { return f_(given); }));
    for (const nb::object& reference : made.references()) {
      const nb::object array = reference();
      if (!array.is_none() &&
          detail::depends_on_arguments(detail::Access::cell(array_of(array.ptr()))->value()))
        held_.append(reference);
    }
    return results;
  }

 private:
  nb::object f_;
  nb::list held_;
  std::vector<Array> arrays_;
  std::vector<bool> is_one_value_;
};

}  // namespace

void bind_compiled(nb::module_& m) {
  m.attr("CompiledFunction") = nb::steal(make_type());
  m.def(
      "digest", [](nb::handle array) { return digest(array.ptr()); }, "array"_a,
      "What tells the bytes of an array of NumPy's from others, in few letters.");
  nb::class_<Compiled>(m, "Compiled")
      .def(
          "__init__",
          [](Compiled* self, const nb::list& arguments, const nb::object& f, const nb::list& held,
             const std::vector<size_t>& donated) {
            const PythonLine line;
            Recordable function(arguments, f, held);
            new (self) Compiled(function.arguments(), std::ref(function), donated);
          },
          "arguments"_a, "f"_a, "held"_a, "donated"_a = std::vector<size_t>{});
  nb::class_<detail::FunctionGraph>(m, "FunctionGraph")
      .def(
          "__init__",
          [](detail::FunctionGraph* self, const nb::list& arguments, const nb::object& f,
             const nb::list& held, const std::vector<size_t>& /*donated*/) {
            const PythonLine line;
            Recordable function(arguments, f, held);
            new (self) detail::FunctionGraph(
                detail::function_graph("export", function.arguments(), std::ref(function)));
          },
          "arguments"_a, "f"_a, "held"_a, "donated"_a = std::vector<size_t>{});
  m.def(
      "write_export",
      [](const std::string& folder, const std::string& name,
         const std::vector<const detail::FunctionGraph*>& functions, const std::vector<std::string>& names,
         const std::string& processor) {
        std::vector<detail::FunctionGraph> all;
        all.reserve(functions.size());
        for (const detail::FunctionGraph* one : functions) all.push_back(*one);
        detail::write_export(folder, name, all, {names, processor});
      },
      "folder"_a, "name"_a, "functions"_a, "names"_a, "processor"_a);
}

}  // namespace weft::python
