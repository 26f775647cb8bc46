// The math prelude of CPU kernels for double precision: functions on vectors of L lanes, branch-free but
// for rare arguments. Every function keeps its stated bound, and gives the same bits, in every contraction
// mode.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuF64 = R"weft(//@ weft_fma_f64
[[gnu::always_inline]] static inline f64v weft_fma_f64(f64v a, f64v b, f64v c) {
  return __builtin_elementwise_fma(a, b, c);
}
//@ weft_abs_f64
[[gnu::always_inline]] static inline f64v weft_abs_f64(f64v x) { return __builtin_elementwise_abs(x); }
//@ weft_sqrt_f64
// The hardware's square root: 0.5 ulp.
[[gnu::always_inline]] static inline f64v weft_sqrt_f64(f64v x) { return __builtin_elementwise_sqrt(x); }
//@ weft_rsqrt_f64
// Square root, then a division: 1.7 ulp.
[[gnu::always_inline]] static inline f64v weft_rsqrt_f64(f64v x) {
  return 1.0 / __builtin_elementwise_sqrt(x);
}
//@ weft_reciprocal_f64
[[gnu::always_inline]] static inline f64v weft_reciprocal_f64(f64v x) { return 1.0 / x; }
//@ weft_floor_f64
[[gnu::always_inline]] static inline f64v weft_floor_f64(f64v x) { return __builtin_elementwise_floor(x); }
//@ weft_ceil_f64
[[gnu::always_inline]] static inline f64v weft_ceil_f64(f64v x) { return __builtin_elementwise_ceil(x); }
//@ weft_trunc_f64
[[gnu::always_inline]] static inline f64v weft_trunc_f64(f64v x) { return __builtin_elementwise_trunc(x); }
//@ weft_round_f64
// Ties go to the even neighbour.
[[gnu::always_inline]] static inline f64v weft_round_f64(f64v x) {
  return __builtin_elementwise_roundeven(x);
}
//@ weft_copysign_f64
[[gnu::always_inline]] static inline f64v weft_copysign_f64(f64v x, f64v s) {
  return __builtin_elementwise_copysign(x, s);
}
//@ weft_sign_f64
// +0 for either zero, NaN for NaN.
[[gnu::always_inline]] static inline f64v weft_sign_f64(f64v x) {
  return x > 0.0 ? (f64v)1.0 : (x < 0.0 ? (f64v)-1.0 : (x == 0.0 ? (f64v)0.0 : x));
}
//@ weft_nextafter_f64
// Steps the bit pattern, which orders the values of one sign; exact.
[[gnu::always_inline]] static inline f64v weft_nextafter_f64(f64v x, f64v y) {
  i64v b = __builtin_bit_cast(i64v, x);
  i64v away = ((y > x) == (x > 0.0));
  i64v step = b + (away ? (i64v)1 : (i64v)-1);
  f64v tiny = __builtin_elementwise_copysign(__builtin_bit_cast(f64v, (i64v)1), y);
  f64v r = x == 0.0 ? tiny : __builtin_bit_cast(f64v, step);
  r = x == y ? y : r;
  return ((x != x) | (y != y)) ? x + y : r;
}
//@ weft_exp_f64
// exp(x) = (2^k)^2 e^r with r in +-ln 2, so that one power of two serves twice and subnormal results round once;
// Cody-Waite reduction in two parts, degree 13 polynomial: 1.5 ulp.
[[gnu::always_inline]] static inline f64v weft_exp_f64(f64v x) {
#pragma clang fp contract(off)
  x = x > 710.0 ? (f64v)710.0 : x;
  x = x < -746.0 ? (f64v)-746.0 : x;
  f64v t = weft_fma_f64(x, 0.7213475204444817, 6755399441056767.0);
  f64v k = t - 6755399441056767.0;
  f64v r = weft_fma_f64(k, -1.3862943611198906, x);
  r = weft_fma_f64(k, -4.638093627692599e-17, r);
  f64v q = weft_fma_f64(r, (f64v)1.597579409527575e-10, (f64v)2.1065030303943776e-09);
  q = weft_fma_f64(q, r, (f64v)2.5054426747367035e-08);
  q = weft_fma_f64(q, r, (f64v)2.7556118098734306e-07);
  q = weft_fma_f64(q, r, (f64v)2.7557304121059388e-06);
  q = weft_fma_f64(q, r, (f64v)2.480159105314921e-05);
  q = weft_fma_f64(q, r, (f64v)0.00019841269883507078);
  q = weft_fma_f64(q, r, (f64v)0.0013888888882997907);
  q = weft_fma_f64(q, r, (f64v)0.008333333333281245);
  q = weft_fma_f64(q, r, (f64v)0.041666666666708894);
  q = weft_fma_f64(q, r, (f64v)0.16666666666666888);
  q = weft_fma_f64(q, r, (f64v)0.499999999999999);
  f64v p = weft_fma_f64(weft_fma_f64(q, r, 1.0), r, 1.0);
  f64v s = __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, t) << 52);
  return p * s * s;
}
//@ weft_exp_parts_f64
// e^(hi+lo) = (h+l) s^2 with l the rounding error of h: what the functions that go on computing with exp start from.
[[gnu::always_inline]] static inline void weft_exp_parts_f64(f64v hi, f64v lo, f64v& h, f64v& l, f64v& s) {
#pragma clang fp contract(off)
  hi = hi > 712.0 ? (f64v)712.0 : hi;
  hi = hi < -800.0 ? (f64v)-800.0 : hi;
  f64v t = weft_fma_f64(hi, 0.7213475204444817, 6755399441056767.0);
  f64v k = t - 6755399441056767.0;
  f64v x = weft_fma_f64(k, -1.3862943611198906, hi);
  f64v r = weft_fma_f64(k, -4.638093627692599e-17, x);
  f64v e = weft_fma_f64(k, -4.638093627692599e-17, x - r) + lo;
  x = r + e;
  e = (r - x) + e;
  r = x;
  f64v q = weft_fma_f64(r, (f64v)1.597579409527575e-10, (f64v)2.1065030303943776e-09);
  q = weft_fma_f64(q, r, (f64v)2.5054426747367035e-08);
  q = weft_fma_f64(q, r, (f64v)2.7556118098734306e-07);
  q = weft_fma_f64(q, r, (f64v)2.7557304121059388e-06);
  q = weft_fma_f64(q, r, (f64v)2.480159105314921e-05);
  q = weft_fma_f64(q, r, (f64v)0.00019841269883507078);
  q = weft_fma_f64(q, r, (f64v)0.0013888888882997907);
  q = weft_fma_f64(q, r, (f64v)0.008333333333281245);
  q = weft_fma_f64(q, r, (f64v)0.041666666666708894);
  q = weft_fma_f64(q, r, (f64v)0.16666666666666888);
  q = weft_fma_f64(q, r, (f64v)0.499999999999999);
  f64v v = 1.0 + r;
  l = ((1.0 - v) + r) + weft_fma_f64(r * r, q, weft_fma_f64(e, r, e));
  h = v + l;
  l = (v - h) + l;
  s = __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, t) << 52);
}
//@ weft_exp2_f64
// As exp; the reduction r = x - 2k is exact, degree 13 polynomial of 2^r on +-1: 1.3 ulp.
[[gnu::always_inline]] static inline f64v weft_exp2_f64(f64v x) {
#pragma clang fp contract(off)
  x = x > 1025.0 ? (f64v)1025.0 : x;
  x = x < -1076.0 ? (f64v)-1076.0 : x;
  f64v t = weft_fma_f64(x, 0.5, 6755399441056767.0);
  f64v k = t - 6755399441056767.0;
  f64v r = weft_fma_f64(k, -2.0, x);
  f64v q = weft_fma_f64(r, (f64v)1.3600007567396973e-12, (f64v)2.5910323286844998e-11);
  q = weft_fma_f64(q, r, (f64v)4.4460231175961044e-10);
  q = weft_fma_f64(q, r, (f64v)7.0546031837636235e-09);
  q = weft_fma_f64(q, r, (f64v)1.0178079397724369e-07);
  q = weft_fma_f64(q, r, (f64v)1.3215488799777563e-06);
  q = weft_fma_f64(q, r, (f64v)1.5252733843720526e-05);
  q = weft_fma_f64(q, r, (f64v)0.00015403530386793002);
  q = weft_fma_f64(q, r, (f64v)0.0013333558146319624);
  q = weft_fma_f64(q, r, (f64v)0.009618129107638353);
  q = weft_fma_f64(q, r, (f64v)0.055504108664822735);
  q = weft_fma_f64(q, r, (f64v)0.24022650695910022);
  q = weft_fma_f64(q, r, (f64v)0.6931471805599453);
  f64v p = weft_fma_f64(q, r, 1.0);
  f64v s = __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, t) << 52);
  return p * s * s;
}
//@ weft_expm1_f64
// 2^k (e^r - 1) + (2^k - 1), r in +-ln 2 / 2, with 2^(k-1) as the unit so that k = 1024 does not overflow: 1.9 ulp.
[[gnu::always_inline]] static inline f64v weft_expm1_f64(f64v x) {
#pragma clang fp contract(off)
  f64v c = x > 710.0 ? (f64v)710.0 : x;
  c = c < -40.0 ? (f64v)-40.0 : c;
  f64v t = weft_fma_f64(c, 1.4426950408889634, 6755399441056766.0);
  f64v k = t - 6755399441056766.0;
  f64v r = weft_fma_f64(k, -0.6931471805599453, c);
  r = weft_fma_f64(k, -2.3190468138462996e-17, r);
  f64v q = weft_fma_f64(r, (f64v)2.08868462073984e-09, (f64v)2.51093028317773e-08);
  q = weft_fma_f64(q, r, (f64v)2.7557361522484194e-07);
  q = weft_fma_f64(q, r, (f64v)2.7557243502558e-06);
  q = weft_fma_f64(q, r, (f64v)2.480158722768865e-05);
  q = weft_fma_f64(q, r, (f64v)0.00019841269886771231);
  q = weft_fma_f64(q, r, (f64v)0.001388888888892836);
  q = weft_fma_f64(q, r, (f64v)0.008333333333321398);
  q = weft_fma_f64(q, r, (f64v)0.0416666666666666);
  q = weft_fma_f64(q, r, (f64v)0.16666666666666677);
  q = weft_fma_f64(q, r, (f64v)0.5);
  f64v p = weft_fma_f64(r * r, q, r);
  f64v s = __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, t) << 52);
  f64v y = weft_fma_f64(s, p, s - 0.5);
  return __builtin_elementwise_copysign(k == 0.0 ? p : y + y, x);
}
//@ weft_log_split_f64
// x = m 2^e for positive finite x, m in [sqrt(1/2), sqrt(2)); subnormal x is scaled first.
[[gnu::always_inline]] static inline void weft_log_split_f64(f64v x, f64v& m, f64v& e) {
#pragma clang fp contract(off)
  i64v small = x < 2.2250738585072014e-308;
  x = small ? x * 1.8014398509481984e+16 : x;
  i64v b = __builtin_bit_cast(i64v, x) + 0x95f619980c433L;
  e = __builtin_bit_cast(f64v, (i64v)(__builtin_bit_cast(u64v, b) >> 52) | 0x4330000000000000L);
  e = e - (small ? (f64v)4503599627371573.0 : (f64v)4503599627371519.0);
  m = __builtin_bit_cast(f64v, (b & 0xfffffffffffffL) + 0x3fe6a09e667f3bcdL);
}
//@ weft_log_rest_f64
// log(1+f) - f on [sqrt(1/2)-1, sqrt(2)-1].
[[gnu::always_inline]] static inline f64v weft_log_rest_f64(f64v f) {
#pragma clang fp contract(off)
  // Odd series in s = f / (2 + f): log(1+f) = f - f^2/2 + s (f^2/2 + R(s^2)).
  f64v s = f / (2.0 + f);
  f64v z = s * s;
  f64v h = 0.5 * f * f;
  f64v q = weft_fma_f64(z, (f64v)0.14797840067144133, (f64v)0.15313853137896885);
  q = weft_fma_f64(q, z, (f64v)0.18183572504150583);
  q = weft_fma_f64(q, z, (f64v)0.22222198403083);
  q = weft_fma_f64(q, z, (f64v)0.2857142874423165);
  q = weft_fma_f64(q, z, (f64v)0.39999999999405034);
  q = weft_fma_f64(q, z, (f64v)0.6666666666666736);
  return weft_fma_f64(s, weft_fma_f64(z, q, h), -h);
}
//@ weft_log_f64
// x = m 2^e, polynomial on m - 1, ln 2 in two parts: 1.0 ulp.
[[gnu::always_inline]] static inline f64v weft_log_f64(f64v x) {
#pragma clang fp contract(off)
  f64v m, e;
  weft_log_split_f64(x, m, e);
  f64v f = m - 1.0;
  f64v y = f + weft_fma_f64(e, 2.3190468138462996e-17, weft_log_rest_f64(f));
  f64v r = weft_fma_f64(e, 0.6931471805599453, y);
  r = x == __builtin_inf() ? x : r;
  return x > 0.0 ? r : (x == 0.0 ? (f64v)-__builtin_inf() : (f64v)__builtin_nan(""));
}
//@ weft_log2_f64
// As log, with 1/ln 2 in two parts; exact for powers of two: 1.1 ulp.
[[gnu::always_inline]] static inline f64v weft_log2_f64(f64v x) {
#pragma clang fp contract(off)
  f64v m, e;
  weft_log_split_f64(x, m, e);
  f64v f = m - 1.0;
  f64v y = weft_fma_f64(f, 1.4426950408889634,
                        weft_fma_f64(f, 2.0355273740931033e-17, weft_log_rest_f64(f) * 1.4426950408889634));
  f64v r = e + y;
  r = x == __builtin_inf() ? x : r;
  return x > 0.0 ? r : (x == 0.0 ? (f64v)-__builtin_inf() : (f64v)__builtin_nan(""));
}
//@ weft_log10_f64
// As log, with 1/ln 10 and log10(2) in two parts: 1.1 ulp.
[[gnu::always_inline]] static inline f64v weft_log10_f64(f64v x) {
#pragma clang fp contract(off)
  f64v m, e;
  weft_log_split_f64(x, m, e);
  f64v f = m - 1.0;
  f64v y = weft_fma_f64(e, -2.8037281277851704e-18,
                        weft_fma_f64(f, 1.098319650216765e-17, weft_log_rest_f64(f) * 0.4342944819032518));
  f64v r = weft_fma_f64(e, 0.3010299956639812, weft_fma_f64(f, 0.4342944819032518, y));
  r = x == __builtin_inf() ? x : r;
  return x > 0.0 ? r : (x == 0.0 ? (f64v)-__builtin_inf() : (f64v)__builtin_nan(""));
}
//@ weft_log1p_parts_f64
// log(1+h+l) for finite 1+h >= 2^-53; the bits that 1+h loses come back as a correction of the reduced argument.
[[gnu::always_inline]] static inline f64v weft_log1p_parts_f64(f64v h, f64v l) {
#pragma clang fp contract(off)
  f64v u = 1.0 + h;
  f64v v = u - 1.0;
  f64v d = ((1.0 - (u - v)) + (h - v)) + l;
  i64v b = __builtin_bit_cast(i64v, u) + 0x95f619980c433L;
  f64v e = __builtin_bit_cast(f64v, (i64v)(__builtin_bit_cast(u64v, b) >> 52) | 0x4330000000000000L) -
           4503599627371519.0;
  f64v m = __builtin_bit_cast(f64v, (b & 0xfffffffffffffL) + 0x3fe6a09e667f3bcdL);
  f64v s = __builtin_bit_cast(f64v, 0x7fe0000000000000L - (b & 0x7ff0000000000000L));
  d = u > 1.6069380442589903e+60 ? (f64v)0.0 : d * s;
  f64v g = m - 1.0;
  f64v f = g + d;
  d = (g - f) + d;
  f64v y = weft_fma_f64(d, 1.0 - f, weft_fma_f64(e, 2.3190468138462996e-17, weft_log_rest_f64(f)));
  return weft_fma_f64(e, 0.6931471805599453, f + y);
}
//@ weft_log1p_f64
// log of 1+x rounded, corrected for the rounding: 1.0 ulp.
[[gnu::always_inline]] static inline f64v weft_log1p_f64(f64v x) {
  f64v r = weft_log1p_parts_f64(x, 0.0);
  r = ((x == __builtin_inf()) | (x == 0.0)) ? x : r;
  return x > -1.0 ? r : (x == -1.0 ? (f64v)-__builtin_inf() : (f64v)__builtin_nan(""));
}
//@ weft_cbrt_f64
// Polynomial for m^(-1/3), one step of order four, one corrected step on the root itself: 0.6 ulp.
[[gnu::always_inline]] static inline f64v weft_cbrt_f64(f64v x) {
#pragma clang fp contract(off)
  f64v a = __builtin_elementwise_abs(x);
  i64v small = a < 2.2250738585072014e-308;
  f64v n = small ? a * 1.8014398509481984e+16 : a;
  i64v b = __builtin_bit_cast(i64v, n);
  f64v e = __builtin_bit_cast(f64v, (i64v)(__builtin_bit_cast(u64v, b) >> 52) | 0x4330000000000000L) -
           4503599627371519.0;
  f64v third = __builtin_elementwise_floor(weft_fma_f64(e, 0.3333333333333333, 0.16666666666666666));
  f64v left = weft_fma_f64(third, -3.0, e);
  f64v m = __builtin_bit_cast(f64v, (b & 0xfffffffffffffL) | 0x3ff0000000000000L);
  f64v q = weft_fma_f64(m, (f64v)-0.016912176456478495, (f64v)0.15526904316331108);
  q = weft_fma_f64(q, m, (f64v)-0.5954953136580091);
  q = weft_fma_f64(q, m, (f64v)1.2403147147868425);
  q = weft_fma_f64(q, m, (f64v)-1.563532995495243);
  q = weft_fma_f64(q, m, (f64v)1.7803507606973854);
  q = left == 0.0 ? q : (left == 1.0 ? q * 0.7937005259840998 : q * 0.6299605249474366);
  m = left == 0.0 ? m : (left == 1.0 ? m * 2.0 : m * 4.0);
  f64v h = weft_fma_f64(-(m * q), q * q, 1.0);
  q = weft_fma_f64(
      q * h, weft_fma_f64(h, weft_fma_f64(h, 0.1728395061728395, 0.2222222222222222), 0.3333333333333333), q);
  f64v y = m * q * q;
  f64v y2 = y * y;
  f64v y2l = weft_fma_f64(y, y, -y2);
  f64v d = weft_fma_f64(-y, y2, m) - y * y2l;
  y = weft_fma_f64(d, q * q * 0.3333333333333333, y);
  third = third + 6755399441056767.0;
  f64v s = __builtin_bit_cast(f64v, __builtin_bit_cast(i64v, third) << 52);
  s = small ? s * 3.814697265625e-06 : s;
  y = __builtin_elementwise_copysign(y * s, x);
  return ((a > 0.0) & (a < __builtin_inf())) ? y : x;
}
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
// below -1/2: 3.3 ulp of max(|lgamma(x)|, lgamma(|x|), 1).
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
  for (int i = 0; i < 2; ++i) {
    i64v up = z < 1.5;
    p = up ? p * z : p;
    z = up ? z + 1.0 : z;
  }
  f64v w = z - 2.0;
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
