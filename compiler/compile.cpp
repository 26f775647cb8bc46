#include "compiler/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/base/error.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"
#include "compiler/explain.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/access.h"
#include "compiler/ir/build.h"
#include "compiler/ir/in_place.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/assign.h"
#include "compiler/passes/expand_products.h"
#include "compiler/passes/join_products.h"
#include "compiler/passes/merge_reductions.h"
#include "compiler/passes/narrow.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/refine_shapes.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "compiler/passes/split_reductions.h"
#include "compiler/passes/unreshape.h"
#include "compiler/passes/write_out_reductions.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/overwrite.h"
#include "compiler/plan/schedule.h"
#include "compiler/plan/touched.h"

namespace weft {

namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

// The passes over graphs, in order.
constexpr passes::Pass kPasses[] = {
    {"simplify", [](auto& graph, auto&, auto& options) { return passes::simplify(graph, options); }},
    {"share", [](auto& graph, auto&, auto& options) { return passes::share(graph, options); }},
    {"narrow", passes::narrow},
    {"merge_reductions", passes::merge_reductions},
    {"join_products", passes::join_products},
    {"expand_products", passes::expand_products},
    {"write_out_reductions", passes::write_out_reductions},
    {"refine_shapes", passes::refine_shapes},
    {"split_reductions", passes::split_reductions},
    {"unreshape", passes::unreshape},
    {"assign", passes::assign_in_place},
};

ir::Graph run_passes(ir::Graph graph, const Target& target, const Options& options) {
  ir::verify(graph, "recording");
  if (options.dump) options.dump("graph", ir::print(graph));
  graph = passes::as_updates(graph);
  for (auto& pass : kPasses) {
    auto& without = options.without_passes;
    if (std::find(without.begin(), without.end(), pass.name) != without.end()) continue;
    ir::Graph next = pass.run(graph, target, options);
    ir::verify(next, pass.name);
    if (options.dump && hash_graph(next) != hash_graph(graph)) options.dump(pass.name, ir::print(next));
    graph = std::move(next);
  }
  return graph;
}

// OpenBLAS has no half formats: they are multiplied as f32 and rounded once.
ir::Graph widen_products(const ir::Graph& graph) {
  return passes::rewrite(graph, [](const NodeRef& n) {
    if (n->op != Op::dot || !is_half(n->dtype())) return n;
    NodeRef a = ir::cast(n->inputs[0], DType::F32, n->lines),
            b = ir::cast(n->inputs[1], DType::F32, n->lines);
    return ir::cast(ir::dot(a, b, n->lines), n->dtype(), n->lines);
  });
}

// A matrix operand in memory: the node whose buffer holds it, and how it lies there.
struct Operand {
  const Node* base = nullptr;
  int64_t offset = 0, batch = 0, row = 0, column = 0;
};

class ProgramBuilder {
 public:
  ProgramBuilder(const ir::Graph& graph, const Target& target, const Options& options)
      : graph_(graph), target_(target), options_(options) {}

  Program run() {
    declare_inputs();
    ir::Partition partition = fusion::fuse(graph_, target_, options_);
    if (options_.dump) options_.dump("fused", explain(partition));
    stored_ = stored_nodes(partition);
    declare_stored(partition);
    for (auto& step : partition.steps) {
      if (step.library)
        add_library(step);
      else
        add_kernel(step);
    }
    program_.explanation += explain_decisions(partition, title_);
    return std::move(program_);
  }

 private:
  void declare_inputs() {
    for (auto& in : graph_.inputs) {
      if (in->op == Op::scalar) {
        scalar_of_[in.get()] = static_cast<int>(program_.scalars.size());
        program_.scalars.push_back(in->dtype());
        continue;
      }
      buffer_of_[in.get()] = add_buffer(BufferSpec::Role::Input, program_.inputs++, in->type, title_(*in));
    }
  }

  int add_buffer(BufferSpec::Role role, int index, const ir::TensorType& type, std::string what) {
    int64_t bytes = element_count(type.shape) * static_cast<int64_t>(size_of(type.dtype));
    program_.buffers.push_back({role, index, type.dtype, type.shape, bytes, std::move(what)});
    return static_cast<int>(program_.buffers.size()) - 1;
  }

