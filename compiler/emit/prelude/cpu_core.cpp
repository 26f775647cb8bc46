// What every CPU kernel may need: memory access, conversions, comparisons, integers, joins over the lanes.
// A vector comparison yields integers, -1 where true; `boolv` is what the kernels carry.
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
$fn i64v weft_lanes_i64() { return (i64v){$iota}; }

//@ weft_splat_$T : bool ints halves floats
$fn $V weft_splat_$T($E x) { return ($V)(x); }
//@ weft_splat_$T : complex
$fn $V weft_splat_$T($E re, $E im) { return {($RV)(re), ($RV)(im)}; }

//@ weft_select_$T : ints halves floats
$fn $V weft_select_$T(boolv m, $V a, $V b) { return (__builtin_convertvector(m, $M) != 0) ? a : b; }
//@ weft_select_$T : bool
$fn boolv weft_select_$T(boolv m, boolv a, boolv b) { return (m & a) | (~m & b); }
//@ weft_select_$T : complex
$fn $V weft_select_$T(boolv m, $V a, $V b) {
  return {weft_select_$R(m, a.re, b.re), weft_select_$R(m, a.im, b.im)};
}

// Between what memory holds and what is computed with.
//@ weft_unpack_$T : ints floats
$fn $V weft_unpack_$T($P x) { return x; }
//@ weft_pack_$T : ints floats
$fn $P weft_pack_$T($V x) { return x; }
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
//@ weft_pack_bf16
$fn u16v weft_pack_bf16(f32v x) { return __builtin_convertvector(weft_bf16_bits(x) >> 16, u16v); }
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

//@ weft_load_$T : all
$fn $V weft_load_$T(const void* p) {
  typedef $P Unaligned __attribute__((aligned(1), may_alias));
  return weft_unpack_$T(*(const Unaligned*)p);
}
//@ weft_store_$T : all
$fn void weft_store_$T(void* p, $V x) {
  typedef $P Unaligned __attribute__((aligned(1), may_alias));
  *(Unaligned*)p = weft_pack_$T(x);
}
//@ weft_stream_$T : bool ints f16 floats complex
$fn void weft_stream_$T(void* p, $V x) {
  typedef $P Aligned __attribute__((aligned($align), may_alias));
  __builtin_nontemporal_store(weft_pack_$T(x), (Aligned*)p);
}
// Pairs are joined by hand: a narrowing that ends in a store becomes one instruction, which is not a streaming one.
//@ weft_stream_$T : bf16
$fn void weft_stream_$T(void* p, f32v x) {
  typedef unsigned int Pairs __attribute__((ext_vector_type(L / 2)));
  typedef Pairs Aligned __attribute__((aligned($align), may_alias));
  u32v bits = weft_bf16_bits(x);
  Pairs low = __builtin_shufflevector(bits, bits, $pairevens), high = __builtin_shufflevector(bits, bits, $pairodds);
  __builtin_nontemporal_store((low >> 16) | (high & 0xffff0000u), (Aligned*)p);
}
// One element, in every lane; and lane 0 alone, stored.
//@ weft_load_one_$T : bool ints halves floats
$fn $V weft_load_one_$T(const void* p) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  return weft_unpack_$T(($P)(*(const Item*)p));
}
//@ weft_load_one_$T : complex
$fn $V weft_load_one_$T(const void* p) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  return {($RV)(((const Item*)p)[0]), ($RV)(((const Item*)p)[1])};
}
//@ weft_store_one_$T : bool ints halves floats
$fn void weft_store_one_$T(void* p, $V x) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  *(Item*)p = weft_pack_$T(x)[0];
}
//@ weft_store_one_$T : complex
$fn void weft_store_one_$T(void* p, $V x) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  ((Item*)p)[0] = x.re[0];
  ((Item*)p)[1] = x.im[0];
}
//@ weft_load_strided_$T : all
$fn $V weft_load_strided_$T(const void* p, long stride) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  $P v;
#pragma clang loop unroll(full)
  for (int i = 0; i < $C * L; ++i) v[i] = ((const Item*)p)[i / $C * stride * $C + i % $C];
  return weft_unpack_$T(v);
}
//@ weft_store_strided_$T : all
$fn void weft_store_strided_$T(void* p, long stride, $V x) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  $P v = weft_pack_$T(x);
#pragma clang loop unroll(full)
  for (int i = 0; i < $C * L; ++i) ((Item*)p)[i / $C * stride * $C + i % $C] = v[i];
}
//@ weft_store_partial_$T : all
$fn void weft_store_partial_$T(void* p, $V x, long n) {
  $P v = weft_pack_$T(x);
  const char* from = (const char*)&v;
  char* to = (char*)p;
#pragma clang loop unroll(full)
  for (int k = L; k; k /= 2) {
    if (n & k) {
      __builtin_memcpy(to, from, k * $C * sizeof($S));
      to += k * $C * sizeof($S);
      from += k * $C * sizeof($S);
    }
  }
}
//@ weft_gather_$T : all
$fn $V weft_gather_$T(const void* p, i64v index) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  $P v;
#pragma clang loop unroll(full)
  for (int i = 0; i < $C * L; ++i) v[i] = ((const Item*)p)[index[i / $C] * $C + i % $C];
  return weft_unpack_$T(v);
}
//@ weft_gather_masked_$T : all
$fn $V weft_gather_masked_$T(const void* p, i64v index, boolv mask) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  const Item none = 0;
  $P v;
