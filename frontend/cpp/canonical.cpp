#include "frontend/cpp/canonical.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "compiler/base/error.h"
#include "compiler/base/per_thread.h"
#include "compiler/ir/build.h"
#include "compiler/ir/special.h"

namespace weft::detail {
namespace {

using ir::Node;
using ir::Op;

// Numbers of visited nodes: open addressing, emptied by counting a generation up.
class Numbers {
 public:
  void clear() {
    size_ = 0;
    if (++generation_ == 0) {
      for (Slot& slot : slots_) slot.generation = 0;
      generation_ = 1;
    }
  }
  // The number's place; -1 in it when the node is new.
  int32_t& at(const Node* node) {
    if (size_ * 2 >= slots_.size()) grow();
    Slot& slot = slots_[locate(node)];
    if (slot.generation != generation_) {
      slot = {node, generation_, -1};
      ++size_;
    }
    return slot.number;
  }

 private:
  struct Slot {
    const Node* node = nullptr;
    uint32_t generation = 0;
    int32_t number = -1;
  };
  size_t locate(const Node* node) const {
    size_t i = (reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15u) >> shift_;
    while (slots_[i].generation == generation_ && slots_[i].node != node) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    for (const Slot& slot : old) {
      if (slot.generation == generation_) slots_[locate(slot.node)] = slot;
    }
  }
  std::vector<Slot> slots_ = std::vector<Slot>(256);
  size_t size_ = 0;
  int shift_ = 56;
  uint32_t generation_ = 0;
};

struct Visit {
  const Node* node;
  uint32_t next_input;
};

struct User {
  const Node* node = nullptr;  // null: an output
  uint32_t operand = 0;
};

// Of a constant that is asked for: so many are filled in the time that the interpreter takes to compute one.
constexpr int64_t kFilledElements = 1024;
constexpr int32_t kOpen = -2;  // visited, not numbered yet

// Calls leave(node, value, user) once for each node, after its inputs, until it returns false; `user` is who
// asked for it first, with the number of its operand. Computed nodes are left as the inputs that hold them.
template <class Leave>
void walk(std::span<const ir::NodeRef> outputs, Numbers& numbers, Leave&& leave) {
  std::vector<Visit>& path = PerThread<std::vector<Visit>>::get();
  path.clear();
  numbers.clear();
  const auto enter = [&](const Node* node) {
    int32_t& number = numbers.at(node);
    if (number != -1) return;
    number = kOpen;
    path.push_back({node, 0});
  };
  const auto user = [&] {
    return path.empty() ? User{} : User{path.back().node, path.back().next_input - 1};
  };
  for (const ir::NodeRef& output : outputs) {
    enter(output.get());
    while (!path.empty()) {
      Visit& top = path.back();
      const Node* node = top.node;
      if (top.next_input == 0) {
        if (const Node* value = node->computed()) {
          path.pop_back();
          if (!leave(node, value, user())) return;
          continue;
        }
      }
      if (top.next_input == node->inputs.size()) {
        path.pop_back();
        if (!leave(node, node, user())) return;
      } else {
        enter(node->inputs[top.next_input++].get());
      }
    }
  }
}

class Words {
 public:
  explicit Words(std::vector<uint64_t>& out) : out_(out) {}
  void add(uint64_t v) { out_.push_back(v); }
  void add(const Dims& dims) {
    add(dims.size());
    for (int64_t d : dims) add(static_cast<uint64_t>(d));
  }
  void operator()(std::monostate) {}
  void operator()(const ir::InputAttr& a) {
    add(a.strides);
    add(static_cast<uint64_t>(a.offset));
  }
  void operator()(const ir::ScalarAttr&) {}
  void operator()(const ir::ConstantAttr& a) {
    add(static_cast<uint64_t>(a.value.i));
    add(std::bit_cast<uint64_t>(a.value.re));
    add(std::bit_cast<uint64_t>(a.value.im));
  }
  void operator()(const ir::AxisAttr& a) { add(static_cast<uint64_t>(a.axis)); }
  void operator()(const ir::AxesAttr& a) { add(a.axes); }
  void operator()(const ir::SliceAttr& a) {
    add(a.starts);
    add(a.steps);
  }
  void operator()(const ir::PadAttr& a) {
    add(a.before);
    add(a.after);
  }

