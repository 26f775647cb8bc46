// Which loop the vector lanes (CPU) or neighbouring threads (CUDA) run along.
#pragma once

namespace weft::plan {

enum class Order {
  Pointwise,  // no row: lanes along an outer axis
  Rows,       // lanes along the last row axis, joined at the end of a sweep
  Columns,    // lanes along an outer axis, the row walked one element after another
};

}  // namespace weft::plan
