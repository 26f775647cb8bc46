// Points: the lanes of a task's chunk, at one point of the other axes after another.
#include "compiler/emit/cpu/block.h"
#include "compiler/emit/cpu/shapes.h"
#include "compiler/emit/cpu/tasks.h"
#include "compiler/emit/cpu/transpose.h"

namespace weft::emit::cpu {

std::string write_points(Entry& e) {
  std::string point = fill_tiles(e);
  for (auto& sweep : e.entry.sweeps) {
    point += write_block(e, sweep.before);
    point += "      {\n";
    point += write_block(e, sweep.body);
    point += "      }\n";
  }
  point += write_block(e, e.entry.end);
  return task_loops(e, point);
}

}  // namespace weft::emit::cpu
