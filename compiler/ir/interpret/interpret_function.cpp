#include "compiler/ir/interpret/interpret_function.h"

#include "compiler/base/error.h"
#include "compiler/base/interrupted.h"
#include "compiler/ir/ops/evaluate.h"

namespace weft::ir {
namespace {

class FunctionRun {
 public:
  FunctionRun(const Function& f, bool (*stop)()) : f_(f), values_(f.values.size()), stop_(stop) {}

  std::vector<Scalar> run(std::span<const Scalar> arguments) {
    if (arguments.size() != f_.block.params.size())
      throw InternalError("interpret: a function got another number of arguments");
    for (size_t k = 0; k < arguments.size(); ++k) at(f_.block.params[k]) = arguments[k];
    body(f_.block);
    return given(f_.block);
  }

 private:
  static constexpr unsigned kTurnsBetweenLooks = 1 << 16;

  Scalar& at(int v) { return values_[static_cast<size_t>(v)]; }
  std::vector<Scalar> given(const Block& b) {
    std::vector<Scalar> out;
    out.reserve(b.gives.size());
    for (int v : b.gives) out.push_back(at(v));
    return out;
  }
  void body(const Block& b) {
    for (const Instruction& i : b.body) one(i);
  }
  void set(const std::vector<int>& names, const std::vector<Scalar>& values) {
    for (size_t k = 0; k < names.size(); ++k) at(names[k]) = values[k];
  }

  void one(const Instruction& i) {
    switch (i.kind) {
      case Instruction::Kind::Constant:
        at(i.outs[0]) = i.value;
        return;
      case Instruction::Kind::Map: {
        Scalar args[kMostOperands];
        for (size_t k = 0; k < i.args.size(); ++k) args[k] = at(i.args[k]);
        at(i.outs[0]) = evaluate_map(i.op, f_.values[static_cast<size_t>(i.outs[0])], {args, i.args.size()});
        return;
      }
      case Instruction::Kind::If: {
        const Block& taken = i.blocks[at(i.args[0]).i != 0 ? 0 : 1];
        body(taken);
        return set(i.outs, given(taken));
      }
      case Instruction::Kind::Read:
      case Instruction::Kind::Write:
        throw InternalError("apply: functions of graphs have no series");
      case Instruction::Kind::While:
        return loop(i);
    }
  }

  void loop(const Instruction& i) {
    const Block& head = i.blocks[0];
    std::vector<Scalar> carried;
    carried.reserve(i.args.size());
    for (int v : i.args) carried.push_back(at(v));
    for (;; carried = given(i.blocks[1])) {
      set(head.params, carried);
      body(head);
      if (at(head.gives[0]).i == 0) break;
      if (++turns_ % kTurnsBetweenLooks == 0 && stop_ && stop_()) throw Interrupted();
      body(i.blocks[1]);
    }
    set(i.outs, carried);
  }

  const Function& f_;
  std::vector<Scalar> values_;
  bool (*stop_)();
  unsigned turns_ = 0;
};

}  // namespace

std::vector<Scalar> run(const Function& function, std::span<const Scalar> arguments, bool (*stop)()) {
  return FunctionRun(function, stop).run(arguments);
}

}  // namespace weft::ir
