// What each program was planned for: why(), and a profile's advice, say what a new one has that the nearest before it had
// not.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/hash.h"
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

// What a new program has that the nearest before it had not.
enum class NewBy : uint8_t {
  First,       // nothing like it was planned before
  Dtype,       // of an array
  Axes,        // how many an array has
  Shape,       // of an array
  Layout,      // steps between the elements of an array
  Arrays,      // how many it reads
  Operations,  // other ones, or more, on the same lines
  Cut,         // a graph of many operations was computed up to another place of the same lines
  Facts,       // what an op says: positions, axes, a number that decides something
  Numbers,     // one that spares work, or equal ones
  Settings,    // the device, numerics, the tier
  Memory,      // which may be written, or how slices of one array lie to each other
  Dropped,     // nothing: it was known, and dropped since
  Together,    // nothing: another thread planned it at the same time
};
// "another dtype"; of Together "another thread at the same time".
std::string_view name(NewBy by);

struct Planned {
  std::vector<SourceLine> lines;      // of all ops
  std::string ops;                    // "exp, multiply, sum", in order
  std::vector<PlannedInput> inputs;   // those that are no numbers
  int64_t numbers = 0;                // inputs that are; equal ones may be one
  std::vector<PlannedFact> facts;     // of the first ops, in order
  int64_t count = 0;                  // of ops
  int64_t kernels = 0, compiled = 0;  // those that were compiled before the first run
  Hash key;                           // of the session's programs
  std::string settings;               // "device cpu, numerics standard, tier auto"
  bool ends_turn = false;             // a loop's graph was computed up to here, as it was large
  bool is_known = false;              // another thread has put it there meanwhile
  int64_t at = 0;                     // when, of the steady clock, in nanoseconds
  // Filled by note_planned().
  NewBy by = NewBy::First;
  std::string change;  // "array 0: its dtype is f32, and was f64"; empty where `by` says all
  std::string reason;  // as a sentence
};

// Of a graph with the ops in order.
Planned planned_of(const ir::Graph& graph);
// Why the program is a new one beside those that were planned before. `most_kept`: programs that the session keeps.
void find_reason(Planned& planned, const std::deque<Planned>& before, size_t most_kept);

// Adds it to what the session planned, of which the last 1024 are kept; gives why it was.
std::string note_planned(const SessionState& session, Planned planned);
// The last programs that the session planned, at most so many, the last one last.
std::vector<Planned> last_planned(const SessionState& session, size_t most);
// A numbered paragraph for each.
std::string why_text(const std::vector<Planned>& planned);

}  // namespace weft::detail
