// What stands between an array's brackets. Integers, slices, None and Ellipsis are views, taken here; masks
// and arrays of positions go to the package's functions for them.
#include <array>
#include <exception>
#include <span>
#include <vector>

#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/small.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/operand.h"

namespace weft::python {
namespace {

PyObject *get_advanced, *set_advanced;

using Indices = std::vector<Index>;

std::optional<int64_t> bound(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  // As Python's own sequences do: bounds beyond 64 bits are held to them.
  const Py_ssize_t value = PyNumber_AsSsize_t(object, nullptr);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

// False for what is no basic index.
bool basic(PyObject* object, Indices& list) {
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const int64_t position = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) throw IndexError("index: position out of range: got an integer of more than 64 bits");
    list.emplace_back(position);
    return true;
  }
  if (PySlice_Check(object)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(object);
    list.emplace_back(Slice{bound(slice->start), bound(slice->stop), bound(slice->step).value_or(1)});
    return true;
  }
  if (object == Py_None) {
    list.emplace_back(newaxis);
    return true;
  }
  if (object == Py_Ellipsis) {
    list.emplace_back(ellipsis);
    return true;
  }
  // Other integers: NumPy's, and arrays of rank 0, whose value is looked at.
  if (PyBool_Check(object) || PyList_Check(object) || PyTuple_Check(object) || !PyIndex_Check(object))
    return false;
  if (is_array(object)) {
    const Array& index = array_of(object);
    if (index.ndim() > 0 || !is_integer(index.dtype()) || detail::depends_on_arguments(index)) return false;
  }
  const Py_ssize_t position = PyNumber_AsSsize_t(object, PyExc_IndexError);
  if (position == -1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();  // an array of another library that is no index
    return false;
  }
  list.emplace_back(static_cast<int64_t>(position));
  return true;
}

// The positions of one element, where the index is one of Python's integers for each axis.
class Positions {
 public:
  explicit Positions(PyObject* key) {
    if (PyLong_CheckExact(key) || (is_array(key) && number_of(key))) {
      add(key);
    } else if (PyTuple_CheckExact(key) && PyTuple_GET_SIZE(key) <= static_cast<Py_ssize_t>(list_.size())) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) add(PyTuple_GET_ITEM(key, i));
    }
  }
  std::span<const int64_t> get() const { return {list_.data(), all_ ? count_ : 0}; }
  // Whether they are those of an element of an array of this shape.
  bool fit(const Shape& shape) const {
    bool fit = all_ && count_ > 0 && count_ == shape.size();
    for (size_t k = 0; fit && k < count_; ++k) fit = list_[k] >= -shape[k] && list_[k] < shape[k];
    return fit;
  }

 private:
  void add(PyObject* position) {
    if (is_array(position)) {
      // An integer that was read from another array.
      const Scalar* number = number_of(position);
      all_ = all_ && number && is_integer(number->dtype) && number->dtype != DType::U64;
      if (all_) list_[count_++] = number->i;
      return;
    }
    int overflow = 0;
    all_ = all_ && PyLong_CheckExact(position);
    if (all_) list_[count_++] = PyLong_AsLongLongAndOverflow(position, &overflow);
    all_ = all_ && overflow == 0;
  }
  std::array<int64_t, 4> list_;
  size_t count_ = 0;
  bool all_ = true;
};

