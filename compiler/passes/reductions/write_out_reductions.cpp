#include "compiler/passes/reductions/write_out_reductions.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/fusion/expression.h"
#include "compiler/ir/build.h"
#include "compiler/ir/group.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

using namespace fusion;

using namespace tuning;
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

int64_t elements_of(const Node& reduction) {
  int64_t count = 1;
  for (int64_t k : reduction.as<ir::AxesAttr>().axes)
    count *= reduction.inputs[0]->shape()[static_cast<size_t>(k)];
  return count;
}

// What a reduction reads at one place of the axes that it reduces, which stay with one element each. Maps are
// computed of what they read there, so that nothing has several places to be computed at.
class AtPlace {
 public:
  AtPlace(const Node& reduction, int64_t k) : starts_(reduction.inputs[0]->shape().size(), -1) {
    const Shape& shape = reduction.inputs[0]->shape();
    const Dims& axes = reduction.as<ir::AxesAttr>().axes;
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (std::ranges::find(axes, static_cast<int64_t>(axis)) == axes.end()) continue;
      starts_[axis] = k % shape[axis];
      k /= shape[axis];
    }
  }

  NodeRef operator()(const NodeRef& n) {
    NodeRef& known = known_[n.get()];
    if (!known) known = make(n);
    return known;
  }

 private:
  NodeRef make(const NodeRef& n) {
    const size_t missing = starts_.size() - n->shape().size();  // axes in front that what is broadcast lacks
    Dims starts(n->shape().size(), 0);
    Shape extents = n->shape();
    for (size_t axis = 0; axis < extents.size(); ++axis)
      if (starts_[missing + axis] >= 0 && extents[axis] > 1)
        starts[axis] = starts_[missing + axis], extents[axis] = 1;
    if (extents == n->shape()) return n;
    if (n->op == Op::constant)
      return ir::constant({n->dtype(), extents}, n->as<ir::ConstantAttr>().value, n->lines);
    if (n->op == Op::broadcast && !is_copy(*n))
      return ir::broadcast((*this)(n->inputs[0]), extents, n->lines);
    if (kind(n->op) != OpKind::Map) return ir::slice(n, starts, extents, Dims(extents.size(), 1), n->lines);
    ir::Inputs inputs(n->inputs.size());
    for (size_t k = 0; k < inputs.size(); ++k) inputs[k] = (*this)(n->inputs[k]);
    return ir::make(n->op, std::move(inputs), n->attr, {n->dtype(), extents}, n->lines);
  }

  Dims starts_;  // -1: the axis stays whole
  std::unordered_map<const ir::Node*, NodeRef> known_;
};

NodeRef written_out(const NodeRef& n) {
  // Halves are rounded when all is added up.
  const bool widened = is_half(n->dtype()) && (n->op == Op::sum || n->op == Op::prod);
  const NodeRef input = widened ? ir::cast(n->inputs[0], DType::F32, n->lines) : n->inputs[0];
  const auto element = [&](int64_t k) { return ir::reshape(AtPlace(*n, k)(input), n->shape(), n->lines); };
  NodeRef all = element(0);
  for (int64_t k = 1; k < elements_of(*n); ++k)
    all = ir::map(*info(n->op).joined_by, {all, element(k)}, n->lines);
  return widened ? ir::cast(all, n->dtype(), n->lines) : all;
}

// The walks among `order` whose expressions read one of `few`, as many as one of them has elements.
std::vector<const Node*> walks_that_read(const ir::NodeSet& few, const ir::NodeSet& roots,
                                         const std::vector<const Node*>& order) {
  std::vector<const Node*> walks;
  ir::NodeSet reading;
  std::unordered_set<int64_t> sizes;
  for (const Node* n : few) sizes.insert(element_count(n->shape()));
  for (const Node* n : order) {
    if (std::ranges::none_of(n->inputs, [&](const NodeRef& in) {
          return roots.contains(in.get()) ? few.contains(in.get()) : reading.contains(in.get());
        }))
      continue;
    reading.insert(n);
    if ((ir::is_reduce(*n) || ir::scans(*n)) && sizes.contains(element_count(ir::space_of(*n))))
      walks.push_back(n);
  }
  return walks;
}

}  // namespace

ir::Graph write_out_reductions(const ir::Graph& graph, const Target&, const Options&) {
  ir::NodeSet few, chosen;
  const std::vector<const Node*> order = topological_order(graph.outputs);
  for (const Node* n : order) {
    if (!ir::is_reduce(*n) || gives_index(n->op) || element_count(n->shape()) == 0) continue;
    if (const int64_t count = elements_of(*n); count > 1 && count <= kFewElements) few.insert(n);
  }
  for (const NodeRef& out : graph.outputs) few.erase(out.get());
  if (few.empty()) return graph;
  const ir::NodeSet roots = lasting_roots(order);
  const auto is_worth = [&](const Node* n) {
    const Expression e = analyze(n, roots, true);
    int64_t read = 0;
    for (const Node* in : e.inputs) read += element_count(in->shape());
    return e.readings.empty() && read <= element_count(n->shape()) &&
           e.compile_cost * elements_of(*n) <= kLargestText;
  };
  for (const Node* n : walks_that_read(few, roots, order))
    for (auto& [producer, reading] : analyze(n, roots, true).readings)
      if (few.contains(producer) && reading.aligned && !chosen.contains(producer) &&
          element_count(ir::space_of(*n)) == element_count(producer->shape()) && is_worth(producer))
        chosen.insert(producer);
  return rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
    return chosen.contains(&was) ? written_out(now) : now;
  });
}

}  // namespace weft::passes
