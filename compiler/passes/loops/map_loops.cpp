#include "compiler/passes/loops/map_loops.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/ir/build.h"
#include "compiler/ir/function.h"
#include "compiler/ir/make_loop.h"
#include "compiler/ir/ops/op.h"
#include "compiler/passes/assign.h"
#include "compiler/passes/loops/lanes.h"
#include "compiler/passes/loops/multiply_adds.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"

namespace weft::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Instruction;
using ir::Loop;
using ir::Node;
using ir::NodeRef;
using ir::Op;

constexpr size_t kMostLoopStates = 64;  // numbers that an element carries: more would not stay in registers
// A loop of fewer turns, which compute fewer elements together, takes less than a millisecond turn by turn. A kernel
// takes many to compile.
constexpr int64_t kTurnsWorthAKernel = 256, kWorkWorthAKernel = int64_t{1} << 16;
constexpr int64_t kCountedTurns = 16;  // as a function's cost counts a loop
constexpr size_t kMostConditions =
    8;  // of a scan's turn that are tried as the one that ends an element's turns

Graph simplified(const Graph& graph, const Options& options) {
  return share(simplify(graph, options), options);
}

// The graph where a bool array is this one value.
Graph with_value(const Graph& graph, const Node& array, bool value, const Options& options) {
  const Graph replaced = rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
    return &was == &array ? ir::constant(was.type, Scalar::of(value), was.lines) : now;
  });
  return simplified(replaced, options);
}

// What an `any` asks, of an `any` or of elements.
const NodeRef& asked(const NodeRef& any) {
  const NodeRef* x = &any->inputs[0];
  while ((*x)->op == Op::reshape || (*x)->op == Op::any) x = &(*x)->inputs[0];
  return *x;
}

// Sets what asks whether `each` holds for any element to this value.
void set_any(Graph& body, NodeRef& each, bool value, const Options& options) {
  body.outputs.push_back(each);
  const Graph replaced = rewrite_from(body, [&](const NodeRef& now, const Node& was) {
    return was.op == Op::any && asked(NodeRef(&was)) == each
               ? ir::constant(was.type, Scalar::of(value), was.lines)
               : now;
  });
  body = simplified(replaced, options);
  each = body.outputs.back();
  body.outputs.pop_back();
}

// The parts of a condition that all have to hold.
void split(const NodeRef& condition, std::vector<NodeRef>& parts) {
  if (condition->op != Op::logical_and && condition->op != Op::bitwise_and) {
    parts.push_back(condition);
    return;
  }
  for (const NodeRef& in : condition->inputs) split(in, parts);
}

// A loop's turn, as its kernels would compute it.
struct Turn {
  Graph body;              // gives what is carried
  Graph condition;         // of a while_loop: gives what has to hold for all elements alike
  NodeRef each;            // in the body: what has to hold for an element; null: nothing
  std::vector<bool> stay;  // of what is carried, what an element keeps for which `each` does not hold
};

// The function of the elements of results of one shape.
class Mapped {
 public:
  Mapped(const Loop& loop, std::span<const NodeRef> operands, const Turn& turn, const Options& options)
      : loop_(loop), operands_(operands), turn_(turn), options_(options) {}

  // Applications of the function, one for each root. None: why_not() says why.
  std::vector<NodeRef> run(const std::vector<size_t>& roots, const ir::Lines& lines) {
    if (turn_.each && !find_place(roots)) return {};
    Lanes lanes =
        trace(roots, turn_.each ? with_value(turn_.body, *turn_.each, true, options_) : turn_.body, true);
    if (!lanes.why_not().empty()) {
      why_not_ = lanes.why_not();
      return {};
    }
    ir::Function f = std::move(lanes.function());
    f.name = loop_.op == Op::scan ? "loop_of_" + std::to_string(loop_.length) + "_turns" : "while_loop";
    const ir::FunctionRef function = checked(std::move(f));
    std::vector<NodeRef> results;
    results.reserve(roots.size());
    for (size_t r = 0; r < roots.size(); ++r)
      results.push_back(
          ir::make(Op::apply, lanes.operands(), ir::ApplyAttr{function, static_cast<int64_t>(r)}, {}, lines));
    return results;
  }
  // The same as a kernel that walks along slices. Where it has no function why_not() says why.
  ir::LoopKernel walking(const std::vector<size_t>& roots) {
    ir::LoopKernel kernel;
    Lanes lanes = trace(roots, turn_.body, true);
    why_not_ = lanes.why_not();
    for (const NodeRef& operand : lanes.operands())
      if (why_not_.empty()) why_not_ = beyond_lanes(operand);
    if (!why_not_.empty()) return kernel;
    ir::Function f = std::move(lanes.function());
    f.name = "scan_of_" + std::to_string(loop_.length) + "_turns";
    // All that a lane does, of which a loop's turns count as some.
    auto weighed = std::make_shared<ir::Function>(*checked(std::move(f)));
    weighed->cost *= static_cast<float>(std::max<int64_t>(loop_.length / kCountedTurns, 1));
    kernel.function = std::move(weighed);
    kernel.lanes = lanes.shape();
    kernel.turns = loop_.length;
    kernel.operands = lanes.operands();
    for (const size_t root : roots)
      if (root < loop_.carries) kernel.results.push_back(root);
    kernel.series = std::move(series_);
    return kernel;
  }
  const std::string& why_not() const { return why_not_; }

