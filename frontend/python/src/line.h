// Which Python line records: the innermost frame outside of the package, looked up without walking line
// tables twice.
#pragma once

#include <nanobind/nanobind.h>

#include "compiler/ir/lines.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/weft/array.h"

namespace weft::python {

// While it lives, what this thread records comes from the Python line that is running.
class PythonLine {
 public:
  PythonLine();

 private:
  LineScope scope_;
};

// That line.
ir::SourceLine python_line();

// Whether lines have their callers from now on, which costs a look at each frame. WEFT_CALLERS says it at the start.
void note_callers(bool note);
bool notes_callers();

// While it lives, this thread looks at values, as the user's line asks for: by the function of the package that the line
// calls, or else by what is named here.
class PythonAsked {
 public:
  explicit PythonAsked(const char* by);

 private:
  detail::AskedScope scope_;
};

// Frames of code in this folder are passed over.
void bind_lines(nanobind::module_& m);

}  // namespace weft::python