// The view that a basic index is; none for others.
bool viewed(const Array& x, PyObject* key, Array& out) {
  Indices list;
  if (PyTuple_CheckExact(key)) {
    list.reserve(static_cast<size_t>(PyTuple_GET_SIZE(key)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
      if (!basic(PyTuple_GET_ITEM(key, i), list)) return false;
  } else if (!basic(key, list)) {
    return false;
  }
  out = x.index(list);
  return true;
}

// One element is a value, as NumPy's scalars are, where positions alone picked it.
bool is_element(const Array& picked, PyObject* key) {
  if (picked.ndim() > 0) return false;
  if (!PyTuple_CheckExact(key)) return key != Py_Ellipsis;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
    if (PyTuple_GET_ITEM(key, i) == Py_Ellipsis) return false;
  return true;
}

// The key where it is one array of positions along x's first axis and nothing else: the package's functions
// would find out the same and call what is called here.
const Array* positions_alone(const Array& x, PyObject* key) {
  if (!is_array(key) || x.ndim() == 0) return nullptr;
  const Array& index = array_of(key);
  const bool alone = index.ndim() > 0 && index.size() > 0 && is_integer(index.dtype()) &&
                     &detail::Access::cell(index)->device == &detail::Access::cell(x)->device;
  return alone ? &index : nullptr;
}

// The key where it is a mask of x's first axes and nothing else, which is known.
const Array* mask_alone(const Array& x, PyObject* key) {
  if (!is_array(key)) return nullptr;
  const Array& mask = array_of(key);
  const Shape &of = mask.shape(), &shape = x.shape();
  const bool alone = mask.dtype() == DType::Bool && !of.empty() && of.size() <= shape.size() &&
                     std::equal(of.begin(), of.end(), shape.begin()) &&
                     &detail::Access::cell(mask)->device == &detail::Access::cell(x)->device;
  return alone && !detail::depends_on_arguments(mask) ? &mask : nullptr;
}

struct PositionsAlong {
  const Array* index = nullptr;
  size_t axis = 0;
};

// The same where whole axes, as `:` and `...` name them, stand beside the array.
PositionsAlong positions_beside_whole_axes(const Array& x, PyObject* key) {
  if (!PyTuple_CheckExact(key)) return {positions_alone(x, key), 0};
  const auto whole = [](PyObject* object) {
    if (!PySlice_Check(object)) return false;
    const auto* slice = reinterpret_cast<PySliceObject*>(object);
    return slice->start == Py_None && slice->stop == Py_None && slice->step == Py_None;
  };
  const auto size = static_cast<size_t>(PyTuple_GET_SIZE(key));
  if (size > x.ndim() + 1) return {};
  const size_t left_out = x.ndim() + 1 - size;  // axes that `...` stands for
  PositionsAlong found;
  size_t axis = 0;
  bool dots = false;
  for (size_t k = 0; k < size; ++k) {
    PyObject* one = PyTuple_GET_ITEM(key, static_cast<Py_ssize_t>(k));
    if (one == Py_Ellipsis && !dots) {
      dots = true;
      axis += left_out;
    } else if (whole(one)) {
      ++axis;
    } else if (const Array* index = found.index ? nullptr : positions_alone(x, one)) {
      found = {index, axis++};
    } else {
      return {};
    }
  }
  return found.index && axis <= x.ndim() ? found : PositionsAlong{};
}

enum class Write { Put, Add };

// Sums of other dtypes are promoted by the package's rules, and a GPU's sums of floats have an order of their
// own.
bool is_added(const Array& x, PyObject* value) {
  if (x.dtype() == DType::Bool) return false;
  if (!is_integer(x.dtype()) && !detail::Access::cell(x)->device.device->host_visible()) return false;
  if (is_array(value)) return array_of(value).dtype() == x.dtype();
  return PyLong_CheckExact(value) || !is_integer(x.dtype());
}

// x[index] = value, or x[index] += value with each occurrence of a position counting, where the value is a
// number, or has the very shape of what is picked.
bool written_at(const Array& x, const Array& index, PyObject* value, Write how) {
  Shape shape = index.shape(), row(x.ndim(), 1);
  for (size_t axis = 1; axis < x.ndim(); ++axis) shape.push_back(x.shape()[axis]);
  if (!x.writable() || (is_array(value) && array_of(value).shape() != shape) ||
      (!is_array(value) && !PyLong_CheckExact(value) && !PyFloat_CheckExact(value)) ||
      (how == Write::Add && !is_added(x, value)))
    return false;
  Argument given;
  parse_stored(given, "assign", value, x.dtype());
  const PythonLine line;
  detail::check_index("index", index, 0, x.shape()[0]);
  detail::check_stored("assign", x.dtype(), given.operand());
  if (detail::write_rows(x, index, given.operand("assign"),
                         how == Write::Put ? detail::AtRows::Put : detail::AtRows::Add))
    return true;
  Make like;
  like.dtype = x.dtype();
  like.device = x.device();
  const Array values = given.array() ? *given.array() : broadcast_to(full({}, given.number(), like), shape);
  row[0] = index.size();
  Shape rows = x.shape();
  rows[0] = index.size();
  (how == Write::Put ? put_along_axis : add_along_axis)(x, index.reshape(row), values.reshape(rows), 0);
  return true;
}

PyObject* get(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    Scalar element;
    if (const Positions at(key); !is_value(self) && detail::element_now(array_of(self), at.get(), element))
      return wrap_number(detail::Access::cell(array_of(self))->device, element);
    Array view;
    // A view of a value is one of a copy, through which the value cannot be written.
    if (viewed(is_value(self) ? array_of(self).copy() : array_of(self), key, view))
      return is_element(view, key) ? wrap(detail::value_now(view)) : wrap(std::move(view), false);
    const Array& x = array_of(self);
    if (const Array* mask = mask_alone(x, key)) {
      const PythonLine line;
      return wrap(take_where(x, *mask), false);
    }
    if (const auto [index, axis] = positions_beside_whole_axes(x, key); index) {
      const PythonLine line;
      detail::check_index("index", *index, axis, x.shape()[axis]);
      return wrap(take(x, *index, static_cast<int64_t>(axis)), false);
    }
    return nb::handle(get_advanced)(nb::handle(self), nb::handle(key)).release().ptr();
  });
}