  // Of what a turn gives.
  Shape shape_of_turn(size_t root) const {
    const Shape& shape = loop_.results[root].shape;
    return root < loop_.carries ? shape : Shape(std::span(shape.begin() + 1, shape.size() - 1));
  }

 private:
  struct State {
    size_t carry;
    Place at;
    int value;
  };

  // Where an element reads `each`: at one place, and of what stays where it does not hold.
  bool find_place(const std::vector<size_t>& roots) {
    why_not_ = "its condition is of any element, and a turn changes elements for which it does not hold";
    for (const size_t root : roots)
      if (!turn_.stay[root]) return false;
    const Lanes all = trace(roots, turn_.body, false);
    if (!all.why_not().empty()) {
      why_not_ = all.why_not();
      return false;
    }
    const std::vector<Place> places = all.places_of(*turn_.each);
    if (places.size() != 1) return false;
    place_ = places[0];
    states_.clear();
    counts_ = false;
    Lanes one(all.shape(), [&](const Node& input, const Place& at) { return input_of(one_, input, at); });
    one_ = &one;
    Block block;
    one.into(&block);
    set_outside(one);
    one.value(turn_.each, *place_);
    const bool fits = one.why_not().empty() && !counts_ &&
                      std::ranges::all_of(states_, [&](const State& s) { return turn_.stay[s.carry]; });
    if (fits) why_not_.clear();
    return fits;
  }

  void set_outside(Lanes& lanes) const {
    for (size_t i = loop_.carries + loop_.sliced; i < operands_.size(); ++i) {
      lanes.set_outside(turn_.body.inputs[i], operands_[i]);
      if (!turn_.condition.inputs.empty()) lanes.set_outside(turn_.condition.inputs[i], operands_[i]);
    }
  }

  size_t number_of(const Node& input) const {
    const auto find = [&](const std::vector<NodeRef>& inputs) {
      return static_cast<size_t>(
          std::ranges::find_if(inputs, [&](const NodeRef& in) { return in.get() == &input; }) -
          inputs.begin());
    };
    const size_t number = find(turn_.body.inputs);
    return number < turn_.body.inputs.size() ? number : find(turn_.condition.inputs);
  }

  int input_of(Lanes* lanes, const Node& input, const Place& at) {
    const size_t number = number_of(input);
    if (number < loop_.carries) return state(*lanes, number, at);
    if (number < loop_.carries + loop_.sliced) return slice(*lanes, operands_[number], at);
    counts_ = true;
    if (count_ < 0) count_ = lanes->fresh(DType::I64);
    if (!loop_.reverse) return count_;
    return lanes->map(Op::subtract, {last_, count_}, DType::I64);
  }

  int state(Lanes& lanes, size_t carry, const Place& at) {
    for (const State& s : states_)
      if (s.carry == carry && s.at == at) return s.value;
    if (states_.size() >= kMostLoopStates)
      return lanes.refuse("an element carries more than " + std::to_string(kMostLoopStates) + " numbers");
    states_.push_back({carry, at, lanes.fresh(loop_.operands[carry].dtype)});
    return states_.back().value;
  }

  // The element of this turn's slice.
  int slice(Lanes& lanes, const NodeRef& array, const Place& at) {
    if (const Scalar* value = constant_seen(*array)) return lanes.constant(*value);
    lanes.function().series.push_back({array->dtype(), false});
    series_.push_back({array, 0, at});
    return lanes.read(series_.size() - 1, lanes.value(turn_.body.inputs.back(), {}));
  }
  static const Scalar* constant_seen(const Node& array) {
    const Node* source = &array;
    while (views_one(source->op)) source = source->inputs[0].get();
    return source->op == Op::constant ? &source->as<ir::ConstantAttr>().value : nullptr;
  }

