#include "compiler/plan/lower.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/access.h"
#include "compiler/ir/in_place.h"

namespace weft::plan {

namespace {

using ir::Access;
using ir::Condition;
using ir::Linear;
using ir::Node;
using ir::Op;
using ir::OpKind;
using ir::VariableKind;

// What is wanted: a node at an access, where the guards hold. Accesses and guard lists are numbered.
struct Request {
  const Node* node;
  int access;
  int guards;
  friend auto operator<=>(const Request&, const Request&) = default;
};

// A loop over points: `stride` steps of an outer axis of the group, `extent` times.
struct Loop {
  int axis;
  int64_t extent, stride;
};

constexpr int64_t kShortestLoop = 32;  // elements that are worth a loop of their own for lanes
constexpr size_t kMostLoops = 8;

std::vector<Loop> one_loop_an_axis(const ir::Group& group) {
  std::vector<Loop> loops;
  for (int64_t extent : group.outer) loops.push_back({static_cast<int>(loops.size()), extent, 1});
  return loops;
}

class Lowerer {
 public:
  Lowerer(const ir::Group& group, const std::function<bool(const Node*)>& in_memory, std::vector<Loop> loops)
      : group_(group), in_memory_(in_memory), loops_(std::move(loops)) {}

  // The loops with one of them cut where a quotient or remainder cuts what it counts, so that neither is
  // left; none where nothing is gained.
  std::optional<std::vector<Loop>> finer_loops() const {
    size_t best = 0;
    int64_t longest = 1;
    for (int v : divided_) {
      const ir::Variable& cut = vars_[v];
      for (auto& [x, step] : cut.of.terms) {
        const auto k = static_cast<size_t>(x);
        if (k >= loops_.size() || step <= 0 || cut.divisor % step != 0) continue;
        const int64_t length = cut.divisor / step;
        if (length <= longest || length >= loops_[k].extent || loops_[k].extent % length != 0) continue;
        if (k + 1 == loops_.size() && length < kShortestLoop) continue;
        const auto [low, high] = vars_.range(cut.of);
        if (low >= 0 && high - (loops_[k].extent - length) * step < cut.divisor) best = k, longest = length;
      }
    }
    if (longest == 1 || loops_.size() >= kMostLoops) return std::nullopt;
    std::vector<Loop> finer = loops_;
    const auto [axis, extent, stride] = loops_[best];
    finer[best] = {axis, extent / longest, stride * longest};
    finer.insert(finer.begin() + static_cast<std::ptrdiff_t>(best) + 1, Loop{axis, longest, stride});
    return finer;
  }

  Lowered run() {
    declare_axes();
    guards_number({});
    for (size_t r = 0; r < group_.roots.size(); ++r)
      root_of_[group_.roots[r].node.get()] = static_cast<int>(r);
    std::vector<int> stage = stages();
    int last = 0;
    for (size_t r = 0; r < stage.size(); ++r)
      if (needs_sweep(group_.roots[r]) && stage[r] < kAfter) last = std::max(last, stage[r]);
    program_.sweeps.resize(last + 1);
    for (sweep_ = 0; sweep_ <= last; ++sweep_)
      for (size_t r = 0; r < stage.size(); ++r)
        if (stage[r] == sweep_ && needs_sweep(group_.roots[r])) lower_root(group_.roots[r]);
    for (size_t r = 0; r < stage.size(); ++r) {
      const ir::Root& root = group_.roots[r];
      if (stage[r] < kAfter && !reduces_across(group_, root) &&
          (!needs_sweep(root) || (is_reduce(root) && root.stored)))
        lower_epilogue(root);
    }
    forget_values();
    for (size_t r = 0; r < stage.size(); ++r)
      if (stage[r] >= kAfter || reduces_across(group_, group_.roots[r])) lower_after(group_.roots[r]);
    out_.program = std::move(program_);
    return std::move(out_);
  }

