#include "compiler/plan/lower/lower_expression.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/function.h"

namespace weft::plan {

using ir::Access;
using ir::Condition;
using ir::Linear;
using ir::Node;
using ir::Op;
using ir::OpKind;
using ir::VariableKind;

ExpressionLowerer::ExpressionLowerer(const ir::Group& group,
                                     const std::function<bool(const ir::Node*)>& in_memory,
                                     ir::Variables& vars, Lowered& out)
    : in_memory_(in_memory), vars_(vars), out_(out), program_(out.program) {
  for (auto& root : group.roots) roots_.insert(root.node.get());
  guards_number({});
}

void ExpressionLowerer::forget_values() {
  known_.clear();
  variable_value_.clear();
  positions_.clear();
  tests_.clear();
}

// ---- statements

Value ExpressionLowerer::define(DType dtype, bool row) {
  program_.values.push_back({dtype, row});
  return static_cast<Value>(program_.values.size() - 1);
}

bool ExpressionLowerer::row(const Linear& l) const {
  const size_t outer = program_.outer.size();
  for (size_t a = outer; a < outer + program_.row.size(); ++a)
    if (vars_.depends_on(l, static_cast<int>(a))) return true;
  return false;
}

Value ExpressionLowerer::let(Op op, DType dtype, std::vector<Value> args) {
  bool in_row = std::any_of(args.begin(), args.end(), [&](Value a) { return row(a); });
  Value out = define(dtype, in_row);
  emit(Let{out, op, std::move(args)}, in_row);
  return out;
}

Index ExpressionLowerer::index(const Linear& l) {
  Index out;
  out.offset = {l.offset};
  for (auto& [v, c] : l.terms) {
    if (vars_[v].kind == VariableKind::Axis)
      out.axes.push_back({v, {c}});
    else
      out.values.push_back({variable(v), {c}});
  }
  return out;
}

Value ExpressionLowerer::position(const Linear& l) {
  if (auto v = l.single(); v && vars_[*v].kind != VariableKind::Axis) return variable(*v);
  auto [it, fresh] = positions_.try_emplace(l, -1);
  if (!fresh) return it->second;
  Index at = index(l);
  bool in_row = row(l);
  Value out = define(DType::I64, in_row);
  emit(Position{out, at}, in_row);
  return it->second = out;
}

// The value of a derived variable; a dynamic one's node has been computed by now.
Value ExpressionLowerer::variable(int v) {
  auto known = variable_value_.find(v);
  if (known != variable_value_.end()) return known->second;
  const ir::Variable var = vars_[v];
  Value out;
  if (var.kind == VariableKind::Dynamic) {
    Value raw = *find(inside(var.node, var.at));
    bool in_row = row(raw);
    out = define(DType::I64, in_row);
    emit(Clamp{out, raw, {var.extent}}, in_row);
  } else {
    Value of = position(var.of);
    bool in_row = row(of);
    out = define(DType::I64, in_row);
    emit(Divide{out, of, {var.divisor}, var.kind == VariableKind::Remainder}, in_row);
    divided_.push_back(v);
  }
  return variable_value_[v] = out;
}

Value ExpressionLowerer::test(const Condition& c) {
  auto [it, fresh] = tests_.try_emplace(c, -1);
  if (!fresh) return it->second;
  Index at = index(c.at);
  bool in_row = row(c.at);
  Value out = define(DType::Bool, in_row);
  emit(Test{out, at, {c.extent}}, in_row);
  return it->second = out;
}

Value ExpressionLowerer::all_of(const std::vector<Condition>& when) {
  Value v = test(when[0]);
  for (size_t i = 1; i < when.size(); ++i) v = let(Op::bitwise_and, DType::Bool, {v, test(when[i])});
  return v;
}

int ExpressionLowerer::buffer(const Node* n, bool written) {
  auto [it, fresh] = buffer_of_.try_emplace(n, static_cast<int>(program_.buffers.size()));
  if (fresh) {
    int64_t elements = element_count(n->shape()), first = 0, past = elements;
    if (n->op == Op::input && !n->as<ir::InputAttr>().strides.empty()) {
      const auto& input = n->as<ir::InputAttr>();
      if (elements > 0) first = input.offset, past = input.offset + 1;
      for (size_t a = 0; elements > 0 && a < input.strides.size(); ++a) {
        const int64_t end = input.strides[a] * (n->shape()[a] - 1);
        (end < 0 ? first : past) += end;
      }
      elements = 0;
    }
    program_.buffers.push_back({n->dtype(), false, elements, first, past});
    out_.buffers.push_back(n);
  }
  program_.buffers[it->second].written |= written;
  return it->second;
}

// ---- expressions

int ExpressionLowerer::access_number(const Access& a) {
  auto [it, fresh] = access_numbers_.try_emplace(a, static_cast<int>(accesses_.size()));
  if (fresh) accesses_.push_back(&it->first);
  return it->second;
}
int ExpressionLowerer::guards_number(const std::vector<Value>& g) {
  auto [it, fresh] = guards_numbers_.try_emplace(g, static_cast<int>(guards_.size()));
  if (fresh) guards_.push_back(&it->first);
  return it->second;
}

// A value computed without guards serves everywhere.
const Value* ExpressionLowerer::find(const Request& r) const {
  auto it = known_.find({r.node, r.access, 0});
  if (it == known_.end()) it = known_.find(r);
  return it == known_.end() ? nullptr : &it->second;
}

ExpressionLowerer::Branch ExpressionLowerer::branch(const Request& r, size_t input) {
  ir::InputAccess in = input_access(*r.node, input, *accesses_[r.access], vars_);
  Branch b{{r.node->inputs[input].get(), 0, r.guards}, in.when, in.never};
  b.request.access = access_number(in.at);
  return b;
}

void ExpressionLowerer::guard(Branch& b) {
  if (b.when.empty()) return;
  std::vector<Value> g = *guards_[b.request.guards];
  for (auto& c : b.when) {
    Value v = test(c);
    if (std::find(g.begin(), g.end(), v) == g.end()) g.push_back(v);
  }
  std::sort(g.begin(), g.end());
  b.request.guards = guards_number(g);
}

ExpressionLowerer::Request ExpressionLowerer::inside(const Node* n, const Access& at) {
  std::vector<Value> g;
  for (size_t a = 0; a < at.size(); ++a) {
    const int64_t extent = n->shape()[a];
    const auto [low, high] = vars_.range(at[a]);
    if (low < 0 || high >= extent) g.push_back(test({at[a], extent}));
  }
  std::sort(g.begin(), g.end());
  g.erase(std::unique(g.begin(), g.end()), g.end());
  return {n, access_number(at), guards_number(g)};
}

// Its access may wait for others, which are needed first.
void ExpressionLowerer::need_inside(const Node* n, const Access& at, std::vector<Request>& needs) {
  const size_t before = needs.size();
  for (auto& l : at) need_dynamic(l, needs);
  if (std::all_of(needs.begin() + static_cast<int64_t>(before), needs.end(),
                  [&](auto& r) { return find(r); }))
    needs.push_back(inside(n, at));
}

void ExpressionLowerer::need_dynamic(const Linear& l, std::vector<Request>& needs) {
  for (auto& [v, c] : l.terms) {
    const ir::Variable var = vars_[v];
    if (var.kind == VariableKind::Dynamic) {
      need_inside(var.node, var.at, needs);
    } else if (var.kind != VariableKind::Axis) {
      need_dynamic(var.of, needs);
    }
  }
}

// A constant that is also an output of the graph lies in memory, but may not have been written yet.
bool ExpressionLowerer::loads(const Node* n) const {
  return n->op == Op::input || (kind(n->op) != OpKind::Source && !roots_.contains(n) && in_memory_(n));
}

// The inputs that a request waits for. Tests of guards are emitted on the way.
std::vector<ExpressionLowerer::Branch> ExpressionLowerer::branches(const Request& r,
                                                                   std::vector<Request>& needs) {
  std::vector<Branch> out;
  const Node* n = r.node;
  if (loads(n) || n->op == Op::iota) {
    for (auto& l : *accesses_[r.access]) need_dynamic(l, needs);
    return out;
  }
  if (ir::scans(*n)) return out;
  switch (kind(n->op)) {
    case OpKind::Source:
    case OpKind::Reduce:
      return out;
    case OpKind::Gather: {
      const Branch index = branch(r, 1);
      if (!index.never) need_inside(index.request.node, *accesses_[index.request.access], needs);
      out.push_back(branch(r, 0));
      break;
    }
    default:
      for (size_t k = 0; k < n->inputs.size(); ++k) {
        Branch b = branch(r, k);
        if (n->op == Op::pad && k == 1) b.request = {b.request.node, access_number(Access{}), 0};
        if (b.never) {
          out.push_back(b);
          continue;
        }
        for (auto& c : b.when) need_dynamic(c.at, needs);
        out.push_back(b);
      }
  }
  return out;
}

// Iterative: a group holds thousands of nodes in a chain.
Value ExpressionLowerer::value(const Node* node, const Access& at) {
  Request top{node, access_number(at), 0};
  std::vector<Request> stack{top};
  while (!stack.empty()) {
    Request r = stack.back();
    if (find(r)) {
      stack.pop_back();
      continue;
    }
    std::vector<Request> needs;
    std::vector<Branch> inputs = branches(r, needs);
    size_t before = stack.size();
    for (auto& need : needs)
      if (!find(need)) stack.push_back(need);
    if (stack.size() > before) continue;
    for (auto& b : inputs) {
      if (b.never) continue;
      guard(b);
      if (!find(b.request)) stack.push_back(b.request);
    }
    if (stack.size() > before) {
      std::reverse(stack.begin() + static_cast<int64_t>(before), stack.end());
      continue;
    }
    known_[r] = compute(r, inputs);
    stack.pop_back();
  }
  return *find(top);
}

Value ExpressionLowerer::load(const Request& r) {
  const Node* n = r.node;
  Dims strides = contiguous_strides(n->shape());
  int64_t offset = 0;
  if (n->op == Op::input && !n->as<ir::InputAttr>().strides.empty()) {
    strides = n->as<ir::InputAttr>().strides;
    offset = n->as<ir::InputAttr>().offset;
  }
  Linear where = ir::address(*accesses_[r.access], strides, offset, vars_);
  Index at = index(where);
  bool in_row = row(where);
  for (Value g : *guards_[r.guards]) in_row |= row(g);
  Value out = define(n->dtype(), in_row);
  emit(Load{out, buffer(n, false), at, *guards_[r.guards]}, in_row);
  return out;
}

// A loop may have no end on what a guard leaves unspecified, so it is told of the guards.
Value ExpressionLowerer::applied(const Node& n, std::vector<Value> args, const std::vector<Value>& guards) {
  const ir::FunctionRef& function = ir::function_of(n);
  if (function->loops) args.insert(args.end(), guards.begin(), guards.end());
  const bool in_row = std::ranges::any_of(args, [&](Value a) { return row(a); });
  const Value out = define(n.dtype(), in_row);
  emit(Let{out, Op::apply, std::move(args), function, static_cast<int>(n.as<ir::ApplyAttr>().result)},
       in_row);
  return out;
}

Value ExpressionLowerer::compute(const Request& r, const std::vector<Branch>& inputs) {
  const Node* n = r.node;
  if (loads(n)) return load(r);
  auto in = [&](size_t k) { return *find(inputs[k].request); };
  switch (n->op) {
    case Op::constant: {
      Value out = define(n->dtype(), false);
      emit(Literal{out, n->as<ir::ConstantAttr>().value}, false);
      return out;
    }
    case Op::scalar: {
      Value out = define(n->dtype(), false);
      auto [it, fresh] = scalar_of_.try_emplace(n, static_cast<int>(program_.scalars.size()));
      if (fresh) {
        program_.scalars.push_back(n->dtype());
        out_.scalars.push_back(n);
      }
      emit(Argument{out, it->second}, false);
      return out;
    }
    case Op::iota: {
      Value at = position((*accesses_[r.access])[n->as<ir::AxisAttr>().axis]);
      return n->dtype() == DType::I64 ? at : let(Op::cast, n->dtype(), {at});
    }
    case Op::positive:
    case Op::broadcast:
    case Op::permute:
    case Op::slice:
    case Op::reshape:
    case Op::gather:
      return in(0);
    case Op::pad:
      if (inputs[0].never) return in(1);
      if (inputs[0].when.empty()) return in(0);
      return let(Op::select, n->dtype(), {all_of(inputs[0].when), in(0), in(1)});
    case Op::update:
      if (inputs[1].never) return in(0);
      if (inputs[1].when.empty()) return in(1);
      return let(Op::select, n->dtype(), {all_of(inputs[1].when), in(1), in(0)});
    case Op::concat: {
      Value out = -1;
      for (size_t k = inputs.size(); k-- > 0;) {
        if (inputs[k].never) continue;
        out = out < 0 ? in(k) : let(Op::select, n->dtype(), {all_of(inputs[k].when), in(k), out});
      }
      return out;
    }
    default:
      break;
  }
  if (ir::is_reduce(*n) && element_count(n->inputs[0]->shape()) == 0) {
    // What accumulators start from is no result: a sum starts from -0.0, but nothing sums to 0.0.
    Value out = define(n->dtype(), false);
    const Scalar value = Scalar::of(int64_t{info(n->op).of_nothing.value_or(0)});
    emit(Literal{out, value.cast(n->dtype())}, false);
    return out;
  }
  if (auto result = result_of_.find(n); result != result_of_.end()) return result->second;
  if (ir::is_reduce(*n))
    throw InternalError("lower: " + std::string(name(n->op)) +
                        " is neither in memory nor reduced by its group");
  if (kind(n->op) == OpKind::Scan && !ir::scans(*n)) return in(0);
  if (kind(n->op) != OpKind::Map)
    throw InternalError("lower: " + std::string(name(n->op)) + " has to be in memory");
  std::vector<Value> args(inputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) args[k] = in(k);
  if (ir::is_apply(*n)) return applied(*n, std::move(args), *guards_[r.guards]);
  return let(n->op, n->dtype(), std::move(args));
}

}  // namespace weft::plan
