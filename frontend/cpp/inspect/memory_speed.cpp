#include "frontend/cpp/inspect/memory_speed.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/cpp/session/env.h"

namespace weft::detail {

namespace {

// More than caches hold, as far as memory allows; each of two blocks.
constexpr size_t kLeastBytes = size_t{32} << 20, kMostBytes = size_t{128} << 20;
constexpr size_t kShareOfMemory = 32;
constexpr int kPasses = 4;
// A block is copied in so many pieces, one behind the other: where other processes have the processors, a whole copy is
// always interrupted, and most pieces are not.
constexpr size_t kPieces = 8;

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
  size_t bytes = std::clamp(info.cache_bytes, kLeastBytes, kMostBytes);
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

double memory_speed(const std::shared_ptr<runtime::Device>& device) {
  if (const std::optional<double> given = given_memory_speed()) return *given;
  // A fact of the machine, not of a session.
  static std::mutex mutex;
  static std::map<std::string, double> known;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(device->info().name, 0);
  if (fresh) at->second = measured_memory_speed(*device);
  return at->second;
}

}  // namespace weft::detail
