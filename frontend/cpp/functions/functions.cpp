#include "frontend/cpp/weft/functions.h"

#include "compiler/base/error.h"
#include "compiler/derive/functions.h"
#include "compiler/ir/build.h"
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

std::vector<Array> ScalarFunction::operator()(std::span<const Operand> operands) const {
  return detail::named(function_->name, [&] {
    if (operands.size() != function_->block.params.size())
      throw Error(function_->name + ": takes " + std::to_string(function_->block.params.size()) +
                  " operands: got " + std::to_string(operands.size()));
    detail::Recording r(function_->name, operands[0]);
    std::vector<ir::NodeRef> nodes;
    Shape shape;
    for (const Operand& operand : operands) {
      nodes.push_back(r.node(operand));
      shape = broadcast_shapes(function_->name, shape, nodes.back()->shape());
    }
    for (size_t i = 0; i < nodes.size(); ++i)
      nodes[i] = ir::broadcast(ir::cast(nodes[i], function_->argument(i), r.lines()), shape, r.lines());
    std::vector<Array> results;
    for (size_t k = 0; k < function_->block.gives.size(); ++k) {
      const ir::ApplyAttr attr{function_, static_cast<int64_t>(k)};
      results.push_back(r.finish(ir::make(ir::Op::apply, nodes, attr, {}, r.lines()),
                                 static_cast<uint32_t>(nodes.size()) + 1));
    }
    return results;
  });
}

}  // namespace weft
