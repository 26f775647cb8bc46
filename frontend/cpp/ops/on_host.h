// What no kernel computes, and the host does at once: on memory of the arrays' device, or on a copy of a GPU's.
#pragma once

#include "compiler/ir/node.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

// The device itself where the host sees its memory, or the CPU.
DeviceSlot& host_of(DeviceSlot& device);
// The memory itself where it is the other device's, or a copy there; one of both devices is the CPU.
runtime::BufferRef moved(const runtime::BufferRef& buffer, const DeviceSlot& to);
// The value in memory of the host's that nobody else holds, to be written to.
runtime::BufferRef value_to_write(DeviceSlot& device, const ir::NodeRef& node, const ir::Lines& lines);

}  // namespace weft::detail