  // What turns stack.
  void write_slices(Lanes& lanes, const std::vector<size_t>& roots, const Graph& body) {
    for (const size_t root : roots) {
      if (root < loop_.carries) continue;
      const Place own = own_place(lanes.shape().size());
      const int value = lanes.value(body.outputs[root], own);
      if (value < 0) return;
      lanes.function().series.push_back({loop_.results[root].dtype, true});
      series_.push_back({{}, root, own});
      lanes.write(series_.size() - 1, lanes.value(turn_.body.inputs.back(), {}), value);
    }
  }

  // Why an operand of the function is no value of one lane, computed from the loop's operands.
  std::string beyond_lanes(const NodeRef& operand) const {
    std::vector<const Node*> stack{operand.get()};
    ir::NodeSet seen;
    for (const NodeRef& own : operands_) seen.insert(own.get());
    while (!stack.empty()) {
      const Node* n = stack.back();
      stack.pop_back();
      if (!seen.insert(n).second || ir::kind(n->op) == ir::OpKind::Source) continue;
      if (ir::kind(n->op) != ir::OpKind::Map && ir::kind(n->op) != ir::OpKind::View)
        return "a turn's " + std::string(ir::called(*n)) + " is no work of one element";
      for (const NodeRef& in : n->inputs) stack.push_back(in.get());
    }
    return {};
  }

  // The function; where it is not `whole`, only what each element reads is found.
  Lanes trace(const std::vector<size_t>& roots, const Graph& body, bool whole) {
    states_.clear();
    series_.clear();
    count_ = -1, counts_ = loop_.op == Op::scan;
    const Shape shape = shape_of_turn(roots[0]);
    Lanes lanes(shape, [this](const Node& input, const Place& at) { return input_of(one_, input, at); });
    one_ = &lanes;
    set_outside(lanes);
    if (loop_.reverse) last_ = lanes.constant(Scalar::of(loop_.length - 1));
    if (counts_) count_ = lanes.fresh(DType::I64);
    Instruction turns;
    turns.kind = Instruction::Kind::While;
    turns.blocks.resize(2);
    Block &head = turns.blocks[0], &tail = turns.blocks[1];
    lanes.into(&head);
    if (whole) head.gives = {test(lanes)};
    for (const size_t root : roots)
      if (root < loop_.carries) state(lanes, root, own_place(shape.size()));
    lanes.into(&tail);
    write_slices(lanes, roots, body);
    for (size_t s = 0; s < states_.size() && lanes.why_not().empty(); ++s) {
      const int next = lanes.value(body.outputs[states_[s].carry], Place(states_[s].at));
      tail.gives.push_back(next);
    }
    if (!lanes.why_not().empty()) return lanes;
    if (counts_)
      tail.gives.push_back(lanes.map(Op::add, {count_, lanes.constant(Scalar::of(int64_t{1}))}, DType::I64));
    lanes.into(nullptr);
    for (const State& s : states_) {
      turns.args.push_back(start(lanes, s));
      head.params.push_back(s.value);
    }
    if (counts_) {
      turns.args.push_back(lanes.constant(Scalar::of(int64_t{0})));
      head.params.push_back(count_);
    }
    for (const int p : head.params)
      turns.outs.push_back(lanes.fresh(lanes.function().values[static_cast<size_t>(p)]));
    for (const size_t root : roots)
      for (size_t s = 0; s < states_.size(); ++s)
        if (states_[s].carry == root && states_[s].at == own_place(shape.size()))
          lanes.function().block.gives.push_back(turns.outs[s]);
    if (lanes.function().block.gives.empty()) lanes.function().block.gives.push_back(turns.outs.back());
    if (lanes.operands().empty()) add_an_argument(lanes, roots[0]);
    lanes.append(std::move(turns));
    return lanes;
  }

  int start(Lanes& lanes, const State& s) const {
    const Scalar* value = constant_seen(*operands_[s.carry]);
    return value ? lanes.constant(*value) : lanes.argument(operands_[s.carry], s.at);
  }

  // Functions have one at least.
  void add_an_argument(Lanes& lanes, size_t root) const {
    const Place own = own_place(lanes.shape().size());
    if (root < loop_.carries)
      lanes.argument(operands_[root], own);
    else
      lanes.argument(ir::broadcast(ir::constant({DType::I64, {}}, Scalar::of(int64_t{0})), lanes.shape()),
                     own);
  }

