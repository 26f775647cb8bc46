// Choosing a CUDA schedule, read from top to bottom: what the program and the machine are, then the first
// shape of its walk that has an answer.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan {

namespace cuda {

namespace {

struct Candidate {
  Walk walk;
  Choice (*choose)(const RowProgram&, const Facts&);
};

#define WEFT_CUDA_SHAPE(walk, name) {Walk::walk, choose_##name},
constexpr Candidate kCandidates[] = {WEFT_CUDA_SHAPES(WEFT_CUDA_SHAPE)};
#undef WEFT_CUDA_SHAPE

Scheduled choose(const RowProgram& program, const Facts& facts) {
  for (auto& candidate : kCandidates)
    if (candidate.walk == facts.walk)
      if (Choice chosen = candidate.choose(program, facts)) return *std::move(chosen);
  throw InternalError("schedule_cuda: no shape fits\n" + print(program));
}

// Rows that stay are stored as they were loaded. What has to leave the cache is then best chosen among what
// was stored: rows of 4096 f32 reach 1.03 of a copy's speed on an H200 wherever they lie. Without this their
// place in memory decided 5 % of it.
bool lets_loads_stay(const Scheduled& chosen, const Facts& facts) {
  const RowProgram& p = chosen.program;
  bool loads = false, stores = false;
  for (auto& sweep : p.sweeps)
    for (auto& s : sweep.body) {
      auto* l = std::get_if<Load>(&s);
      loads |= l && read_once(p, l->buffer);
      stores |= std::holds_alternative<Store>(s);
    }
  const CudaSchedule& s = chosen.schedule;
  return s.caching == Caching::Streaming && division_of(s).residence != Residence::Nowhere && loads &&
         stores && !std::holds_alternative<LookBackRows>(s.shape) && facts.has_clusters();
}

std::string explain_vectors(const CudaSchedule& s) {
  const char* caching = s.caching == Caching::Streaming   ? ", passing the cache by"
                        : s.caching == Caching::LoadsStay ? ", loads to stay in the cache"
                                                          : "";
  return fmt::format("; {} elements a thread access{}", s.lanes * division_of(s).vectors, caching);
}

}  // namespace

}  // namespace cuda

CudaSchedule schedule_cuda(RowProgram& program, const Target& target, const Bias& bias, bool contract) {
  if (target.kind != TargetKind::Cuda) throw InternalError("schedule_cuda: the target is not a CUDA device");
  // Reductions over axes of extent 1 only.
  if (program.row.empty() && (!program.accumulators.empty() || program.sweeps.size() > 1))
    program.row.push_back({1});
  const cuda::Facts facts = cuda::analyze(program, target, bias, contract);
  cuda::Scheduled chosen = cuda::choose(program, facts);
  CudaSchedule& s = chosen.schedule;
  s.resident = bias.frugal > 0 ? 1 : std::clamp(target.resident_threads / s.threads, 1, s.resident);
  if (cuda::lets_loads_stay(chosen, facts)) s.caching = Caching::LoadsStay;
  s.reason += cuda::explain_vectors(s);
  program = std::move(chosen.program);
  return std::move(chosen.schedule);
}

}  // namespace weft::plan
