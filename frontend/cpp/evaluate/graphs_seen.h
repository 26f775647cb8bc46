// The graphs whose programs ran while a profile was on, each once: for its page, which draws them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "compiler/ir/node.h"
#include "frontend/cpp/session/session_state.h"
#include "runtime/executor.h"
#include "runtime/trace.h"

namespace weft::detail {

// What a profile calls the work around all others: a known program is found, and memory for its results.
constexpr const char* kFindsPrograms = "what was compiled found, and memory";
// The same of a first call, which a second one has less of.
constexpr const char* kSetsUp = "libraries opened, threads started, memory asked for";

// The event of that work, for these nodes, but for its times.
runtime::TraceEvent event_around(std::span<const ir::NodeRef> nodes);

struct GraphSeen {
  DeviceSlot* device = nullptr;
  std::shared_ptr<const runtime::Executable> program;
  ir::Graph graph;  // holds no data
  int64_t runs = 1;
};

struct GraphsSeen {
  // More programs are counted alone.
  static constexpr size_t kMost = 40;
  std::vector<GraphSeen> graphs;
  int64_t more = 0;  // runs of other programs
};

// To be called while the session's trace is on; `make` gives the graph where the program is a new one. Whether it is one
// that no profile of now has seen, or has no room for.
bool see_graph(DeviceSlot& device, const std::shared_ptr<const runtime::Executable>& program,
               const std::function<ir::Graph()>& make);
// Those of the session since the last call.
GraphsSeen take_graphs(const SessionState& session);

}  // namespace weft::detail
