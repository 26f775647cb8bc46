// The graphs whose programs ran while a profile was on, each once: for its page, which draws them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
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
// Stands for all that it says; 0 where nodes have several lines each.
uint64_t number_around(std::span<const ir::NodeRef> nodes);

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

  // Of each program how often it ran for the same lines. It is held, so that its address stays its own.
  static constexpr size_t kMostRan = 4096;
  struct Ran {
    std::shared_ptr<const runtime::Executable> program;
    int64_t runs = 0;
    size_t graph = kMost;
  };
  std::unordered_map<uint64_t, Ran> ran;
};

// To be called while the session's trace is on, in each run; `make` gives the graph where the program is a new one, `lines`
// stands for the lines that it runs for. How often the program ran for these since the profile began; 1 of each run of
// programs that there is no room to count.
int64_t see_graph(DeviceSlot& device, const std::shared_ptr<const runtime::Executable>& program,
                  uint64_t lines, const std::function<ir::Graph()>& make);
// What values hold changes slowly: of many runs some are looked at, each of the first ones and then one of sixteen.
constexpr bool is_looked_at(int64_t run) {
  constexpr int64_t kFirst = 4, kOneOf = 16;
  return run <= kFirst || run % kOneOf == 0;
}
// Those of the session since the last call.
GraphsSeen take_graphs(const SessionState& session);

}  // namespace weft::detail
