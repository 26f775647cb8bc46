// From recorded nodes to buffers: by a known program, by the interpreter where the graph is tiny, else by
// compiling.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

// Bytes: smaller memory is free again before anybody misses it, and others need not wait for it.
constexpr int64_t kWorthTakingOver = 1 << 20;
// Bytes of an array, at least, of which parts are written in place: a stencil of 25 x 25 x 25 f64 takes a quarter of the time.
constexpr int64_t kWorthWritingInPlace = 1 << 15;

// The nodes' values in row-major buffers of the device; the nodes keep them. All nodes are of this device.
// Values on the way that others hold too are kept as well, where computing them again would cost much, has
// already been needed, or will be for what is still to be computed. Memory that dies with the graph is
// written in place; what waits to be written to large memory that the graph reads is computed with it.
std::vector<runtime::BufferRef> evaluate(DeviceSlot& device, std::span<const ir::NodeRef> nodes);

// The node's value, computed at once; null where that is more than small work.
runtime::BufferRef evaluate_if_small(DeviceSlot& device, const ir::NodeRef& node);

// Computes the cells in one program for each device and keeps the values in them.
void materialize(std::span<Cell* const> cells);
// The buffer of the cell's value, computed first where it is pending.
runtime::BufferRef materialized(Cell& cell);
// As materialized(), but lent memory itself: for a look that is over when the caller returns.
runtime::BufferRef memory_now(Cell& cell);

// Fills `graph` for looking a program up.
// `windows`: with windows in place of inputs where that is sound (windows.h).
void prepare(DeviceSlot& device, std::span<const ir::NodeRef> nodes, Canonical& graph, bool windows = true);
// Whether the interpreter computes a prepared graph: its arrays are too few or too small for a kernel to be
// worth its compilation, and, where there are blocks, nobody can tell from the result which way was taken.
bool is_interpreted(const DeviceSlot& device, const Canonical& graph);
// Whether the value is so small, and made by maps of memory alone, that it is computed op by op: to find its program would take
// longer. Profiles and dumps look at programs, and have them run.
bool is_mapped(DeviceSlot& device, const ir::NodeRef& node);
// How a prepared graph is run by whom nobody asked to compile: the session's tier, and blocks for small graphs
// where that would wait for kernels.
Tier tier_of(const DeviceSlot& device, const Canonical& graph);
// With a graph's structure it names the graph's program for a tier.
uint64_t program_seed(const DeviceSlot& device, Tier tier, Numerics numerics);
// The program of a prepared graph, compiled unless it is known. `donated`: inputs that it may write into.
ProgramCache::Program program_for(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                  const Canonical& graph, Tier tier, std::vector<int> donated = {});
// How a run of a prepared graph would do each step now. Compiles no kernel.
std::vector<std::optional<runtime::Way>> ways_now(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                                  const Canonical& graph);

}  // namespace weft::detail
