// Puts the roots of a graph into groups, one after another: into the group of what it reads, beside others
// that read the same, or into a group of its own. Every edge gets a decision with its reason.
#pragma once

#include "compiler/fusion/expression.h"
#include "compiler/fusion/groups.h"
#include "compiler/fusion/roots.h"

namespace weft::fusion {

Groups place_roots(const Roots& roots, const Expressions& expressions, const Target& target,
                   const Options& options);

}  // namespace weft::fusion
