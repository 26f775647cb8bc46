#include "frontend/cpp/evaluate/find_nans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/function.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/user_kernel.h"
#include "frontend/cpp/inspect/compare.h"

namespace weft::detail {

namespace {

// Elements of a float or complex tensor, row-major.
class Watched {
 public:
  Watched(const ir::TensorType& type, const std::byte* data, Watch watch)
      : type_(type), data_(data), infinities_(watch == Watch::NansAndInfinities) {}
  static bool has_any(const ir::TensorType& type) { return is_float(type.dtype) || is_complex(type.dtype); }
  Scalar at(size_t i) const { return Scalar::load(type_.dtype, data_ + i * size_of(type_.dtype)); }
  bool bad(size_t i) const {
    const Scalar s = at(i);
    return std::isnan(s.re) || std::isnan(s.im) || (infinities_ && (std::isinf(s.re) || std::isinf(s.im)));
  }
  size_t count() const { return static_cast<size_t>(element_count(type_.shape)); }

 private:
  const ir::TensorType& type_;
  const std::byte* data_;
  bool infinities_;
};

// Where an op made one.
struct Made {
  size_t number = 0;  // of the node in the graph's order
  size_t element = 0;
};

// An integer or a bool that is made of a float: where that was a NaN, its result does not say so.
bool hides(const ir::Node& node) {
  const bool makes_whole = node.op == ir::Op::cast || node.op == ir::Op::argmax || node.op == ir::Op::argmin;
  return makes_whole && !Watched::has_any(node.type) && Watched::has_any(node.inputs[0]->type);
}

// Follows what is bad in the outputs back to the ops that made it of operands that are good. What the outputs are made
// of is followed, too: a bad element may have become an integer that is not.
class Search {
 public:
  Search(const Canonical& graph, std::span<const ir::HostTensor> values, Watch watch)
      : graph_(graph), values_(values), watch_(watch), reached_(values.size()), used_(values.size()) {}

  // The first in the graph's order; none where it came with the inputs.
  std::optional<Made> first(std::span<const ir::NodeRef> outputs, bool through_hidden) {
    for (const ir::NodeRef& output : outputs) {
      reach_all(graph_.number_of(*output));
      if (through_hidden) use_all(*output);
    }
    std::optional<Made> made;
    for (size_t i = values_.size(); i-- > 0;) {
      if (ir::kind(graph_.order[i]->op) == ir::OpKind::Source) continue;
      if (!used_[i].empty()) use_operands(i);
      if (!reached_[i].empty())
        if (const std::optional<size_t> element = follow(i)) made = Made{i, *element};
      reached_[i] = used_[i] = {};
    }
    return made;
  }

 private:
  void use(const ir::NodeRef& node, size_t e) {
    std::vector<char>& used = used_[graph_.number_of(*node)];
    if (used.empty()) used.resize(static_cast<size_t>(element_count(node->shape())));
    used[e] = 1;
  }
  void use_all(const ir::Node& node) {
    used_[graph_.number_of(node)].assign(static_cast<size_t>(element_count(node.shape())), 1);
  }

  // What the used elements are made of. Of reductions, products and their like all elements are.
  void use_operands(size_t i) {
    const ir::Node& node = *graph_.order[i];
    const std::vector<char>& used = used_[i];
    if (ir::kind(node.op) == ir::OpKind::View && node.op != ir::Op::reshape) return use_viewed(node, used);
    const bool element_wise = ir::kind(node.op) == ir::OpKind::Map || node.op == ir::Op::reshape;
    const bool hidden = hides(node);
    if (!element_wise) {
      for (const ir::NodeRef& in : node.inputs) use_all(*in);
      if (hidden) reach_all(graph_.number_of(*node.inputs[0]));
      return;
    }
    for (size_t e = 0; e < used.size(); ++e) {
      if (!used[e]) continue;
      if (hidden) reach(graph_.number_of(*node.inputs[0]), e);
      if (node.op != ir::Op::select) {
        for (const ir::NodeRef& in : node.inputs) use(in, e);
        continue;
      }
      use(node.inputs[0], e);
      use(chosen(node, e), e);
    }
  }

