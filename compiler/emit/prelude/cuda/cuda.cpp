// What CUDA kernels may need, on scalars and without any header: NVRTC knows the device's math by itself.
// Halves are computed with as floats.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCuda = R"(
//@ c64
struct __align__(8) c64 { float re, im; };
//@ c128
struct __align__(16) c128 { double re, im; };

//@ weft_splat_$T : bool ints halves floats
$fn $V weft_splat_$T($E x) { return x; }
//@ weft_splat_$T : complex
$fn $V weft_splat_$T($E re, $E im) { return {re, im}; }
//@ weft_select_$T : all
$fn $V weft_select_$T(bool m, $V a, $V b) { return m ? a : b; }

// Between what memory holds and what is computed with.
//@ weft_unpack_$T : ints floats complex
$fn $V weft_unpack_$T($P x) { return x; }
//@ weft_pack_$T : ints floats complex
$fn $P weft_pack_$T($V x) { return x; }
//@ weft_unpack_bool
$fn bool weft_unpack_bool(unsigned char x) { return x != 0; }
//@ weft_pack_bool
$fn unsigned char weft_pack_bool(bool x) { return x; }
//@ weft_bits_f16
$fn unsigned short weft_bits_f16(float x) {
  unsigned short r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
  return r;
}
//@ f16
// A float that an f16 has room for, and its bits in memory: what was loaded or rounded has both, and ptxas does not see
// that to convert the one again gives the other. What nobody asks for is not computed.
struct f16 {
  float value;
  unsigned short bits;
  f16() = default;
  __device__ __forceinline__ f16(float x) : value(x), bits(weft_bits_f16(x)) {}
  __device__ __forceinline__ f16(float x, unsigned short its) : value(x), bits(its) {}
  __device__ __forceinline__ operator float() const { return value; }
};
//@ weft_unpack_f16
$fn f16 weft_unpack_f16(unsigned short x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x));
  return {r, x};
}
//@ weft_pack_f16
$fn unsigned short weft_pack_f16(f16 x) { return x.bits; }
//@ weft_unpack_bf16
$fn float weft_unpack_bf16(unsigned short x) { return __uint_as_float((unsigned)x << 16); }
//@ weft_pack_bf16
$fn unsigned short weft_pack_bf16(float x) { return (unsigned short)(__float_as_uint(weft_round_bf16(x)) >> 16); }
//@ weft_round_f16
$fn f16 weft_round_f16(float x) { return weft_unpack_f16(weft_bits_f16(x)); }
//@ weft_add_f16
// What f32 gives when it is rounded: sums and products have no more digits than twice those of f16 and two.
$fn f16 weft_add_f16(f16 a, f16 b) {
  unsigned short r;
  asm("add.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));
  return weft_unpack_f16(r);
}
//@ weft_subtract_f16
$fn f16 weft_subtract_f16(f16 a, f16 b) {
  unsigned short r;
  asm("sub.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));
  return weft_unpack_f16(r);
}
//@ weft_multiply_f16
$fn f16 weft_multiply_f16(f16 a, f16 b) {
  unsigned short r;
  asm("mul.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));
  return weft_unpack_f16(r);
}
//@ weft_square_f16
$fn f16 weft_square_f16(f16 x) { return weft_multiply_f16(x, x); }
// A float that a bf16 has room for is a pair of bf16 with 0 in the lower half. Conversions to pairs run at four times
// the rate of those to one bf16, and sums of pairs are rounded to bf16 by the instruction that adds them.
//@ weft_round_bf16
$fn float weft_round_bf16(float x) {
  unsigned int r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(0.0f));
  return __uint_as_float(r);
}
//@ weft_pair_add
$fn float weft_pair_add(float a, unsigned int one, float b) {
  unsigned int r;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(__float_as_uint(b)), "r"(one), "r"(__float_as_uint(a)));
  return __uint_as_float(r);
}
//@ weft_add_bf16
$fn float weft_add_bf16(float a, float b) { return weft_pair_add(a, 0x3f803f80u, b); }
//@ weft_subtract_bf16
$fn float weft_subtract_bf16(float a, float b) { return weft_pair_add(a, 0xbf80bf80u, b); }

//@ weft_equal_$T : bool ints halves floats
$fn bool weft_equal_$T($V a, $V b) { return a == b; }
//@ weft_not_equal_$T : bool ints halves floats
$fn bool weft_not_equal_$T($V a, $V b) { return a != b; }
//@ weft_less_$T : bool ints halves floats
$fn bool weft_less_$T($V a, $V b) { return a < b; }
//@ weft_less_equal_$T : ints halves floats
$fn bool weft_less_equal_$T($V a, $V b) { return a <= b; }
// A sum, not an or of predicates: where a kernel also has `a & b` of the same two, ptxas 13.0 makes one
// instruction of both, and takes the wrong half when it computes that again for want of predicates.
//@ weft_some
$fn bool weft_some(bool mask) { return mask; }
//@ weft_either
$fn bool weft_either(bool a, bool b) { return (int)a + (int)b != 0; }
//@ weft_less_equal_bool
$fn bool weft_less_equal_bool(bool a, bool b) { return weft_either(!a, b); }
//@ weft_greater_$T : bool ints halves floats
$fn bool weft_greater_$T($V a, $V b) { return a > b; }
//@ weft_greater_equal_$T : ints halves floats
$fn bool weft_greater_equal_$T($V a, $V b) { return a >= b; }
//@ weft_greater_equal_bool
$fn bool weft_greater_equal_bool(bool a, bool b) { return weft_either(a, !b); }
//@ weft_logical_and_$T : all
$fn bool weft_logical_and_$T($V a, $V b) { return weft_cast_$T_bool(a) && weft_cast_$T_bool(b); }
//@ weft_logical_or_$T : all
$fn bool weft_logical_or_$T($V a, $V b) { return weft_either(weft_cast_$T_bool(a), weft_cast_$T_bool(b)); }
//@ weft_logical_xor_$T : all
$fn bool weft_logical_xor_$T($V a, $V b) { return weft_cast_$T_bool(a) != weft_cast_$T_bool(b); }
//@ weft_logical_not_$T : all
$fn bool weft_logical_not_$T($V a) { return !weft_cast_$T_bool(a); }

//@ weft_add_bool
$fn bool weft_add_bool(bool a, bool b) { return weft_either(a, b); }
//@ weft_multiply_bool
$fn bool weft_multiply_bool(bool a, bool b) { return a && b; }
//@ weft_bitwise_and_$T : bool ints
$fn $V weft_bitwise_and_$T($V a, $V b) { return ($V)(a & b); }
//@ weft_bitwise_or_$T : ints
$fn $V weft_bitwise_or_$T($V a, $V b) { return ($V)(a | b); }
//@ weft_bitwise_or_bool
$fn bool weft_bitwise_or_bool(bool a, bool b) { return weft_either(a, b); }
//@ weft_bitwise_xor_$T : bool ints
$fn $V weft_bitwise_xor_$T($V a, $V b) { return ($V)(a ^ b); }
//@ weft_bitwise_invert_$T : ints
$fn $V weft_bitwise_invert_$T($V a) { return ($V)~a; }
//@ weft_bitwise_invert_bool
$fn bool weft_bitwise_invert_bool(bool a) { return !a; }
//@ weft_bitwise_left_shift_$T : ints
$fn $V weft_bitwise_left_shift_$T($V a, $V b) { return ($UV)b < $W ? ($V)(($UV)a << b) : ($V)0; }
//@ weft_bitwise_right_shift_$T : signed
$fn $V weft_bitwise_right_shift_$T($V a, $V b) { return ($V)(a >> (($UV)b < $W ? b : $W - 1)); }
//@ weft_bitwise_right_shift_$T : unsigned
$fn $V weft_bitwise_right_shift_$T($V a, $V b) { return b < $W ? ($V)(a >> b) : ($V)0; }

//@ weft_maximum_$T : bool ints
$fn $V weft_maximum_$T($V a, $V b) { return a > b ? a : b; }
//@ weft_minimum_$T : bool ints
$fn $V weft_minimum_$T($V a, $V b) { return a < b ? a : b; }
//@ weft_maximum_$T : halves f32
$fn float weft_maximum_$T(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
//@ weft_minimum_$T : halves f32
$fn float weft_minimum_$T(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
//@ weft_maximum_f64
// Where a is not above b, b has a sign only if both have, since 0 is above -0.
$fn double weft_maximum_f64(double a, double b) {
  double rest = __longlong_as_double(__double_as_longlong(b) & (__double_as_longlong(a) | 0x7fffffffffffffffll));
  return a > b || a != a ? a : rest;
}
//@ weft_minimum_f64
$fn double weft_minimum_f64(double a, double b) {
  long long sign = 1ull << 63;
  double rest = __longlong_as_double(__double_as_longlong(b) | (__double_as_longlong(a) & sign));
  return a < b || a != a ? a : rest;
}
//@ weft_relu_$T : ints halves floats
$fn $V weft_relu_$T($V a) { return weft_maximum_$T(a, ($V)0); }
//@ weft_positive_$T : ints halves floats
$fn $V weft_positive_$T($V a) { return a; }
//@ weft_negative_$T : ints
$fn $V weft_negative_$T($V a) { return ($V)(0 - ($UV)a); }
//@ weft_negative_$T : halves floats
$fn $V weft_negative_$T($V a) { return -a; }
//@ weft_abs_$T : signed
$fn $V weft_abs_$T($V a) { return a < 0 ? ($V)(0 - ($UV)a) : a; }
//@ weft_abs_$T : unsigned
$fn $V weft_abs_$T($V a) { return a; }
//@ weft_abs_$T : halves floats
$fn $V weft_abs_$T($V a) { return fabs$s(a); }
//@ weft_square_$T : signed
$fn $V weft_square_$T($V a) { return ($V)((unsigned long long)a * (unsigned long long)a); }
//@ weft_square_$T : unsigned floats
$fn $V weft_square_$T($V a) { return ($V)(a * a); }
//@ weft_sign_$T : ints
$fn $V weft_sign_$T($V a) { return ($V)((a > 0) - (a < 0)); }
//@ weft_floor_$T : ints
$fn $V weft_floor_$T($V a) { return a; }
//@ weft_ceil_$T : ints
$fn $V weft_ceil_$T($V a) { return a; }
//@ weft_trunc_$T : ints
$fn $V weft_trunc_$T($V a) { return a; }
//@ weft_round_$T : ints
$fn $V weft_round_$T($V a) { return a; }
//@ weft_floor_divide_$T : signed
$fn $V weft_floor_divide_$T($V a, $V b) {
  if (b == 0) return 0;
  if (b == -1) return ($V)(0 - ($UV)a);
  $V q = ($V)(a / b);
  return ($V)(q - ((a % b != 0) && ((a < 0) != (b < 0))));
}
//@ weft_floor_divide_$T : unsigned
$fn $V weft_floor_divide_$T($V a, $V b) { return b == 0 ? ($V)0 : ($V)(a / b); }
//@ weft_remainder_$T : signed
$fn $V weft_remainder_$T($V a, $V b) {
  if (b == 0 || b == -1) return 0;
  $V r = ($V)(a % b);
  return r != 0 && ((r < 0) != (b < 0)) ? ($V)(r + b) : r;
}
//@ weft_remainder_$T : unsigned
$fn $V weft_remainder_$T($V a, $V b) { return b == 0 ? ($V)0 : ($V)(a % b); }
//@ weft_threefry_rounds
$fn void weft_threefry_rounds(unsigned& a, unsigned& b, int r, int s, int t, int u, unsigned j, unsigned k) {
  a += b; b = (b << r | b >> (32 - r)) ^ a;
  a += b; b = (b << s | b >> (32 - s)) ^ a;
  a += b; b = (b << t | b >> (32 - t)) ^ a;
  a += b; b = (b << u | b >> (32 - u)) ^ a;
  a += j; b += k;
}
//@ weft_threefry_$T : unsigned
$fn $V weft_threefry_$T($V counter, $V key) {
  unsigned long long c = counter, k = key;
  unsigned x = (unsigned)k, y = (unsigned)(k >> 32), z = x ^ y ^ 0x1bd11bdau;
  unsigned a = (unsigned)c + x, b = (unsigned)(c >> 32) + y;
  weft_threefry_rounds(a, b, 13, 15, 26, 6, y, z + 1);
  weft_threefry_rounds(a, b, 17, 29, 16, 24, z, x + 2);
  weft_threefry_rounds(a, b, 13, 15, 26, 6, x, y + 3);
  weft_threefry_rounds(a, b, 17, 29, 16, 24, y, z + 4);
  weft_threefry_rounds(a, b, 13, 15, 26, 6, z, x + 5);
  return ($V)((unsigned long long)b << 32 | a);
}
//@ weft_pow_$T : unsigned
$fn $V weft_pow_$T($V a, $V b) {
  unsigned long long r = 1, power = a;
  for (; b; b = ($V)(b >> 1), power *= power)
    if (b & 1) r *= power;
  return ($V)r;
}
//@ weft_pow_$T : signed
$fn $V weft_pow_$T($V a, $V b) {
  if (b >= 0) return ($V)weft_pow_$U(($UV)a, ($UV)b);
  return a == 1 || (a == -1 && !(b & 1)) ? ($V)1 : a == -1 ? ($V)-1 : ($V)0;
}

//@ weft_inf_$T : halves f32
$fn float weft_inf_$T() { return __int_as_float(0x7f800000); }
//@ weft_inf_f64
$fn double weft_inf_f64() { return __longlong_as_double(0x7ff0000000000000ll); }
//@ weft_nan_$T : halves f32
$fn float weft_nan_$T() { return __int_as_float(0x7fc00000); }
//@ weft_nan_f64
$fn double weft_nan_f64() { return __longlong_as_double(0x7ff8000000000000ll); }
//@ weft_isnan_$T : halves floats
$fn bool weft_isnan_$T($V a) { return a != a; }
//@ weft_isinf_$T : halves floats
$fn bool weft_isinf_$T($V a) { return fabs$s(a) == weft_inf_$T(); }
//@ weft_isfinite_$T : halves floats
$fn bool weft_isfinite_$T($V a) { return fabs$s(a) < weft_inf_$T(); }
//@ weft_isnan_$T : ints
$fn bool weft_isnan_$T($V) { return false; }
//@ weft_isinf_$T : ints
$fn bool weft_isinf_$T($V) { return false; }
//@ weft_isfinite_$T : ints
$fn bool weft_isfinite_$T($V) { return true; }
//@ weft_signbit_$T : halves f32
$fn bool weft_signbit_$T(float a) { return __float_as_int(a) < 0; }
//@ weft_signbit_f64
$fn bool weft_signbit_f64(double a) { return __double_as_longlong(a) < 0; }
//@ weft_real_$T : ints halves floats
$fn $V weft_real_$T($V a) { return a; }
//@ weft_imag_$T : ints halves floats
$fn $V weft_imag_$T($V) { return ($V)0; }
//@ weft_conj_$T : ints halves floats
$fn $V weft_conj_$T($V a) { return a; }
)"
                                 R"(
//@ weft_sqrt_$T : floats
$fn $V weft_sqrt_$T($V x) { return sqrt$s(x); }
//@ weft_rsqrt_$T : floats
$fn $V weft_rsqrt_$T($V x) { return rsqrt$s(x); }
//@ weft_cbrt_$T : floats
$fn $V weft_cbrt_$T($V x) { return cbrt$s(x); }
//@ weft_exp_f64
$fn double weft_exp_f64(double x) { return exp(x); }
// What expf becomes, instruction by instruction: 2^k and the fraction's power of 2. As one statement it is one thing to
// NVRTC's optimizer, and libdevice, its library, is left out.
//@ weft_exp_f32
$fn float weft_exp_f32(float x) {
  float r;
  asm("{ .reg .f32 k, p, f; .reg .b32 i;\n"
      "fma.rn.sat.f32 k, %1, 0f3BBB989D, 0f3F000000;\n"
      "fma.rm.f32 p, k, 0f437C0000, 0f4B400001;\n"
      "add.f32 k, p, 0fCB40007F;\n"
      "neg.f32 k, k;\n"
      "fma.rn.f32 f, %1, 0f3FB8AA3B, k;\n"
      "fma.rn.f32 f, %1, 0f32A57060, f;\n"
      "mov.b32 i, p;\n"
      "shl.b32 i, i, 23;\n"
      "mov.b32 p, i;\n"
      "ex2.approx.ftz.f32 f, f;\n"
      "mul.f32 %0, f, p; }" : "=f"(r) : "f"(x));
  return r;
}
//@ weft_exp2_$T : floats
$fn $V weft_exp2_$T($V x) { return exp2$s(x); }
//@ weft_expm1_$T : floats
$fn $V weft_expm1_$T($V x) { return expm1$s(x); }
//@ weft_log_f64
$fn double weft_log_f64(double x) { return log(x); }
// x = 2^k (1 + f) with f in [-1/3, 1/3); a minimax polynomial for (log(1 + f) - f) / f^2. `power` is k as the bits of a
// float have it, 2^23 times too large. What has no logarithm, zero and infinity are left to the hardware's, which has the
// right values for them.
//@ weft_log_f32
$fn float weft_log_f32(float x) {
  const bool common = x > 0 && x < __int_as_float(0x7f800000), small = x < 0x1p-126f;
  const float y = small ? x * 0x1p23f : x;
  int power = (__float_as_int(y) - 0x3f2aaaab) & (int)0xff800000;
  const float f = __int_as_float(__float_as_int(y) - power) - 1;
  if (small) power -= 23 << 23;
  float p = fmaf(0.140633211f, f, -0.153258502f);
  p = fmaf(p, f, 0.139964029f);
  p = fmaf(p, f, -0.164288118f);
  p = fmaf(p, f, 0.200104818f);
  p = fmaf(p, f, -0.250070453f);
  p = fmaf(p, f, 0.333332211f);
  p = fmaf(p, f, -0.499999493f);
  const float r = fmaf((float)power, 0x1.62e43p-24f, fmaf(f * p, f, f));
  float rare;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(rare) : "f"(y));
  return common ? r : rare;
}
//@ weft_log2_$T : floats
$fn $V weft_log2_$T($V x) { return log2$s(x); }
//@ weft_log10_$T : floats
$fn $V weft_log10_$T($V x) { return log10$s(x); }
//@ weft_log1p_$T : floats
$fn $V weft_log1p_$T($V x) { return log1p$s(x); }
//@ weft_sin_$T : floats
$fn $V weft_sin_$T($V x) { return sin$s(x); }
//@ weft_cos_$T : floats
$fn $V weft_cos_$T($V x) { return cos$s(x); }
//@ weft_tan_$T : floats
$fn $V weft_tan_$T($V x) { return tan$s(x); }
//@ weft_asin_$T : floats
$fn $V weft_asin_$T($V x) { return asin$s(x); }
//@ weft_acos_$T : floats
$fn $V weft_acos_$T($V x) { return acos$s(x); }
//@ weft_atan_$T : floats
$fn $V weft_atan_$T($V x) { return atan$s(x); }
//@ weft_sinh_$T : floats
$fn $V weft_sinh_$T($V x) { return sinh$s(x); }
//@ weft_cosh_$T : floats
$fn $V weft_cosh_$T($V x) { return cosh$s(x); }
//@ weft_tanh_$T : floats
$fn $V weft_tanh_$T($V x) { return tanh$s(x); }
//@ weft_asinh_$T : floats
$fn $V weft_asinh_$T($V x) { return asinh$s(x); }
//@ weft_acosh_$T : floats
$fn $V weft_acosh_$T($V x) { return acosh$s(x); }
//@ weft_atanh_$T : floats
$fn $V weft_atanh_$T($V x) { return atanh$s(x); }
//@ weft_erf_f64
$fn double weft_erf_f64(double x) { return erf(x); }
// Both sides of 0.92 are computed and one is taken, which costs less than choosing coefficients: x + x P(x^2)
// near zero, 1 - 2^-(z + z Q(z)) further out, both minimax; beyond 4.2 it is 1 in f32.
//@ weft_erf_f32
$fn float weft_erf_f32(float x) {
  const float t = x * x, z = fminf(fabsf(x), 4.2f);
  float p = fmaf(-0.00060249737f, t, 0.00500076963f);
  p = fmaf(p, t, -0.026772581f);
  p = fmaf(p, t, 0.112820074f);
  p = fmaf(p, t, -0.376125157f);
  p = fmaf(p, t, 0.128379151f);
  float q = fmaf(-0.000308061513f, z, 0.00463294145f);
  q = fmaf(q, z, -0.0330068283f);
  q = fmaf(q, z, 0.151835904f);
  q = fmaf(q, z, 0.917165875f);
  q = fmaf(q, z, 0.628096879f);
  const float e = -fmaf(q, z, z);
  float rest;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(rest) : "f"(e));
  return fabsf(x) >= 0.92f ? copysignf(1 - rest, x) : fmaf(p, x, x);
}
//@ weft_erf_beside_one
// Within 1.5 2^-24, where only that matters: 1 - 2^-(z + z Q(z)) on both sides of zero.
$fn float weft_erf_beside_one(float x) {
  const float z = weft_minimum_f32(fabsf(x), 4.05f);
  float q = fmaf(4.5358604e-05f, z, -0.0004455077f);
  q = fmaf(q, z, 0.0014894418f);
  q = fmaf(q, z, 0.0007746292f);
  q = fmaf(q, z, -0.02825368f);
  q = fmaf(q, z, 0.1484816f);
  q = fmaf(q, z, 0.9184164f);
  q = fmaf(q, z, 0.6279086f);
  const float e = -fmaf(q, z, z);
  float rest, r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(rest) : "f"(e));
  asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(1 - rest));
  return r;
}
//@ weft_erfc_$T : floats
$fn $V weft_erfc_$T($V x) { return erfc$s(x); }
//@ weft_lgamma_$T : floats
$fn $V weft_lgamma_$T($V x) { return lgamma$s(x); }
//@ weft_floor_$T : floats
$fn $V weft_floor_$T($V x) { return floor$s(x); }
//@ weft_ceil_$T : floats
$fn $V weft_ceil_$T($V x) { return ceil$s(x); }
//@ weft_trunc_$T : floats
$fn $V weft_trunc_$T($V x) { return trunc$s(x); }
//@ weft_round_$T : floats
$fn $V weft_round_$T($V x) { return rint$s(x); }
//@ weft_pow_$T : floats
$fn $V weft_pow_$T($V x, $V y) { return pow$s(x, y); }
//@ weft_atan2_$T : floats
$fn $V weft_atan2_$T($V y, $V x) { return atan2$s(y, x); }
//@ weft_hypot_$T : floats
$fn $V weft_hypot_$T($V x, $V y) { return hypot$s(x, y); }
//@ weft_copysign_$T : floats
$fn $V weft_copysign_$T($V x, $V y) { return copysign$s(x, y); }
//@ weft_nextafter_$T : floats
$fn $V weft_nextafter_$T($V x, $V y) { return nextafter$s(x, y); }
//@ weft_nextafter_$T : halves
$fn $V weft_nextafter_$T(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  unsigned short bits = weft_pack_$T(x);
  bits = x == 0 ? (y < 0 ? 0x8001 : 1) : (x < y) != (x < 0) ? bits + 1 : bits - 1;
  return weft_unpack_$T(bits);
}
//@ weft_fma_$T : floats
$fn $V weft_fma_$T($V x, $V y, $V z) { return fma$s(x, y, z); }
// Rounded once: the product is exact in double, the sum is rounded to odd.
//@ weft_fma_$T : halves
$fn $V weft_fma_$T(float x, float y, float z) {
  double p = (double)x * y, c = z;
  double s = p + c, b = s - p, lost = (p - (s - b)) + (c - b);
  long long bits = __double_as_longlong(s);
  if ((lost > 0 || lost < 0) && bits % 2 == 0) bits += (lost > 0) == (s > 0) ? 1 : -1;
  return weft_cast_f64_$T(__longlong_as_double(bits));
}
//@ weft_divide_by_f32
// x / c for many x and one c, of which weft_inverse_f32 is given. The product is within 2^-51 of the quotient, which is
// never so near to the middle of two normal floats: it rounds as division does. Of subnormals exactly in the middle it
// may take the other one.
$fn float weft_divide_by_f32(float x, double inverse) { return (float)((double)x * inverse); }
//@ weft_inverse_f64
$fn double weft_inverse_f64(double c) { return 1 / c; }
//@ weft_quotient_of_f64
$call double weft_quotient_of_f64(double x, double c) { return x / c; }
//@ weft_divide_by_f64
// x / c as the division's own instructions do it when they have the inverse, where they do it at all: read as floats, the
// upper words tell that nothing is subnormal, infinite or no number.
$fn double weft_divide_by_f64(double x, double c, double inverse) {
  double q = x * inverse;
  q = fma(inverse, fma(-c, q, x), q);
  float of_c = __int_as_float((int)(__double_as_longlong(c) >> 32)), of_q = __int_as_float((int)(__double_as_longlong(q) >> 32)),
        of_x = __int_as_float((int)(__double_as_longlong(x) >> 32));
  return fabsf(fmaf(0.0f, of_c, of_q)) > 0x1p-129f && fabsf(of_x) >= 0x1.cp-121f ? q : weft_quotient_of_f64(x, c);
}
//@ weft_inverse_f32
// 1 / c within 2^-52, from the hardware's 20 bits; zero, infinity and NaN, whose e is NaN, have what the hardware gives.
$fn double weft_inverse_f32(float c) {
  double r;
  asm("{ .reg .f64 d, e, h; .reg .pred p;\n"
      "cvt.f64.f32 d, %1;\n"
      "rcp.approx.ftz.f64 h, d;\n"
      "neg.f64 d, d;\n"
      "fma.rn.f64 e, d, h, 0d3FF0000000000000;\n"
      "setp.eq.f64 p, e, e;\n"
      "fma.rn.f64 e, e, e, e;\n"
      "fma.rn.f64 e, e, h, h;\n"
      "selp.f64 %0, e, h, p; }" : "=d"(r) : "f"(c));
  return r;
}
//@ weft_reciprocal_$T : floats
$fn $V weft_reciprocal_$T($V x) { return ($V)1 / x; }
//@ weft_sign_$T : floats
$fn $V weft_sign_$T($V x) { return x > 0 ? ($V)1 : x < 0 ? ($V)-1 : x == 0 ? ($V)0 : x; }
// NumPy's divmod: the quotient is rounded to the nearest integer of what fmod leaves.
//@ weft_remainder_$T : floats
$fn $V weft_remainder_$T($V x, $V y) {
  $V r = fmod$s(x, y);
  if (r == 0) return copysign$s(($V)0, y);
  return (r < 0) != (y < 0) ? r + y : r;
}
//@ weft_floor_divide_$T : floats
$fn $V weft_floor_divide_$T($V x, $V y) {
  if (y == 0 || weft_isinf_$T(x) || weft_isinf_$T(y)) return x / y;
  $V r = fmod$s(x, y), q = (x - r) / y;
  if (r != 0 && (r < 0) != (y < 0)) q -= 1;
  if (q == 0) return copysign$s(($V)0, x / y);
  $V whole = floor$s(q);
  return q - whole > ($V)0.5 ? whole + 1 : whole;
}
//@ weft_logaddexp_$T : floats
$fn $V weft_logaddexp_$T($V x, $V y) {
  if (x == y) return x + ($V)0.693147180559945309417;
  $V d = x - y;
  return d > 0 ? x + log1p$s(exp$s(-d)) : d < 0 ? y + log1p$s(exp$s(d)) : d;
}
//@ weft_sigmoid_$T : floats
$fn $V weft_sigmoid_$T($V x) {
  $V e = exp$s(-fabs$s(x));
  return (x < 0 ? e : ($V)1) / (1 + e);
}
//@ weft_softplus_$T : floats
$fn $V weft_softplus_$T($V x) { return x != x ? x : (x > 0 ? x : ($V)0) + log1p$s(exp$s(-fabs$s(x))); }
//@ weft_gelu_$T : floats
// erfc keeps the digits of the left tail; what its argument lost to rounding comes back through the slope of
// log erfc, for which two lines are near enough.
$fn $V weft_gelu_$T($V x) {
  const $V c = ($V)0.707106781186547524401;
  const $V rest = ($V)(0.707106781186547524401 - (double)c - 4.8336466567264567e-17);
  $V z = -c * x, r = ($V)0.5 * x * erfc$s(z);
  if (!(x < 0)) return r;
  if (x < -40) return -($V)0;
  $V lost = fma$s(rest, x, fma$s(c, x, z));
  $V slope = fmax$s(fma$s(($V)1.7, z, ($V)1.128), fma$s(($V)2, z, ($V)0.35));
  return copysign$s(fma$s(r * slope, lost, r), x);
}
//@ weft_product_f32
$fn float weft_product_f32(float a, float b) { return __fmul_rn(a, b); }
//@ weft_product_f64
$fn double weft_product_f64(double a, double b) { return __dmul_rn(a, b); }
//@ weft_gelu_tanh_$T : floats
// x / (1 + e^-u), u = 2 sqrt(2/pi) (x + 0.044715 x^3) in two parts; beyond 22 e^-u is 0.
$fn $V weft_gelu_tanh_$T($V x) {
  const $V k1 = ($V)1.59576912160573071176, k3 = ($V)0.0713548162726002488;
  const $V rest1 = ($V)(1.59576912160573071176 - (double)k1 - 9.96930880911092e-17);
  const $V rest3 = ($V)(0.0713548162726002488 - (double)k3 - 6.175149918155315e-19);
  if (x == -weft_inf_$T()) return -($V)0;
  $V a = fmin$s(fabs$s(x), ($V)22);
  // Rounded before it is added: the difference is taken up below.
  $V z = weft_product_$T(a, a), b = weft_product_$T(z, k3);
  $V low = fma$s(z, k3, -b) + fma$s(fma$s(a, a, -z), k3, z * rest3);
  $V t = b + k1, v = t - b;
  low = ((b - (t - v)) + (k1 - v)) + (low + rest1);
  $V u = weft_product_$T(a, t), e = exp$s(-u);
  e = fma$s(-e, fma$s(a, t, -u) + a * low, e);
  return x * ((x < 0 ? e : ($V)1) / (1 + e));
}

