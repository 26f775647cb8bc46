#include "compiler/ir/code/code.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/ir/code/code_values.h"
#include "compiler/ir/code/lower_code.h"

namespace weft::ir {
namespace {

bool reads(const CodeExpression& e, std::string_view name) {
  return (e.kind == CodeExpression::Name && e.text == name) ||
         std::ranges::any_of(e.operands, [&](const CodeExpression& one) { return reads(one, name); });
}

bool any_statement(const CodeStatements& all, const auto& holds) {
  return std::ranges::any_of(all, [&](const CodeStatement& s) {
    return holds(s) || std::ranges::any_of(
                           s.bodies, [&](const CodeStatements& body) { return any_statement(body, holds); });
  });
}

}  // namespace

std::shared_ptr<const Code> Code::parse(CodeTexts texts) {
  std::shared_ptr<Code> code(new Code(std::move(texts)));
  ParsedCode& c = code->parsed_;
  const CodeTexts& t = c.texts;
  c.params = parse_parameters(t.in_params, c.generics);
  if (c.params.empty()) throw Error(t.name + ": takes one input parameter at least, as in \"T x\": got none");
  std::set<std::string> generics = c.generics;
  c.results = parse_parameters(t.out_params, generics);
  if (c.results.empty())
    throw Error(t.name + ": gives one output parameter at least, as in \"T y\": got none");
  for (const CodeParameter& r : c.results)
    if (!c.generics.contains(r.type.name) && generics.contains(r.type.name))
      fail_at(
          t.out_params, r.type.at,
          fmt::format("no input parameter has the type '{}', so it is not known: name one of C's or NumPy's",
                      r.type.name));
  std::set<std::string> names;
  const auto unique = [&](const CodeText& text, const CodeParameter& p) {
    if (!names.insert(p.name).second)
      fail_at(text, p.type.at, fmt::format("'{}' is a parameter already", p.name));
  };
  for (const CodeParameter& p : c.params) unique(t.in_params, p);
  for (const CodeParameter& r : c.results) unique(t.out_params, r);
  c.functions = parse_functions(t.preamble);
  c.operation = t.is_value ? parse_value(t.operation, c.generics, c.results[0].name)
                           : parse_statements(t.operation, c.generics);
  c.derivative = parse_statements(t.derivative, c.generics);
  for (const CodeParameter& r : c.results)
    if (!any_statement(c.operation, [&](const CodeStatement& s) {
          return s.kind == CodeStatement::Assign && s.name == r.name;
        }))
      fail_at(t.operation, t.operation.part,
              fmt::format("'{}' is never assigned: write {} = …", r.name, r.name));
  const auto takes_index = [](const CodeStatement& s) {
    return std::ranges::any_of(s.value, [](const CodeExpression& e) { return reads(e, "i"); });
  };
  const auto declares = [](const CodeStatement& s) {
    return s.kind == CodeStatement::Declare && s.name == "i";
  };
  code->takes_index_ = !names.contains("i") && any_statement(c.operation, takes_index) &&
                       !any_statement(c.operation, declares);
  return code;
}

std::shared_ptr<const Code> Code::parse(const std::string& name, std::string in_params,
                                        std::string out_params, std::string operation, std::string preamble,
                                        std::string derivative, bool is_value) {
  std::vector<std::string> kept = {std::move(in_params), std::move(out_params), std::move(operation),
                                   std::move(preamble), std::move(derivative)};
  const auto of = [&](size_t k, const char* what) { return CodeText{kept[k], kept[k], name + what}; };
  CodeTexts texts{name,     of(0, ": input parameters"), of(1, ": output parameters"), of(2, ""),
                  is_value, of(3, ": preamble"),         of(4, ": derivative")};
  // The strings keep their places, which the texts look at, when the vector moves.
  auto code = std::const_pointer_cast<Code>(parse(std::move(texts)));
  code->kept_ = std::move(kept);
  return code;
}

FunctionRef Code::of(std::span<const Argument> arguments) const {
  if (arguments.size() != parsed_.params.size())
    throw Error(fmt::format("{}: takes {} operand{}: got {}", name(), parsed_.params.size(),
                            parsed_.params.size() == 1 ? "" : "s", arguments.size()));
  // A generic type is what the arrays given for it have in common; of numbers alone, theirs.
  CodeTypes types;
  for (const bool weak : {false, true})
    for (size_t k = 0; k < arguments.size(); ++k) {
      const std::string& type = parsed_.params[k].type.name;
      if (!parsed_.generics.contains(type) || arguments[k].weak != weak) continue;
      const auto [known, is_new] = types.try_emplace(type, arguments[k].dtype);
      if (!is_new && !weak) known->second = promote(known->second, arguments[k].dtype);
      if (!is_new && weak) known->second = promote_weak(known->second, kind(arguments[k].dtype));
    }
  std::vector<DType> dtypes;
  dtypes.reserve(parsed_.params.size() + 1);
  for (const CodeParameter& p : parsed_.params) {
    const auto generic = types.find(p.type.name);
    const auto known = generic != types.end() ? generic->second : dtype_of_code(p.type.name);
    if (!known)
      fail_at(parsed_.texts.in_params, p.type.at, fmt::format("'{}' is no type of a parameter", p.type.name));
    dtypes.push_back(*known);
  }
  if (takes_index_) dtypes.push_back(DType::I64);
  Function made = CodeLowering(parsed_, types, dtypes, false).run();
  if (!parsed_.derivative.empty()) {
    Function partials = CodeLowering(parsed_, types, dtypes, true).run();
    if (!partials.block.gives.empty()) made.derivative = checked(std::move(partials));
  }
  return checked(std::move(made));
}

}  // namespace weft::ir
