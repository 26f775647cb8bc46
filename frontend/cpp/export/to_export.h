// What is exported.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/node.h"
#include "runtime/exported/exported_program.h"

namespace weft::detail {

// A graph, and what its inputs are.
struct ToExport {
  ir::Graph graph;
  runtime::ExportedProgram exported;  // all but results, array_bytes and the program
  std::vector<std::string> arrays;    // the bytes of those that the function used besides
};

}  // namespace weft::detail
