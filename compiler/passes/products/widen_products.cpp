#include "compiler/passes/products/widen_products.h"

#include "compiler/ir/build.h"
#include "compiler/machine/machine.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

using ir::NodeRef;

ir::Graph widen_products(const ir::Graph& graph, const Target& target, const Options&) {
  if (machine::is_gpu(target)) return graph;
  return rewrite(graph, [](const NodeRef& n) {
    if (n->op != ir::Op::dot || !is_half(n->dtype())) return n;
    NodeRef a = ir::cast(n->inputs[0], DType::F32, n->lines),
            b = ir::cast(n->inputs[1], DType::F32, n->lines);
    return ir::cast(ir::dot(a, b, n->lines), n->dtype(), n->lines);
  });
}

}  // namespace weft::passes