#pragma clang loop unroll(full)
  for (int i = 0; i < $C * L; ++i) v[i] = *(mask[i / $C] ? (const Item*)p + index[i / $C] * $C + i % $C : &none);
  return weft_unpack_$T(v);
}
//@ weft_scatter_$T : all
$fn void weft_scatter_$T(void* p, i64v index, $V x) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  $P v = weft_pack_$T(x);
#pragma clang loop unroll(full)
  for (int i = 0; i < $C * L; ++i) ((Item*)p)[index[i / $C] * $C + i % $C] = v[i];
}

// Lanes that a mask leaves out are not touched. What is read there is zero.
//@ weft_bits
$fn unsigned long weft_bits(boolv mask) {
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &mask, sizeof mask);
  return L < 64 ? bits & ((1ul << (L % 64)) - 1) : bits;
}
//@ b64v
typedef char b64v __attribute__((vector_size(64), aligned(1), may_alias));
//@ b32v
typedef char b32v __attribute__((vector_size(32), aligned(1), may_alias));
//@ b16v
typedef char b16v __attribute__((vector_size(16), aligned(1), may_alias));
// Loads and stores of elements of as many bits.
//@ Masked8
struct Masked8 {
#if __AVX512BW__ && __AVX512VL__
  $fn void load(b64v& to, const b64v* from, unsigned long bits) {
    typedef char Items __attribute__((vector_size(64)));
    to = (b64v)__builtin_ia32_loaddquqi512_mask((const Items*)from, Items{}, (unsigned long)bits);
  }
  $fn void store(b64v* to, const b64v& from, unsigned long bits) {
    typedef char Items __attribute__((vector_size(64)));
    __builtin_ia32_storedquqi512_mask((Items*)to, (Items)from, (unsigned long)bits);
  }
  $fn void load(b32v& to, const b32v* from, unsigned long bits) {
    typedef char Items __attribute__((vector_size(32)));
    to = (b32v)__builtin_ia32_loaddquqi256_mask((const Items*)from, Items{}, (unsigned)bits);
  }
  $fn void store(b32v* to, const b32v& from, unsigned long bits) {
    typedef char Items __attribute__((vector_size(32)));
    __builtin_ia32_storedquqi256_mask((Items*)to, (Items)from, (unsigned)bits);
  }
  $fn void load(b16v& to, const b16v* from, unsigned long bits) {
    typedef char Items __attribute__((vector_size(16)));
    to = (b16v)__builtin_ia32_loaddquqi128_mask((const Items*)from, Items{}, (unsigned short)bits);
  }
  $fn void store(b16v* to, const b16v& from, unsigned long bits) {
    typedef char Items __attribute__((vector_size(16)));
    __builtin_ia32_storedquqi128_mask((Items*)to, (Items)from, (unsigned short)bits);
  }
#endif
};
//@ Masked16
struct Masked16 {
#if __AVX512BW__ && __AVX512VL__
  $fn void load(b64v& to, const b64v* from, unsigned long bits) {
    typedef short Items __attribute__((vector_size(64)));
    to = (b64v)__builtin_ia32_loaddquhi512_mask((const Items*)from, Items{}, (unsigned)bits);
  }
  $fn void store(b64v* to, const b64v& from, unsigned long bits) {
    typedef short Items __attribute__((vector_size(64)));
    __builtin_ia32_storedquhi512_mask((Items*)to, (Items)from, (unsigned)bits);
  }
  $fn void load(b32v& to, const b32v* from, unsigned long bits) {
    typedef short Items __attribute__((vector_size(32)));
    to = (b32v)__builtin_ia32_loaddquhi256_mask((const Items*)from, Items{}, (unsigned short)bits);
  }
  $fn void store(b32v* to, const b32v& from, unsigned long bits) {
    typedef short Items __attribute__((vector_size(32)));
    __builtin_ia32_storedquhi256_mask((Items*)to, (Items)from, (unsigned short)bits);
  }
  $fn void load(b16v& to, const b16v* from, unsigned long bits) {
    typedef short Items __attribute__((vector_size(16)));
    to = (b16v)__builtin_ia32_loaddquhi128_mask((const Items*)from, Items{}, (unsigned char)bits);
  }
  $fn void store(b16v* to, const b16v& from, unsigned long bits) {
    typedef short Items __attribute__((vector_size(16)));
    __builtin_ia32_storedquhi128_mask((Items*)to, (Items)from, (unsigned char)bits);
  }
#endif
};
//@ Masked32
struct Masked32 {
#if __AVX512BW__ && __AVX512VL__
  $fn void load(b64v& to, const b64v* from, unsigned long bits) {
    typedef int Items __attribute__((vector_size(64)));
    to = (b64v)__builtin_ia32_loaddqusi512_mask((const int*)from, Items{}, (unsigned short)bits);
  }
  $fn void store(b64v* to, const b64v& from, unsigned long bits) {
    typedef int Items __attribute__((vector_size(64)));
    __builtin_ia32_storedqusi512_mask((int*)to, (Items)from, (unsigned short)bits);
  }
  $fn void load(b32v& to, const b32v* from, unsigned long bits) {
    typedef int Items __attribute__((vector_size(32)));
    to = (b32v)__builtin_ia32_loaddqusi256_mask((const Items*)from, Items{}, (unsigned char)bits);
  }
  $fn void store(b32v* to, const b32v& from, unsigned long bits) {
    typedef int Items __attribute__((vector_size(32)));
    __builtin_ia32_storedqusi256_mask((Items*)to, (Items)from, (unsigned char)bits);
  }
  $fn void load(b16v& to, const b16v* from, unsigned long bits) {
    typedef int Items __attribute__((vector_size(16)));
    to = (b16v)__builtin_ia32_loaddqusi128_mask((const Items*)from, Items{}, (unsigned char)bits);
  }
  $fn void store(b16v* to, const b16v& from, unsigned long bits) {
    typedef int Items __attribute__((vector_size(16)));
    __builtin_ia32_storedqusi128_mask((Items*)to, (Items)from, (unsigned char)bits);
  }
#endif
};
//@ Masked64
struct Masked64 {
#if __AVX512BW__ && __AVX512VL__
  $fn void load(b64v& to, const b64v* from, unsigned long bits) {
    typedef long long Items __attribute__((vector_size(64)));
    to = (b64v)__builtin_ia32_loaddqudi512_mask((const long long*)from, Items{}, (unsigned char)bits);
  }
  $fn void store(b64v* to, const b64v& from, unsigned long bits) {
    typedef long long Items __attribute__((vector_size(64)));
    __builtin_ia32_storedqudi512_mask((long long*)to, (Items)from, (unsigned char)bits);
  }
  $fn void load(b32v& to, const b32v* from, unsigned long bits) {
    typedef long long Items __attribute__((vector_size(32)));
    to = (b32v)__builtin_ia32_loaddqudi256_mask((const Items*)from, Items{}, (unsigned char)bits);
  }
  $fn void store(b32v* to, const b32v& from, unsigned long bits) {
    typedef long long Items __attribute__((vector_size(32)));
    __builtin_ia32_storedqudi256_mask((Items*)to, (Items)from, (unsigned char)bits);
  }
  $fn void load(b16v& to, const b16v* from, unsigned long bits) {
    typedef long long Items __attribute__((vector_size(16)));
    to = (b16v)__builtin_ia32_loaddqudi128_mask((const Items*)from, Items{}, (unsigned char)bits);
  }
  $fn void store(b16v* to, const b16v& from, unsigned long bits) {
    typedef long long Items __attribute__((vector_size(16)));
    __builtin_ia32_storedqudi128_mask((Items*)to, (Items)from, (unsigned char)bits);
  }
#endif
};
//@ weft_load_masked_$T : bool ints halves floats
$fn $V weft_load_masked_$T(const void* p, boolv mask) {
  $P v;
#if __AVX512BW__ && __AVX512VL__
  typedef b$partv Part;
  constexpr int n = sizeof v > sizeof(Part) ? sizeof v / sizeof(Part) : 1;
  Part part[n];
#pragma clang loop unroll(full)
  for (int k = 0; k < n; ++k) Masked$W::load(part[k], (const Part*)p + k, weft_bits(mask) >> (k * sizeof(Part) / sizeof($S)));
  __builtin_memcpy(&v, part, sizeof v);
#else
  typedef $S Item __attribute__((aligned(1), may_alias));
  const Item none = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < L; ++i) v[i] = *(mask[i] ? (const Item*)p + i : &none);
