// Columns that are too few for the threads: parts of them.
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

Choice choose_split_columns(const RowProgram& program, const Facts& facts) {
  const Cut cut = cut_columns(program, facts);
  if (cut.parts == 1) return {};
  return block_of_columns(program, facts, cut, true);
}

}  // namespace weft::plan::cpu
