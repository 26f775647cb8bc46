#include <nanobind/stl/pair.h>

#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

void bind_shaping(nb::module_& m) {
  m.def(
      "reshape",
      [](const Array& x, nb::handle shape) {
        const PythonLine line;
        return x.reshape(shape_from("reshape", shape));
      },
      "x"_a, "shape"_a);
  m.def("permute_dims", permute_dims, "x"_a, "axes"_a);
  m.def("expand_dims", expand_dims, "x"_a, "axis"_a);
  m.def("squeeze", squeeze, "x"_a, "axes"_a.none());
  m.def("flip", flip, "x"_a, "axes"_a.none());
  m.def("broadcast_to", broadcast_to, "x"_a, "shape"_a);
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
        Array(x).assign(value.operand());
      },
      "x"_a, "value"_a);
  m.def(
      "roll",
      [](const Array& x, int64_t shift, std::optional<int64_t> axis) {
        const PythonLine line;
        return roll(x, shift, axis);
      },
      "x"_a, "shift"_a, "axis"_a.none());
  m.def(
      "tile",
      [](const Array& x, const Dims& repetitions) {
        const PythonLine line;
        return tile(x, repetitions);
      },
      "x"_a, "repetitions"_a);
  m.def(
      "repeat",
      [](const Array& x, int64_t count, std::optional<int64_t> axis) {
        const PythonLine line;
        return repeat(x, count, axis);
      },
      "x"_a, "count"_a, "axis"_a.none());
  m.def(
      "concat",
      [](const std::vector<Array>& xs, int64_t axis) {
        const PythonLine line;
        return concat(xs, axis);
      },
      "xs"_a, "axis"_a);
  m.def(
      "stack",
      [](const std::vector<Array>& xs, int64_t axis) {
        const PythonLine line;
        return stack(xs, axis);
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
      [](const Array& x, const Array& index, int64_t axis) {
        const PythonLine line;
        return take(x, index, axis);
      },
      "x"_a, "index"_a, "axis"_a);
  m.def(
      "take_along_axis",
      [](const Array& x, const Array& index, int64_t axis) {
        const PythonLine line;
        return take_along_axis(x, index, axis);
      },
      "x"_a, "index"_a, "axis"_a);
  m.def(
      "put_along_axis",
      [](const Array& x, const Array& index, const Argument& values, int64_t axis) {
        const PythonLine line;
        put_along_axis(x, index, values.operand(), axis);
      },
      "x"_a, "index"_a, "values"_a, "axis"_a);
  m.def(
      "where",
      [](const Argument& condition, const Argument& x, const Argument& y) {
        const PythonLine line;
        return where(condition.operand(), x.operand(), y.operand());
      },
      "condition"_a, "x"_a, "y"_a);
}

}  // namespace weft::python
