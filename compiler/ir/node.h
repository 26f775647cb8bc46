// One node of a graph: immutable and reference counted. Values are trees of nodes that share.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/base/hash.h"
#include "compiler/base/recycled.h"
#include "compiler/base/reference_count.h"
#include "compiler/base/shape.h"
#include "compiler/base/tensor_type.h"
#include "compiler/ir/lines.h"
#include "compiler/ir/ops/op.h"

namespace weft::ir {

using weft::TensorType;

// ---- attributes: a closed set
// input: `handle` is the front end's data behind it (identity only: the compiler never looks inside); `name`
// is for text. Strides are in elements; empty strides mean row-major from offset 0.
struct InputAttr {
  std::shared_ptr<void> handle;
  std::string name;
  Dims strides;
  int64_t offset = 0;
};
// scalar
struct ScalarAttr {
  std::string name;
};
// constant
struct ConstantAttr {
  Scalar value;
};
// iota, concat, gather, and what scatters
struct AxisAttr {
  int64_t axis = 0;
};
// permute (output axis i is input axis axes[i]); reduce (sorted)
struct AxesAttr {
  Dims axes;
};
// slice, update: index start + i * step, i below the extent
struct SliceAttr {
  Dims starts, steps;
};
// pad
struct PadAttr {
  Dims before, after;
};
// what loops and branches: the bodies (compiler/ir/loop.h), and which of their results the node is
struct Loop;
struct LoopAttr {
  std::shared_ptr<const Loop> loop;
  int64_t result = 0;
};
// apply: the function (compiler/ir/function.h), and which of its results the node is
struct Function;
struct ApplyAttr {
  std::shared_ptr<const Function> function;
  int64_t result = 0;
};
// kernel: what was given (compiler/ir/user_kernel.h), and which of its results the node is
struct UserKernel;
struct KernelAttr {
  std::shared_ptr<const UserKernel> kernel;
  int64_t result = 0;
};
using Attr = std::variant<std::monostate, InputAttr, ScalarAttr, ConstantAttr, AxisAttr, AxesAttr, SliceAttr,
                          PadAttr, LoopAttr, ApplyAttr, KernelAttr>;

class Node;

// A counted reference. Releasing the last one frees a chain of any length without recursion.
class NodeRef {
 public:
  NodeRef() = default;
  explicit NodeRef(const Node* node) : node_(node) { retain(); }  // takes one more count
  NodeRef(const NodeRef& o) : node_(o.node_) { retain(); }
  NodeRef(NodeRef&& o) noexcept : node_(o.node_) { o.node_ = nullptr; }
  NodeRef& operator=(NodeRef o) noexcept {
    std::swap(node_, o.node_);
    return *this;
  }
  inline ~NodeRef();
  const Node* get() const { return node_; }
  const Node& operator*() const { return *node_; }
  const Node* operator->() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  friend bool operator==(const NodeRef& a, const NodeRef& b) { return a.node_ == b.node_; }

 private:
  friend class Node;
  inline void retain() const;
  static inline void release(const Node* node);
  static void bury(const Node* node);
  const Node* node_ = nullptr;
};

// Up to three inputs inside the node, more on the heap. Moved from function to function until they are the
// node's: every copy of a reference is an atomic operation.
class Inputs {
 public:
  Inputs() : inline_{} {}
  explicit Inputs(size_t size);  // that many empty references, to be set
  template <std::convertible_to<std::span<const NodeRef>> R>
  Inputs(const R& refs) : Inputs(std::span<const NodeRef>(refs).size()) {  // NOLINT: a list of inputs
    std::ranges::copy(std::span<const NodeRef>(refs), begin());
  }
  Inputs(std::initializer_list<NodeRef> refs) : Inputs(std::span(refs.begin(), refs.size())) {}
  Inputs(Inputs&& o) noexcept : size_(o.size_) {
    if (on_heap()) {
      heap_ = o.heap_;
      std::uninitialized_default_construct_n(o.inline_, kInline);
    } else {
      std::uninitialized_move_n(o.inline_, kInline, inline_);
    }
    o.size_ = 0;
  }
  ~Inputs() {
    if (on_heap())
      delete[] heap_;
    else
      std::destroy_n(inline_, kInline);
  }
  size_t size() const { return size_; }
  const NodeRef& operator[](size_t i) const { return begin()[i]; }
  NodeRef& operator[](size_t i) { return begin()[i]; }
  const NodeRef* begin() const { return on_heap() ? heap_ : inline_; }
  const NodeRef* end() const { return begin() + size_; }
  NodeRef* begin() { return on_heap() ? heap_ : inline_; }
  NodeRef* end() { return begin() + size_; }

 private:
  static constexpr uint32_t kInline = 3;
  bool on_heap() const { return size_ > kInline; }

  uint32_t size_ = 0;
  union {  // NOLINTBEGIN: its members are the class's private ones
    NodeRef inline_[kInline];
    NodeRef* heap_;  // where there are more
  };  // NOLINTEND
};

// What walks over graphs and releases touch lies in the first line of memory: graphs are larger than the
// first caches.
class alignas(64) Node : public Recycled<Node> {
  friend class NodeRef;
  mutable ReferenceCount count_;
  mutable std::atomic<bool> let_go_{false};

 public:
  Op op;

 private:
  mutable std::atomic<const Node*> computed_{nullptr};
  mutable const Node* next_dead_ = nullptr;  // once the last reference is gone

 public:
  Inputs inputs;
  TensorType type;
  Attr attr;
  Lines lines;

  const Shape& shape() const { return type.shape; }
  DType dtype() const { return type.dtype; }
  template <class A>
  const A& as() const {
    return std::get<A>(attr);
  }

  Node(Op o, TensorType t, Inputs&& in, Attr a, Lines l);
  Node(const Node&) = delete;
  ~Node() {
    if (const Node* value = computed()) NodeRef::release(value);
  }
  // How many references there are; 1 means that the asker's is the only one.
  uint32_t use_count() const { return count_.now(); }

  // What the front end computed for this node, which is no part of what the node says: an input node that
  // holds the value; null before. Whoever holds the node then needs nothing that it was computed from.
  const Node* computed() const { return computed_.load(std::memory_order_acquire); }
  // The first value stays.
  void set_computed(NodeRef value) const;
  // Whether the node was computed inside of a program that did not keep its value.
  bool let_go() const { return let_go_.load(std::memory_order_relaxed); }
  void set_let_go() const { let_go_.store(true, std::memory_order_relaxed); }
};

inline void NodeRef::retain() const {
  if (node_) node_->count_.add();
}
inline void NodeRef::release(const Node* node) {
  if (node->count_.drop()) bury(node);
}
inline NodeRef::~NodeRef() {
  if (node_) release(node_);
}

// A graph is a value: what it needs and what it gives. `inputs` are input and scalar nodes, in argument
// order; a node is in the graph when an output reaches it.
struct Graph {
  std::vector<NodeRef> inputs, outputs;
};

// Every node that the outputs reach, each after its inputs; iterative. The order depends on structure alone.
std::vector<const Node*> topological_order(std::span<const NodeRef> outputs);

// Same op, type, attribute and identical input references (handles compared by identity).
bool same_but_lines(const Node& a, const Node& b);
// Equal for nodes that are the same but for their lines; inputs and handles count by their addresses.
uint64_t hash_but_lines(const Node& node);

// The structure of a whole graph: which input is used where, every attribute, every shared node; not the
// handles, not the names, not the lines.
Hash hash_graph(const Graph& graph);

}  // namespace weft::ir
