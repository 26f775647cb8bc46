#include "frontend/cpp/evaluate.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/interpret.h"
#include "frontend/cpp/canonical.h"

namespace weft::detail {
namespace {

size_t bytes_of(const ir::TensorType& type) {
  return static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype);
}

std::vector<runtime::BufferRef> interpreted(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                            const Canonical& graph) {
  std::vector<ir::HostTensor> inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    ir::HostTensor& in = inputs.emplace_back(ir::HostTensor{graph.inputs[i]->type, {}});
    in.data.resize(bytes_of(in.type));
    device.device->download(in.data.data(), *graph.buffers[i], 0, in.data.size());
  }
  const std::vector<ir::HostTensor> values = ir::interpret(graph_of(nodes, graph, false), inputs);
  std::vector<runtime::BufferRef> result;
  for (const ir::HostTensor& value : values) {
    result.push_back(device.device->allocate(value.data.size()));
    device.device->upload(*result.back(), 0, value.data.data(), value.data.size());
  }
  ++device.session.counters.interpreted;
  return result;
}

// No kernel computes a scatter, since the order of its stores matters: its inputs are computed, then the
// interpreter does it, and the graphs that use it find it computed.
void compute_scatter(DeviceSlot& device, const ir::NodeRef& scatter) {
  const ir::NodeRef from[] = {scatter->inputs[0], scatter->inputs[1], scatter->inputs[2]};
  const std::vector<runtime::BufferRef> buffers = evaluate(device, from);
  std::vector<ir::NodeRef> inputs;
  for (size_t i = 0; i < buffers.size(); ++i) inputs.push_back(input_node(from[i]->type, buffers[i]));
  const ir::NodeRef alone[] = {ir::make(scatter->op, inputs, scatter->attr, scatter->type, scatter->lines)};
  Canonical graph;
  Computed none;
  canonicalize(alone, none, graph);
  const ir::NodeRef value = input_node(scatter->type, interpreted(device, alone, graph)[0]);
  device.session.computed.put(scatter, value);
}

}  // namespace

ProgramCache::Program program_for(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                  const Canonical& graph) {
  SessionState& session = device.session;
  const Hash key = graph.key(device.key);
  if (ProgramCache::Program known = session.programs.find(key)) {
    session.counters.program_hits.fetch_add(1, std::memory_order_relaxed);
    return known;
  }
  session.counters.program_misses.fetch_add(1, std::memory_order_relaxed);
  Program program = compile(graph_of(nodes, graph, true), device.target, session.compile_options());
  if (auto log = spdlog::get("weft"); log->should_log(spdlog::level::debug)) {
    log->debug("program {}: {} nodes, {} ops, {} kernels", to_string(key), graph.order.size(),
               program.ops_before, program.kernels.size());
  }
  return session.programs.put(
      key, std::make_shared<runtime::Executable>(std::move(program), device.device, session.counters));
}

void prepare(DeviceSlot& device, std::span<const ir::NodeRef> nodes, Canonical& graph) {
  canonicalize(nodes, device.session.computed, graph);
  while (graph.scatter) {
    compute_scatter(device, ir::NodeRef(graph.scatter));
    canonicalize(nodes, device.session.computed, graph);
  }
}

namespace {

// Scratch of a thread; evaluating a scatter's inputs takes a second one.
class BorrowedCanonical {
 public:
  BorrowedCanonical() {
    if (spare().empty()) spare().push_back(std::make_unique<Canonical>());
    canonical_ = std::move(spare().back());
    spare().pop_back();
  }
  ~BorrowedCanonical() {
    canonical_->clear();  // buffers are not held for longer than they are needed
    spare().push_back(std::move(canonical_));
  }
  BorrowedCanonical(const BorrowedCanonical&) = delete;
  Canonical& operator*() { return *canonical_; }

 private:
  static std::vector<std::unique_ptr<Canonical>>& spare() {
    thread_local std::vector<std::unique_ptr<Canonical>> list;
    return list;
  }
  std::unique_ptr<Canonical> canonical_;
};

}  // namespace

ir::NodeRef input_node(const ir::TensorType& type, runtime::BufferRef buffer) {
  return ir::NodeRef(new ir::Node(ir::Op::input, type, {}, ir::InputAttr{std::move(buffer), {}, {}, 0}, {}));
}

std::vector<runtime::BufferRef> evaluate(DeviceSlot& device, std::span<const ir::NodeRef> nodes) {
  const bool lie_in_memory =
      std::all_of(nodes.begin(), nodes.end(), [](const ir::NodeRef& n) { return n->op == ir::Op::input; });
  std::vector<runtime::BufferRef> result;
  if (lie_in_memory) {
    for (const ir::NodeRef& n : nodes) result.push_back(buffer_of(*n));
    return result;
  }
  BorrowedCanonical borrowed;
  Canonical& graph = *borrowed;
  prepare(device, nodes, graph);
  if (graph.order.size() == 1 && !graph.buffers.empty()) {
    // The node was computed for another array.
    result.assign(nodes.size(), graph.buffers[0]);
    return result;
  }
  if (graph.elements <= device.session.options.interpret_limit) return interpreted(device, nodes, graph);
  result = program_for(device, nodes, graph)->run(graph.buffers, graph.scalars);
  return result;
}

void materialize(std::span<Cell* const> cells) {
  std::vector<Cell*> left;
  for (Cell* cell : cells) {
    if (cell->value()->op != ir::Op::input && std::find(left.begin(), left.end(), cell) == left.end())
      left.push_back(cell);
  }
  while (!left.empty()) {
    DeviceSlot& device = left.front()->device;
    std::vector<Cell*> here, elsewhere;
    std::vector<ir::NodeRef> nodes;
    for (Cell* cell : left) {
      (&cell->device == &device ? here : elsewhere).push_back(cell);
      if (&cell->device == &device) nodes.push_back(cell->value());
    }
    const std::vector<runtime::BufferRef> buffers = evaluate(device, nodes);
    for (size_t i = 0; i < here.size(); ++i) {
      if (nodes[i]->op == ir::Op::input) continue;
      const ir::NodeRef value = input_node(nodes[i]->type, buffers[i]);
      here[i]->settle(nodes[i], value);
      // Somebody else recorded something on this node and will ask for it.
      if (nodes[i]->use_count() > 1) device.session.computed.put(nodes[i], value);
    }
    left = std::move(elsewhere);
  }
}

runtime::BufferRef materialized(Cell& cell) {
  ir::NodeRef node = cell.value();
  if (node->op == ir::Op::input) return buffer_of(*node);
  const runtime::BufferRef buffer = evaluate(cell.device, {&node, 1})[0];
  const ir::NodeRef value = input_node(node->type, buffer);
  cell.settle(node, value);
  if (node->use_count() > 1) cell.device.session.computed.put(node, value);
  return buffer;
}

}  // namespace weft::detail
