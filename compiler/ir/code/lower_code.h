// The statements of an op as text as instructions: variables become values, and paths that part and meet become blocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/code/code_values.h"
#include "compiler/ir/code/parsed_code.h"

namespace weft::ir {

using CodeTypes = std::map<std::string, DType>;  // of generic names

// What is made of an op: its results, their derivatives, or its results for widened() arguments.
enum class CodePart : uint8_t { Results, Derivatives, Widened };

class CodeLowering {
 public:
  // Of these arguments, the index included.
  CodeLowering(const ParsedCode& code, CodeTypes types, std::span<const DType> arguments, CodePart part);

  Function run();

 private:
  enum class Kind : uint8_t { Variable, Input, Const };
  struct Variable {
    DType type;
    Kind kind;  // the text assigns variables alone
  };
  // A function whose statements are read: the operation, or one that it calls.
  struct Frame {
    size_t first_scope = 0;
    int returned = -1, result = -1;
    std::vector<std::pair<int, int>> loops;  // the flags of break and continue
    CodeTypes types;
    const CodeFunction* function = nullptr;
  };
  using Values = std::vector<CodeValue>;  // of the variables

  [[noreturn]] void fail(std::string_view at, std::string_view message) const {
    fail_at(values_.text(), at, message);
  }
  DType type_of(const CodeType& type) const;
  int declare(const std::string& name, DType type, const CodeValue& value, Kind kind = Kind::Variable);
  std::optional<int> found(const std::string& name) const;
  int variable(std::string_view at, const std::string& name) const;
  void set(int variable, const CodeValue& value) { now_[static_cast<size_t>(variable)] = value; }
  const CodeValue& get(int variable) const { return now_[static_cast<size_t>(variable)]; }

  void statements(const CodeStatements& all, size_t from);
  void scoped(const CodeStatements& all);
  void one(const CodeStatement& s);
  void declaration(const CodeStatement& s);
  void assignment(const CodeStatement& s);
  void leave(const CodeStatement& s);
  // Whether break, continue or return was passed.
  CodeValue left(bool of_turn);
  CodeValue either(const CodeValue& a, const CodeValue& b);
  // One of two sides by a test, each of which gives a value too, or none.
  template <class A, class B>
  CodeValue branch(const CodeValue& test, A&& first, B&& second, std::string_view at);
  void join(Instruction& i, const Values& a, const Values& b);
  void loop(const CodeStatement& s);
  void turn(const CodeStatement& s);
  void assigned(const CodeStatements& all, std::vector<int>& found) const;

  CodeValue value(const CodeExpression& e);
  CodeValue name(const CodeExpression& e);
  CodeValue conditional(const CodeExpression& e);
  CodeValue call(const CodeExpression& e);
  DType size_type(const CodeExpression& e);
  void refuse_call(const CodeExpression& e) const;
  CodeValue conversion(const CodeExpression& e);
  CodeValue member(const CodeExpression& e);
  CodeValue inlined(const CodeExpression& at, const CodeFunction& f, std::span<const CodeValue> args);

  const ParsedCode& code_;
  Function function_;
  CodeValues values_;
  std::span<const DType> arguments_;
  CodePart part_;
  std::vector<Variable> variables_;
  Values now_;
  std::vector<std::unordered_map<std::string, int>> scopes_;
  std::vector<Frame> frames_;
};

}  // namespace weft::ir
