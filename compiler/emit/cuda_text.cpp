#include "compiler/emit/cuda_text.h"

namespace weft::emit {

namespace {

struct Section {
  const char* word;  // sections whose word the text does not hold are left out
  const char* text;
};

// Users come before what they use, since a section is asked for by the text that was chosen before it.
constexpr Section kSections[] = {
    {"weft_divide_all",
     R"(// Quotients of all elements, rounded as division does. Where neither they nor what is left of a are subnormal, a Newton
// step for 1 / b and one for the quotient are all that takes; whether that is so is asked once.
template <int U, int E>
static __device__ __forceinline__ void weft_divide_all(float (&to)[U][E], const float (&a)[U][E], const float (&b)[U][E]) {
  float least = __int_as_float(0x7f800000), least_a = least;
#pragma unroll
  for (int k = 0; k < U * E; ++k) {
    const float x = a[k / E][k % E], y = b[k / E][k % E];
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
    r = fmaf(r, fmaf(-y, r, 1.0f), r);
    float q = x * r;
    q = fmaf(r, fmaf(-y, q, x), q);
    least = weft_minimum_f32(least, fabsf(q));
    least_a = fminf(least_a, fabsf(x));
    to[k / E][k % E] = q;
  }
  if (!(least >= 0x1p-126f && least_a >= 0x1p-100f)) {
#pragma unroll
    for (int k = 0; k < U * E; ++k) to[k / E][k % E] = a[k / E][k % E] / b[k / E][k % E];
  }
}
)"},
    {"weft_sqrt_all",
     R"(// Square roots of all elements, rounded as sqrtf does. Whether one of them is no normal number is asked once.
template <int U, int E>
static __device__ __forceinline__ void weft_sqrt_all(float (&to)[U][E], const float (&a)[U][E]) {
  float least = __int_as_float(0x7f800000), largest = 0;
#pragma unroll
  for (int k = 0; k < U * E; ++k) {
    const float x = a[k / E][k % E];
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const float s = x * r;
    to[k / E][k % E] = fmaf(fmaf(-s, s, x), r * 0.5f, s);
    least = fminf(least, x), largest = fmaxf(largest, x);
  }
  if (!(least >= 0x1p-100f && largest < __int_as_float(0x7f800000))) {
#pragma unroll
    for (int k = 0; k < U * E; ++k) to[k / E][k % E] = sqrtf(a[k / E][k % E]);
  }
}
)"},
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
    {"weft_within", R"(// From 0 to n.
static __device__ __forceinline__ I weft_within(I x, I n) { return x < 0 ? 0 : weft_min(x, n); }
)"},
    {"weft_fold_any",
     R"(static __device__ __forceinline__ void weft_fold_any(unsigned int (&f)[2], unsigned int word) { f[0] |= word; }
static __device__ __forceinline__ bool weft_folded_any(const unsigned int (&f)[2]) { return f[0] != 0; }
)"},
    {"weft_fold_all", R"(// Collects which bytes are 0, all of those below the first one right.
static __device__ __forceinline__ void weft_fold_all(unsigned int (&f)[2], unsigned int word) {
  f[0] |= (word - 0x01010101u) & ~word & 0x80808080u;
}
static __device__ __forceinline__ bool weft_folded_all(const unsigned int (&f)[2]) { return f[0] == 0; }
)"},
    {"weft_fold_sum_bool", R"(// Counts the bytes that are not 0.
static __device__ __forceinline__ void weft_fold_sum_bool(unsigned int (&f)[2], unsigned int word) {
  f[0] += __popc(((word & 0x7f7f7f7fu) + 0x7f7f7f7fu | word) & 0x80808080u);
}
static __device__ __forceinline__ int weft_folded_sum_bool(const unsigned int (&f)[2]) { return (int)f[0]; }
)"},
    {"weft_fold_sum_u8",
     R"(static __device__ __forceinline__ void weft_fold_sum_u8(unsigned int (&f)[2], unsigned int word) {
  f[0] = __dp4a(word, 0x01010101u, f[0]);
}
static __device__ __forceinline__ int weft_folded_sum_u8(const unsigned int (&f)[2]) { return (int)f[0]; }
)"},
    {"weft_fold_sum_i8",
     R"(static __device__ __forceinline__ void weft_fold_sum_i8(unsigned int (&f)[2], unsigned int word) {
  f[0] = (unsigned int)__dp4a((int)word, 0x01010101, (int)f[0]);
}
static __device__ __forceinline__ int weft_folded_sum_i8(const unsigned int (&f)[2]) { return (int)f[0]; }
)"},
    {"weft_fold_sum_u16",
     R"(static __device__ __forceinline__ void weft_fold_sum_u16(unsigned int (&f)[2], unsigned int word) {
  f[0] = __dp2a_lo(word, 0x0101u, f[0]);
}
static __device__ __forceinline__ int weft_folded_sum_u16(const unsigned int (&f)[2]) { return (int)f[0]; }
)"},
    {"weft_fold_sum_i16",
     R"(static __device__ __forceinline__ void weft_fold_sum_i16(unsigned int (&f)[2], unsigned int word) {
  f[0] = (unsigned int)__dp2a_lo((int)word, 0x0101, (int)f[0]);
}
static __device__ __forceinline__ int weft_folded_sum_i16(const unsigned int (&f)[2]) { return (int)f[0]; }
)"},
    {"weft_fold_extreme",
     R"(// The larger, or the smaller, of both halves of a word.
template <class T, bool largest>
static __device__ __forceinline__ unsigned int weft_extremes(unsigned int a, unsigned int b) {
  if constexpr ((T)-1 < 0)
    return largest ? __vmaxs2(a, b) : __vmins2(a, b);
  else
    return largest ? __vmaxu2(a, b) : __vminu2(a, b);
}
// The upper byte of each pair of bytes decides; what is in the lower one only breaks ties.
template <class T, bool largest>
static __device__ __forceinline__ void weft_fold_extreme(unsigned int (&f)[2], unsigned int word) {
  f[0] = weft_extremes<T, largest>(f[0], word);
  if (sizeof(T) == 1) f[1] = weft_extremes<T, largest>(f[1], word << 8);
}
template <class T, bool largest>
static __device__ __forceinline__ T weft_folded_extreme(const unsigned int (&f)[2]) {
  constexpr int bits = 8 * sizeof(T);
  const unsigned int both = bits == 8 ? weft_extremes<T, largest>(f[0], f[1]) : f[0];
  const T a = (T)(both >> (32 - bits)), b = (T)(both >> (16 - bits));
  return (a > b) == largest ? a : b;
}
)"},
    {"weft_pick", R"(template <class T, int V>
static __device__ __forceinline__ T weft_pick(const Vec<T, V>& a, const Vec<T, V>& b, int k) {
  return k < V ? a.e[k] : b.e[k - V];
}
)"},
    {"weft_get_bf16", R"(template <int V>
static __device__ __forceinline__ float weft_get_bf16(const Vec<unsigned short, V>& x, int e) {
  const unsigned int w = ((const unsigned int*)&x)[e / 2];
  return __uint_as_float(e % 2 ? w & 0xffff0000u : w << 16);
}
)"},
    {"weft_set_bf16",
     R"(// The bits of a bf16 that is held as a float are in the upper half. Elements are set in their order.
template <int V>
static __device__ __forceinline__ void weft_set_bf16(Vec<unsigned short, V>& x, int e, float v) {
  unsigned int& w = ((unsigned int*)&x)[e / 2];
  w = e % 2 ? __byte_perm(w, __float_as_uint(v), 0x7632) : __float_as_uint(v);
}
)"},
    {"Vec<", R"(template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
)"},
    {"weft_exchange", R"(template <class S>
static __device__ __forceinline__ S weft_exchange(const S& s, int k) {
  S r;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((unsigned int*)&r)[i] = __shfl_xor_sync(0xffffffffu, ((const unsigned int*)&s)[i], k);
  return r;
}
)"},
    {"weft_quotient_f16",
     R"(// a / b of two f16, within 2^-24 of it: two 11-bit significands' quotient is 2^-23 away from the middle of two f16, or
// that middle itself, which comes out exactly. Of a divisor that is the same in a loop its reciprocal is not left there.
static __device__ __forceinline__ float weft_quotient_f16(float a, float b) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  const float q = a * r, beyond = fmaf(q, b, -a);
  // What is exact keeps the sign of its zero, and infinities and NaN have no remainder.
  return fabsf(beyond) > 0 ? fmaf(-beyond, r, q) : q;
}
)"},
    {"weft_quotient(",
     R"(// a / b within 2 ulp. Of a divisor that is the same in a loop only two products are left there.
static __device__ __forceinline__ float weft_quotient(float a, float b) {
  // Keeps the reciprocal away from 0, infinity and subnormals.
  float m = fabsf(b), by = m > 0x1p100f ? 0x1p-24f : m < 0x1p-100f ? 0x1p24f : 1.0f, r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b * by));
  return a * r * by;
}
)"},
    {"weft_rsqrt_normal", R"(static __device__ __forceinline__ float weft_rsqrt_normal(float x) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
)"},
    {"weft_exp_within_f16", R"(// Within 2^-18 where an f16 has room for it.
static __device__ __forceinline__ float weft_exp_within_f16(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x * 1.44269504088896340736f));
  return r;
}
)"},
    {"weft_exp_within_bf16",
     R"(// Within 2^-17 where a bf16 has room for it; a square has no subnormals to take care of.
static __device__ __forceinline__ float weft_exp_within_bf16(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x * 0.72134752044448170368f));
  return r * r;
}
)"},
    {"weft_bits_bf16", R"(// A bf16 that is held as a float has its bits in the upper half.
static __device__ __forceinline__ unsigned short weft_bits_bf16(float x) {
  return (unsigned short)(__float_as_uint(x) >> 16);
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
    {"weft_arrive",
     R"(// The blocks of the cluster know that all of them run, and nothing about memory: a barrier that orders it
// waits for all that is being stored.
static __device__ __forceinline__ void weft_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
static __device__ __forceinline__ void weft_await() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
)"},
    {"weft_tell_block",
     R"(// Writes to a shared variable of another block of the cluster, which counts the bytes in `told`.
template <class S>
static __device__ __forceinline__ void weft_tell_block(S& place, unsigned long long& told, unsigned int rank, const S& s) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(&place), count = (unsigned int)__cvta_generic_to_shared(&told);
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(count) : "r"(count), "r"(rank));
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 ::"r"(at + 4 * i), "r"(((const unsigned int*)&s)[i]), "r"(count) : "memory");
}
// Before the blocks meet, one thread says how many bytes will come; then each waits for them.
static __device__ __forceinline__ void weft_expect(unsigned long long& told, unsigned int bytes) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(count) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(count), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void weft_await_told(unsigned long long& told) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told), all;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all) : "r"(count) : "memory");
  while (!all);
}
)"},
    {"weft_await_turn",
     R"(// As weft_await_told, turn after turn: one thread then says how many bytes will come the next time.
static __device__ __forceinline__ void weft_await_turn(unsigned long long& told, unsigned int phase, unsigned int bytes) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told), all;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all) : "r"(count), "r"(phase) : "memory");
  while (!all);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(count), "r"(bytes) : "memory");
  }
}
)"},
    {"weft_take_share",
     R"(// A block's strip of columns, which part of it that is, and from which step of it to which. Whole strips come first, then
// shares that begin in a strip, then what shares have of the next one, the longest first.
struct Share { I strip, part, begin, end; };
static __device__ __forceinline__ Share weft_take_share(I block, I whole, I periods, I strips, I shares, I inverse, I steps) {
  if (block < whole) return {block, 0, 0, steps};
  block -= whole;
  const bool end = block >= periods * shares;
  if (end) block -= periods * shares;
  const I period = end ? block % periods : block / shares;
  const I share = end ? (strips - 1 - block / periods) * inverse % shares - 1 : block % shares;
  const I each = strips * steps / shares, rest = strips * steps % shares;
  const I from = share * each + share * rest / shares, to = (share + 1) * each + (share + 1) * rest / shares;
  const I strip = from / steps + end, first = strip * steps, last = first + steps;
  return {whole + period * strips + strip, share - strip * shares / strips, (from > first ? from : first) - first,
          (to < last ? to : last) - first};
}
static __device__ __forceinline__ I weft_parts(I strip, I whole, I periods, I strips, I shares, I inverse, I steps) {
  if (strip < whole) return 1;
  strip = (strip - whole) % strips;
  return ((strip + 1) * shares + strips - 1) / strips - strip * shares / strips;
}
)"},
    {"weft_is_last",
     R"(// Whether this block is the last of n to come here. It sees what the others stored before, and leaves 0 in the counter.
static __device__ __forceinline__ bool weft_is_last(unsigned int* counter, unsigned int n) {
  bool last = false;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(counter, n - 1) == n - 1;
    __threadfence();
  }
  return __syncthreads_or(last);
}
)"},
    {"weft_take(",
     R"(// Waits for it and leaves nothing there.
template <class S>
static __device__ __forceinline__ void weft_take(unsigned long long* at, S& s) {
  weft_find(at, s);
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i) at[i] = 0;
}
)"},
    {"weft_publish",
     R"(// Each word of a state lies with the sign that it is there, so that nobody sees the one without the other.
template <class S>
static __device__ __forceinline__ void weft_publish(unsigned long long* at, const S& s) {
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((volatile unsigned long long*)at)[i] = 1ull << 32 | ((const unsigned int*)&s)[i];
}
// Waits for it.
template <class S>
static __device__ __forceinline__ void weft_find(const unsigned long long* at, S& s) {
  unsigned long long word[sizeof(S) / 4], there;
  do {
#pragma unroll
    for (int i = 0; i < (int)(sizeof(S) / 4); ++i) word[i] = ((const volatile unsigned long long*)at)[i];
    there = ~0ull;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(S) / 4); ++i) there &= word[i];
  } while (!(there >> 32));
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i) ((unsigned int*)&s)[i] = (unsigned int)word[i];
}
)"},
    {"weft_scale_f32",
     R"(// What makes a sum of exp(x - from) one of exp(x - to). Of nothing but -inf, x itself is summed up.
static __device__ __forceinline__ float weft_scale_f32(float from, float to) {
  return from == to ? 1.0f : weft_exp_f32(from - to);
}
static __device__ __forceinline__ float weft_finite_base_f32(float x) { return x == -__builtin_inff() ? 0.0f : x; }
)"},
    {"weft_scale_f64", R"(static __device__ __forceinline__ double weft_scale_f64(double from, double to) {
  return from == to ? 1.0 : weft_exp_f64(from - to);
}
static __device__ __forceinline__ double weft_finite_base_f64(double x) { return x == -__builtin_inf() ? 0.0 : x; }
)"},
    {"weft_first_max",
     R"(// Takes (w, j) where it goes before (v, i): larger, or NaN, or the same and earlier.
template <class T, class U>
static __device__ __forceinline__ void weft_first_max(T& v, I& i, U value, I j) {
  const T w = value;
  if (w > v || (w == v && j < i) || (w != w && (v == v || j < i))) v = w, i = j;
}
)"},
    {"weft_first_min",
     R"(// Takes (w, j) where it goes before (v, i): smaller, or NaN, or the same and earlier.
template <class T, class U>
static __device__ __forceinline__ void weft_first_min(T& v, I& i, U value, I j) {
  const T w = value;
  if (w < v || (w == v && j < i) || (w != w && (v == v || j < i))) v = w, i = j;
}
)"},
    {"weft_split_by",
     R"(// The remainder of q by n; q becomes the quotient.
static __device__ __forceinline__ I weft_split_by(I& q, I n, I factor, I shift) {
  const unsigned int a = (unsigned int)q, whole = weft_quotient_by(a, factor, shift);
  q = (I)whole;
  return (I)(a - whole * (unsigned int)n);
}
)"},
    {"weft_quotient_by",
     R"(// x / n of numbers below 2^31, by what the host has found for n.
static __device__ __forceinline__ unsigned int weft_quotient_by(unsigned int x, I factor, I shift) {
  return __umulhi(x, (unsigned int)factor) >> (unsigned int)shift;
}
)"},
    {"weft_clamp", R"(static __device__ __forceinline__ long long weft_clamp(long long i, long long n) {
  i += i < 0 ? n : 0;
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}
)"},
    {"weft_again", R"(// The same number, of which the compiler knows nothing.
static __device__ __forceinline__ I weft_again(I x) {
  int low = (int)x;
  asm volatile("" : "+r"(low));
  return x - (I)(int)x + low;
}
)"},
    {"weft_min", R"(static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
)"},
    {"__builtin_inf()", "#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)\n"},
    {"__builtin_inff()", "#define __builtin_inff() __int_as_float(0x7f800000)\n"},
    {"__builtin_nan(", "#define __builtin_nan(x) __longlong_as_double(0x7ff8000000000000ll)\n"},
    {"__builtin_nanf(", "#define __builtin_nanf(x) __int_as_float(0x7fc00000)\n"},
};

