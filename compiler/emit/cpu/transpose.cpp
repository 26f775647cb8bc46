#include "compiler/emit/cpu/transpose.h"

#include <set>

#include "compiler/emit/cpu/lay_out_parts.h"
#include "compiler/emit/cpu/uniform.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

// Rows and columns of squares of `side` trade places by halves, quarters, ... of their elements. Elements of
// 16 bytes are pairs of words.
std::string transposing_function(size_t bytes, int side) {
  const int words = bytes == 16 ? 2 : 1;
  const char* types[] = {"", "unsigned char", "unsigned short", "", "unsigned int", "", "",
                         "", "unsigned long"};
  auto picks = [&](int apart, bool second) {
    std::string out;
    for (int e = 0; e < side; ++e) {
      const bool odd = e & apart;
      const int from = second ? (odd ? side + e : e + apart) : (odd ? side + e - apart : e);
      for (int w = 0; w < words; ++w) out += format(", {}", from * words + w);
    }
    return out;
  };
  // The lines that the square below will read are fetched meanwhile: they lie too far apart to be foreseen.
  std::string out = format(
      "static inline void weft_turn_{0}(const char* from, long by, char* to, long width) {{\n"
      "  typedef {1} V __attribute__((ext_vector_type({2})));\n"
      "  typedef V Unaligned __attribute__((aligned(1), may_alias));\n"
      "  V a[{3}], b[{3}];\n"
      "#pragma clang loop unroll(full)\n"
      "  for (long k = 0; k < {3}; ++k, from += by * {0}) {{\n"
      "    a[k] = *(const Unaligned*)from;\n"
      "    __builtin_prefetch(from + {3} * {0}, 0, 2);\n"
      "  }}\n",
      bytes, types[bytes / static_cast<size_t>(words)], side * words, side);
  const char *from = "a", *to = "b";
  for (int apart = 1; apart < side; apart *= 2) {
    out += format(
        "#pragma clang loop unroll(full)\n"
        "  for (long k = 0; k < {0}; ++k)\n"
        "    if (!(k & {1})) {{\n"
        "      {3}[k] = __builtin_shufflevector({2}[k], {2}[k + {1}]{4});\n"
        "      {3}[k + {1}] = __builtin_shufflevector({2}[k], {2}[k + {1}]{5});\n"
        "    }}\n",
        side, apart, from, to, picks(apart, false), picks(apart, true));
    std::swap(from, to);
  }
  return out +
         format(
             "#pragma clang loop unroll(full)\n"
             "  for (long k = 0; k < {0}; ++k, to += width * {1}) *(Unaligned*)to = {2}[k];\n}}\n"
             // The last square is moved back to where it fits.
             "static inline void weft_transpose_{1}(const void* from, long by, void* to, long width, long "
             "count) {{\n"
             "  for (long k = 0; k < count; k += {0}) {{\n"
             "    const long at = weft_least(k, count - {0});\n"
             "    weft_turn_{1}((const char*)from + at * by * {1}, by, (char*)to + at * {1}, width);\n"
             "  }}\n}}\n",
             side, bytes, from);
}

template <class F>
void for_each_tiled(const RowProgram& p, const CpuLayout& l, F&& f) {
  for_each_stmt(p, [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt);
    if (load && is_tiled(l, *load)) f(*load);
  });
}

// Elements from one row of a tile to the next.
int64_t width_of_tile(const CpuLayout& l) { return l.division.chunk + l.scratch.side; }

std::string tile(const Entry& e, const Load& load) {
  return format("(({}*){})", e.element(e.program.buffers[load.buffer].dtype),
                in_scratch(e, e.layout.scratch.tiles.at(load.out)));
}

}  // namespace

std::string transposing_functions(const RowProgram& p, const CpuLayout& l) {
  std::string out;
  std::set<size_t> sizes;
  for_each_tiled(p, l, [&](const Load& load) {
    const size_t bytes = size_of(p.buffers[load.buffer].dtype);
    if (sizes.insert(bytes).second) out += transposing_function(bytes, l.scratch.side);
  });
  return out;
}

std::string fill_tiles(const Entry& e) {
  const CpuLayout& l = e.layout;
  if (l.scratch.tiles.empty()) return "";
  std::string out = format(
      "      if (o == first || a{0} == 0 || a{0} >= tiled) {{\n"
      "        tile = weft_least(a{0}, {1} - {2});\n        tiled = tile + {2};\n",
      l.tile_axis, spell(e.extent(l.tile_axis)), l.scratch.side);
  for_each_tiled(e.program, l, [&](const Load& load) {
    const std::string by = spell(*along_lanes(l.lanes, load.at));
    out += format("        weft_transpose_{}({} + left * {} - (a{} - tile), {}, {}, {}, right - left);\n",
                  size_of(e.program.buffers[load.buffer].dtype), address(e, load.buffer, load.at), by,
                  l.tile_axis, by, tile(e, load), width_of_tile(l));
  });
  return out + "      }\n";
}

std::string tile_row(const Entry& e, const Load& load) {
  return format("{} + (a{} - tile) * {} - left", tile(e, load), e.layout.tile_axis, width_of_tile(e.layout));
}

}  // namespace weft::emit::cpu
