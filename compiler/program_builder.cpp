#include "compiler/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/base/error.h"
#include "compiler/blocks/estimate.h"
#include "compiler/blocks/prepare.h"
#include "compiler/emit/cpu/emit_cpu.h"
#include "compiler/emit/cuda/emit_cuda.h"
#include "compiler/emit/user_kernel.h"
#include "compiler/explain.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/analysis/matrix_layout.h"
#include "compiler/ir/build.h"
#include "compiler/ir/loop.h"
#include "compiler/ir/user_kernel.h"
#include "compiler/passes/loops/map_loops.h"
#include "compiler/passes/scatters.h"
#include "compiler/plan/facts/overwrite.h"
#include "compiler/plan/facts/traffic.h"
#include "compiler/plan/lower/lower.h"
#include "compiler/plan/rewrite/contract.h"
#include "compiler/plan/schedule/schedule.h"

namespace weft {

namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

class ProgramBuilder {
 public:
  ProgramBuilder(const ir::Graph& graph, const Target& target, const Options& options, const Bodies& bodies,
                 Explanation& explanation)
      : graph_(graph), target_(target), options_(options), bodies_(bodies), explanation_(explanation) {}

  Program run() {
    declare_inputs();
    ir::Partition partition = fusion::fuse(graph_, target_, options_);
    if (options_.dump) options_.dump("fused", to_string(explain(partition)));
    stored_ = stored_nodes(partition);
    declare_stored(partition);
    for (auto& step : partition.steps) add(step);
    explanation_.edges = explain_decisions(partition, stored_, title_);
    explanation_.repeated = explain_repeated_work(partition, stored_);
    explanation_.values = title_.take();
    return std::move(program_);
  }

 private:
  void add(const ir::Step& step) {
    if (!step.library)
      add_kernel(step);
    else if (element_count(step.library->shape()) == 0)
      return;
    else if (kind(step.library->op) == OpKind::Scatter)
      add_scatter(step);
    else if (ir::is_loop(*step.library))
      add_loop(step);
    else if (ir::is_user_kernel(*step.library))
      add_user_kernel(step);
    else
      add_product(step);
  }

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
          add_step(CopyStep{buffer_of_.at(n), to}, "copy of " + title_(*n) + ", which is an output");
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
  void add_step(ProgramStep step, Explanation::Step explanation) {
    explanation_.steps.push_back(std::move(explanation));
    program_.steps.push_back(std::move(step));
  }
  void add_step(CopyStep step, const std::string& text) { add_step(step, said("copy", text)); }

  static Explanation::Step said(const char* kind, std::string text) { return {kind, std::move(text)}; }

  void add_kernel(const ir::Step& step) {
    if (element_count(step.group.outer) == 0) return;
    add_kernel(plan::lower(step.group, in_memory_, cuts_), origin_of(step, stored_),
               explain(step, stored_, title_));
  }

  static KernelKey key_of(const emit::Emitted& out) {
    const uint64_t seed = out.source.hash.low ^ static_cast<uint64_t>(out.launch.tasks);
    return {out.source.hash, hash_bytes(out.params.data(), out.params.size() * sizeof(int64_t), seed)};
  }

  plan::CpuSchedule schedule_for_cpu(plan::RowProgram& p, const Bias& bias, bool contract) const {
    plan::CpuSchedule s = schedule_cpu(p, target_, bias);
    if (contract) plan::contract(p, [&](const plan::Accumulator& acc) { return fold_dtype(s, acc); });
    return s;
  }

  struct Scheduled {
    plan::Schedule schedule;
    int64_t partial_bytes = 0;
  };

  // Blocks in the place of a kernel, of which not even the text is made.
  std::optional<Scheduled> add_blocks(KernelStep& k, plan::RowProgram& p) {
    if (target_.kind == TargetKind::Cuda) return std::nullopt;
    if (target_.compiles && (options_.blocks != Blocks::Instead || plan::has_function(p)))
      return std::nullopt;
    if (plan::has_function(p))
      throw Error(
          "apply: a function of scalars needs a compiler, and this library was built without one: build it "
          "with WEFT_CPU_JIT=ON, or call the function outside of compile(), where it is interpreted");
    plan::RowProgram scheduled = p;
    const plan::CpuSchedule s = schedule_for_cpu(scheduled, {}, options_.numerics != Numerics::Strict);
    const auto blocks = std::make_shared<const BlockProgram>(blocks::prepare(scheduled, s));
    plan::verify(scheduled);
    p = std::move(scheduled);
    if (options_.dump) options_.dump("plan", print(p) + print(s));
    k.kernel = -1;
    k.launch.tasks = blocks->tasks, k.launch.finish_tasks = blocks->finish_tasks, k.launch.grain = s.grain;
    k.blocks = blocks;
    return Scheduled{s, blocks->partial_bytes};
  }

