// Reads the `.weft` text of a graph (docs/ir.md describes the form). Explicit lines become exactly the node
// that they state; elementwise ops on mixed shapes, mixed dtypes or literals get the casts and broadcasts
// that NumPy's rules ask for.
#pragma once

#include <string_view>

#include "compiler/ir/node.h"

namespace weft::ir {

// Every node's provenance is `file_name` and its line. Throws Error `file:line:column: what was expected,
// what was got` with the line and a caret under it; what an op itself refuses keeps its exception type.
Graph parse(std::string_view text, std::string_view file_name = "<text>");

}  // namespace weft::ir
