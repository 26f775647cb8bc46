#include "compiler/blocks/in_order.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace weft::blocks {

using plan::RowProgram;
using plan::Stmt;

namespace {

bool is_one_body(const RowProgram& p) {
  return p.ordered && p.outer_count() == 1 && p.accumulators.empty() && p.sweeps.size() == 1 &&
         p.sweeps[0].before.empty() && p.sweeps[0].after_section.empty() && p.epilogue.empty() &&
         p.after.empty();
}

bool loads_before_it_stores(const std::vector<Stmt>& body) {
  return std::ranges::none_of(body, [&](const Stmt& s) {
    if (const auto* let = std::get_if<plan::Let>(&s)) return let->function != nullptr;
    const auto* load = std::get_if<plan::Load>(&s);
    return load && std::ranges::any_of(body, [&](const Stmt& other) {
             const auto* store = std::get_if<plan::Store>(&other);
             return store && store->buffer == load->buffer;
           });
  });
}

}  // namespace

bool is_map_in_order(const RowProgram& program) {
  return is_one_body(program) && loads_before_it_stores(program.sweeps[0].body);
}

RowProgram map_in_order(const RowProgram& program) {
  RowProgram out = program;
  const auto points = static_cast<int>(out.outer.size());
  out.outer = std::move(out.row);
  out.row.clear();
  out.ordered = false;
  out.section_axes = 0;
  for (Stmt& s : out.sweeps[0].body) {
    plan::Index* const at = plan::index_of(s);
    if (!at) continue;
    std::erase_if(at->axes, [&](const auto& term) { return term.axis < points; });  // of one position each
    for (auto& term : at->axes) term.axis -= points;
  }
  return out;
}

}  // namespace weft::blocks
