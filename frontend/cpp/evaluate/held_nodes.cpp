#include "frontend/cpp/evaluate/held_nodes.h"

#include <algorithm>

#include "compiler/ir/loop.h"
#include "compiler/ir/user_kernel.h"

namespace weft::detail {

using ir::Node;
using ir::Op;

std::vector<ir::NodeRef> held_elsewhere(std::span<const ir::NodeRef> outputs, const Canonical& graph,
                                        const std::function<bool(const Held&)>& wanted) {
  std::vector<ir::NodeRef> kept;
  std::vector<char> viewed, is_output;
  std::vector<char> stored;  // products, loops and what they read lie in memory of their own anyway
  const auto number = [&](const ir::NodeRef& node) { return graph.number_of(*node); };
  const auto bytes = [](const Node& node) {
    return element_count(node.shape()) * static_cast<int64_t>(size_of(node.dtype()));
  };
  constexpr int64_t kLittle = 64 << 20;  // bytes; an array of pairs that is only summed up must not be stored
  int64_t most = -1;
  for (size_t k = graph.order.size(); k-- > 0;) {
    const Node& node = *graph.order[k];
    if (ir::kind(node.op) == ir::OpKind::Source) continue;
    const bool product = node.op == Op::dot || ir::is_loop(node) || ir::is_user_kernel(node),
               view = ir::kind(node.op) == ir::OpKind::View;
    if (product && stored.empty()) stored.resize(graph.order.size());
    const bool in_memory = !stored.empty() && (product || stored[k]);
    if (product || (in_memory && view))
      for (const ir::NodeRef& in : node.inputs) stored[number(in)] = true;
    const bool asked = !viewed.empty() && viewed[k];
    if (!asked && node.use_count() <= graph.uses[k]) continue;
    if (outputs.size() == 1 && &node == outputs[0].get()) continue;  // mostly all that is held
    if (most < 0) {
      viewed.resize(graph.order.size());
      is_output.resize(graph.order.size());
      most = kLittle;
      for (const ir::NodeRef& output : outputs) {
        is_output[number(output)] = true;
        most = std::max(most, bytes(*output));
      }
      for (const ir::NodeRef& input : graph.inputs) most = std::max(most, bytes(*input));
    }
    if (is_output[k]) continue;
    if (view && node.inputs.size() == 1) {
      viewed[number(node.inputs[0])] = true;
    } else if (bytes(node) <= most &&
               (in_memory || wanted({node, k, graph.depths[k], node.use_count() - graph.uses[k]}))) {
      kept.emplace_back(&node);
    }
  }
  return kept;
}

namespace {

// Between what a write gives and the memory that it replaces.
constexpr int kMostSteps = 64;
// A part of the memory that may be kept beside it.
constexpr int64_t kKeptPart = 4;

int64_t bytes_of(const Node& node) {
  return element_count(node.shape()) * static_cast<int64_t>(size_of(node.dtype()));
}

// What a value of the same size was made of: the array that an update, a scatter or a map in place changes.
const Node* changed_by(const Node& node) {
  if (node.inputs.size() == 0) return nullptr;
  const Node* from = node.inputs[0].get();
  return bytes_of(*from) == bytes_of(node) ? from : nullptr;
}

bool writes_a_part(const Node& node) {
  return ir::kind(node.op) == ir::OpKind::Update || ir::kind(node.op) == ir::OpKind::Scatter;
}

}  // namespace

bool replaces_what_is_read(const Node& value, const Canonical& graph) {
  const Node* node = &value;
  for (int k = 0; node && k < kMostSteps; ++k) {
    if (graph.holds(*node)) return true;
    node = node->computed() ? node->computed() : changed_by(*node);
  }
  return false;
}

std::vector<ir::NodeRef> held_readers(std::span<const ir::NodeRef> outputs, const Canonical& graph,
                                      int64_t bytes) {
  std::vector<ir::NodeRef> readers;
  const auto number = [&](const Node* node) { return graph.number_of(*node); };
  std::vector<char> is_output;
  std::vector<int64_t> needs;  // of each node: the bytes of what it is computed from that is replaced
  for (const ir::NodeRef& output : outputs) {
    if (bytes_of(*output) < bytes) continue;
    const Node* from = output.get();
    bool part = false;
    for (int k = 0; from && from->op != Op::input && k < kMostSteps; ++k) {
      if (from->computed()) {
        from = from->computed();
        break;
      }
      part |= writes_a_part(*from);
      from = changed_by(*from);
    }
    if (!part || !from || from->op != Op::input) continue;
    if (needs.empty()) {
      needs.resize(graph.order.size());
      is_output.resize(graph.order.size());
      for (const ir::NodeRef& one : outputs) is_output[number(one.get())] = true;
    }
    needs[number(from)] = bytes_of(*from);
  }
  for (size_t k = 0; k < needs.size(); ++k) {
    const Node& node = *graph.order[k];
    for (const ir::NodeRef& in : node.inputs) needs[k] = std::max(needs[k], needs[number(in.get())]);
    if (is_output[k]) needs[k] = 0;
    if (needs[k] == 0 || node.inputs.size() == 0 || node.use_count() <= graph.uses[k]) continue;
    if (bytes_of(node) * kKeptPart > needs[k]) continue;
    readers.emplace_back(&node);
    needs[k] = 0;
  }
  return readers;
}

std::vector<int> dying_inputs(std::span<const ir::NodeRef> outputs, const Canonical& graph) {
  std::vector<int> dying;
  const auto number = [&](const Node* node) { return graph.number_of(*node); };
  constexpr size_t kMost = 64;  // a bit each
  uint64_t alone = 0;
  size_t first = graph.order.size();
  std::vector<uint64_t> needs(graph.order.size());  // of each node: the candidates it is computed from
  for (size_t i = 0; i < graph.inputs.size() && dying.size() < kMost; ++i) {
    const Node* input = graph.inputs[i].get();
    const size_t at = number(input);
    // Held by the graph's nodes and by `graph`; its buffer by the node and by `graph`.
    if (!graph.only_here[i] || input->use_count() != graph.uses[at] + 1) continue;
    if (graph.buffers[i].use_count() != 2 || !graph.buffers[i]->writable()) continue;
    needs[at] = uint64_t{1} << dying.size();
    alone |= needs[at];
    first = std::min(first, at);
    dying.push_back(static_cast<int>(i));
  }
  if (dying.empty()) return dying;
  std::vector<char> given(graph.order.size());
  for (const ir::NodeRef& output : outputs) given[number(output.get())] = true;
  // Nothing that somebody else could ask for later may need the old value.
  for (size_t k = first; k < graph.order.size() && alone; ++k) {
    for (const ir::NodeRef& in : graph.order[k]->inputs) needs[k] |= needs[number(in.get())];
    if ((needs[k] & alone) && graph.order[k]->inputs.size() > 0 && !given[k] &&
        graph.order[k]->use_count() != graph.uses[k])
      alone &= ~needs[k];
    if (given[k]) needs[k] = 0;  // whoever reads it finds it on its node
  }
  size_t left = 0;
  for (size_t c = 0; c < dying.size(); ++c)
    if (alone >> c & 1) dying[left++] = dying[c];
  dying.resize(left);
  return dying;
}

}  // namespace weft::detail
