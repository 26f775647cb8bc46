// Comparisons, logic and integers of CPU kernels.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuIntegers = R"(
//@ weft_equal_$T : ints halves floats
#define weft_equal_$T(a, b) __builtin_convertvector(($V)(a) == ($V)(b), boolv)
//@ weft_not_equal_$T : ints halves floats
#define weft_not_equal_$T(a, b) __builtin_convertvector(($V)(a) != ($V)(b), boolv)
//@ weft_less_$T : ints halves floats
#define weft_less_$T(a, b) __builtin_convertvector(($V)(a) < ($V)(b), boolv)
//@ weft_less_equal_$T : ints halves floats
#define weft_less_equal_$T(a, b) __builtin_convertvector(($V)(a) <= ($V)(b), boolv)
//@ weft_greater_$T : ints halves floats
#define weft_greater_$T(a, b) __builtin_convertvector(($V)(a) > ($V)(b), boolv)
//@ weft_greater_equal_$T : ints halves floats
#define weft_greater_equal_$T(a, b) __builtin_convertvector(($V)(a) >= ($V)(b), boolv)
//@ weft_equal_bool
$fn boolv weft_equal_bool(boolv a, boolv b) { return ~(a ^ b); }
//@ weft_not_equal_bool
$fn boolv weft_not_equal_bool(boolv a, boolv b) { return a ^ b; }
//@ weft_less_bool
$fn boolv weft_less_bool(boolv a, boolv b) { return ~a & b; }
//@ weft_less_equal_bool
$fn boolv weft_less_equal_bool(boolv a, boolv b) { return ~a | b; }
//@ weft_greater_bool
$fn boolv weft_greater_bool(boolv a, boolv b) { return a & ~b; }
//@ weft_greater_equal_bool
$fn boolv weft_greater_equal_bool(boolv a, boolv b) { return a | ~b; }

//@ weft_logical_and_$T : all
$fn boolv weft_logical_and_$T($V a, $V b) { return weft_cast_$T_bool(a) & weft_cast_$T_bool(b); }
//@ weft_logical_or_$T : all
$fn boolv weft_logical_or_$T($V a, $V b) { return weft_cast_$T_bool(a) | weft_cast_$T_bool(b); }
//@ weft_logical_xor_$T : all
$fn boolv weft_logical_xor_$T($V a, $V b) { return weft_cast_$T_bool(a) ^ weft_cast_$T_bool(b); }
//@ weft_logical_not_$T : all
$fn boolv weft_logical_not_$T($V a) { return ~weft_cast_$T_bool(a); }

//@ weft_add_bool
$fn boolv weft_add_bool(boolv a, boolv b) { return a | b; }
//@ weft_multiply_bool
$fn boolv weft_multiply_bool(boolv a, boolv b) { return a & b; }
//@ weft_bitwise_and_$T : bool ints
#define weft_bitwise_and_$T(a, b) (($V)(a) & ($V)(b))
//@ weft_bitwise_or_$T : bool ints
#define weft_bitwise_or_$T(a, b) (($V)(a) | ($V)(b))
//@ weft_bitwise_xor_$T : bool ints
#define weft_bitwise_xor_$T(a, b) (($V)(a) ^ ($V)(b))
//@ weft_bitwise_invert_$T : bool ints
$fn $V weft_bitwise_invert_$T($V a) { return ~a; }
// A negative count is a huge one as unsigned.
//@ weft_bitwise_left_shift_$T : ints
$fn $V weft_bitwise_left_shift_$T($V a, $V b) {
  $UV n = __builtin_bit_cast($UV, b);
  return (n < $W) ? ($V)(a << __builtin_bit_cast($V, n & ($W - 1))) : ($V)(0);
}
//@ weft_bitwise_right_shift_$T : signed
$fn $V weft_bitwise_right_shift_$T($V a, $V b) {
  $UV n = __builtin_bit_cast($UV, b);
  return a >> __builtin_bit_cast($V, __builtin_elementwise_min(n, ($UV)($W - 1)));
}
//@ weft_bitwise_right_shift_$T : unsigned
$fn $V weft_bitwise_right_shift_$T($V a, $V b) { return (b < $W) ? (a >> (b & ($W - 1))) : ($V)(0); }

