#include "frontend/cpp/weft/functions.h"

#include "compiler/base/error.h"
#include "compiler/derive/functions.h"
#include "compiler/ir/build.h"
#include "compiler/ir/code/code.h"
#include "compiler/ir/function.h"
#include "compiler/ir/text/parse_function.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/record/record.h"

namespace weft {

ScalarFunction ScalarFunction::parse(std::string_view text, std::string_view file_name) {
  return ScalarFunction(ir::parse_function(text, file_name));
}

const std::string& ScalarFunction::name() const { return function_->name; }

std::vector<DType> ScalarFunction::arguments() const {
  std::vector<DType> dtypes;
  dtypes.reserve(function_->block.params.size());
  for (size_t i = 0; i < function_->block.params.size(); ++i) dtypes.push_back(function_->argument(i));
  return dtypes;
}

std::vector<DType> ScalarFunction::results() const {
  std::vector<DType> dtypes;
  dtypes.reserve(function_->block.gives.size());
  for (size_t i = 0; i < function_->block.gives.size(); ++i) dtypes.push_back(function_->result(i));
  return dtypes;
}

std::string ScalarFunction::text() const { return ir::print(*function_, function_->name); }

ScalarFunction ScalarFunction::derivatives() const { return ScalarFunction(derive::partials(function_)); }

namespace {

// The function's results on operands that are recorded; of those behind the numbers, the dtypes are right.
std::vector<Array> applied(detail::Recording& r, const ir::FunctionRef& f, std::vector<ir::NodeRef> nodes) {
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

std::vector<ir::NodeRef> recorded(detail::Recording& r, std::span<const Operand> operands) {
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

ir::FunctionRef function_for(const ir::Code& code, std::span<const Operand> operands) {
  std::vector<ir::Code::Argument> arguments;
  arguments.reserve(operands.size());
  bool any = false;
  for (const Operand& one : operands) {
    const bool weak = !one.array() && !one.number().is_typed();
    any |= one.array() != nullptr;
    arguments.push_back({one.array() ? one.array()->dtype() : detail::default_dtype(one.number()), weak});
  }
  ir::FunctionRef f = code.of(arguments);
  if (!any) throw Error(code.name() + ": takes one array at least: got numbers alone");
  for (size_t k = 0; k < operands.size(); ++k) {
    const DType to = f->argument(k), from = arguments[k].dtype;
    if (!detail::is_same_kind(from, to))  // a parameter takes its kind, and those below
      throw TypeError(code.name() + ": " + code.params()[k].name + " is " + std::string(weft::name(to)) +
                      ": got " + std::string(weft::name(from)) + ", which astype() converts");
    if (arguments[k].weak) detail::check_stored(code.name(), to, operands[k].number());
  }
  return f;
}

}  // namespace

std::vector<Array> ScalarFunction::operator()(std::span<const Operand> operands) const {
  return detail::named(function_->name, [&] {
    if (operands.size() != function_->block.params.size())
      throw Error(function_->name + ": takes " + std::to_string(function_->block.params.size()) +
                  " operands: got " + std::to_string(operands.size()));
    detail::Recording r(function_->name, operands[0]);
    return applied(r, function_, recorded(r, operands));
  });
}

const std::string& Map::name() const { return code_->name(); }

size_t Map::results() const { return code_->results().size(); }

ScalarFunction Map::function(std::span<const Operand> operands) const {
  return ScalarFunction(function_for(*code_, operands));
}

std::vector<Array> Map::all(std::span<const Operand> operands) const {
  const ir::FunctionRef f = function_for(*code_, operands);
  detail::Recording r(f->name, operands[0]);
  std::vector<ir::NodeRef> nodes = recorded(r, operands);
  if (code_->takes_index()) {
    Shape shape;
    for (const ir::NodeRef& node : nodes) shape = broadcast_shapes(f->name, shape, node->shape());
    nodes.push_back(numbers_of_elements(shape, r.lines()));
  }
  return applied(r, f, std::move(nodes));
}

Array Map::one(std::span<const Operand> operands) const {
  if (results() != 1) throw Error(name() + ": gives " + std::to_string(results()) + " arrays: call all()");
  return all(operands)[0];
}

Map define_map(const std::string& name, const std::string& in_params, const std::string& out_params,
               const std::string& operation, const MapOptions& options) {
  return Map(ir::Code::parse(name, in_params, out_params, operation, options.preamble, options.derivative));
}

}  // namespace weft
