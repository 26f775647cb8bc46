#include "runtime/blocks/loops.h"

namespace weft::runtime {

extern "C" {
extern BlockLoop* const weft_block_loops_128[];
#if __x86_64__
extern BlockLoop* const weft_block_loops_256[];
extern BlockLoop* const weft_block_loops_512[];
#endif
}

const BlockLoops& block_loops(Vectors vectors) {
  static const BlockLoops k128{4, weft_block_loops_128};
#if __x86_64__
  static const BlockLoops k256{8, weft_block_loops_256}, k512{16, weft_block_loops_512};
  if (vectors == Vectors::Bits512) return k512;
  if (vectors == Vectors::Bits256) return k256;
#endif
  static_cast<void>(vectors);
  return k128;
}

const BlockLoops* block_loops_here() {
#if __x86_64__
  // As kernels do: some functions have another way where there is AVX-512, however wide the vectors.
  if (__builtin_cpu_supports("avx512f")) {
    const bool all = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl");
    return all ? &block_loops(Vectors::Bits512) : nullptr;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return &block_loops(Vectors::Bits256);
#endif
  return &block_loops(Vectors::Bits128);
}

}  // namespace weft::runtime
