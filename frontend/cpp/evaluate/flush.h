// When recorded graphs are computed without being asked for: once they pass the session's limit, so that
// loops stay bounded. A loop is cut between two turns of it, and the same program always at the same places,
// so that later turns and calls find the programs of earlier ones.
#pragma once

#include "frontend/cpp/array/cell.h"

namespace weft::detail {

// Computes the cell, on which `lines` has just recorded something, if its graph has become too large; after a
// write, not before something else is recorded.
// `oldest`: the operand with the oldest pending node, if any. `write`: whether the cell was written in place.
void flush_if_due(Cell& cell, const Cell* oldest, const ir::Lines& lines, bool write = false);

// Computes what the last statement wrote, if that is due, before `line` reads anything: what it recorded on
// the nodes that are computed now would hold all that they were computed from, turn after turn of a loop.
void flush_due(const ir::SourceLine& line, bool write);

}  // namespace weft::detail
