#include "compiler/plan/schedule/cuda/bundles.h"

#include <algorithm>

#include "compiler/machine/tuning.h"
#include "compiler/plan/facts/cuda_access.h"

namespace weft::plan::cuda {

int64_t bundled_bytes(const RowProgram& p, int lane) {
  if (p.outer.size() != 1 || p.row.size() != 1 || p.scans()) return 0;
  int64_t largest = 0;
  for_each_stmt(p, [&](const Stmt& s) {
    if (auto* buffer = bundled_buffer(p, s, lane))
      largest = std::max<int64_t>(largest, static_cast<int64_t>(size_of(buffer->dtype)));
  });
  return p.extent(lane).value * largest;
}

bool can_bundle(const RowProgram& p, const Budget& budget, const Vectors& vectors) {
  const int64_t bytes = vectors.lanes > 1 ? 0 : bundled_bytes(p, vectors.axis);
  return bytes > 0 && p.extent(vectors.axis).value > 2 && bytes <= tuning::kBundledBytes &&
         p.outer_count() * 2 > budget.fill;
}

}  // namespace weft::plan::cuda