//@ weft_maximum_$T : ints
$fn $V weft_maximum_$T($V a, $V b) { return __builtin_elementwise_max(a, b); }
//@ weft_minimum_$T : ints
$fn $V weft_minimum_$T($V a, $V b) { return __builtin_elementwise_min(a, b); }
//@ weft_maximum_bool
$fn boolv weft_maximum_bool(boolv a, boolv b) { return a | b; }
//@ weft_minimum_bool
$fn boolv weft_minimum_bool(boolv a, boolv b) { return a & b; }
// Equal values differ at most in the sign of zero: the common bits are those of +0, all bits those of -0.
//@ weft_maximum_$T : halves floats
$fn $V weft_maximum_$T($V a, $V b) {
  typedef $M Bits;
  $V r = (a > b) ? a : b;
  r = (a == b) ? __builtin_bit_cast($V, __builtin_bit_cast(Bits, a) & __builtin_bit_cast(Bits, b)) : r;
  return (a != a) ? a : r;
}
//@ weft_minimum_$T : halves floats
$fn $V weft_minimum_$T($V a, $V b) {
  typedef $M Bits;
  $V r = (a < b) ? a : b;
  r = (a == b) ? __builtin_bit_cast($V, __builtin_bit_cast(Bits, a) | __builtin_bit_cast(Bits, b)) : r;
  return (a != a) ? a : r;
}
//@ weft_relu_$T : ints halves floats
$fn $V weft_relu_$T($V a) { return weft_maximum_$T(a, ($V)(0)); }

//@ weft_positive_$T : ints halves floats
$fn $V weft_positive_$T($V a) { return a; }
//@ weft_negative_$T : ints halves floats
$fn $V weft_negative_$T($V a) { return -a; }
//@ weft_abs_$T : signed halves
$fn $V weft_abs_$T($V a) { return __builtin_elementwise_abs(a); }
//@ weft_abs_$T : unsigned
$fn $V weft_abs_$T($V a) { return a; }
//@ weft_square_$T : ints floats
$fn $V weft_square_$T($V a) { return a * a; }
//@ weft_sign_$T : signed
$fn $V weft_sign_$T($V a) { return (a > 0) ? ($V)(1) : (a < 0) ? ($V)(-1) : ($V)(0); }
//@ weft_sign_$T : unsigned
$fn $V weft_sign_$T($V a) { return (a != 0) ? ($V)(1) : ($V)(0); }
//@ weft_floor_$T : ints
$fn $V weft_floor_$T($V a) { return a; }
//@ weft_ceil_$T : ints
$fn $V weft_ceil_$T($V a) { return a; }
//@ weft_trunc_$T : ints
$fn $V weft_trunc_$T($V a) { return a; }
//@ weft_round_$T : ints
$fn $V weft_round_$T($V a) { return a; }

