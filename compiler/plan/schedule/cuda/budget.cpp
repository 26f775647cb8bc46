#include "compiler/plan/schedule/cuda/budget.h"

#include <algorithm>

#include "compiler/machine/tuning.h"

namespace weft::plan::cuda {

using namespace tuning;

// Frugal schedules first let a thread have more registers by bounding nothing, then keep and unroll half as
// much, and half of that.
Budget::Budget(const RowProgram& program, const Target& device, const Bias& departure, bool may_contract)
    : target(&device),
      bias(departure),
      contract(may_contract),
      processors(std::max<int64_t>(device.threads, 1)),
      fill(processors * kThreadsPerProcessor),
      kept_bytes(kKeptBytes >> std::clamp(departure.frugal - 1, 0, 2)),
      most_unrolled(kMostUnrolled >> std::clamp(departure.frugal - 1, 0, 2)),
      outer(static_cast<int>(program.outer.size())) {
  for_each_stmt(program, [&](const Stmt&) { ++statements; });
  int64_t bytes = 0;
  for (auto& b : program.buffers) bytes += b.elements * static_cast<int64_t>(size_of(b.dtype));
  large = bytes > static_cast<int64_t>(device.cache_bytes);
}

}  // namespace weft::plan::cuda
