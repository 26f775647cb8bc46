#include "compiler/passes/simplify.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/analysis/access.h"
#include "compiler/ir/build.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/simplify_divisions.h"

namespace weft::passes {

using namespace tuning;

namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

std::optional<double> known(const NodeRef& n) {
  if (n->op != Op::constant) return std::nullopt;
  const Scalar& s = n->as<ir::ConstantAttr>().value;
  if (is_complex(s.dtype) && s.im != 0) return std::nullopt;
  if (is_float(s.dtype) || is_complex(s.dtype)) return s.re;
  return s.dtype == DType::U64 ? static_cast<double>(static_cast<uint64_t>(s.i)) : static_cast<double>(s.i);
}

NodeRef number(const Node& like, double v) { return constant(like.type, Scalar::of(v), like.lines); }
NodeRef number(const Node& like, bool v) { return constant(like.type, Scalar::of(v), like.lines); }

NodeRef map_of(const Node& n, Op op, std::initializer_list<NodeRef> in) { return ir::map(op, in, n.lines); }

// x to the power 0.5: unlike sqrt it makes 0.0 of -0.0 and infinity of -infinity.
NodeRef square_root(const Node& n, const NodeRef& x, bool fast) {
  NodeRef root = map_of(n, Op::sqrt, {x});
  if (fast) return root;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  NodeRef lowest = map_of(n, Op::equal, {x, number(n, -kInfinity)});
  return map_of(n, Op::select, {lowest, number(n, kInfinity), map_of(n, Op::add, {root, number(n, 0.0)})});
}

// Whether every value of `from` is one of `to`.
bool holds(DType to, DType from) {
  if (from == DType::Bool || to == from) return true;
  if (promote(from, to) != to) return false;
  if (!is_integer(from) || is_integer(to)) return true;
  DType real = real_of(to);
  int bits = static_cast<int>(size_of(from)) * 8 - (kind(from) == DTypeKind::Signed);
  return bits <= (real == DType::F64 ? 53 : real == DType::F32 ? 24 : real == DType::F16 ? 11 : 8);
}

// x / y by a multiplication: where y is the same for many x its reciprocal is computed once, and the
// reciprocal of a square root is cheaper than root and quotient. Rounds twice, so it waits for
// Numerics::Fast.
NodeRef quotient(const NodeRef& n) {
  const NodeRef &x = n->inputs[0], &y = n->inputs[1];
  if (!is_float(n->dtype()) || known(x) == 1) return n;
  if (y->op == Op::sqrt) return map_of(*n, Op::multiply, {x, map_of(*n, Op::rsqrt, {y->inputs[0]})});
  if (y->op == Op::constant || y->op == Op::scalar)
    return map_of(*n, Op::multiply, {x, map_of(*n, Op::reciprocal, {y})});
  if (y->op != Op::broadcast || element_count(y->inputs[0]->shape()) == element_count(y->shape())) return n;
  const NodeRef once = map_of(*n, Op::reciprocal, {y->inputs[0]});
  return map_of(*n, Op::multiply, {x, ir::broadcast(once, y->shape(), y->lines)});
}

// x // 8 as x >> 3, x % 8 as x & 7.
NodeRef division(const NodeRef& n) {
  const NodeRef& y = n->inputs[1];
  if (y->op != Op::constant) return n;
  const auto simple = without_division(n->op, y->as<ir::ConstantAttr>().value);
  if (!simple) return n;
  if (simple->operand == 0) return n->op == Op::floor_divide ? n->inputs[0] : number(*n, 0.0);
  const NodeRef operand = constant(n->type, Scalar::of(simple->operand), n->lines);
  return map_of(*n, simple->op, {n->inputs[0], operand});
}

NodeRef applying(const NodeRef& n) {
  const auto& [function, result] = n->as<ir::ApplyAttr>();
  ir::FunctionRef simple = with_simple_divisions(function);
  if (simple == function) return n;
  const std::vector<NodeRef> inputs(n->inputs.begin(), n->inputs.end());
  return ir::make(Op::apply, inputs, ir::ApplyAttr{std::move(simple), result}, {}, n->lines);
}

// x op y with one operand known.
NodeRef arithmetic(const NodeRef& n, const Options& options) {
  const NodeRef &x = n->inputs[0], &y = n->inputs[1];
  std::optional<double> a = known(x), b = known(y);
  bool exact_type = !is_float(n->dtype()) && !is_complex(n->dtype());
  bool fast = options.numerics == Numerics::Fast;
  bool real_type = !is_complex(n->dtype());
  switch (n->op) {
    case Op::add:  // -0.0 + 0.0 is 0.0
      if (n->dtype() == DType::Bool) return n;
      if (b == 0 && (exact_type || fast || (real_type && std::signbit(*b)))) return x;
      if (a == 0 && (exact_type || fast || (real_type && std::signbit(*a)))) return y;
      return n;
    case Op::subtract:  // -0.0 - -0.0 is 0.0
      return b == 0 && real_type && (exact_type || fast || !std::signbit(*b)) ? x : n;
    case Op::multiply:
      if (n->dtype() == DType::Bool || !real_type) return n;
      if (b == 1) return x;
      if (a == 1) return y;
      if (b == -1) return map_of(*n, Op::negative, {x});
      if (a == -1) return map_of(*n, Op::negative, {y});
      if ((a == 0 || b == 0) && (exact_type || fast)) return number(*n, 0.0);
      return n;
    case Op::divide:
      if (b == 1 && real_type) return x;
      if (b == 2 && real_type) return map_of(*n, Op::multiply, {x, number(*n, 0.5)});
      if (b == 0.5 && real_type) return map_of(*n, Op::multiply, {x, number(*n, 2.0)});
      return fast ? quotient(n) : n;
    case Op::complex:
      // The parts of one number, put together again.
      return x->op == Op::real && y->op == Op::imag && x->inputs[0] == y->inputs[0] &&
                     x->inputs[0]->type == n->type
                 ? x->inputs[0]
                 : n;
    case Op::floor_divide:
    case Op::remainder:
      return division(n);
    case Op::pow:
      if (!b || !real_type) return n;
      if (*b == 0) return number(*n, 1.0);
      if (*b == 1) return x;
      if (*b == 2) return map_of(*n, Op::square, {x});
      if (*b == 3) return map_of(*n, Op::multiply, {map_of(*n, Op::square, {x}), x});
      if (exact_type) return n;
      if (*b == 0.5) return square_root(*n, x, fast);
      if (*b == -1) return map_of(*n, Op::reciprocal, {x});
      return n;
    default:
      return n;
  }
}

// f(f(x)) and its kind.
NodeRef unary(const NodeRef& n, const Options& options) {
  const NodeRef& x = n->inputs[0];
  switch (n->op) {
    case Op::positive:
      return x;
    case Op::negative:
    case Op::logical_not:
    case Op::bitwise_invert:
    case Op::conj:
      if (x->op == n->op && x->inputs[0]->type == n->type) return x->inputs[0];
      if (n->op == Op::conj && !is_complex(x->dtype())) return x;
      return n;
    case Op::real:
      if (x->op == Op::complex) return ir::cast(x->inputs[0], n->dtype(), n->lines);
      return is_complex(x->dtype()) ? n : x;
    case Op::imag:
      if (x->op == Op::complex) return ir::cast(x->inputs[1], n->dtype(), n->lines);
      return is_complex(x->dtype()) ? n : number(*n, 0.0);
    case Op::isnan:
    case Op::isinf:
      return is_integer(x->dtype()) ? number(*n, false) : n;
    case Op::isfinite:
      return is_integer(x->dtype()) ? number(*n, true) : n;
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round:
      return is_integer(x->dtype()) ? x : n;
    case Op::reciprocal:
      if (x->op == Op::sqrt && options.numerics == Numerics::Fast && is_float(x->dtype()))
        return map_of(*n, Op::rsqrt, {x->inputs[0]});
      return n;
    case Op::cast:
      // Through a wider format and back.
      if (x->op == Op::cast && x->inputs[0]->dtype() == n->dtype() && holds(x->dtype(), n->dtype()))
        return x->inputs[0];
      return n;
    default:
      return n;
  }
}

// Whether the elements along each of the axes are one and the same value.
bool is_uniform(const Node& x, const Dims& axes) {
  if (x.op == Op::constant || x.op == Op::scalar) return true;
  if (x.op != Op::broadcast) return false;
  const Shape& from = x.inputs[0]->shape();
  const auto added = static_cast<int64_t>(x.shape().size() - from.size());
  return std::all_of(axes.begin(), axes.end(),
                     [&](int64_t a) { return a < added || from[static_cast<size_t>(a - added)] == 1; });
}

// The value that is the same along the axes, without them.
NodeRef one_of(const Node& n, const NodeRef& x, const Dims& axes) {
  if (x->op == Op::constant) return constant(n.type, x->as<ir::ConstantAttr>().value, n.lines);
  if (x->op == Op::scalar) {
    const size_t rank = x->shape().size();
    const NodeRef first = ir::slice(x, Dims(rank, 0), Shape(rank, 1), Dims(rank, 1), n.lines);
    return ir::broadcast(ir::reshape(first, {}, n.lines), n.shape(), n.lines);
  }
  const NodeRef& from = x->inputs[0];
  const size_t added = x->shape().size() - from->shape().size();
  Shape rest;
  for (size_t k = 0; k < from->shape().size(); ++k)
    if (!std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(k + added)))
      rest.push_back(from->shape()[k]);
  return ir::broadcast(ir::reshape(from, rest, n.lines), n.shape(), n.lines);
}

