// Functions of numbers: quotients and roots of many elements, folds of words, positions, first largest ones.
#include "compiler/emit/cuda/support.h"

#include "compiler/emit/cuda/support_sections.h"

namespace weft::emit {

namespace {

// Users come before what they use, since a section is asked for by the text that was chosen before it.
constexpr CudaSection kNumbers[] = {
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
  for (std::span<const CudaSection> sections :
       {cuda_memory_sections(), cuda_exchange_sections(), std::span<const CudaSection>(kNumbers)})
    for (const CudaSection& s : sections)
      if (text.find(s.word) != std::string::npos || chosen.find(s.word) != std::string::npos)
        chosen.insert(0, s.text);
  if (text.find("weft_split(") != std::string::npos) chosen = (wide ? kSplit64 : kSplit32) + chosen;
  return std::string(wide ? "typedef long long I;\n" : "typedef int I;\n") + chosen;
}

}  // namespace weft::emit
