#include "frontend/cpp/evaluate/dump_run.h"

#include <filesystem>
#include <utility>

#include "compiler/base/error.h"

namespace weft::detail {

namespace {

ir::HostTensor downloaded(const DeviceSlot& device, const ir::TensorType& type,
                          const runtime::BufferRef& buffer) {
  ir::HostTensor out = ir::zeros(type, "an array that is dumped");
  if (!out.data.empty()) device.device->download(out.data.data(), *buffer, 0, out.data.size());
  return out;
}

}  // namespace

void DumpOfRun::take(ir::Graph graph, std::span<const runtime::BufferRef> inputs,
                     std::span<const Scalar> scalars) {
  GraphDump& dump = dump_.emplace();
  dump.graph = std::move(graph);
  dump.device = device_.name;
  dump.architecture = device_.device->info().architecture;
  dump.numerics = device_.session.numerics.load(std::memory_order_relaxed);
  if (!device_.session.dumps.data()) return;
  dump.inputs.reserve(dump.graph.inputs.size());
  size_t input = 0, scalar = 0;
  for (const ir::NodeRef& node : dump.graph.inputs) {
    if (node->op != ir::Op::scalar) {
      dump.inputs.push_back(downloaded(device_, node->type, inputs[input++]));
      continue;
    }
    ir::HostTensor& number = dump.inputs.emplace_back(ir::zeros({node->dtype(), {}}, "a number"));
    scalars[scalar++].store(number.data.data());
  }
}

void DumpOfRun::write(std::span<const runtime::BufferRef> results) {
  if (!dump_) return;
  Dumps& dumps = device_.session.dumps;
  const std::string place = dumps.place_of(key_);
  try {
    if (dumps.data())
      for (size_t i = 0; i < dump_->graph.outputs.size(); ++i)
        dump_->outputs.push_back(downloaded(device_, dump_->graph.outputs[i]->type, results[i]));
    std::error_code ignored;
    if (!std::filesystem::exists(place, ignored)) write_dump(place, *dump_);
  } catch (const Error& e) {
    if (std::error_code ignored; std::filesystem::exists(place, ignored)) return;  // another process wrote it
    dumps.give_up();
    device_.session.warn(std::string("WEFT_DUMP: ") + e.what());
  }
}

}  // namespace weft::detail