  // Blocks beside a kernel: of the same schedule, for as long as it is not compiled.
  void add_blocks_beside(KernelStep& k, const plan::RowProgram& p, const plan::Schedule& schedule,
                         const emit::cpu::CpuLayout& layout, const emit::Emitted& out) const {
    const auto* cpu = std::get_if<plan::CpuSchedule>(&schedule);
    const bool beside = options_.blocks == Blocks::Beside || options_.blocks == Blocks::BesideLate;
    if (!beside || !cpu || plan::has_function(p)) return;
    BlockProgram program = blocks::prepare(p, *cpu, layout);
    program.estimate = blocks::estimate(p, *cpu, target_, out.launch.tasks, out.source.text.size());
    k.blocks = std::make_shared<const BlockProgram>(std::move(program));
  }

  // Where blocks run in less time than the kernel's text takes, that is made when somebody asks for it. Parts are left
  // out: their memory is the text's to tell.
  std::optional<Scheduled> add_late(KernelStep& k, plan::RowProgram& p) {
    if (options_.blocks != Blocks::BesideLate || plan::has_function(p) || target_.kind == TargetKind::Cuda ||
        options_.dump)
      return std::nullopt;
    plan::RowProgram scheduled = p;
    const plan::CpuSchedule s = schedule_for_cpu(scheduled, {}, options_.numerics != Numerics::Strict);
    const std::optional<BlockEstimate> estimate = blocks::estimate_without_text(scheduled, s, target_);
    if (!estimate) return std::nullopt;
    BlockProgram program = blocks::prepare(scheduled, s);
    if (program.partial_bytes > 0) return std::nullopt;
    program.estimate = *estimate;
    plan::verify(scheduled);
    p = std::move(scheduled);
    k.launch.tasks = program.tasks, k.launch.finish_tasks = program.finish_tasks, k.launch.grain = s.grain;
    k.blocks = std::make_shared<const BlockProgram>(std::move(program));
    k.kernel = static_cast<int>(program_.kernels.size());
    program_.kernels.emplace_back();
    return Scheduled{s, 0};
  }

  static LateSource source_of(plan::RowProgram p, const plan::CpuSchedule& s) {
    plan::parameterize(p);
    plan::verify(p);
    emit::Emitted out = emit::emit_cpu(p, s);
    if (out.partial_bytes > 0) throw InternalError("late kernel: has parts, which its blocks do without");
    return {std::move(out.source), out.launch, std::move(out.params)};
  }

  Scheduled add_source(KernelStep& k, plan::RowProgram& p, Explanation::Step& explanation) {
    const bool cuda = target_.kind == TargetKind::Cuda;
    plan::Schedule schedule;
    emit::cpu::CpuLayout layout;
    auto make = [&](const Bias& bias) {
      const bool contract = options_.numerics != Numerics::Strict;
      if (cuda)
        schedule = schedule_cuda(p, target_, bias, contract);
      else
        schedule = schedule_for_cpu(p, bias, contract);
      plan::parameterize(p);
      plan::verify(p);
      if (cuda) return emit::emit_cuda(p, std::get<plan::CudaSchedule>(schedule), contract);
      const auto& of_cpu = std::get<plan::CpuSchedule>(schedule);
      layout = emit::cpu::lay_out(p, of_cpu);
      return emit::emit_cpu(p, of_cpu, layout);
    };
    std::optional<plan::RowProgram> unscheduled;
    if (options_.choose) unscheduled = p;
    emit::Emitted out = make({});
    k.key = key_of(out);
    const TunedBias tuned = options_.choose ? options_.choose(k.key) : TunedBias{};
    if (tuned.bias != Bias{}) {
      p = std::move(*unscheduled);
      out = make(tuned.bias);
      k.bias = tuned.bias;
    }
    if (out.launch.finish_tasks > 0)
      explanation.notes.push_back(
          fmt::format("a second launch joins its parts, {} bytes", out.partial_bytes));
    if (!tuned.reason.empty())
      explanation.notes.push_back("schedule with " + to_string(tuned.bias) + ": " + tuned.reason);
    if (options_.dump) options_.dump("plan", print(p) + print(schedule));
    if (options_.dump) options_.dump(cuda ? "cuda" : "cpp", out.source.text);
    add_blocks_beside(k, p, schedule, layout, out);
    k.kernel = kernel_number(std::move(out.source));
    k.launch = out.launch;
    k.params = std::move(out.params);
    return {std::move(schedule), out.partial_bytes};
  }