// Whether the caller's stack alone holds it, as in `x[0][...] = 5`.
bool is_temporary(PyObject* object) {
#if PY_VERSION_HEX >= 0x030E0000
  return PyUnstable_Object_IsUniqueReferencedTemporary(object) != 0;
#else
  return Py_REFCNT(object) == 1;
#endif
}

// Whether a recorded function may write to the value: to one that it computed of its arguments, none of
// theirs and none from outside.
bool is_own(const Array& value) {
  return !detail::records_cells() ||
         (detail::depends_on_arguments(value) && detail::Access::cell(value)->value()->op != ir::Op::input);
}

// The standard's programs write to what reductions give: a value becomes an array of rank 0 of its own, and
// stays the value that it is where the write raises. TypeError where nobody would see what is written.
class Writing {
 public:
  explicit Writing(PyObject* self) : value_(is_value(self) ? self : nullptr) {
    if (!value_) return;
    if (is_temporary(self) || !is_own(array_of(self))) target("assign", {array_of(self), true});
    make_array(value_);
  }
  ~Writing() {
    if (value_ && std::uncaught_exceptions() > exceptions_) make_value(value_);
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  PyObject* value_;  // null: it was an array
  int exceptions_ = std::uncaught_exceptions();
};

// As NumPy, which takes of a sequence whether it is true, and nothing else.
void check_one(const Argument& given, DType dtype) {
  if (!given.array() || given.array()->ndim() == 0 || dtype == DType::Bool) return;
  throw Error("assign: one element is set to one value: got one of shape " +
              to_string(given.array()->shape()));
}

// The number that one element of x is set to, where no rule of conversions can stand against it.
std::optional<Scalar> stored_as_is(PyObject* value, const Array& x) {
  const DType dtype = x.dtype();
  if (PyBool_Check(value)) return Scalar::of(value == Py_True);
  if (PyFloat_CheckExact(value)) {
    if (is_integer(dtype)) return {};
    return Scalar::of(PyFloat_AS_DOUBLE(value));
  }
  if (PyLong_CheckExact(value)) {
    if (is_integer(dtype) && dtype != DType::I64) return {};
    int overflow = 0;
    const int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) return {};
    // Floats hold what Python's float() makes of it.
    return is_integer(dtype) || dtype == DType::Bool ? Scalar::of(number)
                                                     : Scalar::of(static_cast<double>(number));
  }
  if (!is_array(value)) return {};
  const Scalar* number = number_of(value);
  if (!number || &device_of_number(value) != &detail::Access::cell(x)->device) return {};
  const bool held = is_integer(dtype) ? promote(number->dtype, dtype) == dtype
                                      : !is_complex(number->dtype) || is_complex(dtype);
  return held ? std::optional(*number) : std::nullopt;
}

