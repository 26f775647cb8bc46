// What exported programs never call, in a library that has none of it: loops of block programs, since there is a kernel for each
// step, and sorts, which are no steps.
#include "compiler/base/error.h"
#include "runtime/blocks/run_blocks.h"
#include "runtime/cpu/map_element.h"
#include "runtime/cpu/sort_rows.h"

namespace weft::runtime {

const BlockLoops& block_loops_here() {
  static constexpr BlockLoops kNone;
  return kNone;
}

size_t block_memory(const BlockProgram&) { return 0; }
void run_blocks(const BlockProgram&, const BlockLoops&, const BlockArguments&, int64_t, int64_t, bool,
                char*) {
  throw InternalError("weft_runtime: an exported program has a step in blocks");
}

bool map_element(const BlockLoops&, int, std::span<const Scalar>, Scalar&) { return false; }
bool map_elements(const BlockLoops&, int, std::span<const MapOperand>, MapResult, int64_t) { return false; }

void sort_rows(const SortedRows&, void*, int, const ParallelFor&) {
  throw InternalError("weft_runtime: an exported program sorts");
}
void positions_of_rows(const SortedRows&, const void*, int64_t*, int, const ParallelFor&) {
  throw InternalError("weft_runtime: an exported program sorts");
}

}  // namespace weft::runtime
