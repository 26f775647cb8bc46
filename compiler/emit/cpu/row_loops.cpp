#include "compiler/emit/cpu/row_loops.h"

namespace weft::emit::cpu {

AxisBounds bounds_of(const Entry& e, int axis) {
  const std::string extent = spell(e.extent(axis));
  if (e.layout.division.parts == 1 || axis != e.layout.outer_axes) return {.text = "", .to = extent};
  return {format("      long y0 = weft_least(part * {0}, {1}), y1 = weft_least(y0 + {0}, {1});\n",
                 word(e, e.layout.tasks.part_length), extent),
          "y0", "y1"};
}

std::string open_row_loop(Entry& e, int a, const std::string& from, const std::string& to) {
  e.row = e.row == "0" ? format("a{}", a) : format("({} * {} + a{})", e.row, spell(e.extent(a)), a);
  return format("      for (long a{0} = {1}; a{0} < {2}; ++a{0}) {{\n", a, from, to);
}

}  // namespace weft::emit::cpu
