// Stores at positions that are computed without an order, which only a GPU does faster. Unlike the passes,
// these need memory that is 0 when their kernel starts. No graph can say that, so the builder of programs
// asks for it.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

enum class ScatterOrder {
  Kept,   // elements are stored one after the other along the axis
  Any,    // in any order, by atomic operations
  Steps,  // in several steps, each in any order, which give what no order changes
};
ScatterOrder scatter_order(const ir::Node& scatter, const Target& target);

// A scatter of Steps.
struct ScatterSteps {
  struct Step {
    // A scatter in any order, to memory that is 0: its first operand is never read. Or a reduction of the step before.
    ir::NodeRef node;
    std::string_view what;
    std::string_view says;  // "which value each element of {} takes"
  };
  std::vector<Step> steps;  // each is stored
  ir::NodeRef result;       // computed from them
};
ScatterSteps scatter_steps(const ir::Node& scatter);

}  // namespace weft::passes
