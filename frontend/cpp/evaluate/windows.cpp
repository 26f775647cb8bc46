#include "frontend/cpp/evaluate/windows.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/part.h"

namespace weft::detail {
namespace {

using ir::Node;
using ir::Op;

// Elements of a window that are written beside it, and how much larger the whole has to be: so much is copied in less
// time than a program takes to be made, and in a small part of what computing it takes.
constexpr int64_t kMostPacked = 1 << 17, kPackedPart = 4;

// What is known of an input so far.
struct Found {
  size_t last = 0;  // the input, or the last update of it
  bool written = false, given = false, any = false, whole = false;
  Dims first, past;  // of all slices and updates
};

// What a slice or an update of `shape` covers.
void take_in(Found& found, const ir::SliceAttr& range, const Shape& extents) {
  if (element_count(extents) == 0) {
    found.whole = true;  // of nothing there is no first element
    return;
  }
  if (!found.any) found.first = range.starts, found.past = range.starts;
  found.any = true;
  for (size_t k = 0; k < extents.size(); ++k) {
    const int64_t end = range.starts[k] + (extents[k] - 1) * range.steps[k];
    found.first[k] = std::min({found.first[k], range.starts[k], end});
    found.past[k] = std::max({found.past[k], range.starts[k] + 1, end + 1});
  }
}

class Finder {
 public:
  Finder(std::span<const ir::NodeRef> outputs, Canonical& graph)
      : outputs_(outputs), graph_(graph), found_(graph.inputs.size()), input_of_(graph.order.size(), -1) {}

  void run() {
    size_t input = 0;
    for (size_t k = 0; k < graph_.order.size(); ++k) {
      const Node& node = *graph_.order[k];
      if (node.op == Op::input) {
        found_[input].last = k;
        found_[input].whole = !node.as<ir::InputAttr>().strides.empty() || !graph_.buffers[input];
        input_of_[k] = static_cast<int32_t>(input++);
      }
      for (size_t j = 0; j < node.inputs.size(); ++j) look(node, k, j);
    }
    for (const ir::NodeRef& output : outputs_) look_at_output(graph_.number_of(*output));
    for (size_t i = 0; i < found_.size(); ++i)
      if (std::optional<Window> window = window_of(i)) add(i, std::move(*window));
    if (!graph_.windows.empty()) say();
  }

 private:
  Found* found_of(size_t node) {
    return input_of_[node] < 0 ? nullptr : &found_[static_cast<size_t>(input_of_[node])];
  }

  // A node's operand: a slice of an input or of an update of it, the next update, or something else.
  void look(const Node& node, size_t at, size_t operand) {
    const size_t from = graph_.number_of(*node.inputs[operand]);
    Found* found = graph_.order[from]->op == Op::slice ? nullptr : found_of(from);
    if (!found) return;
    if (node.op == Op::slice) {
      take_in(*found, node.as<ir::SliceAttr>(), node.shape());
    } else if (node.op == Op::update && operand == 0 && found->last == from) {
      take_in(*found, node.as<ir::SliceAttr>(), node.inputs[1]->shape());
      found->last = at, found->written = true;
    } else {
      found->whole = true;
      return;
    }
    input_of_[at] = input_of_[from];
  }

  void look_at_output(size_t node) {
    Found* found = graph_.order[node]->op == Op::slice ? nullptr : found_of(node);
    if (!found) return;
    found->whole |= !found->written || found->last != node || found->given;
    found->given = true;
  }

  std::optional<Window> window_of(size_t input) const {
    const Found& found = found_[input];
    if (found.whole || !found.any || found.written != found.given) return std::nullopt;
    const Shape& shape = graph_.inputs[input]->shape();
    Window w;
    w.input = static_cast<uint32_t>(input), w.starts = found.first, w.extents = found.past;
    for (size_t k = 0; k < shape.size(); ++k) w.extents[k] -= w.starts[k];
    if (found.written && !is_packed(w.extents, shape)) make_row_major(w, shape);
    if (w.extents == shape) return std::nullopt;
    const Dims strides = contiguous_strides(shape);
    w.reach = 1;
    for (size_t k = 0; k < shape.size(); ++k) {
      w.offset += w.starts[k] * strides[k];
      w.reach += (w.extents[k] - 1) * strides[k];
    }
    if (w.reach != element_count(w.extents)) w.strides = strides;
    if (found.written) w.written = static_cast<int32_t>(found.last);
    return w;
  }

  // Whether what is written there is made in memory of its own, and copied from there: where that is little. Then no
  // rows have to be whole.
  static bool is_packed(const Shape& extents, const Shape& whole) {
    const int64_t count = element_count(extents);
    return count <= kMostPacked && count * kPackedPart <= element_count(whole);
  }

  // What is written in place has to be row-major: behind the first axis with more than one element, all of each.
  static void make_row_major(Window& w, const Shape& shape) {
    size_t axis = 0;
    while (axis < shape.size() && w.extents[axis] == 1) ++axis;
    for (size_t k = axis + 1; k < shape.size(); ++k) w.starts[k] = 0, w.extents[k] = shape[k];
  }

  void add(size_t input, Window&& window) {
    if (graph_.window_of.empty()) graph_.window_of.assign(graph_.order.size(), -1);
    for (size_t k = 0; k < input_of_.size(); ++k)
      if (input_of_[k] == static_cast<int32_t>(input))
        graph_.window_of[k] = static_cast<int32_t>(graph_.windows.size());
    graph_.windows.push_back(std::move(window));
  }

