// The body of an entry, one function for each shape of the layout.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

void write_points(Entry& entry, const PointsShape& shape);
void write_stacked(Entry& entry, const StackedShape& shape);
void write_transposed(Entry& entry, const TransposedShape& shape);
void write_rows(Entry& entry, const RowsShape& shape);
void write_columns(Entry& entry, const ColumnsShape& shape);

}  // namespace weft::emit
