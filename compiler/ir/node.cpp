#include "compiler/ir/node.h"

#include <bit>

#include "compiler/ir/loop_hash.h"
#include "compiler/ir/node_index.h"

namespace weft::ir {

// ---- release

namespace {

// Nodes whose last reference is gone. Trivially destructible, so that references held by statics may still be
// released while the program ends.
struct Burial {
  const Node* dead = nullptr;
  bool under_way = false;
};
thread_local Burial burial;

}  // namespace

void NodeRef::bury(const Node* node) {
  Burial& mine = burial;
  node->next_dead_ = mine.dead;
  mine.dead = node;
  if (mine.under_way) return;
  mine.under_way = true;
  while (const Node* next = mine.dead) {
    mine.dead = next->next_dead_;
    delete next;  // releases its inputs, which only adds to the list
  }
  mine.under_way = false;
}

Inputs::Inputs(size_t size) : size_(static_cast<uint32_t>(size)), inline_{} {
  if (on_heap()) heap_ = new NodeRef[size];
}

// ---- equality of nodes

namespace {

__extension__ using Product = unsigned __int128;

uint64_t mix(uint64_t h, uint64_t v) {
  const auto product = static_cast<Product>(h ^ v ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t mix(uint64_t h, const Dims& dims) {
  h = mix(h, dims.size());
  for (int64_t d : dims) h = mix(h, static_cast<uint64_t>(d));
  return h;
}

uint64_t mix(uint64_t h, const std::string& text) {
  const Hash text_hash = hash_text(text);
  return mix(h, text_hash.low);
}

struct MixAttr {
  uint64_t h;
  uint64_t operator()(std::monostate) const { return h; }
  uint64_t operator()(const InputAttr& a) const {
    return mix(mix(mix(mix(h, reinterpret_cast<uintptr_t>(a.handle.get())), a.name), a.strides),
               static_cast<uint64_t>(a.offset));
  }
  uint64_t operator()(const ScalarAttr& a) const { return mix(h, a.name); }
  uint64_t operator()(const ConstantAttr& a) const {
    return mix(mix(mix(h, static_cast<uint64_t>(a.value.i)), std::bit_cast<uint64_t>(a.value.re)),
               std::bit_cast<uint64_t>(a.value.im));
  }
  uint64_t operator()(const AxisAttr& a) const { return mix(h, static_cast<uint64_t>(a.axis)); }
  uint64_t operator()(const AxesAttr& a) const { return mix(h, a.axes); }
  uint64_t operator()(const SliceAttr& a) const { return mix(mix(h, a.starts), a.steps); }
  uint64_t operator()(const PadAttr& a) const { return mix(mix(h, a.before), a.after); }
  uint64_t operator()(const LoopAttr& a) const {
    return mix(mix(h, hash_of(*a.loop).low), static_cast<uint64_t>(a.result));
  }
  uint64_t operator()(const ApplyAttr& a) const {
    return mix(mix(h, hash_of(*a.function).low), static_cast<uint64_t>(a.result));
  }
  uint64_t operator()(const KernelAttr& a) const {
    return mix(mix(h, hash_of(*a.kernel).low), static_cast<uint64_t>(a.result));
  }
};

bool same_attr(const Attr& a, const Attr& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&b](const auto& x) {
        using A = std::decay_t<decltype(x)>;
        const A& y = *std::get_if<A>(&b);
        if constexpr (std::is_same_v<A, InputAttr>) {
          // Without a handle the name alone tells two inputs apart.
          return (x.handle || !x.name.empty()) && x.handle == y.handle && x.name == y.name &&
                 x.strides == y.strides && x.offset == y.offset;
        } else if constexpr (std::is_same_v<A, ScalarAttr>) {
          return !x.name.empty() && x.name == y.name;
        } else if constexpr (std::is_same_v<A, ConstantAttr>) {
          return x.value.same(y.value);
        } else if constexpr (std::is_same_v<A, AxisAttr>) {
          return x.axis == y.axis;
        } else if constexpr (std::is_same_v<A, AxesAttr>) {
          return x.axes == y.axes;
        } else if constexpr (std::is_same_v<A, SliceAttr>) {
          return x.starts == y.starts && x.steps == y.steps;
        } else if constexpr (std::is_same_v<A, PadAttr>) {
          return x.before == y.before && x.after == y.after;
        } else if constexpr (std::is_same_v<A, LoopAttr>) {
          return hash_of(*x.loop) == hash_of(*y.loop) && x.result == y.result;
        } else if constexpr (std::is_same_v<A, ApplyAttr>) {
          return hash_of(*x.function) == hash_of(*y.function) && x.result == y.result;
        } else if constexpr (std::is_same_v<A, KernelAttr>) {
          return hash_of(*x.kernel) == hash_of(*y.kernel) && x.result == y.result;
        } else {
          return true;
        }
      },
      a);
}

}  // namespace

Node::Node(Op o, TensorType t, Inputs&& in, Attr a, Lines l)
    : op(o), inputs(std::move(in)), type(std::move(t)), attr(std::move(a)), lines(std::move(l)) {}

void Node::set_computed(NodeRef value) const {
  const Node* none = nullptr;
  if (computed_.compare_exchange_strong(none, value.node_, std::memory_order_acq_rel)) value.node_ = nullptr;
}

bool same_but_lines(const Node& a, const Node& b) {
  if (&a == &b) return true;
  return a.op == b.op && a.type == b.type &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end()) &&
         same_attr(a.attr, b.attr);
}

