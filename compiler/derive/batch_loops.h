// Loops and branches done for many values at once: loops of bodies that are.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/ir/loop.h"

namespace weft::derive {

// How bodies are done for many values: the function of batch.h.
using BatchBody = std::function<std::vector<ir::NodeRef>(
    std::span<const ir::NodeRef> outputs, std::unordered_map<const ir::Node*, ir::NodeRef> inputs,
    int64_t size)>;

// All results of the loop with a leading axis of `size`. `with_axis`: the operands with that axis, null where there is
// none. A choice that differs from value to value
// computes all branches; a while_loop whose condition does runs until it holds for none. `has_customs`: values inside
// may have derivatives of their own.
std::vector<ir::NodeRef> batched_loop(const ir::Node& loop, std::span<const ir::NodeRef> with_axis,
                                      int64_t size, const BatchBody& batch_body, bool has_customs);

}  // namespace weft::derive