constexpr const char* kSplit32 = R"(// The remainder of q by n; q becomes the quotient.
static __device__ __forceinline__ I weft_split(I& q, I n) {
  unsigned int a = (unsigned int)q, by = (unsigned int)n, whole = a / by;
  q = (I)whole;
  return (I)(a - whole * by);
}
)";

constexpr const char* kSplit64 =
    R"(// The remainder of q by n; q becomes the quotient. A 64-bit division costs several times a 32-bit one.
static __device__ __forceinline__ I weft_split(I& q, I n) {
  unsigned long long a = (unsigned long long)q, by = (unsigned long long)n, whole;
  if (((a | by) >> 32) == 0)
    whole = (unsigned int)a / (unsigned int)by;
  else
    whole = a / by;
  q = (I)whole;
  return (I)(a - whole * by);
}
)";

}  // namespace

std::string cuda_support(const std::string& text, bool wide) {
  std::string chosen;
  for (auto& s : kSections)
    if (text.find(s.word) != std::string::npos || chosen.find(s.word) != std::string::npos)
      chosen.insert(0, s.text);
  if (text.find("weft_split(") != std::string::npos) chosen = (wide ? kSplit64 : kSplit32) + chosen;
  return std::string(wide ? "typedef long long I;\n" : "typedef int I;\n") + chosen;
}

}  // namespace weft::emit
