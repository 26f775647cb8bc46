// The module weft._core: what the package's Python files are made of.
#include "frontend/python/src/module.h"

#include "frontend/python/src/dtypes.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/operand.h"
#include "frontend/python/src/python_array.h"
#include "frontend/python/src/refusals.h"

NB_MODULE(_core, m) {
  using namespace weft::python;
  nanobind::set_leak_warnings(false);  // what lives until the interpreter ends is no leak
  bind_errors(m);
  bind_lines(m);
  bind_dtypes(m);
  bind_operands(m);
  bind_array_type(m);
  bind_indexing(m);
  bind_map_functions(m);
  bind_creation(m);
  bind_memory(m);
  bind_random(m);
  bind_reductions(m);
  bind_shaping(m);
  bind_products(m);
  bind_compiled(m);
  bind_scans(m);
  bind_devices(m);
  bind_streams(m);
  bind_session(m);
  bind_dlpack(m);
  word_refusals(m);
}
