#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/ir/analysis/access.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/print.h"

namespace weft::ir {

InPlaceRule::InPlaceRule(const Graph& graph) {
  for (auto& out : graph.outputs) outputs_.insert(out.get());
  const std::vector<const Node*> order = topological_order(graph.outputs);
  number_ = NodeIndex(order.size());
  for (const Node* n : order) number_.insert(n, static_cast<int32_t>(number_.size()));
  users_ = Users(order);
  find_ends(order);
}

void InPlaceRule::find_ends(const std::vector<const Node*>& order) {
  const size_t count = order.size(), out = count;
  std::vector<size_t> parent(count, out), depth(count + 1, 0), size(count + 1, 1);
  for (size_t at = count; at-- > 0;) {
    const auto users = users_.of(order[at]);
    if (!is_output(order[at]) && !users.empty()) {
      size_t meet = number_of(users.front());
      for (const Node* user : users)
        for (size_t other = number_of(user); other != meet;) {
          size_t& deeper = depth[other] > depth[meet] ? other : meet;
          deeper = parent[deeper];
        }
      parent[at] = meet;
    }
    depth[at] = depth[parent[at]] + 1;
  }
  // A node comes before its parent in topological order.
  for (size_t at = 0; at < count; ++at) size[parent[at]] += size[at];
  begin_.resize(count + 1);
  end_.resize(count + 1);
  std::vector<size_t> next(count + 1);  // where the next child begins
  begin_[out] = 0, next[out] = 1;
  for (size_t at = count; at-- > 0;) {
    begin_[at] = std::exchange(next[parent[at]], next[parent[at]] + size[at]);
    next[at] = begin_[at] + 1;
    end_[at] = begin_[at] + size[at];
  }
}

const Node* memory_of(const Node* node) {
  while (node->op == Op::reshape) node = node->inputs[0].get();
  return node;
}

const Node* written_into(const Node* node) {
  while (node->op == Op::assign) node = memory_of(node->inputs[0].get());
  return node;
}

InPlaceRule::Values InPlaceRule::replaced_by(const Node& update) {
  Values values{update.inputs[0].get()};
  while (values.back()->op == Op::reshape) values.push_back(values.back()->inputs[0].get());
  return values;
}

namespace {

bool among(const std::vector<const Node*>& nodes, const Node* node) {
  return std::ranges::find(nodes, node) != nodes.end();
}

// Whether an update replaces none of the elements that a slice of the memory takes.
bool leaves(const Node& update, const Node& slice) {
  return slice.inputs[0]->shape() == update.shape() &&
         disjoint(slice.as<SliceAttr>(), slice.shape(), update.as<SliceAttr>(), update.inputs[1]->shape());
}

constexpr size_t kMostSpared = 512;
constexpr int64_t kSmallPart = 8;  // of a value, that is worth a copy where it spares one of the whole

}  // namespace

std::string InPlaceRule::refuse(const Node& update, Spared& spared) const {
  const Values values = replaced_by(update);
  const Node* base = values.back();
  if (kind(base->op) == OpKind::Source && base->op != Op::input)
    return "the replaced value must lie in memory: got " + std::string(name(base->op));
  if (base->op == Op::input && !base->as<InputAttr>().strides.empty())
    return "the replaced input must be row-major: got strides";
  if (std::ranges::any_of(values, [&](const Node* n) { return is_output(n); }))
    return "the replaced value must not be an output";
  if (spared.size() >= kMostSpared) return "too many slices of values before it may still be read";
  // What the update alone takes from earlier values is still there, and read as the replaced value is.
  Spared taken;
  for (const Node* slice : spared) {
    if (leaves(update, *slice)) continue;
    if (!serves_alone(update, slice)) return "a value before it is read elsewhere: by " + describe(*slice);
    taken.push_back(slice);
  }
  const Node* elsewhere = nullptr;
  const Readers readers = readers_of(update, taken, elsewhere);
  if (elsewhere) return "nothing else may read the replaced value: " + describe(*elsewhere) + " does";
  const bool read = std::ranges::any_of(values, [&](const Node* n) { return readers.contains(n); });
  if ((read || !taken.empty()) && !reads_aligned(update, readers, taken))
    return "the new elements may be computed from the replaced value at their own positions only";
  std::erase_if(spared, [&](const Node* slice) { return std::ranges::find(taken, slice) != taken.end(); });
  for (const Node* value : values)
    for (const Node* user : users_.of(value))
      if (spares(update, user) && !serves_alone(update, user)) spared.push_back(user);
  return "";
}

bool InPlaceRule::writes_to(const Node& user, const Node* memory) const {
  return (user.op == Op::assign || assumed_.contains(&user)) && memory_of(user.inputs[0].get()) == memory;
}

bool InPlaceRule::serves_alone(const Node& update, const Node* node) const {
  const size_t last = number_of(&update), at = number_of(node);
  return at != last && begin_[last] <= begin_[at] && begin_[at] < end_[last];
}

std::vector<const Node*> InPlaceRule::worth_keeping(const Node& update) const {
  const Node* base = update.inputs[0].get();
  if (base->op == Op::reshape) return {};
  Readers slices;
  for (const Node* user : users_.of(base)) {
    if (user == &update || spares(update, user)) continue;
    if (user->op != Op::slice || kSmallPart * element_count(user->shape()) > element_count(base->shape()))
      return {};
    slices.insert(user);
  }
  const Readers needed = needed_by(update, {}, slices);
  if (needed.size() < slices.size()) return {};
  return {needed.begin(), needed.end()};
}

bool InPlaceRule::spares(const Node& update, const Node* reader) const {
  return reader->op == Op::slice && among(replaced_by(update), reader->inputs[0].get()) &&
         leaves(update, *reader);
}

// What the replacement is computed from runs before it, unless somebody else asks for it later: then it is
// computed anew. Only stored values are not.
InPlaceRule::Readers InPlaceRule::readers_of(const Node& update, const Spared& taken,
                                             const Node*& elsewhere) const {
  const Values values = replaced_by(update);
  const Readers taken_before{taken.begin(), taken.end()};
  const size_t last = number_of(&update);
  Readers readers = needed_by(update, taken_before, taken_before), stored;
  readers.insert(values.begin(), values.end());
  std::vector<const Node*> stack{readers.begin(), readers.end()};
  while (!stack.empty()) {
    const Node* n = stack.back();
    stack.pop_back();
    for (const Node* user : users_.of(n)) {
      if (user == &update || readers.contains(user) || spares(update, user)) continue;
      // What comes behind the update in topological order, or leaves the graph alone, is not for it. Nor is what
      // writes to the same memory.
      if (is_copy(*n) || number_of(user) > last || users_.of(user).empty() ||
          writes_to(*user, values.back())) {
        elsewhere = user;
        return readers;
      }
      readers.insert(user);
      if (is_stored(user))
        stored.insert(user);
      else
        stack.push_back(user);
    }
  }
  // The rest ends in the update or in a stored value, which may be for something else.
  const Readers needed = needed_by(update, taken_before, stored);
  for (const Node* value : stored)
    if (!needed.contains(value) && (!elsewhere || number_of(value) < number_of(elsewhere))) elsewhere = value;
  return readers;
}

InPlaceRule::Readers InPlaceRule::needed_by(const Node& update, const Readers& taken,
                                            const Readers& wanted) const {
  const Values values = replaced_by(update);
  // What comes before them in topological order does not depend on them.
  size_t first = number_of(&update);
  for (const Node* n : wanted) first = std::min(first, number_of(n));
  Readers found;
  NodeSet seen;
  std::vector<const Node*> stack{update.inputs[1].get()};
  while (!stack.empty() && found.size() < wanted.size()) {
    const Node* n = stack.back();
    stack.pop_back();
    if (number_of(n) < first || !seen.insert(n).second || spares(update, n)) continue;
    if (wanted.contains(n)) found.insert(n);
    if (among(values, n) || taken.contains(n)) continue;
    for (auto& in : n->inputs) stack.push_back(in.get());
  }
  return found;
}

bool InPlaceRule::reads_aligned(const Node& update, const Readers& readers, const Spared& taken) const {
  const Values values = replaced_by(update);
  const NodeRef& value = update.inputs[1];
  const auto& [starts, steps] = update.as<SliceAttr>();
  Variables vars;
  Access own, written;
  for (size_t k = 0; k < value->shape().size(); ++k) {
    own.push_back(vars.of(vars.add_axis(value->shape()[k])));
    written.push_back(vars.shift(vars.scale(own.back(), steps[k]), starts[k]));
  }
  const auto is_written = [&](const Shape& shape, const Access& at) {
    const auto place = [&](const Shape& of, const Access& access) {
      return address(access, contiguous_strides(of), 0, vars);
    };
    return shape == update.shape() ? at == written : place(shape, at) == place(update.shape(), written);
  };
  std::unordered_map<const Node*, std::vector<Access>> seen;
  std::vector<std::pair<const Node*, Access>> stack{{value.get(), own}};
  while (!stack.empty()) {
    auto [n, at] = stack.back();
    stack.pop_back();
    if (among(values, n)) {
      if (!is_written(n->shape(), at)) return false;
      continue;
    }
    if (among(taken, n)) {
      if (!is_written(n->inputs[0]->shape(), input_access(*n, 0, at, vars).at)) return false;
      continue;
    }
    if (!readers.contains(n) || is_stored(n)) continue;
    auto& known = seen[n];
    if (std::find(known.begin(), known.end(), at) != known.end()) continue;
    if (known.size() > 16) return false;
    known.push_back(at);
    // Reductions, products and gathers take the old value from anywhere.
    if (kind(n->op) != OpKind::Map && kind(n->op) != OpKind::View) return false;
    for (size_t k = 0; k < n->inputs.size(); ++k) {
      if (n->op == Op::pad && k == 1) continue;
      InputAccess in = input_access(*n, k, at, vars);
      if (!in.never) stack.push_back({n->inputs[k].get(), in.at});
    }
  }
  return true;
}

BrokenAssign find_broken_assign(const Graph& graph) {
  const std::vector<const Node*> order = topological_order(graph.outputs);
  if (std::none_of(order.begin(), order.end(), [](const Node* n) { return n->op == Op::assign; })) return {};
  const InPlaceRule rule(graph);
  std::unordered_map<const Node*, InPlaceRule::Spared> spared;  // by the last value in the memory
  for (const Node* n : order)
    if (n->op == Op::assign) {
      InPlaceRule::Spared& own = spared[n] = std::move(spared[memory_of(n->inputs[0].get())]);
      if (std::string why = rule.refuse(*n, own); !why.empty()) return {n, std::move(why)};
    }
  return {};
}

}  // namespace weft::ir
