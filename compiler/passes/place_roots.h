// Puts the roots of a graph into groups, one after another: each with those that it reads, beside others that
// read the same, or into a group of its own, with a decision for every edge.
#pragma once

#include "compiler/passes/expression.h"
#include "compiler/passes/groups.h"
#include "compiler/passes/roots.h"

namespace weft::passes {

Groups place_roots(const Roots& roots, const Expressions& expressions, const Target& target,
                   const Options& options);

}  // namespace weft::passes