#endif
  return weft_unpack_$T(v);
}
//@ weft_load_masked_$T : complex
$fn $V weft_load_masked_$T(const void* p, boolv mask) { return weft_gather_masked_$T(p, weft_lanes_i64(), mask); }
// The first `n` lanes, all of them where it is L or more.
//@ weft_load_strided_first_$T : all
$fn $V weft_load_strided_first_$T(const void* p, long stride, long n) {
  if (n >= L) return weft_load_strided_$T(p, stride);
  const i64v lanes = weft_lanes_i64();
  return weft_gather_masked_$T(p, lanes * (i64v)(stride), __builtin_convertvector(lanes < (i64v)(n), boolv));
}
//@ weft_store_first_$T : bool ints halves floats
$fn void weft_store_first_$T(void* p, $V x, long n) {
  if (n >= L) return weft_store_$T(p, x);
#if __AVX512BW__ && __AVX512VL__
  typedef b$partv Part;
  $P v = weft_pack_$T(x);
  constexpr int count = sizeof v > sizeof(Part) ? sizeof v / sizeof(Part) : 1;
  Part part[count];
  __builtin_memcpy(part, &v, sizeof v);
#pragma clang loop unroll(full)
  for (int k = 0; k < count; ++k)
    Masked$W::store((Part*)p + k, part[k], ((1ul << n) - 1) >> (k * sizeof(Part) / sizeof($S)));
#else
  weft_store_partial_$T(p, x, n);
#endif
}
//@ weft_store_first_$T : complex
$fn void weft_store_first_$T(void* p, $V x, long n) {
  n < L ? weft_store_partial_$T(p, x, n) : weft_store_$T(p, x);
}
//@ weft_store_strided_first_$T : all
$fn void weft_store_strided_first_$T(void* p, long stride, $V x, long n) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  if (n >= L) return weft_store_strided_$T(p, stride, x);
  $P v = weft_pack_$T(x);
  $S items[$C * L];
  __builtin_memcpy(items, &v, sizeof v);
  for (long i = 0; i < $C * n; ++i) ((Item*)p)[i / $C * stride * $C + i % $C] = items[i];
}

