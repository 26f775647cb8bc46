#include "frontend/cpp/evaluate/see_costs.h"

#include <fmt/format.h>

#include <variant>

#include "compiler/base/dtype.h"

namespace weft::detail {

namespace {

// Smaller arrays cost nothing that anybody would notice.
constexpr int64_t kWorthSaying = 1 << 12;

bool is_narrow_float(DType t) { return kind(t) == DTypeKind::Float && size_of(t) < size_of(DType::F64); }

// A float array that became f64 on its way: all that follows moves twice the bytes, or more.
void see_widening(const ir::Node& node, CostsSeen& seen) {
  if (node.op != ir::Op::cast || node.dtype() != DType::F64 || !is_narrow_float(node.inputs[0]->dtype()))
    return;
  if (element_count(node.shape()) < kWorthSaying) return;
  const std::string from(name(node.inputs[0]->dtype()));
  seen.add(
      {"widened", node.lines.all(),
       fmt::format(
           "an array of {0} becomes f64 here, and what follows moves {1} times the bytes: give the other "
           "operand as {0} (a plain Python number, or .astype), unless f64 is meant",
           from, size_of(DType::F64) / size_of(node.inputs[0]->dtype()))});
}

}  // namespace

void see_costs(const Canonical& graph, const Program& program, const runtime::LinesNow* lines,
               CostsSeen& seen) {
  for (const ir::Node* node : graph.order) see_widening(*node, seen);
  for (const ProgramStep& step : program.steps) {
    const auto* k = std::get_if<KernelStep>(&step);
    if (!k || k->launch.finish_tasks == 0) continue;
    seen.add(
        {"split reduction", lines ? (*lines)(k->origin.lines) : k->origin.lines,
         fmt::format(
             "{}: few long rows are cut into parts, which a second launch joins: reduce several arrays in "
             "one program (one eval), so that they share both launches",
             k->origin.ops)});
  }
}

}  // namespace weft::detail
