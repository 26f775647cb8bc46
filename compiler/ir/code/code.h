// An op as text: what it takes, what it gives, and statements in the form of C that make one of the other for each element.
// For the dtypes of a call it becomes a scalar function, so it fuses, is derived, interpreted and cached as those are.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/code/parsed_code.h"
#include "compiler/ir/function.h"

namespace weft::ir {

class Code {
 public:
  // Of a parameter: the dtype of what is given, and whether it is a number, which gives way to arrays.
  struct Argument {
    DType dtype;
    bool weak = false;
  };

  // Error that points at what the language does not have.
  static std::shared_ptr<const Code> parse(CodeTexts texts);
  // The same of texts that are kept.
  static std::shared_ptr<const Code> parse(const std::string& name, std::string in_params,
                                           std::string out_params, std::string operation,
                                           std::string preamble, std::string derivative,
                                           bool is_value = false);

  const std::string& name() const { return parsed_.texts.name; }
  const std::vector<CodeParameter>& params() const { return parsed_.params; }
  const std::vector<CodeParameter>& results() const { return parsed_.results; }
  // Whether it reads i, the number of the element, which is the function's last argument and an i64.
  bool takes_index() const { return takes_index_; }

  // The function for these arguments, one a parameter. Error where types do not fit.
  FunctionRef of(std::span<const Argument> arguments) const;

 private:
  explicit Code(CodeTexts texts) : parsed_{.texts = std::move(texts)} {}

  ParsedCode parsed_;
  std::vector<std::string> kept_;
  bool takes_index_ = false;
};

}  // namespace weft::ir