 private:
  std::vector<uint64_t>& out_;
};

// An element that was read: another one is read in the next turn, so nothing is to depend on what it is.
bool comes_from_memory(const Node& constant) { return constant.lines.empty(); }

bool becomes_scalar(const Node& node, const User& user) {
  if (node.op != Op::constant) return false;
  return comes_from_memory(node) ||
         !(user.node && ir::is_special(node.as<ir::ConstantAttr>().value, *user.node, user.operand));
}

// The latest numbers of a graph, to find again what a loop's next turn, or the next call, gives on the same
// line.
class LatestNumbers {
 public:
  // The place of an equal one, of the same type and line; `place` when there is none.
  uint32_t find_or_add(const Node& constant, uint32_t place) {
    const Scalar& value = constant.as<ir::ConstantAttr>().value;
    const uint64_t hash = (static_cast<uint64_t>(value.i) ^ std::bit_cast<uint64_t>(value.re) ^
                           std::rotl(std::bit_cast<uint64_t>(value.im), 32)) +
                          constant.lines.only().line;
    for (size_t i = 0; i < std::min(count_, kKept); ++i)
      if (hashes_[i] == hash && equal(*known_[i].node, constant)) return known_[i].place;
    hashes_[count_ % kKept] = hash;
    known_[count_++ % kKept] = {&constant, place};
    return place;
  }

