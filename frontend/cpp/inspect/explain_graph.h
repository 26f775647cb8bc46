// What is said of a program that would run: a summary, what to change, and the compiler's decisions; as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/explain.h"
#include "frontend/cpp/inspect/host_round_trips.h"
#include "frontend/cpp/inspect/kernel_resources.h"
#include "frontend/cpp/session/costs_seen.h"
#include "frontend/cpp/weft/calibrate.h"
#include "frontend/cpp/weft/explain.h"

namespace weft::detail {

struct ExplainedGraph {
  std::string device;
  Explained compiled;
  double memory_speed = 0;                                  // bytes a second; 0: not known
  MachineFacts facts;                                       // without speeds: no kernel has an expected time
  std::string interpreted;                                  // why no kernel runs; empty where kernels do
  std::vector<CostSeen> costs;                              // what could be spared
  std::vector<HostRoundTrip> round_trips;                   // what the host made of what is read
  std::vector<std::optional<CompiledStep>> compiled_steps;  // empty where nobody asked
};

// The compiled graph with the advice on it.
ExplainedGraph explained_graph(const ir::Graph& graph, Explained compiled);

std::string text_of(const ExplainedGraph& explained, ExplainDetail detail);
// The advice alone, and what to write for each value that goes through memory.
std::string advice_of(const ExplainedGraph& explained);
// A part of what a call ran, and what caused it.
struct RanPart {
  enum class Kind : uint8_t {
    Flush,
    Call,
    Host,
    Rest
  };  // Call: of a recorded function. Rest: nobody looked at it
  Kind kind = Kind::Flush;
  std::string by = {};   // "float()"; of the host its function; empty where nobody knows
  SourceLine line = {};  // where
  int64_t times = 1;
  int program = -1;  // of those that are explained; -1: none, as of the host
};

// Of one program for each device, or for each of the parts that have one; `computed`: how arrays that lie in memory came there.
std::string json_of(const std::vector<ExplainedGraph>& explained,
                    const std::vector<std::string>& computed = {},
                    const std::vector<RanPart>* parts = nullptr);

}  // namespace weft::detail
