// Derivatives as transforms of graphs: new nodes on the old ones, which stay as they are. Each op's rule
// stands in its row of the op table. A derivative is a graph like any other, so that it can be derived again.
//
// Complex numbers as JAX has them: a tangent is the change itself, and a cotangent c pairs with a tangent t
// as the real part of the sum of c * t, without a conjugate. The gradient of a real function f of z = x + iy
// is df/dx - i df/dy.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::derive {

// Values that have a derivative of their own, whatever they are computed from.
struct Custom {
  std::string name;  // of the function, for errors
  std::vector<ir::NodeRef> outputs, inputs;
  // The inputs' cotangents of the outputs'; null where there is none. Empty: it has no such derivative.
  std::function<std::vector<ir::NodeRef>(std::span<const ir::NodeRef>)> vjp;
  // The outputs' tangents of the inputs'.
  std::function<std::vector<ir::NodeRef>(std::span<const ir::NodeRef>)> jvp;
};
// By each of their outputs.
using Customs = std::unordered_map<const ir::Node*, std::shared_ptr<const Custom>>;

// Whether values of the dtype have tangents: floats and complex numbers.
bool has_tangents(DType dtype);
// A map's tangent for tangents of its operands, of which there is at least one; null where it is zero. Error where it
// has no derivative.
ir::NodeRef tangent_of(const ir::Node& node, std::span<const ir::NodeRef> tangents);

// Which of the outputs depend on a node of `wrt` in a way that has a derivative.
std::vector<bool> depends(std::span<const ir::NodeRef> outputs, std::span<const ir::NodeRef> wrt,
                          const Customs& customs = {});

// The cotangents of `wrt`, any nodes that have tangents, for cotangents of the outputs: of their types, or
// null, which means zeros. Zeros for a node on which no output depends. Error, naming the op and its lines,
// where one on the way has no derivative.
std::vector<ir::NodeRef> vjp(std::span<const ir::NodeRef> outputs, std::span<const ir::NodeRef> wrt,
                             std::span<const ir::NodeRef> cotangents, const Customs& customs = {});

// The tangents of the outputs for tangents of `wrt`, null meaning zeros. An output that has none, an integer,
// gets null.
std::vector<ir::NodeRef> jvp(std::span<const ir::NodeRef> outputs, std::span<const ir::NodeRef> wrt,
                             std::span<const ir::NodeRef> tangents, const Customs& customs = {});

// The graph that gives the gradient of a graph's only output, one float, with respect to these inputs; that
// of a scalar, one value in every element, is of rank 0.
ir::Graph gradient(const ir::Graph& graph, std::span<const ir::NodeRef> wrt);

}  // namespace weft::derive
