// A graph with its inputs, and a device that computes it and what is made of it: what the commands work on that look
// for what is wrong.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "frontend/cli/arrays.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/machine.h"
#include "runtime/choices.h"
#include "runtime/counters.h"

namespace weft::cli {

struct CaseFlags {
  GraphPath path;
  InputFlags inputs;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};
// FILE, --in, --random, --device, --cache-dir, --numerics, --without and --no-fuse.
void add_case_options(CLI::App& command, CaseFlags& flags);

class GraphCase {
 public:
  // The data of a dump are its inputs, unless others are given.
  explicit GraphCase(const CaseFlags& flags);
  GraphCase(const GraphCase&) = delete;

  const GraphFile& file() const { return file_; }
  const std::vector<ir::HostTensor>& inputs() const { return inputs_; }
  const Target& target() const { return target_; }
  const Options& options() const { return options_; }

  // Constants that no pass looks at become arguments, as in every program.
  std::vector<ir::HostTensor> run(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                  const Options& options) const;
  // The outputs as another device computes them. Error where it cannot be had.
  std::vector<ir::HostTensor> run_on(const std::string& device) const;
  // `prepared`: passes have run over the graph.
  std::vector<ir::HostTensor> run_as_it_is(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                           const Options& options, bool prepared) const;

 private:
  GraphCase(const CaseFlags& flags, const std::optional<detail::GraphDump>& dump);

  DeviceChoice choice_;
  GraphFile file_;
  std::vector<ir::HostTensor> inputs_;
  mutable runtime::Counters counters_;
  std::shared_ptr<runtime::KernelCache> cache_;
  std::shared_ptr<runtime::Device> device_;
  Target target_;
  Options options_;
  mutable runtime::Choices choices_;
};

}  // namespace weft::cli
