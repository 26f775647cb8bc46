// A `.weft` file as the commands take it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"
#include "frontend/cpp/inspect/dump_graph.h"

namespace weft::cli {

struct GraphFile {
  ir::Graph graph;
  std::vector<std::string> outputs;  // what the file calls them, without the percent sign
};
// Where a graph's text stands, and the files of definitions that it uses.
struct GraphPath {
  std::string file;
  std::vector<std::string> with;
};
// FILE and --with.
void add_graph_path(CLI::App& command, GraphPath& path, const std::string& takes = "A .weft file");
void add_definitions(CLI::App& command, std::vector<std::string>& with);

// Reads the file, or the standard input when it is "-"; where it is the folder of a dump, its graph. Error when it cannot
// be read or is not a graph.
GraphFile read_graph(const GraphPath& path);
GraphFile graph_of(const detail::GraphDump& dump);

// Everything that is left of the standard input.
std::string read_standard_input();

// --numerics (else as the environment has it), --without and --no-fuse.
struct CompileFlags {
  std::string numerics;
  std::vector<std::string> without;
  bool no_fuse = false;
  bool numerics_given = false;  // in the command line
};
void add_compile_options(CLI::App& command, CompileFlags& flags);
Options compile_options(const CompileFlags& flags);

}  // namespace weft::cli
