// libweft_runtime: opens exported programs once for the process, and runs them on the CPU.
#include "runtime/exported/weft_runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/base/hash.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/executor.h"
#include "runtime/exported/exported_program.h"

namespace weft::runtime {
namespace {

static_assert(static_cast<int>(WEFT_C128) + 1 == kDTypeCount &&
                  static_cast<int>(WEFT_F32) == static_cast<int>(DType::F32),
              "weft_dtype has the order of WEFT_DTYPES");

// What is wrong with the program itself.
class WrongProgram : public Error {
 public:
  using Error::Error;
};

// Of a thread. Nothing is destroyed when the thread ends, since what it destroys later may call again.
constexpr size_t kMostSaid = 1000;
thread_local std::array<char, kMostSaid + 1> last_error{};

void say(const char* what) {
  const size_t length = std::min(std::strlen(what), kMostSaid);
  std::memcpy(last_error.data(), what, length);
  last_error[length] = 0;
}

template <typename F>
weft_status reported(F&& f) {
  say("");
  try {
    f();
    return WEFT_OK;
  } catch (const OutOfMemory& error) {
    return say(error.what()), WEFT_NO_MEMORY;
  } catch (const std::bad_alloc&) {
    return say("no memory"), WEFT_NO_MEMORY;
  } catch (const WrongProgram& error) {
    return say(error.what()), WEFT_WRONG_PROGRAM;
  } catch (const Error& error) {
    return say(error.what()), WEFT_WRONG_INPUT;
  } catch (const std::exception& error) {
    return say(error.what()), WEFT_DEFECT;
  } catch (...) {
    return say("an unknown exception"), WEFT_DEFECT;
  }
}

// ---- the device, of which a process has one. It is never destroyed: threads may compute until the process is gone.
struct Machine {
  Counters counters;
  std::shared_ptr<Device> device = make_cpu_device({}, nullptr, counters);
};
Machine& machine() {
  static auto& made = *new Machine;
  return made;
}

// ---- opening
struct OpenedProgram {
  OpenedProgram(ExportedProgram given, std::vector<const void*> captured)
      : what(std::move(given)),
        arrays(std::move(captured)),
        executable(std::exchange(what.program, {}), machine().device, machine().counters) {}
  ExportedProgram what;  // without the program
  std::vector<const void*> arrays;
  Executable executable;
};
using Opened = std::vector<std::unique_ptr<const OpenedProgram>>;

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

Opened open(const weft_exported& whole) {
  if (whole.format != kExportFormat)
    throw WrongProgram(
        fmt::format("{}: it was exported by Weft {} in format {}, but libweft_runtime {} runs format {}: "
                    "export it again, or link the library of that version",
                    whole.name, whole.made_by, whole.format, WEFT_VERSION, kExportFormat));
  if (!this_processor_is(whole.processor))
    throw Error(
        fmt::format("{}: its kernels are for {}, and this processor is older: export it for an older one, by "
                    "--processor x86-64-v3 or x86-64-v2",
                    whole.name, whole.processor));
  Opened opened;
  for (const weft_program& one : std::span(whole.programs, whole.program_count)) {
    ExportedProgram exported = read(whole, one);
    if (exported.array_bytes.size() != one.array_count)
      throw WrongProgram(
          fmt::format("{}: the program is damaged: it has another number of arrays", whole.name));
    link_kernels(exported.program, whole, std::span(one.kernels, one.kernel_count));
    opened.push_back(std::make_unique<const OpenedProgram>(
        std::move(exported), std::vector<const void*>(one.arrays, one.arrays + one.array_count)));
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

// What failed is tried again.
std::shared_ptr<const Opened> opened(const weft_exported& whole) {
  struct Known {
    std::vector<const void*> parts;
    std::shared_ptr<const Opened> programs;
  };
  static std::mutex mutex;
  static auto& all = *new std::map<const weft_exported*, Known>;
  std::vector<const void*> parts = made_of(whole);
  const std::lock_guard lock(mutex);
  Known& known = all[&whole];
  if (!known.programs || known.parts != parts)
    known = {std::move(parts), std::make_shared<const Opened>(open(whole))};
  return known.programs;
}

// ---- running
std::string text_of(DType dtype, std::span<const int64_t> shape) {
  return fmt::format("{}[{}]", name(dtype), fmt::join(shape, ", "));
}

std::span<const int64_t> shape_of(const weft_array& array, const char* what, size_t number) {
  if (array.rank < 0 || array.rank > WEFT_MOST_AXES)
    throw Error(fmt::format("weft_run: {} {}: takes ranks of 0 to {}: got {}", what, number, WEFT_MOST_AXES,
                            array.rank));
  return {array.shape, static_cast<size_t>(array.rank)};
}

bool is_like(const weft_array& array, const ExportedProgram::Argument& type, const char* what,
             size_t number) {
  return static_cast<DType>(array.dtype) == type.dtype &&
         std::ranges::equal(shape_of(array, what, number), type.shape);
}

std::string list_of(const std::vector<ExportedProgram::Argument>& types) {
  std::vector<std::string> texts;
  texts.reserve(types.size());
  for (auto& type : types) texts.push_back(text_of(type.dtype, {type.shape.data(), type.shape.size()}));
  return fmt::format("({})", fmt::join(texts, ", "));
}

const OpenedProgram& program_for(const weft_exported& whole, const Opened& programs,
                                 std::span<const weft_array> inputs) {
  const auto takes = [&](const auto& one) {
    if (one->what.arguments.size() != inputs.size()) return false;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (!is_like(inputs[k], one->what.arguments[k], "input", k)) return false;
    return true;
  };
  const auto found = std::ranges::find_if(programs, takes);
  if (found != programs.end()) return **found;
  std::vector<std::string> known, got;
  known.reserve(programs.size());
  got.reserve(inputs.size());
  for (auto& one : programs) known.push_back(list_of(one->what.arguments));
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (static_cast<unsigned>(inputs[k].dtype) >= kDTypeCount)
      throw Error(fmt::format("weft_run: input {}: {} is no dtype", k, static_cast<int>(inputs[k].dtype)));
    got.push_back(text_of(static_cast<DType>(inputs[k].dtype), shape_of(inputs[k], "input", k)));
  }
  throw Error(
      fmt::format("{}: takes {}: got ({})", whole.name, fmt::join(known, " or "), fmt::join(got, ", ")));
}

int64_t bytes_of(const ExportedProgram::Argument& type) {
  return element_count(type.shape) * static_cast<int64_t>(size_of(type.dtype));
}

BufferRef adopted(const void* data, int64_t bytes) {
  return machine().device->adopt(const_cast<void*>(data), static_cast<size_t>(bytes), {}, 0);
}

std::vector<BufferRef> computed(const OpenedProgram& program, std::span<const weft_array> inputs) {
  const ExportedProgram& what = program.what;
  for (size_t k = 0; k < inputs.size(); ++k)
    if (!inputs[k].data && bytes_of(what.arguments[k]) > 0)
      throw Error(fmt::format("weft_run: input {}: its data is NULL", k));
  std::vector<BufferRef> buffers;
  buffers.reserve(what.inputs.size());
  for (const ExportedProgram::Input& in : what.inputs) {
    if (in.argument >= 0) {
      const auto k = static_cast<size_t>(in.argument);
      buffers.push_back(adopted(inputs[k].data, bytes_of(what.arguments[k])));
    } else {
      const auto k = static_cast<size_t>(in.array);
      buffers.push_back(adopted(program.arrays[k], what.array_bytes[k]));
    }
  }
  std::vector<Scalar> scalars;
  scalars.reserve(what.scalars.size());
  for (const ExportedProgram::Number& number : what.scalars) {
    const auto k = static_cast<size_t>(number.argument);
    scalars.push_back(number.argument < 0 ? number.value
                                          : Scalar::load(what.arguments[k].dtype, inputs[k].data));
  }
  return program.executable.run(buffers, scalars);
}

int64_t integer_in(const Buffer& buffer) {
  int64_t value = 0;
  std::memcpy(&value, buffer.data(), sizeof value);
  return value;
}

// Outputs behind the results.
void check(const OpenedProgram& program, std::span<const BufferRef> outputs) {
  size_t at = program.what.results.size();
  for (const ExportedProgram::Check& one : program.what.checks) {
    const int64_t least = integer_in(*outputs[at]), most = integer_in(*outputs[at + 1]);
    at += 2;
    if (one.rule == ExportedProgram::Check::Rule::Exponent) {
      if (least < 0)
        throw Error(fmt::format("{}: integers to negative integer powers: got {}", one.op, least));
    } else if (one.rule == ExportedProgram::Check::Rule::Picked) {
      if (one.extent < 0 ? -one.extent > least : one.extent >= least)
        throw Error(fmt::format("{}: position {} is out of bounds for what a mask picks, of {} elements",
                                one.op, one.extent, least));
    } else if (least < -one.extent || most >= one.extent) {
      throw Error(fmt::format("{}: position {} is out of bounds for axis {} with {} elements", one.op,
                              least < -one.extent ? least : most, one.axis, one.extent));
    }
  }
}

// Where results may lie: `Anywhere` in memory of the library's own where the caller gives none.
enum class Results : uint8_t { Anywhere, InGivenMemory };

void run(const weft_exported* whole, std::span<const weft_array> inputs, std::span<weft_array> results,
         Results where) {
  if (!whole) throw Error("weft_run: the program is NULL");
  const std::shared_ptr<const Opened> programs = opened(*whole);
  const OpenedProgram& program = program_for(*whole, *programs, inputs);
  const std::vector<ExportedProgram::Argument>& types = program.what.results;
  if (results.size() != types.size())
    throw Error(
        fmt::format("{}: gives {}: got room for {} results", whole->name, list_of(types), results.size()));
  for (size_t k = 0; k < results.size(); ++k) {
    if (results[k].data && !is_like(results[k], types[k], "result", k))
      throw Error(fmt::format("{}: gives {}: result {} has data of another dtype or shape", whole->name,
                              list_of(types), k));
    if (!results[k].data && where == Results::InGivenMemory && bytes_of(types[k]) > 0)
      throw Error(fmt::format("{}: result {}: its memory is NULL", whole->name, k));
  }
  std::vector<BufferRef> outputs = computed(program, inputs);
  check(program, outputs);
  // Two results of one value have memory each.
  std::vector<std::unique_ptr<BufferRef>> owners(results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    if (results[k].data || where == Results::InGivenMemory) continue;
    if (std::find(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(k), outputs[k]) !=
        outputs.begin() + static_cast<std::ptrdiff_t>(k)) {
      Device& device = *machine().device;
      BufferRef own = device.allocate(outputs[k]->bytes());
      device.copy(*own, 0, *outputs[k], 0, own->bytes());
      outputs[k] = std::move(own);
    }
    owners[k] = std::make_unique<BufferRef>(outputs[k]);
  }
  for (size_t k = 0; k < results.size(); ++k) {
    if (!owners[k]) {
      if (results[k].data)
        machine().device->download(results[k].data, *outputs[k], 0, static_cast<size_t>(bytes_of(types[k])));
      continue;
    }
    results[k].data = outputs[k]->data();
    results[k].dtype = static_cast<weft_dtype>(types[k].dtype);
    results[k].rank = static_cast<int>(types[k].shape.size());
    std::ranges::copy(types[k].shape, results[k].shape);
    results[k].owner = owners[k].release();
  }
}

}  // namespace
}  // namespace weft::runtime

using namespace weft::runtime;

extern "C" {

weft_status weft_run(const weft_exported* program, const weft_array* inputs, size_t input_count,
                     weft_array* results, size_t result_count) {
  return reported([&] { run(program, {inputs, input_count}, {results, result_count}, Results::Anywhere); });
}

weft_status weft_run_into(const weft_exported* program, const weft_array* inputs, size_t input_count,
                          weft_array* results, size_t result_count) {
  return reported(
      [&] { run(program, {inputs, input_count}, {results, result_count}, Results::InGivenMemory); });
}

void weft_release(weft_array* result) {
  if (!result || !result->owner) return;
  delete static_cast<BufferRef*>(result->owner);
  result->owner = nullptr;
  result->data = nullptr;
}

const char* weft_last_error(void) { return last_error.data(); }

weft_status weft_set_threads(int threads) {
  return reported([&] { machine().device->set_threads(threads); });
}

const char* weft_runtime_version(void) { return WEFT_VERSION; }
}
