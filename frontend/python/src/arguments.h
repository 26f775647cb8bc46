// nanobind's view of what the C++ functions take: operands, arrays or numbers, kept alive for the call.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

inline Axes axes_of(const char* op, const Integers& axes) {
  return axes.is_none() ? Axes() : Axes(axes.axes(op));
}

}  // namespace weft::python
