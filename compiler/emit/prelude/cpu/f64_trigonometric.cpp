// The math prelude of CPU kernels for double precision: trigonometric and hyperbolic functions, branch-free
// but for rare arguments. Every function keeps its stated bound, and gives the same bits, in every
// contraction mode.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuF64Trigonometric = R"weft(
//@ weft_two_over_pi_f64
// 2/pi in 64-bit words, after one word of zeros.
static const unsigned long weft_two_over_pi_f64[] = {0x0ul,
                                                     0xa2f9836e4e441529ul,
                                                     0xfc2757d1f534ddc0ul,
                                                     0xdb6295993c439041ul,
                                                     0xfe5163abdebbc561ul,
                                                     0xb7246e3a424dd2e0ul,
                                                     0x6492eea09d1921cul,
                                                     0xfe1deb1cb129a73eul,
                                                     0xe88235f52ebb4484ul,
                                                     0xe99c7026b45f7e41ul,
                                                     0x3991d639835339f4ul,
                                                     0x9c845f8bbdf9283bul,
                                                     0x1ff897ffde05980ful,
                                                     0xef2f118b5a0a6d1ful,
                                                     0x6d367ecf27cb09b7ul,
                                                     0x4f463f669e5fea2dul,
                                                     0x7527bac7ebe5f17bul,
                                                     0x3d0739f78a5292eaul,
                                                     0x6bfb5fb11f8d5d08ul,
                                                     0x56033046fc7b6babul,
                                                     0xf0cfbc209af4361dul};
