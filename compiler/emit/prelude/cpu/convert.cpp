// Conversions of CPU kernels between all dtypes: what does not fit wraps among integers, and stops at the
// limits from floats.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuConvert = R"(
//@ weft_cast_bool_bool
$fn boolv weft_cast_bool_bool(boolv x) { return x; }
//@ weft_cast_bool_$T : ints halves floats
$fn $V weft_cast_bool_$T(boolv x) { return weft_select_$T(x, ($V)(1), ($V)(0)); }
//@ weft_cast_$f_bool : ints halves floats -> bool
$fn boolv weft_cast_$f_bool($fV x) { return __builtin_convertvector(x != 0, boolv); }
//@ weft_cast_$f_$T : ints -> ints f64
$fn $V weft_cast_$f_$T($fV x) { return __builtin_convertvector(x, $V); }
//@ weft_cast_$f_f32 : i8 i16 i32 u8 u16 u32 -> f32
$fn f32v weft_cast_$f_f32($fV x) { return __builtin_convertvector(x, f32v); }
// On NEON, LLVM rounds to f64 first. Bits that f64 cannot hold are folded into its last one, so that only the last rounding
// decides.
//@ weft_cast_$f_f32 : i64 u64 -> f32
$fn f32v weft_cast_$f_f32($fV x) {
#if __x86_64__
  return __builtin_convertvector(x, f32v);
#else
  const $fV odd = (x & ~($fV)(2047)) | (((x & 2047) != 0) ? ($fV)(2048) : ($fV)(0)), large = x >> 53;
  return __builtin_convertvector(__builtin_convertvector(((large == 0) | (large + 1 == 0)) ? x : odd, f64v), f32v);
#endif
}
//@ weft_cast_$f_f16 : ints -> f16
$fn f32v weft_cast_$f_f16($fV x) { return weft_round_f16(__builtin_convertvector(x, f32v)); }
//@ weft_cast_$f_bf16 : i8 i16 u8 u16 -> bf16
$fn f32v weft_cast_$f_bf16($fV x) { return weft_round_bf16(__builtin_convertvector(x, f32v)); }
//@ weft_cast_$f_bf16 : i32 u32 -> bf16
$fn f32v weft_cast_$f_bf16($fV x) { return weft_cast_f64_bf16(__builtin_convertvector(x, f64v)); }
// As above.
//@ weft_cast_$f_bf16 : i64 u64 -> bf16
$fn f32v weft_cast_$f_bf16($fV x) {
  $fV odd = (x & ~($fV)(2047)) | (((x & 2047) != 0) ? ($fV)(2048) : ($fV)(0));
  $fV large = x >> 53;
  return weft_cast_f64_bf16(__builtin_convertvector(((large == 0) | (large + 1 == 0)) ? x : odd, f64v));
}
//@ weft_cast_$T_$T : halves
$fn f32v weft_cast_$T_$T(f32v x) { return x; }
//@ weft_cast_f16_bf16
$fn f32v weft_cast_f16_bf16(f32v x) { return weft_round_bf16(x); }
//@ weft_cast_bf16_f16
$fn f32v weft_cast_bf16_f16(f32v x) { return weft_round_f16(x); }
//@ weft_cast_f32_$T : halves
$fn f32v weft_cast_f32_$T(f32v x) { return weft_round_$T(x); }
//@ weft_cast_$f_$T : halves floats -> floats
$fn $V weft_cast_$f_$T($fV x) { return __builtin_convertvector(x, $V); }
// Rounded to odd, so that rounding once more gives what rounding once would have given.
//@ weft_odd_f32
$fn f32v weft_odd_f32(f64v x) {
  f32v near = __builtin_convertvector(x, f32v);
  f64v back = __builtin_convertvector(near, f64v);
  u32v beyond = __builtin_convertvector(__builtin_elementwise_abs(back) > __builtin_elementwise_abs(x), u32v);
  u32v inexact = __builtin_convertvector(back != x, u32v);
  return __builtin_bit_cast(f32v, (__builtin_bit_cast(u32v, near) + beyond) | (inexact & 1u));
}
//@ weft_cast_f64_$T : halves
$fn f32v weft_cast_f64_$T(f64v x) { return weft_round_$T(weft_odd_f32(x)); }
//@ weft_cast_$f_$T : halves -> ints
$fn $V weft_cast_$f_$T(f32v x) { return weft_cast_f32_$T(x); }
//@ weft_cast_$f_$T : f32 -> i8 i16 u8 u16
$fn $V weft_cast_$f_$T($fV x) {
  x = (x == x) ? x : ($fV)(0);
  x = __builtin_elementwise_min(__builtin_elementwise_max(x, ($fV)($low)), ($fV)($high));
  return __builtin_convertvector(__builtin_convertvector(x, i32v), $V);
}
//@ weft_cast_$f_$T : f64 -> i8 i16 i32 u8 u16 u32
$fn $V weft_cast_$f_$T($fV x) {
  x = (x == x) ? x : ($fV)(0);
  x = __builtin_elementwise_min(__builtin_elementwise_max(x, ($fV)($low)), ($fV)($high));
  return __builtin_convertvector(x, $V);
}
//@ weft_cast_$f_$T : f32 -> i32 i64 u32 u64
$fn $V weft_cast_$f_$T($fV x) {
  boolv over = __builtin_convertvector(x >= ($fV)($top), boolv), under = __builtin_convertvector(x <= ($fV)($low), boolv);
  boolv inside = ~(over | under) & __builtin_convertvector(x == x, boolv);
  $V r = __builtin_convertvector(weft_select_$f(inside, x, ($fV)(0)), $V);
  return weft_select_$T(over, ($V)($high), weft_select_$T(under, ($V)($low), r));
}
//@ weft_cast_$f_$T : f64 -> i64 u64
$fn $V weft_cast_$f_$T($fV x) {
  boolv over = __builtin_convertvector(x >= ($fV)($top), boolv), under = __builtin_convertvector(x <= ($fV)($low), boolv);
  boolv inside = ~(over | under) & __builtin_convertvector(x == x, boolv);
  $V r = __builtin_convertvector(weft_select_$f(inside, x, ($fV)(0)), $V);
  return weft_select_$T(over, ($V)($high), weft_select_$T(under, ($V)($low), r));
}

//@ weft_bitcast_$f_$T : bool i8 u8 -> bool i8 u8
$fn $V weft_bitcast_$f_$T($fV x) { return weft_unpack_$T(__builtin_bit_cast($P, weft_pack_$f(x))); }
//@ weft_bitcast_$f_$T : i16 u16 halves -> i16 u16 halves
$fn $V weft_bitcast_$f_$T($fV x) { return weft_unpack_$T(__builtin_bit_cast($P, weft_pack_$f(x))); }
//@ weft_bitcast_$f_$T : i32 u32 f32 -> i32 u32 f32
$fn $V weft_bitcast_$f_$T($fV x) { return __builtin_bit_cast($V, x); }
//@ weft_bitcast_$f_$T : i64 u64 f64 c64 -> i64 u64 f64 c64
$fn $V weft_bitcast_$f_$T($fV x) { return weft_unpack_$T(__builtin_bit_cast($P, weft_pack_$f(x))); }
//@ weft_bitcast_c128_c128
$fn c128v weft_bitcast_c128_c128(c128v x) { return x; }
)";

}  // namespace weft::emit
