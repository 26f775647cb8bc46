#include "compiler/derive/loops.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <string>

#include "compiler/base/error.h"
#include "compiler/derive/nodes.h"
#include "compiler/ir/build.h"
#include "compiler/ir/make_loop.h"

namespace weft::derive {
namespace {

using ir::Graph;
using ir::Loop;
using ir::Node;
using ir::NodeRef;

// A branch's first operand chooses, and its bodies do not get it.
size_t hidden_operands(const Loop& loop) { return loop.op == ir::Op::branch ? 1 : 0; }
size_t input_count(const Loop& loop) { return loop.operands.size() - hidden_operands(loop); }

NodeRef place(const char* name, size_t number, const ir::TensorType& type) {
  return ir::input(type, {nullptr, name + std::to_string(number), {}, 0});
}

// What of a body depends on the inputs that are derived by. What is carried is derived from the turn on in which it
// depends on them.
struct Active {
  std::vector<bool> inputs, outputs;

  Active(const Loop& loop, std::vector<bool> from, const OfBodies& of) : inputs(std::move(from)) {
    for (bool more = true; more;) {
      more = false;
      outputs.assign(loop.results.size(), false);
      for (size_t b = loop.op == ir::Op::while_loop ? 1 : 0; b < loop.bodies.size(); ++b) {
        const std::vector<bool> depend = of.depends(loop.bodies[b].outputs, wrt(loop.bodies[b]));
        for (size_t i = 0; i < depend.size(); ++i) outputs[i] = outputs[i] || depend[i];
      }
      for (size_t i = 0; i < loop.carries; ++i) {
        if (outputs[i] && !inputs[i]) inputs[i] = more = true;
        outputs[i] = inputs[i];
      }
    }
  }
  std::vector<NodeRef> wrt(const Graph& body) const {
    std::vector<NodeRef> nodes;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i]) nodes.push_back(body.inputs[i]);
    return nodes;
  }
};

// The operands of a new loop, in its order: first what is carried, then what is sliced, then the others.
class Operands {
 public:
  enum class Part : uint8_t { Carried, Sliced, Other };
  // `inside`: what each body calls it.
  void add(Part part, NodeRef operand, std::vector<NodeRef> inside) {
    parts_[static_cast<size_t>(part)].push_back({std::move(operand), std::move(inside)});
  }
  size_t count(Part part) const { return parts_[static_cast<size_t>(part)].size(); }
  std::vector<NodeRef> outside() const {
    std::vector<NodeRef> all;
    for (auto& part : parts_)
      for (const One& one : part) all.push_back(one.operand);
    return all;
  }
  std::vector<NodeRef> inside(size_t body) const {
    std::vector<NodeRef> all;
    for (auto& part : parts_)
      for (const One& one : part) all.push_back(one.inside[body]);
    return all;
  }

 private:
  struct One {
    NodeRef operand;
    std::vector<NodeRef> inside;
  };
  std::vector<One> parts_[3];
};

Operands::Part part_of(const Loop& loop, size_t input) {
  if (input < loop.carries) return Operands::Part::Carried;
  return input < loop.carries + loop.sliced ? Operands::Part::Sliced : Operands::Part::Other;
}

// The loop's own operands, but for the one that chooses.
void add_own(Operands& operands, const Node& node, bool carried) {
  const Loop& loop = *ir::loop_of(node);
  for (size_t i = 0; i < input_count(loop); ++i) {
    if (!carried && i < loop.carries) continue;
    std::vector<NodeRef> inside;
    inside.reserve(loop.bodies.size());
    for (const Graph& body : loop.bodies) inside.push_back(body.inputs[i]);
    operands.add(part_of(loop, i), node.inputs[i + hidden_operands(loop)], std::move(inside));
  }
}

// The new loop's results.
std::vector<NodeRef> finished(Loop made, const Operands& operands, const Node& node) {
  std::vector<NodeRef> outside = operands.outside();
  const Loop& loop = *ir::loop_of(node);
  if (hidden_operands(loop) > 0) outside.insert(outside.begin(), node.inputs[0]);
  for (size_t b = 0; b < made.bodies.size(); ++b) {
    made.bodies[b].inputs = operands.inside(b);
    if (hidden_operands(loop) == 0) made.bodies[b].inputs.push_back(loop.bodies[b].inputs.back());
  }
  made.op = loop.op;
  made.carries = operands.count(Operands::Part::Carried);
  made.sliced = operands.count(Operands::Part::Sliced);
  made.length = loop.length;
  return ir::results_of(ir::checked(std::move(made)), outside, node.lines);
}

