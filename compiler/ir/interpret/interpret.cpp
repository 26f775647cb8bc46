#include "compiler/ir/interpret/interpret.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "compiler/base/error.h"
#include "compiler/base/repeat.h"
#include "compiler/ir/function.h"
#include "compiler/ir/interpret/interpret_function.h"
#include "compiler/ir/interpret/interpret_reduce.h"
#include "compiler/ir/interpret/walk.h"
#include "compiler/ir/loop.h"
#include "compiler/ir/node_index.h"
#include "compiler/ir/ops/evaluate.h"
#include "compiler/ir/ops/storage.h"
#include "compiler/ir/user_kernel.h"

namespace weft::ir {
namespace {

// A node's elements while they are needed. One element stands for all when they are known to be equal, so
// constants, scalars and what is computed from them cost one element whatever their shape. Reshaped values
// share their buffer.
struct Value {
  Elements elements;
  std::shared_ptr<std::byte[]> owned;  // null for what the caller owns
};

// f(), which takes memory.
template <class F>
auto granted(size_t bytes, std::string_view what, F&& f) {
  const auto refused = [&] {
    return OutOfMemory(std::string(what) + ": " + std::to_string(bytes) +
                       " bytes are more memory than the system grants");
  };
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw refused();
  } catch (const std::length_error&) {
    throw refused();
  }
}

std::shared_ptr<std::byte[]> allocate(Op op, DType dtype, int64_t count) {
  const size_t bytes = static_cast<size_t>(count) * size_of(dtype);
  return granted(bytes, name(op), [&] { return std::make_shared_for_overwrite<std::byte[]>(bytes); });
}

Dims strides_of(const Value& value, const Shape& shape) {
  return value.elements.splat ? Dims(shape.size(), 0) : contiguous_strides(shape);
}

template <size_t bytes>
void copy_items(const Shape& shape, const std::byte* from, int64_t from_start, const Dims& from_strides,
                std::byte* to, int64_t to_start, const Dims& to_strides) {
  walk<2>(shape, {from_strides, to_strides}, {from_start, to_start}, [from, to](const auto& at) {
    std::memcpy(to + at[1] * int64_t{bytes}, from + at[0] * int64_t{bytes}, bytes);
  });
}

// Moves the elements of `shape` between two stridings.
void copy(DType dtype, const Shape& shape, const std::byte* from, int64_t from_start,
          const Dims& from_strides, std::byte* to, int64_t to_start, const Dims& to_strides) {
  const auto items = [&]<size_t bytes>(std::integral_constant<size_t, bytes>) {
    copy_items<bytes>(shape, from, from_start, from_strides, to, to_start, to_strides);
  };
  switch (size_of(dtype)) {
    case 1:
      return items(std::integral_constant<size_t, 1>());
    case 2:
      return items(std::integral_constant<size_t, 2>());
    case 4:
      return items(std::integral_constant<size_t, 4>());
    case 8:
      return items(std::integral_constant<size_t, 8>());
    default:
      return items(std::integral_constant<size_t, 16>());
  }
}

// Evaluates one node from its inputs' values.
class Step {
 public:
  Step(const Node& node, std::span<const Value* const> in) : node_(node), in_(in) {}

  Value run() {
    switch (kind(node_.op)) {
      case OpKind::Source:
      case OpKind::View:
      case OpKind::Loop:  // not a step of its own
        break;
      case OpKind::Kernel:
        if (user_kernel_of(node_)->library) return of_library();
        throw Error(user_kernel_of(node_)->title +
                    ": a kernel of its own text is compiled, not interpreted: compute it on its device");
      case OpKind::Map:
        return is_apply(node_) ? applied() : mapped();
      case OpKind::Gather:
        return gathered();
      case OpKind::Scatter:
        return scattered();
      case OpKind::Update:
        return updated();
      case OpKind::Reduce: {
        Value result = dense();
        interpret_reduce(node_, strided(0), bytes(result));
        return result;
      }
      case OpKind::Scan: {
        Value result = dense();
        interpret_scan(node_, strided(0), bytes(result));
        return result;
      }
      case OpKind::Dot: {
        Value result = dense();
        interpret_dot(node_, strided(0), strided(1), bytes(result));
        return result;
      }
    }
    switch (node_.op) {
      case Op::constant:
        return constant();
      case Op::iota:
        return iota();
      case Op::reshape:
        return *in_[0];
      case Op::broadcast:
      case Op::permute:
      case Op::slice:
        return moved();
      case Op::pad:
        return padded();
      case Op::concat:
        return concatenated();
      default:
        throw InternalError("interpret: no rule for " + std::string(name(node_.op)));
    }
  }

