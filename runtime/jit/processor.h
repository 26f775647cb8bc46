// A processor as LLVM describes it.
#pragma once

#include <string>
#include <vector>

namespace weft::runtime {

struct Processor {
  std::string triple, cpu;            // "x86_64-pc-linux-gnu", "znver4"
  std::vector<std::string> features;  // in which it differs from what LLVM says of `cpu`: "+avx2"
  int vector_bytes = 16;              // width of the vector registers that kernels should use
  bool avx512 = false;                // with its parts for bytes, long integers and narrower vectors
  int vector_registers() const { return avx512 || !triple.starts_with("x86_64") ? 32 : 16; }
};

}  // namespace weft::runtime
