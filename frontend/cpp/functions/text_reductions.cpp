#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret_function.h"
#include "frontend/cpp/functions/apply.h"
#include "frontend/cpp/weft/functions.h"

namespace weft {

using ir::NodeRef;
using CodeRef = std::shared_ptr<const ir::Code>;

struct TextReduction::State {
  std::string name;
  CodeRef map, identity, join, post;
  std::optional<ir::Op> op;  // a reduction of Weft's that does the same
  bool has_state = false;    // variables of its own, not one value
};

namespace {

// Values that one kernel joins for each that it gives: more are as many more operands of its loop.
constexpr size_t kMostJoined = 16;

std::string parameters(const std::vector<ir::CodeParameter>& params, const std::string& before) {
  std::string out;
  for (const ir::CodeParameter& p : params)
    out += (out.empty() ? "" : ", ") + p.type.name + " " + before + p.name;
  return out;
}

// The reduction that a join of one value is.
std::optional<ir::Op> known_join(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
  if (text == "a+b" || text == "b+a") return ir::Op::sum;
  if (text == "a*b" || text == "b*a") return ir::Op::prod;
  if (text == "max(a,b)" || text == "max(b,a)") return ir::Op::max;
  if (text == "min(a,b)" || text == "min(b,a)") return ir::Op::min;
  return {};
}

// Joins the states along axes, one axis after the other. A state is as many nodes as it has variables.
class Joining {
 public:
  using Nodes = std::vector<NodeRef>;

  Joining(detail::Recording& r, ir::FunctionRef map, ir::FunctionRef join, std::vector<Scalar> identity)
      : lines_(r.lines()), map_(std::move(map)), join_(std::move(join)), identity_(std::move(identity)) {
    joined_ = kMostJoined;
    while (joined_ > 2 && joined_ * identity_.size() > kMostJoined) joined_ /= 2;
  }

  Nodes apply(const ir::FunctionRef& f, const Nodes& in) const {
    Nodes out;
    out.reserve(f->block.gives.size());
    for (size_t k = 0; k < f->block.gives.size(); ++k)
      out.push_back(ir::make(ir::Op::apply, in, ir::ApplyAttr{f, static_cast<int64_t>(k)}, {}, lines_));
    return out;
  }

  // The inputs' states joined along the axis, which is left with extent 1.
  Nodes run(Nodes nodes, size_t axis, bool are_states) const {
    const int64_t extent = nodes[0]->shape()[axis];
    if (extent == 0) return nothing(nodes[0]->shape(), axis);
    if (extent == 1) return are_states ? nodes : apply(map_, nodes);
    while (nodes[0]->shape()[axis] > 1) {
      nodes = level(nodes, axis, are_states);
      are_states = true;
    }
    return nodes;
  }

 private:
  Nodes nothing(Shape shape, size_t axis) const {
    shape[axis] = 1;
    Nodes out;
    out.reserve(identity_.size());
    for (const Scalar& one : identity_) out.push_back(ir::constant({one.dtype, shape}, one, lines_));
    return out;
  }

  // Cuts the axis into equal parts, and joins them element by element.
  Nodes level(const Nodes& nodes, size_t axis, bool are_states) const {
    const Shape& shape = nodes[0]->shape();
    const int64_t extent = shape[axis], parts = static_cast<int64_t>(joined_);
    const int64_t length = (extent + parts - 1) / parts;
    std::vector<Nodes> states;
    states.reserve(joined_);
    for (int64_t start = 0; start < extent; start += length) {
      const int64_t own = std::min(length, extent - start);
      Dims starts(shape.size(), 0), steps(shape.size(), 1);
      Shape extents = shape;
      starts[axis] = start;
      extents[axis] = own;
      Nodes part;
      part.reserve(nodes.size());
      for (const NodeRef& node : nodes) part.push_back(ir::slice(node, starts, extents, steps, lines_));
      if (!are_states) part = apply(map_, part);
      if (own < length) fill(part, axis, length - own);
      states.push_back(std::move(part));
    }
    while (states.size() > 1) {
      std::vector<Nodes> next;
      next.reserve((states.size() + 1) / 2);
      for (size_t k = 0; k + 1 < states.size(); k += 2) {
        Nodes both = states[k];
        both.insert(both.end(), states[k + 1].begin(), states[k + 1].end());
        next.push_back(apply(join_, both));
      }
      if (states.size() % 2 == 1) next.push_back(states.back());
      states = std::move(next);
    }
    return states[0];
  }

