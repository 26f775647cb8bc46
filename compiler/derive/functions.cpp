#include "compiler/derive/functions.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/derive/derive.h"
#include "compiler/derive/nodes.h"
#include "compiler/derive/rules.h"

namespace weft::derive {
namespace {

using ir::Block;
using ir::Function;
using ir::FunctionRef;
using ir::Instruction;
using ir::NodeRef;
using ir::Op;

constexpr int kZero = -1;

// Writes the function again, and beside each float its derivatives by the float arguments, one after the other. Values
// keep their numbers; those of derivatives come behind them.
class Forward {
 public:
  explicit Forward(const Function& f) : from_(f) {
    to_.name = "d_" + f.name;
    to_.values = f.values;
    for (const int p : f.block.params)
      if (has_tangents(dtype(p))) wanted_.push_back(p);
    tangents_.resize(f.values.size());
  }

  FunctionRef run() {
    const auto no_complex = [&](const std::vector<int>& values, const char* what) {
      for (const int v : values)
        if (is_complex(dtype(v)))
          throw Error(from_.name + ": it has no derivative: " + what +
                      " is complex: take and return its real and its imaginary part");
    };
    no_complex(from_.block.params, "an argument");
    no_complex(from_.block.gives, "a result");
    to_.block.params = from_.block.params;
    for (size_t k = 0; k < wanted_.size(); ++k) {
      auto& own = tangents_of(wanted_[k]);
      own.assign(wanted_.size(), kZero);
      own[k] = constant(to_.block, dtype(wanted_[k]), 1);
    }
    instructions(from_.block, to_.block);
    for (const int v : from_.block.gives)
      if (has_tangents(dtype(v)))
        for (size_t k = 0; k < wanted_.size(); ++k) to_.block.gives.push_back(or_zero(to_.block, v, k));
    if (to_.block.gives.empty())
      throw Error(from_.name + ": it has no derivative: it has no arguments or no results that are floats");
    return checked(std::move(to_));
  }

 private:
  using Tangents = std::vector<int>;  // by the wanted arguments; empty: all are zero

  DType dtype(int v) const { return to_.values[static_cast<size_t>(v)]; }
  Tangents& tangents_of(int v) { return tangents_[static_cast<size_t>(v)]; }
  int tangent(int v, size_t k) {
    const Tangents& all = tangents_of(v);
    return all.empty() ? kZero : all[k];
  }
  int fresh(DType t) {
    to_.values.push_back(t);
    return static_cast<int>(to_.values.size()) - 1;
  }
  int constant(Block& b, DType t, double value) {
    Instruction i{Instruction::Kind::Constant};
    i.value = Scalar::of(value).cast(t);
    i.outs = {fresh(t)};
    b.body.push_back(i);
    return i.outs[0];
  }
  int or_zero(Block& b, int v, size_t k) {
    const int t = tangent(v, k);
    return t == kZero ? constant(b, dtype(v), 0) : t;
  }

  void instructions(const Block& from, Block& to) {
    for (const Instruction& i : from.body) switch (i.kind) {
        case Instruction::Kind::Constant:
          to.body.push_back(i);
          break;
        case Instruction::Kind::Map:
          map(i, to);
          break;
        case Instruction::Kind::If:
          branch(i, to);
          break;
        case Instruction::Kind::While:
          loop(i, to);
          break;
        case Instruction::Kind::Read:
        case Instruction::Kind::Write:
          throw InternalError("apply: functions of graphs have no series");
      }
  }

  // The derivative is that of a node of scalars, whose nodes become instructions.
  void map(const Instruction& i, Block& to) {
    to.body.push_back(i);
    const int out = i.outs[0];
    if (!has_tangents(dtype(out))) return;
    ir::NodeMap<int> known;
    std::vector<NodeRef> alive;  // whatever `known` has: another node at its place would be taken for it
    const auto given = [&](int v) {
      NodeRef node = ir::input({dtype(v), {}}, {nullptr, "v" + std::to_string(known.size()), {}, 0});
      known.emplace(node.get(), v);
      alive.push_back(node);
      return node;
    };
    std::vector<NodeRef> operands;
    operands.reserve(i.args.size());
    for (const int a : i.args) operands.push_back(given(a));
    const NodeRef node = ir::make(i.op, operands, {}, {dtype(out), {}});
    known.emplace(node.get(), out);
    Tangents own(wanted_.size(), kZero);
    for (size_t k = 0; k < wanted_.size(); ++k) {
      std::vector<NodeRef> tangents;
      bool any = false;
      for (const int a : i.args) {
        const int t = has_tangents(dtype(a)) ? tangent(a, k) : kZero;
        tangents.push_back(t == kZero ? NodeRef() : given(t));
        any |= t != kZero;
      }
      const NodeRef made = any ? tangent_of(*node, tangents) : NodeRef();
      if (!made) continue;
      alive.push_back(made);
      own[k] = instructions_of(made, known, to);
    }
    if (std::ranges::any_of(own, [](int t) { return t != kZero; })) tangents_of(out) = std::move(own);
  }

