#include "compiler/passes/products/join_products.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compiler/ir/build.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/rewritten.h"

namespace weft::passes {

using namespace tuning;

namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;

// A matrix whose rows or columns [start, start + extent) along an axis meet a vector that runs along the
// other.
struct Matrix {
  const Node* base;
  int64_t free_axis, start, extent;
};

// The elements of `base` along one axis, at one place of every other.
struct Vector {
  const Node* base;
  size_t along = 0;
  Dims starts;
  int64_t step = 1;
};

struct Product {
  const Node* node;
  Matrix matrix;
  Vector vector;
  size_t level;  // of products that it waits for
};

// Slices of a matrix that take all of the axis that is summed are seen through.
Matrix matrix_of(const Node* n, int64_t free_axis) {
  if (n->op == Op::permute) {
    free_axis = n->as<ir::AxesAttr>().axes[static_cast<size_t>(free_axis)];
    n = n->inputs[0].get();
  }
  const auto free = static_cast<size_t>(free_axis);
  const Matrix whole{n, free_axis, 0, n->shape()[free]};
  if (n->op != Op::slice) return whole;
  const auto& range = n->as<ir::SliceAttr>();
  const Node* base = n->inputs[0].get();
  const bool all = range.starts[1 - free] == 0 && range.steps[1 - free] == 1 &&
                   n->shape()[1 - free] == base->shape()[1 - free];
  if (!all || range.steps[free] != 1) return whole;
  return {base, free_axis, range.starts[free], n->shape()[free]};
}

// The axis of a vector: the only one with more than one element.
std::optional<size_t> long_axis(const Shape& shape) {
  std::optional<size_t> found;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<Vector> vector_of(const Node* n) {
  while (n->op == Op::reshape || n->op == Op::permute) n = n->inputs[0].get();
  const std::optional<size_t> along = long_axis(n->shape());
  if (n->op != Op::slice || !along) return std::nullopt;
  const auto& range = n->as<ir::SliceAttr>();
  return Vector{n->inputs[0].get(), *along, range.starts, range.steps[*along]};
}

std::optional<Product> product_of(const Node* n, size_t level) {
  if (n->op != Op::dot || n->shape().size() != 2) return std::nullopt;
  const bool row = n->shape()[0] == 1 && n->shape()[1] > 1, column = n->shape()[1] == 1 && n->shape()[0] > 1;
  if (!row && !column) return std::nullopt;
  const std::optional<Vector> vector = vector_of(n->inputs[row ? 0 : 1].get());
  if (!vector) return std::nullopt;
  return Product{n, matrix_of(n->inputs[row ? 1 : 0].get(), row ? 1 : 0), *vector, level};
}

// Products that may become one if their vectors lie at equal distances along `across`: the starts along the
// other axes are the same. Products of one level do not wait for each other.
using Family =
    std::tuple<size_t, const Node*, int64_t, const Node*, size_t, int64_t, size_t, std::vector<int64_t>>;
Family family_of(const Product& p, size_t across) {
  std::vector<int64_t> starts(p.vector.starts.begin(), p.vector.starts.end());
  starts[across] = 0;
  return {p.level, p.matrix.base, p.matrix.free_axis, p.vector.base, p.vector.along, p.vector.step,
          across,  starts};
}

// One product of matrices: row i is that of the vector at `first + i * step` along `across`.
struct Joined {
  Product like;
  size_t across = 0;
  int64_t first = 0, step = 1, rows = 1;
  int64_t start = 0, end = 0;  // of the matrix along its free axis
  ir::Lines lines;
  NodeRef node;
};

// A product and its row.
struct ProductRow {
  size_t joined;
  int64_t row;
};

class Joining {
 public:
  explicit Joining(const ir::Graph& graph) : graph_(graph) {}

  ir::Graph run() {
    const std::vector<const Node*> order = topological_order(graph_.outputs);
    find(order);
    if (joined_.empty()) return graph_;
    Rewritten now(order.size());
    for (const Node* n : order) {
      const auto place = places_.find(n);
      now.set(n, place == places_.end() ? now.with_new_inputs(*n) : row(*n, place->second, now));
    }
    return now.graph(graph_);
  }

 private:
  void find(const std::vector<const Node*>& order) {
    ir::NodeMap<size_t> levels;
    std::map<Family, size_t> numbers;  // keyed by addresses: only looked up, never walked
    std::vector<std::vector<Product>> families;
    std::vector<size_t> across;
    for (const Node* n : order) {
      size_t level = 0;
      for (const NodeRef& in : n->inputs) level = std::max(level, levels.at(in.get()));
      levels[n] = level + (n->op == Op::dot);
      const std::optional<Product> p = product_of(n, level);
      if (!p) continue;
      for (size_t axis = 0; axis < p->vector.starts.size(); ++axis) {
        if (axis == p->vector.along) continue;
        const auto [it, added] = numbers.try_emplace(family_of(*p, axis), families.size());
        if (added) {
          families.emplace_back();
          across.push_back(axis);
        }
        families[it->second].push_back(*p);
      }
    }
    for (size_t f = 0; f < families.size(); ++f) join(std::move(families[f]), across[f]);
  }

  void join(std::vector<Product> family, size_t across) {
    std::erase_if(family, [&](const Product& p) { return places_.contains(p.node); });
    const auto at = [&](const Product& p) { return p.vector.starts[across]; };
    std::ranges::stable_sort(family, {}, at);
    for (size_t begin = 0; begin < family.size();) {
      const size_t end = end_of_run(family, begin, at);
      const Product& first = family[begin];
      const int64_t step = end - begin > 1 ? at(family[begin + 1]) - at(first) : 1;
      if (end - begin >= kFewestJoined) {
        Joined j{first, across, at(first), step, static_cast<int64_t>(end - begin), first.matrix.start,
                 0,     {},     {}};
        for (size_t i = begin; i < end; ++i) {
          const Matrix& m = family[i].matrix;
          j.start = std::min(j.start, m.start);
          j.end = std::max(j.end, m.start + m.extent);
          j.lines = j.lines.united(family[i].node->lines);
          places_[family[i].node] = {joined_.size(), static_cast<int64_t>(i - begin)};
        }
        joined_.push_back(std::move(j));
      }
      begin = end;
    }
  }

  // Where equal distances end, or where what is computed would be more than twice what is asked for, or more
  // than the matrix holds.
  template <class At>
  static size_t end_of_run(const std::vector<Product>& family, size_t begin, const At& at) {
    const Product& first = family[begin];
    const int64_t depth = first.matrix.base->shape()[static_cast<size_t>(1 - first.matrix.free_axis)];
    int64_t low = first.matrix.start, high = low + first.matrix.extent, asked = first.matrix.extent;
    size_t end = begin + 1;
    for (; end < family.size(); ++end) {
      const Matrix& m = family[end].matrix;
      const auto count = static_cast<int64_t>(end - begin) + 1;
      const int64_t distance = at(family[end]) - at(family[end - 1]);
      if (distance == 0 || distance != at(family[begin + 1]) - at(first) || count > depth) break;
      low = std::min(low, m.start), high = std::max(high, m.start + m.extent), asked += m.extent;
      if (2 * asked < count * (high - low)) break;
    }
    return end;
  }

  // The product, as a row of the one that it became a part of.
  NodeRef row(const Node& n, const ProductRow& place, const Rewritten& now) {
    Joined& j = joined_[place.joined];
    if (!j.node) j.node = make(j, now);
    const Matrix m = product_of(&n, 0)->matrix;
    const NodeRef part = ir::slice(j.node, {place.row, m.start - j.start}, {1, m.extent}, {1, 1}, n.lines);
    return ir::reshape(part, n.shape(), n.lines);
  }

  NodeRef make(const Joined& j, const Rewritten& now) {
    const Matrix& matrix = j.like.matrix;
    const Vector& vector = j.like.vector;
    const auto free = static_cast<size_t>(matrix.free_axis);
    Dims starts{0, 0}, extents = matrix.base->shape();
    starts[free] = j.start, extents[free] = j.end - j.start;
    NodeRef right = ir::slice(now.at(matrix.base), starts, extents, {1, 1}, j.lines);
    if (free == 0) right = ir::permute(right, {1, 0}, j.lines);

    const int64_t depth = right->shape()[0];
    const size_t rank = vector.starts.size();
    starts = vector.starts, extents = Dims(rank, 1);
    Dims steps(rank, 1), order{static_cast<int64_t>(j.across)};
    starts[j.across] = j.first, extents[j.across] = j.rows, steps[j.across] = j.step;
    extents[vector.along] = depth, steps[vector.along] = vector.step;
    for (size_t axis = 0; axis < rank; ++axis)
      if (axis != j.across) order.push_back(static_cast<int64_t>(axis));
    NodeRef left = ir::slice(now.at(vector.base), starts, extents, steps, j.lines);
    left = ir::reshape(ir::permute(left, order, j.lines), {j.rows, depth}, j.lines);
    return ir::dot(left, right, j.lines);
  }

  const ir::Graph& graph_;
  std::vector<Joined> joined_;
  std::unordered_map<const ir::Node*, ProductRow> places_;
};

}  // namespace

ir::Graph join_products(const ir::Graph& graph, const Target&, const Options&) {
  return Joining(graph).run();
}

}  // namespace weft::passes
