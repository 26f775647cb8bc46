// What of a recorded graph others hold, and what nobody does: which values to keep when a graph is computed,
// and which memory may be written over.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/cpp/evaluate/canonical.h"

namespace weft::detail {

// A node that others hold too.
struct Held {
  const ir::Node& node;
  size_t number;  // in the graph's order
  uint32_t depth;
  uint32_t others;  // how many references there are from outside of the graph
};
// The nodes between inputs and outputs that others hold too and whose values are worth keeping: `wanted` is
// asked for those that take little memory, or no more than what the graph reads and writes anyway.
// Products, loops and what they read are kept unasked.
// For a view it is what it views that is kept.
std::vector<ir::NodeRef> held_elsewhere(std::span<const ir::NodeRef> outputs, const Canonical& graph,
                                        const std::function<bool(const Held&)>& wanted);
// Whether computing the value replaces memory that the graph reads, or a value of it: both are of one size.
bool replaces_what_is_read(const ir::Node& value, const Canonical& graph);
// What others hold too and compute from memory of at least so many bytes that an output replaces, where it is
// small beside that memory: kept, it needs the old value no more.
std::vector<ir::NodeRef> held_readers(std::span<const ir::NodeRef> outputs, const Canonical& graph,
                                      int64_t bytes);
// The inputs that nobody needs once `outputs` are computed, numbered as in `graph.inputs`: neither another
// array nor a graph recorded elsewhere.
std::vector<int> dying_inputs(std::span<const ir::NodeRef> outputs, const Canonical& graph);

}  // namespace weft::detail