 private:
  Value fresh(int64_t count, bool splat) const {
    Value v;
    v.owned = allocate(node_.op, node_.dtype(), count);
    v.elements = {v.owned.get(), splat};
    return v;
  }
  Value dense() const { return fresh(element_count(node_.shape()), false); }
  static std::byte* bytes(Value& v) { return v.owned.get(); }
  const Node& from(size_t i) const { return *node_.inputs[i]; }
  Dims strides(size_t i) const { return strides_of(*in_[i], from(i).shape()); }
  const std::byte* data(size_t i) const { return in_[i]->elements.data; }
  Strided strided(size_t i) const { return {data(i), from(i).shape(), strides(i)}; }

  Value constant() const {
    Value result = fresh(1, true);
    node_.as<ConstantAttr>().value.store(bytes(result));
    return result;
  }

  Value of_library() const {
    const UserKernel& kernel = *user_kernel_of(node_);
    std::vector<Value> held;
    std::vector<uint64_t> words;
    const auto hold = [&](const TensorType& type) {
      Value& value = held.emplace_back();
      value.owned = allocate(node_.op, type.dtype, element_count(type.shape));
      value.elements = {value.owned.get(), false};
      words.push_back(reinterpret_cast<uint64_t>(value.owned.get()));
    };
    for (size_t i = 0; i < in_.size(); ++i) {
      if (!in_[i]->elements.splat) {
        words.push_back(reinterpret_cast<uint64_t>(data(i)));
        continue;
      }
      hold(from(i).type);
      const size_t item = size_of(from(i).dtype());
      for (int64_t k = 0; k < element_count(from(i).shape()); ++k)
        std::memcpy(bytes(held.back()) + static_cast<size_t>(k) * item, data(i), item);
    }
    const size_t first = held.size();
    for (const TensorType& type : kernel.results) hold(type);
    for (const int64_t number : kernel.numbers) words.push_back(static_cast<uint64_t>(number));
    kernel.library->run(words.data(), 0, kernel.grid[0], nullptr);
    return held[first + static_cast<size_t>(node_.as<KernelAttr>().result)];
  }

  Value iota() const {
    Value result = dense();
    const auto axis = static_cast<size_t>(node_.as<AxisAttr>().axis);
    Dims position(node_.shape().size(), 0);
    position[axis] = 1;
    walk<2>(node_.shape(), {position, contiguous_strides(node_.shape())}, {0, 0}, [&](const auto& at) {
      Scalar::of(at[0])
          .cast(node_.dtype())
          .store(bytes(result) + static_cast<size_t>(at[1]) * size_of(node_.dtype()));
    });
    return result;
  }

  Value mapped() const {
    Elements args[kMostOperands];
    const size_t arity = std::min(in_.size(), std::size(args));
    bool splat = true;
    for (size_t i = 0; i < arity; ++i) {
      args[i] = in_[i]->elements;
      splat = splat && args[i].splat;
    }
    const int64_t count = splat ? 1 : element_count(node_.shape());
    Value result = fresh(count, splat);
    evaluate_map(node_.op, from(arity - 1).dtype(), node_.dtype(), {args, arity}, bytes(result), count);
    return result;
  }

  // Each result runs the function: who has many elements compiles it.
  Value applied() const {
    bool splat = true;
    for (const Value* in : in_) splat = splat && in->elements.splat;
    const int64_t count = splat ? 1 : element_count(node_.shape());
    Value result = fresh(count, splat);
    const auto number = static_cast<size_t>(node_.as<ApplyAttr>().result);
    std::vector<Scalar> args(in_.size());
    for (int64_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < args.size(); ++k) {
        const DType t = from(k).dtype();
        args[k] =
            Scalar::load(t, data(k) + (in_[k]->elements.splat ? 0 : static_cast<size_t>(i) * size_of(t)));
      }
      ir::run(*function_of(node_), args)[number].store(bytes(result) +
                                                       static_cast<size_t>(i) * size_of(node_.dtype()));
    }
    return result;
  }

