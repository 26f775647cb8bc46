// Group -> RowProgram: every value as scalar statements over loop positions, views folded into indices, each
// reduction an accumulator of the first sweep that can compute it. Knows no target.
#pragma once

#include <functional>

#include "compiler/ir/group.h"
#include "compiler/ir/loop_kernel.h"
#include "compiler/plan/lower/lowered.h"

namespace weft::plan {

// What becomes of quotients and remainders where a reshape cuts an axis of a map: they stay in the
// statements, or the loop is cut so that none is left, where its pieces are long enough to be loops.
enum class Cuts { Statements, Loops };

// `in_memory` says which nodes are read from a buffer: graph inputs and stored roots of other steps. The
// group's own roots are computed.
Lowered lower(const ir::Group& group, const std::function<bool(const ir::Node*)>& in_memory,
              Cuts cuts = Cuts::Statements);

// A scatter node, whose buffer already holds its first input: an ordered row along the indices, stores at
// dynamic positions.
Lowered lower_scatter(const ir::NodeRef& scatter, const std::function<bool(const ir::Node*)>& in_memory);
// The same in no order. Of a scatter (i32) the largest of equal indices stays, and what was there if that is
// larger; of scatter_distinct any; scatter_add is of 4- and 8-byte integers.
Lowered lower_unordered_scatter(const ir::NodeRef& scatter,
                                const std::function<bool(const ir::Node*)>& in_memory);

// The lanes of a loop's kernel as points, each of which calls its function once. `results`: the node of each result of
// the loop, null where nobody wants it.
Lowered lower_loop(const ir::LoopKernel& kernel, const std::vector<const ir::Node*>& results,
                   const std::function<bool(const ir::Node*)>& in_memory);
// Whether elements of such a series that follow each other in turns lie at a fixed distance in memory.
bool has_fixed_step(const ir::LoopKernel::Walked& series,
                    const std::function<bool(const ir::Node*)>& in_memory);

}  // namespace weft::plan
