// Reads the `.weft` text of a graph (docs/ir.md describes the form). Explicit lines become exactly the node
// that they state; elementwise ops on mixed shapes, mixed dtypes or literals get the casts and broadcasts
// that NumPy's rules ask for.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compiler/ir/node.h"

namespace weft::ir {

// Every node's provenance is `file_name` and its line. Throws Error `file:line:column: what was expected,
// what was got` with the line and a caret under it; what an op itself refuses keeps its exception type.
Graph parse(std::string_view text, std::string_view file_name = "<text>");

// Maps, functions and kernels for the graphs of other texts, which use them by their names.
class Definitions {
 public:
  Definitions();
  // Those of a text without a graph, and those before. Errors are parse()'s.
  void add(std::string text, std::string_view file_name);
  Graph parse(std::string_view text, std::string_view file_name) const;

 private:
  std::shared_ptr<const struct Defined> defined_;
};

}  // namespace weft::ir
