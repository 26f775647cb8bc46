#include "frontend/cpp/canonical.h"

#include <bit>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/build.h"

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

// Of a constant that is asked for: so many are filled in the time that the interpreter takes to compute one.
constexpr int64_t kFilledElements = 1024;
constexpr int32_t kOpen = -2;  // visited, not numbered yet

// Calls leave(node) once for each node, after its inputs. Computed nodes are left as the inputs that hold
// them.
template <class Leave>
void walk(std::span<const ir::NodeRef> outputs, const Computed::Reader& computed, Numbers& numbers,
          Leave&& leave) {
  thread_local std::vector<Visit> path;
  path.clear();
  numbers.clear();
  const auto enter = [&](const Node* node) {
    int32_t& number = numbers.at(node);
    if (number != -1) return;
    number = kOpen;
    path.push_back({node, 0});
  };
  for (const ir::NodeRef& output : outputs) {
    enter(output.get());
    while (!path.empty()) {
      Visit& top = path.back();
      const Node* node = top.node;
      if (top.next_input == 0) {
        const Node* value = ir::kind(node->op) == ir::OpKind::Source ? nullptr : computed.find(node);
        if (value) {
          path.pop_back();
          leave(node, value);
          continue;
        }
      }
      if (top.next_input == node->inputs.size()) {
        path.pop_back();
        leave(node, node);
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

// Whether the op, its inputs and attribute leave the shape open.
bool states_shape(Op op) {
  return ir::kind(op) == ir::OpKind::Source || op == Op::broadcast || op == Op::reshape || op == Op::slice;
}

bool becomes_scalar(const Node& node) {
  return node.op == Op::constant && !is_special(node.as<ir::ConstantAttr>().value);
}

Numbers& thread_numbers() {
  thread_local Numbers numbers;
  return numbers;
}

}  // namespace

runtime::BufferRef buffer_of(const Node& input) {
  return std::static_pointer_cast<runtime::Buffer>(input.as<ir::InputAttr>().handle);
}

runtime::BufferRef value_of(const ir::Node& input) {
  runtime::BufferRef buffer = buffer_of(input);
  if (!buffer) {
    throw Error(
        "compile: a function's arguments have no values while it is recorded, so it can neither look at them "
        "nor "
        "decide by them: got " +
        to_string(input.shape()) + " " + std::string(name(input.dtype())));
  }
  return buffer;
}

void Canonical::clear() {
  words.clear();
  order.clear();
  inputs.clear();
  buffers.clear();
  scalars.clear();
  elements = 0;
  updates = false;
}

Hash Canonical::key(uint64_t seed) const {
  return hash_bytes(words.data(), words.size() * sizeof(uint64_t), seed);
}

void canonicalize(std::span<const ir::NodeRef> outputs, Computed& computed, Canonical& out) {
  out.clear();
  Numbers& numbers = thread_numbers();
  Words words(out.words);
  const Computed::Reader reader(computed);
  walk(outputs, reader, numbers, [&](const Node* node, const Node* value) {
    // A computed value may also stand in the graph itself, as the input node it is.
    int32_t number = value == node ? kOpen : numbers.at(value);
    if (number < 0) {
      number = static_cast<int32_t>(out.order.size());
      out.order.push_back(value);
      const bool scalar = becomes_scalar(*value);
      const Op op = scalar ? Op::scalar : value->op;
      words.add(static_cast<uint64_t>(op) | static_cast<uint64_t>(value->dtype()) << 8 |
                uint64_t{value->inputs.size()} << 16);
      if (states_shape(op)) words.add(value->shape());
      if (scalar) {
        out.scalars.push_back(value->as<ir::ConstantAttr>().value);
      } else {
        std::visit(words, value->attr);
      }
      if (op == Op::input) {
        out.inputs.emplace_back(value);
        out.buffers.push_back(buffer_of(*value));
      }
      for (const ir::NodeRef& in : value->inputs) words.add(static_cast<uint64_t>(numbers.at(in.get())));
      out.elements += op == Op::constant || scalar ? 1 : element_count(value->shape());
      out.updates |= op == Op::update;
      numbers.at(value) = number;
    }
    numbers.at(node) = number;
  });
  for (const ir::NodeRef& output : outputs) {
    words.add(static_cast<uint64_t>(numbers.at(output.get())));
    if (output->op == Op::constant) out.elements += element_count(output->shape()) / kFilledElements;
  }
  words.add(outputs.size());
}

std::vector<int> dying_inputs(const ir::NodeRef& output, uint32_t held, const Canonical& graph) {
  std::vector<int> dying;
  if (!graph.updates) return dying;
  Numbers& numbers = thread_numbers();  // as canonicalize() left them
  const auto number = [&](const Node* node) { return static_cast<size_t>(numbers.at(node)); };
  const size_t count = graph.order.size();
  std::vector<uint32_t> uses(count, 0);
  for (const Node* node : graph.order)
    for (const ir::NodeRef& in : node->inputs) ++uses[number(in.get())];
  uses[number(output.get())] += held;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Node* input = graph.inputs[i].get();
    // Held by the graph's nodes and by `graph`; its buffer by the node and by `graph`.
    if (input->use_count() != uses[number(input)] + 1 || graph.buffers[i].use_count() != 2) continue;
    if (!graph.buffers[i]->writable()) continue;
    // Nothing that somebody else could ask for later may need the old value.
    std::vector<char> needs(count, 0);
    needs[number(input)] = 1;
    bool alone = true;
    for (size_t k = 0; k < count && alone; ++k) {
      for (const ir::NodeRef& in : graph.order[k]->inputs) needs[k] |= needs[number(in.get())];
      if (needs[k] && graph.order[k] != input) alone = graph.order[k]->use_count() == uses[k];
    }
    if (alone) dying.push_back(static_cast<int>(i));
  }
  return dying;
}

uint32_t count_nodes(const ir::NodeRef& output, Computed& computed) {
  uint32_t count = 0;
  Numbers& numbers = thread_numbers();
  const Computed::Reader reader(computed);
  walk({&output, 1}, reader, numbers,
       [&](const Node* node, const Node*) { numbers.at(node) = static_cast<int32_t>(count++); });
  return count;
}

ir::Graph graph_of(std::span<const ir::NodeRef> outputs, const Canonical& canonical, bool scalars) {
  Numbers& numbers = thread_numbers();  // as canonicalize() left them
  ir::Graph graph;
  std::vector<ir::NodeRef> made(canonical.order.size());
  for (size_t i = 0; i < made.size(); ++i) {
    const Node& node = *canonical.order[i];
    if (node.op == Op::input) {
      const auto& attr = node.as<ir::InputAttr>();
      made[i] = ir::input(node.type,
                          {nullptr, "a" + std::to_string(graph.inputs.size()), attr.strides, attr.offset},
                          node.lines);
      graph.inputs.push_back(made[i]);
    } else if (scalars && becomes_scalar(node)) {
      made[i] = ir::scalar(node.type, "s" + std::to_string(graph.inputs.size()), node.lines);
      graph.inputs.push_back(made[i]);
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

}  // namespace weft::detail
