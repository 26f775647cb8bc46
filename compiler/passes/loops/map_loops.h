// Loops of which each turn works element by element become functions of scalars, so that one kernel runs all turns of
// an element. A while_loop that goes on while a condition holds for any element, and leaves elements for which it does
// not hold as they are, becomes a loop of each element of its own; so does a scan of such turns.
//
//   before   %1 = scan body, %x, result=0, length=100
//   after    %1 = apply loop_of_100_turns, %x
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/ir/loop.h"
#include "compiler/ir/loop_kernel.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph map_loops(const ir::Graph& graph, const Target& target, const Options& options);

struct MappedLoop {
  std::vector<ir::NodeRef> results;  // null for those that nobody wants
  std::string why_not;               // where there are none
};
// The same of loops that take slices or give some, as kernels that walk along the loop's axis: one for each shape of what
// a turn computes, and none where why_not says so.
struct LoopKernels {
  std::vector<ir::LoopKernel> kernels;
  std::string why_not;
};
LoopKernels loop_kernels(const ir::Loop& loop, std::span<const ir::NodeRef> operands,
                         const std::vector<bool>& wanted, const Target& target, const Options& options);

// The results of a loop as applications of functions.
MappedLoop mapped_loop(const ir::Loop& loop, std::span<const ir::NodeRef> operands,
                       const std::vector<bool>& wanted, const ir::Lines& lines, const Target& target,
                       const Options& options);

}  // namespace weft::passes
