// Exceptions between C++ and Python: weft::TypeError, IndexError and OverflowError are Python's own; every
// other Error is weft.Error, which is a ValueError too.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void bind_errors(nanobind::module_& m);
// Sets the Python error for the exception that is being handled.
void set_python_error() noexcept;

// f(), or `failed` with the Python error set.
template <class F>
auto guarded(F&& f, decltype(f()) failed = {}) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

}  // namespace weft::python
