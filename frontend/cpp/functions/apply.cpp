#include "frontend/cpp/functions/apply.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"

namespace weft::detail {

// The function's results on operands that are recorded; of those behind the numbers, the dtypes are right.
std::vector<Array> applied(Recording& r, const ir::FunctionRef& f, std::vector<ir::NodeRef> nodes) {
  Shape shape;
  for (const ir::NodeRef& node : nodes) shape = broadcast_shapes(f->name, shape, node->shape());
  for (size_t i = 0; i < nodes.size(); ++i)
    nodes[i] = ir::broadcast(ir::cast(nodes[i], f->argument(i), r.lines()), shape, r.lines());
  std::vector<Array> results;
  results.reserve(f->block.gives.size());
  for (size_t k = 0; k < f->block.gives.size(); ++k) {
    const ir::ApplyAttr attr{f, static_cast<int64_t>(k)};
    results.push_back(r.finish(ir::make(ir::Op::apply, nodes, attr, {}, r.lines()),
                               static_cast<uint32_t>(nodes.size()) + 1));
  }
  return results;
}

std::vector<ir::NodeRef> recorded(Recording& r, std::span<const Operand> operands) {
  std::vector<ir::NodeRef> nodes;
  nodes.reserve(operands.size() + 1);
  for (const Operand& operand : operands) nodes.push_back(r.node(operand));
  return nodes;
}

// The number of each element.
ir::NodeRef numbers_of_elements(const Shape& shape, const ir::Lines& lines) {
  const ir::TensorType type{DType::I64, shape};
  ir::NodeRef total = ir::constant(type, Scalar::of(int64_t{0}), lines);
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
    const ir::NodeRef step = ir::constant(type, Scalar::of(stride), lines);
    const ir::NodeRef along = ir::iota(type, static_cast<int64_t>(axis), lines);
    total = ir::map(ir::Op::add, {total, ir::map(ir::Op::multiply, {along, step}, lines)}, lines);
  }
  return total;
}

namespace {

// What NumPy's rule same_kind converts to a dtype.
std::string_view taken_by(DType to) {
  switch (kind(to)) {
    case DTypeKind::Bool:
      return "bools";
    case DTypeKind::Unsigned:
      return "unsigned integers and bools";
    case DTypeKind::Signed:
      return "integers and bools";
    case DTypeKind::Float:
      return "real numbers";
    case DTypeKind::Complex:
      break;
  }
  return "numbers";
}

}  // namespace

ir::FunctionRef function_for(const ir::Code& code, std::span<const Operand> operands,
                             const std::string& called) {
  std::vector<ir::Code::Argument> arguments;
  arguments.reserve(operands.size());
  bool any = false;
  for (const Operand& one : operands) {
    const bool weak = !one.array() && !one.number().is_typed();
    any |= one.array() != nullptr;
    arguments.push_back({one.array() ? one.array()->dtype() : default_dtype(one.number()), weak});
  }
  ir::FunctionRef f = code.of(arguments);
  if (!any) throw Error(called + ": takes one array at least: got numbers alone");
  for (size_t k = 0; k < operands.size(); ++k) {
    const DType to = f->argument(k), from = arguments[k].dtype;
    if (!is_same_kind(from, to))  // a parameter takes its kind, and those below
      throw TypeError(fmt::format("{}: {} is {}, which takes {}: got {}, which astype() converts", called,
                                  code.params()[k].name, weft::name(to), taken_by(to), weft::name(from)));
    if (arguments[k].weak) check_stored(called, to, operands[k].number());
  }
  return f;
}

}  // namespace weft::detail
