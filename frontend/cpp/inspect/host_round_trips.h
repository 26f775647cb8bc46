// Arrays that the host made for a front end, as NumPy does for Python's: what is said of them, and of what they cost.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source_line.h"
#include "compiler/ir/node.h"
#include "frontend/cpp/session/costs_seen.h"
#include "frontend/cpp/weft/array.h"
#include "runtime/device.h"

namespace weft::detail {

constexpr const char* kHostRoundTrip = "host round trip";

struct HostRoundTrip {
  std::string function;  // "numpy.interp"
  SourceLine line;       // that called it
  ir::TensorType type;   // of the array that it gave
  bool orders = false;   // a sort of Weft's own: "sort"
};

// Notes that the host's function made the array, for this line; of a value that is computed.
void made_on_host(const Array& x, const std::string& function, const SourceLine& line);
// Of arrays in memory that lately came from the host, or were sorted.
std::vector<HostRoundTrip> round_trips_of(std::span<const ir::NodeRef> inputs,
                                          std::span<const runtime::BufferRef> buffers);

// What it costs, and what to write; `often`: "once", "3 times", or "" where nobody counted.
std::string round_trip_text(std::string_view function, std::string_view often);
std::vector<CostSeen> costs_of(std::span<const HostRoundTrip> trips);
// "f64(10000,): made by numpy.interp at blur.py:12, on the host".
std::string to_string(const HostRoundTrip& trip);

}  // namespace weft::detail
