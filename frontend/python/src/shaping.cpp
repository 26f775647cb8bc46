#include <nanobind/stl/pair.h>

#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

void bind_shaping(nb::module_& m) {
  m.def(
      "reshape",
      [](const Array& x, const Integers& shape) {
        const PythonLine line;
        return x.reshape(shape.all("reshape", "a shape"));
      },
      "x"_a, "shape"_a);
  m.def(
      "permute_dims",
      [](const Array& x, const Integers& axes) {
        const PythonLine line;
        return permute_dims(x, axes.all("permute_dims"));
      },
      "x"_a, "axes"_a);
  m.def(
      "expand_dims",
      [](const Array& x, const Integers& axis) {
        const PythonLine line;
        return expand_dims(x, axis.one("expand_dims"));
      },
      "x"_a, "axis"_a);
  m.def(
      "squeeze",
      [](const Array& x, const Integers& axes) {
        const PythonLine line;
        return squeeze(x, axes.all_or_none("squeeze"));
      },
      "x"_a, "axes"_a.none());
  m.def(
      "flip",
      [](const Array& x, const Integers& axes) {
        const PythonLine line;
        return flip(x, axes.all_or_none("flip"));
      },
      "x"_a, "axes"_a.none());
  m.def(
      "broadcast_to",
      [](const Array& x, const Integers& shape) {
        const PythonLine line;
        return broadcast_to(x, shape.all("broadcast_to", "a shape"));
      },
      "x"_a, "shape"_a);
  m.def(
      "copy",
      [](const Array& x) {
        const PythonLine line;
        return x.copy();
      },
      "x"_a);
  m.def(
      "astype",
      [](const Array& x, DType dtype) {
        const PythonLine line;
        return x.astype(dtype);
      },
      "x"_a, "dtype"_a);
  m.def("view_as", [](const Array& x, DType dtype) { return x.view_as(dtype); }, "x"_a, "dtype"_a);
  m.def(
      "to_device", [](const Array& x, const std::string& device) { return x.to(device); }, "x"_a, "device"_a);
  m.def("writable", [](const Array& x) { return x.writable(); }, "x"_a);
  m.def("shares_cell", [](const Array& x, const Array& y) { return x.shares_cell(y); }, "x"_a, "y"_a);
  m.def(
      "assign",
      [](const Array& x, const Argument& value) {
        const PythonLine line;
        Array(x).assign(value.operand("assign"));
      },
      "x"_a, "value"_a);
  m.def(
      "roll",
      [](const Array& x, const Integers& shift, const Integers& axis) {
        const PythonLine line;
        return roll(x, shift.one("roll", "shift"), axis.one_or_none("roll"));
      },
      "x"_a, "shift"_a, "axis"_a.none());
  m.def(
      "tile",
      [](const Array& x, const Integers& repetitions) {
        const PythonLine line;
        return tile(x, repetitions.all("tile", "the number of repetitions"));
      },
      "x"_a, "repetitions"_a);
  m.def(
      "repeat",
      [](const Array& x, const Integers& count, const Integers& axis) {
        const PythonLine line;
        return repeat(x, count.one("repeat", "the number of repeats"), axis.one_or_none("repeat"));
      },
      "x"_a, "count"_a, "axis"_a.none());
  m.def(
      "concat",
      [](const std::vector<Array>& xs, const Integers& axis) {
        const PythonLine line;
        return concat(xs, axis.one("concat"));
      },
      "xs"_a, "axis"_a);
  m.def(
      "stack",
      [](const std::vector<Array>& xs, const Integers& axis) {
        const PythonLine line;
        return stack(xs, axis.one("stack"));
      },
      "xs"_a, "axis"_a);
  m.def(
      "pad",
      [](const Array& x, const std::vector<std::pair<int64_t, int64_t>>& widths, const Number& value) {
        const PythonLine line;
        return pad(x, widths, value);
      },
      "x"_a, "widths"_a, "value"_a);
  m.def(
      "take",
      [](const Array& x, const Array& index, const Integers& axis) {
        const PythonLine line;
        return take(x, index, axis.one("take"));
      },
      "x"_a, "index"_a, "axis"_a);
  m.def(
      "take_along_axis",
      [](const Array& x, const Array& index, const Integers& axis) {
        const PythonLine line;
        return take_along_axis(x, index, axis.one("take_along_axis"));
      },
      "x"_a, "index"_a, "axis"_a);
  m.def(
      "put_along_axis",
      [](const Array& x, const Array& index, const Argument& values, const Integers& axis) {
        const PythonLine line;
        put_along_axis(x, index, values.operand("put_along_axis"), axis.one("put_along_axis"));
      },
      "x"_a, "index"_a, "values"_a, "axis"_a);
  m.def(
      "take_where",
      [](const Array& x, const Array& mask) {
        const PythonLine line;
        return take_where(x, mask);
      },
      "x"_a, "mask"_a);
  m.def(
      "put_where",
      [](const Array& x, const Array& mask, const Argument& values) {
        const PythonLine line;
        put_where(x, mask, values.operand("assign"));
      },
      "x"_a, "mask"_a, "values"_a);
  m.def(
      "where",
      [](const Argument& condition, const Argument& x, const Argument& y) {
        const PythonLine line;
        return where(condition.operand("where"), x.operand("where"), y.operand("where"));
      },
      "condition"_a, "x"_a, "y"_a);
}

}  // namespace weft::python
