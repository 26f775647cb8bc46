#include "compiler/builder/kernel_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/blocks/estimate.h"
#include "compiler/blocks/prepare.h"
#include "compiler/emit/cpu/emit_cpu.h"
#include "compiler/emit/cuda/emit_cuda.h"
#include "compiler/plan/facts/made_for.h"
#include "compiler/plan/rewrite/contract.h"

namespace weft {
namespace {

LateSource source_of(plan::RowProgram p, const plan::CpuSchedule& s) {
  std::string made_for = plan::made_for(p, s);
  plan::parameterize(p);
  plan::verify(p);
  emit::Emitted out = emit::emit_cpu(p, s);
  out.source.facts = std::move(made_for);
  if (out.partial_bytes > 0) throw InternalError("late kernel: has parts, which its blocks do without");
  return {std::move(out.source), out.launch, std::move(out.params)};
}

}  // namespace

KernelKey KernelMaker::key_of(const emit::Emitted& out) {
  const uint64_t seed = out.source.hash.low ^ static_cast<uint64_t>(out.launch.tasks);
  return {out.source.hash, hash_bytes(out.params.data(), out.params.size() * sizeof(int64_t), seed)};
}

int KernelMaker::number_of(KernelSource source) {
  for (size_t k = 0; k < program_.kernels.size(); ++k)
    if (program_.kernels[k].hash == source.hash && !program_.kernels[k].text.empty())
      return static_cast<int>(k);
  program_.kernels.push_back(std::move(source));
  return static_cast<int>(program_.kernels.size()) - 1;
}

void KernelMaker::set_lines(const KernelStep& step, const std::vector<SourceLine>& lines) {
  if (step.kernel < 0) return;
  if (std::vector<SourceLine>& own = program_.kernels[static_cast<size_t>(step.kernel)].lines; own.empty())
    own = lines;
}

plan::CpuSchedule KernelMaker::schedule_for_cpu(plan::RowProgram& p, const Bias& bias) const {
  plan::CpuSchedule s = schedule_cpu(p, target_, bias);
  if (options_.numerics != Numerics::Strict)
    plan::contract(p, [&](const plan::Accumulator& acc) { return fold_dtype(s, acc); });
  return s;
}

KernelMaker::Made KernelMaker::make(plan::RowProgram& p, Explanation::Step& explanation) {
  Made made;
  if (!make_blocks(made, p) && !make_late(made, p)) make_text(made, p, explanation);
  return made;
}

// Blocks in the place of a kernel, of which not even the text is made.
bool KernelMaker::make_blocks(Made& made, plan::RowProgram& p) const {
  if (target_.kind == TargetKind::Cuda) return false;
  if (target_.compiles && (options_.blocks != Blocks::Instead || plan::has_function(p))) return false;
  if (plan::has_function(p))
    throw Error(
        "apply: a function of scalars needs a compiler, and this library was built without one: build it "
        "with WEFT_CPU_JIT=ON, or call the function outside of compile(), where it is interpreted");
  plan::RowProgram scheduled = p;
  const plan::CpuSchedule s = schedule_for_cpu(scheduled, {});
  const auto blocks = std::make_shared<const BlockProgram>(blocks::prepare(scheduled, s));
  plan::verify(scheduled);
  p = std::move(scheduled);
  if (options_.dump) options_.dump("plan", print(p) + print(s));
  KernelStep& k = made.step;
  k.kernel = -1;
  k.launch.tasks = blocks->tasks, k.launch.finish_tasks = blocks->finish_tasks, k.launch.grain = s.grain;
  k.blocks = blocks;
  made.schedule = s, made.partial_bytes = blocks->partial_bytes;
  return true;
}

// Where blocks run in less time than the kernel's text takes, that is made when somebody asks for it. Parts are left out:
// their memory is the text's to tell.
bool KernelMaker::make_late(Made& made, plan::RowProgram& p) {
  if (options_.blocks != Blocks::BesideLate || plan::has_function(p) || target_.kind == TargetKind::Cuda ||
      options_.dump)
    return false;
  plan::RowProgram scheduled = p;
  const plan::CpuSchedule s = schedule_for_cpu(scheduled, {});
  const std::optional<BlockEstimate> estimate = blocks::estimate_without_text(scheduled, s, target_);
  if (!estimate) return false;
  BlockProgram program = blocks::prepare(scheduled, s);
  if (program.partial_bytes > 0) return false;
  program.estimate = *estimate;
  plan::verify(scheduled);
  p = std::move(scheduled);
  KernelStep& k = made.step;
  k.launch.tasks = program.tasks, k.launch.finish_tasks = program.finish_tasks, k.launch.grain = s.grain;
  k.blocks = std::make_shared<const BlockProgram>(std::move(program));
  k.kernel = static_cast<int>(program_.kernels.size());
  program_.kernels.emplace_back();
  made.schedule = s, made.late = true;
  return true;
}

void KernelMaker::set_late(plan::RowProgram p, const Made& made, const std::vector<SourceLine>& lines) {
  program_.late.resize(program_.kernels.size());
  program_.late.back() = [of = std::make_shared<const plan::RowProgram>(std::move(p)),
                          s = std::get<plan::CpuSchedule>(made.schedule), lines] {
    LateSource late_source = source_of(*of, s);
    late_source.source.lines = lines;
    return late_source;
  };
}

void KernelMaker::make_text(Made& made, plan::RowProgram& p, Explanation::Step& explanation) {
  const bool cuda = target_.kind == TargetKind::Cuda;
  emit::cpu::CpuLayout layout;
  std::string made_for;
  const auto emitted = [&](const Bias& bias) {
    if (cuda) {
      const bool contract = options_.numerics != Numerics::Strict;
      made.schedule = schedule_cuda(p, target_, bias, contract);
      made_for = plan::made_for(p, made.schedule);
      plan::parameterize(p);
      plan::verify(p);
      return emit::emit_cuda(p, std::get<plan::CudaSchedule>(made.schedule), contract);
    }
    const plan::CpuSchedule s = schedule_for_cpu(p, bias);
    made.schedule = s;
    made_for = plan::made_for(p, s);
    plan::parameterize(p);
    plan::verify(p);
    layout = emit::cpu::lay_out(p, s);
    return emit::emit_cpu(p, s, layout);
  };
  KernelStep& k = made.step;
  std::optional<plan::RowProgram> unscheduled;
  if (options_.choose) unscheduled = p;
  emit::Emitted out = emitted({});
  k.key = key_of(out);
  const TunedBias tuned = options_.choose ? options_.choose(k.key) : TunedBias{};
  if (tuned.bias != Bias{}) {
    p = std::move(*unscheduled);
    out = emitted(tuned.bias);
    k.bias = tuned.bias;
  }
  if (out.launch.finish_tasks > 0)
    explanation.notes.push_back(fmt::format("a second launch joins its parts, {} bytes", out.partial_bytes));
  if (!tuned.reason.empty())
    explanation.notes.push_back("schedule with " + to_string(tuned.bias) + ": " + tuned.reason);
  if (options_.dump) options_.dump("plan", print(p) + print(made.schedule));
  if (options_.dump) options_.dump(cuda ? "cuda" : "cpp", out.source.text);
  make_blocks_beside(k, p, made.schedule, layout, out);
  out.source.facts = std::move(made_for);
  k.kernel = number_of(std::move(out.source));
  k.launch = out.launch;
  k.params = std::move(out.params);
  made.partial_bytes = out.partial_bytes;
}

// Blocks beside a kernel: of the same schedule, for as long as it is not compiled.
void KernelMaker::make_blocks_beside(KernelStep& k, const plan::RowProgram& p, const plan::Schedule& schedule,
                                     const emit::cpu::CpuLayout& layout, const emit::Emitted& out) const {
  const auto* cpu = std::get_if<plan::CpuSchedule>(&schedule);
  const bool beside = options_.blocks == Blocks::Beside || options_.blocks == Blocks::BesideLate;
  if (!beside || !cpu || plan::has_function(p)) return;
  BlockProgram program = blocks::prepare(p, *cpu, layout);
  program.estimate = blocks::estimate(p, *cpu, target_, out.launch.tasks, out.source.text.size());
  k.blocks = std::make_shared<const BlockProgram>(std::move(program));
}

}  // namespace weft
