// Writes inner products of many pairs of vectors as sums, which read no more than a library and join what is
// around them. On the CPU also products over an axis of few elements, as maps, and products of a vector with
// a matrix that a map makes for them alone, as sums: the library takes longer to pack few terms than to
// multiply them, and what it reads would have to be stored.
//
//   before   %2 = dot %0 : f64(2, 2), %1 : f64(2, 100)
//   after    %2 = add (multiply (column 0 of %0) (row 0 of %1)) (multiply (column 1 of %0) (row 1 of %1))
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph expand_products(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