uint64_t hash_but_lines(const Node& node) {
  uint64_t h =
      mix(static_cast<uint64_t>(node.op) << 8 | static_cast<uint64_t>(node.type.dtype), node.type.shape);
  h = std::visit(MixAttr{h}, node.attr);
  for (const NodeRef& in : node.inputs) h = mix(h, reinterpret_cast<uintptr_t>(in.get()));
  return h;
}

// ---- walks

std::vector<const Node*> topological_order(std::span<const NodeRef> outputs) {
  struct Visit {
    const Node* node;
    uint32_t next_input;
  };
  std::vector<const Node*> order;
  std::vector<Visit> path;
  NodeIndex seen(256);
  for (const NodeRef& output : outputs) {
    if (seen.insert(output.get(), 0)) path.push_back({output.get(), 0});
    while (!path.empty()) {
      Visit& top = path.back();
      if (top.next_input == top.node->inputs.size()) {
        order.push_back(top.node);
        path.pop_back();
      } else {
        const Node* in = top.node->inputs[top.next_input++].get();
        if (seen.insert(in, 0)) path.push_back({in, 0});
      }
    }
  }
  return order;
}

namespace {

// The linear form that hash_graph hashes: 64-bit words, each list with its length before it.
class Words {
 public:
  void add(uint64_t v) { words_.push_back(v); }
  void add(const Dims& dims) {
    add(dims.size());
    for (int64_t d : dims) add(static_cast<uint64_t>(d));
  }
  void add(const TensorType& type) {
    add(static_cast<uint64_t>(type.dtype));
    add(type.shape);
  }
  void operator()(std::monostate) {}
  void operator()(const InputAttr& a) {
    add(a.strides);
    add(static_cast<uint64_t>(a.offset));
  }
  void operator()(const ScalarAttr&) {}
  void operator()(const ConstantAttr& a) {
    add(static_cast<uint64_t>(a.value.i));
    add(std::bit_cast<uint64_t>(a.value.re));
    add(std::bit_cast<uint64_t>(a.value.im));
  }
  void operator()(const AxisAttr& a) { add(static_cast<uint64_t>(a.axis)); }
  void operator()(const AxesAttr& a) { add(a.axes); }
  void operator()(const SliceAttr& a) {
    add(a.starts);
    add(a.steps);
  }
  void operator()(const PadAttr& a) {
    add(a.before);
    add(a.after);
  }
  void operator()(const LoopAttr& a) {
    add(hash_of(*a.loop).low);
    add(hash_of(*a.loop).high);
    add(static_cast<uint64_t>(a.result));
  }
  void operator()(const ApplyAttr& a) {
    add(hash_of(*a.function).low);
    add(hash_of(*a.function).high);
    add(static_cast<uint64_t>(a.result));
  }
  void operator()(const KernelAttr& a) {
    add(hash_of(*a.kernel).low);
    add(hash_of(*a.kernel).high);
    add(static_cast<uint64_t>(a.result));
  }
  Hash hash() const { return hash_bytes(words_.data(), words_.size() * sizeof(uint64_t)); }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace

Hash hash_graph(const Graph& graph) {
  const std::vector<const Node*> order = topological_order(graph.outputs);
  NodeIndex number(order.size() + graph.inputs.size());
  Words words;
  // Arguments come first and keep their positions, so that swapping two of them is another graph.
  int32_t next = 0;
  const auto describe = [&words](const Node& node) {
    words.add(static_cast<uint64_t>(node.op));
    words.add(node.type);
    std::visit(words, node.attr);
  };
  words.add(graph.inputs.size());
  for (const NodeRef& in : graph.inputs) {
    number.insert(in.get(), next++);
    describe(*in);
  }
  for (const Node* node : order) {
    if (!number.insert(node, next)) continue;
    ++next;
    describe(*node);
    words.add(node->inputs.size());
    for (const NodeRef& in : node->inputs) words.add(static_cast<uint64_t>(number.find(in.get())));
  }
  words.add(graph.outputs.size());
  for (const NodeRef& out : graph.outputs) words.add(static_cast<uint64_t>(number.find(out.get())));
  return words.hash();
}

}  // namespace weft::ir
