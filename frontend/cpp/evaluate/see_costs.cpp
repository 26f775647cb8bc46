#include "frontend/cpp/evaluate/see_costs.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "compiler/base/dtype.h"
#include "compiler/ir/function.h"

namespace weft::detail {

namespace {

// Smaller arrays cost nothing that anybody would notice.
constexpr int64_t kWorthSaying = 1 << 12;
// A reduction gives so many times fewer bytes than it reads.
constexpr int64_t kFewResults = 8;

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

// A costly value that is read shifted: it is written, and read again, where neighbours cost less to compute twice.
void see_stored_stencils(std::span<const ir::Node* const> nodes, const Program& program, CostsSeen& seen) {
  constexpr std::string_view kReason = ": it is read at many positions";
  if (program.explanation.find(kReason) == std::string::npos) return;
  for (const ir::Node* node : nodes) {
    if (element_count(node->shape()) < kWorthSaying) continue;
    const std::string edge =
        fmt::format("\nnot fused: {} : {}{} at {} -> ", ir::called(*node), name(node->dtype()),
                    to_string(node->shape()), ir::to_string(node->lines));
    const size_t at = program.explanation.find(edge);
    if (at == std::string::npos) continue;
    const size_t end = program.explanation.find('\n', at + 1);
    if (program.explanation.substr(at, end - at).find(kReason) == std::string::npos) continue;
    seen.add({"stored stencil", node->lines.all(),
              fmt::format("{0} is costly and read at many positions, so a kernel of its own stores it first: "
                          "where the math "
                          "allows, shift what {0} is computed of, and compute it once of the result",
                          ir::called(*node))});
  }
}

}  // namespace

void see_costs(std::span<const ir::Node* const> nodes, const Program& program, const runtime::LinesNow* lines,
               CostsSeen& seen) {
  for (const ir::Node* node : nodes) see_widening(*node, seen);
  see_stored_stencils(nodes, program, seen);
  for (const ProgramStep& step : program.steps) {
    const auto* k = std::get_if<KernelStep>(&step);
    // What writes about as much as it reads has totals beside its rows: these cost little.
    if (!k || k->launch.finish_tasks == 0 || k->bytes_written * kFewResults > k->bytes_read) continue;
    seen.add(
        {"split reduction", lines ? (*lines)(k->origin.lines) : k->origin.lines,
         fmt::format(
             "{}: few long rows are cut into parts, which a second launch joins: reduce several arrays in "
             "one program (one eval), so that they share both launches",
             k->origin.ops)});
  }
}

}  // namespace weft::detail
