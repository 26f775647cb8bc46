// The type of a node from its op, inputs and attribute, and how a refusal reads. Building asks when it makes
// a node, the verifier asks again.
#pragma once

#include <span>
#include <string>

#include "compiler/base/error.h"
#include "compiler/ir/node.h"

namespace weft::ir {

// `stated` is what the op cannot know: the type of a source, the dtype of a cast, the shape of a broadcast,
// reshape or slice; it is ignored elsewhere. Throws Error for what the op does not take.
TensorType infer(Op op, std::span<const NodeRef> inputs, const Attr& attr, const TensorType& stated);

// Throws E: "op: rule: got ...".
template <class E = Error>
[[noreturn]] void fail(Op op, const std::string& rule, const std::string& got) {
  throw E(std::string(name(op)) + ": " + rule + ": got " + got);
}

// The shape in which x and index meet: broadcast on each axis but `axis`, where the index's extent stays.
// Checks that the index is i64, that they do meet, and that there is something to index.
Shape indexed_shape(Op op, const Node& x, const Node& index, size_t axis);

}  // namespace weft::ir
