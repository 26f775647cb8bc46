// What every CPU kernel may need: types, and what lies between the values of memory and those that are
// computed with. A vector comparison yields integers, -1 where true; `boolv` is what the kernels carry.
// What one expression says is a macro, in which each argument stands once: functions take vectors of more
// than 64 bytes through memory, and each call has to be parsed, inlined and cleaned up after.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuCore = R"(
//@ c64v
struct c64v { f32v re, im; };
//@ c128v
struct c128v { f64v re, im; };
//@ c64p
typedef float c64p __attribute__((ext_vector_type(2 * L)));
//@ c128p
typedef double c128p __attribute__((ext_vector_type(2 * L)));

//@ weft_lanes_i64
#define weft_lanes_i64() ((i64v){$iota})

//@ weft_splat_$T : bool ints halves floats
#define weft_splat_$T(x) (($V)(($E)(x)))
//@ weft_splat_$T : complex
$fn $V weft_splat_$T($E re, $E im) { return {($RV)(re), ($RV)(im)}; }

//@ weft_select_$T : ints halves floats
#define weft_select_$T(m, a, b) ((__builtin_convertvector(m, $M) != 0) ? ($V)(a) : ($V)(b))
//@ weft_select_$T : bool
$fn boolv weft_select_$T(boolv m, boolv a, boolv b) { return (m & a) | (~m & b); }
//@ weft_select_$T : complex
$fn $V weft_select_$T(boolv m, $V a, $V b) {
  return {weft_select_$R(m, a.re, b.re), weft_select_$R(m, a.im, b.im)};
}

// Between what memory holds and what is computed with.
//@ weft_unpack_$T : ints floats
#define weft_unpack_$T(x) (x)
//@ weft_pack_$T : ints floats
#define weft_pack_$T(x) (x)
//@ weft_unpack_$T : bool
$fn boolv weft_unpack_$T(u8v x) { return __builtin_convertvector(x != 0, boolv); }
//@ weft_pack_$T : bool
$fn u8v weft_pack_$T(boolv x) { return __builtin_convertvector(x, u8v); }
//@ f16h
typedef _Float16 f16h __attribute__((ext_vector_type(L)));
//@ weft_unpack_f16
$fn f32v weft_unpack_f16(u16v x) {
  // Without the fence LLVM compares the halves themselves, which takes an element at a time.
#pragma clang fp reassociate(on)
  return __arithmetic_fence(__builtin_convertvector(__builtin_bit_cast(f16h, x), f32v));
}
//@ weft_pack_f16
$fn u16v weft_pack_f16(f32v x) { return __builtin_bit_cast(u16v, __builtin_convertvector(x, f16h)); }
//@ weft_unpack_bf16
$fn f32v weft_unpack_bf16(u16v x) { return __builtin_bit_cast(f32v, __builtin_convertvector(x, u32v) << 16); }
//@ weft_bf16_bits
$fn u32v weft_bf16_bits(f32v x) {
  u32v u = __builtin_bit_cast(u32v, x);
  u32v nearest = u + 0x7fffu + ((u >> 16) & 1u);
  return (x != x) ? (u | 0x400000u) : nearest;
}
// Of values that are rounded already, as all are that kernels compute with.
//@ weft_pack_bf16
$fn u16v weft_pack_bf16(f32v x) { return __builtin_convertvector(__builtin_bit_cast(u32v, x) >> 16, u16v); }
//@ weft_unpack_$T : complex
$fn $V weft_unpack_$T($P x) {
  return {__builtin_shufflevector(x, x, $evens), __builtin_shufflevector(x, x, $odds)};
}
//@ weft_pack_$T : complex
$fn $P weft_pack_$T($V x) { return __builtin_shufflevector(x.re, x.im, $zip); }
//@ weft_round_f16
$fn f32v weft_round_f16(f32v x) { return weft_unpack_f16(weft_pack_f16(x)); }
//@ weft_round_bf16
$fn f32v weft_round_bf16(f32v x) { return __builtin_bit_cast(f32v, weft_bf16_bits(x) & 0xffff0000u); }
//@ mask32v
// Truth where it is carried through loops and branches. Without mask registers that is whole lanes: LLVM would carry bits
// as other lanes, and convert them for each choice.
#if __AVX512F__
typedef boolv mask32v;
#else
typedef i32v mask32v;
#endif
//@ mask64v
#if __AVX512F__
typedef boolv mask64v;
#else
typedef i64v mask64v;
#endif
//@ weft_wide_32
#if __AVX512F__
#define weft_wide_32(m) (m)
#else
#define weft_wide_32(m) (-__builtin_convertvector(m, i32v))
#endif
//@ weft_wide_64
#if __AVX512F__
#define weft_wide_64(m) (m)
#else
#define weft_wide_64(m) (-__builtin_convertvector(m, i64v))
#endif
//@ weft_truth
#if __AVX512F__
#define weft_truth(m) (m)
#else
#define weft_truth(m) __builtin_convertvector((m) < 0, boolv)
#endif
)";

}  // namespace weft::emit
