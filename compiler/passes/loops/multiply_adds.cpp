#include "compiler/passes/loops/multiply_adds.h"
#include "compiler/ir/node_tables.h"

#include "compiler/ir/build.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

using ir::Node;
using ir::NodeRef;
using ir::Op;

ir::Graph multiply_adds(const ir::Graph& graph) {
  ir::NodeMap<int> readers;
  for (const Node* n : topological_order(graph.outputs))
    for (const NodeRef& in : n->inputs) ++readers[in.get()];
  for (const NodeRef& out : graph.outputs) ++readers[out.get()];
  return rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
    const bool minus = was.op == Op::subtract;
    if ((was.op != Op::add && !minus) || (was.dtype() != DType::F32 && was.dtype() != DType::F64)) return now;
    for (const size_t k : {size_t{0}, size_t{1}}) {
      const Node& term = *was.inputs[k];
      if ((term.op != Op::multiply && term.op != Op::square) || readers[&term] != 1) continue;
      const ir::Inputs& factors = now->inputs[k]->inputs;
      NodeRef a = factors[0], rest = now->inputs[1 - k];
      if (minus && k == 0) rest = ir::make(Op::negative, {rest}, {}, {}, was.lines);
      if (minus && k == 1) a = ir::make(Op::negative, {a}, {}, {}, was.lines);
      return ir::make(Op::fma, {a, factors[factors.size() - 1], rest}, {}, {}, was.lines);
    }
    return now;
  });
}

}  // namespace weft::passes
