#include "compiler/user_source.h"

#include <fmt/format.h>

#include "compiler/base/error.h"
#include "compiler/emit/user_kernel.h"
#include "compiler/emit/user_library.h"
#include "compiler/machine/machine.h"

namespace weft {
namespace {

[[noreturn]] void refuse(const ir::UserKernel& kernel, const std::string& rule, int64_t got) {
  throw Error(fmt::format("{}: {}: got {}", kernel.title, rule, got));
}

void check_grid(const ir::UserKernel& kernel) {
  const bool cuda = kernel.target == ir::UserKernel::Target::Cuda;
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t most = axis == 0 ? machine::kBlocksOfFirstAxis : machine::kBlocksOfOtherAxes;
    if (kernel.grid[axis] < 0)
      refuse(kernel, cuda ? "a grid has no negative extent" : "a range is not negative", kernel.grid[axis]);
    if (cuda && kernel.grid[axis] > most)
      refuse(kernel, fmt::format("a grid has at most {} blocks along axis {}", most, axis),
             kernel.grid[axis]);
    if (kernel.block[axis] < 1) refuse(kernel, "a block has one thread at least", kernel.block[axis]);
    // So that their product is a number.
    if (kernel.block[axis] > machine::kThreadsOfBlock)
      refuse(kernel, fmt::format("a block has at most {} threads", machine::kThreadsOfBlock),
             kernel.block[axis]);
  }
  const int64_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  if (threads > machine::kThreadsOfBlock)
    refuse(kernel, fmt::format("a block has at most {} threads", machine::kThreadsOfBlock), threads);
  if (kernel.block[2] > machine::kThreadsOfLastAxis)
    refuse(kernel,
           fmt::format("a block has at most {} threads along its last axis", machine::kThreadsOfLastAxis),
           kernel.block[2]);
}

}  // namespace

KernelSource user_source(const ir::UserKernel& kernel) { return emit::emit_user_kernel(kernel).source; }

bool is_known_header(std::string_view header) { return emit::user_library_has(header); }

void check_bounds(const std::string& title, const std::optional<int64_t>& most, int64_t threads) {
  if (!most) return;
  if (*most > machine::kThreadsOfBlock)
    throw Error(fmt::format("{}: __launch_bounds__ says {} threads: a block has at most {}", title, *most,
                            machine::kThreadsOfBlock));
  if (threads > *most)
    throw Error(fmt::format("{}: its __launch_bounds__ says that a block has at most {} threads: got {}",
                            title, *most, threads));
}

void check_launch(const ir::UserKernel& kernel, const Target& target) {
  check_grid(kernel);
  if (kernel.grain < 1) refuse(kernel, "the grain is one at least", kernel.grain);
  if (kernel.shared_bytes < 0) refuse(kernel, "shared memory has no negative size", kernel.shared_bytes);
  if (kernel.cluster < 1 || kernel.cluster > machine::kLargestCluster)
    refuse(kernel, fmt::format("a cluster has 1 to {} blocks", machine::kLargestCluster), kernel.cluster);
  if (kernel.grid[0] % kernel.cluster != 0) refuse(kernel, "the grid is filled by clusters", kernel.grid[0]);
  if (!machine::is_gpu(target)) return;
  if (kernel.shared_bytes > static_cast<int64_t>(target.shared_bytes))
    refuse(kernel, fmt::format("a block has at most {} bytes of shared memory here", target.shared_bytes),
           kernel.shared_bytes);
  if (kernel.cluster > 1 && !machine::has_clusters(target))
    refuse(kernel, "this device forms no clusters: leave it 1", kernel.cluster);
}

void check_target(const ir::UserKernel& kernel, const Target& target, const std::string& runs_on) {
  const bool cuda = kernel.target == ir::UserKernel::Target::Cuda;
  if (machine::is_gpu(target) != cuda)
    throw Error(fmt::format("{}: is a kernel for {}: got arrays of {}", kernel.title,
                            cuda ? "CUDA" : "the CPU", runs_on));
  if (!cuda && !kernel.library && !target.compiles)
    throw Error(kernel.title +
                ": a kernel has to be compiled, and this library was built without a compiler: build it with "
                "WEFT_CPU_JIT=ON");
}

}  // namespace weft
