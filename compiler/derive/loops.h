// Derivatives of loops and branches: loops of their bodies' derivatives. A scan goes back from its last turn to the
// first; it keeps what it carried at the start of each turn, and computes the rest of a turn again, in the same
// kernels that go back.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/ir/loop.h"

namespace weft::derive {

// How bodies are derived: the functions of derive.h.
struct OfBodies {
  using Nodes = std::span<const ir::NodeRef>;
  std::function<std::vector<bool>(Nodes outputs, Nodes wrt)> depends;
  std::function<std::vector<ir::NodeRef>(Nodes outputs, Nodes wrt, Nodes given)> vjp, jvp;
};

// The tangents of all results for those of the operands; null where there is none, in both.
std::vector<ir::NodeRef> loop_jvp(const ir::Node& loop, std::span<const ir::NodeRef> tangents,
                                  const OfBodies& of);
// The cotangents of the operands that are wanted for those of all results; null where there is none, in both.
std::vector<ir::NodeRef> loop_vjp(const ir::Node& loop, std::span<const ir::NodeRef> cotangents,
                                  const std::vector<bool>& wanted, const OfBodies& of);

}  // namespace weft::derive
