// The graphs that a session writes to a folder, each once (WEFT_DUMP).
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_set>

#include "compiler/base/hash.h"

namespace weft::detail {

class Dumps {
 public:
  // No folder: none are written. `data`: inputs and results as well.
  Dumps(std::string folder, bool data) : folder_(std::move(folder)), data_(data), on_(!folder_.empty()) {}

  bool on() const { return on_.load(std::memory_order_relaxed); }
  bool data() const { return data_; }
  // Where the graph of this key goes.
  std::string place_of(const Hash& key) const { return folder_ + "/" + to_string(key); }
  // Whether nobody asked about this key before.
  bool is_first(const Hash& key) {
    const std::lock_guard lock(mutex_);
    return met_.insert(key).second;
  }
  // The folder cannot be written to.
  void give_up() { on_.store(false, std::memory_order_relaxed); }

 private:
  const std::string folder_;
  const bool data_;
  std::atomic<bool> on_;
  std::mutex mutex_;
  std::unordered_set<Hash, HashOf> met_;
};

}  // namespace weft::detail
