#include "frontend/cpp/inspect/ways_to_fuse.h"

#include <algorithm>
#include <iterator>

namespace weft::detail {

namespace {

struct Way {
  std::string_view reason;  // how it begins
  std::string_view text;
};

// docs/performance.md says the same, and more.
constexpr Way kWays[] = {
    {"a library ",
     "a matrix product is a call of a library: write a small one as `sum(x * v, 1)`, which fuses. A write to "
     "picked positions is one, too, and stays"},
    {"a loop ", "inside of a turn all fuses: put what comes before and after into the loop's body"},
    {"a branch ", "write `where(condition, a, b)`, where computing both costs little"},
    {"a kernel of your own ", "write it as a function of elements (`wf.elementwise`), which fuses"},
    {"it is read at many positions",
     "do the costly part after the neighbours are joined, as `exp(a + b)` for `exp(a) * exp(b)`"},
    {"it is read at other positions",
     "compute what neighbours read element by element, and reduce afterwards"},
    {"another kernel has to run between",
     "writes wait for what reads the old elements: write borders by one `where` of positions"},
    {"it is written in place", "write borders by one `where` of positions, or compute a new array"},
    {"it reduces other axes",
     "reduce all over the same axes, or over axes beside each other at once, as `sum(x, (1, 2))`"},
    {"it reduces over the axes", "reduce all over the same axes"},
    {"it runs along another axis", "let scans and reductions run along the same axis"},
    {"its loops have another shape", "compute values of one shape together, and the others apart"},
    {"its row has ", "let the rows that are reduced be of one length, as by a mask of `where`"},
    {"its reader is computed with other values", "look at fewer values at once"},
    {"the kernel would be too large", "eval a value on the way: the kernel holds as much as it can"},
    {"fusion is switched off", "leave out what switches it off: --no-fuse"},
};

}  // namespace

std::string_view way_to_fuse(std::string_view reason) {
  const Way* way =
      std::ranges::find_if(kWays, [&](const Way& one) { return reason.starts_with(one.reason); });
  return way == std::end(kWays) ? std::string_view() : way->text;
}

}  // namespace weft::detail
