// Joins products of several vectors with one matrix, or with slices of it, into one product of matrices,
// which reads the matrix once. A loop over rows or columns records such products. The vectors are slices of
// one array at equal distances.
//
//   before   %2 = dot %x[0:1, :], %m   %3 = dot %x[1:2, :], %m   %4 = dot %x[2:3, :], %m   ...
//   after    %9 = dot %x, %m           %2 = slice %9, starts=[0, 0]   ...
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph join_products(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