// `count` times a value, rounded once: what a sum of as many of it is, as near as the dtype comes. Null where
// the count is none of the dtype it is computed in.
NodeRef times(const NodeRef& one, int64_t count, const Node& n) {
  const DType wide = is_half(n.dtype()) ? DType::F32 : n.dtype();
  const int64_t countable = int64_t{1} << (real_of(wide) == DType::F32 ? 24 : 53);
  if (!is_integer(wide) && count > countable) return {};
  const NodeRef value = ir::cast(one, wide, n.lines),
                number = constant(value->type, Scalar::of(count), n.lines);
  return ir::cast(ir::map(Op::multiply, {value, number}, n.lines), n.dtype(), n.lines);
}

// A reduction of equal values is told by one of them: the largest, the first, a sum of zeros. A sum of others
// is so many times one of them, which is exact for integers. Floats are rounded once then, less often than
// where they are added up. So Numerics::Strict adds them up, but for ones.
NodeRef uniform_reduction(const NodeRef& n, Numerics numerics) {
  const NodeRef& x = n->inputs[0];
  const Dims& axes = n->as<ir::AxesAttr>().axes;
  const int64_t count = element_count(x->shape()) / element_count(n->shape());
  if (count == 1 || !is_uniform(*x, axes)) return n;
  const std::optional<double> value = known(x);
  const bool float_sum = n->op == Op::sum && is_float(n->dtype());
  const int64_t countable = int64_t{1} << (is_half(n->dtype()) ? 24 : 53);
  if (float_sum && (value == 1 || value == -1) && count <= countable)
    return number(*n, *value * static_cast<double>(count));
  const bool told = is_integer(n->dtype()) || (float_sum && numerics != Numerics::Strict);
  if (n->op == Op::prod && value != 1) return n;
  if (n->op == Op::sum && value != 0 && !told) return n;
  if (gives_index(n->op)) return number(*n, 0.0);
  if (x->dtype() != n->dtype()) return n;
  NodeRef one = one_of(*n, x, axes);
  if (n->op != Op::sum || value == 0) return one;
  const NodeRef sum = times(one, count, *n);
  return sum ? sum : n;
}

