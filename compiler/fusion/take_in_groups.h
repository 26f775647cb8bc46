// Merges whole groups that read the same large arrays: roots of the same rows that were placed apart, and
// reductions over the points of another group's rows, or over sections of them, as in the gradients of a norm.
// Small groups that reduce what one kernel gives become one launch.
//
//   before   rows: s = sum(a * b, axis 1)        columns: t = sum(a, axis 0)
//   after    one group that reads a once, with s for each row and totals for t beside the row
#pragma once

#include <unordered_map>

#include "compiler/fusion/groups.h"

namespace weft::fusion {

// `groups` are all known, `expressions` are those of all roots. Takes time in proportion to what the roots
// read, as long as few groups read each array.
void take_in_groups(Groups& groups, const Expressions& expressions, const Target& target,
                    const Options& options);

}  // namespace weft::fusion
