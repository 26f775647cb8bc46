// What a program does beside kernels of groups. One step is made for all results of a loop or of a user's kernel: where the
// first of them stands, all operands are there.
#pragma once

#include "compiler/builder/building.h"
#include "compiler/ir/group.h"

namespace weft {

void add_product(Building& b, const ir::Step& step);
void add_scatter(Building& b, const ir::Step& step);
void add_loop(Building& b, const ir::Step& step);
void add_user_kernel(Building& b, const ir::Step& step);

}  // namespace weft
