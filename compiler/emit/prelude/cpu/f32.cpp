// The math prelude of CPU kernels for single precision: arithmetic, rounding, exponentials and logarithms,
// branch-free but for rare arguments. Every function keeps its stated bound, and gives the same bits, in
// every contraction mode.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuF32 = R"weft(
//@ weft_fma_f32
[[gnu::always_inline]] static inline f32v weft_fma_f32(f32v a, f32v b, f32v c) {
  return __builtin_elementwise_fma(a, b, c);
}
//@ weft_abs_f32
[[gnu::always_inline]] static inline f32v weft_abs_f32(f32v x) { return __builtin_elementwise_abs(x); }
//@ weft_sqrt_f32
// The hardware's square root: 0.5 ulp.
[[gnu::always_inline]] static inline f32v weft_sqrt_f32(f32v x) { return __builtin_elementwise_sqrt(x); }
//@ weft_rsqrt_f32
// Where the hardware estimates 14 bits, one of Newton's steps: 1.1 ulp, at a third of the cost of root and
// division (1.6 ulp). The step is undefined, and the estimate exact, at zeros and infinities: there the minimum
// gives its other side, and the sum keeps y. Elsewhere y is a normal number, which an integer halves: multipliers
// and comparisons are what such loops are short of.
[[gnu::always_inline]] static inline f32v weft_rsqrt_f32(f32v x) {
#if __AVX512F__
  typedef float Part __attribute__((vector_size(64)));
  struct Parts { Part of[(L + 15) / 16]; } parts;
  f32v y;
  __builtin_memcpy(&parts, &x, sizeof x);
#pragma clang loop unroll(full)
  for (int i = 0; i < (L + 15) / 16; ++i)
    parts.of[i] = __builtin_ia32_rsqrt14ps512_mask(parts.of[i], parts.of[i], 0xffff);
  __builtin_memcpy(&y, &parts, sizeof y);
  f32v half = __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, y) - 0x00800000);
  f32v e = __builtin_elementwise_fma(-(x * half), y, (f32v)(0.5f));
  return __builtin_elementwise_fma(y, e < 0.25f ? e : (f32v)(0.25f), y);
#else
  return 1.0f / __builtin_elementwise_sqrt(x);
