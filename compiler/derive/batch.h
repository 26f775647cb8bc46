// A graph done for many values of its inputs at once: every node that depends on them gets a leading axis, and
// each op's loop over that axis is the same op of one more axis.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::derive {

// What stands for inputs: nodes of their types with a leading axis of `size`.
using Batched = std::unordered_map<const ir::Node*, ir::NodeRef>;

// The outputs with a leading axis of `size`; one that depends on no input is repeated along it.
std::vector<ir::NodeRef> batched(std::span<const ir::NodeRef> outputs, Batched inputs, int64_t size);

}  // namespace weft::derive
