// What inference and building share: how a refusal reads, and the shape of indexed access.
#pragma once

#include <string>

#include "compiler/base/error.h"
#include "compiler/ir/node.h"

namespace weft::ir {

// Throws E: "op: rule: got ...".
template <class E = Error>
[[noreturn]] void fail(Op op, const std::string& rule, const std::string& got) {
  throw E(std::string(name(op)) + ": " + rule + ": got " + got);
}

// The shape in which x and index meet: broadcast on each axis but `axis`, where the index's extent stays.
// Checks that the index is i64, that they do meet, and that there is something to index.
Shape indexed_shape(Op op, const Node& x, const Node& index, size_t axis);

}  // namespace weft::ir
