#include "compiler/passes/products/expand_products.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "compiler/ir/analysis/access.h"
#include "compiler/ir/build.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

using namespace tuning;

namespace {

using ir::NodeRef;
using ir::Op;

constexpr int64_t kPartOfMap = 2;  // of a map's elements, at most one in so many is read, for a copy to pay

// Whether the rows of `x` lie in one piece where views are followed to what they view.
bool contiguous_rows(const ir::Node* x) {
  ir::Variables vars;
  ir::Access at;
  for (int64_t extent : x->shape()) at.push_back(vars.of(vars.add_axis(extent)));
  const int last = vars.size() - 1;
  while (kind(x->op) == ir::OpKind::View && x->inputs.size() == 1) {
    at = input_access(*x, 0, at, vars).at;
    x = x->inputs[0].get();
  }
  const bool strided = x->op == Op::input && !x->as<ir::InputAttr>().strides.empty();
  const Dims strides = strided ? x->as<ir::InputAttr>().strides : contiguous_strides(x->shape());
  return ir::address(at, strides, 0, vars).coefficient(last) == 1;
}

// The elements of `x` at one place of an axis, repeated along it.
NodeRef spread(const NodeRef& x, size_t axis, int64_t place, const Shape& shape, const ir::Lines& lines) {
  Dims starts(x->shape().size(), 0), extents = x->shape();
  starts[axis] = place, extents[axis] = 1;
  return ir::broadcast(ir::slice(x, starts, extents, Dims(extents.size(), 1), lines), shape, lines);
}

NodeRef few_terms(const NodeRef& n, int64_t terms) {
  const NodeRef &a = n->inputs[0], &b = n->inputs[1];
  const size_t rank = n->shape().size();
  // From zero, as the library's sums: -0.0 alone is none.
  NodeRef sum = ir::constant(n->type, Scalar::of(0.0), n->lines);
  for (int64_t k = 0; k < terms; ++k) {
    NodeRef term =
        ir::map(Op::multiply,
                {spread(a, rank - 1, k, n->shape(), n->lines), spread(b, rank - 2, k, n->shape(), n->lines)},
                n->lines);
    sum = ir::map(Op::add, {sum, term}, n->lines);
  }
  return sum;
}

// What a view, or none, shows.
const ir::Node* viewed(const ir::Node* x) {
  while (views_one(x->op)) x = x->inputs[0].get();
  return x;
}

using Users = ir::NodeMap<int>;

// Whether the matrix is computed by a map that nothing else reads, as it is shown.
bool computed_here(const ir::Node* x, const Users& users) {
  const auto alone = [&](const ir::Node* n) {
    const auto it = users.find(n);
    return it != users.end() && it->second == 1;
  };
  while ((x->op == Op::permute || x->op == Op::reshape) && alone(x)) x = x->inputs[0].get();
  return kind(x->op) == ir::OpKind::Map && alone(x);
}

// Whether the matrix shows windows of an array, which would be written to memory one by one for a library.
bool shows_windows(const ir::Node* x) {
  while (views_one(x->op)) x = x->inputs[0].get();
  return x->op == Op::gather && ir::takes_steps(*x);
}

// The value that a matrix of joined axes shows, and how many of its axes are the rows; the matrix itself
// where its axes are not those of some value.
std::pair<NodeRef, size_t> with_axes(const NodeRef& matrix) {
  const size_t rank = matrix->shape().size();
  if (matrix->op == Op::reshape && element_count(matrix->shape()) > 0) {
    const NodeRef& value = matrix->inputs[0];
    const int64_t rows = element_count(matrix->shape()) / matrix->shape()[rank - 1];
    int64_t count = 1;
    for (size_t k = 0; k < value->shape().size(); ++k) {
      if (count == rows && value->shape()[k] != 1) return {value, k};
      count *= value->shape()[k];
    }
  }
  return {matrix, rank - 1};
}

// The product of a matrix, given with the summed axis last, with a vector: the sum of their products, which a
// kernel computes as it computes the matrix.
NodeRef sum_of_products(const NodeRef& matrix, const NodeRef& vector, const NodeRef& n) {
  const size_t rank = matrix->shape().size();
  const bool batched = element_count(vector->shape()) != matrix->shape()[rank - 1];
  const auto [value, rows] = batched ? std::pair(matrix, rank - 1) : with_axes(matrix);
  Shape row = value->shape();
  Dims summed;
  for (size_t k = 0; k < row.size(); ++k) {
    if (k >= rows)
      summed.push_back(static_cast<int64_t>(k));
    else if (!batched || k + 1 == rows)
      row[k] = 1;
  }
  // As a library's, products of halves are rounded when they are summed up only.
  const DType of = is_half(n->dtype()) ? DType::F32 : n->dtype();
  NodeRef factors = kind(viewed(vector.get())->op) == ir::OpKind::Map ? ir::copy(vector, n->lines) : vector;
  factors =
      ir::broadcast(ir::reshape(ir::cast(factors, of, n->lines), row, n->lines), value->shape(), n->lines);
  const NodeRef terms = ir::map(Op::multiply, {ir::cast(value, of, n->lines), factors}, n->lines);
  const NodeRef sum = ir::reshape(ir::reduce(Op::sum, terms, summed, n->lines), n->shape(), n->lines);
  return ir::cast(ir::map(Op::add, {sum, ir::constant(sum->type, Scalar::of(0.0), n->lines)}, n->lines),
                  n->dtype(), n->lines);
}

// Whether each number of several is a sum of products that no other shares a factor with: a library has
// nothing to reuse.
bool is_inner(const ir::Node& n) {
  const size_t rank = n.shape().size();
  return n.shape()[rank - 1] == 1 && n.shape()[rank - 2] == 1 && element_count(n.shape()) > 1;
}

// Whether a library should be given a copy of what it reads: windows that are flipped or of which it
// reads some would be stored as they are, and then again, and of a map of which it reads some all would be
// stored.
bool stored_as_read(const NodeRef& operand, const Users& users) {
  const ir::Node* base = operand.get();
  bool alone = true, moved = false;
  for (; views_one(base->op) && !ir::is_copy(*base); base = base->inputs[0].get()) {
    moved |= base->op != Op::reshape;
    alone &= users.contains(base) && users.at(base) == 1;
  }
  alone &= users.contains(base) && users.at(base) == 1;
  const int64_t read = element_count(operand->shape()), all = element_count(base->shape());
  if (!moved || read > all) return false;
  return shows_windows(base) || (kind(base->op) == ir::OpKind::Map && alone && kPartOfMap * read <= all);
}

NodeRef with_what_is_read(const NodeRef& product, const Users& users) {
  std::vector<NodeRef> operands;
  for (const NodeRef& x : product->inputs)
    operands.push_back(stored_as_read(x, users) ? ir::copy(x, product->lines) : x);
  return std::ranges::equal(operands, product->inputs) ? product : with_inputs(*product, operands);
}

NodeRef expanded(const NodeRef& n, const Users& users, const Target& target) {
  if (n->op != Op::dot) return n;
  const NodeRef &a = n->inputs[0], &b = n->inputs[1];
  const size_t rank = n->shape().size();
  const int64_t terms = a->shape()[rank - 1];
  if (terms < 1) return n;
  if (is_inner(*n)) return sum_of_products(a, b, n);
  if (machine::is_gpu(target)) return with_what_is_read(n, users);
  if (terms <= kFewTerms && n->shape()[rank - 1] >= kLongRow && contiguous_rows(b.get()))
    return few_terms(n, terms);
  const auto in_kernel = [&](const ir::Node* x) { return computed_here(x, users) || shows_windows(x); };
  if (n->shape()[rank - 1] == 1 && in_kernel(a.get())) return sum_of_products(a, b, n);
  if (n->shape()[rank - 2] == 1 && in_kernel(b.get())) {
    Dims order(rank, 0);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[rank - 1], order[rank - 2]);
    return sum_of_products(ir::permute(b, order, n->lines), a, n);
  }
  return with_what_is_read(n, users);
}

}  // namespace

ir::Graph expand_products(const ir::Graph& graph, const Target& target, const Options&) {
  Users users;
  for (const ir::Node* n : topological_order(graph.outputs))
    for (const NodeRef& in : n->inputs) ++users[in.get()];
  for (const NodeRef& out : graph.outputs) users[out.get()] += 2;
  return rewrite(graph, [&](const NodeRef& n) { return expanded(n, users, target); });
}

}  // namespace weft::passes