  // broadcast, permute, slice: a start and strides into the input.
  Value moved() const {
    if (in_[0]->elements.splat) return *in_[0];
    const size_t rank = node_.shape().size();
    const Dims source = strides(0);
    Dims view(rank, 0);
    int64_t start = 0;
    if (node_.op == Op::broadcast) {
      const Shape& shape = from(0).shape();
      if (element_count(shape) == 1) return {{data(0), true}, in_[0]->owned};
      for (size_t i = 0; i < shape.size(); ++i) view[rank - shape.size() + i] = shape[i] == 1 ? 0 : source[i];
    } else if (node_.op == Op::permute) {
      const Dims& axes = node_.as<AxesAttr>().axes;
      for (size_t i = 0; i < rank; ++i) view[i] = source[static_cast<size_t>(axes[i])];
    } else {
      const auto& range = node_.as<SliceAttr>();
      for (size_t i = 0; i < rank; ++i) {
        start += range.starts[i] * source[i];
        view[i] = range.steps[i] * source[i];
      }
    }
    Value result = dense();
    copy(node_.dtype(), node_.shape(), data(0), start, view, bytes(result), 0,
         contiguous_strides(node_.shape()));
    return result;
  }

  // The result with every element of input i, or its only one, in it.
  Value filled_with(size_t i) const {
    Value result = dense();
    const Dims source = from(i).shape() == node_.shape() ? strides(i) : Dims(node_.shape().size(), 0);
    copy(node_.dtype(), node_.shape(), data(i), 0, source, bytes(result), 0,
         contiguous_strides(node_.shape()));
    return result;
  }

  Value padded() const {
    Value result = filled_with(1);
    const Dims to = contiguous_strides(node_.shape());
    int64_t start = 0;
    for (size_t i = 0; i < to.size(); ++i) start += node_.as<PadAttr>().before[i] * to[i];
    copy(node_.dtype(), from(0).shape(), data(0), 0, strides(0), bytes(result), start, to);
    return result;
  }

  Value concatenated() const {
    Value result = dense();
    const auto axis = static_cast<size_t>(node_.as<AxisAttr>().axis);
    const Dims to = contiguous_strides(node_.shape());
    int64_t start = 0;
    for (size_t i = 0; i < in_.size(); ++i) {
      copy(node_.dtype(), from(i).shape(), data(i), 0, strides(i), bytes(result), start, to);
      start += from(i).shape()[axis] * to[axis];
    }
    return result;
  }

  Value updated() const {
    Value result = filled_with(0);
    const auto& range = node_.as<SliceAttr>();
    Dims to = contiguous_strides(node_.shape());
    int64_t start = 0;
    for (size_t i = 0; i < to.size(); ++i) {
      start += range.starts[i] * to[i];
      to[i] *= range.steps[i];
    }
    copy(node_.dtype(), from(1).shape(), data(1), 0, strides(1), bytes(result), start, to);
    return result;
  }

  // Strides of input i against a shape that it broadcasts to axis by axis; 0 along `axis` when `fixed`.
  Dims indexed_strides(size_t i, const Shape& shape, size_t axis, bool fixed) const {
    Dims result = strides(i);
    for (size_t k = 0; k < result.size(); ++k) {
      if (k == axis ? fixed : from(i).shape()[k] != shape[k]) result[k] = 0;
    }
    return result;
  }

  // Negative indices count from the end; what is still outside goes to the nearest element.
  static int64_t position(const std::byte* index, int64_t at, int64_t extent) {
    const int64_t i = Storage<DType::I64>::load(index, at);
    return std::clamp<int64_t>(i < 0 ? i + extent : i, 0, extent - 1);
  }

  Value gathered() const {
    if (in_[0]->elements.splat) return *in_[0];
    Value result = dense();
    const auto axis = static_cast<size_t>(node_.as<AxisAttr>().axis);
    const Shape& shape = node_.shape();
    const int64_t extent = from(0).shape()[axis], stride = strides(0)[axis];
    const size_t size = size_of(node_.dtype());
    std::byte* to = bytes(result);
    walk<3>(shape,
            {indexed_strides(0, shape, axis, true), indexed_strides(1, shape, axis, false),
             contiguous_strides(shape)},
            {0, 0, 0}, [&](const auto& at) {
              const int64_t source = at[0] + position(data(1), at[1], extent) * stride;
              std::memcpy(to + static_cast<size_t>(at[2]) * size,
                          data(0) + static_cast<size_t>(source) * size, size);
            });
    return result;
  }

