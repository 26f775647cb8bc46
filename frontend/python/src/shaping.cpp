#include <nanobind/stl/pair.h>

#include "frontend/cpp/array/counts.h"
#include "frontend/cpp/array/same_value.h"
#include "frontend/cpp/ops/radix_sort.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/profile.h"

namespace weft::python {
namespace {

// Views of the same elements, and what they are.
void bind_views(nb::module_& m) {
  def(
      m, "reshape",
      [](const Valued& x, const Integers& shape) {
        return Valued{x.array.reshape(shape.all("reshape", "a shape")), x.is_value};
      },
      "x"_a, "shape"_a);
  def(
      m, "permute_dims",
      [](const Valued& x, const Integers& axes) {
        return Valued{permute_dims(x.array, axes.all("permute_dims")), x.is_value};
      },
      "x"_a, "axes"_a);
  def(
      m, "expand_dims",
      [](const Valued& x, const Integers& axis) {
        return Valued{expand_dims(x.array, axis.one("expand_dims")), x.is_value};
      },
      "x"_a, "axis"_a);
  def(
      m, "squeeze",
      [](const Valued& x, const Integers& axes) {
        return Valued{squeeze(x.array, axes.axes_or_none("squeeze")), x.is_value};
      },
      "x"_a, "axes"_a.none());
  def(
      m, "flip",
      [](const Valued& x, const Integers& axes) {
        return Valued{flip(x.array, axes.all_or_none("flip")), x.is_value};
      },
      "x"_a, "axes"_a.none());
  def(
      m, "broadcast_to",
      [](const Valued& x, const Integers& shape) {
        return Valued{broadcast_to(x.array, shape.all("broadcast_to", "a shape")), x.is_value};
      },
      "x"_a, "shape"_a);
  def(m, "copy", [](const Valued& x) { return Valued{x.array.copy(), x.is_value}; }, "x"_a);
  def(
      m, "astype", [](const Valued& x, DType dtype) { return Valued{x.array.astype(dtype), x.is_value}; },
      "x"_a, "dtype"_a);
  m.def(
      "view_as", [](const Valued& x, DType dtype) { return Valued{x.array.view_as(dtype), x.is_value}; },
      "x"_a, "dtype"_a);
  m.def(
      "to_device",
      [](const Valued& x, const std::string& device) {
        const int64_t start = profile_time();
        Valued there{x.array.to(device), x.is_value};
        if (start && there.array.device() != x.array.device())
          note_copy(x.array.device(), there.array.device(),
                    x.array.size() * static_cast<int64_t>(size_of(x.array.dtype())), start);
        return there;
      },
      "x"_a, "device"_a);
  m.def(
      "is_value", [](const Valued& x) { return x.is_value; }, "x"_a,
      "Whether it is one value, as NumPy's scalars are.");
  m.def(
      "as_value", [](const Valued& x) { return Valued{x.is_value ? x.array : x.array.copy(), true}; }, "x"_a,
      "What the array is at this moment, if it has rank 0 as a value.");
  m.def(
      "as_array", [](const Valued& x) { return Valued{x.array, false}; }, "x"_a,
      "The array itself; of a value a new one.");
  m.def(
      "read_only", [](const Array& x) { return Valued{x.with_access(false), false}; }, "x"_a,
      "The same elements, not to be written; a view.");
  m.def(
      "windows", [](const Array& x, int64_t window, int64_t axis) { return windows(x, window, axis); }, "x"_a,
      "window"_a, "axis"_a, "The windows along an axis, their elements along a new axis behind it; a view.");
  m.def(
      "as_strided",
      [](const Array& x, const Integers& shape, const Dims& strides) {
        return Valued{as_strided(x, shape.all("as_strided", "a shape"), strides), false};
      },
      "x"_a, "shape"_a, "strides"_a, "The elements at these strides, in elements; a view.");
  m.def(
      "diagonal", [](const Array& x) { return diagonal(x); }, "x"_a,
      "The main diagonal of the last two axes, in their place; a view.");
  m.def("shares_cell", [](const Array& x, const Array& y) { return x.shares_cell(y); }, "x"_a, "y"_a);
}

// What arrays allow and are written.
void bind_writing(nb::module_& m) {
  m.def("writable", [](const Valued& x) { return !x.is_value && x.array.writable(); }, "x"_a);
  m.def(
      "set_writable",
      [](nb::handle object, bool writable) {
        if (!is_array(object.ptr()) || is_value(object.ptr()))
          throw Error(
              "writeable: one value, as an element or a reduction to one is, can never be written to");
        Array& x = array_of(object.ptr());
        const PyObject* base = reinterpret_cast<PyArray*>(object.ptr())->base;
        if (writable && base && !array_of(const_cast<PyObject*>(base)).writable())
          throw Error("writeable: cannot set the flag of a view of what cannot be written itself");
        x = x.with_access(writable);
      },
      "x"_a, "writable"_a, "Lets the array be written to, or not; views made of it from then on are alike.");
  m.def(
      "resize",
      [](nb::handle object, const Array& grown, bool check) {
        if (!is_array(object.ptr()) || is_value(object.ptr()))
          throw Error("resize: one value cannot be resized: make an array of it with asarray()");
        if (reinterpret_cast<PyArray*>(object.ptr())->base)
          throw Error("resize: cannot resize a view, which has no memory of its own: use weft.resize()");
        if (check && array_of(object.ptr()).is_viewed())
          throw Error(
              "resize: cannot resize an array while there are views of it: use weft.resize(), or "
              "refcheck=False, "
              "which leaves them the memory as it is");
        rebind(object.ptr(), grown);
      },
      "x"_a, "grown"_a, "check"_a, "Makes the object another array.");
  def(
      m, "assign",
      [](const Valued& x, const Argument& value) {
        Array(target("assign", x)).assign(value.operand("assign"));
      },
      "x"_a, "value"_a);
  def(
      m, "put_along_axis",
      [](const Valued& x, const Array& index, const Argument& values, const Integers& axis) {
        put_along_axis(target("put_along_axis", x), index, values.operand("put_along_axis"),
                       axis.one("put_along_axis"));
      },
      "x"_a, "index"_a, "values"_a, "axis"_a);
  def(
      m, "add_along_axis",
      [](const Valued& x, const Array& index, const Argument& values, const Integers& axis) {
        add_along_axis(target("add_along_axis", x), index, values.operand("add_along_axis"),
                       axis.one("add_along_axis"));
      },
      "x"_a, "index"_a, "values"_a, "axis"_a);
  def(
      m, "put_where",
      [](const Valued& x, const Array& mask, const Argument& values) {
        put_where(target("assign", x), mask, values.operand("assign"));
      },
      "x"_a, "mask"_a, "values"_a);
}

// Arrays put together and repeated.
void bind_joining(nb::module_& m) {
  def(
      m, "roll",
      [](const Array& x, const Integers& shift, const Integers& axis) {
        return roll(x, shift.one("roll", "shift"), axis.one_or_none("roll"));
      },
      "x"_a, "shift"_a, "axis"_a.none());
  def(
      m, "tile",
      [](const Array& x, const Integers& repetitions) {
        return tile(x, repetitions.all("tile", "the number of repetitions"));
      },
      "x"_a, "repetitions"_a);
  def(
      m, "repeat",
      [](const Array& x, const Integers& count, const Integers& axis) {
        return repeat(x, count.one("repeat", "the number of repeats"), axis.one_or_none("repeat"));
      },
      "x"_a, "count"_a, "axis"_a.none());
  def(
      m, "concat",
      [](const std::vector<Array>& xs, const Integers& axis) { return concat(xs, axis.one("concat")); },
      "xs"_a, "axis"_a);
  def(
      m, "stack",
      [](const std::vector<Array>& xs, const Integers& axis) { return stack(xs, axis.one("stack")); }, "xs"_a,
      "axis"_a);
  def(
      m, "pad",
      [](const Array& x, const std::vector<std::pair<int64_t, int64_t>>& widths, const Number& value) {
        return pad(x, widths, value);
      },
      "x"_a, "widths"_a, "value"_a);
}

// Elements at positions.
void bind_picking(nb::module_& m) {
  def(
      m, "take",
      [](const Array& x, const Array& index, const Integers& axis) {
        return take(x, index, axis.one("take"));
      },
      "x"_a, "index"_a, "axis"_a);
  def(
      m, "take_along_axis",
      [](const Array& x, const Array& index, const Integers& axis) {
        return take_along_axis(x, index, axis.one("take_along_axis"));
      },
      "x"_a, "index"_a, "axis"_a);
  def(
      m, "place",
      [](const Array& values, const Array& index, const Integers& extent) {
        return place(values, index, extent.one("place", "the extent"));
      },
      "values"_a, "index"_a, "extent"_a);
  def(
      m, "check_index",
      [](const std::string& op, const Array& index, size_t axis, int64_t extent) {
        detail::check_index(op, index, axis, extent);
      },
      "op"_a, "index"_a, "axis"_a, "extent"_a, "IndexError when a position lies outside of the axis.");
  def(
      m, "check_picked", [](const Array& counts, int64_t number) { detail::check_picked(counts, number); },
      "counts"_a, "number"_a, "IndexError when a mask picks too few elements for the one at this number.");
  m.def(
      "counts_up", [](const Array& index) { return detail::counts_up(index); }, "index"_a,
      "Whether the positions are known to be 0, 1, 2 and so on.");
  def(m, "true_positions", [](const Array& mask) { return true_positions(mask); }, "mask"_a);
  def(
      m, "take_where", [](const Array& x, const Array& mask) { return take_where(x, mask); }, "x"_a,
      "mask"_a);
  def(
      m, "where",
      [](const Argument& condition, const Argument& x, const Argument& y) {
        return where(condition.operand("where"), x.operand("where"), y.operand("where"));
      },
      "condition"_a, "x"_a, "y"_a);
}

// What the host answers where the elements lie.
void bind_counting(nb::module_& m) {
  def(m, "sort", [](const Array& x, int64_t axis) { return sort(x, axis); }, "x"_a, "axis"_a);
  def(m, "argsort", [](const Array& x, int64_t axis) { return argsort(x, axis); }, "x"_a, "axis"_a);
  def(m, "sorts_on_gpu", &detail::sorts_on_gpu, "x"_a, "axis"_a);
  m.def(
      "counts_on_host",
      [](const Array& x, int64_t at_least) {
        const std::optional<Array> counts = detail::counts_on_host(x, at_least);
        return counts ? nb::cast(*counts) : nb::none();
      },
      "x"_a, "at_least"_a,
      "How often 0, 1, 2 and so on occur; None for what is no axis of integers up to a few millions.");
  m.def(
      "sums_on_host",
      [](const Array& x, const Array& weights, int64_t at_least) {
        const std::optional<Array> sums = detail::sums_on_host(x, weights, at_least);
        return sums ? nb::cast(*sums) : nb::none();
      },
      "x"_a, "weights"_a, "at_least"_a,
      "The sums of the weights given to 0, 1, 2 and so on; None where counts_on_host() says so, and for "
      "other weights.");
}

// Whether one of the arrays among the values, and in lists and tuples among them, is none to look at.
bool has_no_value(PyObject* values, bool records) {
  PyObject* const* const items = PySequence_Fast_ITEMS(values);
  return std::any_of(items, items + PySequence_Fast_GET_SIZE(values), [&](PyObject* one) {
    if (PyList_Check(one) || PyTuple_Check(one)) return has_no_value(one, records);
    if (!is_array(one)) return false;
    const Array& x = array_of(one);
    return (records && detail::depends_on_arguments(x)) || is_derived(x);
  });
}

// What is known while a function is recorded.
void bind_recording(nb::module_& m) {
  m.def("records", [] { return detail::records_cells(); }, "Whether a function is being recorded.");
  m.def(
      "depends_on_arguments", [](const Array& x) { return detail::depends_on_arguments(x); }, "x"_a,
      "Whether the value is not known before the function that is being recorded is called.");
  m.def(
      "have_no_value",
      [](nb::handle values) {
        if (!PyList_Check(values.ptr()) && !PyTuple_Check(values.ptr()))
          throw TypeError("have_no_value: takes a list or a tuple");
        return has_no_value(values.ptr(), detail::records_cells());
      },
      "values"_a,
      "Whether one of the arrays among them, and in lists and tuples among them, depends on the arguments of "
      "the function that is being "
      "recorded, or derivatives are wanted of it.");
  m.def(
      "same_value", [](const Array& x, const Array& y) { return detail::same_value(x, y); }, "x"_a, "y"_a,
      "Whether two arrays are certain to have the same elements, as far as how they were made says so.");
}

}  // namespace

void bind_shaping(nb::module_& m) {
  bind_views(m);
  bind_writing(m);
  bind_joining(m);
  bind_picking(m);
  bind_recording(m);
  bind_counting(m);
}

}  // namespace weft::python
