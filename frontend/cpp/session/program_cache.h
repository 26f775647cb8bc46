// Programs by the structure of the graph that they compute; the least recently used go first.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "compiler/base/hash.h"
#include "runtime/executor.h"

namespace weft::detail {

class ProgramCache {
 public:
  using Program = std::shared_ptr<const runtime::Executable>;

  explicit ProgramCache(size_t limit) : limit_(limit < 1 ? 1 : limit) {}
  Program find(const Hash& key);
  // What is there already stays; returns what is there afterwards.
  Program put(const Hash& key, Program program);
  void forget(const Hash& key);

 private:
  struct Entry {
    Program program;
    std::list<Hash>::iterator use;
  };
  const size_t limit_;
  std::mutex mutex_;
  std::unordered_map<Hash, Entry, HashOf> programs_;
  std::list<Hash> uses_;  // most recent first
};

}  // namespace weft::detail
