// Host arrays for tests: values of a domain mixed with those at the edges of the dtype, where kernels go
// wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/ops/op.h"

namespace weft::test {

// Elements lie in the domain (integers: in that part of it which the dtype holds), but a share of `edges` are
// edge values: zeros of both signs, ones, infinities, NaNs of both signs, the smallest and largest subnormal,
// normal and finite numbers; of integers the limits and their neighbours. The same seed gives the same bits.
ir::HostTensor random_input(const ir::TensorType& type, uint64_t seed, const ir::Domain& domain = {},
                            double edges = 0.1);

// One tensor for each of the graph's inputs, as interpret() takes them. Each is drawn by the input's name, so
// that a shrunk graph still sees the data on which the whole one failed.
std::vector<ir::HostTensor> random_inputs(const ir::Graph& graph, uint64_t seed,
                                          const ir::Domain& domain = {}, double edges = 0.1);

}  // namespace weft::test
