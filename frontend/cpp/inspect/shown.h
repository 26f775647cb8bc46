// The texts and drawings of compiling, for a session's device and settings.
#pragma once

#include <string>

#include "compiler/draw.h"
#include "compiler/ir/node.h"

namespace weft::detail {

struct DeviceSlot;

constexpr const char *kDrawing = "dot", *kPicture = "svg";

bool is_drawn(const std::string& stage);

// Error where `stage` is none of the device's, nor empty, nor a drawing.
void check_stage(const DeviceSlot& device, const std::string& stage);

// Of all stages where `stage` is empty.
std::string shown_graph(DeviceSlot& device, const ir::Graph& graph, const std::string& stage);
// What goes into the braces of a drawing of several programs.
std::string drawn_part(DeviceSlot& device, const ir::Graph& graph, const DrawnPart& part);
// Of what is computed already: who asks for a drawing gets one.
std::string nothing_to_show(const std::string& stage);

}  // namespace weft::detail
