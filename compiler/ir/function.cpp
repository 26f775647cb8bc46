#include "compiler/ir/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/base/error.h"
#include "compiler/ir/loop_hash.h"

namespace weft::ir {

DType map_result(Op op, std::span<const DType> operands, DType stated) {
  const auto refuse = [&](const std::string& rule) {
    std::string got;
    for (DType t : operands) got += (got.empty() ? "" : ", ") + std::string(weft::name(t));
    throw TypeError(fmt::format("{}: {}: got {}", name(op), rule, got.empty() ? "nothing" : got));
  };
  const OpInfo& row = info(op);
  if (row.kind != OpKind::Map || op == Op::apply) refuse("is no op of a scalar function");
  if (operands.size() != static_cast<size_t>(row.arity)) refuse(fmt::format("takes {} operands", row.arity));
  if (op == Op::select) {
    if (operands[0] != DType::Bool) refuse("the condition must be bool");
    operands = operands.subspan(1);
  }
  for (DType t : operands)
    if (t != operands[0]) refuse("dtypes differ");
  const DType from = operands[0];
  if (!accepts(op, from)) refuse("does not take this dtype");
  if (op == Op::bitcast && (size_of(stated) != size_of(from) || stated == DType::Bool))
    refuse("dtypes must have the same size and the result must not be bool");
  return result_of(op, from, stated);
}

namespace {

constexpr float kTurns = 16;  // that a loop of unknown length counts as

// Walks a function once: checks each instruction, and gathers what its hash is made of.
class FunctionChecker {
 public:
  explicit FunctionChecker(Function& f) : f_(f), known_(f.values.size(), false) {}

  void run() {
    if (f_.block.params.empty()) fail("it has no arguments: give it one at least");
    if (f_.block.gives.empty()) fail("it has no results: return one value at least");
    for (const Series& s : f_.series) add(static_cast<uint64_t>(s.dtype) * 2 + s.written);
    f_.cost = block(f_.block);
    if (f_.derivative) derivative(*f_.derivative);
    if (f_.on_cuda) on_cuda(*f_.on_cuda);
    if (f_.reference) reference(*f_.reference);
    f_.hash = hash_bytes(words_.data(), words_.size() * sizeof(uint64_t));
  }

 private:
  [[noreturn]] void fail(const std::string& rule) const {
    throw Error(fmt::format("function {}: {}", f_.name, rule));
  }
  void add(uint64_t word) { words_.push_back(word); }

  // It takes what the function takes, and gives a derivative of each float result by each float argument.
  void derivative(const Function& d) {
    std::vector<DType> wanted;
    for (size_t r = 0; r < f_.block.gives.size(); ++r)
      for (size_t k = 0; k < f_.block.params.size(); ++k)
        if (is_float(f_.result(r)) && is_float(f_.argument(k))) wanted.push_back(f_.result(r));
    bool fits = d.block.params.size() == f_.block.params.size() && d.block.gives.size() == wanted.size();
    for (size_t k = 0; fits && k < f_.block.params.size(); ++k) fits = d.argument(k) == f_.argument(k);
    for (size_t k = 0; fits && k < wanted.size(); ++k) fits = d.result(k) == wanted[k];
    if (!fits)
      fail(
          "its derivative has to take its arguments, and to give one value of each float result by each "
          "float argument");
    add(d.hash.low);
    add(d.hash.high);
  }

  void on_cuda(const Function& c) {
    bool fits =
        c.block.params.size() == f_.block.params.size() && c.block.gives.size() == f_.block.gives.size();
    for (size_t k = 0; fits && k < f_.block.params.size(); ++k) fits = c.argument(k) == f_.argument(k);
    for (size_t k = 0; fits && k < f_.block.gives.size(); ++k) fits = c.result(k) == f_.result(k);
    if (!fits) fail("what CUDA computes has to take and to give the same dtypes");
    add(~uint64_t{0});  // so that it is not taken for a derivative
    add(c.hash.low);
    add(c.hash.high);
  }

  // It takes the widened arguments, and gives a number for each result that can be compared with it.
  void reference(const Function& r) const {
    bool fits = r.block.params.size() == f_.block.params.size();
    for (size_t k = 0; fits && k < f_.block.params.size(); ++k)
      fits = r.argument(k) == widened(f_.argument(k));
    if (!fits) fail("its reference has to take its arguments, floats as f64 and complex numbers as c128");
    fits = r.block.gives.size() == f_.block.gives.size();
    for (size_t k = 0; fits && k < f_.block.gives.size(); ++k) {
      const DType is = f_.result(k), ought = r.result(k);
      fits = is_complex(is) || (is_float(is) ? !is_complex(ought) : !is_float(ought) && !is_complex(ought));
    }
    if (!fits) fail("its reference has to give a number of the same kind for each result");
    if (!(f_.ulps >= 0)) fail(fmt::format("ulps is 0 or more: got {}", f_.ulps));
  }

  DType read(int v) {
    if (v < 0 || static_cast<size_t>(v) >= known_.size() || !known_[static_cast<size_t>(v)])
      fail(fmt::format("value {} is read where it is not defined", v));
    add(number_[static_cast<size_t>(v)]);
    return dtype(v);
  }
  DType dtype(int v) const { return f_.values[static_cast<size_t>(v)]; }
  void define(int v, DType t) {
    if (v < 0 || static_cast<size_t>(v) >= known_.size()) fail(fmt::format("there is no value {}", v));
    const auto at = static_cast<size_t>(v);
    if (number_.size() <= at) number_.resize(known_.size());
    if (known_[at]) fail(fmt::format("value {} is defined twice", v));
    if (f_.values[at] != t)
      fail(fmt::format("value {} is {}, but {} is stated", v, name_of(t), name_of(f_.values[at])));
    known_[at] = true;
    scope_.push_back(v);
    number_[at] = next_++;
    add(static_cast<uint64_t>(t));
  }
  static std::string_view name_of(DType t) { return weft::name(t); }