  // `zeroed`: what has to be 0 when the kernel starts.
  void add_kernel(plan::Lowered lowered, Origin origin, Explanation::Step explanation,
                  const Node* zeroed = nullptr) {
    plan::RowProgram& p = lowered.program;
    KernelStep k;
    std::optional<Scheduled> blocks = add_blocks(k, p);
    const std::optional<Scheduled> late = blocks ? std::nullopt : add_late(k, p);
    const auto [schedule, partial_bytes] = blocks ? std::move(*blocks)
                                           : late ? *late
                                                  : add_source(k, p, explanation);
    if (k.kernel >= 0) {
      std::vector<SourceLine>& lines = program_.kernels[static_cast<size_t>(k.kernel)].lines;
      if (lines.empty()) lines = origin.lines;
    }
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
    if (partial_bytes > 0)
      k.buffers.push_back(add_buffer(
          BufferSpec::Role::Temporary, 0, {DType::U8, {partial_bytes}},
          "parts of " + origin.ops + (origin.lines.empty() ? "" : " at " + to_string(origin.lines))));
    for (const Node* s : lowered.scalars) k.scalars.push_back(scalar_of_.at(s));
    if (late) {
      program_.late.resize(program_.kernels.size());
      program_.late.back() = [of = std::make_shared<const plan::RowProgram>(std::move(p)),
                              s = std::get<plan::CpuSchedule>(schedule), lines = origin.lines] {
        LateSource late_source = source_of(*of, s);
        late_source.source.lines = lines;
        return late_source;
      };
    }
    k.origin = std::move(origin);
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
      if (program_.kernels[k].hash == source.hash && !program_.kernels[k].text.empty())
        return static_cast<int>(k);
    program_.kernels.push_back(std::move(source));
    return static_cast<int>(program_.kernels.size()) - 1;
  }

  // How BLAS reads an operand, and from which buffer: of a copy, where it cannot read it where it lies.
  std::pair<int, ir::MatrixLayout> layout(const NodeRef& n) {
    if (const auto at = ir::matrix_layout(*n, in_memory_)) return {buffer_of_.at(at->base), *at};
    const int64_t rows = n->shape()[n->shape().size() - 2], columns = n->shape().back();
    int buffer = add_buffer(BufferSpec::Role::Temporary, 0, n->type, "a copy of " + title_(*n));
    add_copy(n, buffer, "as a library cannot read it where it lies");
    return {buffer, {n.get(), 0, columns, rows * columns, false}};
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
    add_kernel(plan::lower(copy.group, in_memory_, cuts_), origin_of(copy, stored_),
               said("kernel", "kernel: copy of " + title_(*n) + ", " + why));
  }

  // What the first step of a scatter in two steps leaves lies in a buffer of its own.
  void add_scatter_in_two_steps(const ir::Step& step, const passes::TwoSteps& two) {
    const Node& n = *step.library;
    copies_.push_back(two.scatter);
    buffer_of_[two.scatter.get()] = add_buffer(BufferSpec::Role::Temporary, 0, two.scatter->type,
                                               fmt::format("{} of {}", two.what, title_(n)));
    const std::string says = fmt::format(fmt::runtime(two.says), title_(n));
    add_kernel(plan::lower_unordered_scatter(two.scatter, in_memory_), origin_of(step, stored_),
               said("kernel", "kernel: " + says), two.scatter.get());
    add_copy(two.result, buffer_of_.at(&n), "with its values");
  }

