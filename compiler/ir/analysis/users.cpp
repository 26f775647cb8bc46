#include "compiler/ir/analysis/users.h"

#include <numeric>

#include "compiler/ir/node.h"

namespace weft::ir {

Users::Users(std::span<const Node* const> order) : number_(order.size()), begin_(order.size() + 1) {
  for (const Node* n : order) number_.insert(n, static_cast<int32_t>(number_.size()));
  const auto number = [&](const NodeRef& in) { return static_cast<size_t>(number_.find(in.get())); };
  for (const Node* n : order)
    for (const NodeRef& in : n->inputs) ++begin_[number(in) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  users_.resize(begin_.back());
  std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (const Node* n : order)
    for (const NodeRef& in : n->inputs) users_[next[number(in)]++] = n;
}

std::span<const Node* const> Users::of(const Node* node) const {
  const int32_t number = number_.find(node);
  if (number < 0) return {};
  const auto at = static_cast<size_t>(number);
  return std::span(users_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
}

}  // namespace weft::ir
