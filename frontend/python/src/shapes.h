// Shapes and axis lists as Python has them: an integer or a sequence of integers, and tuples.
#pragma once

#include <nanobind/nanobind.h>

#include "compiler/base/shape.h"

namespace weft::python {

nanobind::object tuple_of(const Dims& dims);
// TypeError for what is neither an integer nor a sequence of them.
Dims dims_from(PyObject* object);
// The same for an op's shape, which the error names.
Dims shape_from(const char* op, nanobind::handle object);

}  // namespace weft::python

namespace nanobind::detail {

template <>
struct type_caster<weft::Dims> {
  NB_TYPE_CASTER(weft::Dims, const_name("int | tuple[int, ...]"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept;
  static handle from_cpp(const weft::Dims& dims, rv_policy, cleanup_list*) noexcept;
};

}  // namespace nanobind::detail
