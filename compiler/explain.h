// What fusion decided, as text for people.
#pragma once

#include <string>
#include <unordered_set>

#include "compiler/ir/group.h"

namespace weft {

// The nodes that the steps write to memory.
std::unordered_set<const ir::Node*> stored_nodes(const ir::Partition& partition);

// "softmax.cpp:12: max, exp, sum, divide": the ops that a step computes from what others have `stored`, with
// the source lines they come from.
std::string summarize(const ir::Step& step, const std::unordered_set<const ir::Node*>& stored);

// A paragraph for each step, then a line for each value that went through memory, with the reason.
std::string explain(const ir::Partition& partition);

}  // namespace weft
