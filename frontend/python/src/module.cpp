// The module weft._core: what the package's Python files are made of.
#include "frontend/python/src/module.h"

#include <atomic>

#include "frontend/python/src/dtypes.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/interruption.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/operand.h"
#include "frontend/python/src/python_array.h"
#include "frontend/python/src/refusals.h"

// Named otherwise than the extension, whose entry, below, refuses before nanobind touches what the process
// shares.
NB_MODULE(weft_core, m) {
  using namespace weft::python;
  nanobind::set_leak_warnings(false);  // what lives until the interpreter ends is no leak
  bind_errors(m);
  bind_lines(m);
  bind_dtypes(m);
  bind_operands(m);
  bind_array_type(m);
  bind_indexing(m);
  bind_operators(m);
  bind_map_functions(m);
  bind_creation(m);
  bind_memory(m);
  bind_interruption();
  bind_buffers(m);
  bind_random(m);
  bind_reductions(m);
  bind_shaping(m);
  bind_fourier(m);
  bind_linear_algebra(m);
  bind_products(m);
  bind_compiled(m);
  bind_derivatives(m);
  bind_loops(m);
  bind_functions(m);
  bind_scans(m);
  bind_devices(m);
  bind_streams(m);
  bind_session(m);
  bind_arrow(m);
  bind_profile(m);
  bind_dlpack(m);
  word_refusals(m);
  m.attr("version") = WEFT_VERSION;
}

// Types, the session and nanobind's own tables are the process's: a second interpreter would have objects of
// the first one's types.
static int refuse_second_interpreter(PyObject*) {
  static std::atomic<int64_t> first = -1;
  const int64_t here = PyInterpreterState_GetID(PyInterpreterState_Get());
  int64_t loaded_by = -1;
  if (first.compare_exchange_strong(loaded_by, here) || loaded_by == here) return 0;
  PyErr_SetString(
      PyExc_ImportError,
      "weft: one interpreter of a process can load it, and another one has: import it there, or use "
      "processes");
  return -1;
}

// The question comes before nanobind fills the module, which is done in the interpreter that imports: since
// Python 3.13 this function itself is called in the process's first one.
//
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming): Python makes the name
extern "C" NB_EXPORT PyObject* PyInit__core() {
  static PyModuleDef_Slot slots[16] = {{Py_mod_exec, reinterpret_cast<void*>(refuse_second_interpreter)}};
  PyObject* module = PyInit_weft_core();
  if (!module || !PyObject_TypeCheck(module, &PyModuleDef_Type)) return module;
  auto* definition = reinterpret_cast<PyModuleDef*>(module);
  if (definition->m_slots == slots) return module;
  size_t count = 1;
  for (const PyModuleDef_Slot* slot = definition->m_slots; slot->slot; ++slot) slots[count++] = *slot;
  definition->m_slots = slots;
  return module;
}
