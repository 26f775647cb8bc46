#include "tests/support/fused.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "compiler/compile.h"
#include "compiler/explain.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/parse.h"

namespace weft::test {

Fused fuse(const std::string& lines, const Options& options) {
  Fused f;
  f.graph = prepare(ir::parse("graph {\n" + lines + "\n}"), cpu(), options);
  f.partition = fusion::fuse(f.graph, cpu(), options);
  f.why = to_string(explain(f.partition));
  return f;
}

void expect_runnable(const ir::Partition& p) {
  std::set<const ir::Node*> written;
  std::set<const ir::Node*> stored;
  for (auto& s : p.steps) {
    if (s.library) stored.insert(s.library.get());
    for (auto& root : s.group.roots)
      if (root.stored) stored.insert(root.node.get());
  }
  for (auto& s : p.steps) {
    std::set<const ir::Node*> own, seen;
    std::vector<const ir::Node*> stack;
    auto visit = [&](const ir::Node* n) {
      if (!seen.insert(n).second || kind(n->op) == ir::OpKind::Source) return;
      if (stored.contains(n) && !own.contains(n)) {
        EXPECT_TRUE(written.contains(n)) << name(n->op) << " is read before it is written";
        return;
      }
      stack.push_back(n);
    };
    for (auto& root : s.group.roots) own.insert(root.node.get());
    if (s.library) own.insert(s.library.get());
    for (auto* n : std::set<const ir::Node*>(own)) visit(n);
    while (!stack.empty()) {
      const ir::Node* n = stack.back();
      stack.pop_back();
      for (auto& in : n->inputs) visit(in.get());
    }
    for (auto* n : own)
      if (stored.contains(n)) written.insert(n);
  }
}

}  // namespace weft::test
