// What fusion decided, as data: the steps of a program, the values that pass between them, and a reason for each.
// Text and JSON are made of it, and of nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/base/shape.h"
#include "compiler/base/source_line.h"
#include "compiler/program/kernel_cost.h"
#include "compiler/program/program.h"

namespace weft {

struct Explanation {
  struct Value {
    std::string op;
    DType dtype = DType::F32;
    Shape shape;
    std::vector<SourceLine> lines;
    int number = 1;  // among values of this op, dtype, shape and lines
    int64_t bytes() const { return element_count(shape) * static_cast<int64_t>(size_of(dtype)); }
  };

  // Such numbers are places in `values`. What is not written stays inside of the step.
  struct Named {
    int value = 0;
    bool written = false;
  };

  struct Step {
    std::string kind;          // kernel, library, user kernel, loop, copy
    std::string text;          // "kernel over (120,) with rows (80,): softmax.cpp:12: max, exp, sum, divide"
    Shape outer, row;          // of a kernel
    std::vector<Named> named;  // of a kernel and a library's call, in the order in which they are computed
    std::vector<std::string> notes;   // "a second launch joins its parts, 128 bytes"
    std::vector<Explanation> bodies;  // of a loop
    int64_t operations = 0;           // of floats, of a kernel, about
    std::optional<KernelCost> cost;   // of a kernel: what it does, by kind
    int group = -1;  // the step of the partition that it is for; -1: of none, as a copy of an input
    std::string schedule, chosen_because;  // of a kernel: how its loops run (docs/schedules.md)
  };

  // Why a value that one computation gives to another goes through memory, or stays inside of a kernel.
  struct Edge {
    int from = 0, to = 0;
    bool fused = false;
    std::string reason;
    int64_t bytes_saved = 0;  // that are neither written nor read again, as the two are fused
  };

  // Work that several kernels do, each for itself.
  struct Repeated {
    int kernels = 0;
    Origin origin;
  };

  bool costs = false;  // whether kernels are told their costs, which programs run without
  std::vector<Value> values;
  std::vector<Step> steps;  // those of the program, in its order
  std::vector<Edge> edges;
  std::vector<Repeated> repeated;
};

}  // namespace weft