  // The group is the loops alone: values' axes, the scattered one as the row where its order matters.
  Lowered run_scatter(const Node* n) {
    declare_axes();
    guards_number({});
    program_.sweeps.resize(1);
    program_.ordered = !group_.row.empty();
    int64_t axis = n->as<ir::AxisAttr>().axis;
    const Node *index_node = n->inputs[1].get(), *values = n->inputs[2].get();
    Access at;
    for (int k = 0, outer = 0; k < static_cast<int>(values->shape().size()); ++k)
      at.push_back(along(program_.ordered && k == axis ? static_cast<int>(group_.outer.size()) : outer++));
    Access index_at = ir::broadcast_access(at, index_node->shape());
    value(index_node, index_at);
    Value v = value(values, at);
    at[axis] = vars_.dynamic(index_node, index_at, n->shape()[axis]);
    Index where = index(ir::address(at, contiguous_strides(n->shape()), 0, vars_));
    int out = buffer(n, true);
    Storing how = Storing::Plain;
    if (!program_.ordered && n->op != Op::scatter_distinct) {
      how = n->op == Op::scatter_add ? Storing::Sum : Storing::Largest;
    } else if (n->op == Op::scatter_add) {
      Value old = define(n->dtype(), true);
      emit(Load{old, out, where, {}}, true);
      v = let(Op::add, n->dtype(), {old, v});
    }
    program_.sweeps[0].body.push_back(Store{out, where, v, {}, how});
    out_.program = std::move(program_);
    return std::move(out_);
  }

 private:
  // The stage of what reads reductions across the points.
  static constexpr int kAfter = 1 << 20;

  static bool is_reduce(const ir::Root& root) { return kind(root.node->op) == OpKind::Reduce; }
  bool is_row_axis(int axis) const { return axis >= static_cast<int>(group_.outer.size()); }
  // Reductions and values that differ along the row are computed in a sweep; in a pointwise group everything
  // is.
  bool needs_sweep(const ir::Root& root) const {
    return is_reduce(root) || group_.row.empty() ||
           std::any_of(root.axis.begin(), root.axis.end(), [&](int a) { return is_row_axis(a); });
  }

  void declare_axes() {
    for (const Loop& l : loops_) vars_.add_axis(l.extent), program_.outer.push_back({l.extent});
    for (int64_t e : group_.row) vars_.add_axis(e), program_.row.push_back({e});
    // Schedules need a loop to run lanes along.
    if (program_.outer.empty() && program_.row.empty()) vars_.add_axis(1), program_.outer.push_back({1});
  }

  Access root_access(const ir::Root& root) const {
    Access at(root.axis.size());
    for (size_t k = 0; k < at.size(); ++k)
      if (root.axis[k] >= 0) at[k] = along(root.axis[k]);
    return at;
  }

  // The position along an axis of the group.
  Linear along(int axis) const {
    if (is_row_axis(axis))
      return vars_.of(first_row_variable() + axis - static_cast<int>(group_.outer.size()));
    Linear sum;
    for (size_t k = 0; k < loops_.size(); ++k)
      if (loops_[k].axis == axis)
        sum = vars_.add(sum, vars_.scale(vars_.of(static_cast<int>(k)), loops_[k].stride));
    return sum;
  }
  int first_row_variable() const { return static_cast<int>(loops_.size()); }

  // The sweep of each root: after every sweep that finishes a reduction that it reads, and not before a scan
  // that it reads.
  std::vector<int> stages() {
    std::vector<int> stage(group_.roots.size(), 0);
    for (size_t r = 0; r < stage.size(); ++r) {
      const Node* top = group_.roots[r].node.get();
      std::vector<const Node*> stack;
      std::unordered_map<const Node*, bool> seen;
      auto visit = [&](const Node* n) {
        for (auto& in : n->inputs)
          if (seen.emplace(in.get(), true).second) stack.push_back(in.get());
      };
      visit(top);
      while (!stack.empty()) {
        const Node* n = stack.back();
        stack.pop_back();
        auto own = root_of_.find(n);
        if (own != root_of_.end() && kind(n->op) == OpKind::Reduce) {
          stage[r] = std::max(
              stage[r], reduces_across(group_, group_.roots[own->second]) ? kAfter : stage[own->second] + 1);
        } else if (own != root_of_.end() && ir::scans(*n)) {
          stage[r] = std::max(stage[r], stage[own->second]);
        } else if (own != root_of_.end() || !in_memory_(n)) {
          visit(n);
        }
      }
    }
    return stage;
  }

