// One reading of a scanned row whose parts are scanned side by side: each part is totalled, learns what lies
// before it from the parts before, then is scanned from there.
#pragma once

#include "compiler/plan/plan.h"

namespace weft::plan {

// Puts a sweep that totals the row's part before the one that scans it.
//     sweep: load %x                               sweep: load %x
//            %c = scan sum %x                 =>          fold a1 sum %x
//            %y = subtract %c, %x                  sweep: %c = scan sum %x
//                                                         %y = subtract %c, %x
// The program has one sweep, with one accumulator, a running one. The total is accumulator 1.
void total_parts_first(RowProgram& program);

}  // namespace weft::plan
