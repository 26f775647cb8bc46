// Functions of scalars, with branches and loops, that are applied to each element: they fuse into what makes their
// arguments and into what reads their results. docs/your_code.md tells how they run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/cpp/weft/array.h"
#include "frontend/cpp/weft/reductions.h"

namespace weft {

namespace ir {
struct Function;
class Code;
}  // namespace ir

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

  // The same, whose results verify() compares with those of `reference`: they may be `ulps` units of the last place off.
  // That takes the arguments, floats as f64 and complex numbers as c128. Error where it does not.
  ScalarFunction with_reference(const ScalarFunction& reference, double ulps = 4) const;

  // Each result for each element of the operands, which broadcast and are converted to the arguments' dtypes.
  std::vector<Array> operator()(std::span<const Operand> operands) const;
  std::vector<Array> operator()(std::initializer_list<Operand> operands) const {
    return (*this)(std::span(operands.begin(), operands.size()));
  }

 private:
  friend class Map;
  explicit ScalarFunction(std::shared_ptr<const ir::Function> function) : function_(std::move(function)) {}
  std::shared_ptr<const ir::Function> function_;
};

// One text for both targets, or one for each. Where no kernel is compiled, the CPU's is what is computed.
struct TargetTexts {
  std::string cpu, cuda;

  TargetTexts(std::string both) : cpu(both), cuda(std::move(both)) {}
  TargetTexts(const char* both) : TargetTexts(std::string(both)) {}
  TargetTexts(std::string on_cpu, std::string on_cuda) : cpu(std::move(on_cpu)), cuda(std::move(on_cuda)) {}
};

// An op of elements as text: statements in the form of C, which are a ScalarFunction for the dtypes of each call.
//
//   const Map elu = define_map("elu", "T x, T a", "T r", "r = x > 0 ? x : a * expm1(x)");
//   Array y = elu(x, 0.5);
class Map {
 public:
  const std::string& name() const;
  // How many arrays a call gives.
  size_t results() const;
  // Each result for each element of the operands, which broadcast. Error where a type does not fit.
  std::vector<Array> all(std::span<const Operand> operands) const;
  // The only result. Error where there are several.
  template <class... Operands>
  Array operator()(const Operands&... operands) const {
    const Operand list[] = {Operand(operands)...};
    return one({list, sizeof...(operands)});
  }
  Array one(std::span<const Operand> operands) const;
  // What is computed for operands of these dtypes.
  ScalarFunction function(std::span<const Operand> operands) const;
  ScalarFunction function(std::span<const DType> dtypes) const;

 private:
  friend struct MapText;
  friend Map define_map(const std::string&, const std::string&, const std::string&, const TargetTexts&,
                        const struct MapOptions&);
  explicit Map(std::shared_ptr<const ir::Code> code) : code_(std::move(code)) {}
  static std::shared_ptr<const ir::Function> shared(const ScalarFunction& f) { return f.function_; }
  std::shared_ptr<const ir::Code> code_;
};

// Statements about the parameters of an op; or another op of these parameters, which has them.
struct MapText {
  std::string text, preamble;

  MapText() = default;
  MapText(std::string statements) : text(std::move(statements)) {}
  MapText(const char* statements) : text(statements) {}
  MapText(const Map& map);
};

struct MapOptions {
  TargetTexts preamble = "";  // functions that the operation calls: "T half(T x) { return x / 2; }"
  MapText derivative = {};  // of each result r by each parameter x: "dr_dx = 1"; else it is computed forward
  // What verify() compares results with: the same results, computed in f64. They may be `ulps` units of the last place off.
  MapText reference = {};
  double ulps = 4;
  // The reference as a function for arguments of these dtypes, floats as f64 and complex numbers as c128.
  std::function<ScalarFunction(std::span<const DType>)> reference_of = {};
};

// The op that a text is, under a name that explain() and kernels show. `in_params` and `out_params` name types and
// values, as in "T x, float y"; one letter, or a name with a capital in front, is a type for whatever is given. Error
// at the line and column of what the text cannot have.
Map define_map(const std::string& name, const std::string& in_params, const std::string& out_params,
               const TargetTexts& operation, const MapOptions& options = {});

// A reduction as text. Each element becomes a state, states are joined in pairs, and what is left becomes the results.
struct ReductionTexts {
  std::string in_params, out_params;  // as for define_map()
  TargetTexts map = "";  // the state of an element: a value, or statements where `state` names variables
  TargetTexts join =
      "";  // of two states: a value of a and b; statements that assign m, …, of a_m, b_m, … with `state`
  TargetTexts post = "";  // statements that assign the results, of a, or of `state`'s variables; none: y = a
  std::string identity;   // the state of nothing: a value, or statements
  std::string state;      // types and names of a state's variables; none: one of the first result's type
  TargetTexts preamble = "";
};

class TextReduction {
 public:
  const std::string& name() const;
  size_t results() const;
  std::vector<Array> all(std::span<const Operand> operands, const Axes& axes = {},
                         bool keepdims = false) const;
  // The only result of one operand. Error where there are several.
  Array operator()(const Operand& x, const Axes& axes = {}, bool keepdims = false) const;

 private:
  struct State;
  friend TextReduction define_reduction(const std::string&, const ReductionTexts&);
  explicit TextReduction(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// Joins are taken for associative and commutative, and the identity for one. The order depends on the shape alone: the
// same bits with any number of threads. Sums and products, and the least and largest of integers, are Weft's own.
TextReduction define_reduction(const std::string& name, const ReductionTexts& texts);

}  // namespace weft