  void add_scatter(const ir::Step& step) {
    const Node& n = *step.library;
    const passes::ScatterOrder order = passes::scatter_order(n, target_);
    if (order == passes::ScatterOrder::Claimed)
      return add_scatter_in_two_steps(step, passes::claimed_scatter(n));
    if (order == passes::ScatterOrder::SumsApart)
      return add_scatter_in_two_steps(step, passes::summed_scatter(n));
    const std::string why = "which " + std::string(name(n.op)) + " changes";
    if (const Node* base = whole_buffer(n.inputs[0].get())) {
      add_step(CopyStep{buffer_of_.at(base), buffer_of_.at(&n)},
               "copy of " + title_(*n.inputs[0]) + ", " + why + ", unless nothing else needs it");
    } else {
      add_copy(n.inputs[0], buffer_of_.at(&n), why);
    }
    if (element_count(n.inputs[2]->shape()) == 0) return;
    add_kernel(order == passes::ScatterOrder::Any ? plan::lower_unordered_scatter(step.library, in_memory_)
                                                  : plan::lower_scatter(step.library, in_memory_),
               origin_of(step, stored_), said("kernel", "kernel: " + title_(n)));
  }

  // The buffer of a value that is read as a whole.
  int operand(const NodeRef& n) {
    if (const Node* base = whole_buffer(n.get())) return buffer_of_.at(base);
    const int buffer = add_buffer(BufferSpec::Role::Temporary, 0, n->type, "a copy of " + title_(*n));
    add_copy(n, buffer, "as a loop reads it");
    return buffer;
  }

  // The nodes that are results of one loop, by number; of those that are the same result, the others, too.
  struct LoopResults {
    std::vector<const Node*> first;
    std::vector<std::pair<const Node*, const Node*>> again;
  };
  LoopResults results_of(const Node& n) {
    LoopResults out{std::vector<const Node*>(ir::loop_of(n)->results.size(), nullptr), {}};
    for (const Node* other : topological_order(graph_.outputs)) {
      if (!ir::same_loop(n, *other)) continue;
      looped_.insert(other);
      const Node*& first = out.first[ir::result_number(*other)];
      if (!first)
        first = other;
      else if (buffer_of_.at(first) != buffer_of_.at(other))
        out.again.emplace_back(first, other);
    }
    return out;
  }

  // Kernels that walk along a loop's slices. Why there are none, else nothing.
  std::string add_loop_kernels(const ir::Step& step, const LoopResults& results) {
    const Node& n = *step.library;
    if (std::ranges::find(options_.without_passes, "map_loops") != options_.without_passes.end())
      return "loops are not made kernels of";
    std::vector<bool> wanted;
    wanted.reserve(results.first.size());
    for (const Node* result : results.first) wanted.push_back(result != nullptr);
    const passes::LoopKernels made =
        passes::loop_kernels(*ir::loop_of(n), {n.inputs.begin(), n.inputs.size()}, wanted, target_, options_);
    if (!made.why_not.empty()) return made.why_not;
    for (const ir::LoopKernel& kernel : made.kernels) {
      if (element_count(kernel.lanes) == 0) continue;
      for (const ir::LoopKernel::Walked& walked : kernel.series)
        if (walked.array && !plan::has_fixed_step(walked, in_memory_))
          buffer_of_[walked.array.get()] = operand(walked.array);
      plan::Lowered lowered = plan::lower_loop(kernel, results.first, in_memory_);
      Origin origin{kernel.function->name, n.lines.all()};
      Explanation::Step said = explain_loop(kernel, origin, results.first, title_);
      if (walks_contiguously(lowered.program))
        said.notes.push_back(
            "its turns walk along neighbours in memory, so elements beside each other are gathered");
      add_kernel(std::move(lowered), std::move(origin), std::move(said));
    }
    return {};
  }

  // Whether lanes beside each other read a series far apart, as its turns are the neighbours.
  static bool walks_contiguously(const plan::RowProgram& p) {
    bool any = false;
    plan::for_each_series(p, [&](const plan::Series& series, const plan::Index& at) {
      const auto axis = static_cast<int>(p.outer.size()) - 1;
      any |= std::abs(series.step.value) == 1 && std::abs(plan::stride_along(at, axis)) > 1;
    });
    return any;
  }

