// What the functions of both targets are written alike by: the blocks of a scalar function, one statement after another.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/emit/function_name.h"
#include "compiler/emit/spell.h"
#include "compiler/ir/function.h"
#include "compiler/plan/plan.h"

namespace weft::emit {

// No variable is const: Clang looks through those that are, again at each use, whether they
// are constants, so that twenty returns in a row took it as many seconds.
class FunctionWriter {
 public:
  FunctionWriter(const ir::Function& f, const Dialect& dialect) : f_(f), dialect_(dialect) {
    for (const DType t : f.values) program_.values.push_back({t, false});
  }
  virtual ~FunctionWriter() = default;
  FunctionWriter(const FunctionWriter&) = delete;
  FunctionWriter& operator=(const FunctionWriter&) = delete;

  // `head`: how the function is declared; `mask`: the type of its first argument.
  std::string write(const std::string& head, const std::string& mask, const std::string& before) {
    const std::string name = name_of(f_), result = name + "_results";
    std::string members, params, results;
    for (size_t k = 0; k < f_.block.gives.size(); ++k) {
      members += fmt::format(" {} r{};", outer_type(f_.block.gives[k]), k);
      results += (k ? ", " : "") + handed_out(f_.block.gives[k]);
    }
    for (int p : f_.block.params) params += fmt::format(", {} {}", outer_type(p), param_name(p));
    for (size_t k = 0; k < f_.series.size(); ++k) params += series_params(k);
    out_ = fmt::format("struct {} {{{} }};\n{} {} {}({} {}{}) {{\n{}", result, members, head, result, name,
                       mask, mask_name(), params, before);
    take_params();
    body(f_.block, "m0");
    return out_ + fmt::format("  return {{{}}};\n}}\n", results);
  }

 protected:
  static std::string v(int value) { return fmt::format("v{}", value); }
  DType dtype(int value) const { return f_.values[static_cast<size_t>(value)]; }
  // Of a value that is handed in or out, and within.
  std::string outer_type(int value) const { return dialect_.value_type(dtype(value)); }
  virtual std::string type(int value) const { return outer_type(value); }
  // What parameters are called before take_params() makes them what they are within, and a result as it is handed out.
  virtual std::string param_name(int param) const { return v(param); }
  virtual std::string mask_name() const { return "m0"; }
  virtual void take_params() {}
  virtual std::string handed_out(int value) const { return v(value); }
  virtual std::string constant(const Scalar& value) const {
    return dialect_.splat(value.dtype, literal(value));
  }
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }
  void open(const std::string& text) {
    line(text);
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }

  void body(const ir::Block& b, const std::string& mask) {
    for (const ir::Instruction& i : b.body) switch (i.kind) {
        case ir::Instruction::Kind::Map:
          line(fmt::format("{} {} = {};", type(i.outs[0]), v(i.outs[0]), map(i)));
          break;
        case ir::Instruction::Kind::Constant:
          line(fmt::format("{} {} = {};", type(i.outs[0]), v(i.outs[0]), constant(i.value)));
          break;
        case ir::Instruction::Kind::If:
          branch(i, mask);
          break;
        case ir::Instruction::Kind::While:
          loop(i, mask);
          break;
        case ir::Instruction::Kind::Read:
          line(fmt::format("{} {} = {};", type(i.outs[0]), v(i.outs[0]), read_series(i, mask)));
          break;
        case ir::Instruction::Kind::Write:
          line(write_series(i, mask));
          break;
      }
  }

  virtual std::string map(const ir::Instruction& i) const {
    return spell(plan::Let{i.outs[0], i.op, i.args}, program_, dialect_, [](plan::Value x) { return v(x); });
  }
  // Where the elements of turn 0 are, and how far apart those of two turns.
  virtual std::string series_params(size_t k) const = 0;
  virtual std::string read_series(const ir::Instruction& i, const std::string& mask) const = 0;
  virtual std::string write_series(const ir::Instruction& i, const std::string& mask) const = 0;
  virtual void branch(const ir::Instruction& i, const std::string& mask) = 0;
  virtual void loop(const ir::Instruction& i, const std::string& mask) = 0;
  // Sets what a loop carries to these expressions, which may read what they set.
  void carry(const std::vector<int>& params, const std::vector<std::string>& next) {
    for (size_t k = 0; k < params.size(); ++k)
      line(fmt::format("{} n{} = {};", type(params[k]), params[k], next[k]));
    for (int p : params) line(fmt::format("{} = n{};", v(p), p));
  }
  void take(const ir::Instruction& i) {
    for (size_t k = 0; k < i.args.size(); ++k) {
      const int p = i.blocks[0].params[k];
      line(fmt::format("{} {} = {};", type(p), v(p), v(i.args[k])));
    }
  }
  void leave(const ir::Instruction& i) {
    for (size_t k = 0; k < i.outs.size(); ++k)
      line(fmt::format("{} {} = {};", type(i.outs[k]), v(i.outs[k]), v(i.blocks[0].params[k])));
  }

  const ir::Function& f_;
  const Dialect& dialect_;
  plan::RowProgram program_;  // of the values alone: what spell() asks for
  std::string out_;
  size_t depth_ = 1;
};

}  // namespace weft::emit
