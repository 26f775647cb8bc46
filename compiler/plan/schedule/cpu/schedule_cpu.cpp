// Choosing a CPU's schedule, read from top to bottom: what the program and the machine are, then the first
// shape of its walk that has an answer.
#include "compiler/base/error.h"
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan {

namespace {

struct CpuCandidate {
  cpu::Walk walk;
  cpu::Choice (*choose)(const RowProgram&, const cpu::Facts&);
};

#define WEFT_CPU_SHAPE(walk, name) {cpu::Walk::walk, cpu::choose_##name},
constexpr CpuCandidate kCpuCandidates[] = {WEFT_CPU_SHAPES(WEFT_CPU_SHAPE)};
#undef WEFT_CPU_SHAPE

}  // namespace

CpuSchedule schedule_cpu(RowProgram& program, const Target& target, const Bias& bias) {
  const cpu::Facts facts = cpu::analyze(program, target, bias);
  for (auto& candidate : kCpuCandidates)
    if (candidate.walk == facts.walk)
      if (cpu::Choice chosen = candidate.choose(program, facts)) {
        program = std::move(chosen->program);
        return std::move(chosen->schedule);
      }
  throw InternalError("schedule_cpu: no shape fits\n" + print(program));
}

}  // namespace weft::plan
