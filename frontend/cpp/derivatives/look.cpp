#include "frontend/cpp/derivatives/look.h"

#include "compiler/base/error.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/evaluate.h"

namespace weft::detail {

void check_look(std::string_view op, const Array& x) {
  if (!keeps_past() || !derive::has_tangents(x.dtype())) return;
  const ir::NodeRef value = Access::cell(x)->memory();
  // Memory that others write to becomes the array's value, which then comes from nothing.
  const bool lends = op == "lend_to_write";
  if (op == "item" ? may_show(value) : !(lends ? has_past(value) : is_derived(value))) return;
  const bool is_memory =
      lends || op == "lend" || op == "look" || op == "copy_to";  // what NumPy and others take
  throw Error(
      std::string(is_memory ? "memory" : op) +
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