NodeRef reduction(const NodeRef& n, Numerics numerics) {
  const NodeRef& x = n->inputs[0];
  const Dims& axes = n->as<ir::AxesAttr>().axes;
  if (element_count(x->shape()) == 0) {
    return constant(n->type, Scalar::of(int64_t{info(n->op).of_nothing.value_or(0)}), n->lines);
  }
  if (NodeRef told = uniform_reduction(n, numerics); told != n) return told;
  Dims longer;
  for (int64_t a : axes)
    if (x->shape()[a] != 1) longer.push_back(a);
  if (longer.size() == axes.size()) return n;
  NodeRef rest = x;
  if (!longer.empty())
    rest = ir::reduce(n->op, x, longer, n->lines);
  else if (gives_index(n->op))
    return number(*n, 0.0);
  return ir::reshape(rest, n->shape(), n->lines);
}

// concat(concat(x, y), z), where nothing else reads the inner one, is one concat of three parts: what grows
// in a loop is cut into parts of parts afterwards, as a wide concat is, and not copied anew by each kernel.
ir::Graph with_joined_concats(const ir::Graph& graph) {
  const std::vector<const Node*> order = topological_order(graph.outputs);
  ir::NodeMap<int> uses;
  for (auto& out : graph.outputs) ++uses[out.get()];
  for (const Node* n : order)
    for (auto& in : n->inputs) ++uses[in.get()];
  ir::NodeSet joined;
  for (const Node* n : order) {
    if (n->op != Op::concat) continue;
    for (auto& in : n->inputs)
      if (in->op == Op::concat && uses.at(in.get()) == 1 &&
          in->as<ir::AxisAttr>().axis == n->as<ir::AxisAttr>().axis)
        joined.insert(in.get());
  }
  if (joined.empty()) return graph;
  std::unordered_map<const ir::Node*, NodeRef> replaced;
  for (const Node* n : order) {
    if (joined.contains(n)) continue;
    std::vector<NodeRef> inputs;
    ir::Lines lines = n->lines;
    std::vector<const Node*> stack;
    const auto push = [&](const Node& of) {
      for (size_t k = of.inputs.size(); k-- > 0;) stack.push_back(of.inputs[k].get());
    };
    push(*n);
    bool changed = false;
    while (!stack.empty()) {
      const Node* in = stack.back();
      stack.pop_back();
      if (joined.contains(in)) {
        push(*in);
        lines = lines.united(in->lines);
      } else {
        inputs.push_back(replaced.at(in));
      }
      changed |= joined.contains(in) || inputs.back().get() != in;
    }
    if (n->op == Op::concat)
      replaced[n] = changed ? ir::concat(inputs, n->as<ir::AxisAttr>().axis, lines) : NodeRef(n);
    else
      replaced[n] = changed ? with_inputs(*n, inputs) : NodeRef(n);
  }
  ir::Graph out{graph.inputs, {}};
  for (auto& o : graph.outputs) out.outputs.push_back(replaced.at(o.get()));
  return out;
}

