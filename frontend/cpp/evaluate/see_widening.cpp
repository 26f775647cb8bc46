#include "frontend/cpp/evaluate/see_widening.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/ir/function.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/made_by.h"

namespace weft::detail {

namespace {

// Smaller arrays cost nothing that anybody would notice.
constexpr int64_t kWorthWidening = 1 << 12;

bool is_narrow_float(DType t) { return kind(t) == DTypeKind::Float && size_of(t) < size_of(DType::F64); }

// As `astype` takes it.
std::string_view numpys_name(DType narrow) {
  return narrow == DType::F32 ? "float32" : narrow == DType::F16 ? "float16" : "bfloat16";
}

bool widens(const ir::Node& node) {
  return node.op == ir::Op::cast && node.dtype() == DType::F64 && is_narrow_float(node.inputs[0]->dtype()) &&
         element_count(node.shape()) >= kWorthWidening;
}

// What a view shows another way.
const ir::Node& behind_views(const ir::Node& node) {
  const ir::Node* at = &node;
  while (ir::kind(at->op) == ir::OpKind::View) at = at->inputs[0].get();
  return *at;
}

// Of a reader's operands one that asks for f64: an f64 value of its own, or whole numbers, which f32 does not hold. Null
// where there is none.
const ir::Node* wide_operand(const ir::Node& reader) {
  for (const ir::NodeRef& in : reader.inputs) {
    const ir::Node& operand = behind_views(*in);
    if (operand.dtype() != DType::F64) continue;
    if (operand.op != ir::Op::cast) return &operand;
    const ir::Node& from = behind_views(*operand.inputs[0]);
    // Bools widen nothing: who casts them to f64 means that.
    if (from.dtype() == DType::Bool) return &operand;
    if (!is_narrow_float(from.dtype())) return &from;
  }
  return nullptr;
}

// The line that made what lies in memory, where that was lately.
SourceLine line_in_memory(const ir::Node& input) {
  const runtime::BufferRef buffer = buffer_of(input);
  const std::optional<MadeResult> made = buffer ? made_lately().find(buffer) : std::nullopt;
  return made ? made->line : SourceLine{};
}

// "linspace : f64(10000,) at blur.py:5", "an array in memory, f64(10000,), of blur.py:5", "a number of f64".
CostSeen::Named named(const ir::Node& operand) {
  const std::string type = fmt::format("{}{}", name(operand.dtype()), to_string(operand.shape()));
  const auto known = [](std::string as) { return CostSeen::Named{{}, std::move(as), {}, {}}; };
  if (operand.op == ir::Op::input) {
    const SourceLine line = line_in_memory(operand);
    return known(fmt::format("an array in memory, {}{}", type,
                             line.file ? ", of " + to_string(std::span(&line, 1)) : ""));
  }
  if (ir::is_given(operand.op) || operand.op == ir::Op::constant)
    return known(fmt::format("a number of {}", name(operand.dtype())));
  const std::string lines = ir::to_string(operand.lines), at = lines.empty() ? "" : " at " + lines;
  return {std::string(ir::called(operand)), fmt::format("{} : {}{}", ir::called(operand), type, at),
          fmt::format("{}{}", type, at), operand.lines.only()};
}

std::string text_of(const ir::Node& cast, const std::string& operand) {
  const DType from = cast.inputs[0]->dtype();
  const std::string what = fmt::format(
      "an array of {} becomes f64 here{}, and what follows moves {} times the bytes", name(from),
      operand.empty() ? "" : ", as the other operand is " + operand, size_of(DType::F64) / size_of(from));
  if (operand.empty()) return what + ": leave the cast to f64 out, unless f64 is meant";
  return fmt::format("{}: give that as {} (a plain Python number, or `.astype(\"{}\")`), unless f64 is meant",
                     what, name(from), numpys_name(from));
}

}  // namespace

void see_widening(std::span<const ir::Node* const> nodes, CostsSeen& seen) {
  std::unordered_map<const ir::Node*, const ir::Node*> because_of;  // of each cast
  for (const ir::Node* node : nodes)
    if (widens(*node)) because_of.emplace(node, nullptr);
  if (because_of.empty()) return;
  for (const ir::Node* reader : nodes) {
    if (ir::kind(reader->op) == ir::OpKind::View) continue;
    for (const ir::NodeRef& in : reader->inputs) {
      const auto cast = because_of.find(&behind_views(*in));
      if (cast != because_of.end() && !cast->second) cast->second = wide_operand(*reader);
    }
  }
  for (const ir::Node* node : nodes) {
    const auto cast = because_of.find(node);
    if (cast == because_of.end()) continue;
    CostSeen cost{"widened", node->lines.all(), {}};
    if (cast->second) cost.named = named(*cast->second);
    cost.text = text_of(*node, cost.named.as);
    if (cost.named.op.empty()) cost.named = {};
    seen.add(std::move(cost));
  }
}

}  // namespace weft::detail
