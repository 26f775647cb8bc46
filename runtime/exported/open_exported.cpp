#include "runtime/exported/open_exported.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/base/hash.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cuda/cuda_device.h"

namespace weft::runtime {
namespace {

// The names of x86-64's levels are the only ones that exports have.
bool this_processor_is(std::string_view level) {
#if __x86_64__
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 =
      v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return level == "x86-64-v4" ? v4 : level == "x86-64-v3" ? v3 : level == "x86-64-v2" && v2;
#else
  return level.empty();
#endif
}

// "sm_90" as 90: an image runs on the generation that it was made for, where that is no older within it.
bool runs_on(const std::string& made_for, const std::string& here) {
  constexpr std::string_view kPrefix = "sm_";
  const auto number = [&](const std::string& name) {
    return name.starts_with(kPrefix) ? std::atoi(name.c_str() + kPrefix.size()) : 0;
  };
  return number(made_for) / 10 == number(here) / 10 && number(made_for) <= number(here);
}

Machine& gpu_number(int ordinal) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, std::unique_ptr<Machine>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Machine>& one = all[ordinal];
  if (!one) {
    auto made = std::make_unique<Machine>();
    made->device = make_cuda_device(ordinal, {}, nullptr, made->counters);
    one = std::move(made);
  }
  return *one;
}

Machine& machine_for(const weft_exported& whole, int gpu) {
  if (is_for_gpu(whole)) {
    Machine& machine = gpu_number(gpu);
    const DeviceInfo& info = machine.device->info();
    if (!runs_on(whole.processor, info.architecture))
      throw Error(fmt::format(
          "{}: its kernels are for {}, and {} ({}) is {}: export it for that, by "
          "--device cuda --processor {}",
          whole.name, whole.processor, info.name, info.description, info.architecture, info.architecture));
    return machine;
  }
  if (!this_processor_is(whole.processor))
    throw Error(
        fmt::format("{}: its kernels are for {}, and this processor is older: export it for an older one, by "
                    "--processor x86-64-v3 or x86-64-v2",
                    whole.name, whole.processor));
  return host();
}

// An array that the function used besides its arguments: where it lies on the host, a copy on a GPU.
BufferRef captured(Machine& machine, const void* bytes, int64_t count) {
  const auto size = static_cast<size_t>(count);
  if (machine.device->host_visible()) return machine.device->adopt(const_cast<void*>(bytes), size, {}, 0);
  BufferRef buffer = machine.device->allocate(size);
  machine.device->upload(*buffer, 0, bytes, size);
  return buffer;
}

ExportedProgram read(const weft_exported& whole, const weft_program& one) {
  const Hash hash = hash_bytes(one.bytes, one.size);
  if (hash.low != one.hash[0] || hash.high != one.hash[1])
    throw WrongProgram(
        fmt::format("{}: the program is damaged: its bytes have another checksum", whole.name));
  try {
    return exported_program({reinterpret_cast<const char*>(one.bytes), one.size});
  } catch (const Error& error) {
    throw WrongProgram(fmt::format("{}: the program is damaged: {}", whole.name, error.what()));
  }
}

// Kernels are found by their names, of the program and of its loops' bodies.
void link_kernels(Program& program, const weft_exported& whole, std::span<const weft_kernel> kernels) {
  for (KernelSource& source : program.kernels) {
    const auto found = std::ranges::find_if(kernels, [&](auto& one) { return source.name == one.name; });
    if (found == kernels.end())
      throw WrongProgram(
          fmt::format("{}: the program is damaged: it has no kernel {}", whole.name, source.name));
    source.hash = hash_text(source.name);
    source.linked = {reinterpret_cast<void*>(found->entry), reinterpret_cast<void*>(found->finish)};
  }
  for (ProgramStep& step : program.steps)
    if (auto* loop = std::get_if<LoopStep>(&step)) {
      auto own = std::make_shared<LoopProgram>(*loop->loop);
      for (LoopProgram::Body& body : own->bodies) link_kernels(body.program, whole, kernels);
      loop->loop = std::move(own);
    }
}

Opened open(const weft_exported& whole, int gpu) {
  if (whole.format != kExportFormat)
    throw WrongProgram(
        fmt::format("{}: it was exported by Weft {} in format {}, but libweft_runtime {} runs format {}: "
                    "export it again, or link the library of that version",
                    whole.name, whole.made_by, whole.format, WEFT_VERSION, kExportFormat));
  Machine& machine = machine_for(whole, gpu);
  Opened opened;
  for (const weft_program& one : std::span(whole.programs, whole.program_count)) {
    ExportedProgram exported = read(whole, one);
    if (exported.array_bytes.size() != one.array_count)
      throw WrongProgram(
          fmt::format("{}: the program is damaged: it has another number of arrays", whole.name));
    link_kernels(exported.program, whole, std::span(one.kernels, one.kernel_count));
    std::vector<BufferRef> arrays;
    arrays.reserve(one.array_count);
    for (size_t k = 0; k < one.array_count; ++k)
      arrays.push_back(captured(machine, one.arrays[k], exported.array_bytes[k]));
    opened.push_back(std::make_unique<const OpenedProgram>(std::move(exported), std::move(arrays), machine));
  }
  return opened;
}

// Everything that an opened program was made of. A library that is unloaded may leave its place to another.
std::vector<const void*> made_of(const weft_exported& whole) {
  std::vector<const void*> parts;
  for (const weft_program& one : std::span(whole.programs, whole.program_count)) {
    parts.insert(parts.end(), {one.bytes, reinterpret_cast<const void*>(one.hash[0]),
                               reinterpret_cast<const void*>(one.hash[1])});
    for (const weft_kernel& kernel : std::span(one.kernels, one.kernel_count))
      parts.insert(parts.end(), {reinterpret_cast<const void*>(kernel.entry),
                                 reinterpret_cast<const void*>(kernel.finish)});
    parts.insert(parts.end(), one.arrays, one.arrays + one.array_count);
  }
  return parts;
}

}  // namespace

Machine& host() {
  static auto& made = *[] {
    auto machine = std::make_unique<Machine>();
    machine->device = make_cpu_device({}, nullptr, machine->counters);
    return machine.release();
  }();
  return made;
}

bool is_for_gpu(const weft_exported& whole) { return std::string_view(whole.processor).starts_with("sm_"); }

OpenedProgram::OpenedProgram(ExportedProgram given, std::vector<BufferRef> captured, Machine& where)
    : machine(where),
      what(std::move(given)),
      arrays(std::move(captured)),
      executable(std::exchange(what.program, {}), where.device, where.counters) {}

std::shared_ptr<const Opened> opened(const weft_exported& whole, int gpu) {
  struct Known {
    std::vector<const void*> parts;
    std::shared_ptr<const Opened> programs;
  };
  static std::mutex mutex;
  static auto& all = *new std::map<std::pair<const weft_exported*, int>, Known>;
  std::vector<const void*> parts = made_of(whole);
  const std::lock_guard lock(mutex);
  Known& known = all[{&whole, gpu}];
  if (!known.programs || known.parts != parts)
    known = {std::move(parts), std::make_shared<const Opened>(open(whole, gpu))};
  return known.programs;
}

}  // namespace weft::runtime
