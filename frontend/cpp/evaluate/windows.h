// Programs that differ only in where slices start are one program. Where a graph takes nothing but slices of an input,
// it is given the smallest window that holds them, and slices start from there. How slices of one input lie to each other,
// and so whatever the compiler decides by that, stays a part of the program. Where the window lies is an address.
//
// An input may also be updated in ranges, in a chain whose end is an output. It then lies in a window if its memory is given
// away: what the program makes of the window stands in the memory of the whole, which is the output.
// Where the window is row-major, it is written in place; where it is not, but small, it is copied there.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/node.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "runtime/device.h"

namespace weft::detail {

// Finds the graph's windows, and says the structure by them.
void find_windows(std::span<const ir::NodeRef> outputs, Canonical& graph);

// Gives up the windows of which a value between updates is kept.
void drop_kept_windows(std::span<const ir::NodeRef> kept, Canonical& graph);
// Gives up windows that are written, but for those of inputs whose memory is given away.
void drop_written_windows(std::span<const int> given, Canonical& graph);

// The inputs whose memory a program may write to: of `dying` all but those of which it gets a window to read.
std::vector<int> to_give(std::span<const int> dying, const Canonical& graph);

// What a program is given: the inputs, or windows of them, which `parts` then holds.
std::span<const runtime::BufferRef> arguments(const Canonical& graph, std::vector<runtime::BufferRef>& parts);

// Puts what a program made of windows in the place of the inputs that they are of.
void put_back(std::span<const ir::NodeRef> outputs, const Canonical& graph,
              std::span<const runtime::BufferRef> given, std::vector<runtime::BufferRef>& results);

}  // namespace weft::detail
