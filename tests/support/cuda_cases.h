// CUDA kernels of graphs as tests want them scheduled, run on the host and compared with the interpreter.
#pragma once

#include <functional>
#include <vector>

#include "compiler/emit/cuda/emit_cuda.h"
#include "compiler/fusion/fuse.h"
#include "compiler/plan/lower/lower.h"
#include "compiler/plan/schedule/cuda/cuda_schedule.h"
#include "tests/support/targets.h"

namespace weft::test {

struct CudaKernel {
  plan::Lowered lowered;
  plan::CudaSchedule schedule;
  emit::Emitted emitted;
};

// The kernels of a graph, with whatever they read from each other.
struct CudaCase {
  ir::Graph graph;
  ir::Partition partition;
  std::vector<CudaKernel> kernels;
  std::vector<const ir::Node*> memory;  // everything that is in a buffer
};

// Changes what schedule_cuda chose, and the program that it chose it for.
using Change = std::function<void(plan::CudaSchedule&, plan::RowProgram&)>;

CudaCase compile(ir::Graph graph, const Target& target, const Change& change = {}, bool empty_rows = false,
                 const Bias& bias = {});

// Cases whose kernels the host's compiler takes together.
struct EmulatedCases {
  std::vector<CudaCase> cases;
  void add(CudaCase c) { cases.push_back(std::move(c)); }
  // Runs each on random inputs, of which `edges` are special values: what is stored is what the interpreter
  // has, to the relative tolerance, and nothing beside it is written.
  void check(double tolerance, double edges);
};

}  // namespace weft::test