  Value scattered() const {
    Value result = filled_with(0);
    const auto axis = static_cast<size_t>(node_.as<AxisAttr>().axis);
    const Shape& shape = from(2).shape();
    Dims target = contiguous_strides(node_.shape());
    const int64_t extent = node_.shape()[axis], stride = target[axis];
    target[axis] = 0;
    const size_t size = size_of(node_.dtype());
    std::byte* to = bytes(result);
    walk<3>(shape, {target, indexed_strides(1, shape, axis, false), strides(2)}, {0, 0, 0},
            [&](const auto& at) {
              std::byte* element =
                  to + static_cast<size_t>(at[0] + position(data(1), at[1], extent) * stride) * size;
              const std::byte* value = data(2) + static_cast<size_t>(at[2]) * size;
              if (node_.op != Op::scatter_add) {
                std::memcpy(element, value, size);
              } else {
                const Elements both[] = {{element, true}, {value, true}};
                evaluate_map(Op::add, node_.dtype(), node_.dtype(), both, element, 1);
              }
            });
    return result;
  }

  const Node& node_;
  std::span<const Value* const> in_;
};

Elements argument(const Node& node, const HostTensor& given) {
  const bool scalar = node.op == Op::scalar;
  const auto bytes = static_cast<size_t>(scalar ? 1 : element_count(node.shape())) * size_of(node.dtype());
  if (given.type.dtype != node.dtype() || (!scalar && given.type.shape != node.shape()) ||
      given.data.size() != bytes) {
    throw Error("interpret: an argument must be " + std::string(name(node.dtype())) +
                (scalar ? " of one element" : to_string(node.shape())) + ": got " +
                std::string(name(given.type.dtype)) + to_string(given.type.shape) + " of " +
                std::to_string(given.data.size()) + " bytes");
  }
  return {given.data.data(), scalar};
}

HostTensor result_of(const Node& node, const Value& value) {
  HostTensor result{node.type, {}};
  const auto count = static_cast<size_t>(element_count(node.shape()));
  const size_t size = size_of(node.dtype());
  if (!value.elements.splat) {
    granted(count * size, name(node.op),
            [&] { result.data.assign(value.elements.data, value.elements.data + count * size); });
    return result;
  }
  result.data = host_memory(count * size, name(node.op));
  repeat(result.data.data(), value.elements.data, size, count);
  return result;
}

HostTensor whole_number(int64_t value) {
  HostTensor one = zeros({DType::I64, {}}, "a loop's turn");
  std::memcpy(one.data.data(), &value, sizeof value);
  return one;
}

// Part `at` of a tensor along its first axis, as long as `part`.
std::byte* part_of(HostTensor& whole, int64_t at, const HostTensor& part) {
  return whole.data.data() + static_cast<size_t>(at) * part.data.size();
}

std::vector<HostTensor> scanned(const Loop& loop, std::vector<HostTensor> operands) {
  const Graph& body = loop.bodies[0];
  std::vector<HostTensor> results, given = operands;
  for (const TensorType& type : loop.results) results.push_back(zeros(type, "scan"));
  for (size_t i = loop.carries; i < loop.carries + loop.sliced; ++i)
    given[i] = zeros(body.inputs[i]->type, "scan");
  given.push_back(whole_number(0));
  for (int64_t k = 0; k < loop.length; ++k) {
    const int64_t turn = loop.reverse ? loop.length - 1 - k : k;
    for (size_t i = loop.carries; i < loop.carries + loop.sliced; ++i)
      std::copy_n(part_of(operands[i], turn, given[i]), given[i].data.size(), given[i].data.data());
    given.back() = whole_number(turn);
    std::vector<HostTensor> made = interpret(body, given);
    for (size_t i = 0; i < made.size(); ++i) {
      if (i < loop.carries)
        given[i] = std::move(made[i]);
      else
        std::ranges::copy(made[i].data, part_of(results[i], turn, made[i]));
    }
  }
  std::move(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(loop.carries), results.begin());
  return results;
}

std::vector<HostTensor> repeated(const Loop& loop, std::vector<HostTensor> operands) {
  operands.push_back(whole_number(0));
  for (int64_t turn = 0; interpret(loop.bodies[0], operands)[0].data[0] != std::byte{0};) {
    std::vector<HostTensor> made = interpret(loop.bodies[1], operands);
    std::move(made.begin(), made.end(), operands.begin());
    operands.back() = whole_number(++turn);
  }
  operands.resize(loop.carries);
  return operands;
}

std::vector<HostTensor> interpret_loop(const Loop& loop, std::vector<HostTensor> operands) {
  if (loop.op == Op::scan) return scanned(loop, std::move(operands));
  if (loop.op == Op::while_loop) return repeated(loop, std::move(operands));
  int64_t chosen = 0;
  std::memcpy(&chosen, operands[0].data.data(), sizeof chosen);
  chosen = std::clamp<int64_t>(chosen, 0, static_cast<int64_t>(loop.bodies.size()) - 1);
  operands.erase(operands.begin());
  return interpret(loop.bodies[static_cast<size_t>(chosen)], operands);
}