std::vector<bool> of_inputs(const Loop& loop, const std::vector<bool>& of_operands) {
  return {of_operands.begin() + static_cast<std::ptrdiff_t>(hidden_operands(loop)), of_operands.end()};
}

// ---- back

struct Back {
  std::vector<NodeRef> given;  // stand for the results' cotangents; null where there is none
  std::vector<NodeRef> found;  // the inputs' cotangents; null where none is wanted
};

Back back_of(const Graph& body, const Active& active, std::span<const NodeRef> cotangents,
             const OfBodies& of) {
  Back back;
  for (size_t i = 0; i < cotangents.size(); ++i)
    back.given.push_back(cotangents[i] ? place("g", i, body.outputs[i]->type) : NodeRef());
  const std::vector<NodeRef> wrt = active.wrt(body);
  std::vector<NodeRef> found = of.vjp(body.outputs, wrt, back.given);
  for (size_t i = 0, next = 0; i < active.inputs.size(); ++i)
    back.found.push_back(active.inputs[i] ? found[next++] : NodeRef());
  return back;
}

std::vector<NodeRef> branch_vjp(const Node& node, std::span<const NodeRef> cotangents, const Active& active,
                                const OfBodies& of) {
  const Loop& loop = *ir::loop_of(node);
  Operands operands;
  add_own(operands, node, true);
  std::vector<Back> backs;
  Loop made;
  for (const Graph& body : loop.bodies) {
    backs.push_back(back_of(body, active, cotangents, of));
    Graph& back = made.bodies.emplace_back();
    for (const NodeRef& one : backs.back().found)
      if (one) back.outputs.push_back(one);
  }
  for (size_t i = 0; i < cotangents.size(); ++i) {
    if (!cotangents[i]) continue;
    std::vector<NodeRef> inside;
    inside.reserve(backs.size());
    for (const Back& back : backs) inside.push_back(back.given[i]);
    operands.add(Operands::Part::Other, cotangents[i], std::move(inside));
  }
  const std::vector<NodeRef> results = finished(std::move(made), operands, node);
  std::vector<NodeRef> found(node.inputs.size());
  for (size_t i = 0, next = 0; i < active.inputs.size(); ++i)
    if (active.inputs[i]) found[i + 1] = results[next++];
  return found;
}

// What the scan carried at the start of each turn, of the inputs that are read; null for the others.
std::vector<NodeRef> history(const Node& node, const std::vector<bool>& read) {
  const Loop& loop = *ir::loop_of(node);
  std::vector<NodeRef> found(loop.carries);
  if (std::find(read.begin(), read.end(), true) == read.end()) return found;
  Loop made = loop;
  made.operands.clear(), made.results.clear();
  Graph& body = made.bodies[0];
  for (size_t i = 0; i < loop.carries; ++i)
    if (read[i]) body.outputs.push_back(body.inputs[i]);
  const std::vector<NodeRef> results = ir::results_of(ir::checked(std::move(made)), node.inputs, node.lines);
  for (size_t i = 0, next = loop.results.size(); i < loop.carries; ++i)
    if (read[i]) found[i] = results[next++];
  return found;
}

std::vector<NodeRef> scan_vjp(const Node& node, std::span<const NodeRef> given, const Active& active,
                              const OfBodies& of) {
  using Part = Operands::Part;
  const Loop& loop = *ir::loop_of(node);
  const Graph& body = loop.bodies[0];
  std::vector<NodeRef> cotangents(given.begin(), given.end());
  for (size_t i = 0; i < cotangents.size(); ++i) {
    if (!active.outputs[i]) cotangents[i] = {};
    if (i < loop.carries && active.outputs[i]) cotangents[i] = or_zeros(cotangents[i], loop.results[i]);
  }
  const Back back = back_of(body, active, cotangents, of);
  Loop made;
  made.reverse = !loop.reverse;
  Graph& turn = made.bodies.emplace_back();
  Operands operands;
  std::vector<NodeRef> totals, slices;  // what the outer operands get: of values read in all turns, of slices
  for (size_t i = 0; i < loop.carries; ++i) {
    if (!active.inputs[i]) continue;
    operands.add(Part::Carried, cotangents[i], {back.given[i]});
    turn.outputs.push_back(back.found[i]);
  }
  for (size_t i = loop.carries; i < input_count(loop); ++i) {
    if (!active.inputs[i]) continue;
    if (part_of(loop, i) == Part::Sliced) {
      slices.push_back(back.found[i]);
      continue;
    }
    const NodeRef total = place("s", i, body.inputs[i]->type);
    operands.add(Part::Carried, zeros(total->type), {total});
    turn.outputs.push_back(ir::map(ir::Op::add, {total, back.found[i]}, node.lines));
  }
  turn.outputs.insert(turn.outputs.end(), slices.begin(), slices.end());
  ir::NodeSet used;
  for (const Node* one : ir::topological_order(turn.outputs)) used.insert(one);
  std::vector<bool> read;
  read.reserve(loop.carries);
  for (size_t i = 0; i < loop.carries; ++i) read.push_back(used.contains(body.inputs[i].get()));
  const std::vector<NodeRef> carried = history(node, read);
  for (size_t i = 0; i < loop.carries; ++i)
    if (carried[i]) operands.add(Part::Sliced, carried[i], {body.inputs[i]});
  add_own(operands, node, false);
  for (size_t i = loop.carries; i < cotangents.size(); ++i)
    if (cotangents[i]) operands.add(Part::Sliced, cotangents[i], {back.given[i]});
  const std::vector<NodeRef> results = finished(std::move(made), operands, node);
  std::vector<NodeRef> found(node.inputs.size());
  size_t next_total = 0, next_slice = operands.count(Part::Carried);
  for (size_t i = 0; i < found.size(); ++i) {
    if (!active.inputs[i]) continue;
    found[i] = part_of(loop, i) == Part::Sliced ? results[next_slice++] : results[next_total++];
  }
  return found;
}

}  // namespace

