// Vectors that are loaded, stored and copied.
#include "compiler/emit/cuda/support_sections.h"

namespace weft::emit {

namespace {

constexpr CudaSection kMemory[] = {
    {"weft_put_part", R"(template <class T, int V>
static __device__ __forceinline__ void weft_put_part(T* p, const Vec<T, V>& x, I left) {
  if (left >= V) {
    weft_put(p, x);
  } else {
    // Unrolled, since a register has no address to count through.
#pragma unroll
    for (int e = 0; e < V; ++e)
      if (e < left) p[e] = x.e[e];
  }
}
)"},
    {"weft_put_within", R"(template <class T, int V>
static __device__ __forceinline__ void weft_put_within(T* p, const Vec<T, V>& x, I first, I last) {
  if (first <= 0 && last >= V) {
    weft_put(p, x);
  } else {
#pragma unroll
    for (int e = 0; e < V; ++e)
      if (e >= first && e < last) p[e] = x.e[e];
  }
}
)"},
    {"weft_put_once", R"(template <class T, int V>
static __device__ __forceinline__ void weft_put_once(T* p, const Vec<T, V>& x) {
  if constexpr (sizeof(x) % 16 == 0) {
#pragma unroll
    for (int k = 0; k < (int)sizeof(x) / 16; ++k) __stcs((uint4*)p + k, ((const uint4*)&x)[k]);
  } else if constexpr (sizeof(x) == 8) {
    __stcs((uint2*)p, *(const uint2*)&x);
  } else if constexpr (sizeof(x) == 4) {
    __stcs((unsigned int*)p, *(const unsigned int*)&x);
  } else {
    weft_put(p, x);
  }
}
)"},
    {"weft_get_once", R"(template <class W, class T>
static __device__ __forceinline__ W weft_get_once(const T* p) {
  W x;
  if constexpr (sizeof(W) % 16 == 0) {
#pragma unroll
    for (int k = 0; k < (int)sizeof(W) / 16; ++k) ((uint4*)&x)[k] = __ldcs((const uint4*)p + k);
  } else if constexpr (sizeof(W) == 8) {
    *(uint2*)&x = __ldcs((const uint2*)p);
  } else if constexpr (sizeof(W) == 4) {
    *(unsigned int*)&x = __ldcs((const unsigned int*)p);
  } else {
    x = weft_get<W>(p);
  }
  return x;
}
)"},
    {"weft_get_to_stay", R"(template <class W, class T>
static __device__ __forceinline__ W weft_get_to_stay(const T* p) {
  W x;
  if constexpr (sizeof(W) % 16 == 0) {
#pragma unroll
    for (int k = 0; k < (int)sizeof(W) / 16; ++k) {
      uint4 v;
      asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"((const uint4*)p + k), "l"(weft_to_stay()));
      ((uint4*)&x)[k] = v;
    }
  } else if constexpr (sizeof(W) == 8) {
    uint2 v;
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
                 : "=r"(v.x), "=r"(v.y) : "l"(p), "l"(weft_to_stay()));
    *(uint2*)&x = v;
  } else if constexpr (sizeof(W) == 4) {
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.b32 %0, [%1], %2;"
                 : "=r"(*(unsigned int*)&x) : "l"(p), "l"(weft_to_stay()));
  } else {
    x = weft_get<W>(p);
  }
  return x;
}
)"},
    {"weft_copy_vector",
     R"(// N elements, each of a vector of its own there.
template <int N, class W, class T>
static __device__ __forceinline__ void weft_copy_vector(W* to, const T* from) {
#pragma unroll
  for (int k = 0; k < N * (int)sizeof(T) / 16; ++k)
    weft_copy_ahead((Vec<unsigned int, 4>*)to + k, (const Vec<unsigned int, 4>*)from + k);
}
)"},
    {"weft_copy_run",
     R"(// The threads of a block copy its rows, from and to where memory is aligned.
template <int threads, int block, int row, class T>
static __device__ __forceinline__ void weft_copy_run(T* to, const T* from, I rows) {
  weft_each_word<threads, block, row, T>(rows, [&](I k) { weft_copy_ahead((Vec<unsigned int, 4>*)to + k, (const Vec<unsigned int, 4>*)from + k); },
                                         [&](I k) { to[k] = from[k]; });
}
)"},
    {"weft_put_run",
     R"(template <int threads, int block, int row, class T>
static __device__ __forceinline__ void weft_put_run(T* to, const T* from, I rows) {
  weft_each_word<threads, block, row, T>(rows, [&](I k) { ((Vec<unsigned int, 4>*)to)[k] = ((const Vec<unsigned int, 4>*)from)[k]; },
                                         [&](I k) { to[k] = from[k]; });
}
)"},
    {"weft_each_word",
     R"(// Calls word(k) for each 16 bytes of a block's rows, and single(k) for the elements behind them, which all rows that a block
// can have do not have together.
template <int threads, int block, int row, class T, class Word, class Single>
static __device__ __forceinline__ void weft_each_word(I rows, const Word& word, const Single& single) {
  constexpr int all = block * row * (int)sizeof(T) / 16;
  const I t = (I)threadIdx.x;
  if (rows == block) {
#pragma unroll
    for (int k = 0; k < all; k += threads)
      if (k + threads <= all || k + t < all) word(k + t);
  } else {
    const I n = rows * row, whole = n * (I)sizeof(T) / 16, rest = whole * 16 / (I)sizeof(T);
#pragma unroll 1
    for (I k = t; k < whole; k += threads) word(k);
    if (rest + t < n) single(rest + t);
  }
}
)"},
    {"weft_put", R"(template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
}
)"},
    {"weft_get", R"(template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
)"},
    {"weft_cut",
     R"(// Elements of a vector before number `first` and from number `last` on, of BITS each, become those of `none`.
template <int BITS, class W>
static __device__ __forceinline__ void weft_cut(W& x, I first, I last, unsigned int none) {
  constexpr I lanes = 8 * sizeof(W) / BITS, words = sizeof(W) / 4;
  if (first <= 0 && last >= lanes) return;
  const I begin = weft_within(first, lanes) * BITS, end = (lanes - weft_within(last, lanes)) * BITS;
#pragma unroll
  for (int k = 0; k < words; ++k) {
    // Of 64 bits, since 32 of them cannot be shifted by 32.
    const unsigned int low = (unsigned int)(0xffffffffull << weft_within(begin - 32 * k, 32)),
                       keep = low & (unsigned int)(0xffffffffull >> weft_within(end - 32 * (words - 1 - k), 32));
    unsigned int& word = ((unsigned int*)&x)[k];
    word = (word & keep) | (none & ~keep);
  }
}
)"},
    {"weft_is_own",
     R"(// Whether a sector that begins at this column is the strip's whose first column is `own`.
static __device__ __forceinline__ bool weft_is_own(I sector, I own, I columns) {
  return sector < own + columns && (sector >= own || own == 0);
}
)"},
    {"weft_copied",
     R"(static __device__ __forceinline__ void weft_copied() { asm volatile("cp.async.wait_all;" ::: "memory"); }
)"},
    {"weft_copy_to_stay",
     R"(template <class W, class T>
static __device__ __forceinline__ void weft_copy_to_stay(W* to, const T* from) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
  if constexpr (sizeof(W) == 16)
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
                 ::"r"(at), "l"(from), "l"(weft_to_stay()) : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;"
                 ::"r"(at), "l"(from), "n"(sizeof(W)), "l"(weft_to_stay()) : "memory");
}
)"},
    {"weft_copy_ahead",
     R"(// A vector of 4, 8 or 16 bytes.
template <class W, class T>
static __device__ __forceinline__ void weft_copy_ahead(W* to, const T* from) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
  if constexpr (sizeof(W) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(W)) : "memory");
}
)"},
    {"weft_to_stay", R"(// What is loaded with it leaves the second-level cache after everything else.
static __device__ __forceinline__ unsigned long long weft_to_stay() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
)"},
};

}  // namespace

std::span<const CudaSection> cuda_memory_sections() { return kMemory; }

}  // namespace weft::emit
