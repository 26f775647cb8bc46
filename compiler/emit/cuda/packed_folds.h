// Folds of elements that are narrower than a word, as they were loaded: whole words of them at a time.
#pragma once

#include "compiler/emit/cuda/layout.h"

namespace weft::emit {

// Which folds of the batch take packed words, and what nobody else needs.
void find_packed_folds(const plan::RowProgram& program, const CudaLayout& layout, Batch& batch);

}  // namespace weft::emit
