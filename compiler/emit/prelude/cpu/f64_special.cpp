// The math prelude of CPU kernels for double precision: error functions, powers, remainders and gamma,
// branch-free but for rare arguments. Every function keeps its stated bound, and gives the same bits, in
// every contraction mode.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuF64Special = R"weft(
//@ weft_erfc_parts_f64
// m erfc(a+al) for a >= 0, given h+l = (a+al)^2: e^-(h+l) G((a-3)/(a+3)) / (1+2a), where G is smooth and near 1.
[[gnu::always_inline]] static inline f64v weft_erfc_parts_f64(f64v a, f64v al, f64v h, f64v l, f64v m) {
#pragma clang fp contract(off)
  f64v t = weft_fma_f64(a / (a + 3.0), (f64v)2.0, (f64v)-1.0);
  f64v g = weft_fma_f64(t, (f64v)8.44042010997129e-10, (f64v)1.0669101950227112e-09);
  g = weft_fma_f64(g, t, (f64v)-8.083621690266208e-09);
  g = weft_fma_f64(g, t, (f64v)-1.3545602428793289e-08);
  g = weft_fma_f64(g, t, (f64v)4.0532479262154334e-08);
  g = weft_fma_f64(g, t, (f64v)1.0209678675918995e-07);
  g = weft_fma_f64(g, t, (f64v)-1.3958887591977277e-07);
  g = weft_fma_f64(g, t, (f64v)-6.167317110724576e-07);
  g = weft_fma_f64(g, t, (f64v)3.5490524033389577e-07);
  g = weft_fma_f64(g, t, (f64v)3.4723846703994883e-06);
  g = weft_fma_f64(g, t, (f64v)-7.302949098321154e-07);
  g = weft_fma_f64(g, t, (f64v)-2.0100526770901693e-05);
  g = weft_fma_f64(g, t, (f64v)4.948970968983333e-06);
  g = weft_fma_f64(g, t, (f64v)0.00012509933496546315);
  g = weft_fma_f64(g, t, (f64v)-0.00010515965393063012);
  g = weft_fma_f64(g, t, (f64v)-0.0007798322683082797);
  g = weft_fma_f64(g, t, (f64v)0.0018886903321307595);
  g = weft_fma_f64(g, t, (f64v)0.0025293918156182624);
  g = weft_fma_f64(g, t, (f64v)-0.023770514915563878);
  g = weft_fma_f64(g, t, (f64v)0.06830802734400485);
  g = weft_fma_f64(g, t, (f64v)-0.11927366341550164);
  g = weft_fma_f64(g, t, (f64v)0.12964515870276);
  g = weft_fma_f64(g, t, (f64v)-0.0475622943534453);
  g = weft_fma_f64(g, t, (f64v)-0.13562110612458117);
  // The last step with its rounding error.
  f64v gl = g * t;
  g = gl + 1.2530080582697296;
  gl = (1.2530080582697296 - g) + gl;
  f64v p, pl, s;
  weft_exp_parts_f64(-h, -l, p, pl, s);
  f64v d = weft_fma_f64(a, 2.0, 1.0);
  f64v v = d - 1.0;
  f64v dl = (1.0 - (d - v)) + (a + a - v) + (al + al);
  f64v w = g * m;
  f64v n = p * w;
  f64v nl = weft_fma_f64(p, w, -n) + weft_fma_f64(pl, w, p * weft_fma_f64(gl, m, weft_fma_f64(g, m, -w)));
  return weft_quotient_f64(n, nl, d, dl) * s * s;
}
//@ weft_erfc_f64
// e^(-x^2), the square in two parts, times a polynomial; 2 - erfc(-x) for negative x: 2.2 ulp.
[[gnu::always_inline]] static inline f64v weft_erfc_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  a = a > 28.0 ? (f64v)28.0 : a;
  f64v h = a * a;
  f64v r = weft_erfc_parts_f64(a, (f64v)0.0, h, weft_fma_f64(a, a, -h), (f64v)1.0);
  return x < 0.0 ? 2.0 - r : r;
}
//@ weft_erf_f64
// Odd polynomial up to 1, 1 - erfc(|x|) beyond: 1.1 ulp.
[[gnu::always_inline]] static inline f64v weft_erf_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  f64v z = a * a;
  f64v q = weft_fma_f64(z, (f64v)6.762167665525537e-11, (f64v)-1.1876212721935045e-09);
  q = weft_fma_f64(q, z, (f64v)1.4798277233723983e-08);
  q = weft_fma_f64(q, z, (f64v)-1.6372361362263496e-07);
  q = weft_fma_f64(q, z, (f64v)1.6463246449600723e-06);
  q = weft_fma_f64(q, z, (f64v)-1.4925748135647092e-05);
  q = weft_fma_f64(q, z, (f64v)0.00012055338159933913);
  q = weft_fma_f64(q, z, (f64v)-0.0008548327199329051);
  q = weft_fma_f64(q, z, (f64v)0.005223977629245334);
  q = weft_fma_f64(q, z, (f64v)-0.026866170645631883);
  q = weft_fma_f64(q, z, (f64v)0.11283791670958783);
  q = weft_fma_f64(q, z, (f64v)-0.37612638903183876);
  q = weft_fma_f64(q, z, (f64v)0.1283791670955126);
  f64v small = weft_fma_f64(a, q, a);
  a = a > 6.0 ? (f64v)6.0 : a;
  f64v h = a * a;
  f64v big = 1.0 - weft_erfc_parts_f64(a, (f64v)0.0, h, weft_fma_f64(a, a, -h), (f64v)1.0);
  return __builtin_elementwise_copysign(a > 1.0 ? big : small, x);
}
//@ weft_gelu_f64
// x Phi(x): |x|/2 erfc(|x|/sqrt 2) with x^2/2 in two parts, subtracted from x for positive x: 2.2 ulp.
[[gnu::always_inline]] static inline f64v weft_gelu_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  a = a > 39.0 ? (f64v)39.0 : a;
  f64v h = 0.5 * a * a;
  f64v b = a * 0.7071067811865476;
  f64v bl = weft_fma_f64(a, 0.7071067811865476, -b) + a * -4.833646656726457e-17;
  f64v r = weft_erfc_parts_f64(b, bl, h, weft_fma_f64(0.5 * a, a, -h), 0.5 * a);
  return x < 0.0 ? -r : x - r;
}
//@ weft_gelu_tanh_f64
// x / (1 + e^-u), u = 2 sqrt(2/pi) (x + 0.044715 x^3) in two parts: 1.3 ulp.
[[gnu::always_inline]] static inline f64v weft_gelu_tanh_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  a = a > 22.0 ? (f64v)22.0 : a;
  f64v z = a * a;
  f64v zl = weft_fma_f64(a, a, -z);
  f64v b = z * 0.07135481627260025;
  f64v bl = weft_fma_f64(z, 0.07135481627260025, -b) +
            weft_fma_f64(zl, 0.07135481627260025, z * -6.175149918155315e-19);
  f64v c = b + 1.5957691216057308;
  f64v v = c - b;
  bl = ((b - (c - v)) + (1.5957691216057308 - v)) + (bl + -9.96930880911092e-17);
  f64v u = a * c;
  f64v ul = weft_fma_f64(a, c, -u) + a * bl;
  f64v h, l, s;
  weft_exp_parts_f64(-u, -ul, h, l, s);
  f64v e = h * s * s;
  f64v d = 1.0 + e;
  f64v n = h * -a;
  f64v nl = weft_fma_f64(h, -a, -n) - l * a;
  f64v r = weft_quotient_f64(x < 0.0 ? n : x, x < 0.0 ? nl : (f64v)0.0, d, ((1.0 - d) + e) + l * s * s);
  return x < 0.0 ? r * s * s : (x == __builtin_inf() ? x : r);
}
//@ weft_sigmoid_f64
// 1 / (1 + e^-x), as e^x / (1 + e^x) for negative x: 1.3 ulp.
[[gnu::always_inline]] static inline f64v weft_sigmoid_f64(f64v x) {
#pragma clang fp contract(off)
  f64v h, l, s;
  weft_exp_parts_f64(-__builtin_elementwise_abs(x), (f64v)0.0, h, l, s);
  f64v e = h * s * s;
  f64v el = l * s * s;
  f64v d = 1.0 + e;
  return weft_quotient_f64(x < 0.0 ? e : (f64v)1.0, x < 0.0 ? el : (f64v)0.0, d, ((1.0 - d) + e) + el);
}
//@ weft_softplus_f64
// max(x, 0) + log1p(e^-|x|): 1.4 ulp.
[[gnu::always_inline]] static inline f64v weft_softplus_f64(f64v x) {
#pragma clang fp contract(off)
  f64v h, l, s;
  weft_exp_parts_f64(-__builtin_elementwise_abs(x), (f64v)0.0, h, l, s);
  f64v e = h * s * s;
  return (x > 0.0 ? x : (f64v)0.0) + weft_log1p_parts_f64(e, l * s * s);
}
//@ weft_logaddexp_f64
// max + log1p(e^-|a-b|): 2.1 ulp of the larger of the result and max(|a|, |b|).
[[gnu::always_inline]] static inline f64v weft_logaddexp_f64(f64v a, f64v b) {
#pragma clang fp contract(off)
  f64v d = a == b ? (f64v)0.0 : __builtin_elementwise_abs(a - b);
  f64v m = a > b ? a : b;
  return m + weft_log1p_parts_f64(weft_exp_f64(-d), (f64v)0.0);
}
//@ weft_hypot_f64
// sqrt(a^2 + b^2), scaled by a power of two, the larger square in two parts: 1.2 ulp.
[[gnu::always_inline]] static inline f64v weft_hypot_f64(f64v x, f64v y) {
#pragma clang fp contract(off)
  f64v ax = __builtin_elementwise_abs(x), ay = __builtin_elementwise_abs(y);
  f64v a = ax > ay ? ax : ay, b = ax > ay ? ay : ax;
  i64v large = a > 3.273390607896142e+150, small = a < 3.8725919148493183e-121;
  f64v down = large ? (f64v)2.409919865102884e-181 : (small ? (f64v)5.260135901548374e+210 : (f64v)1.0);
  f64v up = large ? (f64v)4.149515568880993e+180 : (small ? (f64v)1.90109156629516e-211 : (f64v)1.0);
  a = a * down;
  b = b * down;
  f64v p = a * a;
  f64v r = __builtin_elementwise_sqrt(p + weft_fma_f64(b, b, weft_fma_f64(a, a, -p))) * up;
  return ((ax == __builtin_inf()) | (ay == __builtin_inf())) ? (f64v)__builtin_inf() : r;
}
//@ weft_pow_special_f64
// The cases of pow that depend on sign, zeros and infinities, from r = |x|^y of the main path.
[[gnu::always_inline]] static inline f64v weft_pow_special_f64(f64v x, f64v y, f64v r) {
  f64v a = __builtin_elementwise_abs(x);
  f64v h = y * 0.5;
  i64v whole = __builtin_elementwise_trunc(y) == y, odd = whole & (__builtin_elementwise_trunc(h) != h);
  i64v grows = (a > 1.0) == (y > 0.0);
  i64v edge = (a == 0.0) | (a == __builtin_inf()) | (__builtin_elementwise_abs(y) == __builtin_inf());
  r = edge ? (grows ? (f64v)__builtin_inf() : (f64v)0.0) : r;
  i64v negative = __builtin_bit_cast(i64v, x) < 0;
  r = (negative & odd) ? -r : r;
  r = ((x < 0.0) & (x > -__builtin_inf()) & ~whole) ? (f64v)__builtin_nan("") : r;
  r = ((x != x) | (y != y)) ? x + y : r;
  r = ((a == 1.0) & (__builtin_elementwise_abs(y) == __builtin_inf())) ? (f64v)1.0 : r;
  return ((x == 1.0) | (y == 0.0)) ? (f64v)1.0 : r;
}
//@ weft_pow_f64
// e^(y log |x|) with the logarithm in two parts to 2^-63: 1.2 ulp.
[[gnu::always_inline]] static inline f64v weft_pow_f64(f64v x, f64v y) {
#pragma clang fp contract(off)
  f64v m, e;
  weft_log_split_f64(__builtin_elementwise_abs(x), m, e);
  f64v f = m - 1.0;
  // 2 atanh(s) = s (2 + z A(z)), s = f / (m + 1), z = s^2, every product with its rounding error.
  f64v d = m + 1.0;
  f64v dl = m - (d - 1.0);
  f64v i = 1.0 / d;
  f64v s = f * i;
  f64v sl = i * weft_fma_f64(-s, dl, weft_fma_f64(-s, d, f));
  f64v z = s * s;
  f64v zl = weft_fma_f64(s, s, -z) + 2.0 * s * sl;
  f64v q = weft_fma_f64(z, (f64v)0.13201435786623048, (f64v)0.13256229316171278);
  q = weft_fma_f64(q, z, (f64v)0.15386784606660048);
  q = weft_fma_f64(q, z, (f64v)0.18181783720347466);
  q = weft_fma_f64(q, z, (f64v)0.22222222528126206);
  q = weft_fma_f64(q, z, (f64v)0.2857142857004743);
  q = weft_fma_f64(q, z, (f64v)0.40000000000002384);
  q = q * z;
  f64v a = q + 0.6666666666666666;
  f64v al = ((0.6666666666666666 - a) + q) + 3.700743415417188e-17;
  f64v b = z * a;
  f64v bl = weft_fma_f64(z, a, -b) + weft_fma_f64(z, al, zl * a);
  f64v g = b + 2.0;
  f64v gl = ((2.0 - g) + b) + bl;
  f64v c = s * g;
  f64v cl = weft_fma_f64(s, g, -c) + weft_fma_f64(s, gl, sl * g);
  f64v k = e * 0.6931471805598903;
  f64v h = k + c;
  f64v hl = ((k - h) + c) + weft_fma_f64(e, 5.497923018708371e-14, cl);
  f64v p = y * h;
  f64v pl = weft_fma_f64(y, h, -p) + y * hl;
  // Where the product overflows, its error is not a number.
  pl = __builtin_elementwise_abs(p) < 1000.0 ? pl : (f64v)0.0;
  f64v w, wl, u;
  weft_exp_parts_f64(p, pl, w, wl, u);
  return weft_pow_special_f64(x, y, w * u * u);
}
//@ weft_fmod_slow_f64
// The exact remainder of |a| by |b|, lane by lane in integers, where the quotient has more than 53 bits.
static __attribute__((noinline, cold, minsize)) void weft_fmod_slow_f64(const f64v& a, const f64v& b,
                                                                        f64v& r) {
  for (int i = 0; i < L; ++i) {
    const double p = a[i], q = b[i];  // __builtin_bit_cast of a vector's element reads element 0 (clang 19)
    const unsigned long x = __builtin_bit_cast(unsigned long, p), y = __builtin_bit_cast(unsigned long, q);
    if (x >= 0x7ff0000000000000ul || y == 0 || y >= 0x7ff0000000000000ul) continue;
    const int ex = x >> 52 ? (int)(x >> 52) : 1, ey = y >> 52 ? (int)(y >> 52) : 1;
    if (ex < ey) continue;
    unsigned long m = (x & 0xfffffffffffffL) | (x >> 52 ? (unsigned long)0x10000000000000L : 0);
    const unsigned long n = (y & 0xfffffffffffffL) | (y >> 52 ? (unsigned long)0x10000000000000L : 0);
    m %= n;
    for (int left = ex - ey; left > 0;) {
      const int step = left < 11 ? left : 11;
      m = (m << step) % n;
      left -= step;
    }
    if (m == 0) {
      r[i] = 0;
      continue;
    }
    int e = ey;
    while (m < (unsigned long)0x10000000000000L && e > 1) {
      m <<= 1;
      --e;
    }
    const unsigned long bits = m < (unsigned long)0x10000000000000L
                                   ? (unsigned long)m
                                   : (unsigned long)(m - 0x10000000000000L) | (unsigned long)e << 52;
    r[i] = __builtin_bit_cast(double, bits);
  }
}
//@ weft_fmod_f64
// a - b trunc(a/b), exact: one fused step for quotients below 2^52, long division beyond.
[[gnu::always_inline]] static inline f64v weft_fmod_f64(f64v a, f64v b) {
#pragma clang fp contract(off)
  f64v x = __builtin_elementwise_abs(a), y = __builtin_elementwise_abs(b);
  f64v q = __builtin_elementwise_trunc(x / y);
  f64v r = weft_fma_f64(-q, y, x);
  r = r < 0.0 ? r + y : r;
  r = y == __builtin_inf() ? x : r;
  i64v far = (q >= 4503599627370496.0) & (x < __builtin_inf()) & (y > 0.0);
  if (__builtin_expect(__builtin_reduce_or(far) != 0, 0)) {
    f64v x2 = x, y2 = y, r2 = r;
    weft_fmod_slow_f64(x2, y2, r2);
    r = far ? r2 : r;
  }
  r = ((x < __builtin_inf()) & (y > 0.0)) ? r : (f64v)__builtin_nan("");
  return (b != b) ? b : __builtin_elementwise_copysign(r, a);
}
//@ weft_remainder_f64
// NumPy's remainder, which is Python's %: fmod moved to the sign of the divisor; fmod exact, the move rounds once.
[[gnu::always_inline]] static inline f64v weft_remainder_f64(f64v a, f64v b) {
  f64v m = weft_fmod_f64(a, b);
  m = m == 0.0 ? __builtin_elementwise_copysign((f64v)0.0, b) : ((m < 0.0) != (b < 0.0) ? m + b : m);
  return b == 0.0 ? (f64v)__builtin_nan("") : m;
}
//@ weft_floor_divide_f64
// NumPy's floor_divide: (a - fmod(a, b)) / b, moved by one where the signs differ, to the nearest integer. Infinite
// operands give the plain quotient.
[[gnu::always_inline]] static inline f64v weft_floor_divide_f64(f64v a, f64v b) {
#pragma clang fp contract(off)
  f64v m = weft_fmod_f64(a, b);
  f64v d = (a - m) / b;
  d = ((m != 0.0) & ((m < 0.0) != (b < 0.0))) ? d - 1.0 : d;
  f64v f = __builtin_elementwise_floor(d);
  f = d - f > 0.5 ? f + 1.0 : f;
  f = d == 0.0 ? __builtin_elementwise_copysign((f64v)0.0, a / b) : f;
  i64v plain = (b == 0.0) | (__builtin_elementwise_abs(a) == __builtin_inf()) | (__builtin_elementwise_abs(b) == __builtin_inf());
  return plain ? a / b : f;
}
//@ weft_lgamma_f64
// Small arguments shifted into [1.5, 2.5] by one logarithm of a product, Stirling's series from 8.5 on, reflection
// below -1/2: 4.5 ulp where x > 0, else 3.3 ulp of max(|lgamma(x)|, lgamma(|x|), 1).
[[gnu::always_inline]] static inline f64v weft_lgamma_f64(f64v x) {
#pragma clang fp contract(off)
  i64v mirror = x <= -0.5;
  f64v a = mirror ? -x : x;
  i64v far = a > 8.5;
  f64v z = a, p = (f64v)1.0;
  for (int i = 0; i < 6; ++i) {
    i64v down = z > 2.5;
    z = down ? z - 1.0 : z;
    p = down ? p * z : p;
  }
  // z + 1 and z + 2 less 2, which keeps what z has beside its zeros at 1 and 2.
  i64v up = z < 1.5, twice = z < 0.5;
  p = up ? p * z : p;
  p = twice ? p * (z + 1.0) : p;
  f64v w = twice ? z : (up ? z - 1.0 : z - 2.0);
  f64v q = weft_fma_f64(w, (f64v)-1.1601302446753915e-07, (f64v)2.8052956831739823e-07);
  q = weft_fma_f64(q, w, (f64v)-4.518770980779253e-07);
  q = weft_fma_f64(q, w, (f64v)9.180597710583698e-07);
  q = weft_fma_f64(q, w, (f64v)-2.0341550468751143e-06);
  q = weft_fma_f64(q, w, (f64v)4.385627772573966e-06);
  q = weft_fma_f64(q, w, (f64v)-9.441403427963208e-06);
  q = weft_fma_f64(q, w, (f64v)2.0505360742023724e-05);
  q = weft_fma_f64(q, w, (f64v)-4.492587242934087e-05);
  q = weft_fma_f64(q, w, (f64v)9.945770680003352e-05);
  q = weft_fma_f64(q, w, (f64v)-0.00022315479776948904);
  q = weft_fma_f64(q, w, (f64v)0.0005096695126109333);
  q = weft_fma_f64(q, w, (f64v)-0.0011927539092878182);
  q = weft_fma_f64(q, w, (f64v)0.0028905103311649112);
  q = weft_fma_f64(q, w, (f64v)-0.007385551028752925);
  q = weft_fma_f64(q, w, (f64v)0.020580808427777427);
  q = weft_fma_f64(q, w, (f64v)-0.06735230105319694);
  q = weft_fma_f64(q, w, (f64v)0.32246703342411326);
  q = weft_fma_f64(q, w, (f64v)0.42278433509846713);
  f64v g = weft_log_f64(far ? a : __builtin_elementwise_abs(p));
  f64v i = 1.0 / a;
  f64v i2 = i * i;
  f64v t = weft_fma_f64(i2, (f64v)0.004885257587899948, (f64v)-0.0018808206722193226);
  t = weft_fma_f64(t, i2, (f64v)0.000841272905429833);
  t = weft_fma_f64(t, i2, (f64v)-0.000595234593856336);
  t = weft_fma_f64(t, i2, (f64v)0.0007936507796530896);
  t = weft_fma_f64(t, i2, (f64v)-0.0027777777777506043);
  t = weft_fma_f64(t, i2, (f64v)0.08333333333333331);
  f64v big = weft_fma_f64(a - 0.5, g - 1.0, weft_fma_f64(t, i, 0.4189385332046727));
  f64v r = far ? big : weft_fma_f64(w, q, a < 1.5 ? -g : g);
  r = a == __builtin_inf() ? a : r;
  if (__builtin_reduce_or(mirror) != 0) {
    f64v d = a - __builtin_elementwise_roundeven(a);
    f64v d2 = d * d;
    f64v s = weft_fma_f64(d2, (f64v)4.09610311770384e-07, (f64v)2.8158374721383484e-07);
    s = weft_fma_f64(s, d2, (f64v)-2.165839441225996e-05);
    s = weft_fma_f64(s, d2, (f64v)0.0004662324842971216);
    s = weft_fma_f64(s, d2, (f64v)-0.007370419506119986);
    s = weft_fma_f64(s, d2, (f64v)0.08214588548603392);
    s = weft_fma_f64(s, d2, (f64v)-0.5992645292557609);
    s = weft_fma_f64(s, d2, (f64v)2.5501640398753076);
    s = weft_fma_f64(s, d2, (f64v)-5.167712780049941);
    s = weft_fma_f64(s, d2, (f64v)3.141592653589793);
    f64v v = weft_log_f64(3.141592653589793 / (a * __builtin_elementwise_abs(d * s))) - r;
    r = mirror ? (d == 0.0 ? (f64v)__builtin_inf() : (a == __builtin_inf() ? a : v)) : r;
  }
  return r;
}
)weft";

}  // namespace weft::emit