// By the reciprocal, which a loop computes once for a divisor that stays. (a + 1/2) / b is at least 1 / 2b away from
// an integer; a float with twice the bits is wrong by far less.
//@ weft_floor_divide_$T : i8 i16 i32
$fn $V weft_floor_divide_$T($V a, $V b) {
  $V safe = ((b == -1) | (b == 0)) ? ($V)(1) : b;
  $D divisor = __builtin_convertvector(safe, $D), half = (divisor < 0) ? ($D)(-0.5f) : ($D)(0.5f);
  $D q = __builtin_elementwise_floor((__builtin_convertvector(a, $D) + half) * (1 / divisor));
  $V r = (b == -1) ? -a : __builtin_convertvector(q, $V);
  return (b == 0) ? ($V)(0) : r;
}
//@ weft_floor_divide_$T : u8 u16 u32
$fn $V weft_floor_divide_$T($V a, $V b) {
  $V safe = (b == 0) ? ($V)(1) : b;
  $D q = (__builtin_convertvector(a, $D) + 0.5f) * (1 / __builtin_convertvector(safe, $D));
  return (b == 0) ? ($V)(0) : __builtin_convertvector(q, $V);
}
// The same for 64 bits, whose doubles keep 53: what the first quotient leaves is at most half of b and 2^12; what the
// second leaves says by its sign where the floor is.
//@ weft_floor_divide_i64
$fn i64v weft_floor_divide_i64(i64v a, i64v b) {
  i64v safe = ((b >= -1) & (b <= 1)) ? (i64v)(2) : b;
  f64v by = 1 / __builtin_convertvector(safe, f64v);
  i64v q = __builtin_convertvector(__builtin_elementwise_rint(__builtin_convertvector(a, f64v) * by), i64v);
  i64v rest = a - q * safe;
  i64v more = __builtin_convertvector(__builtin_elementwise_rint(__builtin_convertvector(rest, f64v) * by), i64v);
  rest -= more * safe;
  q += more + ((rest != 0) & ((rest ^ safe) < 0));
  return ((b >= -1) & (b <= 1)) ? a * b : q;
}
//@ weft_floor_divide_u64
$fn u64v weft_floor_divide_u64(u64v a, u64v b) {
  i64v divisor = __builtin_bit_cast(i64v, b);
  i64v safe = (divisor <= 1) ? (i64v)(2) : divisor;
  f64v by = 1 / __builtin_convertvector(safe, f64v);
  u64v q = __builtin_convertvector(__builtin_elementwise_rint(__builtin_convertvector(a, f64v) * by), u64v);
  i64v rest = __builtin_bit_cast(i64v, a) - __builtin_bit_cast(i64v, q) * safe;
  i64v more = __builtin_convertvector(__builtin_elementwise_rint(__builtin_convertvector(rest, f64v) * by), i64v);
  rest -= more * safe;
  q += __builtin_bit_cast(u64v, more + (rest < 0));
  q = (divisor < 0) ? ((a >= b) ? (u64v)(1) : (u64v)(0)) : q;
  return (b <= 1) ? a * b : q;
}
//@ weft_remainder_$T : ints
$fn $V weft_remainder_$T($V a, $V b) { return (b == 0) ? ($V)(0) : a - weft_floor_divide_$T(a, b) * b; }
//@ weft_threefry_rounds
// Four rounds of Threefry-2x32 on the words a and b, then the key's words.
$fn void weft_threefry_rounds(u32v& a, u32v& b, int r, int s, int t, int u, u32v j, u32v k) {
  a += b; b = (b << r | b >> (32 - r)) ^ a;
  a += b; b = (b << s | b >> (32 - s)) ^ a;
  a += b; b = (b << t | b >> (32 - t)) ^ a;
  a += b; b = (b << u | b >> (32 - u)) ^ a;
  a += j; b += k;
}
//@ weft_threefry_$T : unsigned
$fn $V weft_threefry_$T($V counter, $V key) {
  u64v c = __builtin_convertvector(counter, u64v), k = __builtin_convertvector(key, u64v);
  u32v x = __builtin_convertvector(k, u32v), y = __builtin_convertvector(k >> 32, u32v), z = x ^ y ^ 0x1bd11bdau;
  u32v a = __builtin_convertvector(c, u32v) + x, b = __builtin_convertvector(c >> 32, u32v) + y;
  weft_threefry_rounds(a, b, 13, 15, 26, 6, y, z + 1u);
  weft_threefry_rounds(a, b, 17, 29, 16, 24, z, x + 2u);
  weft_threefry_rounds(a, b, 13, 15, 26, 6, x, y + 3u);
  weft_threefry_rounds(a, b, 17, 29, 16, 24, y, z + 4u);
  weft_threefry_rounds(a, b, 13, 15, 26, 6, z, x + 5u);
  return __builtin_convertvector(__builtin_convertvector(b, u64v) << 32 | __builtin_convertvector(a, u64v), $V);
}
//@ weft_pow_$T : unsigned
$fn $V weft_pow_$T($V a, $V b) {
  $V r = ($V)(1);
  while (__builtin_reduce_or(b) != 0) {
    r = ((b & 1) != 0) ? r * a : r;
    a *= a;
    b >>= 1;
  }
  return r;
}
//@ weft_pow_$T : signed
$fn $V weft_pow_$T($V a, $V b) {
  $UV r = weft_pow_$U(__builtin_bit_cast($UV, a), __builtin_bit_cast($UV, (b < 0) ? (b & 1) : b));
  return ((b < 0) & (a != 1) & (a != -1)) ? ($V)(0) : __builtin_bit_cast($V, r);
}

