// Memory that devices hand out and get back, and what it is for, while somebody watches. Off, it costs a look at a
// flag. Buffers outlive whom they were made for, and know their device alone: so the process keeps it, not a session.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "runtime/steady_now.h"

namespace weft::runtime {

class Device;

struct MemoryChange {
  const Device* device = nullptr;
  const void* memory = nullptr;
  int64_t at = 0;     // of the steady clock
  int64_t bytes = 0;  // handed out; less than 0: given back
  std::string owner;  // "exp : f32(4, 5) at blur.cpp:12"; empty: nobody said
};

class MemoryTrace {
 public:
  // Later ones are dropped.
  static constexpr size_t kMost = size_t{1} << 18;

  bool on() const { return watching_.load(std::memory_order_relaxed) > 0; }
  void start() {
    const std::lock_guard lock(mutex_);
    if (watching_.fetch_add(1) == 0) clear();
  }
  // What happened on these devices since then, in order.
  std::vector<MemoryChange> stop(const std::vector<const Device*>& devices, int64_t since) {
    const std::lock_guard lock(mutex_);
    std::vector<MemoryChange> out;
    for (const Noted& one : changes_)
      if (one.at >= since && std::ranges::find(devices, one.device) != devices.end())
        out.push_back({one.device, one.memory, one.at, one.bytes, one.owner ? *one.owner : std::string()});
    if (watching_.fetch_sub(1) == 1) clear();
    return out;
  }
  void handed_out(const Device* device, const void* memory, size_t bytes) {
    add(device, memory, static_cast<int64_t>(bytes));
  }
  void given_back(const Device* device, const void* memory, size_t bytes) {
    add(device, memory, -static_cast<int64_t>(bytes));
  }
  // What the memory is for that was handed out last at this place.
  void name(const void* memory, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    const auto last = std::find_if(changes_.rbegin(), changes_.rend(),
                                   [&](const Noted& one) { return one.memory == memory && one.bytes >= 0; });
    if (last != changes_.rend()) last->owner = &*owners_.insert(owner).first;
  }

 private:
  // A change; the owner's text is kept once.
  struct Noted {
    const Device* device;
    const void* memory;
    int64_t at, bytes;
    const std::string* owner;
  };

  void clear() { changes_ = {}, owners_ = {}; }
  void add(const Device* device, const void* memory, int64_t bytes) {
    const int64_t now = steady_now();
    const std::lock_guard lock(mutex_);
    if (bytes != 0 && changes_.size() < kMost) changes_.push_back({device, memory, now, bytes, nullptr});
  }

  std::atomic<int> watching_{0};
  std::mutex mutex_;
  std::vector<Noted> changes_;
  std::unordered_set<std::string> owners_;
};

inline MemoryTrace memory_trace;

}  // namespace weft::runtime