std::vector<NodeRef> loop_jvp(const Node& node, std::span<const NodeRef> tangents, const OfBodies& of) {
  const Loop& loop = *ir::loop_of(node);
  std::vector<bool> moved;
  moved.reserve(tangents.size());
  for (const NodeRef& one : tangents) moved.push_back(bool(one));
  const Active active(loop, of_inputs(loop, moved), of);
  Operands operands;
  add_own(operands, node, true);
  std::vector<std::vector<NodeRef>> places(loop.bodies.size());
  for (size_t i = 0; i < active.inputs.size(); ++i) {
    if (!active.inputs[i]) continue;
    const size_t operand = i + hidden_operands(loop);
    std::vector<NodeRef> inside;
    for (size_t b = 0; b < loop.bodies.size(); ++b) {
      inside.push_back(place("t", i, loop.bodies[b].inputs[i]->type));
      places[b].push_back(inside.back());
    }
    operands.add(part_of(loop, i), or_zeros(tangents[operand], loop.operands[operand]), std::move(inside));
  }
  Loop made;
  made.reverse = loop.reverse;
  const auto is_moved = [&](size_t i, bool carried) {
    return active.outputs[i] && (i < loop.carries) == carried;
  };
  for (size_t b = 0; b < loop.bodies.size(); ++b) {
    const Graph& body = loop.bodies[b];
    Graph& forward = made.bodies.emplace_back();
    forward.outputs = body.outputs;
    if (loop.op == ir::Op::while_loop && b == 0) continue;
    const std::vector<NodeRef> found = of.jvp(body.outputs, active.wrt(body), places[b]);
    const auto at_carries = forward.outputs.begin() + static_cast<std::ptrdiff_t>(loop.carries);
    std::vector<NodeRef> carried, stacked;
    for (size_t i = 0; i < found.size(); ++i) {
      if (is_moved(i, true)) carried.push_back(or_zeros(found[i], body.outputs[i]->type));
      if (is_moved(i, false)) stacked.push_back(or_zeros(found[i], body.outputs[i]->type));
    }
    forward.outputs.insert(at_carries, carried.begin(), carried.end());
    forward.outputs.insert(forward.outputs.end(), stacked.begin(), stacked.end());
  }
  const std::vector<NodeRef> results = finished(std::move(made), operands, node);
  std::vector<NodeRef> found(loop.results.size());
  size_t next = loop.carries;
  for (size_t i = 0; i < loop.carries; ++i)
    if (active.outputs[i]) found[i] = results[next++];
  next += loop.results.size() - loop.carries;
  for (size_t i = loop.carries; i < loop.results.size(); ++i)
    if (active.outputs[i]) found[i] = results[next++];
  return found;
}

std::vector<NodeRef> loop_vjp(const Node& node, std::span<const NodeRef> cotangents,
                              const std::vector<bool>& wanted, const OfBodies& of) {
  const Loop& loop = *ir::loop_of(node);
  if (loop.op == ir::Op::while_loop) {
    std::string text = "while_loop: it has no derivative back, since nobody knows how many turns it takes";
    if (!node.lines.empty()) text += ": at " + ir::to_string(node.lines);
    throw Error(text +
                "; fori_loop() and scan() of a known length have one, and jvp() goes forward through it");
  }
  const Active active(loop, of_inputs(loop, wanted), of);
  if (loop.op == ir::Op::branch) return branch_vjp(node, cotangents, active, of);
  return scan_vjp(node, cotangents, active, of);
}

}  // namespace weft::derive
