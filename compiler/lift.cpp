#include "compiler/lift.h"
#include "compiler/ir/node_tables.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/ir/analysis/special.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/print.h"
#include "compiler/passes/pass.h"

namespace weft {

ir::Graph lift_constants(const ir::Graph& graph, std::vector<Scalar>& values) {
  ir::NodeSet special;
  for (const ir::Node* user : topological_order(graph.outputs))
    for (size_t k = 0; k < user->inputs.size(); ++k)
      if (const ir::Node* in = user->inputs[k].get();
          in->op == ir::Op::constant && ir::is_special(in->as<ir::ConstantAttr>().value, *user, k))
        special.insert(in);
  std::vector<ir::NodeRef> scalars;
  std::unordered_multimap<uint64_t, std::pair<ir::NodeRef, ir::NodeRef>> known;  // constant, its scalar
  ir::Graph lifted = passes::rewrite(graph, [&](const ir::NodeRef& n) {
    if (n->op != ir::Op::constant || special.contains(n.get())) return n;
    const Scalar& value = n->as<ir::ConstantAttr>().value;
    const uint64_t hash = hash_but_lines(*n);
    auto [first, last] = known.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (same_but_lines(*it->second.first, *n)) return it->second.second;
    values.push_back(value);
    scalars.push_back(ir::scalar(n->type, ir::to_string(value), n->lines));
    known.emplace(hash, std::pair(n, scalars.back()));
    return scalars.back();
  });
  lifted.inputs.insert(lifted.inputs.end(), scalars.begin(), scalars.end());
  return lifted;
}

}  // namespace weft
