// Draws valid graphs over every kind of op: what the fuzzers, the round-trip tests and the verifier's tests
// feed on.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::test {

struct RandomGraphOptions {
  int ops = 16;     // about; patterns such as softmax count as one
  int outputs = 3;  // at most
  int max_rank = 5;
  int64_t max_elements = 2048;  // of any value
  double empty_axis = 0.02;     // how often an extent is 0
  bool strided_inputs = false;  // inputs with strides and an offset
  bool halves = true, complexes = true;
  bool indexed = true;  // gather, scatter, scatter_add
  double spread = 0;    // how often a gather picks of one row for each row of its index
  bool dots = true;
  // Only ops whose results are the same bits however they are computed: no op with an error bound above half
  // an ulp, no float sums or products, no dots, no complex arithmetic, no fma.
  // The sign and payload of a NaN still are the machine's own, and signbit and copysign show the sign.
  bool exact = false;
  // How often a step is one of a few programs that passes and fusion rewrite: rows that are picked or sliced
  // of a reduction, parts of a value that are written before it is read, a sum of equal values.
  double rewritten = 0;
  // Maps, reductions and scans that may be drawn; empty: all of the op table. A list draws the same graphs
  // when the table has grown.
  std::vector<ir::Op> drawn_from;
};

// The same seed and options give the same graph. Inputs are named "a0", "a1", …, scalars "s0", ….
ir::Graph random_graph(uint64_t seed, const RandomGraphOptions& options = {});

}  // namespace weft::test
