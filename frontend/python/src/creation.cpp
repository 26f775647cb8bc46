#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

Make make(const std::optional<DType>& dtype, const std::string& device) {
  Make m;
  m.dtype = dtype;
  m.device = device;
  return m;
}

}  // namespace

void bind_creation(nb::module_& m) {
  using MaybeDType = std::optional<DType>;
  m.def(
      "full",
      [](const Integers& shape, const Number& value, const MaybeDType& dtype, const std::string& device) {
        const PythonLine line;
        return Valued{full(shape.all("full", "a shape"), value, make(dtype, device)), false};
      },
      "shape"_a, "value"_a, "dtype"_a.none(), "device"_a);
  m.def(
      "arange",
      [](const Number& start, const Number& stop, const Number& step, const MaybeDType& dtype,
         const std::string& device) {
        const PythonLine line;
        return arange(start, stop, step, make(dtype, device));
      },
      "start"_a, "stop"_a, "step"_a, "dtype"_a.none(), "device"_a);
  m.def(
      "linspace",
      [](const Number& start, const Number& stop, int64_t count, bool endpoint, const MaybeDType& dtype,
         const std::string& device) {
        const PythonLine line;
        return linspace(start, stop, count, endpoint, make(dtype, device));
      },
      "start"_a, "stop"_a, "count"_a, "endpoint"_a, "dtype"_a.none(), "device"_a);
  m.def(
      "eye",
      [](int64_t rows, int64_t columns, int64_t k, const MaybeDType& dtype, const std::string& device) {
        const PythonLine line;
        return eye(rows, columns, k, make(dtype, device));
      },
      "rows"_a, "columns"_a, "k"_a, "dtype"_a.none(), "device"_a);
  m.def(
      "tri",
      [](int64_t rows, int64_t columns, int64_t k, const MaybeDType& dtype, const std::string& device) {
        const PythonLine line;
        return tri(rows, columns, k, make(dtype, device));
      },
      "rows"_a, "columns"_a, "k"_a, "dtype"_a.none(), "device"_a);
  m.def(
      "tril",
      [](const Argument& x, const Integers& k) {
        const PythonLine line;
        return tril(x.operand("tril"), k.one("tril", "k"));
      },
      "x"_a, "k"_a);
  m.def(
      "triu",
      [](const Argument& x, const Integers& k) {
        const PythonLine line;
        return triu(x.operand("triu"), k.one("triu", "k"));
      },
      "x"_a, "k"_a);
  m.def(
      "iota",
      [](const Dims& shape, int64_t axis, const std::string& device) {
        const PythonLine line;
        return iota(shape, axis, make({}, device));
      },
      "shape"_a, "axis"_a, "device"_a = "");
}

}  // namespace weft::python
