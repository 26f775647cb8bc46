#include "frontend/cpp/inspect/memory_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/cpp/inspect/kept_speeds.h"
#include "frontend/cpp/session/env.h"

namespace weft::detail {

namespace {

// More than caches hold, as far as memory allows; each of two blocks. On a GPU a launch and its end take some 20 us.
constexpr size_t kLeastBytes = size_t{32} << 20, kMostBytes = size_t{128} << 20;
constexpr size_t kBytesOfGpu = size_t{1} << 30;
constexpr size_t kShareOfMemory = 32;
constexpr int kPasses = 4;
// A block is copied in so many pieces, one behind the other: where other processes have the processors, a whole copy is
// always interrupted, and most pieces are not.
constexpr size_t kPieces = 8;
// That a thread moves within a cache in one launch, about.
constexpr size_t kCopiedWithin = size_t{8} << 20;

runtime::BufferRef block_of_bytes(runtime::Device& device, size_t bytes) {
  if (!device.host_visible()) return device.allocate(bytes);
  // The device's pool would keep it.
  void* memory = std::malloc(bytes);  // NOLINT: given back below
  if (!memory) throw OutOfMemory("memory speed: no memory to measure it with");
  std::memset(memory, 1, bytes);  // what was never written is one page of zeros, which caches hold
  return device.adopt(memory, bytes, [memory] { std::free(memory); }, 0);  // NOLINT
}

}  // namespace

double speed_of_copies(std::vector<double> seconds, size_t bytes) {
  if (seconds.empty()) return 0;
  const auto quarter = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 4);
  std::ranges::nth_element(seconds, quarter);
  return 2 * static_cast<double>(bytes) / *quarter;  // read, and written
}

double measured_memory_speed(runtime::Device& device) {
  const runtime::DeviceInfo& info = device.info();
  size_t bytes = device.host_visible() ? std::clamp(info.cache_bytes, kLeastBytes, kMostBytes) : kBytesOfGpu;
  if (info.memory_bytes) bytes = std::min(bytes, info.memory_bytes / kShareOfMemory);
  try {
    const runtime::BufferRef from = block_of_bytes(device, bytes), to = block_of_bytes(device, bytes);
    // A GPU is not interrupted, and starting a copy takes it longer than a piece.
    const size_t piece = device.host_visible() ? bytes / kPieces : bytes;
    std::vector<double> seconds;
    for (int turn = 0; turn <= kPasses; ++turn)  // the first warms up
      for (size_t at = 0; at + piece <= bytes; at += piece) {
        device.synchronize();
        const auto start = std::chrono::steady_clock::now();
        device.copy(*to, at, *from, at, piece);
        device.synchronize();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (turn > 0 && took.count() > 0) seconds.push_back(took.count());
      }
    return speed_of_copies(std::move(seconds), piece);
  } catch (const OutOfMemory&) {
    return 0;
  }
}

double measured_cache_speed(runtime::Device& device, size_t bytes) {
  const auto vector = static_cast<size_t>(device.info().vector_bytes);
  const int64_t threads = device.threads(), vectors = static_cast<int64_t>(bytes / vector / 2);
  const int64_t turns = std::max<int64_t>(1, static_cast<int64_t>(kCopiedWithin / bytes));
  KernelSource source;
  source.name = "weft_measure_copies";
  source.text = fmt::format(
      "typedef float V __attribute__((vector_size({})));\n"
      "extern \"C\" void {}(const unsigned long* w, long begin, long end, char*) {{\n"
      "  for (long task = begin; task < end; ++task) {{\n"
      "    const long n = (long)w[1], turns = (long)w[2];\n"
      "    const V* from = (const V*)w[0] + 2 * n * task;\n    V* to = (V*)from + n;\n"
      // Another number in each turn, so that no turn can be left out.
      "    for (long k = 0; k < turns; ++k) {{\n      const V x = V{{}} + (float)k;\n"
      "#pragma clang loop unroll_count(4)\n      for (long i = 0; i < n; ++i) to[i] = from[i] + x;\n    }}\n "
      " }}\n}}\n",
      vector, source.name);
  source.hash = hash_text(source.text);
  source.ops = "copies, to measure the machine";
  const runtime::KernelRef kernel = device.load(source);
  const runtime::BufferRef memory = device.allocate(static_cast<size_t>(2 * vectors * threads) * vector);
  std::memset(memory->data(), 0, memory->bytes());
  const std::array<uint64_t, 3> args{std::bit_cast<uint64_t>(memory->data()), static_cast<uint64_t>(vectors),
                                     static_cast<uint64_t>(turns)};
  Launch how;
  how.tasks = threads;
  std::vector<double> seconds;
  for (int turn = 0; turn <= kPasses * static_cast<int>(kPieces); ++turn) {  // the first warms up
    const auto start = std::chrono::steady_clock::now();
    device.launch(*kernel, how, args);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (turn > 0) seconds.push_back(took.count());
  }
  return speed_of_copies(std::move(seconds), static_cast<size_t>(vectors * threads * turns) * vector);
}

double memory_speed(const std::shared_ptr<runtime::Device>& device, runtime::KernelCache* cache) {
  if (const std::optional<double> given = given_memory_speed()) return *given;
  if (!calibrates()) return 0;
  if (const std::optional<MachineSpeeds> kept = kept_speeds(device->info(), cache)) return kept->memory;
  // A fact of the machine, not of a session.
  static std::mutex mutex;
  static std::map<std::string, double> known;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(device->info().name, 0);
  if (fresh) at->second = measured_memory_speed(*device);
  return at->second;
}

}  // namespace weft::detail
