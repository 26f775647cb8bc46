#include "tests/benchmarks/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cuda/cuda_device.h"

namespace weft::bench {

std::vector<std::string> device_names() {
  std::string reason;
  if (runtime::cuda_device_count(reason) > 0) return {"cpu", "cuda"};
  return {"cpu"};
}

OpenDevice open_device(const std::string& name, std::shared_ptr<runtime::KernelCache> cache, size_t kernels) {
  OpenDevice open;
  open.counters = std::make_unique<runtime::Counters>();
  const bool cpu = name == "cpu";
  if (cpu) {
    runtime::CpuOptions options;
    options.loaded_kernels = kernels;
    open.device = runtime::make_cpu_device(options, std::move(cache), *open.counters);
  } else {
    runtime::CudaOptions options;
    options.most_kernels = kernels;
    open.device = runtime::make_cuda_device(0, options, std::move(cache), *open.counters);
  }
  const runtime::DeviceInfo& info = open.device->info();
  open.target = {cpu ? TargetKind::Cpu : TargetKind::Cuda,
                 info.threads,
                 cpu ? info.vector_bytes : 16,
                 info.cache_bytes,
                 info.shared_bytes,
                 info.compiles};
  return open;
}

Program compile_text(std::string_view graph, const Target& target) {
  return compile(ir::parse(graph), target);
}

std::vector<uint64_t> arguments(const Program& program, std::span<const runtime::BufferRef> inputs,
                                std::span<const runtime::BufferRef> outputs) {
  const KernelStep* step = program.steps.size() == 1 ? std::get_if<KernelStep>(&program.steps[0]) : nullptr;
  if (!step || !step->scalars.empty())
    throw Error("arguments: takes a program of one kernel without scalars");
  std::vector<uint64_t> words;
  for (const int b : step->buffers) {
    const BufferSpec& spec = program.buffers[static_cast<size_t>(b)];
    const auto& from = spec.role == BufferSpec::Role::Input ? inputs : outputs;
    words.push_back(reinterpret_cast<uint64_t>(from[static_cast<size_t>(spec.index)]->data()));
  }
  for (const int64_t p : step->params) words.push_back(static_cast<uint64_t>(p));
  return words;
}

std::string ten_maps(int64_t n) {
  return fmt::format(R"(graph ten_maps {{
  %a = input : f32[{0}]
  %b = input : f32[{0}]
  %t1 = multiply %a, %b
  %t2 = add %t1, %a
  %t3 = subtract %t2, %b
  %t4 = multiply %t3, %t3
  %t5 = maximum %t4, %a
  %t6 = sqrt %t5
  %t7 = add %t6, %b
  %t8 = exp %t7
  %t9 = multiply %t8, %a
  %t10 = subtract %t9, %t1
  return %t10
}}
)",
                     n);
}

namespace {

double at(std::vector<double> values, double part) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size()));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

double median(std::vector<double> values) { return at(std::move(values), 0.5); }
double upper_quartile(std::vector<double> values) { return at(std::move(values), 0.75); }

}  // namespace weft::bench
