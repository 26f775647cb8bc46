// An interruption as an exception of Python's, where C code may drop the exception and go on: NumPy does so with what an
// array's buffer raises.
#pragma once

#include <Python.h>

namespace weft::python {

void bind_interruption();

// Handles the signal that waits, so that KeyboardInterrupt, or what its handler raises, is set. An exception that is dropped
// before a line of Python has seen it sends the signal again.
void set_interruption();

}  // namespace weft::python
