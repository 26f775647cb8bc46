// Stores at positions that are computed without an order, which only a GPU does faster. Unlike the passes,
// these need memory that is 0 when their kernel starts. No graph can say that, so the builder of programs
// asks for it.
#pragma once

#include <string_view>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

enum class ScatterOrder {
  Kept,       // elements are stored one after the other along the axis
  Any,        // in any order, by atomic operations
  Claimed,    // the largest position that stores to an element claims it, in any order; then each takes its
              // value
  SumsApart,  // sums are made in any order in wider words of their own; then they are added
};
ScatterOrder scatter_order(const ir::Node& scatter, const Target& target);

// A scatter of Claimed or SumsApart in two steps.
struct TwoSteps {
  ir::NodeRef scatter;  // in any order, to memory that is 0; its first operand is never read
  ir::NodeRef result;   // computed from it
  std::string_view what;
  std::string_view says;  // of the first step: "which value each element of x takes"
};
TwoSteps claimed_scatter(const ir::Node& scatter);
TwoSteps summed_scatter(const ir::Node& scatter);

}  // namespace weft::passes
