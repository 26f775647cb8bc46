// A graph in a folder, with its data and what made it, so that somebody else can run it again:
//
//   dump.json     what it is, which versions made it, a hash of each other file
//   graph.weft    the graph
//   inputs.npz    arrays "0", "1", … in the order of the graph's inputs; not there where shapes alone are kept
//   outputs.npz   what was computed; not there where nobody knows
//
// A folder is written whole or not at all, and refused whole where a byte of it is another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/program/options.h"

namespace weft::detail {

struct GraphDump {
  ir::Graph graph;
  std::vector<ir::HostTensor> inputs, outputs;  // empty where they are not kept
  Numerics numerics = Numerics::Standard;
  std::string device, architecture;  // "cpu", "znver4"; empty where none computed it
  std::string version;               // of Weft that wrote it; write_dump() has its own
};

// Whether it has a value for each of the graph's inputs.
inline bool has_data(const GraphDump& dump) { return dump.inputs.size() == dump.graph.inputs.size(); }

// Error where `folder` is there already, or cannot be written.
void write_dump(const std::string& folder, const GraphDump& dump);

// Error, naming the folder and what is wrong, where it is no dump, is damaged, or was written in a form that this
// Weft does not know.
GraphDump read_dump(const std::string& folder);

// Whether a folder says that it is one; it may be damaged.
bool is_dump(const std::string& folder);
// The folders in `folder` that hold dumps, sorted by their names; `folder` itself where it is one. Error where there is none.
std::vector<std::string> dumps_in(const std::string& folder);

}  // namespace weft::detail
