// Holds derivatives of a graph to differences of it, and the two modes to each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::test {

// Makes a graph of one output whose floats are of this dtype; complex where `of` is.
using Builder = std::function<ir::Graph(DType of)>;

struct Range {
  double low = -2, high = 2;
};

// jvp at random points is what central differences in f64 tell, and pairs with vjp; in the smaller dtypes of
// the kind both are what they are in f64, to their precision. Empty, or what is wrong.
std::string wrong_derivative(const Builder& build, DType of, uint64_t seed, std::vector<Range> ranges = {});

// The same for one graph in its own dtypes, of which f64 and c128 alone are compared with differences.
// `compared` tells whether everything was finite and smooth enough for that.
std::string wrong_derivative(const ir::Graph& graph, uint64_t seed, bool& compared,
                             std::vector<Range> ranges = {});

}  // namespace weft::test
