#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

using Plain = Array (*)(const Operand&, const Axes&, bool);

void add(nb::module_& m, const char* name, Plain f) {
  m.def(
      name,
      [f](const Argument& x, const std::optional<Dims>& axes, bool keepdims) {
        const PythonLine line;
        return f(x.operand(), axes_of(axes), keepdims);
      },
      "x"_a, "axis"_a.none(), "keepdims"_a);
}

}  // namespace

void bind_reductions(nb::module_& m) {
  add(m, "sum", sum);
  add(m, "prod", prod);
  add(m, "max", max);
  add(m, "min", min);
  add(m, "any", any);
  add(m, "all", all);
  add(m, "count_nonzero", count_nonzero);
  add(m, "argmax", argmax);
  add(m, "argmin", argmin);
  add(m, "mean", mean);
  add(m, "logsumexp", logsumexp);
  m.def(
      "var",
      [](const Argument& x, const std::optional<Dims>& axes, double correction, bool keepdims) {
        const PythonLine line;
        return var(x.operand(), axes_of(axes), correction, keepdims);
      },
      "x"_a, "axis"_a.none(), "correction"_a, "keepdims"_a);
  m.def(
      "std",
      [](const Argument& x, const std::optional<Dims>& axes, double correction, bool keepdims) {
        const PythonLine line;
        return stddev(x.operand(), axes_of(axes), correction, keepdims);
      },
      "x"_a, "axis"_a.none(), "correction"_a, "keepdims"_a);
  m.def(
      "softmax",
      [](const Argument& x, const std::optional<Dims>& axes) {
        const PythonLine line;
        return softmax(x.operand(), axes_of(axes));
      },
      "x"_a, "axis"_a.none());
  m.def(
      "log_softmax",
      [](const Argument& x, const std::optional<Dims>& axes) {
        const PythonLine line;
        return log_softmax(x.operand(), axes_of(axes));
      },
      "x"_a, "axis"_a.none());
}

}  // namespace weft::python