NodeRef concatenation(const NodeRef& n) {
  int64_t axis = n->as<ir::AxisAttr>().axis;
  std::vector<NodeRef> parts;
  for (auto& in : n->inputs)
    if (in->shape()[axis] != 0) parts.push_back(in);
  if (parts.size() == 1) return parts[0];
  if (parts.size() > kWidestConcat) {
    std::vector<NodeRef> wider;
    for (size_t k = 0; k < parts.size(); k += kWidestConcat)
      wider.push_back(
          ir::concat(std::span(parts).subspan(k, std::min(kWidestConcat, parts.size() - k)), axis, n->lines));
    parts = std::move(wider);
  }
  return parts.size() == n->inputs.size() ? n : ir::concat(parts, axis, n->lines);
}

NodeRef updating(const NodeRef& n) {
  const NodeRef& value = n->inputs[1];
  if (element_count(value->shape()) == 0) return n->inputs[0];
  const auto& [starts, steps] = n->as<ir::SliceAttr>();
  if (value->shape() == n->shape()) {
    // Every element is replaced: by the value itself, or by the value with some axes reversed.
    Dims first(starts.size(), 0), step(starts.size(), 1);
    bool reversed = false;
    for (size_t k = 0; k < starts.size(); ++k) {
      const bool turned = n->shape()[k] > 1 && steps[k] < 0;
      if (turned) first[k] = n->shape()[k] - 1;
      if (turned) step[k] = -1;
      reversed |= turned;
    }
    return reversed ? ir::slice(value, first, n->shape(), step, n->lines) : value;
  }
  // What was written to the same range before is gone.
  const NodeRef& base = n->inputs[0];
  if (base->op != Op::update || base->inputs[1]->shape() != value->shape()) return n;
  const ir::SliceAttr& before = base->as<ir::SliceAttr>();
  if (before.starts != starts || before.steps != steps) return n;
  return ir::update(base->inputs[0], value, starts, steps, n->lines);
}

