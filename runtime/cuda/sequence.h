// What a thread gave to a stream, in order, so that the same can be known again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "compiler/base/hash.h"
#include "runtime/cuda/driver_api.h"
#include "runtime/device.h"

namespace weft::runtime::cuda {

class CudaKernel;

struct KernelStart {
  const CudaKernel* kernel = nullptr;
  Launch how;
  bool operator==(const KernelStart&) const = default;
};
struct CopyStart {
  CUdeviceptr to = 0, from = 0;
  size_t bytes = 0;
  bool operator==(const CopyStart&) const = default;
};
struct ProductStart {
  Dot what;
  void* c = nullptr;
  const void *a = nullptr, *b = nullptr;
  bool operator==(const ProductStart&) const = default;
};
using Start = std::variant<KernelStart, CopyStart, ProductStart>;

class Sequence {
 public:
  size_t size() const { return starts_.size(); }
  const Start& start(size_t i) const { return starts_[i].what; }
  // The words that a kernel receives.
  std::span<const uint64_t> args(size_t i) const {
    return std::span(words_).subspan(starts_[i].first, starts_[i].words);
  }

  void add(const Start& what, std::span<const uint64_t> args);
  void clear() {
    starts_.clear();
    words_.clear();
  }

  // Whether both have the same at this place.
  bool same_at(size_t i, const Sequence& other) const;
  // Of the first `count`; equal sequences have equal ones.
  Hash hash(size_t count) const;

 private:
  struct One {
    Start what;
    size_t first = 0, words = 0;
  };
  std::vector<One> starts_;
  std::vector<uint64_t> words_;  // of each start some that tell it apart, then its arguments
};

}  // namespace weft::runtime::cuda
