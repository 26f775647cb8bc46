#include "compiler/ir/code/lower_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <type_traits>

#include "compiler/ir/code/code_calls.h"
#include "compiler/ir/code/code_words.h"

namespace weft::ir {
namespace {

// Functions in functions: more are a circle.
constexpr size_t kMostCalls = 40;

CodeValue zero_of(DType t) { return CodeValues::constant(Scalar::of(int64_t{0}).cast(t)); }

bool is_same(const CodeValue& a, const CodeValue& b) {
  return a.value == b.value && a.constant.has_value() == b.constant.has_value() &&
         (!a.constant || a.constant->same(*b.constant));
}

// "x, y", for messages.
std::string assigned_names(const CodeStatements& all) {
  std::string out;
  std::set<std::string> seen;
  any_statement(all, [&](const CodeStatement& s) {
    if (s.kind == CodeStatement::Assign && seen.insert(s.name).second)
      out += (out.empty() ? "" : ", ") + s.name;
    return false;
  });
  return out.empty() ? "none" : out;
}

}  // namespace

CodeLowering::CodeLowering(const ParsedCode& code, CodeTypes types, std::span<const DType> arguments,
                           CodePart part)
    : code_(code), values_(function_, code.texts.operation), arguments_(arguments), part_(part) {
  function_.name = (part == CodePart::Derivatives ? "d_" : "") + code.texts.name;
  frames_.emplace_back().types = std::move(types);
  scopes_.emplace_back();
}

Function CodeLowering::run() {
  Block block;
  values_.into(&block);
  for (size_t k = 0; k < arguments_.size(); ++k) {
    const int v = values_.fresh(arguments_[k]);
    block.params.push_back(v);
    declare(k < code_.params.size() ? code_.params[k].name : "i", arguments_[k], values_.of(v), Kind::Input);
  }
  std::vector<int> results;
  for (const CodeParameter& r : code_.results) {
    const DType t = part_ == CodePart::Widened ? widened(type_of(r.type)) : type_of(r.type);
    results.push_back(declare(r.name, t, zero_of(t)));
  }
  frames_[0].returned = declare("", DType::Bool, CodeValues::truth(false));
  scoped(code_.operation);
  if (part_ == CodePart::Derivatives) {
    values_.in_text(code_.texts.derivative);
    set(frames_[0].returned, CodeValues::truth(false));
    std::vector<int> partials;
    std::vector<std::string> missing;
    for (size_t r = 0; r < results.size(); ++r)
      for (size_t k = 0; k < code_.params.size(); ++k) {
        const DType t = variables_[static_cast<size_t>(results[r])].type;
        if (!is_float(t) || !is_float(arguments_[k])) continue;
        const std::string name = fmt::format("d{}_d{}", code_.results[r].name, code_.params[k].name);
        if (!assigns(code_.derivative, name)) missing.push_back(name);
        partials.push_back(declare(name, t, zero_of(t)));
      }
    if (!missing.empty())
      fail(code_.texts.derivative.part, fmt::format("'{0}' is never assigned: a derivative assigns one for "
                                                    "each result and parameter, as in {0} = 1, or "
                                                    "{0} = 0 where it has none: got {1}",
                                                    missing[0], assigned_names(code_.derivative)));
    scoped(code_.derivative);
    results = partials;
  }
  for (const int r : results) block.gives.push_back(values_.named(get(r)));
  function_.block = std::move(block);
  return std::move(function_);
}

DType CodeLowering::type_of(const CodeType& type) const {
  const CodeTypes& types = frames_.back().types;
  if (const auto found = types.find(type.name); found != types.end()) return found->second;
  if (const auto known = dtype_of_code(type.name)) return *known;
  if (type.name.starts_with("complex<")) {
    const std::string part = type.name.substr(8, type.name.size() - 9);
    const auto found = types.find(part);
    if (found != types.end() && is_float(found->second) && !is_half(found->second))
      return complex_of(found->second);
  }
  fail(type.at,
       fmt::format(
           "'{}' is no type that is known here: name one of C's or NumPy's, or one of the input parameters'",
           type.name));
}

int CodeLowering::declare(const std::string& name, DType type, const CodeValue& value, Kind kind) {
  const int number = static_cast<int>(variables_.size());
  variables_.push_back({type, kind});
  now_.push_back(value);
  if (!name.empty()) scopes_.back()[name] = number;
  return number;
}

std::optional<int> CodeLowering::found(const std::string& name) const {
  for (size_t k = scopes_.size(); k-- > frames_.back().first_scope;)
    if (const auto found = scopes_[k].find(name); found != scopes_[k].end()) return found->second;
  return {};
}

int CodeLowering::variable(std::string_view at, const std::string& name) const {
  const auto known = found(name);
  if (!known) fail(at, fmt::format("'{}' is not defined: declare it, as in float {} = 0", name, name));
  return *known;
}

// ---- statements

void CodeLowering::scoped(const CodeStatements& all) {
  scopes_.emplace_back();
  statements(all, 0);
  scopes_.pop_back();
}

void CodeLowering::statements(const CodeStatements& all, size_t from) {
  for (size_t k = from; k < all.size(); ++k) {
    const CodeStatement& s = all[k];
    if (!may_leave(s)) {
      one(s);
      continue;
    }
    const bool is_last = k + 1 == all.size();
    const bool first = s.kind == CodeStatement::If && always_leaves(s.bodies[0]);
    const bool second = s.kind == CodeStatement::If && always_leaves(s.bodies[1]);
    if (!is_last && first != second) {
      // What follows is done where the other side is taken.
      const auto side = [&](size_t n, bool leaves) {
        scoped(s.bodies[n]);
        if (leaves) return;
        const CodeValue gone = left(true);
        branch(gone, [] {}, [&] { statements(all, k + 1); }, s.at);
      };
      const CodeValue test = values_.as_bool(value(s.value[0]));
      branch(test, [&] { side(0, first); }, [&] { side(1, second); }, s.at);
      return;
    }
    one(s);
    if (is_last || always_leaves({s})) return;
    const CodeValue gone = left(true);
    branch(gone, [] {}, [&] { statements(all, k + 1); }, s.at);
    return;
  }
}

void CodeLowering::one(const CodeStatement& s) {
  switch (s.kind) {
    case CodeStatement::Declare:
      return declaration(s);
    case CodeStatement::Assign:
      return assignment(s);
    case CodeStatement::If:
      branch(
          values_.as_bool(value(s.value[0])), [&] { scoped(s.bodies[0]); }, [&] { scoped(s.bodies[1]); },
          s.at);
      return;
    case CodeStatement::Loop:
    case CodeStatement::DoLoop:
      return loop(s);
    case CodeStatement::Break:
    case CodeStatement::Continue:
    case CodeStatement::Return:
      return leave(s);
    case CodeStatement::Block:
      return scoped(s.bodies[0]);
    case CodeStatement::Evaluate:
      if (s.value[0].kind == CodeExpression::Call) refuse_call(s.value[0]);
      fail(s.at, "this value is for nothing: assign it");
  }
}

void CodeLowering::declaration(const CodeStatement& s) {
  if (scopes_.back().contains(s.name)) fail(s.at, fmt::format("'{}' is declared twice", s.name));
  // As in C, where the parameters belong to the outermost block.
  if (frames_.size() == 1 && scopes_.size() == 2 && scopes_[0].contains(s.name))
    fail(s.at, fmt::format("'{}' is a parameter already", s.name));
  const Kind kind = s.type.is_const ? Kind::Const : Kind::Variable;
  if (kind == Kind::Const && s.value.empty())
    fail(s.at, fmt::format("'{}' is const: give it its value", s.name));
  if (s.type.name == "auto") {
    if (s.value.empty()) fail(s.at, fmt::format("'{}' has no value to tell its type: name the type", s.name));
    const CodeValue v = value(s.value[0]);
    declare(s.name, v.type, v, kind);
    return;
  }
  const DType t = type_of(s.type);
  declare(s.name, t, s.value.empty() ? zero_of(t) : values_.converted(s.at, value(s.value[0]), t), kind);
}

void CodeLowering::assignment(const CodeStatement& s) {
  const int target = variable(s.at, s.name);
  const Variable known = variables_[static_cast<size_t>(target)];
  if (known.kind != Kind::Variable)
    fail(s.at, fmt::format("'{}' is {}, which cannot be written: give the value a name of its own", s.name,
                           known.kind == Kind::Input ? "an input" : "const"));
  CodeValue v = value(s.value[0]);
  if (!s.op.empty()) v = values_.binary(s.at, s.op, get(target), v);
  set(target, values_.converted(s.at, v, known.type));
}

void CodeLowering::leave(const CodeStatement& s) {
  if (s.kind == CodeStatement::Return) {
    const int result = frames_.back().result;
    if (s.value.empty() != (result < 0))
      fail(s.at, result < 0 ? "return gives no value here: assign the output parameters"
                            : "return gives a value here");
    if (!s.value.empty()) {
      const CodeValue given = value(s.value[0]);
      set(result, values_.converted(s.value[0].at, given, variables_[static_cast<size_t>(result)].type));
    }
    return set(frames_.back().returned, CodeValues::truth(true));
  }
  const Frame& frame = frames_.back();
  const bool breaks = s.kind == CodeStatement::Break;
  if (frame.loops.empty())
    fail(s.at, fmt::format("{} stands outside of a loop: {}", breaks ? "break" : "continue", "use return"));
  set(breaks ? frame.loops.back().first : frame.loops.back().second, CodeValues::truth(true));
}

CodeValue CodeLowering::either(const CodeValue& a, const CodeValue& b) {
  if (a.constant) return a.constant->i ? a : b;
  if (b.constant) return b.constant->i ? b : a;
  return values_.map(Op::bitwise_or, {a, b}, DType::Bool);
}

CodeValue CodeLowering::left(bool of_turn) {
  const Frame& frame = frames_.back();
  CodeValue gone = get(frame.returned);
  if (frame.loops.empty()) return gone;
  gone = either(gone, get(frame.loops.back().first));
  return of_turn ? either(gone, get(frame.loops.back().second)) : gone;
}

template <class A, class B>
CodeValue CodeLowering::branch(const CodeValue& test, A&& first, B&& second, std::string_view at) {
  constexpr bool kGives = !std::is_void_v<std::invoke_result_t<A>>;
  const auto side = [&](auto& f) -> CodeValue {
    if constexpr (kGives)
      return f();
    else
      return f(), CodeValue{};
  };
  if (test.constant) return test.constant->i ? side(first) : side(second);
  Instruction i{Instruction::Kind::If};
  i.args = {values_.named(test)};
  i.blocks.resize(2);
  const Values before = now_;
  Block* outer = values_.into(&i.blocks[0]);
  CodeValue a = side(first);
  Values after = std::exchange(now_, before);
  after.resize(before.size());
  variables_.resize(before.size());
  values_.into(&i.blocks[1]);
  CodeValue b = side(second);
  now_.resize(before.size());
  variables_.resize(before.size());
  CodeValue given;
  if constexpr (kGives) {
    const auto [t, weak] = CodeValues::common(a, b);
    const bool alike = a.type == b.type;  // a bool stays one
    const DType to = alike ? a.type : t;
    if (is_complex(to) != (is_complex(a.type) || is_complex(b.type)))
      fail(at, "the two values have no common type");
    values_.into(&i.blocks[0]);
    a = values_.cast(a, to);
    if (!a.constant || !i.blocks[0].body.empty()) a = values_.of(values_.named(a));
    values_.into(&i.blocks[1]);
    b = values_.cast(b, to);
    if (!b.constant || !i.blocks[1].body.empty()) b = values_.of(values_.named(b));
    values_.into(outer);
    if (i.blocks[0].body.empty() && i.blocks[1].body.empty()) {
      given = values_.select(test, a, b);
      given.weak = alike && weak;
      return given;
    }
    for (CodeValue* side_value : {&a, &b}) {
      values_.into(&i.blocks[side_value == &a ? 0 : 1]);
      i.blocks[side_value == &a ? 0 : 1].gives.push_back(values_.named(*side_value));
    }
    values_.into(outer);
    i.outs.push_back(values_.fresh(to));
    given = values_.of(i.outs[0]);
    given.weak = alike && weak;
  }
  values_.into(outer);
  const Values other = std::exchange(now_, before);
  join(i, after, other);
  if (!i.outs.empty()) values_.block().body.push_back(std::move(i));
  return given;
}

// Variables that the sides leave different become what the branch gives.
void CodeLowering::join(Instruction& i, const Values& a, const Values& b) {
  for (size_t k = 0; k < now_.size(); ++k) {
    if (is_same(a[k], b[k])) {
      now_[k] = a[k];
      continue;
    }
    Block* outer = values_.into(&i.blocks[0]);
    i.blocks[0].gives.push_back(values_.named(a[k]));
    values_.into(&i.blocks[1]);
    i.blocks[1].gives.push_back(values_.named(b[k]));
    values_.into(outer);
    i.outs.push_back(values_.fresh(variables_[k].type));
    now_[k] = values_.of(i.outs.back());
  }
}

void CodeLowering::assigned(const CodeStatements& all, std::vector<int>& into) const {
  for (const CodeStatement& s : all) {
    if (s.kind == CodeStatement::Assign)
      if (const auto known = found(s.name)) into.push_back(*known);
    if (s.kind == CodeStatement::Return) {
      into.push_back(frames_.back().returned);
      if (frames_.back().result >= 0) into.push_back(frames_.back().result);
    }
    for (const CodeStatements& body : s.bodies) assigned(body, into);
  }
}

void CodeLowering::loop(const CodeStatement& s) {
  const int broken = declare("", DType::Bool, CodeValues::truth(false));
  // The first turn of do … while is done whatever the test says.
  const int first = s.kind == CodeStatement::DoLoop ? declare("", DType::Bool, CodeValues::truth(true)) : -1;
  std::vector<int> carried;
  for (const CodeStatements& body : s.bodies) assigned(body, carried);
  const bool is_left = std::ranges::any_of(s.bodies[0], may_leave), changes = !carried.empty();
  if (is_left) carried.push_back(broken);
  if (first >= 0) carried.push_back(first);
  std::ranges::sort(carried);
  carried.erase(std::ranges::unique(carried).begin(), carried.end());

  Instruction i{Instruction::Kind::While};
  i.blocks.resize(2);
  for (const int c : carried) {
    i.args.push_back(values_.named(get(c)));
    const int p = values_.fresh(variables_[static_cast<size_t>(c)].type);
    i.blocks[0].params.push_back(p);
    set(c, values_.of(p));
  }
  const Values before = now_;
  Block* outer = values_.into(&i.blocks[0]);
  frames_.back().loops.emplace_back(broken, broken);
  CodeValue test = s.value.empty() ? CodeValues::truth(true) : values_.as_bool(value(s.value[0]));
  if (!is_left && (test.constant ? test.constant->i != 0 : !changes))
    fail(s.at,
         "a loop that never ends: its test is always true, or no turn changes what it asks: leave it by "
         "break or return, or assign to what it asks");
  if (first >= 0) test = either(test, get(first));
  const CodeValue gone = left(false);
  if (!gone.constant || gone.constant->i)
    test = values_.binary(s.at, "&&", test, values_.unary(s.at, "!", gone));
  i.blocks[0].gives = {values_.named(test)};
  values_.into(&i.blocks[1]);
  if (first >= 0) set(first, CodeValues::truth(false));
  turn(s);
  for (const int c : carried) i.blocks[1].gives.push_back(values_.named(get(c)));
  frames_.back().loops.pop_back();
  now_ = before;
  variables_.resize(before.size());
  values_.into(outer);
  for (const int c : carried) {
    i.outs.push_back(values_.fresh(variables_[static_cast<size_t>(c)].type));
    set(c, values_.of(i.outs.back()));
  }
  values_.block().body.push_back(std::move(i));
}

// The statements of a turn, then the step of a for, which a break leaves out.
void CodeLowering::turn(const CodeStatement& s) {
  frames_.back().loops.back().second = declare("", DType::Bool, CodeValues::truth(false));
  scoped(s.bodies[0]);
  if (s.bodies[1].empty()) return;
  const CodeValue gone = left(false);
  branch(gone, [] {}, [&] { scoped(s.bodies[1]); }, s.at);
}

// ---- expressions

CodeValue CodeLowering::value(const CodeExpression& e) {
  switch (e.kind) {
    case CodeExpression::Number:
      return values_.number(e.at, e.text);
    case CodeExpression::Name:
      return name(e);
    case CodeExpression::Unary:
      return values_.unary(e.at, e.text, value(e.operands[0]));
    case CodeExpression::Binary: {
      const CodeValue a = value(e.operands[0]);
      return values_.binary(e.at, e.text, a, value(e.operands[1]));
    }
    case CodeExpression::Conditional:
      return conditional(e);
    case CodeExpression::Call:
      return call(e);
    case CodeExpression::Cast:
      return conversion(e);
    case CodeExpression::Member:
      return member(e);
    case CodeExpression::Size:
      return CodeValues::constant(Scalar::of(int64_t(size_of(size_type(e)))).cast(DType::U64));
  }
  return {};
}

CodeValue CodeLowering::name(const CodeExpression& e) {
  if (const auto known = found(e.text)) return get(*known);
  if (const auto constant = constant_in_code(e.text)) return *constant;
  // CuPy's names of what the loop around the text counts.
  const bool counts = e.text == "n" || e.text == "_n" || e.text == "size";
  const std::string_view constant = like_constant(e.text);
  fail(e.at, fmt::format("'{}' is not defined: declare it, or take it as an input parameter{}", e.text,
                         counts             ? ": of the number of elements write long n, and give x.size"
                         : constant.empty() ? ""
                                            : fmt::format("; did you mean {}?", constant)));
}

CodeValue CodeLowering::conditional(const CodeExpression& e) {
  const CodeValue test = values_.as_bool(value(e.operands[0]));
  return branch(test, [&] { return value(e.operands[1]); }, [&] { return value(e.operands[2]); }, e.at);
}

CodeValue CodeLowering::call(const CodeExpression& e) {
  std::vector<CodeValue> args;
  args.reserve(e.operands.size());
  for (const CodeExpression& one : e.operands) args.push_back(value(one));
  for (const CodeFunction& f : code_.functions)
    if (f.name == e.text) return inlined(e, f, args);
  if (const auto given = call_in_code(values_, e.at, e.text, args)) return *given;
  refuse_call(e);
  const std::string like = like_function(e.text);
  fail(e.at, fmt::format("there is no function '{}'{}: write it in the preamble, or make the op of several",
                         e.text, like.empty() ? "" : fmt::format(" (is it {}?)", like)));
}

void CodeLowering::refuse_call(const CodeExpression& e) const {
  if (const std::string_view advice = instead_of_call(e.text); !advice.empty())
    fail(e.at, fmt::format("{} cannot be called here: {}", e.text, advice));
}

// What sizeof is asked of. The instructions of its operand are left out, as nothing reads them.
DType CodeLowering::size_type(const CodeExpression& e) {
  return e.operands.empty() ? type_of(e.type) : values_.of(values_.named(value(e.operands[0]))).type;
}

CodeValue CodeLowering::conversion(const CodeExpression& e) {
  const DType t = type_of(e.type);
  if (e.operands.size() == 2 && is_complex(t)) {
    const CodeValue re = values_.converted(e.at, value(e.operands[0]), real_of(t));
    const CodeValue im = values_.converted(e.at, value(e.operands[1]), real_of(t));
    return values_.map(Op::complex, {re, im}, t);
  }
  if (e.operands.empty()) return zero_of(t);
  if (e.operands.size() != 1)
    fail(e.at, fmt::format("{} is made of one value: got {}", e.type.name, e.operands.size()));
  return values_.converted(e.at, value(e.operands[0]), t);
}

CodeValue CodeLowering::member(const CodeExpression& e) {
  if (e.text != "real" && e.text != "imag")
    fail(e.at, fmt::format("numbers have no {}(): z.real() and z.imag() are there", e.text));
  const CodeValue z = value(e.operands[0]);
  return values_.map(e.text == "real" ? Op::real : Op::imag, {z}, real_of(z.type));
}

CodeValue CodeLowering::inlined(const CodeExpression& at, const CodeFunction& f,
                                std::span<const CodeValue> args) {
  if (args.size() != f.params.size())
    fail(at.at, fmt::format("{} takes {} operands: got {}", f.name, f.params.size(), args.size()));
  const bool again = std::ranges::any_of(frames_, [&](const Frame& frame) { return frame.function == &f; });
  if (again || frames_.size() > kMostCalls) fail(at.at, fmt::format("{} calls itself: write a loop", f.name));
  Frame frame;
  frame.function = &f;
  frame.first_scope = scopes_.size();
  for (size_t k = 0; k < args.size(); ++k) {
    const std::string& type = f.params[k].type.name;
    if (!f.generics.contains(type)) continue;
    const auto [known, is_new] = frame.types.try_emplace(type, args[k].type);
    if (!is_new)
      known->second =
          CodeValues::common(values_.of(values_.named(args[k])), CodeValue{0, known->second, false, {}})
              .first;
  }
  CodeText outer = values_.in_text(f.text);
  frames_.push_back(std::move(frame));
  scopes_.emplace_back();
  for (size_t k = 0; k < args.size(); ++k) {
    const DType t = type_of(f.params[k].type);
    declare(f.params[k].name, t, values_.converted(f.params[k].type.at, args[k], t),
            f.params[k].type.is_const ? Kind::Const : Kind::Variable);
  }
  if (f.result.name == "auto") fail(f.result.at, "name the type that the function gives");
  if (!always_leaves(f.body))
    fail(f.result.at, fmt::format("{} has a path that ends without return", f.name));
  const DType t = type_of(f.result);
  frames_.back().returned = declare("", DType::Bool, CodeValues::truth(false));
  const int result = frames_.back().result = declare("", t, zero_of(t));
  statements(f.body, 0);
  const CodeValue given = get(result);
  scopes_.pop_back();
  frames_.pop_back();
  values_.in_text(std::move(outer));
  return given;
}

}  // namespace weft::ir
