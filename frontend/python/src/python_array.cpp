#include "frontend/python/src/python_array.h"

#include <structmember.h>

#include <new>
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/small.h"

namespace weft::python {

PyTypeObject* array_type;

namespace {

// Objects that were let go, kept for the next arrays: every operation makes one.
constexpr int kSpares = 64;
PyArray* spares[kSpares];
int spare_count = 0;

// Asking for a thread's own costs more than this where no thread has one. The interpreter's lock guards it.
int all_made = 0;
thread_local Made* made_here = nullptr;

void end_loans(std::vector<Lent>* lent) {
  constexpr uint64_t kLegacyStream = 1;  // which waits for every stream that is not told otherwise
  for (const Lent& one : *lent) {
    try {
      take_back(one, kLegacyStream);
    } catch (const std::exception&) {
      // The device has failed, which its next use says.
    }
  }
  delete lent;
}

// What the object is a view of; it becomes what later ones are views of where there is none.
PyObject* enter(PyArray* object) {
  void*& owner = detail::Access::cell(object->array)->owner;
  if (owner) return Py_NewRef(static_cast<PyObject*>(owner));
  owner = object;
  return nullptr;
}
void leave(PyArray* object) {
  void*& owner = detail::Access::cell(object->array)->owner;
  if (owner == object) owner = nullptr;
  Py_CLEAR(object->base);
}

void deallocate(PyObject* self) {
  auto* object = reinterpret_cast<PyArray*>(self);
  PyTypeObject* type = Py_TYPE(self);
  // Before anything runs that could make a view of the same cell.
  if (object->array.has_value()) leave(object);
  if (object->weak_references) PyObject_ClearWeakRefs(self);
  if (object->lent) end_loans(object->lent);
  object->array.~Array();
  if (spare_count < kSpares) {
    spares[spare_count++] = object;
  } else {
    PyObject_Free(object);
  }
  Py_DECREF(type);
}

PyObject* no_constructor(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "Array: arrays are made by asarray(), zeros() and their like");
  return nullptr;
}

constexpr const char* kDoc =
    "A NumPy-like array whose operations are recorded and computed, fused into few kernels, when a value is "
    "looked at.\n\n"
    "Slices, transposes and reshapes are views: what is written through one is seen by all.";

}  // namespace

namespace {

// Without its array.
PyArray* new_object(bool is_value) noexcept {
  PyArray* object;
  if (spare_count > 0) {
    object = spares[--spare_count];
    PyObject_Init(reinterpret_cast<PyObject*>(object), array_type);
  } else {
    object = PyObject_New(PyArray, array_type);
    if (!object) return nullptr;
  }
  object->number_of = nullptr;
  object->is_value = is_value;
  object->base = nullptr;
  object->weak_references = nullptr;
  object->lent = nullptr;
  return object;
}

}  // namespace

PyObject* wrap_number(detail::DeviceSlot& device, const Scalar& number) noexcept {
  PyArray* object = new_object(true);
  if (!object) return nullptr;
  new (&object->array) Array;
  object->number_of = &device;
  object->number = number;
  return reinterpret_cast<PyObject*>(object);
}

Array& array_of_number(PyArray& object) {
  object.array = detail::array_of_element(*object.number_of, object.number);
  object.base = enter(&object);
  return object.array;
}

PyObject* wrap(Array array, bool value_of_rank_0) noexcept {
  PyArray* object = new_object(value_of_rank_0 && array.ndim() == 0);
  if (!object) return nullptr;
  new (&object->array) Array(std::move(array));
  object->base = enter(object);
  auto* self = reinterpret_cast<PyObject*>(object);
  if (all_made > 0 && made_here) {
    nb::object reference = nb::steal(PyWeakref_NewRef(self, nullptr));
    if (!reference) {
      Py_DECREF(self);
      return nullptr;
    }
    made_here->references_.push_back(std::move(reference));
  }
  return self;
}

Made::Made() {
  made_here = this;
  ++all_made;
}
Made::~Made() {
  made_here = nullptr;
  --all_made;
}

void rebind(PyObject* object, Array array) {
  auto* self = reinterpret_cast<PyArray*>(object);
  leave(self);
  self->number_of = nullptr;
  self->array = std::move(array);
  detail::Access::cell(self->array)->owner = self;
}

void make_array(PyObject* value) {
  rebind(value, array_of(value).copy());
  reinterpret_cast<PyArray*>(value)->is_value = false;
}
void make_value(PyObject* array) { reinterpret_cast<PyArray*>(array)->is_value = true; }

bool take(PyObject* object, Valued& out) noexcept {
  if (!is_array(object)) return false;
  try {
    out.is_value = is_value(object);
    out.array = out.is_value ? array_of(object).copy() : array_of(object);
    return true;
  } catch (...) {
    return false;
  }
}

const Array& target(const char* op, const Valued& given) {
  if (!given.is_value) return given.array;
  throw TypeError(
      std::string(op) +
      ": one value, as an element or a reduction to one is, cannot be written to, as NumPy's scalars "
      "cannot: make an array of it with asarray()");
}

void bind_array_type(nb::module_& m) {
  // The type refers to these for as long as it lives.
  static TypeParts parts;
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(PyArray, weak_references), READONLY, nullptr}, {}};
  add_operators(parts);
  add_indexing(parts);
  add_values(parts);
  add_buffers(parts);
  add_properties(parts);
  parts.methods.push_back({});
  parts.properties.push_back({});
  const auto slot = [](int id, auto* what) { parts.slots.push_back({id, reinterpret_cast<void*>(what)}); };
  slot(Py_tp_dealloc, deallocate);
  slot(Py_tp_new, no_constructor);
  slot(Py_tp_doc, const_cast<char*>(kDoc));
  slot(Py_tp_members, members);
  slot(Py_tp_methods, parts.methods.data());
  slot(Py_tp_getset, parts.properties.data());
  parts.slots.push_back({});
  PyType_Spec spec = {"weft.Array", sizeof(PyArray), 0, Py_TPFLAGS_DEFAULT, parts.slots.data()};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) throw nb::python_error();
  array_type = reinterpret_cast<PyTypeObject*>(type);
  m.attr("Array") = nb::borrow(type);
}

}  // namespace weft::python