  void declare_stored(const ir::Partition& partition) {
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      const Node* n = graph_.outputs[k].get();
      if (n->op == Op::input) {
        int to = add_buffer(BufferSpec::Role::Output, static_cast<int>(k), n->type, title_(*n));
        if (whole_buffer(n))
          add_step(CopyStep{buffer_of_.at(n), to}, "copy of " + title_(*n) + ", which is an output\n");
        else
          add_copy(graph_.outputs[k], to, "which is an output");
        program_.outputs.push_back(to);
        continue;
      }
      const Node* memory = ir::written_into(n);
      if (!buffer_of_.contains(memory))
        buffer_of_[memory] =
            add_buffer(BufferSpec::Role::Output, static_cast<int>(k), n->type, title_(*memory));
      buffer_of_[n] = buffer_of_.at(memory);
      program_.outputs.push_back(buffer_of_.at(n));
    }
    auto temporary = [&](const Node* n) {
      const Node* memory = ir::written_into(n);
      if (!buffer_of_.contains(memory))
        buffer_of_[memory] = add_buffer(BufferSpec::Role::Temporary, 0, n->type, title_(*memory));
      buffer_of_[n] = buffer_of_.at(memory);
    };
    for (auto& step : partition.steps) {
      if (step.library) temporary(step.library.get());
      for (auto& root : step.group.roots)
        if (root.stored) temporary(root.node.get());
    }
  }

  // The explanation lists every step that runs.
  void add_step(ProgramStep step, const std::string& explanation) {
    program_.explanation += "step " + std::to_string(program_.steps.size()) + ": " + explanation;
    program_.steps.push_back(std::move(step));
  }

  void add_kernel(const ir::Step& step) {
    if (element_count(step.group.outer) == 0) return;
    add_kernel(plan::lower(step.group, in_memory_, cuts_), summarize(step, stored_),
               describe(step, stored_, title_));
  }

  static KernelKey key_of(const emit::Emitted& out) {
    const uint64_t seed = out.source.hash.low ^ static_cast<uint64_t>(out.launch.tasks);
    return {out.source.hash, hash_bytes(out.params.data(), out.params.size() * sizeof(int64_t), seed)};
  }

  // `zeroed`: what has to be 0 when the kernel starts.
  void add_kernel(plan::Lowered lowered, std::string summary, std::string explanation,
                  const Node* zeroed = nullptr) {
    plan::RowProgram& p = lowered.program;
    const bool cuda = target_.kind == TargetKind::Cuda;
    plan::Schedule schedule;
    auto make = [&](const Bias& bias) {
      const bool contract = options_.numerics != Numerics::Strict;
      schedule = cuda ? schedule_cuda(p, target_, bias, contract) : schedule_cpu(p, target_, bias);
      plan::parameterize(p);
      plan::verify(p);
      return cuda ? emit::emit_cuda(p, schedule, contract) : emit::emit_cpu(p, schedule, contract);
    };
    std::optional<plan::RowProgram> unscheduled;
    if (options_.choose) unscheduled = p;
    emit::Emitted out = make({});
    KernelStep k;
    k.key = key_of(out);
    const Choice choice = options_.choose ? options_.choose(k.key) : Choice{};
    if (choice.bias != Bias{}) {
      p = std::move(*unscheduled);
      out = make(choice.bias);
      k.bias = choice.bias;
    }
    if (out.launch.finish_tasks > 0)
      explanation += fmt::format("  a second launch joins its parts, {} bytes\n", out.partial_bytes);
    if (!choice.reason.empty())
      explanation += "  schedule with " + to_string(choice.bias) + ": " + choice.reason + "\n";
    if (options_.dump) options_.dump("plan", print(p) + print(schedule));
    if (options_.dump) options_.dump(cuda ? "cuda" : "cpp", out.source.text);
    k.kernel = kernel_number(std::move(out.source));
    k.launch = out.launch;
    k.params = std::move(out.params);
    k.summary = std::move(summary);
    const std::vector<int64_t> touched = touched_elements(p);
    for (size_t b = 0; b < lowered.buffers.size(); ++b) {
      int buffer = buffer_of_.at(lowered.buffers[b]);
      k.buffers.push_back(buffer);
      (p.buffers[b].written ? k.bytes_written : k.bytes_read) +=
          touched[b] * static_cast<int64_t>(size_of(p.buffers[b].dtype));
      if (lowered.buffers[b] != zeroed) continue;
      k.launch.zeroed = static_cast<uint32_t>(b);
      k.launch.zeroed_bytes = static_cast<size_t>(program_.buffers[buffer].bytes);
    }
    k.overwrites = overwrites(p, schedule, k.buffers);
    if (out.partial_bytes > 0)
      k.buffers.push_back(add_buffer(BufferSpec::Role::Temporary, 0, {DType::U8, {out.partial_bytes}},
                                     "parts of " + k.summary));
    for (const Node* s : lowered.scalars) k.scalars.push_back(scalar_of_.at(s));
    add_step(std::move(k), explanation);
  }

