// The bytes along an array's last axis read as elements of another size, the least significant first, as they
// lie in memory. What regroup() makes of what regroup() made is the array itself.
#pragma once

#include "compiler/ir/node.h"

namespace weft::detail {

// The last axis is as much longer or shorter as the elements of `to`, which is not bool, are smaller or
// larger.
ir::NodeRef regroup(const ir::NodeRef& x, DType to, const ir::Lines& lines);

}  // namespace weft::detail
