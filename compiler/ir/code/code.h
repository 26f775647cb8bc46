// An op as text: what it takes, what it gives, and statements in the form of C that make one of the other for each element.
// For the dtypes of a call it becomes a scalar function, so it fuses, is derived, interpreted and cached as those are.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/code/parsed_code.h"
#include "compiler/ir/function.h"

namespace weft::ir {

// The texts of an op as strings of their own.
struct CodeStrings {
  std::string name, in_params, out_params, operation, preamble = {}, derivative = {};
  bool is_value = false;  // as of CodeTexts
  std::string cuda_operation = {}, cuda_preamble = {}, reference = {};
  double ulps = kUlps;
};

class Code {
 public:
  // What results are compared with, for arguments of these dtypes, which are widened().
  using ReferenceOf = std::function<FunctionRef(std::span<const DType>)>;

  // Of a parameter: the dtype of what is given, and whether it is a number, which gives way to arrays.
  struct Argument {
    DType dtype;
    bool weak = false;
  };

  // Error that points at what the language does not have.
  static std::shared_ptr<const Code> parse(CodeTexts texts, ReferenceOf reference = {});
  // The same of texts that are kept.
  static std::shared_ptr<const Code> parse(CodeStrings texts, ReferenceOf reference = {});

  const std::string& name() const { return parsed_.texts.name; }
  const CodeTexts& texts() const { return parsed_.texts; }
  const std::vector<CodeParameter>& params() const { return parsed_.params; }
  const std::vector<CodeParameter>& results() const { return parsed_.results; }
  // Whether it reads i, the number of the element, which is the function's last argument and an i64.
  bool takes_index() const { return takes_index_; }

  // The function for these arguments, one a parameter. Error where types do not fit.
  FunctionRef of(std::span<const Argument> arguments) const;

 private:
  explicit Code(CodeTexts texts) : parsed_{.texts = std::move(texts)} {}

  using Types = std::map<std::string, DType>;  // of generic names
  Types generic_types(std::span<const Argument> arguments) const;
  // What the operation computes, with its derivative.
  Function lowered(const Types& types, std::span<const DType> dtypes) const;
  FunctionRef reference(Types types, std::vector<DType> dtypes) const;

  ParsedCode parsed_;
  std::shared_ptr<const CodeStrings> kept_;  // where the texts are nobody else's
  std::shared_ptr<const Code> cuda_, reference_;
  ReferenceOf reference_of_;
  bool takes_index_ = false;
};

}  // namespace weft::ir
