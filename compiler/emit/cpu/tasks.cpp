#include "compiler/emit/cpu/tasks.h"

#include "compiler/emit/cpu/window.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

std::string unpack_buffers(const Entry& e) {
  std::string out;
  const auto& buffers = e.program.buffers;
  for (size_t b = 0; b < buffers.size(); ++b)
    out += format("  {0}{1}* b{2} = ({0}{1}*)w[{2}];\n", buffers[b].written ? "" : "const ",
                  e.element(buffers[b].dtype), b);
  if (e.layout.has_partials()) out += format("  char* partials = (char*)w[{}];\n", buffers.size());
  return out;
}

// The outer axes of a task's points, of which the first one varies first: the last axis, but for one that
// squares are transposed along.
std::vector<int> axes_of_points(const Entry& e) {
  std::vector<int> axes;
  for (int a = e.layout.outer_axes; a-- > 0;)
    if (a != e.layout.lanes.axis) axes.insert(a == e.layout.tile_axis ? axes.begin() : axes.end(), a);
  return axes;
}

}  // namespace

std::string task_loops(const Entry& e, const std::string& point, const std::string& before) {
  const TaskLayout& tasks = e.layout.tasks;
  std::string out = "  for (long t = begin; t < end; ++t) {\n    long block = t;\n";
  if (e.entry.has_parts)
    out += format("    long part = block % {0};\n    block /= {0};\n", word(e, tasks.parts));
  if (e.layout.lanes.outer) {
    const std::string chunk = word(e, e.entry.chunk);
    out += format("    long left = block % {0} * {1};\n    block /= {0};\n", word(e, e.entry.chunks), chunk);
    out +=
        format("    long right = weft_least(left + {}, {});\n", chunk, spell(e.extent(e.layout.lanes.axis)));
  }
  out += format("    long first = block * {0}, last = weft_least(first + {0}, {1});\n", word(e, tasks.points),
                word(e, tasks.all_points));
  if (!e.layout.scratch.tiles.empty()) out += "    long tile = 0, tiled = 0;\n";
  out += before + "    for (long o = first; o < last; ++o) {\n";
  const std::vector<int> axes = axes_of_points(e);
  std::string rest = "o";
  size_t left = axes.size();
  if (left > 1) out += "      long rest = o;\n", rest = "rest";
  for (int a : axes) {
    if (--left == 0)
      out += format("      long a{} = {};\n", a, rest);
    else
      out += format("      long a{0} = rest % {1};\n      rest /= {1};\n", a, spell(e.extent(a)));
  }
  return out + point + "    }\n  }\n";
}

std::string write_entry(const Entry& e, const std::string& loops) {
  return format(
             "extern \"C\" void WEFT_NAME{}(const unsigned long* w, long begin, long end, char* scratch) "
             "{{\n",
             e.entry.is_finish ? "_finish" : "") +
         unpack_buffers(e) + kArguments + find_bounds(e) + loops + "}\n";
}

// They are copied to where no store can reach: what is computed from them alone is then computed once, not for
// each row.
std::string unpack_arguments(const RowProgram& p, const CpuLayout& l) {
  const CpuDialect dialect;
  size_t word = p.buffers.size() + l.has_partials();
  const size_t count = p.params.size() + l.words.size();
  std::string out;
  if (count > 0) out = format("  long p[{0}];\n  __builtin_memcpy(p, w + {1}, {0} * 8);\n", count, word);
  word += count;
  for (size_t k = 0; k < p.scalars.size(); ++k) {
    const DType t = p.scalars[k];
    out += format("  const {0} s{1} = *(const {0}*)(w + {2});\n", dialect.element_type(t), k, word);
    word += t == DType::C128 ? 2 : 1;
  }
  return out;
}

}  // namespace weft::emit::cpu