  // Whether the element takes another turn.
  int test(Lanes& lanes) {
    int all = -1;
    const auto also = [&](int one) {
      all = all < 0 ? one : lanes.map(Op::logical_and, {all, one}, DType::Bool);
    };
    if (loop_.op == Op::scan)
      also(lanes.map(Op::less, {count_, lanes.constant(Scalar::of(loop_.length))}, DType::Bool));
    for (const NodeRef& part : turn_.condition.outputs)
      if (const int one = lanes.value(part, {}); one >= 0) also(one);
    if (turn_.each)
      if (const int one = lanes.value(turn_.each, *place_); one >= 0) also(one);
    return all;
  }

  const Loop& loop_;
  std::span<const NodeRef> operands_;
  const Turn& turn_;
  const Options& options_;
  std::optional<Place> place_;  // of `each`
  Lanes* one_ = nullptr;        // that is being traced
  std::vector<State> states_;
  std::vector<ir::LoopKernel::Walked> series_;
  bool counts_ = false;  // whether the number of the turn is carried
  int count_ = -1, last_ = -1;
  std::string why_not_;
};

// What keeps its value, of what is carried, where `each` does not hold.
std::vector<bool> what_stays(const Graph& body, const NodeRef& each, size_t carries, const Options& options) {
  const Graph rest = with_value(body, *each, false, options);
  std::vector<bool> stays(carries);
  for (size_t i = 0; i < carries; ++i) stays[i] = rest.outputs[i] == rest.inputs[i];
  return stays;
}

// Takes what the condition asks of any element out of the turn: where it holds for this one, it holds for any. What it
// holds for no more has to stay, whether or not it holds for another.
void ask_each(Turn& turn, size_t carries, const Options& options) {
  Graph none = turn.body;
  NodeRef each = turn.each;
  set_any(none, each, false, options);
  const std::vector<bool> where_none = what_stays(none, each, carries, options);
  set_any(turn.body, turn.each, true, options);
  turn.stay = what_stays(turn.body, turn.each, carries, options);
  for (size_t i = 0; i < carries; ++i) turn.stay[i] = turn.stay[i] && where_none[i];
}

// Bools of a scan's turn that may say that an element is done, those nearest to the results first.
std::vector<NodeRef> conditions_in(const Graph& body) {
  std::vector<NodeRef> found;
  const std::vector<const Node*> order = topological_order(body.outputs);
  for (size_t k = order.size(); k-- > 0 && found.size() < kMostConditions;)
    if (order[k]->dtype() == DType::Bool && ir::kind(order[k]->op) == ir::OpKind::Map)
      found.emplace_back(order[k]);
  return found;
}

Turn turn_of(const Loop& loop, const Options& options) {
  Turn turn;
  turn.body = simplified(as_updates(loop.bodies.back()), options);
  const bool adds = options.numerics != Numerics::Strict;
  if (loop.op == Op::while_loop) {
    turn.condition = simplified(as_updates(loop.bodies[0]), options);
    std::vector<NodeRef> parts;
    split(turn.condition.outputs[0], parts);
    turn.condition.outputs.clear();
    for (const NodeRef& part : parts) {
      if (part->op != Op::any || turn.each) {
        turn.condition.outputs.push_back(part);
        continue;
      }
      turn.each = asked(part);
      const Graph of_any{turn.condition.inputs, {turn.each}};
      turn.body.outputs.push_back(ir::inlined(of_any, turn.body.inputs)[0]);
      turn.body = simplified(turn.body, options);
    }
    if (adds) turn.condition = simplified(multiply_adds(turn.condition), options);
  }
  if (adds) turn.body = simplified(multiply_adds(turn.body), options);
  if (turn.each) {
    turn.each = turn.body.outputs.back();
    turn.body.outputs.pop_back();
  }
  if (turn.each) ask_each(turn, loop.carries, options);
  return turn;
}

bool has_slices(const Loop& loop) { return loop.sliced > 0 || loop.results.size() > loop.carries; }

// Why a loop is left as it is, whatever its turns do.
std::string ruled_out(const Loop& loop, const Target& target, const Options& options) {
  if (!target.compiles || options.blocks == Blocks::Instead) return "no kernel is compiled";
  if (loop.op == Op::branch) return "it is a choice";
  if (loop.op == Op::scan && loop.length < 2) return "it has one turn at most";
  if (loop.op == Op::scan && loop.length < kTurnsWorthAKernel && loop.work < kWorkWorthAKernel)
    return "it has few turns of few elements";
  return {};
}

