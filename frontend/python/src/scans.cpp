#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

void bind_scans(nb::module_& m) {
  const auto add = [&](const char* name,
                       Array (*f)(const Operand&, std::optional<int64_t>, std::optional<DType>, bool)) {
    m.def(
        name,
        [f, name](const Argument& x, const Integers& axis, const std::optional<DType>& dtype,
                  bool include_initial) {
          const PythonLine line;
          return f(x.operand(name), axis.one(name), dtype, include_initial);
        },
        "x"_a, "axis"_a, "dtype"_a.none(), "include_initial"_a);
  };
  add("cumulative_sum", cumulative_sum);
  add("cumulative_prod", cumulative_prod);
  const auto add_extremum = [&](const char* name, Array (*f)(const Operand&, std::optional<int64_t>)) {
    m.def(
        name,
        [f, name](const Argument& x, const Integers& axis) {
          const PythonLine line;
          return f(x.operand(name), axis.one(name));
        },
        "x"_a, "axis"_a);
  };
  add_extremum("cumulative_max", cumulative_max);
  add_extremum("cumulative_min", cumulative_min);
}

}  // namespace weft::python
