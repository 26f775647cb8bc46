#include "tests/fuzz/backend.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "compiler/compile.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/executor.h"

namespace weft::test {

namespace {

using runtime::DeviceInfo;

std::string find_gpu() {
  std::string reason;
  return runtime::cuda_device_count(reason) > 0 ? "" : reason;
}

Backend make(const std::string& name) {
  Backend b;
  b.counters = std::make_unique<runtime::Counters>();
  bool cpu = name == "cpu";
  b.device = cpu ? runtime::make_cpu_device({}, nullptr, *b.counters)
                 : runtime::make_cuda_device(0, {}, nullptr, *b.counters);
  const DeviceInfo& d = b.device->info();
  b.target = {cpu ? TargetKind::Cpu : TargetKind::Cuda,
              d.threads,
              d.vector_bytes,
              d.cache_bytes,
              d.shared_bytes,
              d.compiles};
  return b;
}

// The bytes of a strided input, from the first to the last element that its strides reach.
std::vector<std::byte> lay_out(const ir::HostTensor& tensor, const ir::InputAttr& attr) {
  const Shape& shape = tensor.type.shape;
  size_t item = size_of(tensor.type.dtype);
  int64_t last = attr.offset, count = element_count(shape);
  for (size_t k = 0; k < shape.size(); ++k) last += std::max<int64_t>(0, (shape[k] - 1) * attr.strides[k]);
  std::vector<std::byte> out(count == 0 ? 0 : static_cast<size_t>(last + 1) * item);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = attr.offset, rest = i;
    for (size_t k = shape.size(); k-- > 0; rest /= shape[k]) at += rest % shape[k] * attr.strides[k];
    std::memcpy(out.data() + static_cast<size_t>(at) * item,
                tensor.data.data() + static_cast<size_t>(i) * item, item);
  }
  return out;
}

}  // namespace

const std::string& why_no_gpu() {
  static const std::string reason = find_gpu();
  return reason;
}

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names =
      why_no_gpu().empty() ? std::vector<std::string>{"cpu", "cuda"} : std::vector<std::string>{"cpu"};
  return names;
}

Backend& backend(const std::string& name) {
  // Never freed, as sessions are: at exit cuBLASLt may be gone, and ends the process when it is asked to
  // close.
  static auto& made = *new std::map<std::string, Backend>;
  auto it = made.find(name);
  if (it == made.end()) it = made.emplace(name, make(name)).first;
  return it->second;
}

std::vector<ir::HostTensor> run_made(Backend& b, const ir::Graph& graph,
                                     const std::vector<ir::HostTensor>& inputs, Program program) {
  std::vector<runtime::BufferRef> buffers;
  std::vector<Scalar> scalars;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const ir::NodeRef& in = graph.inputs[k];
    if (in->op == ir::Op::scalar) {
      scalars.push_back(Scalar::load(in->dtype(), inputs[k].data.data()));
      continue;
    }
    const auto& attr = in->as<ir::InputAttr>();
    std::vector<std::byte> data = attr.strides.empty() ? inputs[k].data : lay_out(inputs[k], attr);
    buffers.push_back(b.device->allocate(data.size()));
    b.device->upload(*buffers.back(), 0, data.data(), data.size());
  }
  runtime::Executable executable(std::move(program), b.device, *b.counters);
  // Nobody reads the inputs again, so that results may be written over them.
  std::vector<int> given(buffers.size());
  std::iota(given.begin(), given.end(), 0);
  std::vector<runtime::BufferRef> results = executable.run(buffers, scalars, given);
  std::vector<ir::HostTensor> out;
  for (size_t k = 0; k < results.size(); ++k) {
    const ir::TensorType& type = graph.outputs[k]->type;
    ir::HostTensor t{
        type, std::vector<std::byte>(static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype))};
    b.device->download(t.data.data(), *results[k], 0, t.data.size());
    out.push_back(std::move(t));
  }
  return out;
}

std::vector<ir::HostTensor> run_on(Backend& b, const ir::Graph& graph,
                                   const std::vector<ir::HostTensor>& inputs, const Options& options) {
  return run_made(b, graph, inputs, compile(graph, b.target, options));
}

std::vector<ir::HostTensor> run_in_blocks(Backend& b, const ir::Graph& graph,
                                          const std::vector<ir::HostTensor>& inputs, const Options& options) {
  Options with_blocks = options;
  with_blocks.blocks = Blocks::Instead;
  return run_made(b, graph, inputs, compile(graph, b.target, with_blocks));
}

}  // namespace weft::test