// A scan's results once more, where an element may leave the turns before the last: they change no more what it has.
void end_early(const Loop& loop, std::span<const NodeRef> operands, const Turn& turn, const Options& options,
               const std::vector<size_t>& roots, std::vector<NodeRef>& results) {
  for (const NodeRef& condition : conditions_in(turn.body)) {
    Turn ending = turn;
    ending.each = condition;
    ending.stay = what_stays(ending.body, condition, loop.carries, options);
    std::vector<NodeRef> ended = Mapped(loop, operands, ending, options).run(roots, results[0]->lines);
    if (ended.empty()) continue;
    results = std::move(ended);
    return;
  }
}

}  // namespace

MappedLoop mapped_loop(const Loop& loop, std::span<const NodeRef> operands, const std::vector<bool>& wanted,
                       const ir::Lines& lines, const Target& target, const Options& options) {
  MappedLoop made;
  made.why_not =
      has_slices(loop) ? "it takes or gives a slice in each turn" : ruled_out(loop, target, options);
  if (!made.why_not.empty()) return made;
  const Turn turn = turn_of(loop, options);
  std::vector<NodeRef> results(loop.results.size());
  for (size_t i = 0; i < loop.carries; ++i)
    if (wanted[i] && turn.body.outputs[i] == turn.body.inputs[i]) results[i] = operands[i];
  for (size_t first = 0; first < results.size(); ++first) {
    if (!wanted[first] || results[first]) continue;
    std::vector<size_t> roots;
    for (size_t i = first; i < results.size(); ++i)
      if (wanted[i] && !results[i] && loop.results[i].shape == loop.results[first].shape) roots.push_back(i);
    Mapped mapped(loop, operands, turn, options);
    std::vector<NodeRef> of_shape = mapped.run(roots, lines);
    if (of_shape.empty()) {
      made.why_not = mapped.why_not();
      return made;
    }
    if (loop.op == Op::scan) end_early(loop, operands, turn, options, roots, of_shape);
    for (size_t k = 0; k < roots.size(); ++k) results[roots[k]] = of_shape[k];
  }
  made.results = std::move(results);
  return made;
}

LoopKernels loop_kernels(const Loop& loop, std::span<const NodeRef> operands, const std::vector<bool>& wanted,
                         const Target& target, const Options& options) {
  LoopKernels made;
  made.why_not = ruled_out(loop, target, options);
  if (!made.why_not.empty()) return made;
  const Turn turn = turn_of(loop, options);
  Mapped mapped(loop, operands, turn, options);
  std::vector<bool> done(wanted.size());
  for (size_t first = 0; first < wanted.size(); ++first) {
    if (!wanted[first] || done[first]) continue;
    const Shape shape = mapped.shape_of_turn(first);
    std::vector<size_t> roots;
    for (size_t i = first; i < wanted.size(); ++i)
      if (wanted[i] && mapped.shape_of_turn(i) == shape) {
        roots.push_back(i);
        done[i] = true;
      }
    ir::LoopKernel kernel = mapped.walking(roots);
    if (!kernel.function) return {{}, mapped.why_not()};
    made.kernels.push_back(std::move(kernel));
  }
  return made;
}

Graph map_loops(const Graph& graph, const Target& target, const Options& options) {
  struct Found {
    const Node* first;
    std::vector<bool> wanted;
    std::optional<MappedLoop> made;
  };
  std::vector<Found> loops;
  const auto find = [&](const Node& n) {
    return std::ranges::find_if(loops, [&](const Found& f) { return ir::same_loop(*f.first, n); });
  };
  for (const Node* n : topological_order(graph.outputs)) {
    if (!ir::is_loop(*n)) continue;
    auto found = find(*n);
    if (found == loops.end())
      found = loops.insert(found, {n, std::vector<bool>(ir::loop_of(*n)->results.size()), {}});
    found->wanted[ir::result_number(*n)] = true;
  }
  if (loops.empty()) return graph;
  return rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
    if (!ir::is_loop(was)) return now;
    Found& found = *find(was);
    if (!found.made)
      found.made = mapped_loop(*ir::loop_of(was), {now->inputs.begin(), now->inputs.size()}, found.wanted,
                               was.lines, target, options);
    return found.made->results.empty() ? now : found.made->results[ir::result_number(was)];
  });
}

}  // namespace weft::passes