// Loops that were run, each for all of its results.
class Loops {
 public:
  Value result(const Node& node, std::span<const Value* const> in) {
    const auto known = std::ranges::find_if(ran_, [&](const Ran& one) { return same_loop(*one.node, node); });
    const Ran& ran = known == ran_.end() ? run(node, in) : *known;
    const HostTensor& found = ran.results[result_number(node)];
    Value value{{nullptr, false}, allocate(node.op, node.dtype(), element_count(node.shape()))};
    std::ranges::copy(found.data, value.owned.get());
    value.elements.data = value.owned.get();
    return value;
  }

 private:
  struct Ran {
    const Node* node;
    std::vector<HostTensor> results;
  };
  const Ran& run(const Node& node, std::span<const Value* const> in) {
    std::vector<HostTensor> operands;
    operands.reserve(in.size());
    for (size_t i = 0; i < in.size(); ++i) operands.push_back(result_of(*node.inputs[i], *in[i]));
    ran_.push_back({&node, interpret_loop(*loop_of(node), std::move(operands))});
    return ran_.back();
  }
  std::vector<Ran> ran_;
};

}  // namespace

std::vector<std::byte> host_memory(size_t bytes, std::string_view what) {
  return granted(bytes, what, [&] { return std::vector<std::byte>(bytes); });
}

HostTensor zeros(const TensorType& type, std::string_view what) {
  return {type, host_memory(static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype), what)};
}

std::vector<HostTensor> interpret(const Graph& graph, std::span<const HostTensor> inputs) {
  if (inputs.size() != graph.inputs.size()) {
    throw Error("interpret: the graph takes " + std::to_string(graph.inputs.size()) + " arguments: got " +
                std::to_string(inputs.size()));
  }
  const std::vector<const Node*> order = topological_order(graph.outputs);
  NodeIndex index(order.size() + inputs.size());
  for (size_t i = 0; i < order.size(); ++i) index.insert(order[i], static_cast<int32_t>(i));
  const auto number = [&](const Node* node) { return static_cast<size_t>(index.find(node)); };
  std::vector<Elements> given(order.size());
  std::vector<char> known(order.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node& node = *graph.inputs[i];
    const Elements elements = argument(node, inputs[i]);
    if (index.find(&node) < 0) continue;
    given[number(&node)] = elements;
    known[number(&node)] = true;
  }
  std::vector<Elements> used;
  for (size_t i = 0; i < order.size(); ++i) {
    if (!is_given(order[i]->op)) continue;
    if (!known[i]) throw InternalError("interpret: the graph uses an input that is not among its inputs");
    used.push_back(given[i]);
  }
  std::vector<size_t> outputs;
  outputs.reserve(graph.outputs.size());
  for (const NodeRef& out : graph.outputs) outputs.push_back(number(out.get()));
  return interpret(order, used, outputs, number);
}

std::vector<HostTensor> interpret(std::span<const Node* const> order, std::span<const Elements> inputs,
                                  std::span<const size_t> outputs,
                                  const std::function<size_t(const Node*)>& number) {
  std::vector<Value> values(order.size());
  std::vector<uint32_t> uses(order.size(), 0);
  for (const Node* node : order)
    for (const NodeRef& in : node->inputs) ++uses[number(in.get())];
  for (size_t out : outputs) ++uses[out];
  auto input = inputs.begin();
  std::vector<const Value*> args;
  std::vector<size_t> places;
  Loops loops;
  for (size_t i = 0; i < order.size(); ++i) {
    const Node& node = *order[i];
    if (is_given(node.op)) {
      values[i].elements = *input++;
      continue;
    }
    args.clear();
    places.clear();
    for (const NodeRef& in : node.inputs) {
      places.push_back(number(in.get()));
      args.push_back(&values[places.back()]);
    }
    Value result = is_loop(node) ? loops.result(node, args) : Step(node, args).run();
    for (size_t at : places)
      if (--uses[at] == 0) values[at] = {};
    values[i] = std::move(result);
  }
  std::vector<HostTensor> results;
  results.reserve(outputs.size());
  for (size_t out : outputs) results.push_back(result_of(*order[out], values[out]));
  return results;
}

}  // namespace weft::ir
