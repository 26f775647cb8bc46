// Explanations of what is recorded at this moment, by a session's device and settings.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/node.h"
#include "frontend/cpp/inspect/explain_graph.h"
#include "frontend/cpp/weft/array.h"

namespace weft::detail {

struct DeviceSlot;

// Of recorded values of the device, as one program.
ExplainedGraph explained_nodes(DeviceSlot& device, std::span<const ir::NodeRef> nodes, ExplainDetail detail);
// Of a recorded function.
ExplainedGraph explained_recorded(DeviceSlot& device, const ir::Graph& graph, ExplainDetail detail);
// The program of each device that still has something to compute.
std::vector<ExplainedGraph> explained_pending(std::span<const Array> xs, ExplainDetail detail);

// What eval() would compute of the device's values.
ir::Graph graph_now(DeviceSlot& device, std::span<const ir::NodeRef> nodes);
struct PendingGraph {
  DeviceSlot* device;
  ir::Graph graph;
};
// Of each device that still has something to compute.
std::vector<PendingGraph> pending_graphs(std::span<const Array> xs);

}  // namespace weft::detail