  // Says the structure by windows in place of inputs. See canonicalize() for where what stands.
  void say() {
    for (size_t k = 0; k < graph_.order.size(); ++k) {
      const Window* w = graph_.window(k);
      if (!w) continue;
      const Node& node = *graph_.order[k];
      const size_t rank = w->extents.size();
      size_t at = graph_.begins[k] + 2;
      if (node.op == Op::slice) at += rank + 1;
      for (size_t axis = 0; axis < rank; ++axis)
        graph_.words[at + axis] = static_cast<uint64_t>(
            node.op == Op::input ? w->extents[axis]
                                 : node.as<ir::SliceAttr>().starts[axis] - w->starts[axis]);
    }
    for (const Window& w : graph_.windows) {
      graph_.words.push_back(w.input);
      graph_.words.push_back(w.strides.size());
      for (int64_t stride : w.strides) graph_.words.push_back(static_cast<uint64_t>(stride));
    }
    graph_.words.push_back(graph_.windows.size());
  }

  std::span<const ir::NodeRef> outputs_;
  Canonical& graph_;
  std::vector<Found> found_;
  std::vector<int32_t> input_of_;  // of each node the input that it is a value or a slice of
};

void drop(Window& window, Canonical& graph) {
  window.used = false;
  const Shape& shape = graph.inputs[window.input]->shape();
  graph.words.push_back(window.input);
  for (size_t k = 0; k < shape.size(); ++k) {
    graph.words.push_back(static_cast<uint64_t>(window.starts[k]));
    graph.words.push_back(static_cast<uint64_t>(shape[k]));
  }
  graph.words.push_back(~uint64_t{0});
}

int64_t item_bytes(const Canonical& graph, const Window& window) {
  return static_cast<int64_t>(size_of(graph.inputs[window.input]->dtype()));
}

// A result that is an input as it was (max(x, x) is x) may lie where another result is about to be put.
void keep_apart(const runtime::BufferRef& written, std::vector<runtime::BufferRef>& results,
                const runtime::BufferRef& but) {
  runtime::BufferRef copy;
  for (runtime::BufferRef& result : results) {
    if (result != written || &result == &but) continue;
    if (!copy) {
      copy = written->device()->allocate(written->bytes());
      written->device()->copy(*copy, 0, *written, 0, written->bytes());
    }
    result = copy;
  }
}

// Copies the elements of a window, which lie one behind the other at `from`, to where they belong.
void unpack(const Window& window, const char* from, char* to, size_t bytes) {
  const size_t rank = window.extents.size(), row = static_cast<size_t>(window.extents[rank - 1]) * bytes;
  Dims at(rank, 0);
  for (;;) {
    int64_t place = 0;
    for (size_t k = 0; k + 1 < rank; ++k) place += at[k] * window.strides[k];
    std::memcpy(to + place * static_cast<int64_t>(bytes), from, row);
    from += row;
    size_t axis = rank - 1;
    while (axis > 0 && ++at[axis - 1] == window.extents[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace

void find_windows(std::span<const ir::NodeRef> outputs, Canonical& graph) {
  if (graph.in_parts) Finder(outputs, graph).run();
}

void drop_kept_windows(std::span<const ir::NodeRef> kept, Canonical& graph) {
  if (graph.windows.empty()) return;
  for (const ir::NodeRef& node : kept) {
    const int32_t window = graph.window_of[graph.number_of(*node)];
    if (node->op == Op::update && window >= 0 && graph.windows[static_cast<size_t>(window)].used)
      drop(graph.windows[static_cast<size_t>(window)], graph);
  }
}

void drop_written_windows(std::span<const int> given, Canonical& graph) {
  for (Window& window : graph.windows)
    if (window.used && window.written >= 0 &&
        std::ranges::find(given, static_cast<int>(window.input)) == given.end())
      drop(window, graph);
}

std::vector<int> to_give(std::span<const int> dying, const Canonical& graph) {
  std::vector<int> given(dying.begin(), dying.end());
  for (const Window& window : graph.windows)
    if (window.used && (window.written < 0 || !window.strides.empty()))
      std::erase(given, static_cast<int>(window.input));
  return given;
}

std::span<const runtime::BufferRef> arguments(const Canonical& graph,
                                              std::vector<runtime::BufferRef>& parts) {
  using Writable = runtime::Buffer::Writable;
  for (const Window& window : graph.windows) {
    if (!window.used) continue;
    if (parts.empty()) parts = graph.buffers;
    const int64_t bytes = item_bytes(graph, window);
    parts[window.input] = std::make_shared<runtime::Part>(
        graph.buffers[window.input], window.offset * bytes, window.reach * bytes,
        window.written < 0 ? Writable::Never : Writable::Freely);
  }
  return parts.empty() ? graph.buffers : parts;
}

void put_back(std::span<const ir::NodeRef> outputs, const Canonical& graph,
              std::span<const runtime::BufferRef> given, std::vector<runtime::BufferRef>& results) {
  for (const Window& window : graph.windows) {
    if (!window.used || window.written < 0) continue;
    const auto at = std::ranges::find_if(outputs, [&](const ir::NodeRef& n) {
      return graph.number_of(*n) == static_cast<size_t>(window.written);
    });
    runtime::BufferRef& result = results[static_cast<size_t>(at - outputs.begin())];
    const runtime::BufferRef& whole = graph.buffers[window.input];
    const int64_t bytes = item_bytes(graph, window);
    keep_apart(given[window.input], results, result);
    // What is written in place lies there already.
    if (!window.strides.empty())
      unpack(window, static_cast<const char*>(result->data()),
             static_cast<char*>(given[window.input]->data()), static_cast<size_t>(bytes));
    else if (result != given[window.input])
      whole->device()->copy(*whole, static_cast<size_t>(window.offset * bytes), *result, 0,
                            static_cast<size_t>(window.reach * bytes));
    result = whole;
  }
}

}  // namespace weft::detail