#endif
}
//@ weft_reciprocal_f32
[[gnu::always_inline]] static inline f32v weft_reciprocal_f32(f32v x) { return 1.0f / x; }
//@ weft_floor_f32
[[gnu::always_inline]] static inline f32v weft_floor_f32(f32v x) { return __builtin_elementwise_floor(x); }
//@ weft_ceil_f32
[[gnu::always_inline]] static inline f32v weft_ceil_f32(f32v x) { return __builtin_elementwise_ceil(x); }
//@ weft_trunc_f32
[[gnu::always_inline]] static inline f32v weft_trunc_f32(f32v x) { return __builtin_elementwise_trunc(x); }
//@ weft_round_f32
// Ties go to the even neighbour.
[[gnu::always_inline]] static inline f32v weft_round_f32(f32v x) {
  return __builtin_elementwise_roundeven(x);
}
//@ weft_copysign_f32
[[gnu::always_inline]] static inline f32v weft_copysign_f32(f32v x, f32v s) {
  return __builtin_elementwise_copysign(x, s);
}
//@ weft_sign_f32
// +0 for either zero, NaN for NaN.
[[gnu::always_inline]] static inline f32v weft_sign_f32(f32v x) {
  return x > 0.0f ? (f32v)1.0f : (x < 0.0f ? (f32v)-1.0f : (x == 0.0f ? (f32v)0.0f : x));
}
//@ weft_nextafter_f32
// Steps the bit pattern, which orders the values of one sign; exact.
[[gnu::always_inline]] static inline f32v weft_nextafter_f32(f32v x, f32v y) {
  i32v b = __builtin_bit_cast(i32v, x);
  i32v away = ((y > x) == (x > 0.0f));
  i32v step = b + (away ? (i32v)1 : (i32v)-1);
  f32v tiny = __builtin_elementwise_copysign(__builtin_bit_cast(f32v, (i32v)1), y);
  f32v r = x == 0.0f ? tiny : __builtin_bit_cast(f32v, step);
  r = x == y ? y : r;
  return ((x != x) | (y != y)) ? x + y : r;
}
//@ weft_scaled_f32
// p 2^k for whole k, rounded once: where the hardware does it at once.
[[gnu::always_inline]] static inline f32v weft_scaled_f32(f32v p, f32v k) {
#if __AVX512F__
  typedef float Part __attribute__((vector_size(64)));
  struct Parts { Part of[(L + 15) / 16]; } parts, by;
  __builtin_memcpy(&parts, &p, sizeof p);
  __builtin_memcpy(&by, &k, sizeof k);
#pragma clang loop unroll(full)
  for (int i = 0; i < (L + 15) / 16; ++i)
    parts.of[i] = __builtin_ia32_scalefps512_mask(parts.of[i], by.of[i], parts.of[i], 0xffff, 4);
  __builtin_memcpy(&p, &parts, sizeof p);
#endif
  return p;
}
//@ weft_exp_f32
// Where the hardware scales by powers of two, exp(x) = 2^k e^r with r in +-ln 2 / 2 and degree 6: 0.9 ulp. Elsewhere
// (2^k)^2 e^r with r in +-ln 2, so that one power of two serves twice and subnormal results round once, and degree 8:
// 1.5 ulp. Cody-Waite reduction in two parts.
[[gnu::always_inline]] static inline f32v weft_exp_f32(f32v x) {
#pragma clang fp contract(off)
  x = x > 89.0f ? (f32v)89.0f : x;
  x = x < -104.0f ? (f32v)-104.0f : x;
#if __AVX512F__
  f32v k = weft_fma_f32(x, 1.442695f, 12582912.0f) - 12582912.0f;
  f32v r = weft_fma_f32(k, -0.6931472f, x);
  r = weft_fma_f32(k, 1.9046542e-09f, r);
  f32v q = weft_fma_f32(r, (f32v)0.001382069f, (f32v)0.008368676f);
  q = weft_fma_f32(q, r, (f32v)0.041668266f);
  q = weft_fma_f32(q, r, (f32v)0.16666521f);
  q = weft_fma_f32(q, r, (f32v)0.49999994f);
  return weft_scaled_f32(weft_fma_f32(weft_fma_f32(q, r, 1.0f), r, 1.0f), k);
#else
  f32v t = weft_fma_f32(x, 0.7213475f, 12583039.0f);
  f32v k = t - 12583039.0f;
  f32v r = weft_fma_f32(k, -1.3862944f, x);
  r = weft_fma_f32(k, 3.8093084e-09f, r);
  f32v q = weft_fma_f32(r, (f32v)2.4691795e-05f, (f32v)0.0002010413f);
  q = weft_fma_f32(q, r, (f32v)0.0013890922f);
  q = weft_fma_f32(q, r, (f32v)0.00833257f);
  q = weft_fma_f32(q, r, (f32v)0.041666623f);
  q = weft_fma_f32(q, r, (f32v)0.16666673f);
  q = weft_fma_f32(q, r, (f32v)0.5f);
  f32v p = weft_fma_f32(weft_fma_f32(q, r, 1.0f), r, 1.0f);
  f32v s = __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, t) << 23);
  return p * s * s;