//@ weft_inf_$T : halves floats
$fn $V weft_inf_$T() { return ($V)(__builtin_inff()); }
//@ weft_nan_$T : halves floats
$fn $V weft_nan_$T() { return ($V)(__builtin_nanf("")); }
//@ weft_isnan_$T : halves floats
$fn boolv weft_isnan_$T($V a) { return __builtin_convertvector(a != a, boolv); }
//@ weft_isinf_$T : halves floats
$fn boolv weft_isinf_$T($V a) {
  return __builtin_convertvector(__builtin_elementwise_abs(a) == weft_inf_$T(), boolv);
}
//@ weft_isfinite_$T : halves floats
$fn boolv weft_isfinite_$T($V a) {
  return __builtin_convertvector(__builtin_elementwise_abs(a) < weft_inf_$T(), boolv);
}
//@ weft_isnan_$T : ints
$fn boolv weft_isnan_$T($V) { return (boolv)(false); }
//@ weft_isinf_$T : ints
$fn boolv weft_isinf_$T($V) { return (boolv)(false); }
//@ weft_isfinite_$T : ints
$fn boolv weft_isfinite_$T($V) { return (boolv)(true); }
//@ weft_signbit_$T : halves floats
$fn boolv weft_signbit_$T($V a) { return __builtin_convertvector(__builtin_bit_cast($M, a) < 0, boolv); }
//@ weft_nextafter_$T : halves
$fn f32v weft_nextafter_$T(f32v x, f32v y) {
  i32v bits = __builtin_convertvector(__builtin_bit_cast(i16v, weft_pack_$T(x)), i32v);
  i32v step = ((x < y) ^ (x < 0)) ? (i32v)(1) : (i32v)(-1);
  i32v least = (y < 0) ? (i32v)(0x8001) : (i32v)(1);
  bits = (x == 0) ? least : bits + step;
  f32v r = weft_unpack_$T(__builtin_convertvector(bits, u16v));
  r = (x == y) ? y : r;
  return ((x != x) | (y != y)) ? x + y : r;
}
// Rounded once: the product is exact in f64, the sum is rounded to odd.
//@ weft_fma_$T : halves
$fn f32v weft_fma_$T(f32v x, f32v y, f32v z) {
  f64v p = __builtin_convertvector(x, f64v) * __builtin_convertvector(y, f64v);
  f64v c = __builtin_convertvector(z, f64v);
  f64v s = p + c, b = s - p, lost = (p - (s - b)) + (c - b);
  i64v bits = __builtin_bit_cast(i64v, s);
  i64v step = ((lost > 0) == (s > 0)) ? (i64v)(1) : (i64v)(-1);
  i64v inexact = ((lost > 0) | (lost < 0)) ? (i64v)(1) : (i64v)(0);
  bits += (inexact & ~bits) * step;
  return weft_cast_f64_$T(__builtin_bit_cast(f64v, bits));
}
//@ weft_real_$T : ints halves floats
$fn $V weft_real_$T($V a) { return a; }
//@ weft_imag_$T : ints halves floats
$fn $V weft_imag_$T($V) { return ($V)(0); }
//@ weft_conj_$T : ints halves floats
$fn $V weft_conj_$T($V a) { return a; }
)";

}  // namespace weft::emit
