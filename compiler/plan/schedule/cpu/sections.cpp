// Rows with sections that are totalled, too: a section is walked as a row is.
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

Choice choose_sections(const RowProgram& program, const Facts& facts) {
  return whole_rows(program, facts, rows_of_task(program, facts), Sections());
}

}  // namespace weft::plan::cpu
