// The values of a graph's inputs, and where its outputs go: files, literals for scalars, random numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "frontend/cli/graph_file.h"
#include "frontend/files/host_array.h"

namespace weft::cli {

// "name=value" of --in and --out.
struct Binding {
  std::string name, value;
};
// Error naming `option` when there is no "=" or nothing on one side of it.
Binding parse_binding(const std::string& option, const std::string& text);

// One tensor for each input of the graph, in order, as interpret() takes them. A value is an NPY or PNG file,
// "-" for NPY from the standard input, or, for a scalar, a number. Inputs without a binding are drawn from
// `seed`; Error when there is none. Dtype and shape must be those that the graph declares.
std::vector<ir::HostTensor> gather_inputs(const ir::Graph& graph, const std::vector<Binding>& bindings,
                                          std::optional<uint64_t> seed);

// --in and --random, as every command that runs a graph takes them.
struct InputFlags {
  std::vector<std::string> in;
  std::optional<uint64_t> seed;
};
void add_input_options(CLI::App& command, InputFlags& flags);
std::vector<ir::HostTensor> gather_inputs(const ir::Graph& graph, const InputFlags& flags);
// What is wrong with the text as a seed, if anything; the parser takes numbers that do not fit for others.
std::string seed_problem(const std::string& text);

// The number of the output that `name` means: as the file calls it, or its number.
size_t output_number(const GraphFile& file, const std::string& name);

// Error where the name ends as that of a kind of file that is not written: neither .npy nor .png.
void check_output_name(const std::string& path);
// Writes NPY ("-": to the standard output), or PNG when the name ends so: u8 and u16 as they are, floats
// clamped from [0, 1].
void write_output(const std::string& path, const ir::HostTensor& tensor);

// As text; a few.
std::vector<std::string> first_values(const ir::HostTensor& tensor);
// "y : f32[2, 3] = 1, 2, 3, …": the type and the first values.
std::string preview(const std::string& name, const ir::HostTensor& tensor);

}  // namespace weft::cli