  int instructions_of(const NodeRef& made, ir::NodeMap<int>& known, Block& to) {
    for (const ir::Node* n : ir::topological_order({&made, 1})) {
      if (known.contains(n)) continue;
      Instruction i;
      if (n->op == Op::constant) {
        i.kind = Instruction::Kind::Constant;
        i.value = n->as<ir::ConstantAttr>().value;
      } else if (ir::kind(n->op) == ir::OpKind::Map && n->op != Op::apply) {
        i.op = n->op;
        for (const NodeRef& in : n->inputs) i.args.push_back(known.at(in.get()));
      } else {
        throw InternalError("derive: the derivative of a map has " + std::string(ir::name(n->op)));
      }
      i.outs = {fresh(n->dtype())};
      known.emplace(n, i.outs[0]);
      to.body.push_back(std::move(i));
    }
    return known.at(made.get());
  }

  void branch(const Instruction& from, Block& to) {
    Instruction i = from;
    for (size_t side = 0; side < 2; ++side) {
      i.blocks[side].body.clear();
      instructions(from.blocks[side], i.blocks[side]);
    }
    for (size_t r = 0; r < from.outs.size(); ++r) {
      const int out = from.outs[r];
      if (!has_tangents(dtype(out))) continue;
      Tangents own(wanted_.size(), kZero);
      bool any = false;
      for (size_t k = 0; k < wanted_.size(); ++k) {
        const int a = from.blocks[0].gives[r], b = from.blocks[1].gives[r];
        if (tangent(a, k) == kZero && tangent(b, k) == kZero) continue;
        i.blocks[0].gives.push_back(or_zero(i.blocks[0], a, k));
        i.blocks[1].gives.push_back(or_zero(i.blocks[1], b, k));
        i.outs.push_back(own[k] = fresh(dtype(out)));
        any = true;
      }
      if (any) tangents_of(out) = std::move(own);
    }
    to.body.push_back(std::move(i));
  }

  // Which derivatives a loop carries is found by trying: those that come in, and those that a turn makes of them.
  void loop(const Instruction& from, Block& to) {
    const size_t carried = from.args.size(), wanted = wanted_.size();
    std::vector<char> moving(carried * wanted);
    for (size_t c = 0; c < carried; ++c)
      for (size_t k = 0; k < wanted; ++k)
        moving[c * wanted + k] = has_tangents(dtype(from.args[c])) && tangent(from.args[c], k) != kZero;
    for (bool grown = true; grown;) {
      grown = false;
      Instruction i = from;
      for (Block& b : i.blocks) b.body.clear();
      for (size_t c = 0; c < carried; ++c) {
        const int p = from.blocks[0].params[c];
        Tangents own(wanted, kZero);
        for (size_t k = 0; k < wanted; ++k)
          if (moving[c * wanted + k]) i.blocks[0].params.push_back(own[k] = fresh(dtype(p)));
        tangents_of(p) = std::move(own);
      }
      instructions(from.blocks[0], i.blocks[0]);
      instructions(from.blocks[1], i.blocks[1]);
      for (size_t c = 0; c < carried; ++c)
        for (size_t k = 0; k < wanted; ++k) {
          const int next = from.blocks[1].gives[c];
          if (moving[c * wanted + k] || !has_tangents(dtype(next)) || tangent(next, k) == kZero) continue;
          moving[c * wanted + k] = true;
          grown = true;
        }
      if (!grown) finish_loop(from, std::move(i), moving, to);
    }
  }

  void finish_loop(const Instruction& from, Instruction i, const std::vector<char>& moving, Block& to) {
    const size_t wanted = wanted_.size();
    for (size_t c = 0; c < from.args.size(); ++c) {
      Tangents own(wanted, kZero);
      for (size_t k = 0; k < wanted; ++k) {
        if (!moving[c * wanted + k]) continue;
        i.args.push_back(or_zero(to, from.args[c], k));
        i.blocks[1].gives.push_back(or_zero(i.blocks[1], from.blocks[1].gives[c], k));
        i.outs.push_back(own[k] = fresh(dtype(from.args[c])));
      }
      tangents_of(from.outs[c]) = std::move(own);
    }
    to.body.push_back(std::move(i));
  }

  const Function& from_;
  Function to_;
  std::vector<int> wanted_;
  std::vector<Tangents> tangents_;  // of the values of the function that is derived
};

}  // namespace

FunctionRef partials(const FunctionRef& function) {
  if (function->derivative) return function->derivative;
  FunctionRef made = Forward(*function).run();
  if (!function->on_cuda) return made;
  Function both = *made;
  both.on_cuda = Forward(*function->on_cuda).run();
  return checked(std::move(both));
}

int partial_number(const Function& f, size_t result, size_t argument) {
  if (!has_tangents(f.result(result)) || !has_tangents(f.argument(argument))) return -1;
  int arguments = 0, before = 0, results = 0;
  for (size_t k = 0; k < f.block.params.size(); ++k) {
    const bool counts = has_tangents(f.argument(k));
    arguments += counts;
    before += counts && k < argument;
  }
  for (size_t k = 0; k < result; ++k) results += has_tangents(f.result(k));
  return results * arguments + before;
}

}  // namespace weft::derive
