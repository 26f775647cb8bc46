// nanobind's view of what the C++ functions take: operands, arrays or numbers, kept alive for the call.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "frontend/python/src/dtypes.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/operand.h"
#include "frontend/python/src/shapes.h"

namespace nanobind::detail {

template <>
struct type_caster<weft::python::Argument> {
  NB_TYPE_CASTER(weft::python::Argument, const_name("Array | complex"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    value.take(source.ptr());
    return true;
  }
};

}  // namespace nanobind::detail

namespace weft::python {

using namespace nb::literals;

// A function of the module that records: what it records is of the line of Python that calls it.
template <class F, class... Extra>
void def(nb::module_& m, const char* name, F f, const Extra&... extra) {
  const auto under_line = []<class R, class... Args>(R (*g)(Args...)) {
    return [g](Args... args) -> R {
      const PythonLine line;
      return g(std::forward<Args>(args)...);
    };
  };
  m.def(name, under_line(+f), extra...);
}

inline Axes axes_of(const char* op, const Integers& axes) {
  return axes.is_none() ? Axes() : Axes(axes.axes(op));
}

}  // namespace weft::python
