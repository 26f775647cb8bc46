#include "frontend/cpp/weft/functions.h"

#include <utility>

#include "compiler/base/error.h"
#include "compiler/derive/functions.h"
#include "compiler/ir/build.h"
#include "compiler/ir/code/code.h"
#include "compiler/ir/function.h"
#include "compiler/ir/text/parse_function.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/functions/apply.h"
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

ScalarFunction ScalarFunction::with_reference(const ScalarFunction& reference, double ulps) const {
  ir::Function made = *function_;
  made.reference = reference.function_;
  made.ulps = ulps;
  return ScalarFunction(checked(std::move(made)));
}

ScalarFunction ScalarFunction::derivatives() const { return ScalarFunction(derive::partials(function_)); }

std::vector<Array> ScalarFunction::operator()(std::span<const Operand> operands) const {
  return detail::named(function_->name, [&] {
    if (operands.size() != function_->block.params.size())
      throw Error(function_->name + ": takes " + std::to_string(function_->block.params.size()) +
                  " operands: got " + std::to_string(operands.size()));
    detail::Recording r(function_->name, operands[0]);
    return detail::applied(r, function_, detail::recorded(r, operands));
  });
}

const std::string& Map::name() const { return code_->name(); }

size_t Map::results() const { return code_->results().size(); }

ScalarFunction Map::function(std::span<const Operand> operands) const {
  return ScalarFunction(detail::function_for(*code_, operands, code_->name()));
}

ScalarFunction Map::function(std::span<const DType> dtypes) const {
  std::vector<ir::Code::Argument> arguments;
  arguments.reserve(dtypes.size());
  for (const DType dtype : dtypes) arguments.push_back({dtype});
  if (code_->takes_index() && arguments.size() == code_->params().size() + 1) arguments.pop_back();
  return ScalarFunction(code_->of(arguments));
}

std::vector<Array> Map::all(std::span<const Operand> operands) const {
  const ir::FunctionRef f = detail::function_for(*code_, operands, code_->name());
  detail::Recording r(f->name, operands[0]);
  std::vector<ir::NodeRef> nodes = detail::recorded(r, operands);
  if (code_->takes_index()) {
    Shape shape;
    for (const ir::NodeRef& node : nodes) shape = broadcast_shapes(f->name, shape, node->shape());
    nodes.push_back(detail::numbers_of_elements(shape, r.lines()));
  }
  return detail::applied(r, f, std::move(nodes));
}

Array Map::one(std::span<const Operand> operands) const {
  if (results() != 1) throw Error(name() + ": gives " + std::to_string(results()) + " arrays: call all()");
  return all(operands)[0];
}

MapText::MapText(const Map& map) {
  const ir::CodeTexts& texts = map.code_->texts();
  text = texts.operation.part;
  preamble = texts.preamble.part;
}

Map define_map(const std::string& name, const std::string& in_params, const std::string& out_params,
               const TargetTexts& operation, const MapOptions& options) {
  TargetTexts preamble = options.preamble;
  for (const MapText* other : {&options.derivative, &options.reference})
    for (std::string* own : {&preamble.cpu, &preamble.cuda})
      if (own->find(other->preamble) == std::string::npos) *own += "\n" + other->preamble;
  ir::CodeStrings texts{.name = name,
                        .in_params = in_params,
                        .out_params = out_params,
                        .operation = operation.cpu,
                        .preamble = preamble.cpu,
                        .derivative = options.derivative.text,
                        .reference = options.reference.text,
                        .ulps = options.ulps};
  if (operation.cuda != operation.cpu || preamble.cuda != preamble.cpu)
    texts.cuda_operation = operation.cuda, texts.cuda_preamble = preamble.cuda;
  ir::Code::ReferenceOf reference;
  if (options.reference_of)
    reference = [of = options.reference_of, shared = &Map::shared](std::span<const DType> dtypes) {
      return shared(of(dtypes));
    };
  return Map(ir::Code::parse(std::move(texts), std::move(reference)));
}

}  // namespace weft
