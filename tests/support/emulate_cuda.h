// Runs generated CUDA sources on the host, to check what they mean without a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/emit/emit.h"

namespace weft::test {

class EmulatedCuda {
 public:
  EmulatedCuda();
  ~EmulatedCuda();
  EmulatedCuda(const EmulatedCuda&) = delete;

  void add(const emit::Emitted& kernel);
  // Compiles everything that was added, into one library. A failure of the compiler is a test failure.
  bool build();
  // Runs a kernel and its finish with these argument words.
  void run(const emit::Emitted& kernel, const std::vector<uint64_t>& words) const;

 private:
  std::string directory_, source_;
  std::vector<std::string> names_;
  void* library_ = nullptr;
};

}  // namespace weft::test
