// The math prelude of CPU kernels for double precision: arithmetic, rounding, exponentials and logarithms,
// branch-free but for rare arguments. Every function keeps its stated bound, and gives the same bits, in
// every contraction mode.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuF64 = R"weft(
//@ weft_fma_f64
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
)weft";

}  // namespace weft::emit