#endif
}
//@ weft_exp_parts_f32
// e^(hi+lo) = (h+l) s^2 with l the rounding error of h: what the functions that go on computing with exp start from.
[[gnu::always_inline]] static inline void weft_exp_parts_f32(f32v hi, f32v lo, f32v& h, f32v& l, f32v& s) {
#pragma clang fp contract(off)
  hi = hi > 91.0f ? (f32v)91.0f : hi;
  hi = hi < -130.0f ? (f32v)-130.0f : hi;
  f32v t = weft_fma_f32(hi, 0.7213475f, 12583039.0f);
  f32v k = t - 12583039.0f;
  f32v x = weft_fma_f32(k, -1.3862944f, hi);
  f32v r = weft_fma_f32(k, 3.8093084e-09f, x);
  f32v e = weft_fma_f32(k, 3.8093084e-09f, x - r) + lo;
  x = r + e;
  e = (r - x) + e;
  r = x;
  f32v q = weft_fma_f32(r, (f32v)2.4691795e-05f, (f32v)0.0002010413f);
  q = weft_fma_f32(q, r, (f32v)0.0013890922f);
  q = weft_fma_f32(q, r, (f32v)0.00833257f);
  q = weft_fma_f32(q, r, (f32v)0.041666623f);
  q = weft_fma_f32(q, r, (f32v)0.16666673f);
  q = weft_fma_f32(q, r, (f32v)0.5f);
  f32v v = 1.0f + r;
  l = ((1.0f - v) + r) + weft_fma_f32(r * r, q, weft_fma_f32(e, r, e));
  h = v + l;
  l = (v - h) + l;
  s = __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, t) << 23);
}
//@ weft_exp2_f32
// As exp; the reduction r = x - 2k is exact, degree 7 polynomial of 2^r on +-1: 1.2 ulp.
[[gnu::always_inline]] static inline f32v weft_exp2_f32(f32v x) {
#pragma clang fp contract(off)
  x = x > 129.0f ? (f32v)129.0f : x;
  x = x < -151.0f ? (f32v)-151.0f : x;
  f32v t = weft_fma_f32(x, 0.5f, 12583039.0f);
  f32v k = t - 12583039.0f;
  f32v r = weft_fma_f32(k, -2.0f, x);
  f32v q = weft_fma_f32(r, (f32v)1.4899159e-05f, (f32v)0.0001565412f);
  q = weft_fma_f32(q, r, (f32v)0.001334205f);
  q = weft_fma_f32(q, r, (f32v)0.009616714f);
  q = weft_fma_f32(q, r, (f32v)0.055503644f);
  q = weft_fma_f32(q, r, (f32v)0.24022673f);
  q = weft_fma_f32(q, r, (f32v)0.69314724f);
  f32v p = weft_fma_f32(q, r, 1.0f);
  f32v s = __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, t) << 23);
  return p * s * s;
}
//@ weft_expm1_f32
// 2^k (e^r - 1) + (2^k - 1), r in +-ln 2 / 2, with 2^(k-1) as the unit so that k = 128 does not overflow: 1.6 ulp.
[[gnu::always_inline]] static inline f32v weft_expm1_f32(f32v x) {
#pragma clang fp contract(off)
  f32v c = x > 89.0f ? (f32v)89.0f : x;
  c = c < -20.0f ? (f32v)-20.0f : c;
  f32v t = weft_fma_f32(c, 1.442695f, 12583038.0f);
  f32v k = t - 12583038.0f;
  f32v r = weft_fma_f32(k, -0.6931472f, c);
  r = weft_fma_f32(k, 1.9046542e-09f, r);
  f32v q = weft_fma_f32(r, (f32v)0.0013863035f, (f32v)0.008366866f);
  q = weft_fma_f32(q, r, (f32v)0.04166752f);
  q = weft_fma_f32(q, r, (f32v)0.1666654f);
  q = weft_fma_f32(q, r, (f32v)0.49999997f);
  f32v p = weft_fma_f32(r * r, q, r);
  f32v s = __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, t) << 23);
  f32v y = weft_fma_f32(s, p, s - 0.5f);
  return __builtin_elementwise_copysign(k == 0.0f ? p : y + y, x);
}
//@ weft_log_split_f32
// x = m 2^e for positive finite x, m in [sqrt(1/2), sqrt(2)); subnormal x is scaled first.
[[gnu::always_inline]] static inline void weft_log_split_f32(f32v x, f32v& m, f32v& e) {
#pragma clang fp contract(off)
  i32v small = x < 1.1754944e-38f;
  x = small ? x * 16777216.0f : x;
  i32v b = __builtin_bit_cast(i32v, x) + 0x4afb0d;
  e = __builtin_convertvector(b >> 23, f32v) - (small ? (f32v)151.0f : (f32v)127.0f);
  m = __builtin_bit_cast(f32v, (b & 0x7fffff) + 0x3f3504f3);
}
//@ weft_log_rest_f32
// log(1+f) - f on [sqrt(1/2)-1, sqrt(2)-1].
[[gnu::always_inline]] static inline f32v weft_log_rest_f32(f32v f) {
#pragma clang fp contract(off)
  f32v z = f * f;
  f32v q = weft_fma_f32(f, (f32v)-0.073552035f, (f32v)0.1261749f);
  q = weft_fma_f32(q, f, (f32v)-0.13204114f);
  q = weft_fma_f32(q, f, (f32v)0.1422785f);
  q = weft_fma_f32(q, f, (f32v)-0.16621219f);
  q = weft_fma_f32(q, f, (f32v)0.19999772f);
  q = weft_fma_f32(q, f, (f32v)-0.25000855f);
  q = weft_fma_f32(q, f, (f32v)0.33333355f);
  return weft_fma_f32(z * f, q, -0.5f * z);
}
//@ weft_log_f32
// x = m 2^e, polynomial on m - 1, ln 2 in two parts: 0.9 ulp.
[[gnu::always_inline]] static inline f32v weft_log_f32(f32v x) {
#pragma clang fp contract(off)
  f32v m, e;
  weft_log_split_f32(x, m, e);
  f32v f = m - 1.0f;
  f32v y = f + weft_fma_f32(e, -1.9046542e-09f, weft_log_rest_f32(f));
  f32v r = weft_fma_f32(e, 0.6931472f, y);
  r = x == __builtin_inff() ? x : r;
  return x > 0.0f ? r : (x == 0.0f ? (f32v)-__builtin_inff() : (f32v)__builtin_nanf(""));
}
//@ weft_log2_f32
// As log, with 1/ln 2 in two parts; exact for powers of two: 1.0 ulp.
[[gnu::always_inline]] static inline f32v weft_log2_f32(f32v x) {
#pragma clang fp contract(off)
  f32v m, e;
  weft_log_split_f32(x, m, e);
  f32v f = m - 1.0f;
  f32v q = weft_fma_f32(f, (f32v)-0.1080871f, (f32v)0.1853808f);
  q = weft_fma_f32(q, f, (f32v)-0.19144638f);
  q = weft_fma_f32(q, f, (f32v)0.20474845f);
  q = weft_fma_f32(q, f, (f32v)-0.23958585f);
  q = weft_fma_f32(q, f, (f32v)0.28855893f);
  q = weft_fma_f32(q, f, (f32v)-0.36069793f);
  q = weft_fma_f32(q, f, (f32v)0.48089838f);
  q = weft_fma_f32(q, f, (f32v)-0.72134733f);
  f32v y = weft_fma_f32(f, 1.442695f, weft_fma_f32(f, 1.925963e-08f, f * f * q));
  f32v r = e + y;
  r = x == __builtin_inff() ? x : r;
  return x > 0.0f ? r : (x == 0.0f ? (f32v)-__builtin_inff() : (f32v)__builtin_nanf(""));
}
//@ weft_log10_f32
// As log, with 1/ln 10 and log10(2) in two parts: 1.1 ulp.
[[gnu::always_inline]] static inline f32v weft_log10_f32(f32v x) {
#pragma clang fp contract(off)
  f32v m, e;
  weft_log_split_f32(x, m, e);
  f32v f = m - 1.0f;
  f32v y =
      weft_fma_f32(e, -1.4320989e-08f, weft_fma_f32(f, -1.010305e-08f, weft_log_rest_f32(f) * 0.4342945f));
  f32v r = weft_fma_f32(e, 0.30103f, weft_fma_f32(f, 0.4342945f, y));
  r = x == __builtin_inff() ? x : r;
  return x > 0.0f ? r : (x == 0.0f ? (f32v)-__builtin_inff() : (f32v)__builtin_nanf(""));
}
//@ weft_log1p_parts_f32
// log(1+h+l) for finite 1+h >= 2^-24; the bits that 1+h loses come back as a correction of the reduced argument.
[[gnu::always_inline]] static inline f32v weft_log1p_parts_f32(f32v h, f32v l) {
#pragma clang fp contract(off)
  f32v u = 1.0f + h;
  f32v v = u - 1.0f;
  f32v d = ((1.0f - (u - v)) + (h - v)) + l;
  i32v b = __builtin_bit_cast(i32v, u) + 0x4afb0d;
  f32v e = __builtin_convertvector(b >> 23, f32v) - 127.0f;
  f32v m = __builtin_bit_cast(f32v, (b & 0x7fffff) + 0x3f3504f3);
  f32v s = __builtin_bit_cast(f32v, 0x7f000000 - (b & 0x7f800000));
  d = u > 1.1529215e+18f ? (f32v)0.0f : d * s;
  f32v g = m - 1.0f;
  f32v f = g + d;
  d = (g - f) + d;
  f32v y = weft_fma_f32(d, 1.0f - f, weft_fma_f32(e, -1.9046542e-09f, weft_log_rest_f32(f)));
  return weft_fma_f32(e, 0.6931472f, f + y);
}
//@ weft_log1p_f32
// log of 1+x rounded, corrected for the rounding: 0.9 ulp.
[[gnu::always_inline]] static inline f32v weft_log1p_f32(f32v x) {
  f32v r = weft_log1p_parts_f32(x, 0.0f);
  r = ((x == __builtin_inff()) | (x == 0.0f)) ? x : r;
  return x > -1.0f ? r : (x == -1.0f ? (f32v)-__builtin_inff() : (f32v)__builtin_nanf(""));
}
//@ weft_cbrt_f32
// Polynomial for m^(-1/3), one step of order three, one corrected step on the root itself: 0.6 ulp.
[[gnu::always_inline]] static inline f32v weft_cbrt_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  i32v small = a < 1.1754944e-38f;
  f32v n = small ? a * 16777216.0f : a;
  i32v b = __builtin_bit_cast(i32v, n);
  f32v e = __builtin_convertvector(b >> 23, f32v) - 127.0f;
  f32v third = __builtin_elementwise_floor(weft_fma_f32(e, 0.33333334f, 0.16666667f));
  f32v left = weft_fma_f32(third, -3.0f, e);
  f32v m = __builtin_bit_cast(f32v, (b & 0x7fffff) | 0x3f800000);
  f32v q = weft_fma_f32(m, (f32v)-0.049690068f, (f32v)0.31664416f);
  q = weft_fma_f32(q, m, (f32v)-0.8083338f);
  q = weft_fma_f32(q, m, (f32v)1.5411186f);
  q = left == 0.0f ? q : (left == 1.0f ? q * 0.7937005f : q * 0.62996054f);
  m = left == 0.0f ? m : (left == 1.0f ? m * 2.0f : m * 4.0f);
  f32v h = weft_fma_f32(-(m * q), q * q, 1.0f);
  q = weft_fma_f32(q * h, weft_fma_f32(h, 0.22222222f, 0.33333334f), q);
  f32v y = m * q * q;
  f32v y2 = y * y;
  f32v y2l = weft_fma_f32(y, y, -y2);
  f32v d = weft_fma_f32(-y, y2, m) - y * y2l;
  y = weft_fma_f32(d, q * q * 0.33333334f, y);
  third = third + 12583039.0f;
  f32v s = __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, third) << 23);
  s = small ? s * 0.00390625f : s;
  y = __builtin_elementwise_copysign(y * s, x);
  return ((a > 0.0f) & (a < __builtin_inff())) ? y : x;
}
)weft";

}  // namespace weft::emit
