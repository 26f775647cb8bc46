// The math prelude of CPU kernels for single precision: error functions, powers, remainders and gamma,
// branch-free but for rare arguments. Every function keeps its stated bound, and gives the same bits, in
// every contraction mode.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuF32Special = R"weft(
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
// below -1/2: 5 ulp where x > 0, else 3.3 ulp of max(|lgamma(x)|, lgamma(|x|), 1).
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
  // z + 1 and z + 2 less 2, which keeps what z has beside its zeros at 1 and 2.
  i32v up = z < 1.5f, twice = z < 0.5f;
  p = up ? p * z : p;
  p = twice ? p * (z + 1.0f) : p;
  f32v w = twice ? z : (up ? z - 1.0f : z - 2.0f);
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
