#include "frontend/cpp/inspect/kernel_resources.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "frontend/cpp/inspect/assembly_lines.h"

namespace weft::detail {

namespace {

// The widest registers that a line of assembly names, in bytes; 0: none that vectors may lie in.
int vector_bytes_in(std::string_view line) {
  constexpr std::pair<std::string_view, int> kRegisters[] = {{"zmm", 64}, {"ymm", 32}, {"xmm", 16}};
  for (const auto& [name, bytes] : kRegisters)
    if (line.find(name) != std::string_view::npos) return bytes;
  return 0;
}

CompiledStep counted(std::string_view assembly) {
  CompiledStep out;
  out.instructions = out.vector_bytes = 0;
  for (size_t at = 0; at < assembly.size();) {
    const size_t end = std::min(assembly.find('\n', at), assembly.size());
    const std::string_view line = assembly.substr(at, end - at);
    at = end + 1;
    if (!is_instruction(line)) continue;
    ++out.instructions;
    out.vector_bytes = std::max(out.vector_bytes, vector_bytes_in(line));
  }
  return out;
}

CompiledStep of_gpu(const runtime::Kernel& kernel, const Launch& launch, runtime::Device& device) {
  CompiledStep out;
  out.gpu = device.resources(kernel, launch);
  const int most = device.info().resident_threads;
  const auto block = static_cast<double>(launch.threads) * launch.threads_y * launch.threads_z;
  if (out.gpu.blocks_per_processor >= 0 && most > 0)
    out.occupancy = out.gpu.blocks_per_processor * block / most;
  return out;
}

}  // namespace

std::vector<std::optional<CompiledStep>> compiled_steps(const Program& program, runtime::Device& device) {
  std::vector<std::optional<CompiledStep>> out;
  out.reserve(program.steps.size());
  for (const ProgramStep& step : program.steps) {
    out.emplace_back();
    const auto* k = std::get_if<KernelStep>(&step);
    if (!k || k->kernel < 0 || !device.info().compiles) continue;
    const KernelSource& source = program.kernels[static_cast<size_t>(k->kernel)];
    if (source.linked.entry) continue;
    if (device.host_visible())
      out.back() = counted(assembly_lines(device.assembly(source)).text);
    else
      out.back() = of_gpu(*device.load(source), k->launch, device);
  }
  return out;
}

}  // namespace weft::detail
