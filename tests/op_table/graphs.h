// The graphs that the op table's tests run on every device, and compile for CUDA where there is none. Each
// has many outputs, so that one kernel checks many ops.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/node.h"
#include "compiler/ir/ops/op.h"

namespace weft::test {

// How the arguments of map ops lie in memory.
enum class Layout { Contiguous, Sliced, Reversed, Transposed, BroadcastScalar, BroadcastRow, Strided };
inline constexpr Layout kLayouts[] = {Layout::Contiguous, Layout::Sliced,          Layout::Reversed,
                                      Layout::Transposed, Layout::BroadcastScalar, Layout::BroadcastRow,
                                      Layout::Strided};
std::string to_string(Layout layout);

// The ops with a reference evaluation that take `dtype`: every map row but select, cast and bitcast.
std::vector<ir::Op> map_ops(DType dtype);

struct MapGraph {
  ir::Graph graph;
  std::vector<ir::Op> ops;          // of each output
  std::vector<ir::NodeRef> values;  // the arguments of each op, all of one shape; an op takes the first few
};
// Every map op on `dtype`. `shape` is that of the results: rank 1 where contiguous, else rank 2.
MapGraph map_graph(DType dtype, Layout layout, const Shape& shape);

// One output each: casts of one input to every dtype, bitcasts to every dtype of the same size, and a select.
ir::Graph cast_graph(DType from, const Shape& shape);

// Every reduction of `dtype` over every set of axes of one input.
ir::Graph reduce_graph(DType dtype, const Shape& shape);

// Every scan of `dtype` along every axis of one input.
ir::Graph scan_graph(DType dtype, const Shape& shape);

// Views, pads and joins of inputs of `dtype`, and iotas where the dtype has them.
ir::Graph view_graph(DType dtype);
// Gathers, updates, and scatters that store or add.
ir::Graph index_graph(DType dtype, bool sums);
// Matrix products: batches, transposed and broadcast operands.
ir::Graph dot_graph(DType dtype);

}  // namespace weft::test
