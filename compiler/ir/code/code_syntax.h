// The syntax of ops as text: the statements, expressions and functions of C that a function of scalars can be made of.
// What C and CUDA have beyond that is an error which says what to write.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/code/code_lexer.h"

namespace weft::ir {

// A type by name: one of C's, NumPy's or Weft's names, with its words joined by spaces, or a generic one.
struct CodeType {
  std::string name;  // "auto": the value's
  std::string_view at;
  bool is_const = false;
};

struct CodeExpression {
  enum Kind : uint8_t {
    Number,       // text
    Name,         // text
    Unary,        // text before the one operand: + - ! ~
    Binary,       // text between two operands
    Conditional,  // a ? b : c
    Call,         // text(operands)
    Cast,         // type(operands), (type)operand
    Member,       // operand.text()
    Size,         // sizeof(type), sizeof operand
  } kind = Number;
  std::string_view at;  // where it is said to stand
  std::string text;
  CodeType type;
  std::vector<CodeExpression> operands;
};

struct CodeStatement {
  enum Kind : uint8_t {
    Declare,  // type name = value;
    Assign,   // name op= value
    If,       // bodies[0], else bodies[1]
    Loop,     // while and for: test value, if any; then bodies[0], then bodies[1]
    DoLoop,   // bodies[0] first, then test value
    Break,
    Continue,
    Return,    // value, if any
    Block,     // bodies[0]
    Evaluate,  // value alone, which is for nothing
  } kind = Block;
  std::string_view at;
  std::string name, op;  // op: of an assignment, without its =
  CodeType type;
  std::vector<CodeExpression> value;  // none or one
  std::vector<std::vector<CodeStatement>> bodies;
};
using CodeStatements = std::vector<CodeStatement>;

// Whether one of them, or of those inside, holds.
bool any_statement(const CodeStatements& all, const auto& holds) {
  return std::ranges::any_of(all, [&](const CodeStatement& s) {
    return holds(s) || std::ranges::any_of(
                           s.bodies, [&](const CodeStatements& body) { return any_statement(body, holds); });
  });
}

inline bool assigns(const CodeStatements& all, std::string_view name) {
  return any_statement(
      all, [&](const CodeStatement& s) { return s.kind == CodeStatement::Assign && s.name == name; });
}

// A parameter: "T x".
struct CodeParameter {
  CodeType type;
  std::string name;
};

// A function of the preamble, which calls are replaced by.
struct CodeFunction {
  std::string name;
  CodeType result;
  std::vector<CodeParameter> params;
  std::set<std::string> generics;
  CodeStatements body;
  CodeText text;
};

// Of a parameter's type the name that may be generic: T of T, and of complex<T>.
std::string generic_name(const std::string& type);

// "T x, float y"; names that are no known types are generic, and are added.
std::vector<CodeParameter> parse_parameters(const CodeText& text, std::set<std::string>& generics);
CodeStatements parse_statements(const CodeText& text, const std::set<std::string>& generics);
// A text that is one value, as its assignment to this name.
CodeStatements parse_value(const CodeText& text, const std::set<std::string>& generics,
                           const std::string& name);
std::vector<CodeFunction> parse_functions(const CodeText& text);

// Whether a statement may break, continue or return, and whether it always does.
bool may_leave(const CodeStatement& statement);
bool always_leaves(const CodeStatements& statements);

}  // namespace weft::ir
