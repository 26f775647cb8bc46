// The streams that the running context chose, put in force while the thread works without the interpreter's
// lock.
#pragma once

namespace weft::python {

// With the interpreter's lock; and at the end of the work.
void enter_streams();
void leave_streams();

}  // namespace weft::python