 private:
  static constexpr size_t kKept = 32;
  struct Known {
    const Node* node;
    uint32_t place;
  };
  static bool equal(const Node& a, const Node& b) {
    const auto bits = [](const Node& constant) {
      const Scalar& value = constant.as<ir::ConstantAttr>().value;
      return std::tuple(value.i, std::bit_cast<uint64_t>(value.re), std::bit_cast<uint64_t>(value.im));
    };
    return bits(a) == bits(b) && a.lines.only() == b.lines.only() && a.type == b.type;
  }
  std::array<uint64_t, kKept> hashes_;
  std::array<Known, kKept> known_;
  size_t count_ = 0;
};

}  // namespace

runtime::BufferRef buffer_of(const Node& input) {
  return std::static_pointer_cast<runtime::Buffer>(input.as<ir::InputAttr>().handle);
}

runtime::BufferRef value_of(const ir::Node& input) {
  runtime::BufferRef buffer = buffer_of(input);
  if (!buffer) {
    throw Error(
        "compile: a function's arguments have no values while it is recorded, so it can neither look at them "
        "nor decide by them: got " +
        to_string(input.shape()) + " " + std::string(name(input.dtype())) +
        ": write where(condition, a, b), or look outside and give what was seen as an argument");
  }
  return buffer;
}

void Canonical::clear() {
  words.clear();
  order.clear();
  inputs.clear();
  buffers.clear();
  only_here.clear();
  scalars.clear();
  scalar_nodes.clear();
  equals.clear();
  uses.clear();
  depths.clear();
  elements = 0;
  largest = 0;
  updates = false;
}

Hash Canonical::key(uint64_t seed) const {
  return hash_bytes(words.data(), words.size() * sizeof(uint64_t), seed);
}

void Canonical::unite_equal_numbers() {
  words.insert(words.end(), equals.begin(), equals.end());
  size_t left = 0;
  for (size_t k = 0; k < equals.size(); ++k)
    if (equals[k] == k) scalars[left++] = scalars[k];
  if (!equals.empty()) scalars.resize(left);
}

void canonicalize(std::span<const ir::NodeRef> outputs, Canonical& out) {
  out.clear();
  Numbers& numbers = PerThread<Numbers>::get();
  Words words(out.words);
  LatestNumbers latest;
  bool some_equal = false;
  walk(outputs, numbers, [&](const Node* node, const Node* value, const User& user) {
    // A computed value may also stand in the graph itself, as the input node it is.
    int32_t number = value == node ? kOpen : numbers.at(value);
    if (number < 0) {
      number = static_cast<int32_t>(out.order.size());
      out.order.push_back(value);
      const bool scalar = becomes_scalar(*value, user);
      const Op op = scalar ? Op::scalar : value->op;
      words.add(static_cast<uint64_t>(op) | static_cast<uint64_t>(value->dtype()) << 8 |
                uint64_t{value->inputs.size()} << 16);
      if (info(op).states_shape) words.add(value->shape());
      if (scalar) {
        const auto place = static_cast<uint32_t>(out.scalars.size());
        out.equals.push_back(comes_from_memory(*value) ? place : latest.find_or_add(*value, place));
        some_equal |= out.equals.back() != place;
        out.scalars.push_back(value->as<ir::ConstantAttr>().value);
        out.scalar_nodes.push_back(static_cast<uint32_t>(number));
      } else {
        std::visit(words, value->attr);
      }
      if (op == Op::input) {
        out.inputs.emplace_back(value);
        out.buffers.push_back(buffer_of(*value));
        out.only_here.push_back(value == node);
      }
      uint32_t depth = 0;
      for (const ir::NodeRef& in : value->inputs) {
        const auto number_in = static_cast<size_t>(numbers.at(in.get()));
        words.add(number_in);
        ++out.uses[number_in];
        depth = std::max(depth, out.depths[number_in] + 1);
      }
      out.uses.push_back(0);
      out.depths.push_back(depth);
      const int64_t elements = op == Op::constant || scalar ? 1 : element_count(value->shape());
      out.elements += elements;
      out.largest = std::max(out.largest, elements);
      out.updates |= op == Op::update;
      if (value != node) numbers.at(value) = number;
    } else if (value != node) {
      // An input that the graph had reached by itself.
      for (size_t i = 0; i < out.inputs.size(); ++i)
        if (out.inputs[i].get() == value) out.only_here[i] = false;
    }
    numbers.at(node) = number;
    return true;
  });
  if (!some_equal) out.equals.clear();
  for (const ir::NodeRef& output : outputs) {
    words.add(static_cast<uint64_t>(numbers.at(output.get())));
    if (output->op != Op::constant) continue;
    const int64_t elements = element_count(output->shape()) / kFilledElements;
    out.elements += elements;
    out.largest = std::max(out.largest, elements);
  }
  words.add(outputs.size());
}

void add_outputs(std::span<const ir::NodeRef> nodes, Canonical& graph) {
  Numbers& numbers = PerThread<Numbers>::get();  // as canonicalize() left them
  for (const ir::NodeRef& node : nodes) graph.words.push_back(static_cast<uint64_t>(numbers.at(node.get())));
  graph.words.push_back(nodes.size());
}

std::vector<ir::NodeRef> held_elsewhere(std::span<const ir::NodeRef> outputs, const Canonical& graph,
                                        const std::function<bool(const Held&)>& wanted) {
  std::vector<ir::NodeRef> kept;
  Numbers& numbers = PerThread<Numbers>::get();  // as canonicalize() left them
  std::vector<char> viewed, is_output;
  std::vector<char> stored;  // products and what they read lie in memory of their own anyway
  const auto number = [&](const ir::NodeRef& node) { return static_cast<size_t>(numbers.at(node.get())); };
  const auto bytes = [](const Node& node) {
    return element_count(node.shape()) * static_cast<int64_t>(size_of(node.dtype()));
  };
  constexpr int64_t kLittle = 64 << 20;  // bytes; an array of pairs that is only summed up must not be stored
  int64_t most = -1;
  for (size_t k = graph.order.size(); k-- > 0;) {
    const Node& node = *graph.order[k];
    if (ir::kind(node.op) == ir::OpKind::Source) continue;
    const bool product = node.op == Op::dot, view = ir::kind(node.op) == ir::OpKind::View;
    if (product && stored.empty()) stored.resize(graph.order.size());
    const bool in_memory = !stored.empty() && (product || stored[k]);
    if (product || (in_memory && view))
      for (const ir::NodeRef& in : node.inputs) stored[number(in)] = true;
    const bool asked = !viewed.empty() && viewed[k];
    if (!asked && node.use_count() <= graph.uses[k]) continue;
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
constexpr int64_t kSmallPart = 4;

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

bool replaces_what_is_read(const Node& value) {
  Numbers& numbers = PerThread<Numbers>::get();  // as canonicalize() left them
  const Node* node = &value;
  for (int k = 0; node && k < kMostSteps; ++k) {
    if (numbers.at(node) >= 0) return true;
    node = node->computed() ? node->computed() : changed_by(*node);
  }
  return false;
}

std::vector<ir::NodeRef> held_readers(std::span<const ir::NodeRef> outputs, const Canonical& graph,
                                      int64_t bytes) {
  std::vector<ir::NodeRef> readers;
  Numbers& numbers = PerThread<Numbers>::get();  // as canonicalize() left them
  const auto number = [&](const Node* node) { return static_cast<size_t>(numbers.at(node)); };
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
    if (bytes_of(node) * kSmallPart > needs[k]) continue;
    readers.emplace_back(&node);
    needs[k] = 0;
  }
  return readers;
}

std::vector<int> dying_inputs(std::span<const ir::NodeRef> outputs, const Canonical& graph) {
  std::vector<int> dying;
  Numbers& numbers = PerThread<Numbers>::get();  // as canonicalize() left them
  const auto number = [&](const Node* node) { return static_cast<size_t>(numbers.at(node)); };
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

uint32_t count_nodes(const ir::NodeRef& output, uint32_t limit) {
  uint32_t count = 0;
  Numbers& numbers = PerThread<Numbers>::get();
  walk({&output, 1}, numbers, [&](const Node* node, const Node* value, const User&) {
    if (value->op == Op::input && !buffer_of(*value)) {
      count = 0;
      return false;
    }
    numbers.at(node) = static_cast<int32_t>(count++);
    return count <= limit;
  });
  return count;
}

ir::Graph graph_of(std::span<const ir::NodeRef> outputs, const Canonical& canonical) {
  Numbers& numbers = PerThread<Numbers>::get();  // as canonicalize() left them
  ir::Graph graph;
  std::vector<ir::NodeRef> made(canonical.order.size());
  const std::vector<uint32_t>&scalar_nodes = canonical.scalar_nodes, &equals = canonical.equals;
  size_t scalar = 0;  // the next one
  for (size_t i = 0; i < made.size(); ++i) {
    const Node& node = *canonical.order[i];
    if (node.op == Op::input) {
      const auto& attr = node.as<ir::InputAttr>();
      made[i] = ir::input(node.type,
                          {nullptr, "a" + std::to_string(graph.inputs.size()), attr.strides, attr.offset},
                          node.lines);
      graph.inputs.push_back(made[i]);
    } else if (scalar < scalar_nodes.size() && scalar_nodes[scalar] == i) {
      if (const size_t first = equals.empty() ? scalar : equals[scalar]; first != scalar) {
        made[i] = made[scalar_nodes[first]];
      } else {
        made[i] = ir::scalar(node.type, "s" + std::to_string(graph.inputs.size()), node.lines);
        graph.inputs.push_back(made[i]);
      }
      ++scalar;
    } else if (node.inputs.size() == 0) {
      made[i] = ir::NodeRef(&node);
    } else {
      std::vector<ir::NodeRef> inputs;
      for (const ir::NodeRef& in : node.inputs) {
        inputs.push_back(made[static_cast<size_t>(numbers.at(in.get()))]);
      }
      made[i] = ir::make(node.op, inputs, node.attr, node.type, node.lines);
    }
  }
  for (const ir::NodeRef& output : outputs) {
    graph.outputs.push_back(made[static_cast<size_t>(numbers.at(output.get()))]);
  }
  return graph;
}

std::vector<ir::HostTensor> interpreted(std::span<const ir::NodeRef> outputs, const Canonical& canonical,
                                        std::span<const ir::Elements> inputs) {
  Numbers& numbers = PerThread<Numbers>::get();  // as canonicalize() left them
  const auto number = [&](const Node* node) { return static_cast<size_t>(numbers.at(node)); };
  std::vector<size_t> places;
  for (const ir::NodeRef& output : outputs) places.push_back(number(output.get()));
  return ir::interpret(canonical.order, inputs, places, number);
}

}  // namespace weft::detail
