#include "compiler/ir/make_loop.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/infer.h"
#include "compiler/ir/loop_hash.h"

namespace weft::ir {
namespace {

// More than any limit, and still to be added up.
constexpr int64_t kVeryMuch = int64_t{1} << 40;

std::string spelled(const TensorType& type) { return std::string(name(type.dtype)) + to_string(type.shape); }

bool has_turn(Op op) { return op != Op::branch; }

// What a turn does: elements of all nodes of the body.
int64_t work_of(const Graph& body) {
  int64_t work = 1;
  for (const Node* node : topological_order(body.outputs)) {
    const int64_t own = is_loop(*node) ? loop_of(*node)->work : element_count(node->shape());
    work = std::min(work + own, kVeryMuch);
  }
  return work;
}

int64_t times(int64_t turns, int64_t work) {
  int64_t all = 0;
  return __builtin_mul_overflow(turns, work, &all) ? kVeryMuch : std::min(all, kVeryMuch);
}

class LoopChecker {
 public:
  explicit LoopChecker(Loop& loop) : loop_(loop) {}

  void run() {
    const size_t least = loop_.op == Op::while_loop ? 2 : 1;
    if (loop_.bodies.size() < least) {
      fail(loop_.op, loop_.op == Op::branch ? "takes one body at least" : "lacks a body",
           std::to_string(loop_.bodies.size()));
    }
    if (loop_.length < 0) fail(loop_.op, "the length is not negative", std::to_string(loop_.length));
    for (const Graph& body : loop_.bodies) check_inputs(body);
    find_operands();
    if (loop_.op == Op::scan)
      find_scanned();
    else if (loop_.op == Op::while_loop)
      find_carried();
    else
      find_chosen();
    find_hash();
    find_work();
  }

 private:
  void check_inputs(const Graph& body) const {
    const size_t inputs = body.inputs.size(), turn = has_turn(loop_.op) ? 1 : 0;
    if (inputs < loop_.carries + loop_.sliced + turn)
      fail(loop_.op, "a body takes what is carried and sliced" + std::string(turn ? ", and the turn" : ""),
           std::to_string(inputs) + " inputs");
    for (size_t i = 0; i < inputs; ++i) {
      const Node& in = *body.inputs[i];
      const bool is_turn = turn && i + 1 == inputs;
      const bool fits =
          is_turn ? in.op == Op::scalar && in.type == TensorType{DType::I64, {}} : in.op == Op::input;
      if (!fits)
        fail(loop_.op,
             is_turn ? "a body's last input is the turn, a scalar i64[]" : "a body's inputs are arrays",
             std::string(name(in.op)) + " " + spelled(in.type));
      if (!is_turn && in.type != loop_.bodies[0].inputs[i]->type)
        fail(loop_.op, "its bodies take the same operands",
             spelled(in.type) + " for " + spelled(loop_.bodies[0].inputs[i]->type));
    }
    if (inputs != loop_.bodies[0].inputs.size())
      fail(loop_.op, "its bodies take the same operands",
           std::to_string(inputs) + " and " + std::to_string(loop_.bodies[0].inputs.size()));
  }

  void find_operands() {
    const auto& inputs = loop_.bodies[0].inputs;
    if (!has_turn(loop_.op)) loop_.operands.push_back({DType::I64, {}});
    for (size_t i = 0; i + (has_turn(loop_.op) ? 1 : 0) < inputs.size(); ++i) {
      TensorType type = inputs[i]->type;
      if (i >= loop_.carries && i < loop_.carries + loop_.sliced) type = stacked(type);
      loop_.operands.push_back(std::move(type));
    }
  }

  TensorType stacked(const TensorType& one) const {
    TensorType all{one.dtype, {}};
    all.shape.push_back(loop_.length);
    for (const int64_t extent : one.shape) all.shape.push_back(extent);
    check_size(name(loop_.op), all.shape, size_of(all.dtype));
    return all;
  }

  void check_carried(const Graph& body) const {
    if (body.outputs.size() < loop_.carries)
      fail(loop_.op, "the body gives what it carries",
           std::to_string(body.outputs.size()) + " of " + std::to_string(loop_.carries));
    for (size_t i = 0; i < loop_.carries; ++i) {
      const TensorType &got = body.outputs[i]->type, &wanted = body.inputs[i]->type;
      if (got != wanted)
        fail(loop_.op,
             "what is carried keeps its dtype and its shape: carried value " + std::to_string(i) + " is " +
                 spelled(wanted),
             spelled(got));
    }
  }

