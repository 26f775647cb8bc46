// The math prelude of CPU kernels for single precision: trigonometric and hyperbolic functions, branch-free
// but for rare arguments. Every function keeps its stated bound, and gives the same bits, in every
// contraction mode.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuF32Trigonometric = R"weft(
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
// Odd polynomial up to 0.5625, 1 - 2 / (e^2|x| + 1) beyond, with an exponential for small powers: 1.6 ulp.
[[gnu::always_inline]] static inline f32v weft_tanh_f32(f32v x) {
#pragma clang fp contract(off)
  f32v a = __builtin_elementwise_abs(x);
  f32v b = a > 9.25f ? (f32v)9.25f : a;
  f32v t = weft_fma_f32(b, (f32v)2.8853901f, (f32v)12583039.0f);
  f32v r = weft_fma_f32(t - 12583039.0f, (f32v)-0.34657359f, b);
  f32v e = weft_fma_f32(r, (f32v)0.08845277f, (f32v)0.26781595f);
  e = weft_fma_f32(e, r, (f32v)0.6666925f);
  e = weft_fma_f32(e, r, (f32v)1.3333213f);
  e = weft_fma_f32(e, r, (f32v)1.9999998f);
  e = weft_fma_f32(weft_fma_f32(e, r, (f32v)2.0f), r, (f32v)1.0f);
  f32v s = __builtin_bit_cast(f32v, __builtin_bit_cast(i32v, t) << 23);
  f32v big = 1.0f - 2.0f / weft_fma_f32(e, s, (f32v)1.0f);
  f32v z = a * a;
  f32v q = weft_fma_f32(z, (f32v)-0.006169614f, (f32v)0.021000376f);
  q = weft_fma_f32(q, z, (f32v)-0.053835757f);
  q = weft_fma_f32(q, z, (f32v)0.13332437f);
  q = weft_fma_f32(q, z, (f32v)-0.33333313f);
  return __builtin_elementwise_copysign(a > 0.5625f ? big : weft_fma_f32(a * z, q, a), x);
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
)weft";

}  // namespace weft::emit
