// libweft_runtime: runs exported programs, on the CPU or on a GPU.
#include "runtime/exported/weft_runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/exported/open_exported.h"

namespace weft::runtime {
namespace {

static_assert(static_cast<int>(WEFT_C128) + 1 == kDTypeCount &&
                  static_cast<int>(WEFT_F32) == static_cast<int>(DType::F32),
              "weft_dtype has the order of WEFT_DTYPES");

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

// The legacy default stream: what it was given comes before whatever reads or writes a caller's memory on a GPU.
constexpr uint64_t kLegacyStream = 1;

// A buffer over memory of the caller's that the device reads itself.
BufferRef adopted(Device& device, const void* data, int64_t bytes) {
  return device.adopt(
      const_cast<void*>(data), static_cast<size_t>(bytes), [] {}, device.host_visible() ? 0 : kLegacyStream);
}

// An input where the device reads it: the caller's own memory, or a copy on a GPU of what the host has.
BufferRef given(Device& device, const void* data, int64_t bytes) {
  if (device.host_visible() || cuda_memory_of(data)) return adopted(device, data, bytes);
  BufferRef buffer = device.allocate(static_cast<size_t>(bytes));
  device.upload(*buffer, 0, data, static_cast<size_t>(bytes));
  return buffer;
}

// The GPU in whose memory inputs and results lie; the first one where all are the host's.
int gpu_of(const weft_exported& whole, std::span<const weft_array> inputs,
           std::span<const weft_array> results) {
  std::optional<int> found;
  for (const auto& arrays : {inputs, results})
    for (const weft_array& one : arrays) {
      const std::optional<int> here = one.data ? cuda_memory_of(one.data) : std::nullopt;
      if (found && here && here != found)
        throw Error(fmt::format("{}: takes arrays of one GPU: got some of cuda:{} and of cuda:{}", whole.name,
                                *found, *here));
      if (here) found = here;
    }
  return found.value_or(0);
}

Scalar number_in(const OpenedProgram& program, const weft_array& array, size_t k) {
  const ExportedProgram::Argument& type = program.what.arguments[k];
  if (!program.machine.device->host_visible() && cuda_memory_of(array.data))
    throw Error(fmt::format("weft_run: input {}: the number {} is read by the host: got memory of a GPU", k,
                            type.name));
  return Scalar::load(type.dtype, array.data);
}

std::vector<BufferRef> computed(const OpenedProgram& program, std::span<const weft_array> inputs) {
  const ExportedProgram& what = program.what;
  for (size_t k = 0; k < inputs.size(); ++k)
    if (!inputs[k].data && bytes_of(what.arguments[k]) > 0)
      throw Error(fmt::format("weft_run: input {}: its data is NULL", k));
  std::vector<BufferRef> buffers;
  buffers.reserve(what.inputs.size());
  for (const ExportedProgram::Input& in : what.inputs) {
    const auto k = static_cast<size_t>(in.argument);
    buffers.push_back(in.argument < 0
                          ? program.arrays[static_cast<size_t>(in.array)]
                          : given(*program.machine.device, inputs[k].data, bytes_of(what.arguments[k])));
  }
  std::vector<Scalar> scalars;
  scalars.reserve(what.scalars.size());
  for (const ExportedProgram::Number& number : what.scalars) {
    const auto k = static_cast<size_t>(number.argument);
    scalars.push_back(number.argument < 0 ? number.value : number_in(program, inputs[k], k));
  }
  std::vector<BufferRef> outputs = program.executable.run(buffers, scalars);
  // What fails on a GPU is known by now, before a result has changed.
  program.machine.device->synchronize();
  return outputs;
}

int64_t integer_in(const Buffer& buffer) {
  int64_t value = 0;
  buffer.device()->download(&value, buffer, 0, sizeof value);
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

// Of results that the caller gives no memory for: who keeps theirs, which is the host's and each result's own.
std::vector<std::unique_ptr<BufferRef>> owned(std::span<BufferRef> outputs,
                                              std::span<const weft_array> results, Results where) {
  std::vector<std::unique_ptr<BufferRef>> owners(results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    if (results[k].data || where == Results::InGivenMemory) continue;
    const Buffer& computed = *outputs[k];
    const bool shared =
        std::ranges::find(outputs.first(k), outputs[k]) != outputs.begin() + static_cast<std::ptrdiff_t>(k);
    if (shared || !computed.device()->host_visible()) {
      BufferRef own = host().device->allocate(computed.bytes());
      computed.device()->download(own->data(), computed, 0, computed.bytes());
      outputs[k] = std::move(own);
    }
    owners[k] = std::make_unique<BufferRef>(outputs[k]);
  }
  return owners;
}

// A result in the caller's memory, the host's or a GPU's.
void hand_over(Device& device, void* to, const Buffer& result, int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  if (device.host_visible() || !cuda_memory_of(to)) return device.download(to, result, 0, size);
  device.copy(*adopted(device, to, bytes), 0, result, 0, size);
}

void run(const weft_exported* whole, std::span<const weft_array> inputs, std::span<weft_array> results,
         Results where) {
  if (!whole) throw Error("weft_run: the program is NULL");
  const std::shared_ptr<const Opened> programs =
      opened(*whole, is_for_gpu(*whole) ? gpu_of(*whole, inputs, results) : 0);
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
  const std::span own(outputs.data(), results.size());
  auto owners = owned(own, results, where);
  for (size_t k = 0; k < results.size(); ++k) {
    if (!owners[k]) {
      if (results[k].data) hand_over(*program.machine.device, results[k].data, *own[k], bytes_of(types[k]));
      continue;
    }
    results[k].data = own[k]->data();
    results[k].dtype = static_cast<weft_dtype>(types[k].dtype);
    results[k].rank = static_cast<int>(types[k].shape.size());
    std::ranges::copy(types[k].shape, results[k].shape);
    results[k].owner = owners[k].release();
  }
  program.machine.device->synchronize();
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
  return reported([&] { host().device->set_threads(threads); });
}

const char* weft_runtime_version(void) { return WEFT_VERSION; }
}
