// What each program was planned for: why() says what a new one has that the nearest before it had not.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "compiler/ir/node.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

// An array that a program reads.
struct PlannedInput {
  DType dtype = DType::F32;
  Shape shape;
  Dims strides;  // in elements; empty: rows one behind the other
  friend bool operator==(const PlannedInput&, const PlannedInput&) = default;
};

// What an op says beyond its name: the positions of a slice, the axes of a sum, a number that decides something.
struct PlannedFact {
  std::string text;
  SourceLine line;
};

struct Planned {
  std::vector<SourceLine> lines;      // of all ops
  std::string ops;                    // "exp, multiply, sum", in order
  std::vector<PlannedInput> inputs;   // those that are no numbers
  int64_t numbers = 0;                // inputs that are; equal ones may be one
  std::vector<PlannedFact> facts;     // of the first ops, in order
  int64_t count = 0;                  // of ops
  int64_t kernels = 0, compiled = 0;  // those that were compiled before the first run
  std::string reason;                 // filled by note_planned()
};

// Of a graph with the ops in order.
Planned planned_of(const ir::Graph& graph);
// Why the program is a new one beside those that were planned before: "these lines were planned before, …".
std::string reason_of(const Planned& planned, const std::deque<Planned>& before);

// Adds it to what the session planned, of which the last 1024 are kept; gives why it was.
std::string note_planned(const SessionState& session, Planned planned);
// The last programs that the session planned, at most so many, the last one last.
std::vector<Planned> last_planned(const SessionState& session, size_t most);
// A numbered paragraph for each.
std::string why_text(const std::vector<Planned>& planned);

}  // namespace weft::detail