  void leave(size_t depth) {
    for (; scope_.size() > depth; scope_.pop_back()) known_[static_cast<size_t>(scope_.back())] = false;
  }

  float instructions(const Block& b) {
    float cost = 0;
    add(b.params.size());
    for (int p : b.params) define(p, dtype(p));
    add(b.body.size());
    for (const Instruction& i : b.body) cost += one(i);
    add(b.gives.size());
    for (int v : b.gives) read(v);
    return cost;
  }
  float block(const Block& b) {
    const size_t depth = scope_.size();
    const float cost = instructions(b);
    leave(depth);
    return cost;
  }

  float one(const Instruction& i) {
    add(static_cast<uint64_t>(i.kind));
    std::vector<DType> args;
    args.reserve(i.args.size());
    add(i.args.size());
    for (int a : i.args) args.push_back(read(a));
    const bool branches = i.kind == Instruction::Kind::If || i.kind == Instruction::Kind::While;
    if (i.blocks.size() != (branches ? 2u : 0u)) fail("branches and loops have two blocks, others none");
    switch (i.kind) {
      case Instruction::Kind::Map:
        if (i.outs.size() != 1) fail("a map has one result");
        add(static_cast<uint64_t>(i.op));
        define(i.outs[0], map_result(i.op, args, dtype(i.outs[0])));
        return std::max(info(i.op).cost, 0.25f);
      case Instruction::Kind::Constant:
        if (i.outs.size() != 1 || !i.args.empty()) fail("a constant has one result and no operands");
        add(static_cast<uint64_t>(i.value.i));
        add(std::bit_cast<uint64_t>(i.value.re));
        add(std::bit_cast<uint64_t>(i.value.im));
        define(i.outs[0], i.value.dtype);
        return 0;
      case Instruction::Kind::If:
        return branch(i, args);
      case Instruction::Kind::While:
        return loop(i, args);
      case Instruction::Kind::Read:
      case Instruction::Kind::Write:
        return access(i, args);
    }
    return 0;
  }

  float access(const Instruction& i, const std::vector<DType>& args) {
    const bool writes = i.kind == Instruction::Kind::Write;
    if (i.series >= f_.series.size()) fail(fmt::format("there is no series {}", i.series));
    const Series& s = f_.series[i.series];
    add(i.series);
    if (s.written != writes || args.size() != (writes ? 2u : 1u) || i.outs.size() != (writes ? 0u : 1u) ||
        args[0] != DType::I64 || (writes && args[1] != s.dtype))
      fail("a series is read, or written, at a turn");
    if (!writes) define(i.outs[0], s.dtype);
    return 1;
  }

  void check_given(const Block& b, const std::vector<int>& outs, std::string_view what) const {
    if (b.gives.size() != outs.size())
      fail(fmt::format("{} gives {} values, {} are wanted", what, b.gives.size(), outs.size()));
    for (size_t k = 0; k < outs.size(); ++k)
      if (dtype(b.gives[k]) != dtype(outs[k]))
        fail(fmt::format("{} gives {} as its value {}, {} is wanted", what, name_of(dtype(b.gives[k])), k,
                         name_of(dtype(outs[k]))));
  }

  float branch(const Instruction& i, const std::vector<DType>& args) {
    if (args.size() != 1 || args[0] != DType::Bool) fail("if takes one bool");
    const float first = block(i.blocks[0]), second = block(i.blocks[1]);
    for (const Block& b : i.blocks) {
      if (!b.params.empty()) fail("a branch takes no values");
      check_given(b, i.outs, "a branch");
    }
    for (int v : i.outs) define(v, dtype(v));
    return first + second + static_cast<float>(i.outs.size()) * 0.5f + 1;
  }

  float loop(const Instruction& i, const std::vector<DType>& args) {
    f_.loops = true;
    const Block &head = i.blocks[0], &tail = i.blocks[1];
    if (head.params.size() != args.size() || i.outs.size() != args.size())
      fail("while carries as many values as it takes and gives");
    for (size_t k = 0; k < args.size(); ++k)
      if (dtype(head.params[k]) != args[k] || dtype(i.outs[k]) != args[k])
        fail(fmt::format("while carries {} as its value {}, but takes {}", name_of(dtype(head.params[k])), k,
                         name_of(args[k])));
    const size_t depth = scope_.size();
    float cost = instructions(head);
    if (head.gives.size() != 1 || dtype(head.gives[0]) != DType::Bool) fail("while tests one bool");
    if (!tail.params.empty()) fail("the body of while takes no values");
    cost += instructions(tail);
    leave(depth);
    check_given(tail, i.outs, "the body of while");
    for (int v : i.outs) define(v, dtype(v));
    return kTurns * (cost + 1);
  }

  Function& f_;
  std::vector<bool> known_;
  std::vector<uint64_t> number_;
  std::vector<int> scope_;
  uint64_t next_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace

FunctionRef checked(Function function) {
  FunctionChecker(function).run();
  return std::make_shared<const Function>(std::move(function));
}

const Hash& hash_of(const Function& function) { return function.hash; }

float cost_of(const Node& node) { return is_apply(node) ? function_of(node)->cost : info(node.op).cost; }

}  // namespace weft::ir
