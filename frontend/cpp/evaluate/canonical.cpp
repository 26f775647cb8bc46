#include "frontend/cpp/evaluate/canonical.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "compiler/base/error.h"
#include "compiler/base/per_thread.h"
#include "compiler/ir/analysis/special.h"
#include "compiler/ir/build.h"
#include "compiler/ir/function.h"
#include "compiler/ir/loop.h"
#include "compiler/ir/user_kernel.h"

namespace weft::detail {
namespace {

using ir::Node;
using ir::Op;

struct Visit {
  const Node* node;
  uint32_t next_input;
};

struct User {
  const Node* node = nullptr;  // null: an output
  uint32_t operand = 0;
};

constexpr int32_t kOpen = -2;  // visited, not numbered yet

// Calls leave(node, value, user) once for each node, after its inputs, until it returns false; `user` is who
// asked for it first, with the number of its operand. Computed nodes are left as the inputs that hold them.
template <class Leave>
void walk(std::span<const ir::NodeRef> outputs, NodeNumbers& numbers, Leave&& leave) {
  std::vector<Visit>& path = PerThread<std::vector<Visit>>::get();
  path.clear();
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
  void operator()(const ir::LoopAttr& a) {
    add(a.loop->hash.low);
    add(a.loop->hash.high);
    add(static_cast<uint64_t>(a.result));
  }
  void operator()(const ir::ApplyAttr& a) {
    add(a.function->hash.low);
    add(a.function->hash.high);
    add(static_cast<uint64_t>(a.result));
  }
  void operator()(const ir::KernelAttr& a) {
    add(a.kernel->hash.low);
    add(a.kernel->hash.high);
    add(static_cast<uint64_t>(a.result));
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

// The same slice or update, of a window in place of the input.
ir::NodeRef in_window(const Node& node, std::span<const ir::NodeRef> inputs, const Window& window) {
  ir::SliceAttr range = node.as<ir::SliceAttr>();
  for (size_t k = 0; k < range.starts.size(); ++k) range.starts[k] -= window.starts[k];
  return ir::make(node.op, inputs, std::move(range),
                  {node.dtype(), node.op == Op::update ? window.extents : node.shape()}, node.lines);
}

// Of a function with loops nobody knows how long it takes.
constexpr int64_t kElementsOfLoops = int64_t{1} << 32;

int64_t elements_of(const Node& node, bool scalar) {
  if (ir::is_apply(node)) {
    const ir::Function& f = *ir::function_of(node);
    return f.loops ? kElementsOfLoops : element_count(node.shape()) * (1 + static_cast<int64_t>(f.cost) / 8);
  }
  if (scalar || node.op == Op::constant) return 1;
  if (ir::is_user_kernel(node)) return kElementsOfLoops;
  return ir::is_loop(node) ? ir::loop_of(node)->work : element_count(node.shape());
}

}  // namespace

constexpr const char* kDonated = "donated";

ir::NodeRef input_node(const ir::TensorType& type, runtime::BufferRef buffer) {
  return ir::NodeRef(new Node(Op::input, type, {}, ir::InputAttr{std::move(buffer), {}, {}, 0}, {}));
}

runtime::BufferRef buffer_of(const Node& input) {
  return std::static_pointer_cast<runtime::Buffer>(input.as<ir::InputAttr>().handle);
}

ir::NodeRef donated_node(const ir::TensorType& type) {
  return ir::NodeRef(new Node(Op::input, type, {}, ir::InputAttr{nullptr, kDonated, {}, 0}, {}));
}

runtime::BufferRef value_of(const ir::Node& input) {
  runtime::BufferRef buffer = buffer_of(input);
  if (!buffer && input.as<ir::InputAttr>().name == kDonated) {
    throw Error("an array that was donated to a compiled function has no value any more: got " +
                to_string(input.shape()) + " " + std::string(name(input.dtype())) +
                ": use what the function returned, or do not donate it");
  }
  if (!buffer) {
    throw Error(
        "a function's arguments have no values while it is recorded, by compile(), vmap() or a loop, so it "
        "can "
        "neither look at them nor decide by them: got " +
        to_string(input.shape()) + " " + std::string(name(input.dtype())) +
        ": write where(condition, a, b), or look outside and give what was seen as an argument");
  }
  return buffer;
}

void Canonical::clear() {
  numbers.clear();
  words.clear();
  begins.clear();
  order.clear();
  inputs.clear();
  buffers.clear();
  only_here.clear();
  scalars.clear();
  scalar_nodes.clear();
  equals.clear();
  windows.clear();
  window_of.clear();
  uses.clear();
  depths.clear();
  elements = 0;
  largest = 0;
  updates = false;
  applies = false;
  in_parts = false;
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
  NodeNumbers& numbers = out.numbers;
  Words words(out.words);
  LatestNumbers latest;
  bool some_equal = false;
  walk(outputs, numbers, [&](const Node* node, const Node* value, const User& user) {
    // A computed value may also stand in the graph itself, as the input node it is.
    int32_t number = value == node ? kOpen : numbers.at(value);
    if (number < 0) {
      number = static_cast<int32_t>(out.order.size());
      out.order.push_back(value);
      out.begins.push_back(static_cast<uint32_t>(out.words.size()));
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
      const int64_t elements = elements_of(*value, scalar);
      out.elements += elements;
      out.largest = std::max(out.largest, elements);
      out.updates |= op == Op::update;
      out.applies |= op == Op::apply;
      if (op == Op::slice || op == Op::update)
        out.in_parts |= out.order[static_cast<size_t>(numbers.at(value->inputs[0].get()))]->op == Op::input;
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
  for (const ir::NodeRef& node : nodes) graph.words.push_back(graph.number_of(*node));
  graph.words.push_back(nodes.size());
}

uint32_t count_nodes(const ir::NodeRef& output, uint32_t limit) {
  uint32_t count = 0;
  NodeNumbers& numbers = PerThread<NodeNumbers>::get();
  numbers.clear();
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
  ir::Graph graph;
  std::vector<ir::NodeRef> made(canonical.order.size());
  const std::vector<uint32_t>&scalar_nodes = canonical.scalar_nodes, &equals = canonical.equals;
  size_t scalar = 0;  // the next one
  for (size_t i = 0; i < made.size(); ++i) {
    const Node& node = *canonical.order[i];
    const Window* window = canonical.window(i);
    if (node.op == Op::input) {
      const auto& attr = node.as<ir::InputAttr>();
      const std::string name = "a" + std::to_string(graph.inputs.size());
      made[i] =
          window ? ir::input({node.dtype(), window->extents}, {nullptr, name, window->strides, 0}, node.lines)
                 : ir::input(node.type, {nullptr, name, attr.strides, attr.offset}, node.lines);
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
        inputs.push_back(made[canonical.number_of(*in)]);
      }
      made[i] = window ? in_window(node, inputs, *window)
                       : ir::make(node.op, inputs, node.attr, node.type, node.lines);
    }
  }
  for (const ir::NodeRef& output : outputs) {
    graph.outputs.push_back(made[canonical.number_of(*output)]);
  }
  return graph;
}

std::vector<ir::HostTensor> interpreted(std::span<const ir::NodeRef> outputs, const Canonical& canonical,
                                        std::span<const ir::Elements> inputs) {
  const auto number = [&](const Node* node) { return canonical.number_of(*node); };
  std::vector<size_t> places;
  for (const ir::NodeRef& output : outputs) places.push_back(number(output.get()));
  return ir::interpret(canonical.order, inputs, places, number);
}

}  // namespace weft::detail