  // `numbers`: of the kernel's buffers in the program.
  static std::vector<KernelStep::Overwrite> overwrites(const plan::RowProgram& p,
                                                       const plan::Schedule& schedule,
                                                       const std::vector<int>& numbers) {
    std::vector<KernelStep::Overwrite> out;
    const auto once = [&](int b) { return std::ranges::count(numbers, b) == 1; };
    for (size_t w = 0; w < numbers.size(); ++w)
      for (size_t r = 0; r < numbers.size(); ++r)
        if (once(numbers[w]) && once(numbers[r]) &&
            may_overwrite(p, schedule, static_cast<int>(r), static_cast<int>(w)))
          out.push_back({numbers[w], numbers[r]});
    return out;
  }

  int kernel_number(KernelSource source) {
    for (size_t k = 0; k < program_.kernels.size(); ++k)
      if (program_.kernels[k].hash == source.hash) return static_cast<int>(k);
    program_.kernels.push_back(std::move(source));
    return static_cast<int>(program_.kernels.size()) - 1;
  }

  // Follows views down to what lies in memory, when one batch stride, one row and one column stride describe
  // the operand.
  std::optional<Operand> operand(const Node* n) {
    ir::Variables vars;
    const Shape& shape = n->shape();
    ir::Access at;
    for (int64_t extent : shape) at.push_back(vars.of(vars.add_axis(extent)));
    while (!buffer_of_.contains(n)) {
      if (kind(n->op) != OpKind::View || n->inputs.size() != 1) return std::nullopt;
      at = input_access(*n, 0, at, vars).at;
      n = n->inputs[0].get();
    }
    Dims strides = contiguous_strides(n->shape());
    int64_t offset = 0;
    if (n->op == Op::input && !n->as<ir::InputAttr>().strides.empty()) {
      strides = n->as<ir::InputAttr>().strides;
      offset = n->as<ir::InputAttr>().offset;
    }
    ir::Linear where = ir::address(at, strides, offset, vars);
    for (auto& [v, c] : where.terms)
      if (vars[v].kind != ir::VariableKind::Axis) return std::nullopt;
    int rank = static_cast<int>(shape.size());
    Operand out{n, where.offset, 0, where.coefficient(rank - 2), where.coefficient(rank - 1)};
    int64_t expected = -1;
    for (int a = rank - 3; a >= 0; --a) {
      if (shape[a] == 1) continue;
      int64_t c = where.coefficient(a);
      if (expected == -1)
        out.batch = c;
      else if (c != expected)
        return std::nullopt;
      expected = c * shape[a];
    }
    return out;
  }

  static bool leading(int64_t stride, int64_t unit, int64_t rows, int64_t columns, int64_t& ld) {
    bool unit_ok = unit == 1 || columns == 1;
    if (!unit_ok) return false;
    ld = rows == 1 ? std::max<int64_t>(columns, 1) : stride;
    return ld >= std::max<int64_t>(columns, 1);
  }

  // The buffer, offset and layout of an operand; a copy is made when no BLAS layout describes it.
  struct Layout {
    int buffer;
    int64_t offset, ld, batch;
    bool transposed;
  };
  Layout layout(const NodeRef& n) {
    const Shape& s = n->shape();
    int64_t rows = s[s.size() - 2], columns = s.back();
    if (auto o = operand(n.get())) {
      int64_t ld = 0;
      if (leading(o->row, o->column, rows, columns, ld))
        return {buffer_of_.at(o->base), o->offset, ld, o->batch, false};
      if (leading(o->column, o->row, columns, rows, ld))
        return {buffer_of_.at(o->base), o->offset, ld, o->batch, true};
    }
    int buffer = add_buffer(BufferSpec::Role::Temporary, 0, n->type, "a copy of " + title_(*n));
    add_copy(n, buffer, "as a library cannot read it where it lies");
    return {buffer, 0, columns, rows * columns, false};
  }

  // The node whose buffer holds the elements of `n`, row-major, and no others; null where there is none.
  const Node* whole_buffer(const Node* n) const {
    const Node* base = ir::memory_of(n);
    const bool strided = base->op == Op::input && !base->as<ir::InputAttr>().strides.empty();
    return buffer_of_.contains(base) && !strided ? base : nullptr;
  }