//@ weft_cast_bool_$T : bool ints halves floats
$fn $V weft_cast_bool_$T(bool x) { return ($V)x; }
//@ weft_cast_$f_bool : ints halves floats -> bool
$fn bool weft_cast_$f_bool($fV x) { return x != 0; }
//@ weft_cast_$f_$T : ints -> ints floats
$fn $V weft_cast_$f_$T($fV x) { return ($V)x; }
//@ weft_cast_$f_f16 : ints -> f16
$fn f16 weft_cast_$f_f16($fV x) { return weft_round_f16((float)x); }
//@ weft_cast_$f_bf16 : i8 i16 u8 u16 -> bf16
$fn float weft_cast_$f_bf16($fV x) { return weft_round_bf16((float)x); }
// Towards zero with the lost bits in the last one: the second rounding then is the only one.
//@ weft_towards_zero_i32
$fn float weft_towards_zero_i32(int x) { return __int2float_rz(x); }
//@ weft_towards_zero_u32
$fn float weft_towards_zero_u32(unsigned int x) { return __uint2float_rz(x); }
//@ weft_towards_zero_i64
$fn float weft_towards_zero_i64(long long x) { return __ll2float_rz(x); }
//@ weft_towards_zero_u64
$fn float weft_towards_zero_u64(unsigned long long x) { return __ull2float_rz(x); }
//@ weft_towards_zero_f64
$fn float weft_towards_zero_f64(double x) { return __double2float_rz(x); }
//@ weft_cast_$f_bf16 : i32 u32 i64 u64 f64 -> bf16
$fn float weft_cast_$f_bf16($fV x) {
  float r = weft_towards_zero_$f(x);
  return weft_round_bf16(__uint_as_float(__float_as_uint(r) | (($fV)r != x)));
}
//@ weft_cast_f64_f16
$fn f16 weft_cast_f64_f16(double x) {
  unsigned short r;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(x));
  return weft_unpack_f16(r);
}
//@ weft_cast_$T_$T : halves
$fn $V weft_cast_$T_$T($V x) { return x; }
//@ weft_cast_f16_bf16
$fn float weft_cast_f16_bf16(float x) { return weft_round_bf16(x); }
//@ weft_cast_bf16_f16
$fn f16 weft_cast_bf16_f16(float x) { return weft_round_f16(x); }
//@ weft_cast_f32_$T : halves
$fn $V weft_cast_f32_$T(float x) { return weft_round_$T(x); }
//@ weft_cast_$f_$T : halves floats -> floats
$fn $V weft_cast_$f_$T($fV x) { return ($V)x; }
//@ weft_cast_$f_$T : halves floats -> ints
$fn $V weft_cast_$f_$T($fV x) {
  if (x != x) return 0;
  return x >= ($fV)$top ? ($V)$high : x <= ($fV)$low ? ($V)$low : ($V)x;
}

