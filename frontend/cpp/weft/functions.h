// Functions of scalars, with branches and loops, that are applied to each element: they fuse into what makes their
// arguments and into what reads their results. docs/your_code.md tells how they run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft {

namespace ir {
struct Function;
}

class ScalarFunction {
 public:
  // The function that a text is, as docs/ir.md describes it. Error that points at what breaks a rule; `file_name` is
  // what the message calls the text.
  static ScalarFunction parse(std::string_view text, std::string_view file_name = "function");

  const std::string& name() const;
  std::vector<DType> arguments() const;
  std::vector<DType> results() const;
  std::string text() const;
  // The function of the same arguments that gives the derivative of each result by each argument, the first result's
  // first. Those by integers and of integers are left out. Error where an op has no derivative.
  ScalarFunction derivatives() const;

  // Each result for each element of the operands, which broadcast and are converted to the arguments' dtypes.
  std::vector<Array> operator()(std::span<const Operand> operands) const;
  std::vector<Array> operator()(std::initializer_list<Operand> operands) const {
    return (*this)(std::span(operands.begin(), operands.size()));
  }

 private:
  explicit ScalarFunction(std::shared_ptr<const ir::Function> function) : function_(std::move(function)) {}
  std::shared_ptr<const ir::Function> function_;
};

}  // namespace weft