// Whether it was written where a mask is true: a number, or one value or vector of an array.
bool wrote_by_mask(const Array& x, PyObject* key, PyObject* value) {
  const bool number = PyBool_Check(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
                      PyComplex_CheckExact(value);
  if (!number && (!is_array(value) || array_of(value).ndim() > 1)) return false;
  const Array* mask = mask_alone(x, key);
  if (!mask) return false;
  Argument given;
  given.take(value);
  const PythonLine line;
  put_where(x, *mask, given.operand("assign"));
  return true;
}

// Whether one element was written at once.
bool wrote_number(PyObject* self, PyObject* key, PyObject* value) {
  const Positions at(key);
  if (!value || is_value(self) || at.get().empty()) return false;
  const Array& x = array_of(self);
  const std::optional<Scalar> stored = stored_as_is(value, x);
  return stored && detail::write_element(x, at.get(), *stored, python_line());
}

int set(PyObject* self, PyObject* key, PyObject* value) {
  return guarded(
      [&] {
        if (wrote_number(self, key, value)) return 0;
        if (!value) throw Error("index: elements of an array cannot be deleted");
        const Writing writing(self);
        if (const Positions at(key); at.fit(array_of(self).shape())) {
          Argument given;
          parse_stored(given, "assign", value, array_of(self).dtype());
          check_one(given, array_of(self).dtype());
          const PythonLine line;
          if (detail::write_element(array_of(self), at.get(), given.operand())) return 0;
        }
        Array view;
        if (viewed(array_of(self), key, view)) {
          const bool is_part = !is_value(self) && view.ndim() > 0;
          if (const auto stored = is_part ? stored_as_is(value, view) : std::nullopt)
            if (detail::write_number(view, *stored, python_line())) return 0;
          Argument given;
          parse_stored(given, "assign", value, view.dtype());
          if (is_element(view, key)) check_one(given, view.dtype());
          const PythonLine line;
          view.assign(given.operand());
        } else if (wrote_by_mask(array_of(self), key, value)) {
          return 0;
        } else if (const Array* index = positions_alone(array_of(self), key);
                   !index || !written_at(array_of(self), *index, value, Write::Put)) {
          const nb::handle function(set_advanced);
          function(nb::handle(self), nb::handle(key), nb::handle(value));
        }
        return 0;
      },
      -1);
}

Py_ssize_t length(PyObject* self) {
  const Array& x = array_of(self);
  if (x.ndim() > 0) return x.shape()[0];
  PyErr_SetString(PyExc_TypeError, "len() of an array of rank 0");
  return -1;
}

// For Python's iteration by positions and for PySequence_Check, by which NumPy knows what it may look into.
PyObject* item(PyObject* self, Py_ssize_t position) {
  return guarded([&] {
    Scalar element;
    if (detail::element_now(array_of(self), {&position, 1}, element))
      return wrap_number(detail::Access::cell(array_of(self))->device, element);
    Array picked = array_of(self)[position];
    return picked.ndim() == 0 ? wrap(detail::value_now(picked)) : wrap(std::move(picked));
  });
}

PyObject* iterate(PyObject* self) {
  if (array_of(self).ndim() > 0) return PySeqIter_New(self);
  PyErr_SetString(PyExc_TypeError, "iteration over an array of rank 0");
  return nullptr;
}

int contains(PyObject* self, PyObject* value) {
  return guarded(
      [&] {
        Argument given;
        if (!given.parse(value)) return 0;
        const PythonAsked asked("in");
        return any(equal(array_of(self), given.operand())).item<bool>() ? 1 : 0;
      },
      -1);
}

}  // namespace

void add_indexing(TypeParts& parts) {
  const auto slot = [&](int id, auto* what) { parts.slots.push_back({id, reinterpret_cast<void*>(what)}); };
  slot(Py_mp_subscript, get);
  slot(Py_mp_ass_subscript, set);
  slot(Py_mp_length, length);
  slot(Py_sq_length, length);
  slot(Py_sq_item, item);
  slot(Py_sq_contains, contains);
  slot(Py_tp_iter, iterate);
}

void bind_indexing(nb::module_& m) {
  m.def(
      "index_with",
      [](nb::object get_function, nb::object set_function) {
        get_advanced = get_function.release().ptr();
        set_advanced = set_function.release().ptr();
      },
      nb::arg("get"), nb::arg("set"), "Sets what answers indices with masks and arrays.");
  m.def(
      "added_at",
      [](nb::handle x, nb::handle index, nb::handle value) {
        const Array* positions =
            is_array(x.ptr()) ? positions_alone(array_of(x.ptr()), index.ptr()) : nullptr;
        return positions && written_at(array_of(x.ptr()), *positions, value.ptr(), Write::Add);
      },
      nb::arg("x").none(), nb::arg("index").none(), nb::arg("value").none(),
      "Adds the value at an array of positions along the first axis; False, and nothing done, where the "
      "package's functions are to.");
}

}  // namespace weft::python
