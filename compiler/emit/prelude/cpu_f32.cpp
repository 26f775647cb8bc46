// The math prelude of CPU kernels for single precision: functions on vectors of L lanes, branch-free but
// for rare arguments. Every function keeps its stated bound, and gives the same bits, in every contraction
// mode.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuF32 = R"weft(//@ weft_fma_f32
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
//@ weft_exp_f32
// exp(x) = (2^k)^2 e^r with r in +-ln 2, so that one power of two serves twice and subnormal results round once;
// Cody-Waite reduction in two parts, degree 8 polynomial: 1.5 ulp.
[[gnu::always_inline]] static inline f32v weft_exp_f32(f32v x) {
#pragma clang fp contract(off)
  x = x > 89.0f ? (f32v)89.0f : x;
  x = x < -104.0f ? (f32v)-104.0f : x;
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
//@ weft_two_over_pi_f32
// 2/pi in 32-bit words, after one word of zeros.
static const unsigned weft_two_over_pi_f32[] = {0x0u,        0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                                0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
//@ weft_trig_slow_f32
// Payne-Hanek for the lanes with |x| > 100000: x 2/pi modulo 4 in integers. Never inlined, hardly ever called.
static __attribute__((noinline, cold, minsize)) void weft_trig_slow_f32(const f32v& x, f32v& r, i32v& n) {
  for (int i = 0; i < L; ++i) {
    const float v = x[i];
    const unsigned bits = __builtin_bit_cast(unsigned, v);
    const int e = (int)(bits >> 23 & 0xff) - 150;  // |v| = m 2^e
    if (e < -10) continue;
    if (e > 104) {
      r[i] = __builtin_nanf("");
      continue;
    }
    const unsigned long m = (bits & 0x7fffff) | 0x800000;
    const int at = e + 30, word = at >> 5, shift = at & 31;
    unsigned long w[3];
    for (int j = 0; j < 3; ++j) {
      const unsigned long two =
          (unsigned long)weft_two_over_pi_f32[word + j] << 32 | weft_two_over_pi_f32[word + j + 1];
      w[j] = (two << shift) >> 32;
    }
    const unsigned long p = (m * w[0] << 32) + m * w[1] + (m * w[2] >> 32);
    unsigned long q = (p + (1ul << 61)) >> 62;
    const long rest = (long)(p - (q << 62));
    const float y = (float)((double)rest * 0x1.921fb54442d18p-62);
    const bool negative = v < 0;
    r[i] = negative ? -y : y;
    n[i] = (int)(negative ? 0 - q : q);
  }
}
//@ weft_trig_reduce_f32
// x = n pi/2 + r + l, |r| <= pi/4: three-part Cody-Waite (the first step is exact) up to 100000, Payne-Hanek beyond.
[[gnu::always_inline]] static inline void weft_trig_reduce_f32(f32v x, f32v& r, f32v& l, i32v& n) {
#pragma clang fp contract(off)
  f32v t = weft_fma_f32(x, 0.63661975f, 12582912.0f);
  f32v k = t - 12582912.0f;
  n = __builtin_bit_cast(i32v, t);
  f32v a = weft_fma_f32(k, -1.5707963f, x);
  f32v b = weft_fma_f32(k, -7.5497894e-08f, a);
  r = weft_fma_f32(k, -5.3903025e-15f, b);
  // What r has lost; only tan looks at it.
  f32v p = k * 7.5497894e-08f;
  b = a - p;
  f32v v = b - a;
  f32v e = ((a - (b - v)) - (p + v)) - weft_fma_f32(k, 7.5497894e-08f, -p);
  l = weft_fma_f32(k, -5.3903025e-15f, (b - r) + e);
  i32v big = __builtin_elementwise_abs(x) > 100000.0f;
  if (__builtin_expect(__builtin_reduce_or(big) != 0, 0)) {
    f32v x2 = x, r2 = r;
    i32v n2 = n;
    weft_trig_slow_f32(x2, r2, n2);
    r = big ? r2 : r;
    l = big ? (f32v)0.0f : l;
    n = big ? n2 : n;
  }
}
//@ weft_sin_poly_f32
[[gnu::always_inline]] static inline f32v weft_sin_poly_f32(f32v r) {
#pragma clang fp contract(off)
  f32v z = r * r;
  f32v q = weft_fma_f32(z, (f32v)-0.00019506023f, (f32v)0.008332098f);
  q = weft_fma_f32(q, z, (f32v)-0.16666654f);
  return __builtin_elementwise_copysign(weft_fma_f32(r * z, q, r), r);  // for -0
}
//@ weft_cos_poly_f32
[[gnu::always_inline]] static inline f32v weft_cos_poly_f32(f32v r) {
#pragma clang fp contract(off)
  f32v z = r * r;
  f32v q = weft_fma_f32(z, (f32v)2.4428646e-05f, (f32v)-0.0013887291f);
  q = weft_fma_f32(q, z, (f32v)0.041666646f);
  f32v h = weft_fma_f32(z, -0.5f, 1.0f);
  f32v l = weft_fma_f32(z, -0.5f, 1.0f - h);
  return h + weft_fma_f32(z * z, q, l);
}
//@ weft_sin_f32
// Reduction by pi/2, sine or cosine polynomial by the quadrant's parity: 1.6 ulp.
[[gnu::always_inline]] static inline f32v weft_sin_f32(f32v x) {
  f32v r, l;
  i32v n;
  weft_trig_reduce_f32(x, r, l, n);
  f32v y = (n & 1) != 0 ? weft_cos_poly_f32(r) : weft_sin_poly_f32(r);
  return __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, y) ^ ((n & 2) << 30));
}
//@ weft_cos_f32
// As sin, one quadrant further: 1.6 ulp.
[[gnu::always_inline]] static inline f32v weft_cos_f32(f32v x) {
  f32v r, l;
  i32v n;
  weft_trig_reduce_f32(x, r, l, n);
  f32v y = (n & 1) != 0 ? weft_sin_poly_f32(r) : weft_cos_poly_f32(r);
  return __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, y) ^ (((n + 1) & 2) << 30));
}
//@ weft_quotient_f32
// (n + nl) / (d + dl) for low parts below an ulp, one division, the sign of a zero kept: about half an ulp.
[[gnu::always_inline]] static inline f32v weft_quotient_f32(f32v n, f32v nl, f32v d, f32v dl) {
#pragma clang fp contract(off)
  f32v i = 1.0f / d;
  f32v q = n * i;
  f32v r = weft_fma_f32(q, d, -n) + weft_fma_f32(q, dl, -nl);
  return weft_fma_f32(-r, i, q);
}
//@ weft_tan_f32
// Quotient of the sine and cosine polynomials, each with its rounding error: 2 ulp.
[[gnu::always_inline]] static inline f32v weft_tan_f32(f32v x) {
#pragma clang fp contract(off)
  f32v r, l;
  i32v n;
  weft_trig_reduce_f32(x, r, l, n);
  f32v z = r * r;
  f32v p = weft_fma_f32(z, (f32v)-0.00019506023f, (f32v)0.008332098f);
  p = weft_fma_f32(p, z, (f32v)-0.16666654f);
  f32v q = weft_fma_f32(z, (f32v)2.4428646e-05f, (f32v)-0.0013887291f);
  q = weft_fma_f32(q, z, (f32v)0.041666646f);
  f32v t = r * z * p;
  f32v s = r + t;
  f32v sl = (r - s) + t;
  f32v h = weft_fma_f32(z, -0.5f, 1.0f);
  t = weft_fma_f32(z * z, q, weft_fma_f32(z, -0.5f, 1.0f - h));
  f32v c = h + t;
  f32v cl = (h - c) + t;
  sl = weft_fma_f32(l, c, sl);
  cl = weft_fma_f32(-l, s, cl);
  i32v odd = (n & 1) != 0;
  t = weft_quotient_f32(odd ? c : s, odd ? cl : sl, odd ? s : c, odd ? sl : cl);
  return __builtin_elementwise_copysign(
      odd ? -t : t, __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, r) ^ ((n & 1) << 31)));
}
//@ weft_asin_parts_f32
// The pieces of asin and acos for a = |x|: big (a > 1/2), w and q with asin(w) = w + q, where w = a or sqrt((1-a)/2);
// q holds the rounding error of the root.
[[gnu::always_inline]] static inline void weft_asin_parts_f32(f32v a, i32v& big, f32v& w, f32v& q) {
#pragma clang fp contract(off)
  big = a > 0.5f;
  f32v z = big ? 0.5f - 0.5f * a : a * a;
  f32v s = __builtin_elementwise_sqrt(z);
  f32v c = weft_fma_f32(-s, s, z) / (s + (s + 1.1754944e-38f));
  w = big ? s : a;
  f32v p = weft_fma_f32(z, (f32v)0.042170525f, (f32v)0.024174826f);
  p = weft_fma_f32(p, z, (f32v)0.04547207f);
  p = weft_fma_f32(p, z, (f32v)0.07495274f);
  p = weft_fma_f32(p, z, (f32v)0.16666754f);
  q = weft_fma_f32(w * z, p, big ? c : (f32v)0.0f);
}
//@ weft_asin_f32
// Odd polynomial up to 1/2, pi/2 - 2 asin(sqrt((1-|x|)/2)) above with the root's error kept: 0.8 ulp.
[[gnu::always_inline]] static inline f32v weft_asin_f32(f32v x) {
#pragma clang fp contract(off)
  f32v w, q;
  i32v big;
  weft_asin_parts_f32(__builtin_elementwise_abs(x), big, w, q);
  f32v v = 1.5707964f - 2.0f * w;
  f32v d = (1.5707964f - v) - 2.0f * w;
  f32v r = big ? v + (d + (-4.371139e-08f - 2.0f * q)) : w + q;
  return __builtin_elementwise_copysign(r, x);
}
//@ weft_acos_f32
// The pieces of asin: 2 asin(w), pi - 2 asin(w) or pi/2 - asin(x): 0.8 ulp.
[[gnu::always_inline]] static inline f32v weft_acos_f32(f32v x) {
#pragma clang fp contract(off)
  f32v w, q;
  i32v big;
  weft_asin_parts_f32(__builtin_elementwise_abs(x), big, w, q);
  i32v pos = x > 0.0f;
  f32v base = big ? (pos ? (f32v)0.0f : (f32v)3.1415927f) : (f32v)1.5707964f;
  f32v low = big ? (pos ? (f32v)0.0f : (f32v)-8.742278e-08f) : (f32v)-4.371139e-08f;
  f32v f = big ? (pos ? (f32v)-2.0f : (f32v)2.0f) : (pos ? (f32v)1.0f : (f32v)-1.0f);
  w = w * f;
  q = q * f;
  f32v v = base - w;
  f32v d = (base - v) - w;
  return v + (d + (low - q));
}
//@ weft_atan_tail_f32
// base + low + sign atan(y) for a reduced y, with the rounding error of the sum kept.
[[gnu::always_inline]] static inline f32v weft_atan_tail_f32(f32v base, f32v low, f32v y) {
#pragma clang fp contract(off)
  f32v z = y * y;
  f32v q = weft_fma_f32(z, (f32v)-0.0017701174f, (f32v)0.01080704f);
  q = weft_fma_f32(q, z, (f32v)-0.030972116f);
  q = weft_fma_f32(q, z, (f32v)0.057744607f);
  q = weft_fma_f32(q, z, (f32v)-0.08390539f);
  q = weft_fma_f32(q, z, (f32v)0.10947563f);
  q = weft_fma_f32(q, z, (f32v)-0.14263307f);
  q = weft_fma_f32(q, z, (f32v)0.19998454f);
  q = weft_fma_f32(q, z, (f32v)-0.33333296f);
  f32v v = base + y;
  f32v d = (base - v) + y;
  return v + (d + weft_fma_f32(y * z, q, low));
}
//@ weft_atan_f32
// Odd polynomial on [0, 1], pi/2 - atan(1/x) beyond: 1.3 ulp.
[[gnu::always_inline]] static inline f32v weft_atan_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  i32v big = a > 1.0f;
  f32v y = (big ? (f32v)-1.0f : a) / (big ? a : (f32v)1.0f);
  f32v base = big ? (f32v)1.5707964f : (f32v)0.0f;
  f32v low = big ? (f32v)-4.371139e-08f : (f32v)0.0f;
  return __builtin_elementwise_copysign(weft_atan_tail_f32(base, low, y), x);
}
//@ weft_atan2_f32
// atan of the smaller over the larger magnitude, reduced as in atan, put into its octant: 1.6 ulp.
[[gnu::always_inline]] static inline f32v weft_atan2_f32(f32v y, f32v x) {
#pragma clang fp contract(off)
  f32v ay = __builtin_elementwise_abs(y), ax = __builtin_elementwise_abs(x);
  i32v swap = ay > ax, left = __builtin_bit_cast(i32v, x) < 0;
  f32v num = swap ? ax : ay, den = swap ? ay : ax;
  i32v both = num == __builtin_inff(), none = den == 0.0f;
  f32v base = swap ? (f32v)1.5707964f : (left ? (f32v)3.1415927f : (f32v)0.0f);
  f32v low = swap ? (f32v)-4.371139e-08f : (left ? (f32v)-8.742278e-08f : (f32v)0.0f);
  num = both ? (f32v)1.0f : num;
  den = (both | none) ? (f32v)1.0f : den;
  f32v q = num / den;
  q = swap != left ? -q : q;
  f32v r = __builtin_elementwise_copysign(weft_atan_tail_f32(base, low, q), y);
  return ((x != x) | (y != y)) ? x + y : r;
}
//@ weft_sinh_f32
// Odd polynomial up to 1, (e^|x| - e^-|x|) / 2 from exp with its rounding error beyond: 1.8 ulp.
[[gnu::always_inline]] static inline f32v weft_sinh_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  f32v h, l, s;
  weft_exp_parts_f32(a, (f32v)0.0f, h, l, s);
  f32v e = h * s * (s * 0.5f);
  f32v big = (e - 0.25f / e) + l * s * (s * 0.5f);
  f32v z = a * a;
  f32v q = weft_fma_f32(z, (f32v)2.7915387e-06f, (f32v)0.0001984142f);
  q = weft_fma_f32(q, z, (f32v)0.008333316f);
  q = weft_fma_f32(q, z, (f32v)0.16666667f);
  return __builtin_elementwise_copysign(a > 1.0f ? big : weft_fma_f32(a * z, q, a), x);
}
//@ weft_cosh_f32
// (e^|x| + e^-|x|) / 2 from exp with its rounding error: 1.1 ulp.
[[gnu::always_inline]] static inline f32v weft_cosh_f32(f32v x) {
#pragma clang fp contract(off)
  f32v h, l, s;
  weft_exp_parts_f32(__builtin_elementwise_abs(x), (f32v)0.0f, h, l, s);
  f32v e = h * s * (s * 0.5f);
  return e + (0.25f / e + l * s * (s * 0.5f));
}
//@ weft_tanh_f32
// Odd polynomial up to 0.65, 1 - 2 / (e^2|x| + 1) beyond, with an exponential for small powers: 1.4 ulp.
[[gnu::always_inline]] static inline f32v weft_tanh_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  f32v b = a > 9.25f ? (f32v)9.25f : a;
  f32v t = weft_fma_f32(b, (f32v)2.8853901f, (f32v)12583039.0f);
  f32v k = t - 12583039.0f;
  f32v r = weft_fma_f32(k, (f32v)-0.69311523f, b + b);
  r = weft_fma_f32(k, (f32v)-3.1946183e-05f, r);
  f32v e = weft_fma_f32(r, (f32v)0.0013882394f, (f32v)0.0083671808f);
  e = weft_fma_f32(e, r, (f32v)0.041667223f);
  e = weft_fma_f32(e, r, (f32v)0.16666539f);
  e = weft_fma_f32(e, r, (f32v)0.49999997f);
  e = weft_fma_f32(weft_fma_f32(e, r, (f32v)1.0f), r, (f32v)1.0f);
  e = e * __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, t) << 23);
  f32v big = 1.0f - 2.0f / (e + 1.0f);
  f32v z = a * a;
  f32v q = weft_fma_f32(z, (f32v)0.002043115f, (f32v)-0.008063678f);
  q = weft_fma_f32(q, z, (f32v)0.02165231f);
  q = weft_fma_f32(q, z, (f32v)-0.053937323f);
  q = weft_fma_f32(q, z, (f32v)0.13333124f);
  q = weft_fma_f32(q, z, (f32v)-0.33333328f);
  return __builtin_elementwise_copysign(a > 0.65f ? big : weft_fma_f32(a * z, q, a), x);
}
//@ weft_asinh_f32
// log1p(a + a^2 / (1 + sqrt(1 + a^2))) with the argument in two parts, log(2a) for large a: 1.3 ulp.
[[gnu::always_inline]] static inline f32v weft_asinh_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  i32v big = a > 8192.0f;
  f32v w = a * a / (1.0f + __builtin_elementwise_sqrt(weft_fma_f32(a, a, 1.0f)));
  f32v h = a + w;
  f32v l = (a - h) + w;
  f32v r = weft_log1p_parts_f32(big ? a : h, big ? (f32v)-1.0f : l);
  r = big ? r + 0.6931472f : r;
  return __builtin_elementwise_copysign(((a == __builtin_inff()) | (a == 0.0f)) ? a : r, x);
}
//@ weft_acosh_f32
// log1p(x - 1 + sqrt(x^2 - 1)) with the argument in two parts, log(2x) for large x: 1.2 ulp.
[[gnu::always_inline]] static inline f32v weft_acosh_f32(f32v x) {
#pragma clang fp contract(off)
  i32v big = x > 8192.0f;
  f32v p = x * x;
  f32v q = p - 1.0f;
  f32v ql = weft_fma_f32(x, x, -p) + (-1.0f - (q - p));
  f32v z = q + ql;
  ql = (q - z) + ql;
  f32v s = __builtin_elementwise_sqrt(z);
  f32v sl = (weft_fma_f32(-s, s, z) + ql) / (s + (s + 1.1754944e-38f));
  f32v t = x - 1.0f;
  f32v h = s + t;
  f32v l = ((s - h) + t) + sl;
  f32v r = weft_log1p_parts_f32(big ? x : h, big ? (f32v)-1.0f : l);
  r = big ? r + 0.6931472f : r;
  r = x == __builtin_inff() ? x : r;
  return x > 1.0f ? r : (x == 1.0f ? (f32v)0.0f : (f32v)__builtin_nanf(""));
}
//@ weft_atanh_f32
// log1p(2a / (1 - a)) / 2 with the quotient in two parts: 1.0 ulp.
[[gnu::always_inline]] static inline f32v weft_atanh_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  f32v d = 1.0f - a;
  f32v dl = (1.0f - d) - a;
  f32v t = (a + a) / d;
  f32v tl = (weft_fma_f32(-t, d, a + a) - t * dl) / d;
  f32v r = 0.5f * weft_log1p_parts_f32(t, tl);
  r = a < 1.0f ? r : (a == 1.0f ? (f32v)__builtin_inff() : (f32v)__builtin_nanf(""));
  return __builtin_elementwise_copysign(a < 1.1754944e-38f ? a : r, x);
}
//@ weft_erfc_parts_f32
// m erfc(a+al) for a >= 0, given h+l = (a+al)^2: e^-(h+l) G((a-2)/(a+2)) / (1+2a), where G is smooth and near 1.
[[gnu::always_inline]] static inline f32v weft_erfc_parts_f32(f32v a, f32v al, f32v h, f32v l, f32v m) {
#pragma clang fp contract(off)
  f32v t = weft_fma_f32(a / (a + 2.0f), (f32v)2.0f, (f32v)-1.0f);
  f32v g = weft_fma_f32(t, (f32v)3.1529104e-05f, (f32v)-0.00035600163f);
  g = weft_fma_f32(g, t, (f32v)-0.0012537497f);
  g = weft_fma_f32(g, t, (f32v)0.0012683022f);
  g = weft_fma_f32(g, t, (f32v)0.008638581f);
  g = weft_fma_f32(g, t, (f32v)-0.008044062f);
  g = weft_fma_f32(g, t, (f32v)-0.054206107f);
  g = weft_fma_f32(g, t, (f32v)0.16405322f);
  g = weft_fma_f32(g, t, (f32v)-0.16603106f);
  g = weft_fma_f32(g, t, (f32v)-0.0927639f);
  // The last step with its rounding error.
  f32v gl = g * t;
  g = gl + 1.2769784f;
  gl = (1.2769784f - g) + gl;
  f32v p, pl, s;
  weft_exp_parts_f32(-h, -l, p, pl, s);
  f32v d = weft_fma_f32(a, 2.0f, 1.0f);
  f32v v = d - 1.0f;
  f32v dl = (1.0f - (d - v)) + (a + a - v) + (al + al);
  f32v w = g * m;
  f32v n = p * w;
  f32v nl = weft_fma_f32(p, w, -n) + weft_fma_f32(pl, w, p * weft_fma_f32(gl, m, weft_fma_f32(g, m, -w)));
  return weft_quotient_f32(n, nl, d, dl) * s * s;
}
//@ weft_erfc_f32
// e^(-x^2), the square in two parts, times a polynomial; 2 - erfc(-x) for negative x: 2.1 ulp.
[[gnu::always_inline]] static inline f32v weft_erfc_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  a = a > 10.5f ? (f32v)10.5f : a;
  f32v h = a * a;
  f32v r = weft_erfc_parts_f32(a, (f32v)0.0f, h, weft_fma_f32(a, a, -h), (f32v)1.0f);
  return x < 0.0f ? 2.0f - r : r;
}
//@ weft_erf_f32
// Odd polynomial up to 1, 1 - e^-q(|x|) beyond: 1.2 ulp.
[[gnu::always_inline]] static inline f32v weft_erf_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  f32v z = a * a;
  f32v q = weft_fma_f32(z, (f32v)7.9198515e-05f, (f32v)-0.0008030646f);
  q = weft_fma_f32(q, z, (f32v)0.0051907254f);
  q = weft_fma_f32(q, z, (f32v)-0.026855124f);
  q = weft_fma_f32(q, z, (f32v)0.11283618f);
  q = weft_fma_f32(q, z, (f32v)-0.3761263f);
  q = weft_fma_f32(q, z, (f32v)0.12837917f);
  f32v small = weft_fma_f32(a, q, a);
  a = a > 4.0f ? (f32v)4.0f : a;
  f32v g = weft_fma_f32(a, (f32v)-0.00019267354f, (f32v)0.003010447f);
  g = weft_fma_f32(g, a, (f32v)-0.022093404f);
  g = weft_fma_f32(g, a, (f32v)0.103648864f);
  g = weft_fma_f32(g, a, (f32v)0.6375107f);
  g = weft_fma_f32(g, a, (f32v)1.1274769f);
  g = weft_fma_f32(g, a, (f32v)0.0002446216f);
  f32v big = 1.0f - weft_exp_f32(-g);
  return __builtin_elementwise_copysign(a > 1.0f ? big : small, x);
}
//@ weft_gelu_f32
// x Phi(x): |x|/2 erfc(|x|/sqrt 2) with x^2/2 in two parts, subtracted from x for positive x: 1.9 ulp.
[[gnu::always_inline]] static inline f32v weft_gelu_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  a = a > 14.7f ? (f32v)14.7f : a;
  f32v h = 0.5f * a * a;
  f32v b = a * 0.70710677f;
  f32v bl = weft_fma_f32(a, 0.70710677f, -b) + a * 1.21016175e-08f;
  f32v r = weft_erfc_parts_f32(b, bl, h, weft_fma_f32(0.5f * a, a, -h), 0.5f * a);
  return x < 0.0f ? -r : x - r;
}
//@ weft_gelu_tanh_f32
// x / (1 + e^-u), u = 2 sqrt(2/pi) (x + 0.044715 x^3) in two parts: 1.4 ulp.
[[gnu::always_inline]] static inline f32v weft_gelu_tanh_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  a = a > 11.0f ? (f32v)11.0f : a;
  f32v z = a * a;
  f32v zl = weft_fma_f32(a, a, -z);
  f32v b = z * 0.071354814f;
  f32v bl = weft_fma_f32(z, 0.071354814f, -b) + weft_fma_f32(zl, 0.071354814f, z * 2.3988325e-09f);
  f32v c = b + 1.5957692f;
  f32v v = c - b;
  bl = ((b - (c - v)) + (1.5957692f - v)) + (bl + -4.534068e-08f);
  f32v u = a * c;
  f32v ul = weft_fma_f32(a, c, -u) + a * bl;
  f32v h, l, s;
  weft_exp_parts_f32(-u, -ul, h, l, s);
  f32v e = h * s * s;
  f32v d = 1.0f + e;
  f32v n = h * -a;
  f32v nl = weft_fma_f32(h, -a, -n) - l * a;
  f32v r = weft_quotient_f32(x < 0.0f ? n : x, x < 0.0f ? nl : (f32v)0.0f, d, ((1.0f - d) + e) + l * s * s);
  return x < 0.0f ? r * s * s : (x == __builtin_inff() ? x : r);
}
//@ weft_sigmoid_f32
// 1 / (1 + e^-x), as e^x / (1 + e^x) for negative x: 1.3 ulp.
[[gnu::always_inline]] static inline f32v weft_sigmoid_f32(f32v x) {
#pragma clang fp contract(off)
  f32v h, l, s;
  weft_exp_parts_f32(-__builtin_elementwise_abs(x), (f32v)0.0f, h, l, s);
  f32v e = h * s * s;
  f32v el = l * s * s;
  f32v d = 1.0f + e;
  return weft_quotient_f32(x < 0.0f ? e : (f32v)1.0f, x < 0.0f ? el : (f32v)0.0f, d, ((1.0f - d) + e) + el);
}
//@ weft_softplus_f32
// max(x, 0) + log1p(e^-|x|): 1.3 ulp.
[[gnu::always_inline]] static inline f32v weft_softplus_f32(f32v x) {
#pragma clang fp contract(off)
  f32v h, l, s;
  weft_exp_parts_f32(-__builtin_elementwise_abs(x), (f32v)0.0f, h, l, s);
  f32v e = h * s * s;
  return (x > 0.0f ? x : (f32v)0.0f) + weft_log1p_parts_f32(e, l * s * s);
}
//@ weft_logaddexp_f32
// max + log1p(e^-|a-b|): 2.1 ulp of the larger of the result and max(|a|, |b|).
[[gnu::always_inline]] static inline f32v weft_logaddexp_f32(f32v a, f32v b) {
#pragma clang fp contract(off)
  f32v d = a == b ? (f32v)0.0f : __builtin_elementwise_abs(a - b);
  f32v m = a > b ? a : b;
  return m + weft_log1p_parts_f32(weft_exp_f32(-d), (f32v)0.0f);
}
//@ weft_hypot_f32
// sqrt(a^2 + b^2), scaled by a power of two, the larger square in two parts: 1.1 ulp.
[[gnu::always_inline]] static inline f32v weft_hypot_f32(f32v x, f32v y) {
#pragma clang fp contract(off)
  f32v ax = __builtin_elementwise_abs(x), ay = __builtin_elementwise_abs(y);
  f32v a = ax > ay ? ax : ay, b = ax > ay ? ay : ax;
  i32v large = a > 1.1529215e+18f, small = a < 9.094947e-13f;
  f32v down = large ? (f32v)8.4703295e-22f : (small ? (f32v)1.2676506e+30f : (f32v)1.0f);
  f32v up = large ? (f32v)1.1805916e+21f : (small ? (f32v)7.888609e-31f : (f32v)1.0f);
  a = a * down;
  b = b * down;
  f32v p = a * a;
  f32v r = __builtin_elementwise_sqrt(p + weft_fma_f32(b, b, weft_fma_f32(a, a, -p))) * up;
  return ((ax == __builtin_inff()) | (ay == __builtin_inff())) ? (f32v)__builtin_inff() : r;
}
//@ weft_pow_special_f32
// The cases of pow that depend on sign, zeros and infinities, from r = |x|^y of the main path.
[[gnu::always_inline]] static inline f32v weft_pow_special_f32(f32v x, f32v y, f32v r) {
  f32v a = __builtin_elementwise_abs(x);
  f32v h = y * 0.5f;
  i32v whole = __builtin_elementwise_trunc(y) == y, odd = whole & (__builtin_elementwise_trunc(h) != h);
  i32v grows = (a > 1.0f) == (y > 0.0f);
  i32v edge = (a == 0.0f) | (a == __builtin_inff()) | (__builtin_elementwise_abs(y) == __builtin_inff());
  r = edge ? (grows ? (f32v)__builtin_inff() : (f32v)0.0f) : r;
  i32v negative = __builtin_bit_cast(i32v, x) < 0;
  r = (negative & odd) ? -r : r;
  r = ((x < 0.0f) & (x > -__builtin_inff()) & ~whole) ? (f32v)__builtin_nanf("") : r;
  r = ((x != x) | (y != y)) ? x + y : r;
  r = ((a == 1.0f) & (__builtin_elementwise_abs(y) == __builtin_inff())) ? (f32v)1.0f : r;
  return ((x == 1.0f) | (y == 0.0f)) ? (f32v)1.0f : r;
}
//@ weft_pow_f32
// 2^(y log2 |x|) in double precision, degree 12 and 6 polynomials: 0.7 ulp.
[[gnu::always_inline]] static inline f32v weft_pow_f32(f32v x, f32v y) {
#pragma clang fp contract(off)
  f64v a = __builtin_convertvector(__builtin_elementwise_abs(x), f64v);
  i64v b = __builtin_bit_cast(i64v, a) + 0x95f619980c433L;
  f64v e = __builtin_bit_cast(f64v, (i64v)(__builtin_bit_cast(u64v, b) >> 52) | 0x4330000000000000L) -
           4503599627371519.0;
  f64v f = __builtin_bit_cast(f64v, (b & 0xfffffffffffffL) + 0x3fe6a09e667f3bcdL) - 1.0;
  f64v q = weft_fma_f64(f, (f64v)0.07754075859929692, (f64v)-0.14297832142128117);
  q = weft_fma_f64(q, f, (f64v)0.144736642611652);
  q = weft_fma_f64(q, f, (f64v)-0.1431248947400309);
  q = weft_fma_f64(q, f, (f64v)0.1587672842186267);
  q = weft_fma_f64(q, f, (f64v)-0.18030325202660427);
  q = weft_fma_f64(q, f, (f64v)0.20617566797787276);
  q = weft_fma_f64(q, f, (f64v)-0.2404530653494734);
  q = weft_fma_f64(q, f, (f64v)0.2885372824306588);
  q = weft_fma_f64(q, f, (f64v)-0.36067367644495135);
  q = weft_fma_f64(q, f, (f64v)0.4808983615200265);
  q = weft_fma_f64(q, f, (f64v)-0.7213475208610227);
  q = weft_fma_f64(q, f, (f64v)1.4426950408684962);
  f64v p = __builtin_convertvector(y, f64v) * weft_fma_f64(f, q, e);
  p = p > 130.0 ? (f64v)130.0 : p;
  p = p < -152.0 ? (f64v)-152.0 : p;
  f64v t = p + 6755399441056767.0;
  f64v r = p - (t - 6755399441056767.0);
  f64v g = weft_fma_f64(r, (f64v)0.00015467390556107703, (f64v)0.0013400458975083211);
  g = weft_fma_f64(g, r, (f64v)0.009618035883968331);
  g = weft_fma_f64(g, r, (f64v)0.055503271471715604);
  g = weft_fma_f64(g, r, (f64v)0.24022651084616214);
  g = weft_fma_f64(g, r, (f64v)0.6931472067420501);
  g = weft_fma_f64(g, r, 1.0) * __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, t) << 52);
  return weft_pow_special_f32(x, y, __builtin_convertvector(g, f32v));
}
//@ weft_fmod_slow_f32
// The exact remainder of |a| by |b|, lane by lane in integers, where the quotient has more than 24 bits.
static __attribute__((noinline, cold, minsize)) void weft_fmod_slow_f32(const f32v& a, const f32v& b,
                                                                        f32v& r) {
  for (int i = 0; i < L; ++i) {
    const float p = a[i], q = b[i];  // __builtin_bit_cast of a vector's element reads element 0 (clang 19)
    const unsigned x = __builtin_bit_cast(unsigned, p), y = __builtin_bit_cast(unsigned, q);
    if (x >= 0x7f800000u || y == 0 || y >= 0x7f800000u) continue;
    const int ex = x >> 23 ? (int)(x >> 23) : 1, ey = y >> 23 ? (int)(y >> 23) : 1;
    if (ex < ey) continue;
    unsigned long m = (x & 0x7fffff) | (x >> 23 ? (unsigned long)0x800000 : 0);
    const unsigned long n = (y & 0x7fffff) | (y >> 23 ? (unsigned long)0x800000 : 0);
    m %= n;
    for (int left = ex - ey; left > 0;) {
      const int step = left < 40 ? left : 40;
      m = (m << step) % n;
      left -= step;
    }
    if (m == 0) {
      r[i] = 0;
      continue;
    }
    int e = ey;
    while (m < (unsigned long)0x800000 && e > 1) {
      m <<= 1;
      --e;
    }
    const unsigned bits =
        m < (unsigned long)0x800000 ? (unsigned)m : (unsigned)(m - 0x800000) | (unsigned)e << 23;
    r[i] = __builtin_bit_cast(float, bits);
  }
}
//@ weft_fmod_f32
// a - b trunc(a/b), exact: one fused step for quotients below 2^23, long division beyond.
[[gnu::always_inline]] static inline f32v weft_fmod_f32(f32v a, f32v b) {
#pragma clang fp contract(off)
  f32v x = __builtin_elementwise_abs(a), y = __builtin_elementwise_abs(b);
  f32v q = __builtin_elementwise_trunc(x / y);
  f32v r = weft_fma_f32(-q, y, x);
  r = r < 0.0f ? r + y : r;
  r = y == __builtin_inff() ? x : r;
  i32v far = (q >= 8388608.0f) & (x < __builtin_inff()) & (y > 0.0f);
  if (__builtin_expect(__builtin_reduce_or(far) != 0, 0)) {
    f32v x2 = x, y2 = y, r2 = r;
    weft_fmod_slow_f32(x2, y2, r2);
    r = far ? r2 : r;
  }
  r = ((x < __builtin_inff()) & (y > 0.0f)) ? r : (f32v)__builtin_nanf("");
  return (b != b) ? b : __builtin_elementwise_copysign(r, a);
}
//@ weft_remainder_f32
// NumPy's remainder, which is Python's %: fmod moved to the sign of the divisor; fmod exact, the move rounds once.
[[gnu::always_inline]] static inline f32v weft_remainder_f32(f32v a, f32v b) {
  f32v m = weft_fmod_f32(a, b);
  m = m == 0.0f ? __builtin_elementwise_copysign((f32v)0.0f, b) : ((m < 0.0f) != (b < 0.0f) ? m + b : m);
  return b == 0.0f ? (f32v)__builtin_nanf("") : m;
}
//@ weft_floor_divide_f32
// NumPy's floor_divide: (a - fmod(a, b)) / b, moved by one where the signs differ, to the nearest integer. Infinite
// operands give the plain quotient.
[[gnu::always_inline]] static inline f32v weft_floor_divide_f32(f32v a, f32v b) {
#pragma clang fp contract(off)
  f32v m = weft_fmod_f32(a, b);
  f32v d = (a - m) / b;
  d = ((m != 0.0f) & ((m < 0.0f) != (b < 0.0f))) ? d - 1.0f : d;
  f32v f = __builtin_elementwise_floor(d);
  f = d - f > 0.5f ? f + 1.0f : f;
  f = d == 0.0f ? __builtin_elementwise_copysign((f32v)0.0f, a / b) : f;
  i32v plain = (b == 0.0f) | (__builtin_elementwise_abs(a) == __builtin_inff()) | (__builtin_elementwise_abs(b) == __builtin_inff());
  return plain ? a / b : f;
}
//@ weft_lgamma_f32
// Small arguments shifted into [1.5, 2.5] by one logarithm of a product, Stirling's series from 8.5 on, reflection
// below -1/2: 3.3 ulp of max(|lgamma(x)|, lgamma(|x|), 1).
[[gnu::always_inline]] static inline f32v weft_lgamma_f32(f32v x) {
#pragma clang fp contract(off)
  i32v mirror = x <= -0.5f;
  f32v a = mirror ? -x : x;
  i32v far = a > 8.5f;
  f32v z = a, p = (f32v)1.0f;
  for (int i = 0; i < 6; ++i) {
    i32v down = z > 2.5f;
    z = down ? z - 1.0f : z;
    p = down ? p * z : p;
  }
  for (int i = 0; i < 2; ++i) {
    i32v up = z < 1.5f;
    p = up ? p * z : p;
    z = up ? z + 1.0f : z;
  }
  f32v w = z - 2.0f;
  f32v q = weft_fma_f32(w, (f32v)-0.0003021174f, (f32v)0.0005665606f);
  q = weft_fma_f32(q, w, (f32v)-0.001158718f);
  q = weft_fma_f32(q, w, (f32v)0.0028806576f);
  q = weft_fma_f32(q, w, (f32v)-0.0073912544f);
  q = weft_fma_f32(q, w, (f32v)0.020581363f);
  q = weft_fma_f32(q, w, (f32v)-0.06735193f);
  q = weft_fma_f32(q, w, (f32v)0.32246703f);
  q = weft_fma_f32(q, w, (f32v)0.42278433f);
  f32v g = weft_log_f32(far ? a : __builtin_elementwise_abs(p));
  f32v i = 1.0f / a;
  f32v i2 = i * i;
  f32v t = weft_fma_f32(i2, (f32v)-0.0027598212f, (f32v)0.08333324f);
  f32v big = weft_fma_f32(a - 0.5f, g - 1.0f, weft_fma_f32(t, i, 0.41893855f));
  f32v r = far ? big : weft_fma_f32(w, q, a < 1.5f ? -g : g);
  r = a == __builtin_inff() ? a : r;
  if (__builtin_reduce_or(mirror) != 0) {
    f32v d = a - __builtin_elementwise_roundeven(a);
    f32v d2 = d * d;
    f32v s = weft_fma_f32(d2, (f32v)-0.015533213f, (f32v)0.08789328f);
    s = weft_fma_f32(s, d2, (f32v)-0.6007111f);
    s = weft_fma_f32(s, d2, (f32v)2.5503225f);
    s = weft_fma_f32(s, d2, (f32v)-5.16772f);
    s = weft_fma_f32(s, d2, (f32v)3.1415927f);
    f32v v = weft_log_f32(3.1415927f / (a * __builtin_elementwise_abs(d * s))) - r;
    r = mirror ? (d == 0.0f ? (f32v)__builtin_inff() : (a == __builtin_inff() ? a : v)) : r;
  }
  return r;
}
)weft";

}  // namespace weft::emit