  // Writes the elements of `n`, row-major, to a buffer.
  void add_copy(const NodeRef& n, int buffer, const std::string& why) {
    ir::Step copy;
    NodeRef root = ir::copy(n, n->lines);
    copies_.push_back(root);
    copy.group.outer = n->shape();
    copy.group.roots.push_back({root, {}, true});
    for (size_t k = 0; k < n->shape().size(); ++k) copy.group.roots[0].axis.push_back(static_cast<int>(k));
    buffer_of_[root.get()] = buffer;
    if (element_count(copy.group.outer) == 0) return;
    add_kernel(plan::lower(copy.group, in_memory_, cuts_), summarize(copy, stored_),
               "kernel: copy of " + title_(*n) + ", " + why + "\n");
  }

  // Whether to store without an order: that takes all elements once, and their claims twice, and launches
  // more. On a GPU, a row that is stored element by element takes as long as moving many bytes for each.
  bool worth_claiming(const Node& scatter) const {
    if (target_.kind != TargetKind::Cuda || scatter.op != Op::scatter) return false;
    const int64_t ordered = scatter.inputs[2]->shape()[static_cast<size_t>(scatter.as<ir::AxisAttr>().axis)];
    const int64_t moved =
        element_count(scatter.shape()) * static_cast<int64_t>(2 * size_of(scatter.dtype()) + 8);
    return ordered < INT32_MAX && ordered > (moved + tuning::kLaunch) / tuning::kOrderedStore;
  }

  // The last of equal indices stays, whatever runs first: each element is claimed by the largest position
  // whose value goes there, and takes that.
  void add_claimed_scatter(const ir::Step& step) {
    const Node& n = *step.library;
    const int64_t axis = n.as<ir::AxisAttr>().axis;
    const NodeRef &x = n.inputs[0], &index = n.inputs[1], &values = n.inputs[2];
    Shape claimed = index->shape();
    claimed[static_cast<size_t>(axis)] = n.shape()[static_cast<size_t>(axis)];
    const auto all = [&](int64_t value, const Shape& shape) {
      return ir::broadcast(ir::constant({DType::I32, {}}, Scalar::of(value)), shape, n.lines);
    };
    const NodeRef positions = ir::map(
        Op::add, std::vector{ir::iota({DType::I32, index->shape()}, axis), all(1, index->shape())}, n.lines);
    const NodeRef claims = ir::scatter(Op::scatter, all(0, claimed), index, positions, axis, n.lines);
    copies_.push_back(claims);
    buffer_of_[claims.get()] =
        add_buffer(BufferSpec::Role::Temporary, 0, claims->type, "claims of " + title_(n));
    add_kernel(plan::lower_unordered_scatter(claims, in_memory_), summarize(step, stored_),
               "kernel: which value each element of " + title_(n) + " takes\n", claims.get());
    const NodeRef before =
        ir::cast(ir::map(Op::subtract, std::vector{claims, all(1, claimed)}, n.lines), DType::I64, n.lines);
    const NodeRef taken = ir::broadcast(ir::map(Op::greater, std::vector{claims, all(0, claimed)}, n.lines),
                                        n.shape(), n.lines);
    add_copy(ir::map(Op::select, std::vector{taken, ir::gather(values, before, axis, n.lines), x}, n.lines),
             buffer_of_.at(&n), "with its values");
  }

  // On a GPU sums of integers are the same in any order; it adds words of 4 and 8 bytes.
  bool adds_in_any_order(const Node& scatter) const {
    return target_.kind == TargetKind::Cuda && scatter.op == Op::scatter_add && is_integer(scatter.dtype());
  }

  // Narrow integers are summed in words of their own.
  void add_summed_scatter(const ir::Step& step) {
    const Node& n = *step.library;
    const auto& attr = n.as<ir::AxisAttr>();
    const NodeRef none =
        ir::broadcast(ir::constant({DType::I32, {}}, Scalar::of(int64_t{0})), n.shape(), n.lines);
    const NodeRef values = ir::cast(n.inputs[2], DType::I32, n.lines);
    const NodeRef sums = ir::scatter(Op::scatter_add, none, n.inputs[1], values, attr.axis, n.lines);
    copies_.push_back(sums);
    buffer_of_[sums.get()] = add_buffer(BufferSpec::Role::Temporary, 0, sums->type, "sums of " + title_(n));
    add_kernel(plan::lower_unordered_scatter(sums, in_memory_), summarize(step, stored_),
               "kernel: sums of " + title_(n) + "\n", sums.get());
    const NodeRef in[] = {n.inputs[0], ir::cast(sums, n.dtype(), n.lines)};
    add_copy(ir::map(Op::add, in, n.lines), buffer_of_.at(&n), "with its values");
  }

