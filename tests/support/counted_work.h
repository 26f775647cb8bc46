// What a graph's kernels move and compute, counted from their row programs: no clock, so a test may ask whether
// fusion repeats more than it saves.
#pragma once

#include "compiler/ir/node.h"
#include "compiler/plan/plan.h"
#include "compiler/program/options.h"

namespace weft::test {

// Scalar operations, of the cost that the op table gives them, each as often as its loops run it. What does not
// depend on the inner axes is computed outside of them. An element that is loaded or stored counts one, a gathered
// one four, a quotient of positions eight.
double counted_work(const plan::RowProgram& program);

struct CountedWork {
  double bytes = 0;  // read and written
  double work = 0;
  // Of kernels that each take as long as the larger of both. The tuning table has fusion repeat up to
  // kRepeatedWork operations of an element before it stores 8 bytes and reads them again: a byte is as much as one.
  double cost = 0;
  int steps = 0;
};

// Of all kernels and library calls of the graph, once every pass over it has run.
CountedWork counted_work(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::test
