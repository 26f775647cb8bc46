#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

void bind_products(nb::module_& m) {
  const auto add = [&](const char* name, Array (*f)(const Operand&, const Operand&)) {
    m.def(
        name,
        [f](const Argument& a, const Argument& b) {
          const PythonLine line;
          return f(a.operand(), b.operand());
        },
        "a"_a, "b"_a);
  };
  add("matmul", matmul);
  add("dot", dot);
  add("outer", outer);
  m.def(
      "tensordot",
      [](const Argument& a, const Argument& b, const Dims& a_axes, const Dims& b_axes) {
        const PythonLine line;
        return tensordot(a.operand(), b.operand(), a_axes, b_axes);
      },
      "a"_a, "b"_a, "a_axes"_a, "b_axes"_a);
  m.def(
      "vecdot",
      [](const Argument& a, const Argument& b, int64_t axis) {
        const PythonLine line;
        return vecdot(a.operand(), b.operand(), axis);
      },
      "a"_a, "b"_a, "axis"_a);
}

}  // namespace weft::python
