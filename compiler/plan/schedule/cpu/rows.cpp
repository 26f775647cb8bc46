// Rows: lanes along each, several of the short ones a task.
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

Choice choose_rows(const RowProgram& program, const Facts& facts) {
  return whole_rows(program, facts, rows_of_task(program, facts), Rows());
}

}  // namespace weft::plan::cpu
