// Loads that run along another axis than the lanes, as those of a transposed operand. Where tiles are walked,
// a square of them after the other is turned over in registers and laid into the task's scratch memory, from
// which the rows of the tile read it as contiguous memory.
#include <fmt/format.h>

#include "compiler/emit/cpu/cpu_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

// Rows and columns of squares of `side` trade places by halves, quarters, ... of their elements. Elements of
// 16 bytes are pairs of words.
std::string function(size_t bytes, int side) {
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

}  // namespace

bool CpuEmitter::transposed(const Load& load) const {
  return tile_.axis >= 0 && is_transposed(load, tile_.axis, x_);
}

void CpuEmitter::find_transposed() {
  if (tile_.axis < 0) return;
  const int64_t width = d_.chunk + tile_.side;
  std::set<size_t> sizes;
  for_each_stmt(p_, [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt);
    if (!load || !transposed(*load)) return;
    const size_t bytes = size_of(p_.buffers[load->buffer].dtype);
    if (sizes.insert(bytes).second) functions_ += function(bytes, tile_.side);
    // Before the first row, room for what a square that was moved back lays there.
    const std::string at = extra(scratch_bytes_ + tile_.side * static_cast<int64_t>(bytes));
    scratch_bytes_ += ((tile_.side * width + tile_.side) * static_cast<int64_t>(bytes) + 63) / 64 * 64;
    tiles_[load->out] =
        format("(({}*)(scratch + {}))", dialect_.element_type(p_.buffers[load->buffer].dtype), at);
  });
}

std::string CpuEmitter::fill_tiles() const {
  if (tiles_.empty()) return "";
  const int64_t width = d_.chunk + tile_.side;
  std::string out = format(
      "      if (o == first || a{0} == 0 || a{0} >= tiled) {{\n"
      "        tile = weft_least(a{0}, {1} - {2});\n        tiled = tile + {2};\n",
      tile_.axis, spell(extent(tile_.axis)), tile_.side);
  for_each_stmt(p_, [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt);
    if (!load || !transposed(*load)) return;
    const std::string by = spell(*along_x(load->at));
    out +=
        format("        weft_transpose_{}(b{} + {} + left * {} - (a{} - tile), {}, {}, {}, right - left);\n",
               size_of(p_.buffers[load->buffer].dtype), load->buffer, offset(load->at), by, tile_.axis, by,
               tiles_.at(load->out), width);
  });
  return out + "      }\n";
}

std::string CpuEmitter::tile_row(Value loaded) const {
  return format("{} + (a{} - tile) * {} - left", tiles_.at(loaded), tile_.axis, d_.chunk + tile_.side);
}

}  // namespace weft::emit