  // The view of the elements' numbers says which elements it shows.
  void use_viewed(const ir::Node& node, const std::vector<char>& used) {
    std::vector<ir::NodeRef> numbered;
    std::vector<ir::HostTensor> numbers;
    std::vector<int64_t> first;  // of each operand
    int64_t next = 0;
    for (const ir::NodeRef& in : node.inputs) {
      const ir::TensorType type{DType::I64, in->shape()};
      ir::HostTensor those = ir::zeros(type, "the places of a view");
      first.push_back(next);
      for (int64_t e = 0; e < element_count(type.shape); ++e, ++next)
        Scalar::of(next).store(those.data.data() + static_cast<size_t>(e) * sizeof(int64_t));
      numbered.push_back(ir::input(type, {}));
      numbers.push_back(std::move(those));
    }
    const ir::Graph view{numbered, {ir::with_inputs(node, numbered)}};
    const ir::HostTensor shown = ir::interpret(view, numbers).front();
    for (size_t e = 0; e < used.size(); ++e) {
      if (!used[e]) continue;
      const int64_t number = Scalar::load(DType::I64, shown.data.data() + e * sizeof(int64_t)).i;
      const auto operand = static_cast<size_t>(std::ranges::upper_bound(first, number) - first.begin()) - 1;
      use(node.inputs[operand], static_cast<size_t>(number - first[operand]));
    }
  }

  // What a select gives there.
  const ir::NodeRef& chosen(const ir::Node& node, size_t e) const {
    const size_t condition = graph_.number_of(*node.inputs[0]);
    return node.inputs[Scalar::load(DType::Bool, values_[condition].data.data() + e).i != 0 ? 1 : 2];
  }

  Watched value(size_t i) const { return {values_[i].type, values_[i].data.data(), watch_}; }

  // Whether the operand has any.
  bool reach_all(size_t i) {
    if (!Watched::has_any(values_[i].type)) return false;
    const Watched x = value(i);
    bool any = false;
    for (size_t e = 0; e < x.count(); ++e)
      if (x.bad(e)) mark(i, e), any = true;
    return any;
  }
  bool reach(size_t i, size_t e) {
    if (!Watched::has_any(values_[i].type) || !value(i).bad(e)) return false;
    mark(i, e);
    return true;
  }
  void mark(size_t i, size_t e) {
    if (reached_[i].empty()) reached_[i].resize(value(i).count());
    reached_[i][e] = 1;
  }

  // Goes on to the operands; an element that none of them accounts for.
  std::optional<size_t> follow(size_t i) {
    const ir::Node& node = *graph_.order[i];
    const bool element_wise = ir::kind(node.op) == ir::OpKind::Map || node.op == ir::Op::reshape;
    std::optional<size_t> made;
    if (!element_wise) {
      bool any = false;
      for (const ir::NodeRef& in : node.inputs) any |= reach_all(graph_.number_of(*in));
      for (size_t e = 0; !any && !made && e < reached_[i].size(); ++e)
        if (reached_[i][e]) made = e;
      return made;
    }
    for (size_t e = 0; e < reached_[i].size(); ++e)
      if (reached_[i][e] && !follow_element(node, e) && !made) made = e;
    return made;
  }
  bool follow_element(const ir::Node& node, size_t e) {
    if (node.op == ir::Op::select) return reach(graph_.number_of(*chosen(node, e)), e);
    bool any = false;
    for (const ir::NodeRef& in : node.inputs) any |= reach(graph_.number_of(*in), e);
    return any;
  }

  const Canonical& graph_;
  std::span<const ir::HostTensor> values_;
  Watch watch_;
  std::vector<std::vector<char>> reached_;  // of each node its bad elements; empty: none
  std::vector<std::vector<char>> used_;     // of each node those that an output is made of; empty: none
};

// "log(-1.0)" for what is computed element by element, else "sum of f32[8, 4]".
std::string call_of(const Canonical& graph, std::span<const ir::HostTensor> values, const Made& made) {
  const ir::Node& node = *graph.order[made.number];
  std::string operands;
  const bool map = ir::kind(node.op) == ir::OpKind::Map;
  for (const ir::NodeRef& in : node.inputs) {
    const ir::HostTensor& x = values[graph.number_of(*in)];
    operands += operands.empty() ? "" : ", ";
    operands +=
        map ? ir::to_string(Scalar::load(x.type.dtype, x.data.data() + made.element * size_of(x.type.dtype)))
            : fmt::format("{}{}", name(x.type.dtype), to_string(x.type.shape));
  }
  return fmt::format("{}({})", ir::title_of(node), operands);
}

bool holds_any(DeviceSlot& device, const ir::TensorType& type, const runtime::BufferRef& buffer,
               Watch watch) {
  if (!Watched::has_any(type)) return false;
  const size_t bytes = static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype);
  std::vector<std::byte> copy = ir::host_memory(bytes, "a result that is looked through for NaN");
  device.device->download(copy.data(), *buffer, 0, bytes);
  const Watched x(type, copy.data(), watch);
  for (size_t e = 0; e < x.count(); ++e)
    if (x.bad(e)) return true;
  return false;
}

// Of what the graph turns into integers or bools, whether it holds any: a bool each.
std::vector<ir::NodeRef> tests_of_hidden(const Canonical& graph, Watch watch) {
  std::vector<ir::NodeRef> tests;
  for (const ir::Node* node : graph.order) {
    if (!hides(*node) || ir::kind(node->inputs[0]->op) == ir::OpKind::Source) continue;
    const ir::NodeRef& x = node->inputs[0];
    ir::NodeRef bad = ir::map(watch == Watch::Nans ? ir::Op::isnan : ir::Op::isfinite, {x});
    if (watch != Watch::Nans) bad = ir::map(ir::Op::logical_not, {bad});
    Dims axes;
    for (int64_t axis = 0; axis < static_cast<int64_t>(x->shape().size()); ++axis) axes.push_back(axis);
    tests.push_back(axes.empty() ? bad : ir::reduce(ir::Op::any, bad, axes));
  }
  return tests;
}

}  // namespace

