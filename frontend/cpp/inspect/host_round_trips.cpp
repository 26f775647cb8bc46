#include "frontend/cpp/inspect/host_round_trips.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/made_by.h"
#include "frontend/cpp/inspect/substitutes.h"

namespace weft::detail {

void made_on_host(const Array& x, const std::string& function, const SourceLine& line) {
  runtime::BufferRef buffer;
  Access::cell(x)->inspect([&](const ir::NodeRef& value) {
    if (value->op == ir::Op::input) buffer = buffer_of(*value);
  });
  if (buffer) made_lately().add({buffer, line, MadeResult::How::Host, {}, {}, function});
}

std::vector<HostRoundTrip> round_trips_of(std::span<const ir::NodeRef> inputs,
                                          std::span<const runtime::BufferRef> buffers) {
  std::vector<HostRoundTrip> out;
  for (size_t i = 0; i < std::min(inputs.size(), buffers.size()); ++i) {
    const std::optional<MadeResult> made =
        buffers[i] ? made_lately().find(buffers[i]) : std::optional<MadeResult>();
    if (made && (made->how == MadeResult::How::Host || made->how == MadeResult::How::Order))
      out.push_back({made->function, made->line, inputs[i]->type, made->how == MadeResult::How::Order});
  }
  return out;
}

std::string round_trip_text(std::string_view function, std::string_view often) {
  if (function.starts_with("numpy.vectorize("))
    return fmt::format(
        "{} calls your function for each element, in Python{}: what is computed before it is written to "
        "memory, and nothing fuses across it. explain() says what keeps the function from being compiled",
        function, often.empty() ? "" : fmt::format(" ({})", often));
  const std::string_view instead = substitute_of(function);
  return fmt::format(
      "{} is NumPy's answer{}: what is computed before it is written to memory, and nothing fuses across it. "
      "{}",
      function, often.empty() ? "" : fmt::format(" ({})", often),
      instead.empty() ? "Look for a name that Weft computes itself, or call it once, outside of loops"
                      : fmt::format("Weft computes this instead: {}", instead));
}

std::vector<CostSeen> costs_of(std::span<const HostRoundTrip> trips) {
  CostsSeen out;
  for (const HostRoundTrip& trip : trips)
    if (!trip.orders)
      out.add({kHostRoundTrip, trip.line.file ? std::vector{trip.line} : std::vector<SourceLine>(),
               round_trip_text(trip.function, "")});
  return out.take();
}

std::string to_string(const HostRoundTrip& trip) {
  return fmt::format("{}{}: made by {}{}, {}", name(trip.type.dtype), weft::to_string(trip.type.shape),
                     trip.function, trip.line.file ? " at " + weft::to_string(std::span(&trip.line, 1)) : "",
                     trip.orders ? "which fuses with nothing" : "on the host");
}

}  // namespace weft::detail
