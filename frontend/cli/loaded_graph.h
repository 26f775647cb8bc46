// A graph compiled and loaded on a device with its inputs uploaded: run, timed, and timed step by step.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/program/options.h"
#include "runtime/counters.h"
#include "runtime/load_program.h"

namespace weft::cli {

struct StepTime {
  std::string summary;
  bool kernel = false;  // else a library call or a copy
  double ms = 0;        // median
  int64_t bytes = 0;
};

class LoadedGraph {
 public:
  // `inputs` follow the graph's, as interpret() takes them. `counters`, `choices` and the device are shared
  // with others.
  LoadedGraph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs, const Target& target,
              Options options, std::shared_ptr<runtime::Device> device, runtime::Counters& counters,
              runtime::Choices& choices);
  // A program that `compile` makes of the graph, or of what passes made of it. Constants stay what they are.
  LoadedGraph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs, runtime::CompileProgram compile,
              std::shared_ptr<runtime::Device> device, runtime::Counters& counters,
              runtime::Choices& choices);
  LoadedGraph(const LoadedGraph&) = delete;

  std::vector<ir::HostTensor> run() const;

  // Milliseconds of a whole run, the median of `times`.
  double time(int times) const { return time(*executable_, times); }
  // Of the graph compiled otherwise.
  double time(const runtime::Executable& executable, int times) const;
  const runtime::CompileProgram& compiling() const { return compiling_; }
  // The same for each step by itself.
  std::vector<StepTime> time_steps(int times) const;

  const Program& program() const { return executable_->program(); }
  double plan_ms() const { return plan_ms_; }  // graph to sources
  double load_ms() const { return load_ms_; }  // sources to loaded kernels

 private:
  void load(const ir::Graph& graph, std::span<const ir::HostTensor> inputs, runtime::Choices& choices);

  double plan_ms_ = 0, load_ms_ = 0;
  std::vector<Scalar> scalars_;
  std::vector<ir::TensorType> output_types_;
  std::shared_ptr<runtime::Device> device_;
  runtime::Counters& counters_;
  runtime::CompileProgram compiling_;
  std::unique_ptr<const runtime::Executable> executable_;
  std::vector<runtime::BufferRef> inputs_;
};

}  // namespace weft::cli
