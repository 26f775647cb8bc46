#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

using Plain = Array (*)(const Operand&, const Axes&, bool);

// Whether the only axis is the first or the last of one value, which NumPy's reductions take, but for means.
bool is_axis_of_one_value(const Operand& x, const Axes& axes) {
  const bool one_value = !x.array() || x.array()->ndim() == 0;
  return one_value && axes.list() && (*axes.list() == Dims{0} || *axes.list() == Dims{-1});
}

void add(nb::module_& m, const char* name, Plain f, bool of_one_value = true) {
  m.def(
      name,
      [f, name, of_one_value](const Argument& x, const Integers& axes, const Flag& keepdims) {
        const PythonLine line;
        const Operand operand = x.operand(name);
        Axes along = axes_of(name, axes);
        if (of_one_value && axes.is_one() && is_axis_of_one_value(operand, along)) along = Axes();
        return f(operand, along, keepdims.is(name));
      },
      "x"_a, "axis"_a.none(), "keepdims"_a.none());
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
  add(m, "mean", mean, false);
  add(m, "logsumexp", logsumexp, false);
  m.def(
      "var",
      [](const Argument& x, const Integers& axes, double correction, const Flag& keepdims) {
        const PythonLine line;
        return var(x.operand("var"), axes_of("var", axes), correction, keepdims.is("var"));
      },
      "x"_a, "axis"_a.none(), "correction"_a, "keepdims"_a.none());
  m.def(
      "std",
      [](const Argument& x, const Integers& axes, double correction, const Flag& keepdims) {
        const PythonLine line;
        return stddev(x.operand("std"), axes_of("std", axes), correction, keepdims.is("std"));
      },
      "x"_a, "axis"_a.none(), "correction"_a, "keepdims"_a.none());
  m.def(
      "softmax",
      [](const Argument& x, const Integers& axes) {
        const PythonLine line;
        return softmax(x.operand("softmax"), axes_of("softmax", axes));
      },
      "x"_a, "axis"_a.none());
  m.def(
      "log_softmax",
      [](const Argument& x, const Integers& axes) {
        const PythonLine line;
        return log_softmax(x.operand("log_softmax"), axes_of("log_softmax", axes));
      },
      "x"_a, "axis"_a.none());
}

}  // namespace weft::python
