#include "frontend/cpp/inspect/memory_speed.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "frontend/cpp/session/env.h"

namespace weft::detail {

namespace {

// More than caches hold, as far as memory allows; each of two blocks.
constexpr size_t kLeastBytes = size_t{32} << 20, kMostBytes = size_t{128} << 20;
constexpr size_t kShareOfMemory = 32;
constexpr int kPasses = 4;

runtime::BufferRef block_of_bytes(runtime::Device& device, size_t bytes) {
  if (!device.host_visible()) return device.allocate(bytes);
  // The device's pool would keep it.
  void* memory = std::malloc(bytes);  // NOLINT: given back below
  if (!memory) throw OutOfMemory("memory speed: no memory to measure it with");
  return device.adopt(memory, bytes, [memory] { std::free(memory); }, 0);  // NOLINT
}

double measured_speed(runtime::Device& device) {
  const runtime::DeviceInfo& info = device.info();
  size_t bytes = std::clamp(info.cache_bytes, kLeastBytes, kMostBytes);
  if (info.memory_bytes) bytes = std::min(bytes, info.memory_bytes / kShareOfMemory);
  try {
    const runtime::BufferRef from = block_of_bytes(device, bytes), to = block_of_bytes(device, bytes);
    double best = 0;
    for (int turn = 0; turn <= kPasses; ++turn) {  // the first takes pages from the system
      device.synchronize();
      const auto start = std::chrono::steady_clock::now();
      device.copy(*to, 0, *from, 0, bytes);
      device.synchronize();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (turn > 0 && took.count() > 0) best = std::max(best, 2 * static_cast<double>(bytes) / took.count());
    }
    return best;
  } catch (const OutOfMemory&) {
    return 0;
  }
}

}  // namespace

double memory_speed(const std::shared_ptr<runtime::Device>& device) {
  if (const std::optional<double> given = given_memory_speed()) return *given;
  // A fact of the machine, not of a session.
  static std::mutex mutex;
  static std::map<std::string, double> known;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(device->info().name, 0);
  if (fresh) at->second = measured_speed(*device);
  return at->second;
}

}  // namespace weft::detail