  void lower_root(const ir::Root& root) {
    const Node* n = root.node.get();
    Access at = root_access(root);
    if (ir::scans(*n)) lower_scan(n, at);
    if (!is_reduce(root)) {
      if (root.stored) store(n, at);
      return;
    }
    Value v = value(n->inputs[0].get(), at);
    Accumulator acc;
    acc.op = n->op;
    acc.dtype = n->inputs[0]->dtype();
    acc.across = reduces_across(group_, root);
    acc.out = define(n->dtype(), acc.across);
    int number = static_cast<int>(program_.accumulators.size());
    program_.accumulators.push_back(acc);
    if (!acc.across) program_.sweeps[sweep_].accumulators.push_back(number);
    accumulator_of_[n] = number;
    Fold fold{number, v};
    if (gives_index(n->op)) {
      Linear position;
      int64_t stride = 1;
      const Dims& axes = n->as<ir::AxesAttr>().axes;
      for (size_t k = axes.size(); k-- > 0;) {
        position = vars_.add(position, vars_.scale(at[axes[k]], stride));
        stride *= n->inputs[0]->shape()[axes[k]];
      }
      fold.position = define(DType::I64, true);
      program_.sweeps[sweep_].body.push_back(Position{fold.position, index(position)});
    }
    program_.sweeps[sweep_].body.push_back(fold);
  }

  void lower_scan(const Node* n, const Access& at) {
    Value v = value(n->inputs[0].get(), at);
    int number = static_cast<int>(program_.accumulators.size());
    program_.accumulators.push_back({info(n->op).folds, n->dtype(), define(n->dtype(), false), true});
    program_.sweeps[sweep_].accumulators.push_back(number);
    Value out = define(n->dtype(), true);
    program_.sweeps[sweep_].body.push_back(Scan{out, number, v});
    scanned_[n] = out;
  }

  void lower_epilogue(const ir::Root& root) {
    if (!root.stored) return;
    sweep_ = static_cast<int>(program_.sweeps.size());
    store(root.node.get(), result_access(root));
  }

  // When all points are done, their values are gone.
  void lower_after(const ir::Root& root) {
    if (!root.stored) return;
    sweep_ = kAfter;
    store(root.node.get(), result_access(root));
  }

  void forget_values() {
    known_.clear();
    variable_value_.clear();
    positions_.clear();
    tests_.clear();
  }

  Access result_access(const ir::Root& root) const {
    if (!is_reduce(root)) return root_access(root);
    const Dims& reduced = root.node->as<ir::AxesAttr>().axes;
    Access full = root_access(root), at;
    for (size_t k = 0; k < full.size(); ++k)
      if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(k)) == reduced.end())
        at.push_back(full[k]);
    return at;
  }

  void store(const Node* n, Access at) {
    Value v = value(n->op == Op::assign ? n->inputs[1].get() : n, at);
    if (n->op == Op::assign) {
      const auto& [starts, steps] = n->as<ir::SliceAttr>();
      for (size_t k = 0; k < at.size(); ++k) at[k] = vars_.shift(vars_.scale(at[k], steps[k]), starts[k]);
    }
    // Assigns to one memory are one buffer, so that what they write is known to be neighbours.
    const auto memory = memory_written_.try_emplace(ir::written_into(n), n).first->second;
    Store s{buffer(memory, true), index(ir::address(at, contiguous_strides(n->shape()), 0, vars_)), v};
    emit(s, true);
  }

  // ---- statements

  Value define(DType dtype, bool row) {
    program_.values.push_back({dtype, row});
    return static_cast<Value>(program_.values.size() - 1);
  }

  bool row(Value v) const { return program_.values[v].row; }
  bool row(const Linear& l) const {
    for (size_t a = 0; a < group_.row.size(); ++a)
      if (vars_.depends_on(l, first_row_variable() + static_cast<int>(a))) return true;
    return false;
  }

  // A pointwise group has one place for statements: the body.
  void emit(Stmt s, bool in_row) {
    if (sweep_ == kAfter) {
      program_.after.push_back(std::move(s));
    } else if (sweep_ >= static_cast<int>(program_.sweeps.size())) {
      program_.epilogue.push_back(std::move(s));
    } else {
      Sweep& sweep = program_.sweeps[sweep_];
      (in_row || group_.row.empty() ? sweep.body : sweep.before).push_back(std::move(s));
    }
  }

  Value let(Op op, DType dtype, std::vector<Value> args) {
    bool in_row = std::any_of(args.begin(), args.end(), [&](Value a) { return row(a); });
    Value out = define(dtype, in_row);
    emit(Let{out, op, std::move(args)}, in_row);
    return out;
  }