void refuse_made(const SessionState& session, ir::Op op, std::span<const Scalar> operands,
                 const Scalar& value, const Shape& shape, const SourceLine& line) {
  const Watch watch = session.watch.load(std::memory_order_relaxed);
  const auto is_bad = [&](const Scalar& s) {
    if (!is_float(s.dtype) && !is_complex(s.dtype)) return false;
    return std::isnan(s.re) || std::isnan(s.im) ||
           (watch == Watch::NansAndInfinities && (std::isinf(s.re) || std::isinf(s.im)));
  };
  if (watch == Watch::Nothing || !is_bad(value) || std::ranges::any_of(operands, is_bad)) return;
  std::string given;
  for (const Scalar& x : operands) given += (given.empty() ? "" : ", ") + ir::to_string(x);
  const bool is_nan = std::isnan(value.re) || std::isnan(value.im);
  throw Error(fmt::format("debug_nans: {}({}){} made {} of {}{}", ir::name(op), given,
                          line.file ? " at " + to_string(std::span(&line, 1)) : "",
                          is_nan ? "NaN" : ir::to_string(value), name(value.dtype), to_string(shape)));
}

std::vector<ir::Elements> host_inputs(DeviceSlot& device, const Canonical& graph,
                                      std::vector<std::vector<std::byte>>& copies) {
  std::vector<ir::Elements> inputs;
  inputs.reserve(graph.inputs.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const runtime::Buffer& buffer = *graph.buffers[i];
    if (device.device->host_visible()) {
      inputs.push_back({static_cast<const std::byte*>(buffer.data()), false});
      continue;
    }
    const ir::TensorType& type = graph.inputs[i]->type;
    const size_t bytes = static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype);
    std::vector<std::byte>& copy = copies.emplace_back(bytes);
    device.device->download(copy.data(), buffer, 0, bytes);
    inputs.push_back({copy.data(), false});
  }
  return inputs;
}

void refuse_nans(DeviceSlot& device, std::span<const ir::NodeRef> nodes, const Canonical& graph,
                 std::span<const runtime::BufferRef> values, const AnyTrue& any_true) {
  const Watch watch = device.session.watch.load(std::memory_order_relaxed);
  bool bad = false;
  for (size_t i = 0; i < nodes.size(); ++i) bad |= holds_any(device, nodes[i]->type, values[i], watch);
  const std::vector<ir::NodeRef> tests = tests_of_hidden(graph, watch);
  const bool hidden = !tests.empty() && any_true(tests);
  if (!bad && !hidden) return;
  std::vector<std::vector<std::byte>> copies;
  const std::vector<ir::Elements> inputs = host_inputs(device, graph, copies);
  std::vector<size_t> all(graph.order.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<ir::HostTensor> found =
      ir::interpret(graph.order, inputs, all, [&](const ir::Node* node) { return graph.number_of(*node); });
  const std::optional<Made> made = Search(graph, found, watch).first(nodes, hidden);
  if (!made) return;  // it came with the inputs
  const ir::Node& node = *graph.order[made->number];
  const ir::HostTensor& result = found[made->number];
  const Scalar value =
      Scalar::load(result.type.dtype, result.data.data() + made->element * size_of(result.type.dtype));
  const bool is_nan = std::isnan(value.re) || std::isnan(value.im);
  const std::string lines = to_string(node.lines);
  throw Error(fmt::format("debug_nans: {}{} made {} at {} of {}{}", call_of(graph, found, *made),
                          lines.empty() ? "" : " at " + lines, is_nan ? "NaN" : ir::to_string(value),
                          position(made->element, node.shape()), name(node.dtype()),
                          to_string(node.shape())));
}

}  // namespace weft::detail
