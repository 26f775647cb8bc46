#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

void bind_products(nb::module_& m) {
  const auto add = [&](const char* name, Array (*f)(const Operand&, const Operand&)) {
    m.def(
        name,
        [f, name](const Argument& a, const Argument& b) {
          const PythonLine line;
          return f(a.operand(name), b.operand(name));
        },
        "a"_a, "b"_a);
  };
  add("matmul", matmul);
  add("dot", dot);
  add("outer", outer);
  m.def(
      "tensordot",
      [](const Argument& a, const Argument& b, const Integers& a_axes, const Integers& b_axes) {
        const PythonLine line;
        return tensordot(a.operand("tensordot"), b.operand("tensordot"), a_axes.all("tensordot"),
                         b_axes.all("tensordot"));
      },
      "a"_a, "b"_a, "a_axes"_a, "b_axes"_a);
  m.def(
      "vecdot",
      [](const Argument& a, const Argument& b, const Integers& axis) {
        const PythonLine line;
        return vecdot(a.operand("vecdot"), b.operand("vecdot"), axis.one("vecdot"));
      },
      "a"_a, "b"_a, "axis"_a);
  m.def(
      "einsum",
      [](const std::string& subscripts, const std::vector<Array>& xs) {
        const PythonLine line;
        return einsum(subscripts, xs);
      },
      "subscripts"_a, "xs"_a);
  m.def("can_solve", &can_solve, "a"_a, "b"_a);
  m.def(
      "solve",
      [](const Array& a, const Array& b) {
        const PythonLine line;
        return solve(a, b);
      },
      "a"_a, "b"_a);
}

}  // namespace weft::python
