// Runs graphs on a device the way the front end does, on host tensors: what the tests of generated code
// share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/program/options.h"
#include "compiler/program/program.h"
#include "runtime/counters.h"
#include "runtime/device.h"

namespace weft::test {

// A device with its counters, without a disk cache.
struct Backend {
  std::unique_ptr<runtime::Counters> counters;
  std::shared_ptr<runtime::Device> device;
  Target target;
};

// Every device of this machine that can run kernels: the CPU, and the first GPU where there is one.
const std::vector<std::string>& backend_names();
// One of them, made once.
Backend& backend(const std::string& name);
// Why there is no GPU here; empty when there is one.
const std::string& why_no_gpu();

// `inputs` follow graph.inputs, row-major; strided inputs are laid out by their strides. The outputs,
// row-major.
std::vector<ir::HostTensor> run_on(Backend& backend, const ir::Graph& graph,
                                   const std::vector<ir::HostTensor>& inputs, const Options& options = {});

// Of a program that was made for the graph.
std::vector<ir::HostTensor> run_made(Backend& backend, const ir::Graph& graph,
                                     const std::vector<ir::HostTensor>& inputs, Program program);

// The same in blocks.
std::vector<ir::HostTensor> run_in_blocks(Backend& backend, const ir::Graph& graph,
                                          const std::vector<ir::HostTensor>& inputs,
                                          const Options& options = {});

}  // namespace weft::test