//@ weft_equal_$T : ints halves floats
$fn boolv weft_equal_$T($V a, $V b) { return __builtin_convertvector(a == b, boolv); }
//@ weft_not_equal_$T : ints halves floats
$fn boolv weft_not_equal_$T($V a, $V b) { return __builtin_convertvector(a != b, boolv); }
//@ weft_less_$T : ints halves floats
$fn boolv weft_less_$T($V a, $V b) { return __builtin_convertvector(a < b, boolv); }
//@ weft_less_equal_$T : ints halves floats
$fn boolv weft_less_equal_$T($V a, $V b) { return __builtin_convertvector(a <= b, boolv); }
//@ weft_greater_$T : ints halves floats
$fn boolv weft_greater_$T($V a, $V b) { return __builtin_convertvector(a > b, boolv); }
//@ weft_greater_equal_$T : ints halves floats
$fn boolv weft_greater_equal_$T($V a, $V b) { return __builtin_convertvector(a >= b, boolv); }
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
$fn $V weft_bitwise_and_$T($V a, $V b) { return a & b; }
//@ weft_bitwise_or_$T : bool ints
$fn $V weft_bitwise_or_$T($V a, $V b) { return a | b; }
//@ weft_bitwise_xor_$T : bool ints
$fn $V weft_bitwise_xor_$T($V a, $V b) { return a ^ b; }
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

