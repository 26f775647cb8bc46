// Compiled kernels on disk, found by content. An entry is written whole (temporary name, then rename),
// carries a checksum and holds the source that it was made from. It is never trusted: a damaged or differing
// one is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/hash.h"

namespace weft::runtime {

// What people are told of a kernel; nothing finds it by this.
struct KernelNote {
  std::string ops;         // what it computes: "exp, multiply (2), sum"; empty: nobody said
  std::string facts;       // what it was made for: lines of "array 0 (read), dtype: f32"
  int64_t compile_us = 0;  // what compiling it took, in microseconds; 0: nobody said
};

struct CacheEntry {
  Hash key;
  std::string toolchain;  // compiler, its version and options, target features: "clang-19.1.7 znver4 …"
  std::string kernel;     // the kernel's symbol
  KernelNote note;
  uint64_t bytes = 0;     // of the file
  int64_t last_used = 0;  // seconds since the epoch
  std::string problem;    // empty: sound; else why the entry cannot be used
  bool foreign = false;   // the problem: another version of Weft wrote it
};

// What import_from() did.
struct CacheImport {
  int64_t kernels = 0;
  uint64_t bytes = 0;
  std::vector<CacheEntry> refused;  // damaged ones
};

// Safe for any number of threads and processes on one directory. Never throws for the cache's own troubles:
// an unwritable or unsafe directory turns the cache off, `disabled_because()` says why, and compiling goes
// on; so it does when an entry cannot be written, and `warn` hears of the first.
class KernelCache {
 public:
  // `directory` empty: no disk cache. It is made with mode 0700; one that another user owns or can write is
  // refused, and so is one below a folder that others can write and that is not sticky. Entries that another
  // user owns or can write, or that have another name, are dropped. When a `put` takes the entries past
  // `max_bytes` together, they are trimmed to nine tenths of it.
  KernelCache(std::string directory, uint64_t max_bytes, std::function<void(const std::string&)> warn = {});
  // From now on it is another directory; what is under way ends in the one where it began. Returns why the
  // directory cannot be used; then it stays.
  std::string move_to(const std::string& directory, uint64_t max_bytes);

  // The key of a source compiled by a toolchain.
  static Hash key(std::string_view toolchain, std::string_view source);
  // The compiled bytes, when a sound entry of this very source is there; marks it used.
  std::optional<std::string> find(std::string_view toolchain, std::string_view source);
  void put(std::string_view toolchain, std::string_view kernel, std::string_view source,
           std::string_view binary, const KernelNote& note = {});
  // Whether there is an entry of its name. It may be damaged.
  bool may_have(std::string_view toolchain, std::string_view source) const;

  // Files that the cache did not name are neither counted nor touched.
  std::vector<CacheEntry> list() const;  // reads headers only
  std::vector<CacheEntry> verify();  // reads and checks everything; damaged entries are removed and returned
  int64_t clear();                   // returns how many entries went
  // Adds the sound entries of another folder whose toolchain contains `target`. The folder is only read; it
  // may be anybody's, on a medium that cannot be written. Error when it cannot be read.
  CacheImport import_from(const std::string& directory, std::string_view target = {});
  // Least recently used first; also removes what writers that crashed left behind, after an hour.
  void trim(uint64_t max_bytes);

  std::string directory() const { return place()->directory; }
  uint64_t max_bytes() const { return place()->max_bytes; }
  std::string disabled_because() const { return place()->disabled_because; }

 private:
  struct Place {
    std::string directory, disabled_because;
    uint64_t max_bytes = 0;
    std::once_flag warned;
    std::mutex mutex;                    // of what follows
    std::optional<uint64_t> used_bytes;  // all entries at the last count, and what this object put since
    uint64_t puts = 0;
  };
  std::shared_ptr<Place> place() const {
    const std::lock_guard lock(mutex_);
    return place_;
  }
  static std::shared_ptr<Place> place_at(std::string directory, uint64_t max_bytes);
  static void trim(const Place& place, uint64_t max_bytes);
  bool write(Place& place, const std::string& name, std::string_view bytes);

  std::function<void(const std::string&)> warn_;
  mutable std::mutex mutex_;
  std::shared_ptr<Place> place_;
};

}  // namespace weft::runtime
