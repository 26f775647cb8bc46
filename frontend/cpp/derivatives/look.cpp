#include "frontend/cpp/derivatives/look.h"

#include "compiler/base/error.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/evaluate.h"

namespace weft::detail {

void check_look(std::string_view op, const Array& x) {
  if (!keeps_past() || !derive::has_tangents(x.dtype())) return;
  if (!is_derived(Access::cell(x)->memory())) return;
  throw Error(
      std::string(op) +
      ": looks at numbers that derivatives are wanted of, and what is made of them would have none: got " +
      std::string(name(x.dtype())) + to_string(x.shape()) +
      ": compute with the array, or look at stop_gradient() of it");
}

Array forgotten(const Array& x) {
  const Array whole = Access::view(x) ? x.copy() : x;
  Cell& cell = *Access::cell(whole);
  return record(cell.device, input_node(cell.type, materialized(cell)), kInMemory);
}

}  // namespace weft::detail
