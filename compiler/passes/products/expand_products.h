// Writes some products as sums and maps, which fuse with what is around them, where a library would gain
// nothing:
//   - inner products of many pairs of vectors: sums read no more than a library does;
//   - CPU: products over an axis of few elements: packing few terms takes longer than multiplying them;
//   - CPU: a vector times a matrix that a map makes for it alone: the library would have it stored.
// What a library reads of windows, or of a small part of a map, is copied there as it is read.
//
//   before   %2 = dot %0 : f64(2, 2), %1 : f64(2, 100)
//   after    %2 = add (multiply (column 0 of %0) (row 0 of %1)) (multiply (column 1 of %0) (row 1 of %1))
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph expand_products(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
