// Writes to every second or fourth element of rows become a choice for each element, where a map or a
// reduction reads the result: all lines of memory are passed over once, not once for each write. Written are
// numbers, and maps of the same elements of arrays that have the shape of the whole. So do numbers that are
// written to a range before.
//
//   before   %1 = slice %x, starts=[0], steps=[2]     %2 = multiply %1, %c
//            %3 = update %x, %2, starts=[0], steps=[2]     %4 = exp %3
//   after    %2 = multiply %x, %c     %3 = select (iota & 1 == 0), %2, %x     %4 = exp %3
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph interleave(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
