// Threads that are still at work when the interpreter ends. Up to 3.13, Python ends one that then asks for
// the interpreter's lock, or runs Python code, by unwinding its stack: through frames of C++ that forbid it,
// so that the process aborts, and whose destructors touch objects without the lock. Here such a thread waits
// for the process to end, as all do from 3.14 on.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace weft::python {

// To be called by a thread that comes back with a state of an interpreter that may be gone.
inline void wait_if_ended() {
  if (Py_IsInitialized() || getpid() == gettid()) return;
  for (;;) pause();
}

// f(), which may take the interpreter's lock or run Python code for long; never returns once the interpreter
// ends.
template <class F>
decltype(auto) or_wait_for_the_end(F&& f) {
  try {
    return f();
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

}  // namespace weft::python
