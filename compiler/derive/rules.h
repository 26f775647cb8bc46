// The derivatives that no formula says, a pair of functions for each op: what its row of the op table calls
// "rule: …". A tangent or cotangent that is null is zero.
#pragma once

#include <span>

#include "compiler/ir/node.h"

namespace weft::derive {

struct Rule {
  // The result's tangent for tangents of the inputs, of which there is at least one.
  ir::NodeRef (*jvp)(const ir::Node& node, std::span<const ir::NodeRef> tangents);
  // The cotangent of one input, which has tangents, for the result's.
  ir::NodeRef (*vjp)(const ir::Node& node, size_t input, const ir::NodeRef& cotangent);
};

// Null where the op has none.
const Rule* rule_of(ir::Op op);

// By kind of op, for rule_of() alone.
const Rule* rule_of_map(ir::Op op);
const Rule* rule_of_view(ir::Op op);
const Rule* rule_of_reduction(ir::Op op);
const Rule* rule_of_scan(ir::Op op);
const Rule* rule_of_indexed(ir::Op op);  // gathers, scatters, updates and products

}  // namespace weft::derive
