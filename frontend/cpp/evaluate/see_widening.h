// Float arrays that become f64 because another operand is wider: who that is, and what to write.
#pragma once

#include <span>

#include "compiler/ir/node.h"
#include "frontend/cpp/session/costs_seen.h"

namespace weft::detail {

// `nodes`: each after its inputs. Arrays too small to be noticed are passed over.
void see_widening(std::span<const ir::Node* const> nodes, CostsSeen& seen);

}  // namespace weft::detail
