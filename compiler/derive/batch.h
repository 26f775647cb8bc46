// A graph done for many values of its inputs at once: every node that depends on them gets a leading axis, and
// each op's loop over that axis is the same op of one more axis.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/derive/derive.h"

namespace weft::derive {

// What stands for inputs: nodes of their types with a leading axis of `size`.
using Batched = std::unordered_map<const ir::Node*, ir::NodeRef>;

// The outputs with a leading axis of `size`; one that depends on no input is repeated along it. Values that have a
// derivative of their own keep it: `customs`, where they stand, gets what says it of all values at once.
std::vector<ir::NodeRef> batched(std::span<const ir::NodeRef> outputs, const Batched& inputs, int64_t size,
                                 const std::shared_ptr<Customs>& customs = {});

}  // namespace weft::derive