  // One step for all results of a loop: where the first of them stands, all operands are there.
  void add_loop(const ir::Step& step) {
    const Node& n = *step.library;
    if (looped_.contains(&n)) return;
    const ir::Loop& loop = *ir::loop_of(n);
    const LoopResults results = results_of(n);
    std::string why;
    if (loop.op == Op::scan && (loop.sliced > 0 || loop.results.size() > loop.carries)) {
      why = add_loop_kernels(step, results);
      if (why.empty()) {
        for (const auto& [from, to] : results.again)
          add_step(CopyStep{buffer_of_.at(from), buffer_of_.at(to)}, "copy of " + title_(n));
        return;
      }
    }
    LoopStep l;
    l.loop = loop_program(loop, bodies_.compile);
    std::unordered_map<const Node*, int> known;
    for (const NodeRef& in : n.inputs) {
      if (!known.contains(in.get())) known.emplace(in.get(), operand(in));
      l.operands.push_back(known.at(in.get()));
    }
    for (const Node* result : results.first) l.results.push_back(result ? buffer_of_.at(result) : -1);
    l.origin = origin_of(step, stored_);
    Explanation::Step explanation = explain(step, stored_, title_);
    if (why.empty()) why = why_in_turns(n, l.results);
    if (!why.empty()) explanation.notes.push_back("runs turn by turn: " + why);
    explanation.bodies = std::move(bodies_.explanations);
    bodies_.explanations.clear();
    add_step(std::move(l), std::move(explanation));
    for (const auto& [from, to] : results.again)
      add_step(CopyStep{buffer_of_.at(from), buffer_of_.at(to)}, "copy of " + title_(n));
  }

  // Why no kernel runs all turns of a loop; nothing where one would.
  std::string why_in_turns(const Node& n, const std::vector<int>& results) const {
    if (n.op == ir::Op::branch) return {};
    std::vector<bool> wanted;
    wanted.reserve(results.size());
    for (const int result : results) wanted.push_back(result >= 0);
    return passes::mapped_loop(*ir::loop_of(n), {n.inputs.begin(), n.inputs.size()}, wanted, n.lines, target_,
                               options_)
        .why_not;
  }

