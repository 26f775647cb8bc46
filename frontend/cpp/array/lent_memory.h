// Memory of an array that somebody outside may write to, as NumPy's arrays over it do. While he has it, the
// cell is `lent`: nobody else's value lies in that memory, and each read of the cell takes a copy of what
// lies there then, or the copy before where nothing has changed. A write to the cell parts it from the
// memory.
#pragma once

#include "frontend/cpp/array/cell.h"
#include "runtime/device.h"

namespace weft::detail {

// The memory of the cell's value, computed first, for somebody who may write to it for as long as he keeps
// the buffer. Copied first where another value lies there too, or where it is not Weft's.
runtime::BufferRef lend_to_write(Cell& cell);

}  // namespace weft::detail
