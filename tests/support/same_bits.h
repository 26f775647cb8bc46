// What tests of passes over reductions ask of a graph before and after.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {

// Whether the interpreter gives the same for both: every bit counts, NaNs and zeros of both signs included.

inline void expect_same_bits(const ir::Graph& before, const ir::Graph& after, const ir::Domain& domain) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const std::vector<ir::HostTensor> inputs = random_inputs(before, seed, domain, 0.2);
    const auto want = ir::interpret(before, inputs), got = ir::interpret(after, inputs);
    for (size_t k = 0; k < want.size(); ++k) {
      EXPECT_EQ(got[k].type, want[k].type);
      EXPECT_EQ(got[k].data, want[k].data) << "output " << k << ", seed " << seed << "\n"
                                           << print(before) << "became\n"
                                           << print(after);
    }
  }
}

// How many elements all reductions and scans read.
inline int64_t walked_elements(const ir::Graph& graph) {
  int64_t sum = 0;
  for (const ir::Node* n : topological_order(graph.outputs))
    if (kind(n->op) == ir::OpKind::Reduce || kind(n->op) == ir::OpKind::Scan)
      sum += element_count(n->inputs[0]->shape());
  return sum;
}

}  // namespace weft::test