//@ weft_bitcast_$f_$T : bool i8 u8 -> bool i8 u8
$fn $V weft_bitcast_$f_$T($fV x) { return ($V)x; }
// The conversion makes every NaN 0x7fff; NumPy's is 0x7e00, and a NaN of bf16 has its bits still.
//@ weft_raw_f16
$fn unsigned short weft_raw_f16(float x) { return x != x ? 0x7e00 : weft_pack_f16(x); }
//@ weft_raw_bf16
$fn unsigned short weft_raw_bf16(float x) {
  return x != x ? (unsigned short)(__float_as_uint(x) >> 16) : weft_pack_bf16(x);
}
//@ weft_raw_$T : i16 u16
$fn unsigned short weft_raw_$T($V x) { return (unsigned short)x; }
//@ weft_bitcast_$f_$T : i16 u16 halves -> i16 u16 halves
$fn $V weft_bitcast_$f_$T($fV x) { return weft_unpack_$T(($P)weft_raw_$f(x)); }
//@ weft_bitcast_$f_$T : i32 u32 f32 -> i32 u32 f32
$fn $V weft_bitcast_$f_$T($fV x) { return *($V*)&x; }
//@ weft_bitcast_$f_$T : i64 u64 f64 c64 -> i64 u64 f64 c64
$fn $V weft_bitcast_$f_$T($fV x) { return *($V*)&x; }
//@ weft_bitcast_c128_c128
$fn c128 weft_bitcast_c128_c128(c128 x) { return x; }
)";

}  // namespace weft::emit