  Index index(const Linear& l) {
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

  Value position(const Linear& l) {
    if (l.is_constant() == false && l.terms.size() == 1 && l.offset == 0 && l.terms[0].second == 1 &&
        vars_[l.terms[0].first].kind != VariableKind::Axis)
      return variable(l.terms[0].first);
    auto [it, fresh] = positions_.try_emplace(l, -1);
    if (!fresh) return it->second;
    Index at = index(l);
    bool in_row = row(l);
    Value out = define(DType::I64, in_row);
    emit(Position{out, at}, in_row);
    return positions_[l] = out;
  }

  // The value of a derived variable; a dynamic one's node has been computed by now.
  Value variable(int v) {
    auto known = variable_value_.find(v);
    if (known != variable_value_.end()) return known->second;
    const ir::Variable var = vars_[v];
    Value out;
    if (var.kind == VariableKind::Dynamic) {
      Value raw = *find({var.node, access_number(var.at), 0});
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

  Value test(const Condition& c) {
    auto [it, fresh] = tests_.try_emplace(c, -1);
    if (!fresh) return it->second;
    Index at = index(c.at);
    bool in_row = row(c.at);
    Value out = define(DType::Bool, in_row);
    emit(Test{out, at, {c.extent}}, in_row);
    return tests_[c] = out;
  }

  Value all_of(const std::vector<Condition>& when) {
    Value v = test(when[0]);
    for (size_t i = 1; i < when.size(); ++i) v = let(Op::bitwise_and, DType::Bool, {v, test(when[i])});
    return v;
  }

  int buffer(const Node* n, bool written) {
    auto [it, fresh] = buffer_of_.try_emplace(n, static_cast<int>(program_.buffers.size()));
    if (fresh) {
      int64_t elements = element_count(n->shape());
      if (n->op == Op::input && !n->as<ir::InputAttr>().strides.empty()) elements = 0;
      program_.buffers.push_back({n->dtype(), false, elements});
      out_.buffers.push_back(n);
    }
    program_.buffers[it->second].written |= written;
    return it->second;
  }

  // ---- expressions

  int access_number(const Access& a) {
    auto [it, fresh] = access_numbers_.try_emplace(a, static_cast<int>(accesses_.size()));
    if (fresh) accesses_.push_back(&it->first);
    return it->second;
  }
  int guards_number(const std::vector<Value>& g) {
    auto [it, fresh] = guards_numbers_.try_emplace(g, static_cast<int>(guards_.size()));
    if (fresh) guards_.push_back(&it->first);
    return it->second;
  }

  // A value computed without guards serves everywhere.
  const Value* find(const Request& r) const {
    auto it = known_.find({r.node, r.access, 0});
    if (it == known_.end()) it = known_.find(r);
    return it == known_.end() ? nullptr : &it->second;
  }

  // What an input adds to the guards of the expression that reads it.
  struct Branch {
    Request request;
    std::vector<Condition> when;
    bool never;
  };

  Branch branch(const Request& r, size_t input) {
    ir::InputAccess in = input_access(*r.node, input, *accesses_[r.access], vars_);
    Branch b{{r.node->inputs[input].get(), 0, r.guards}, in.when, in.never};
    b.request.access = access_number(in.at);
    return b;
  }

  void guard(Branch& b) {
    if (b.when.empty()) return;
    std::vector<Value> g = *guards_[b.request.guards];
    for (auto& c : b.when) {
      Value v = test(c);
      if (std::find(g.begin(), g.end(), v) == g.end()) g.push_back(v);
    }
    std::sort(g.begin(), g.end());
    b.request.guards = guards_number(g);
  }

  void need_dynamic(const Linear& l, std::vector<Request>& needs) {
    for (auto& [v, c] : l.terms) {
      const ir::Variable var = vars_[v];
      if (var.kind == VariableKind::Dynamic) {
        for (auto& a : var.at) need_dynamic(a, needs);
        needs.push_back({var.node, access_number(var.at), 0});
      } else if (var.kind != VariableKind::Axis) {
        need_dynamic(var.of, needs);
      }
    }
  }

  // A constant that is also an output of the graph lies in memory, but may not have been written yet.
  bool loads(const Node* n) const {
    return n->op == Op::input || (kind(n->op) != OpKind::Source && !root_of_.contains(n) && in_memory_(n));
  }

  // The inputs that a request waits for. Tests of guards are emitted on the way.
  std::vector<Branch> branches(const Request& r, std::vector<Request>& needs) {
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
        Branch index = branch(r, 1);
        index.request.guards = 0;
        needs.push_back(index.request);
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
  Value value(const Node* node, const Access& at) {
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

  Value load(const Request& r) {
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

  Value compute(const Request& r, const std::vector<Branch>& inputs) {
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
    if (kind(n->op) == OpKind::Reduce && element_count(n->inputs[0]->shape()) == 0) {
      // What accumulators start from is no result: a sum starts from -0.0, but nothing sums to 0.0.
      Value out = define(n->dtype(), false);
      const Scalar value = Scalar::of(int64_t{info(n->op).of_nothing.value_or(0)});
      emit(Literal{out, value.cast(n->dtype())}, false);
      return out;
    }
    if (kind(n->op) == OpKind::Reduce) {
      auto acc = accumulator_of_.find(n);
      if (acc == accumulator_of_.end())
        throw InternalError("lower: " + std::string(name(n->op)) +
                            " is neither in memory nor reduced by its group");
      return program_.accumulators[acc->second].out;
    }
    if (auto scanned = scanned_.find(n); scanned != scanned_.end()) return scanned->second;
    if (kind(n->op) == OpKind::Scan && !ir::scans(*n)) return in(0);
    if (kind(n->op) != OpKind::Map)
      throw InternalError("lower: " + std::string(name(n->op)) + " has to be in memory");
    std::vector<Value> args(inputs.size());
    for (size_t k = 0; k < inputs.size(); ++k) args[k] = in(k);
    return let(n->op, n->dtype(), std::move(args));
  }

  const ir::Group& group_;
  const std::function<bool(const Node*)>& in_memory_;
  std::vector<Loop> loops_;  // over points
  Lowered out_;
  RowProgram program_;
  ir::Variables vars_;
  int sweep_ = 0;
  std::unordered_map<const Node*, int> root_of_, accumulator_of_, buffer_of_, scalar_of_;
  std::unordered_map<const Node*, const Node*> memory_written_;  // the first that writes into it
  std::map<Access, int> access_numbers_;
  std::vector<const Access*> accesses_;
  std::map<std::vector<Value>, int> guards_numbers_;
  std::vector<const std::vector<Value>*> guards_;
  std::map<Request, Value> known_;
  std::unordered_map<const Node*, Value> scanned_;
  std::map<int, Value> variable_value_;
  std::vector<int> divided_;  // quotients and remainders that statements compute
  std::map<Linear, Value> positions_;
  std::map<Condition, Value> tests_;
};

}  // namespace

Lowered lower(const ir::Group& group, const std::function<bool(const ir::Node*)>& in_memory, Cuts cuts) {
  ir::Group loops = group;
  // Reductions over axes of extent 1 have a row of one element.
  bool reduces = std::any_of(group.roots.begin(), group.roots.end(),
                             [](auto& root) { return kind(root.node->op) == OpKind::Reduce; });
  if (loops.row.empty() && reduces) loops.row.push_back(1);
  Lowered out;
  std::optional<std::vector<Loop>> next = one_loop_an_axis(loops);
  while (next) {
    Lowerer lowerer(loops, in_memory, *std::move(next));
    out = lowerer.run();
    next = cuts == Cuts::Loops && loops.row.empty() ? lowerer.finer_loops() : std::nullopt;
  }
  collapse_axes(out.program);
  return out;
}

Lowered lower_unordered_scatter(const ir::NodeRef& scatter,
                                const std::function<bool(const ir::Node*)>& in_memory) {
  ir::Group loops;
  loops.outer = scatter->inputs[2]->shape();
  Lowered out = Lowerer(loops, in_memory, one_loop_an_axis(loops)).run_scatter(scatter.get());
  collapse_axes(out.program);
  return out;
}

Lowered lower_scatter(const ir::NodeRef& scatter, const std::function<bool(const ir::Node*)>& in_memory) {
  ir::Group loops;
  const Shape& shape = scatter->inputs[2]->shape();
  int64_t axis = scatter->as<ir::AxisAttr>().axis;
  for (size_t k = 0; k < shape.size(); ++k)
    (static_cast<int64_t>(k) == axis ? loops.row : loops.outer).push_back(shape[k]);
  if (loops.outer.empty()) loops.outer.push_back(1);
  Lowered out = Lowerer(loops, in_memory, one_loop_an_axis(loops)).run_scatter(scatter.get());
  collapse_axes(out.program);
  return out;
}

}  // namespace weft::plan
