#include "compiler/ir/code/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/code/code_values.h"
#include "compiler/ir/code/lower_code.h"

namespace weft::ir {
namespace {

bool reads(const CodeExpression& e, std::string_view name) {
  return (e.kind == CodeExpression::Name && e.text == name) ||
         std::ranges::any_of(e.operands, [&](const CodeExpression& one) { return reads(one, name); });
}

void check_complex(const CodeText& text, const CodeType& type, const CodeTypes& types) {
  const auto part = types.find(generic_name(type.name));
  if (part == types.end() || part->first == type.name) return;
  if (part->second != DType::F32 && part->second != DType::F64)
    fail_at(text, type.at,
            fmt::format("{} is {} here, and complex numbers have parts of f32 or f64", part->first,
                        name(part->second)));
}

// The T of complex<T> for what is given for it.
DType part_of(DType t) {
  if (is_complex(t)) return real_of(t);
  return t == DType::F32 || is_half(t) ? DType::F32 : DType::F64;
}

}  // namespace

CodeParameters parse_parameters(const std::string& op, const CodeText& in, const CodeText& out) {
  CodeParameters made;
  made.params = parse_parameters(in, made.generics);
  if (made.params.empty())
    fail_at(in, in.part, fmt::format("{} takes one input parameter at least, as in \"T x\": got none", op));
  std::set<std::string> generics = made.generics;
  made.results = parse_parameters(out, generics);
  if (made.results.empty())
    fail_at(out, out.part,
            fmt::format("{} gives one output parameter at least, as in \"T y\": got none", op));
  for (const CodeParameter& r : made.results)
    if (const std::string name = generic_name(r.type.name);
        !made.generics.contains(name) && generics.contains(name))
      fail_at(
          out, r.type.at,
          fmt::format("no input parameter has the type '{}', so it is not known: name one of C's or NumPy's",
                      name));
  std::set<std::string> names;
  const auto check = [&](const CodeText& text, const CodeParameter& p) {
    if (!names.insert(p.name).second)
      fail_at(text, p.type.at, fmt::format("'{}' is a parameter already", p.name));
    // Of a type that a later parameter names first.
    if (made.generics.contains(p.name))
      fail_at(text, p.type.at, fmt::format("'{}' is a type: name the parameter otherwise", p.name));
  };
  for (const CodeParameter& p : made.params) check(in, p);
  for (const CodeParameter& r : made.results) check(out, r);
  return made;
}

std::shared_ptr<const Code> Code::parse(CodeTexts texts, ReferenceOf reference) {
  std::shared_ptr<Code> code(new Code(std::move(texts)));
  code->reference_of_ = std::move(reference);
  ParsedCode& c = code->parsed_;
  const CodeTexts& t = c.texts;
  CodeParameters read = parse_parameters(t.name, t.in_params, t.out_params);
  c.params = std::move(read.params), c.results = std::move(read.results),
  c.generics = std::move(read.generics);
  c.functions = parse_functions(t.preamble);
  c.operation = t.is_value ? parse_value(t.operation, c.generics, c.results[0].name)
                           : parse_statements(t.operation, c.generics);
  c.derivative = parse_statements(t.derivative, c.generics);
  for (const CodeParameter& r : c.results)
    if (!assigns(c.operation, r.name))
      fail_at(t.operation, t.operation.part,
              fmt::format("'{}' is never assigned: write {} = …", r.name, r.name));
  const auto takes_index = [](const CodeStatement& s) {
    return std::ranges::any_of(s.value, [](const CodeExpression& e) { return reads(e, "i"); });
  };
  const auto declares = [](const CodeStatement& s) {
    return s.kind == CodeStatement::Declare && s.name == "i";
  };
  const auto is_i = [](const CodeParameter& p) { return p.name == "i"; };
  code->takes_index_ = std::ranges::none_of(c.params, is_i) && std::ranges::none_of(c.results, is_i) &&
                       any_statement(c.operation, takes_index) && !any_statement(c.operation, declares);
  // The same op of another text. What it takes is the same, so that one that reads i gives it to both.
  const auto other = [&](const CodeText& operation, const CodeText& preamble, const CodeText& derivative) {
    CodeTexts own = t;
    own.operation = operation, own.preamble = preamble, own.derivative = derivative;
    own.cuda_operation.part = own.cuda_preamble.part = own.reference.part = {};
    std::shared_ptr<const Code> made = parse(std::move(own));
    code->takes_index_ |= made->takes_index_;
    return made;
  };
  if (!t.cuda_operation.part.empty()) code->cuda_ = other(t.cuda_operation, t.cuda_preamble, t.derivative);
  if (!t.reference.part.empty()) {
    CodeText none = t.derivative;
    none.part = none.part.substr(0, 0);
    code->reference_ = other(t.reference, t.preamble, none);
  }
  return code;
}

std::shared_ptr<const Code> Code::parse(CodeStrings strings, ReferenceOf reference) {
  // What the texts look at stays where it is.
  const auto kept = std::make_shared<const CodeStrings>(std::move(strings));
  const auto of = [&](const std::string& text, const char* what) {
    return CodeText{text, text, kept->name + what};
  };
  CodeTexts texts{kept->name,
                  of(kept->in_params, ": input parameters"),
                  of(kept->out_params, ": output parameters"),
                  of(kept->operation, ""),
                  kept->is_value,
                  of(kept->preamble, ": preamble"),
                  of(kept->derivative, ": derivative"),
                  of(kept->cuda_operation, " on cuda"),
                  of(kept->cuda_preamble, ": preamble on cuda"),
                  of(kept->reference, ": reference"),
                  kept->ulps};
  auto code = std::const_pointer_cast<Code>(parse(std::move(texts), std::move(reference)));
  code->kept_ = kept;
  return code;
}

// A generic type is what the arrays given for it have in common; of numbers alone, theirs.
Code::Types Code::generic_types(std::span<const Argument> arguments) const {
  Types types;
  for (const bool weak : {false, true})
    for (size_t k = 0; k < arguments.size(); ++k) {
      const std::string& type = parsed_.params[k].type.name;
      const std::string generic = generic_name(type);
      if (!parsed_.generics.contains(generic) || arguments[k].weak != weak) continue;
      const DType dtype = generic == type ? arguments[k].dtype : part_of(arguments[k].dtype);
      const auto [known, is_new] = types.try_emplace(generic, dtype);
      if (!is_new && !weak) known->second = promote(known->second, dtype);
      if (!is_new && weak) known->second = promote_weak(known->second, kind(dtype));
    }
  return types;
}

FunctionRef Code::of(std::span<const Argument> arguments) const {
  if (arguments.size() != parsed_.params.size())
    throw Error(fmt::format("{}: takes {} operand{}: got {}", name(), parsed_.params.size(),
                            parsed_.params.size() == 1 ? "" : "s", arguments.size()));
  Types types = generic_types(arguments);
  for (const CodeParameter& p : parsed_.params) check_complex(parsed_.texts.in_params, p.type, types);
  for (const CodeParameter& r : parsed_.results) check_complex(parsed_.texts.out_params, r.type, types);
  std::vector<DType> dtypes;
  dtypes.reserve(parsed_.params.size() + 1);
  for (const CodeParameter& p : parsed_.params) {
    const auto generic = types.find(generic_name(p.type.name));
    const bool is_part = generic_name(p.type.name) != p.type.name;
    const auto known = generic == types.end() ? dtype_of_code(p.type.name)
                       : is_part              ? complex_of(generic->second)
                                              : generic->second;
    if (!known)
      fail_at(parsed_.texts.in_params, p.type.at, fmt::format("'{}' is no type of a parameter", p.type.name));
    dtypes.push_back(*known);
  }
  if (takes_index_) dtypes.push_back(DType::I64);
  Function made = lowered(types, dtypes);
  if (cuda_) {
    Function other = cuda_->lowered(types, dtypes);
    if (made.derivative) {
      Function partials = *made.derivative;
      partials.on_cuda = std::exchange(other.derivative, {});
      made.derivative = checked(std::move(partials));
    }
    made.on_cuda = checked(std::move(other));
  }
  made.reference = reference(std::move(types), std::move(dtypes));
  made.ulps = parsed_.texts.ulps;
  return checked(std::move(made));
}

Function Code::lowered(const Types& types, std::span<const DType> dtypes) const {
  Function made = CodeLowering(parsed_, types, dtypes, CodePart::Results).run();
  if (!parsed_.derivative.empty()) {
    Function partials = CodeLowering(parsed_, types, dtypes, CodePart::Derivatives).run();
    if (!partials.block.gives.empty()) made.derivative = checked(std::move(partials));
  }
  return made;
}

FunctionRef Code::reference(Types types, std::vector<DType> dtypes) const {
  for (DType& t : dtypes) t = widened(t);
  if (reference_of_) return reference_of_(dtypes);
  if (!reference_) return {};
  for (auto& [type, t] : types) t = widened(t);
  return checked(CodeLowering(reference_->parsed_, std::move(types), dtypes, CodePart::Widened).run());
}

}  // namespace weft::ir
