// The shapes and dtypes that the sweep measures, as graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/ir/node.h"

namespace weft::bench {

// "map", "sum", "max" or "softmax" over an array of `rows` rows; no outputs where the op does not take the
// dtype.
ir::Graph sweep_graph(const std::string& op, DType dtype, int64_t rows, int64_t length);

// What a graph's inputs and outputs hold.
int64_t bytes_of(const ir::Graph& graph);

struct SweepCell {
  std::string op;
  DType dtype = DType::F32;
  int64_t rows = 1, length = 1;
  size_t row_place = 0, length_place = 0;  // in its grid
};

// f32 on the whole grid first, then every dtype on a coarser one; `quick` thins both out. Graphs of more than
// `most_bytes` are left out.
std::vector<SweepCell> sweep_cells(bool quick, int64_t most_bytes);

}  // namespace weft::bench