// A slice of an update: of exactly what was written, or of none of it.
NodeRef slicing(const NodeRef& n) {
  const NodeRef& x = n->inputs[0];
  if (x->op != Op::update) return n;
  const ir::SliceAttr &s = n->as<ir::SliceAttr>(), &u = x->as<ir::SliceAttr>();
  const NodeRef& value = x->inputs[1];
  bool same = value->shape() == n->shape();
  for (size_t k = 0; k < s.starts.size(); ++k)
    same &= s.starts[k] == u.starts[k] && (s.steps[k] == u.steps[k] || n->shape()[k] == 1);
  // A value that is computed stays with its update: whoever else reads that at other positions finds both in
  // one array, and the guard that always holds costs nothing.
  if (same && kind(value->op) != OpKind::Map) return value;
  if (ir::disjoint(s, n->shape(), u, value->shape()))
    return ir::slice(x->inputs[0], s.starts, n->shape(), s.steps, n->lines);
  return n;
}

NodeRef rule(const NodeRef& n, const Options& options) {
  if (kind(n->op) == OpKind::Source) return n;
  if (element_count(n->shape()) == 0) return number(*n, 0.0);
  switch (kind(n->op)) {
    case OpKind::Map:
      if (n->op == Op::apply) return applying(n);
      if (n->op == Op::select) {
        if (auto c = known(n->inputs[0])) return *c != 0 ? n->inputs[1] : n->inputs[2];
        return n->inputs[1] == n->inputs[2] ? n->inputs[1] : n;
      }
      return n->inputs.size() == 2 ? arithmetic(n, options) : n->inputs.size() == 1 ? unary(n, options) : n;
    case OpKind::Reduce:
      return reduction(n, options.numerics);
    case OpKind::Update:
      return updating(n);
    case OpKind::Dot:
      return n->inputs[0]->shape().back() == 0 ? number(*n, 0.0) : n;
    case OpKind::View:
      if (n->op == Op::concat) return concatenation(n);
      if (n->op == Op::slice) return slicing(n);
      if (n->op == Op::reshape && n->inputs[0]->op == Op::reshape)
        return ir::reshape(n->inputs[0]->inputs[0], n->shape(), n->lines);
      if (is_copy(*n)) return n->inputs[0];
      if (n->op == Op::pad && element_count(n->inputs[0]->shape()) == 0)
        return ir::broadcast(ir::reshape(n->inputs[1], {}), n->shape(), n->lines);
      return n;
    default:
      return n;
  }
}

}  // namespace

ir::Graph simplify(const ir::Graph& graph, const Options& options) {
  return rewrite(with_joined_concats(graph), [&](const NodeRef& n) {
    NodeRef now = n;
    for (int step = 0; step < 8; ++step) {
      NodeRef next = rule(now, options);
      if (next == now) return now;
      if (next->type != n->type)
        throw InternalError("simplify: a rule changed the type of " + std::string(name(n->op)));
      now = next;
    }
    return now;
  });
}

}  // namespace weft::passes