  void find_scanned() {
    const Graph& body = loop_.bodies[0];
    check_carried(body);
    for (size_t i = 0; i < body.outputs.size(); ++i)
      loop_.results.push_back(i < loop_.carries ? body.outputs[i]->type : stacked(body.outputs[i]->type));
  }

  void find_carried() {
    const Graph &condition = loop_.bodies[0], &body = loop_.bodies[1];
    if (condition.outputs.size() != 1 || condition.outputs[0]->type != TensorType{DType::Bool, {}})
      fail(loop_.op, "the condition gives one bool[]",
           condition.outputs.size() == 1 ? spelled(condition.outputs[0]->type)
                                         : std::to_string(condition.outputs.size()) + " values");
    check_carried(body);
    if (body.outputs.size() != loop_.carries)
      fail(loop_.op, "the body gives what it carries",
           std::to_string(body.outputs.size()) + " of " + std::to_string(loop_.carries));
    for (size_t i = 0; i < loop_.carries; ++i) loop_.results.push_back(body.inputs[i]->type);
  }

  void find_chosen() {
    for (const NodeRef& out : loop_.bodies[0].outputs) loop_.results.push_back(out->type);
    for (const Graph& body : loop_.bodies) {
      if (body.outputs.size() != loop_.results.size())
        fail(loop_.op, "all bodies give as many results",
             std::to_string(body.outputs.size()) + " and " + std::to_string(loop_.results.size()));
      for (size_t i = 0; i < body.outputs.size(); ++i)
        if (body.outputs[i]->type != loop_.results[i])
          fail(loop_.op, "all bodies give results of one dtype and shape: result " + std::to_string(i),
               spelled(body.outputs[i]->type) + " and " + spelled(loop_.results[i]));
    }
  }

  void find_hash() {
    std::vector<uint64_t> words{static_cast<uint64_t>(loop_.op), loop_.carries, loop_.sliced,
                                static_cast<uint64_t>(loop_.length), loop_.reverse ? 1U : 0U};
    for (const Graph& body : loop_.bodies) {
      const Hash hash = hash_graph(body);
      words.insert(words.end(), {hash.low, hash.high});
    }
    loop_.hash = hash_bytes(words.data(), words.size() * sizeof(uint64_t));
  }

  void find_work() {
    int64_t most = 0;
    for (const Graph& body : loop_.bodies) most = std::max(most, work_of(body));
    loop_.work = loop_.op == Op::scan         ? times(loop_.length, most)
                 : loop_.op == Op::while_loop ? kVeryMuch
                                              : most;
  }

  Loop& loop_;
};

}  // namespace

const Hash& hash_of(const Loop& loop) { return loop.hash; }

NodeRef turn_input() { return scalar({DType::I64, {}}, "turn"); }

LoopRef checked(Loop loop) {
  LoopChecker(loop).run();
  return std::make_shared<const Loop>(std::move(loop));
}

std::vector<NodeRef> results_of(const LoopRef& loop, std::span<const NodeRef> operands, const Lines& lines) {
  std::vector<NodeRef> results;
  results.reserve(loop->results.size());
  for (size_t i = 0; i < loop->results.size(); ++i)
    results.push_back(make(loop->op, Inputs(operands), LoopAttr{loop, static_cast<int64_t>(i)}, {}, lines));
  return results;
}

std::vector<NodeRef> inlined(const Graph& graph, std::span<const NodeRef> inputs, const Remade& remade) {
  std::unordered_map<const Node*, NodeRef> now;
  for (size_t i = 0; i < inputs.size(); ++i) now[graph.inputs[i].get()] = inputs[i];
  std::vector<NodeRef> operands;
  for (const Node* node : topological_order(graph.outputs)) {
    if (now.contains(node)) continue;
    bool changed = false;
    operands.clear();
    for (const NodeRef& in : node->inputs) {
      operands.push_back(now.at(in.get()));
      changed |= operands.back() != in;
    }
    NodeRef& made = now[node] = changed ? with_inputs(*node, operands) : NodeRef(node);
    if (changed && remade) remade(NodeRef(node), made);
  }
  std::vector<NodeRef> outputs;
  outputs.reserve(graph.outputs.size());
  for (const NodeRef& out : graph.outputs) outputs.push_back(now.at(out.get()));
  return outputs;
}

}  // namespace weft::ir