  void add_library(const ir::Step& step) {
    const Node& n = *step.library;
    if (element_count(n.shape()) == 0) return;
    if (kind(n.op) == OpKind::Scatter) {
      if (worth_claiming(n)) return add_claimed_scatter(step);
      if (adds_in_any_order(n) && size_of(n.dtype()) < 4) return add_summed_scatter(step);
      const bool unordered =
          adds_in_any_order(n) || (n.op == Op::scatter_distinct && target_.kind == TargetKind::Cuda);
      const std::string why = "which " + std::string(name(n.op)) + " changes";
      if (const Node* base = whole_buffer(n.inputs[0].get())) {
        add_step(CopyStep{buffer_of_.at(base), buffer_of_.at(&n)},
                 "copy of " + title_(*n.inputs[0]) + ", " + why + ", unless nothing else needs it\n");
      } else {
        add_copy(n.inputs[0], buffer_of_.at(&n), why);
      }
      if (element_count(n.inputs[2]->shape()) > 0)
        add_kernel(unordered ? plan::lower_unordered_scatter(step.library, in_memory_)
                             : plan::lower_scatter(step.library, in_memory_),
                   summarize(step, stored_), "kernel: " + title_(n) + "\n");
      return;
    }
    const Shape &a = n.inputs[0]->shape(), &b = n.inputs[1]->shape();
    Layout la = layout(n.inputs[0]), lb = layout(n.inputs[1]);
    DotStep d;
    size_t rank = a.size();
    d.dot.dtype = n.dtype();
    d.dot.m = a[rank - 2], d.dot.k = a[rank - 1], d.dot.n = b[rank - 1];
    d.dot.batch = element_count(std::span(n.shape().begin(), rank - 2));
    d.dot.transpose_a = la.transposed, d.dot.transpose_b = lb.transposed;
    d.dot.lda = la.ld, d.dot.ldb = lb.ld, d.dot.ldc = d.dot.n;
    d.dot.stride_a = la.batch, d.dot.stride_b = lb.batch, d.dot.stride_c = d.dot.m * d.dot.n;
    d.a = la.buffer, d.b = lb.buffer, d.c = buffer_of_.at(&n);
    d.offset_a = la.offset, d.offset_b = lb.offset;
    d.summary = summarize(step, stored_);
    add_step(std::move(d), describe(step, stored_, title_));
  }

  const ir::Graph& graph_;
  const Target& target_;
  const Options& options_;
  Program program_;
  Titles title_;
  std::unordered_map<const Node*, int> buffer_of_, scalar_of_;
  std::unordered_set<const Node*> stored_;
  std::vector<NodeRef> copies_;
  // A GPU divides as fast as it counts, and its threads walk one long axis best.
  const plan::Cuts cuts_ = target_.kind == TargetKind::Cpu ? plan::Cuts::Loops : plan::Cuts::Statements;
  const std::function<bool(const Node*)> in_memory_ = [this](const Node* n) {
    return buffer_of_.contains(n);
  };
};

}  // namespace

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> out;
  for (auto& pass : kPasses) out.push_back(pass.name);
  return out;
}

ir::Graph prepare(const ir::Graph& graph, const Target& target, const Options& options) {
  ir::Graph ready = run_passes(graph, target, options);
  return target.kind == TargetKind::Cpu ? widen_products(ready) : ready;
}

Program compile(const ir::Graph& graph, const Target& target, const Options& options) {
  ir::Graph ready = prepare(graph, target, options);
  Program program = ProgramBuilder(ready, target, options).run();
  for (const Node* n : topological_order(graph.outputs))
    program.ops_before += kind(n->op) != OpKind::Source && kind(n->op) != OpKind::View;
  return program;
}

bool is_special(const Scalar& s, const Node& user, size_t operand) {
  if (s.dtype == DType::Bool) return true;
  if (is_complex(s.dtype) && s.im != 0) return false;
  const double v = is_integer(s.dtype) ? static_cast<double>(s.i) : s.re;
  const bool unit = v == 0 || std::abs(v) == 1, small = v == 2 || v == 3;
  switch (user.op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
      return unit;
    case Op::divide:
      return operand == 0 ? v == 1 : v == 1 || v == 2 || v == 0.5;
    case Op::pow:
      return operand == 1 && (unit || small || v == 0.5);
    case Op::floor_divide:
    case Op::remainder:
      return operand == 1 && (unit || small);
    default:
      break;
  }
  return kind(user.op) != OpKind::Map && (unit || !std::isfinite(v));
}

}  // namespace weft