//@ weft_trig_slow_f64
// Payne-Hanek for the lanes with |x| > 2^30: x 2/pi modulo 4 in integers. Never inlined, hardly ever called.
static __attribute__((noinline, cold, minsize)) void weft_trig_slow_f64(const f64v& x, f64v& r, i64v& n) {
  for (int i = 0; i < L; ++i) {
    const double v = x[i];
    const unsigned long bits = __builtin_bit_cast(unsigned long, v);
    const int e = (int)(bits >> 52 & 0x7ff) - 1075;  // |v| = m 2^e
    if (e < -30) continue;
    if (e > 971) {
      r[i] = __builtin_nan("");
      continue;
    }
    const unsigned long m = (bits & 0xffffffffffffful) | 0x10000000000000ul;
    const int at = e + 62, word = at >> 6, shift = at & 63;
    unsigned long w[3];
    for (int j = 0; j < 3; ++j) {
      const unsigned __int128 two =
          (unsigned __int128)weft_two_over_pi_f64[word + j] << 64 | weft_two_over_pi_f64[word + j + 1];
      w[j] = (unsigned long)((two << shift) >> 64);
    }
    const unsigned __int128 low = ((unsigned __int128)m * w[2] >> 64) + (unsigned __int128)m * w[1];
    unsigned long p = m * w[0] + (unsigned long)(low >> 64);
    unsigned long p2 = (unsigned long)low;
    unsigned long q = (p + (1ul << 61)) >> 62;
    p -= q << 62;
    const bool flip = (long)p < 0;
    p = flip ? ~p : p;
    p2 = flip ? ~p2 : p2;
    // The leading 64 bits of the fraction p:p2, whose unit is 2^-126.
    int lead = p ? __builtin_clzl(p) : 64;
    if (lead == 64) {
      p = p2;
      p2 = 0;
    } else if (lead > 0) {
      p = p << lead | p2 >> (64 - lead);
    }
    const double unit = __builtin_bit_cast(double, (unsigned long)(1023 - 62 - lead) << 52);
    const double ph = (double)(unsigned)(p >> 32) * 4294967296.0, pl = (double)(unsigned)p;
    double y = __builtin_elementwise_fma(
        ph, 0x1.921fb54442d18p0,
        __builtin_elementwise_fma(ph, 0x1.1a62633145c07p-54, pl * 0x1.921fb54442d18p0));
    y = flip ? -y * unit : y * unit;
    const bool negative = v < 0;
    r[i] = negative ? -y : y;
    n[i] = (long)(negative ? 0 - q : q);
  }
}
//@ weft_trig_reduce_f64
// x = n pi/2 + r + l, |r| <= pi/4: three-part Cody-Waite (the first step is exact) up to 2^30, Payne-Hanek beyond.
[[gnu::always_inline]] static inline void weft_trig_reduce_f64(f64v x, f64v& r, f64v& l, i64v& n) {
#pragma clang fp contract(off)
  f64v t = weft_fma_f64(x, 0.6366197723675814, 6755399441055744.0);
  f64v k = t - 6755399441055744.0;
  n = __builtin_bit_cast(i64v, t);
  f64v a = weft_fma_f64(k, -1.5707963267948966, x);
  f64v b = weft_fma_f64(k, -6.123233995736765e-17, a);
  r = weft_fma_f64(k, -1.0828566739219139e-32, b);
  // What r has lost; only tan looks at it.
  f64v p = k * 6.123233995736765e-17;
  b = a - p;
  f64v v = b - a;
  f64v e = ((a - (b - v)) - (p + v)) - weft_fma_f64(k, 6.123233995736765e-17, -p);
  l = weft_fma_f64(k, -1.0828566739219139e-32, (b - r) + e);
  i64v big = __builtin_elementwise_abs(x) > 1073741824.0;
  if (__builtin_expect(__builtin_reduce_or(big) != 0, 0)) {
    f64v x2 = x, r2 = r;
    i64v n2 = n;
    weft_trig_slow_f64(x2, r2, n2);
    r = big ? r2 : r;
    l = big ? (f64v)0.0 : l;
    n = big ? n2 : n;
  }
}
//@ weft_sin_poly_f64
[[gnu::always_inline]] static inline f64v weft_sin_poly_f64(f64v r) {
#pragma clang fp contract(off)
  f64v z = r * r;
  f64v q = weft_fma_f64(z, (f64v)1.5890302947809455e-10, (f64v)-2.5050646461131212e-08);
  q = weft_fma_f64(q, z, (f64v)2.755731298036354e-06);
  q = weft_fma_f64(q, z, (f64v)-0.00019841269827755223);
  q = weft_fma_f64(q, z, (f64v)0.008333333333319828);
  q = weft_fma_f64(q, z, (f64v)-0.1666666666666662);
  return __builtin_elementwise_copysign(weft_fma_f64(r * z, q, r), r);  // for -0
}
//@ weft_cos_poly_f64
[[gnu::always_inline]] static inline f64v weft_cos_poly_f64(f64v r) {
#pragma clang fp contract(off)
  f64v z = r * r;
  f64v q = weft_fma_f64(z, (f64v)-1.135532105271742e-11, (f64v)2.087564059332233e-09);
  q = weft_fma_f64(q, z, (f64v)-2.7557313751512856e-07);
  q = weft_fma_f64(q, z, (f64v)2.4801587287431196e-05);
  q = weft_fma_f64(q, z, (f64v)-0.001388888888887089);
  q = weft_fma_f64(q, z, (f64v)0.04166666666666658);
  f64v h = weft_fma_f64(z, -0.5, 1.0);
  f64v l = weft_fma_f64(z, -0.5, 1.0 - h);
  return h + weft_fma_f64(z * z, q, l);
}
//@ weft_sin_f64
// Reduction by pi/2, sine or cosine polynomial by the quadrant's parity: 1.7 ulp.
[[gnu::always_inline]] static inline f64v weft_sin_f64(f64v x) {
  f64v r, l;
  i64v n;
  weft_trig_reduce_f64(x, r, l, n);
  f64v y = (n & 1) != 0 ? weft_cos_poly_f64(r) : weft_sin_poly_f64(r);
  return __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, y) ^ ((n & 2) << 62));
}
//@ weft_cos_f64
// As sin, one quadrant further: 1.6 ulp.
[[gnu::always_inline]] static inline f64v weft_cos_f64(f64v x) {
  f64v r, l;
  i64v n;
  weft_trig_reduce_f64(x, r, l, n);
  f64v y = (n & 1) != 0 ? weft_sin_poly_f64(r) : weft_cos_poly_f64(r);
  return __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, y) ^ (((n + 1) & 2) << 62));
}
//@ weft_quotient_f64
// (n + nl) / (d + dl) for low parts below an ulp, one division, the sign of a zero kept: about half an ulp.
[[gnu::always_inline]] static inline f64v weft_quotient_f64(f64v n, f64v nl, f64v d, f64v dl) {
#pragma clang fp contract(off)
  f64v i = 1.0 / d;
  f64v q = n * i;
  f64v r = weft_fma_f64(q, d, -n) + weft_fma_f64(q, dl, -nl);
  return weft_fma_f64(-r, i, q);
}
//@ weft_tan_f64
// Quotient of the sine and cosine polynomials, each with its rounding error: 2 ulp.
[[gnu::always_inline]] static inline f64v weft_tan_f64(f64v x) {
#pragma clang fp contract(off)
  f64v r, l;
  i64v n;
  weft_trig_reduce_f64(x, r, l, n);
  f64v z = r * r;
  f64v p = weft_fma_f64(z, (f64v)1.5890302947809455e-10, (f64v)-2.5050646461131212e-08);
  p = weft_fma_f64(p, z, (f64v)2.755731298036354e-06);
  p = weft_fma_f64(p, z, (f64v)-0.00019841269827755223);
  p = weft_fma_f64(p, z, (f64v)0.008333333333319828);
  p = weft_fma_f64(p, z, (f64v)-0.1666666666666662);
  f64v q = weft_fma_f64(z, (f64v)-1.135532105271742e-11, (f64v)2.087564059332233e-09);
  q = weft_fma_f64(q, z, (f64v)-2.7557313751512856e-07);
  q = weft_fma_f64(q, z, (f64v)2.4801587287431196e-05);
  q = weft_fma_f64(q, z, (f64v)-0.001388888888887089);
  q = weft_fma_f64(q, z, (f64v)0.04166666666666658);
  f64v t = r * z * p;
  f64v s = r + t;
  f64v sl = (r - s) + t;
  f64v h = weft_fma_f64(z, -0.5, 1.0);
  t = weft_fma_f64(z * z, q, weft_fma_f64(z, -0.5, 1.0 - h));
  f64v c = h + t;
  f64v cl = (h - c) + t;
  sl = weft_fma_f64(l, c, sl);
  cl = weft_fma_f64(-l, s, cl);
  i64v odd = (n & 1) != 0;
  t = weft_quotient_f64(odd ? c : s, odd ? cl : sl, odd ? s : c, odd ? sl : cl);
  return __builtin_elementwise_copysign(
      odd ? -t : t, __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, r) ^ ((n & 1) << 63)));
}
//@ weft_asin_parts_f64
// The pieces of asin and acos for a = |x|: big (a > 1/2), w and q with asin(w) = w + q, where w = a or sqrt((1-a)/2);
// q holds the rounding error of the root.
[[gnu::always_inline]] static inline void weft_asin_parts_f64(f64v a, i64v& big, f64v& w, f64v& q) {
#pragma clang fp contract(off)
  big = a > 0.5;
  f64v z = big ? 0.5 - 0.5 * a : a * a;
  f64v s = __builtin_elementwise_sqrt(z);
  f64v c = weft_fma_f64(-s, s, z) / (s + (s + 2.2250738585072014e-308));
  w = big ? s : a;
  f64v p = weft_fma_f64(z, (f64v)0.03258680160882674, (f64v)-0.020930973184370875);
  p = weft_fma_f64(p, z, (f64v)0.02165857824770885);
  p = weft_fma_f64(p, z, (f64v)0.0037267448306288597);
  p = weft_fma_f64(p, z, (f64v)0.010774824438119517);
  p = weft_fma_f64(p, z, (f64v)0.011399883105511927);
  p = weft_fma_f64(p, z, (f64v)0.013980702568042305);
  p = weft_fma_f64(p, z, (f64v)0.017351621680535986);
  p = weft_fma_f64(p, z, (f64v)0.02237221446897879);
  p = weft_fma_f64(p, z, (f64v)0.030381942724964518);
  p = weft_fma_f64(p, z, (f64v)0.044642857174297765);
  p = weft_fma_f64(p, z, (f64v)0.07499999999971048);
  p = weft_fma_f64(p, z, (f64v)0.1666666666666676);
  q = weft_fma_f64(w * z, p, big ? c : (f64v)0.0);
}
//@ weft_asin_f64
// Odd polynomial up to 1/2, pi/2 - 2 asin(sqrt((1-|x|)/2)) above with the root's error kept: 0.8 ulp.
[[gnu::always_inline]] static inline f64v weft_asin_f64(f64v x) {
#pragma clang fp contract(off)
  f64v w, q;
  i64v big;
  weft_asin_parts_f64(__builtin_elementwise_abs(x), big, w, q);
  f64v v = 1.5707963267948966 - 2.0 * w;
  f64v d = (1.5707963267948966 - v) - 2.0 * w;
  f64v r = big ? v + (d + (6.123233995736766e-17 - 2.0 * q)) : w + q;
  return __builtin_elementwise_copysign(r, x);
}
//@ weft_acos_f64
// The pieces of asin: 2 asin(w), pi - 2 asin(w) or pi/2 - asin(x): 0.8 ulp.
[[gnu::always_inline]] static inline f64v weft_acos_f64(f64v x) {
#pragma clang fp contract(off)
  f64v w, q;
  i64v big;
  weft_asin_parts_f64(__builtin_elementwise_abs(x), big, w, q);
  i64v pos = x > 0.0;
  f64v base = big ? (pos ? (f64v)0.0 : (f64v)3.141592653589793) : (f64v)1.5707963267948966;
  f64v low = big ? (pos ? (f64v)0.0 : (f64v)1.2246467991473532e-16) : (f64v)6.123233995736766e-17;
  f64v f = big ? (pos ? (f64v)-2.0 : (f64v)2.0) : (pos ? (f64v)1.0 : (f64v)-1.0);
  w = w * f;
  q = q * f;
  f64v v = base - w;
  f64v d = (base - v) - w;
  return v + (d + (low - q));
}
//@ weft_atan_tail_f64
// base + low + sign atan(y) for a reduced y, with the rounding error of the sum kept.
[[gnu::always_inline]] static inline f64v weft_atan_tail_f64(f64v base, f64v low, f64v y) {
#pragma clang fp contract(off)
  f64v z = y * y;
  f64v q = weft_fma_f64(z, (f64v)-0.017876668185043496, (f64v)0.03803523937541163);
  q = weft_fma_f64(q, z, (f64v)-0.050380861182007276);
  q = weft_fma_f64(q, z, (f64v)0.05847602250215886);
  q = weft_fma_f64(q, z, (f64v)-0.06663061905771836);
  q = weft_fma_f64(q, z, (f64v)0.0769205622235973);
  q = weft_fma_f64(q, z, (f64v)-0.09090897513521783);
  q = weft_fma_f64(q, z, (f64v)0.11111110774092048);
  q = weft_fma_f64(q, z, (f64v)-0.14285714279985737);
  q = weft_fma_f64(q, z, (f64v)0.19999999999951157);
  q = weft_fma_f64(q, z, (f64v)-0.33333333333333187);
  f64v v = base + y;
  f64v d = (base - v) + y;
  return v + (d + weft_fma_f64(y * z, q, low));
}
//@ weft_atan_f64
// Odd polynomial up to tan(pi/8), pi/4 + atan((x-1)/(x+1)) up to tan(3pi/8), pi/2 - atan(1/x) beyond: 1.9 ulp.
[[gnu::always_inline]] static inline f64v weft_atan_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  i64v big = a > 2.4142, mid = a > 0.4142;
  f64v y = (big ? (f64v)-1.0 : (mid ? a - 1.0 : a)) / (big ? a : (mid ? a + 1.0 : (f64v)1.0));
  f64v base = big ? (f64v)1.5707963267948966 : (mid ? (f64v)0.7853981633974483 : (f64v)0.0);
  f64v low = big ? (f64v)6.123233995736766e-17 : (mid ? (f64v)3.061616997868383e-17 : (f64v)0.0);
  return __builtin_elementwise_copysign(weft_atan_tail_f64(base, low, y), x);
}
//@ weft_atan2_f64
// atan of the smaller over the larger magnitude, reduced as in atan, put into its octant: 2.1 ulp.
[[gnu::always_inline]] static inline f64v weft_atan2_f64(f64v y, f64v x) {
#pragma clang fp contract(off)
  f64v ay = __builtin_elementwise_abs(y), ax = __builtin_elementwise_abs(x);
  i64v swap = ay > ax, left = __builtin_bit_cast(i64v, x) < 0;
  f64v num = swap ? ax : ay, den = swap ? ay : ax;
  i64v both = num == __builtin_inf(), none = den == 0.0;
  f64v base = swap ? (f64v)1.5707963267948966 : (left ? (f64v)3.141592653589793 : (f64v)0.0);
  f64v low = swap ? (f64v)6.123233995736766e-17 : (left ? (f64v)1.2246467991473532e-16 : (f64v)0.0);
  num = both ? (f64v)1.0 : num;
  den = (both | none) ? (f64v)1.0 : den;
  f64v scale = den > 0x1p1000 ? (f64v)0x1p-100 : (den < 0x1p-900 ? (f64v)0x1p100 : (f64v)1.0);
  num = num * scale;
  den = den * scale;
  i64v mid = num > 0.4142 * den;
  base = mid ? (left ? (f64v)2.356194490192345 : (f64v)0.7853981633974483) : base;
  low = mid ? (left ? (f64v)9.184850993605148e-17 : (f64v)3.061616997868383e-17) : low;
  f64v top = mid ? num - den : num;
  den = mid ? num + den : den;
  num = top;
  f64v q = num / den;
  q = swap != left ? -q : q;
  f64v r = __builtin_elementwise_copysign(weft_atan_tail_f64(base, low, q), y);
  return ((x != x) | (y != y)) ? x + y : r;
}
//@ weft_sinh_f64
// Odd polynomial up to 1, (e^|x| - e^-|x|) / 2 from exp with its rounding error beyond: 1.6 ulp.
[[gnu::always_inline]] static inline f64v weft_sinh_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  f64v h, l, s;
  weft_exp_parts_f64(a, (f64v)0.0, h, l, s);
  f64v e = h * s * (s * 0.5);
  f64v big = (e - 0.25 / e) + l * s * (s * 0.5);
  f64v z = a * a;
  f64v q = weft_fma_f64(z, (f64v)7.765900472315352e-13, (f64v)1.6057000440766355e-10);
  q = weft_fma_f64(q, z, (f64v)2.505212685690459e-08);
  q = weft_fma_f64(q, z, (f64v)2.7557319130375767e-06);
  q = weft_fma_f64(q, z, (f64v)0.00019841269841531207);
  q = weft_fma_f64(q, z, (f64v)0.00833333333333297);
  q = weft_fma_f64(q, z, (f64v)0.16666666666666669);
  return __builtin_elementwise_copysign(a > 1.0 ? big : weft_fma_f64(a * z, q, a), x);
}
//@ weft_cosh_f64
// (e^|x| + e^-|x|) / 2 from exp with its rounding error: 1.1 ulp.
[[gnu::always_inline]] static inline f64v weft_cosh_f64(f64v x) {
#pragma clang fp contract(off)
  f64v h, l, s;
  weft_exp_parts_f64(__builtin_elementwise_abs(x), (f64v)0.0, h, l, s);
  f64v e = h * s * (s * 0.5);
  return e + (0.25 / e + l * s * (s * 0.5));
}
//@ weft_tanh_f64
// Odd polynomial up to 0.65, 1 - 2 / (e^2|x| + 1) beyond: 1.5 ulp.
[[gnu::always_inline]] static inline f64v weft_tanh_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  f64v big = 1.0 - 2.0 / (weft_exp_f64(a + a) + 1.0);
  f64v z = a * a;
  f64v q = weft_fma_f64(z, (f64v)5.6055211070011015e-06, (f64v)-2.916849851504343e-05);
  q = weft_fma_f64(q, z, (f64v)9.052121467403176e-05);
  q = weft_fma_f64(q, z, (f64v)-0.00023640642284683026);
  q = weft_fma_f64(q, z, (f64v)0.0005892283687766694);
  q = weft_fma_f64(q, z, (f64v)-0.0014556716531191009);
  q = weft_fma_f64(q, z, (f64v)0.003592105235215998);
  q = weft_fma_f64(q, z, (f64v)-0.008863233386513292);
  q = weft_fma_f64(q, z, (f64v)0.021869488407209498);
  q = weft_fma_f64(q, z, (f64v)-0.05396825396368324);
  q = weft_fma_f64(q, z, (f64v)0.13333333333325148);
  q = weft_fma_f64(q, z, (f64v)-0.3333333333333328);
  return __builtin_elementwise_copysign(a > 0.65 ? big : weft_fma_f64(a * z, q, a), x);
}
//@ weft_asinh_f64
// log1p(a + a^2 / (1 + sqrt(1 + a^2))) with the argument in two parts, log(2a) for large a: 1.4 ulp.
[[gnu::always_inline]] static inline f64v weft_asinh_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  i64v big = a > 268435456.0;
  f64v w = a * a / (1.0 + __builtin_elementwise_sqrt(weft_fma_f64(a, a, 1.0)));
  f64v h = a + w;
  f64v l = (a - h) + w;
  f64v r = weft_log1p_parts_f64(big ? a : h, big ? (f64v)-1.0 : l);
  r = big ? r + 0.6931471805599453 : r;
  return __builtin_elementwise_copysign(((a == __builtin_inf()) | (a == 0.0)) ? a : r, x);
}
//@ weft_acosh_f64
// log1p(x - 1 + sqrt(x^2 - 1)) with the argument in two parts, log(2x) for large x: 1.2 ulp.
[[gnu::always_inline]] static inline f64v weft_acosh_f64(f64v x) {
#pragma clang fp contract(off)
  i64v big = x > 268435456.0;
  f64v p = x * x;
  f64v q = p - 1.0;
  f64v ql = weft_fma_f64(x, x, -p) + (-1.0 - (q - p));
  f64v z = q + ql;
  ql = (q - z) + ql;
  f64v s = __builtin_elementwise_sqrt(z);
  f64v sl = (weft_fma_f64(-s, s, z) + ql) / (s + (s + 2.2250738585072014e-308));
  f64v t = x - 1.0;
  f64v h = s + t;
  f64v l = ((s - h) + t) + sl;
  f64v r = weft_log1p_parts_f64(big ? x : h, big ? (f64v)-1.0 : l);
  r = big ? r + 0.6931471805599453 : r;
  r = x == __builtin_inf() ? x : r;
  return x > 1.0 ? r : (x == 1.0 ? (f64v)0.0 : (f64v)__builtin_nan(""));
}
//@ weft_atanh_f64
// log1p(2a / (1 - a)) / 2 with the quotient in two parts: 1.0 ulp.
[[gnu::always_inline]] static inline f64v weft_atanh_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  f64v d = 1.0 - a;
  f64v dl = (1.0 - d) - a;
  f64v t = (a + a) / d;
  f64v tl = (weft_fma_f64(-t, d, a + a) - t * dl) / d;
  f64v r = 0.5 * weft_log1p_parts_f64(t, tl);
  r = a < 1.0 ? r : (a == 1.0 ? (f64v)__builtin_inf() : (f64v)__builtin_nan(""));
  return __builtin_elementwise_copysign(a < 2.2250738585072014e-308 ? a : r, x);
}
)weft";

}  // namespace weft::emit
