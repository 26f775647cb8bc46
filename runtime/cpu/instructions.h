// Functions for instructions that not every processor has, and whether this one has them. Where it is no x86-64, it has none.
#pragma once

namespace weft::runtime {

#if __x86_64__
#define WEFT_FOR(instructions) __attribute__((target(instructions)))
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
inline bool has_avx512vl() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }
inline bool has_avx512bw() { return __builtin_cpu_supports("avx512bw") != 0; }
#else
#define WEFT_FOR(instructions)
inline bool has_avx2() { return false; }
inline bool has_avx512vl() { return false; }
inline bool has_avx512bw() { return false; }
#endif

}  // namespace weft::runtime
