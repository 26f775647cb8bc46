// Which op made the NaN or the infinity that a result holds: for sessions that watch for them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

// Computes bools of the graph's values, and says whether one is true.
using AnyTrue = std::function<bool(std::span<const ir::NodeRef> bools)>;

// Error where one of `values`, of the nodes, holds what the session watches for, or an integer on the way was made of
// it, and an op of the graph made it. It says the op, the lines, the place and what the op computed it from. Inputs
// have to hold what they held before.
void refuse_nans(DeviceSlot& device, std::span<const ir::NodeRef> nodes, const Canonical& graph,
                 std::span<const runtime::BufferRef> values, const AnyTrue& any_true);

// The same of what an op makes at once of values that are known. An Error has the line.
void refuse_made(const SessionState& session, ir::Op op, std::span<const Scalar> operands,
                 const Scalar& value, const Shape& shape, const SourceLine& line);

// A prepared graph's inputs on the host; `copies` holds those of a device that the host does not see.
std::vector<ir::Elements> host_inputs(DeviceSlot& device, const Canonical& graph,
                                      std::vector<std::vector<std::byte>>& copies);

}  // namespace weft::detail