  void fill(Nodes& part, size_t axis, int64_t missing) const {
    Dims before(part[0]->shape().size(), 0), after = before;
    after[axis] = missing;
    for (size_t k = 0; k < part.size(); ++k)
      part[k] = ir::pad(part[k], ir::constant({identity_[k].dtype, {}}, identity_[k], lines_), before, after,
                        lines_);
  }

  const ir::Lines& lines_;
  ir::FunctionRef map_, join_;
  std::vector<Scalar> identity_;
  size_t joined_;
};

std::vector<size_t> axes_of(const std::string& name, const Axes& axes, size_t rank) {
  std::vector<size_t> found;
  found.reserve(rank);
  if (!axes.list())
    for (size_t k = 0; k < rank; ++k) found.push_back(k);
  else
    for (const int64_t axis : *axes.list())
      found.push_back(static_cast<size_t>(normalize_axis(name, axis, rank)));
  std::ranges::sort(found);
  if (std::ranges::adjacent_find(found) != found.end()) throw Error(name + ": axes must be different");
  return found;
}

ir::FunctionRef on_results_of(const ir::Code& code, const ir::Function& f, size_t times) {
  std::vector<ir::Code::Argument> arguments;
  arguments.reserve(times * f.block.gives.size());
  for (size_t n = 0; n < times; ++n)
    for (size_t k = 0; k < f.block.gives.size(); ++k) arguments.push_back({f.result(k)});
  return code.of(arguments);
}

// The texts of a reduction are ops of their own, of parameters that are made. Errors of what the user gave are shown of that.
void check_parameters(const std::string& name, const ReductionTexts& t) {
  const auto of = [&](const std::string& text, const char* what) {
    return ir::CodeText{text, text, name + ": " + what};
  };
  const ir::CodeText in = of(t.in_params, "input parameters");
  ir::parse_parameters(name, in, of(t.out_params, "output parameters"));
  if (!t.state.empty()) ir::parse_parameters(name, in, of(t.state, "state"));
  std::set<std::string> generics;
  for (const ir::CodeParameter& p : ir::parse_parameters(in, generics))
    if (t.state.empty() && p.name == "a")
      ir::fail_at(in, p.type.at, "'a' is a value that the reduce joins with b: name the parameter otherwise");
}

bool is_value(const Scalar& x, double value) { return x.cast(DType::F64).re == value; }

// The map of these operands. One value has the first result's type, into which complex numbers do not fit where that is real.
ir::FunctionRef mapped(const std::string& name, const ir::Code& map, bool has_state,
                       std::span<const Operand> operands) {
  try {
    return detail::function_for(map, operands, name);
  } catch (const Error& error) {
    const std::string& type = map.results()[0].type.name;
    const bool takes_complex = std::ranges::any_of(
        map.params(), [](const ir::CodeParameter& p) { return p.type.name.starts_with("complex"); });
    if (has_state || !takes_complex || type.starts_with("complex")) throw;
    throw Error(fmt::format(
        "{}\n{}: the value that is joined has the type of the first result, {}: where it is another, write "
        "state=\"complex<{}> v\", and texts that assign v",
        error.what(), name, type, type));
  }
}

}  // namespace

const std::string& TextReduction::name() const { return state_->name; }

size_t TextReduction::results() const { return state_->post->results().size(); }

std::vector<Array> TextReduction::all(std::span<const Operand> operands, const Axes& axes,
                                      bool keepdims) const {
  const State& s = *state_;
  if (const size_t takes = s.map->params().size(); operands.size() != takes)
    throw Error(
        fmt::format("{}: takes {} operand{}: got {}", s.name, takes, takes == 1 ? "" : "s", operands.size()));
  const ir::FunctionRef map = mapped(s.name, *s.map, s.has_state, operands);
  std::vector<Scalar> zeros;
  zeros.reserve(map->block.params.size());
  for (size_t k = 0; k < map->block.params.size(); ++k)
    zeros.push_back(Scalar::of(int64_t{0}).cast(map->argument(k)));
  std::vector<ir::Code::Argument> arguments;
  arguments.reserve(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) arguments.push_back({map->argument(k)});
  const std::vector<Scalar> identity = run(*s.identity->of(arguments), {zeros.data(), operands.size()});
  const ir::FunctionRef join = on_results_of(*s.join, *map, 2), post = on_results_of(*s.post, *map, 1);

  detail::Recording r(s.name, operands[0]);
  std::vector<NodeRef> nodes = detail::recorded(r, operands);
  Shape shape;
  for (const NodeRef& node : nodes) shape = broadcast_shapes(s.name, shape, node->shape());
  if (s.map->takes_index()) nodes.push_back(detail::numbers_of_elements(shape, r.lines()));
  for (size_t k = 0; k < nodes.size(); ++k)
    nodes[k] = ir::broadcast(ir::cast(nodes[k], map->argument(k), r.lines()), shape, r.lines());
  const std::vector<size_t> reduced = axes_of(s.name, axes, shape.size());
  Shape kept = shape, left;
  for (const size_t axis : reduced) kept[axis] = 1;
  for (size_t k = 0; k < shape.size(); ++k)
    if (!std::ranges::binary_search(reduced, k)) left.push_back(shape[k]);
  const Shape& wanted = keepdims ? kept : left;

  const Joining joining(r, map, join, identity);
  const bool is_native = s.op && identity.size() == 1 && !is_half(identity[0].dtype) &&
                         identity[0].dtype != DType::Bool && element_count(shape) > 0 &&
                         (*s.op == ir::Op::sum    ? is_value(identity[0], 0)
                          : *s.op == ir::Op::prod ? is_value(identity[0], 1)
                                                  : is_integer(identity[0].dtype));
  std::vector<NodeRef> states;
  if (is_native) {
    Dims all_axes;
    for (const size_t axis : reduced) all_axes.push_back(static_cast<int64_t>(axis));
    const NodeRef mapped = joining.apply(map, nodes)[0];
    states = {all_axes.empty() ? mapped : ir::reduce(*s.op, mapped, all_axes, r.lines())};
  } else if (reduced.empty()) {
    states = joining.apply(map, nodes);
  } else {
    states = nodes;
    // All axes are one.
    std::vector<size_t> along(reduced.rbegin(), reduced.rend());
    if (reduced.size() == shape.size() && shape.size() > 1) {
      for (NodeRef& node : states) node = ir::reshape(node, {element_count(shape)}, r.lines());
      along = {0};
    }
    bool are_states = false;
    for (const size_t axis : along)
      states = joining.run(std::move(states), axis, std::exchange(are_states, true));
  }
  for (NodeRef& node : states) node = ir::reshape(node, wanted, r.lines());
  std::vector<Array> results;
  for (const NodeRef& node : joining.apply(post, states))
    results.push_back(r.finish(node, static_cast<uint32_t>(2 * kMostJoined)));
  return results;
}

Array TextReduction::operator()(const Operand& x, const Axes& axes, bool keepdims) const {
  if (results() != 1) throw Error(name() + ": gives " + std::to_string(results()) + " arrays: call all()");
  return all({&x, 1}, axes, keepdims)[0];
}

TextReduction define_reduction(const std::string& name, const ReductionTexts& t) {
  const auto parse = [&](const char* what, const std::string& in, const std::string& out,
                         const TargetTexts& text, bool value) {
    ir::CodeStrings strings{.name = name + "_" + what,
                            .in_params = in,
                            .out_params = out,
                            .operation = text.cpu,
                            .preamble = t.preamble.cpu,
                            .is_value = value};
    if (text.cuda != text.cpu || t.preamble.cuda != t.preamble.cpu)
      strings.cuda_operation = text.cuda, strings.cuda_preamble = t.preamble.cuda;
    return ir::Code::parse(std::move(strings));
  };
  const bool one = t.state.empty();
  check_parameters(name, t);
  // A first look at the parameters alone.
  const size_t type_end = t.out_params.find_first_of(',');
  std::string first = t.out_params.substr(0, type_end);
  first = first.substr(0, first.find_last_not_of(" \t\n") + 1);
  const std::string state = one ? first.substr(0, first.find_last_of(" \t\n") + 1) + " a" : t.state;
  auto made = std::make_shared<TextReduction::State>();
  made->name = name;
  made->has_state = !one;
  made->map = parse("map", t.in_params, state, t.map, one);
  made->identity = parse("identity", t.in_params, state, t.identity, one);
  const auto& variables = made->map->results();
  if (one)
    made->join = parse("join", variables[0].type.name + " a, " + variables[0].type.name + " b",
                       variables[0].type.name + " joined", t.join, true);
  else
    made->join = parse("join", parameters(variables, "a_") + ", " + parameters(variables, "b_"),
                       parameters(variables, ""), t.join, false);
  const bool no_post = t.post.cpu.empty() && t.post.cuda.empty();
  if (!one && no_post)
    throw Error(name + ": post assigns the results where the state has variables of its own");
  const std::string given = parameters(variables, "");
  made->post = no_post ? parse("post", given, t.out_params, "a", true)
                       : parse("post", given, t.out_params, t.post, false);
  if (one && t.join.cpu == t.join.cuda) made->op = known_join(t.join.cpu);
  return TextReduction(std::move(made));
}

}  // namespace weft