  // One step for all results of a kernel of the user's.
  void add_user_kernel(const ir::Step& step) {
    using Argument = ir::UserKernel::Argument;
    const Node& n = *step.library;
    if (looped_.contains(&n)) return;
    const ir::UserKernel& kernel = *ir::user_kernel_of(n);
    std::vector<int> results(kernel.results.size(), -1);
    std::vector<CopyStep> again;  // of results that two nodes are
    for (const Node* other : topological_order(graph_.outputs)) {
      if (!ir::same_user_kernel(n, *other)) continue;
      looped_.insert(other);
      int& result = results[static_cast<size_t>(other->as<ir::KernelAttr>().result)];
      const int buffer = buffer_of_.at(other);
      if (result < 0)
        result = buffer;
      else if (result != buffer)
        again.push_back({result, buffer});
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i] < 0)
        results[i] = add_buffer(BufferSpec::Role::Temporary, 0, kernel.results[i],
                                "a result of " + kernel.title + " that nobody reads");
      if (kernel.starts_as[i] < 0) continue;
      const NodeRef& from = n.inputs[static_cast<size_t>(kernel.starts_as[i])];
      if (const Node* base = whole_buffer(from.get()))
        add_step(CopyStep{buffer_of_.at(base), results[i]}, "copy of " + title_(*from) + ", which " +
                                                                kernel.title +
                                                                " changes, unless nothing else needs it");
      else
        add_copy(from, results[i], "which " + kernel.title + " changes");
    }
    KernelStep k;
    std::vector<emit::UserWord> words(kernel.arguments.size());
    std::vector<size_t> numbers, scalars;  // of the arguments
    std::unordered_map<const Node*, int> known;
    for (size_t i = 0; i < words.size(); ++i) {
      const Argument& one = kernel.arguments[i];
      const bool result = one.kind == Argument::Kind::Result, value = one.kind == Argument::Kind::Value;
      const NodeRef in = result ? NodeRef() : n.inputs[one.number];
      if (value && (in->op == Op::constant || in->op == Op::scalar)) {
        (in->op == Op::constant ? numbers : scalars).push_back(i);
        continue;
      }
      if (in && !known.contains(in.get())) known.emplace(in.get(), operand(in));
      words[i] = {value ? emit::UserWord::Holds::AddressOfNumber : emit::UserWord::Holds::Address,
                  k.buffers.size()};
      k.buffers.push_back(result ? results[one.number] : known.at(in.get()));
      (result ? k.bytes_written : k.bytes_read) +=
          program_.buffers[static_cast<size_t>(k.buffers.back())].bytes;
    }
    size_t next = k.buffers.size();
    const auto put = [&](size_t i, DType t) {
      words[i] = {emit::UserWord::Holds::Number, next};
      next += t == DType::C128 ? 2 : 1;
    };
    for (const size_t i : numbers) {
      const Scalar& value = n.inputs[kernel.arguments[i].number]->as<ir::ConstantAttr>().value;
      std::array<int64_t, 2> bits{};
      value.store(bits.data());
      put(i, value.dtype);
      k.params.insert(k.params.end(), bits.begin(), bits.begin() + (value.dtype == DType::C128 ? 2 : 1));
    }
    for (const size_t i : scalars) {
      const Node* scalar = n.inputs[kernel.arguments[i].number].get();
      put(i, scalar->dtype());
      k.scalars.push_back(scalar_of_.at(scalar));
    }
    emit::Emitted out = emit::emit_user_kernel(kernel, words, next);
    if (options_.dump) options_.dump(target_.kind == TargetKind::Cuda ? "cuda" : "cpp", out.source.text);
    k.key = key_of(out);
    k.launch = out.launch;
    k.kernel = kernel_number(std::move(out.source));
    k.origin = origin_of(step, stored_);
    if (std::vector<SourceLine>& lines = program_.kernels[static_cast<size_t>(k.kernel)].lines; lines.empty())
      lines = k.origin.lines;
    add_step(std::move(k), explain(step, stored_, title_));
    for (const CopyStep& copy : again) add_step(copy, "copy of " + title_(n));
  }

  void add_product(const ir::Step& step) {
    const Node& n = *step.library;
    const Shape &a = n.inputs[0]->shape(), &b = n.inputs[1]->shape();
    const auto [buffer_a, at_a] = layout(n.inputs[0]);
    const auto [buffer_b, at_b] = layout(n.inputs[1]);
    const size_t rank = a.size();
    DotStep d;
    d.dot.dtype = n.dtype();
    d.dot.m = a[rank - 2], d.dot.k = a[rank - 1], d.dot.n = b[rank - 1];
    d.dot.batch = element_count(std::span(n.shape().begin(), rank - 2));
    d.dot.transpose_a = at_a.transposed, d.dot.transpose_b = at_b.transposed;
    d.dot.lda = at_a.ld, d.dot.ldb = at_b.ld, d.dot.ldc = d.dot.n;
    d.dot.stride_a = at_a.batch, d.dot.stride_b = at_b.batch, d.dot.stride_c = d.dot.m * d.dot.n;
    d.a = buffer_a, d.b = buffer_b, d.c = buffer_of_.at(&n);
    d.offset_a = at_a.offset, d.offset_b = at_b.offset;
    d.origin = origin_of(step, stored_);
    add_step(std::move(d), explain(step, stored_, title_));
  }

  const ir::Graph& graph_;
  const Target& target_;
  const Options& options_;
  const Bodies& bodies_;
  Explanation& explanation_;
  Program program_;
  Titles title_;
  std::unordered_map<const Node*, int> buffer_of_, scalar_of_;
  std::unordered_set<const Node*> stored_;
  std::vector<NodeRef> copies_;
  std::unordered_set<const Node*> looped_;  // results of loops and of the user's kernels that have their step
  // A GPU divides as fast as it counts, and its threads walk one long axis best.
  const plan::Cuts cuts_ = target_.kind == TargetKind::Cpu ? plan::Cuts::Loops : plan::Cuts::Statements;
  const std::function<bool(const Node*)> in_memory_ = [this](const Node* n) {
    return buffer_of_.contains(n);
  };
};

}  // namespace

Program build_program(const ir::Graph& graph, const Target& target, const Options& options,
                      const Bodies& bodies, Explanation& explanation) {
  return ProgramBuilder(graph, target, options, bodies, explanation).run();
}

}  // namespace weft
