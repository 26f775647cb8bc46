#include "compiler/passes/share.h"

#include <unordered_map>

#include "compiler/passes/pass.h"

namespace weft::passes {

ir::Graph share(const ir::Graph& graph, const Options&) {
  std::unordered_multimap<uint64_t, ir::NodeRef> known;
  return rewrite(graph, [&](const ir::NodeRef& n) {
    if (n->op == ir::Op::input || n->op == ir::Op::scalar) return n;
    auto [first, last] = known.equal_range(n->hash);
    for (auto it = first; it != last; ++it)
      if (same_but_lines(*it->second, *n)) return it->second;
    known.emplace(n->hash, n);
    return n;
  });
}

}  // namespace weft::passes
