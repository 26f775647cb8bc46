// Online softmax: sums of exp(x - m) while m, the largest x, is being found. Each thread's sums are relative
// to base<n>, what its accumulator n held when it last grew. A batch first folds its largest, then rescales
// the sums where that grew, then adds its elements. Joining two states rescales the one with the smaller
// base.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

void start_bases(Entry& entry, size_t sweep);
void rescale(Entry& entry, const plan::Largest& largest, size_t sweep);
// The join of a sum of two states, a and b, as lines of their struct's function.
std::string joined_relative(const plan::RowProgram& program, const CudaLayout& layout, int accumulator);
// The sum that a state ends with.
std::string finished_relative(const Entry& entry, int accumulator, const std::string& state);

}  // namespace weft::emit