// Correctly rounded quotients in a float with twice the bits never reach the next integer.
//@ weft_floor_divide_$T : i8 i16 i32
$fn $V weft_floor_divide_$T($V a, $V b) {
  $V safe = ((b == -1) | (b == 0)) ? ($V)(1) : b;
  $D q = __builtin_elementwise_floor(__builtin_convertvector(a, $D) / __builtin_convertvector(safe, $D));
  $V r = (b == -1) ? -a : __builtin_convertvector(q, $V);
  return (b == 0) ? ($V)(0) : r;
}
//@ weft_floor_divide_$T : u8 u16 u32
$fn $V weft_floor_divide_$T($V a, $V b) {
  $V safe = (b == 0) ? ($V)(1) : b;
  $V q = __builtin_convertvector(
      __builtin_elementwise_floor(__builtin_convertvector(a, $D) / __builtin_convertvector(safe, $D)), $V);
  return (b == 0) ? ($V)(0) : q;
}
//@ weft_floor_divide_i64
$fn i64v weft_floor_divide_i64(i64v a, i64v b) {
  i64v safe = ((b == -1) | (b == 0)) ? (i64v)(1) : b;
  i64v q = a / safe;
  i64v rest = a - q * safe;
  q = ((rest != 0) & ((rest ^ safe) < 0)) ? q - 1 : q;
  q = (b == -1) ? -a : q;
  return (b == 0) ? (i64v)(0) : q;
}
//@ weft_floor_divide_u64
$fn u64v weft_floor_divide_u64(u64v a, u64v b) {
  return (b == 0) ? (u64v)(0) : a / ((b == 0) ? (u64v)(1) : b);
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

//@ weft_cast_bool_bool
$fn boolv weft_cast_bool_bool(boolv x) { return x; }
//@ weft_cast_bool_$T : ints halves floats
$fn $V weft_cast_bool_$T(boolv x) { return weft_select_$T(x, ($V)(1), ($V)(0)); }
//@ weft_cast_$f_bool : ints halves floats -> bool
$fn boolv weft_cast_$f_bool($fV x) { return __builtin_convertvector(x != 0, boolv); }
//@ weft_cast_$f_$T : ints -> ints floats
$fn $V weft_cast_$f_$T($fV x) { return __builtin_convertvector(x, $V); }
//@ weft_cast_$f_f16 : ints -> f16
$fn f32v weft_cast_$f_f16($fV x) { return weft_round_f16(__builtin_convertvector(x, f32v)); }
//@ weft_cast_$f_bf16 : i8 i16 u8 u16 -> bf16
$fn f32v weft_cast_$f_bf16($fV x) { return weft_round_bf16(__builtin_convertvector(x, f32v)); }
//@ weft_cast_$f_bf16 : i32 u32 -> bf16
$fn f32v weft_cast_$f_bf16($fV x) { return weft_cast_f64_bf16(__builtin_convertvector(x, f64v)); }
// Bits that f64 cannot hold are folded into its last one, so that only the last rounding decides.
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

// Takes (w, j) where it goes before (v, i): larger, or NaN, or the same and earlier.
//@ weft_take_argmax_$T : ints
$fn void weft_take_argmax_$T($V& v, i64v& i, $V w, i64v j) {
  boolv t = __builtin_convertvector(w > v, boolv) |
            (__builtin_convertvector(w == v, boolv) & __builtin_convertvector(j < i, boolv));
  v = weft_select_$T(t, w, v);
  i = weft_select_i64(t, j, i);
}
//@ weft_take_argmin_$T : ints
$fn void weft_take_argmin_$T($V& v, i64v& i, $V w, i64v j) {
  boolv t = __builtin_convertvector(w < v, boolv) |
            (__builtin_convertvector(w == v, boolv) & __builtin_convertvector(j < i, boolv));
  v = weft_select_$T(t, w, v);
  i = weft_select_i64(t, j, i);
}
//@ weft_take_argmax_$T : halves floats
$fn void weft_take_argmax_$T($V& v, i64v& i, $V w, i64v j) {
  auto ahead = (w > v) | ((w != w) & (v == v)), same = (w == v) | ((w != w) & (v != v));
  boolv t = __builtin_convertvector(ahead, boolv) |
            (__builtin_convertvector(same, boolv) & __builtin_convertvector(j < i, boolv));
  v = weft_select_$T(t, w, v);
  i = weft_select_i64(t, j, i);
}
//@ weft_take_argmin_$T : halves floats
$fn void weft_take_argmin_$T($V& v, i64v& i, $V w, i64v j) {
  auto ahead = (w < v) | ((w != w) & (v == v)), same = (w == v) | ((w != w) & (v != v));
  boolv t = __builtin_convertvector(ahead, boolv) |
            (__builtin_convertvector(same, boolv) & __builtin_convertvector(j < i, boolv));
  v = weft_select_$T(t, w, v);
  i = weft_select_i64(t, j, i);
}
//@ weft_take_argmax_bool
$fn void weft_take_argmax_bool(boolv& v, i64v& i, boolv w, i64v j) {
  u8v a = __builtin_convertvector(v, u8v);
  weft_take_argmax_u8(a, i, __builtin_convertvector(w, u8v), j);
  v = __builtin_convertvector(a != 0, boolv);
}
//@ weft_take_argmin_bool
$fn void weft_take_argmin_bool(boolv& v, i64v& i, boolv w, i64v j) {
  u8v a = __builtin_convertvector(v, u8v);
  weft_take_argmin_u8(a, i, __builtin_convertvector(w, u8v), j);
  v = __builtin_convertvector(a != 0, boolv);
}

// Lanes from `live` on become those of `other`.
//@ weft_keep_live_$T : ints floats
$fn void weft_keep_live_$T($V& v, long live, $V other) {
  if (live == L) return;
  const unsigned long bits = (1ul << live) - 1;
  boolv keep;
  __builtin_memcpy(&keep, &bits, sizeof keep);
  v = weft_select_$T(keep, v, other);
}
//@ weft_keep_live_$T : complex
$fn void weft_keep_live_$T($V& v, long live, $V other) {
  weft_keep_live_$R(v.re, live, other.re);
  weft_keep_live_$R(v.im, live, other.im);
}
// Running values along the lanes; z is what changes nothing.
//@ weft_prefix_sum_$T : ints halves floats
$fn $V weft_prefix_sum_$T($V v, $V z) {
$levels  v = __builtin_shufflevector(z, v, $levelback) + v;
  return v;
}
//@ weft_prefix_prod_$T : ints halves floats
$fn $V weft_prefix_prod_$T($V v, $V z) {
$levels  v = __builtin_shufflevector(z, v, $levelback) * v;
  return v;
}
//@ weft_prefix_max_$T : ints halves floats
$fn $V weft_prefix_max_$T($V v, $V z) {
$levels  v = weft_maximum_$T(__builtin_shufflevector(z, v, $levelback), v);
  return v;
}
//@ weft_prefix_min_$T : ints halves floats
$fn $V weft_prefix_min_$T($V v, $V z) {
$levels  v = weft_minimum_$T(__builtin_shufflevector(z, v, $levelback), v);
  return v;
}
//@ weft_prefix_max_bool
$fn boolv weft_prefix_max_bool(boolv v, boolv z) {
  u8v r = weft_prefix_max_u8(__builtin_convertvector(v, u8v), __builtin_convertvector(z, u8v));
  return __builtin_convertvector(r != 0, boolv);
}
//@ weft_prefix_min_bool
$fn boolv weft_prefix_min_bool(boolv v, boolv z) {
  u8v r = weft_prefix_min_u8(__builtin_convertvector(v, u8v), __builtin_convertvector(z, u8v));
  return __builtin_convertvector(r != 0, boolv);
}
//@ weft_prefix_sum_$T : complex
$fn $V weft_prefix_sum_$T($V v, $V z) { return {weft_prefix_sum_$R(v.re, z.re), weft_prefix_sum_$R(v.im, z.im)}; }
//@ weft_prefix_prod_$T : complex
$fn $V weft_prefix_prod_$T($V v, $V z) {
$levels  v = weft_multiply_$T({__builtin_shufflevector(z.re, v.re, $levelback), __builtin_shufflevector(z.im, v.im, $levelback)}, v);
  return v;
}
// The last lane's value in all.
//@ weft_last_$T : ints halves floats
$fn $V weft_last_$T($V v) { return ($V)(v[L - 1]); }
//@ weft_last_bool
$fn boolv weft_last_bool(boolv v) { return (boolv)(__builtin_convertvector(v, u8v)[L - 1] != 0); }
//@ weft_last_$T : complex
$fn $V weft_last_$T($V v) { return {($RV)(v.re[L - 1]), ($RV)(v.im[L - 1])}; }
//@ weft_join_sum_$T : ints halves floats
$fn $V weft_join_sum_$T($V v$lanes) {
$levels  auto v$levelhalf = __builtin_shufflevector(v$levelall, v$levelall, $levellow) + __builtin_shufflevector(v$levelall, v$levelall, $levelhigh);
  return ($V)(v1[0]);
}
//@ weft_join_prod_$T : ints halves floats
$fn $V weft_join_prod_$T($V v$lanes) {
$levels  auto v$levelhalf = __builtin_shufflevector(v$levelall, v$levelall, $levellow) * __builtin_shufflevector(v$levelall, v$levelall, $levelhigh);
  return ($V)(v1[0]);
}
//@ weft_join_max_$T : ints
$fn $V weft_join_max_$T($V v) { return ($V)(__builtin_reduce_max(v)); }
//@ weft_join_min_$T : ints
$fn $V weft_join_min_$T($V v) { return ($V)(__builtin_reduce_min(v)); }
//@ weft_join_max_$T : halves floats
// By integers in the order of the numbers, -0 before +0 and NaN after all.
$fn $V weft_join_max_$T($V v) {
  typedef $M Bits;
  const int sign = sizeof(v[0]) * 8 - 1;
  const Bits low = ~((Bits)(1) << sign);
  Bits bits = __builtin_bit_cast(Bits, v);
  bits = v != v ? low : bits ^ ((bits >> sign) & low);
  bits = (Bits)(__builtin_reduce_max(bits));
  return __builtin_bit_cast($V, bits ^ ((bits >> sign) & low));
}
//@ weft_join_min_$T : halves floats
// By integers in the order of the numbers, -0 before +0 and NaN before all.
$fn $V weft_join_min_$T($V v) {
  typedef $M Bits;
  const int sign = sizeof(v[0]) * 8 - 1;
  const Bits low = ~((Bits)(1) << sign);
  Bits bits = __builtin_bit_cast(Bits, v);
  bits = v != v ? ~low : bits ^ ((bits >> sign) & low);
  bits = (Bits)(__builtin_reduce_min(bits));
  return __builtin_bit_cast($V, bits ^ ((bits >> sign) & low));
}
//@ weft_join_any_bool
$fn boolv weft_join_any_bool(boolv v) {
  return (boolv)(__builtin_reduce_or(__builtin_convertvector(v, u8v)) != 0);
}
//@ weft_join_all_bool
$fn boolv weft_join_all_bool(boolv v) {
  return (boolv)(__builtin_reduce_and(__builtin_convertvector(v, u8v)) != 0);
}
//@ weft_join_max_bool
$fn boolv weft_join_max_bool(boolv v) { return weft_join_any_bool(v); }
//@ weft_join_min_bool
$fn boolv weft_join_min_bool(boolv v) { return weft_join_all_bool(v); }
//@ weft_join_sum_$T : complex
$fn $V weft_join_sum_$T($V z) { return {weft_join_sum_$R(z.re), weft_join_sum_$R(z.im)}; }
//@ weft_join_prod_$T : complex
$fn $V weft_join_prod_$T($V v) {
$levels  v = weft_multiply_$T(v, {__builtin_shufflevector(v.re, v.re, $K), __builtin_shufflevector(v.im, v.im, $K)});
  return {($RV)(v.re[0]), ($RV)(v.im[0])};
}
//@ weft_join_argmax_$T : ints halves floats
$fn void weft_join_argmax_$T($V& v, i64v& i) {
$levels  { $V w = __builtin_shufflevector(v, v, $K); i64v j = __builtin_shufflevector(i, i, $K); weft_take_argmax_$T(v, i, w, j); }
  v = ($V)(v[0]);
  i = (i64v)(i[0]);
}
//@ weft_join_argmin_$T : ints halves floats
$fn void weft_join_argmin_$T($V& v, i64v& i) {
$levels  { $V w = __builtin_shufflevector(v, v, $K); i64v j = __builtin_shufflevector(i, i, $K); weft_take_argmin_$T(v, i, w, j); }
  v = ($V)(v[0]);
  i = (i64v)(i[0]);
}
//@ weft_join_argmax_bool
$fn void weft_join_argmax_bool(boolv& v, i64v& i) {
  u8v w = __builtin_convertvector(v, u8v);
  weft_join_argmax_u8(w, i);
  v = __builtin_convertvector(w != 0, boolv);
}
//@ weft_join_argmin_bool
$fn void weft_join_argmin_bool(boolv& v, i64v& i) {
  u8v w = __builtin_convertvector(v, u8v);
  weft_join_argmin_u8(w, i);
  v = __builtin_convertvector(w != 0, boolv);
}
)";

}  // namespace weft::emit
