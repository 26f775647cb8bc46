// Sums of exp(x - m), m the largest x of the row, in the sweep that finds m: what is summed up stays relative
// to the largest x so far, and is rescaled when that grows. One reading of a row less where it is not kept.
#pragma once

#include "compiler/plan/plan.h"

namespace weft::plan {

// Joins sweeps that only such sums keep apart; whether there were any. Nothing may cross sweeps.
//     sweep: fold a0 max %x                        sweep: fold a0 max %x
//     sweep: %d = subtract %x, %m             =>          %n = largest a0
//            %e = exp %d; fold a1 sum %e                  %d = subtract %x, %n; %e = exp %d; fold a1 sum %e
// The sums differ from the separate ones' by roundings.
bool rescale_sums(RowProgram& program);

}  // namespace weft::plan
