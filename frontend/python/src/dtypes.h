// NumPy's dtypes and Weft's. NumPy is imported when the first dtype is asked for, not before.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "compiler/base/dtype.h"

namespace weft::python {

// The module numpy, imported on first use.
nanobind::handle numpy();
// numpy if it has been imported by anyone, else null: without it no object of its can exist.
PyObject* numpy_if_imported();

// numpy.dtype objects, one for each dtype; borrowed.
PyObject* dtype_object(DType dtype);
// The dtype that NumPy's, Python's types or a name stand for; TypeError for those that Weft has not.
DType dtype_from(PyObject* object);

void bind_dtypes(nanobind::module_& m);

}  // namespace weft::python

namespace nanobind::detail {

template <>
struct type_caster<weft::DType> {
  NB_TYPE_CASTER(weft::DType, const_name("numpy.dtype"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept;
  static handle from_cpp(weft::DType dtype, rv_policy, cleanup_list*) noexcept;
};

}  // namespace nanobind::detail
