#include "runtime/blocks/loops.h"

namespace weft::runtime {

#define WEFT_LOOPS(bits)                                       \
  extern BlockLoop* const weft_block_loops_##bits[];           \
  extern BlockFold* const weft_block_folds_##bits##_4[];       \
  extern BlockJoin* const weft_block_folds_##bits##_4_joins[]; \
  extern BlockFold* const weft_block_folds_##bits##_16[];      \
  extern BlockJoin* const weft_block_folds_##bits##_16_joins[];
extern "C" {
WEFT_LOOPS(128)
#if __x86_64__
WEFT_LOOPS(256)
WEFT_LOOPS(512)
#endif
}
#undef WEFT_LOOPS

#define WEFT_LOOPS(bits, lanes)                                               \
  {                                                                           \
      lanes,                                                                  \
      weft_block_loops_##bits,                                                \
      {16, weft_block_folds_##bits##_16, weft_block_folds_##bits##_16_joins}, \
      {4, weft_block_folds_##bits##_4, weft_block_folds_##bits##_4_joins},    \
  }
const BlockLoops& block_loops(Vectors vectors) {
  static const BlockLoops k128 = WEFT_LOOPS(128, 4);
#if __x86_64__
  static const BlockLoops k256 = WEFT_LOOPS(256, 8), k512 = WEFT_LOOPS(512, 16);
  if (vectors == Vectors::Bits512) return k512;
  if (vectors == Vectors::Bits256) return k256;
#endif
  static_cast<void>(vectors);
  return k128;
}
#undef WEFT_LOOPS

Vectors vectors_here() {
#if __x86_64__
  const auto has = [](auto... features) { return (... && (features != 0)); };
  if (has(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
          __builtin_cpu_supports("avx512dq"), __builtin_cpu_supports("avx512vl")))
    return Vectors::Bits512;
  if (has(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"), __builtin_cpu_supports("bmi2")))
    return Vectors::Bits256;
#endif
  return Vectors::Bits128;
}

const BlockLoops& block_loops_here() { return block_loops(vectors_here()); }

}  // namespace weft::runtime
