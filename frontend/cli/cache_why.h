// Why a kernel of the cache is another one than the nearest beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel_cache.h"

namespace weft::cli {

// "array 0 (read), dtype" is "f32", and was "f64"; empty: it has none.
struct Difference {
  std::string what, now, then;
};
struct Nearest {
  runtime::CacheEntry entry;
  std::vector<Difference> differences;
};

// The one whose key starts with the text, or whose name is the text; Error where there is none, or are several.
const runtime::CacheEntry& entry_named(const std::vector<runtime::CacheEntry>& entries,
                                       const std::string& text);
// The kernel of the same operations, or of the same lines, that has the most in common with it.
std::optional<Nearest> nearest_to(const runtime::CacheEntry& entry, const runtime::KernelCache& cache);

}  // namespace weft::cli
