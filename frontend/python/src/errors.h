// Exceptions between C++ and Python: weft::TypeError, IndexError and OverflowError are Python's own; every
// other Error is weft.Error, which is a ValueError too.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void bind_errors(nanobind::module_& m);
// Sets the Python error for the exception that is being handled.
void set_python_error() noexcept;

// Drops the Python error that is set. What is no Exception, as KeyboardInterrupt, is thrown instead.
void drop_error();
// The same for the exception that is being handled, where a refusal follows that tells what is no Exception.
void drop_error_before_refusal() noexcept;
// Sets the Python error that the refusal tells instead of its own, if there is one.
bool set_error_before_refusal() noexcept;

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
