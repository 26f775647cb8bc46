// Schedules other than the rules' own, for the kernels of one architecture. They are kept in memory, and in
// the disk cache beside the kernels. Safe from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/program/choice.h"
#include "runtime/kernel_cache.h"

namespace weft::runtime {

class Choices {
 public:
  // `cache` may be null: choices last as long as this object.
  Choices(std::shared_ptr<KernelCache> cache, const std::string& architecture);

  // Whether there may be a choice for some kernel. The disk is asked once.
  bool any();
  // What was chosen for the kernel with its extents, else for its source, else nothing.
  TunedBias find(const KernelKey& key);
  // What was chosen under one of a kernel's two hashes.
  std::optional<TunedBias> find(const Hash& hash);
  // The cache has another directory: what was not found may be there.
  void look_again();
  void keep(const Hash& hash, const TunedBias& choice);

 private:
  std::shared_ptr<KernelCache> cache_;
  std::string kind_;  // the toolchain under which the disk cache lists them
  std::mutex mutex_;
  std::unordered_map<Hash, std::optional<TunedBias>, HashOf> known_;
  std::optional<bool> any_;
};

}  // namespace weft::runtime
