// The cotangents, or tangents, of nodes so far. A view's cotangent is zero but for a part, where the view lies: such parts are
// kept, and are added up where they lie before they meet the whole.
//
//   before   %2 = pad %a, before=[1]   %3 = pad %b, before=[1]   %4 = add %2, %3
//   after    %2 = add %a, %b           %3 = pad %2, before=[1]
//
// What writes to a part of its own past, as u[1:-1] += v, has the cotangent c of u back as it is:
//
//   before   %2 = update %c, 0.0, starts=[1]   %3 = slice %c, starts=[1]   %4 = pad %3, before=[1]   %5 = add %2, %4
//   after    %c
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "compiler/ir/build.h"

namespace weft::derive {

// Elements of a whole, and what is added to them.
struct Part {
  ir::SliceAttr at;
  ir::NodeRef value;
  ir::Lines lines;
};

class Totals {
 public:
  // Nothing where nothing was added.
  ir::NodeRef of(const ir::NodeRef& node);
  // More for a node whose total nobody has asked for yet. Null is nothing.
  void add(const ir::NodeRef& node, ir::NodeRef more, const ir::Lines& lines);

 private:
  struct Total {
    ir::NodeRef whole;
    std::vector<ir::NodeRef> cleared{};                // updates by zeros
    std::vector<Part> parts;                           // each at another place, in the order of their arrival
    std::map<std::vector<int64_t>, size_t> numbers{};  // by starts and extents of parts without gaps
  };

  std::unordered_map<const ir::Node*, Total> totals_;
};

}  // namespace weft::derive
