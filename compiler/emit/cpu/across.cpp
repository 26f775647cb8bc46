#include "compiler/emit/cpu/across.h"

#include "compiler/emit/cpu/block.h"
#include "compiler/emit/cpu/totals.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

// The arrays of all tasks.
std::string arrays_of(const Entry& e, int a) {
  return format("({}*)(partials + {})", e.element(e.total(a).span),
                word(e, e.layout.partials.places[static_cast<size_t>(a)].values));
}

std::string join_arrays(const Entry& e, int a) {
  const Accumulator& acc = e.accumulator(a);
  const DType total = e.total(a).total, span = e.total(a).span;
  const std::string from = format("{} + q * {} + line * {} + left + k", arrays_of(e, a),
                                  word(e, e.layout.across.elements), word(e, e.layout.scratch.line));
  const Array& to = e.layout.scratch.totals[static_cast<size_t>(a)];
  std::string out = "      for (long k = 0; k < right - left; k += L) {\n";
  out += format("        {} x = {};\n", e.type(total), identity(e, acc, total));
  out += format(
      "        for (long q = 0; q < {}; ++q)\n          x = {};\n", word(e, e.layout.across.parts),
      combine(acc.op, total, "x", convert(span, total, format("weft_load_{}({})", suffix(span), from))));
  return out + format("        weft_store_{}(({}*){} + k, x);\n      }}\n", suffix(total), e.element(total),
                      in_scratch(e, to.at));
}

}  // namespace

std::string across_array(const Entry& e, int a) {
  return format("({} + t * {})", arrays_of(e, a), word(e, e.layout.across.elements));
}

std::string clear_across(const Entry& e) {
  std::string out;
  for (int a : e.layout.across.accumulators) {
    const DType t = e.total(a).span;
    out += format("    for (long k = 0; k < {}; k += L)\n      weft_store_{}({} + k, {});\n",
                  word(e, e.layout.across.elements), suffix(t), across_array(e, a),
                  identity(e, e.accumulator(a), t));
  }
  return out;
}

std::string join_across(Entry& e) {
  const std::string chunk = word(e, e.entry.chunk), chunks = word(e, e.entry.chunks);
  std::string out = "  for (long t = begin; t < end; ++t) {\n";
  out += format("      const long line = t / {0}, left = t % {0} * {1};\n", chunks, chunk);
  out += format("      const long right = weft_least(left + {}, {});\n", chunk,
                spell(e.extent(e.layout.lanes.axis)));
  if (e.program.row.size() > 1) out += "      long rest = line;\n";
  for (int a = e.axes(); a-- > e.layout.outer_axes;)
    if (a != e.layout.lanes.axis)
      out += format("      const long a{0} = rest % {1};\n      rest /= {1};\n", a, spell(e.extent(a)));
  for (int a : e.layout.across.accumulators) out += join_arrays(e, a);
  return out + write_block(e, e.entry.end) + "  }\n";
}

}  // namespace weft::emit::cpu
