// Memory access of CPU kernels: whole vectors, single elements, steps, positions, and the lanes that a mask
// names.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuMemory = R"(
//@ weft_load_$T : all
$fn $V weft_load_$T(const void* p) {
  typedef $P Unaligned __attribute__((aligned(1), may_alias));
  return weft_unpack_$T(*(const Unaligned*)p);
}
//@ weft_ahead_$T : all
// The processor's own prefetchers stop where a page of memory ends, and a row's end holds up what follows it.
$fn void weft_ahead_$T(const void* p) {
#pragma clang loop unroll(full)
  for (unsigned long k = 0; k < sizeof($P); k += 64) __builtin_prefetch((const char*)p + 4096 + k, 0, 2);
}
//@ weft_store_$T : all
$fn void weft_store_$T(void* p, const $V& x) {
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
  const Item* q = (const Item*)p;
#pragma clang loop unroll(full)
  for (int i = 0; i < $C * L; i += $C, q += stride * $C)
    for (int c = 0; c < $C; ++c) v[i + c] = q[c];
  return weft_unpack_$T(v);
}
//@ weft_store_strided_$T : all
$fn void weft_store_strided_$T(void* p, long stride, const $V& x) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  $P v = weft_pack_$T(x);
  Item* q = (Item*)p;
#pragma clang loop unroll(full)
  for (int i = 0; i < $C * L; i += $C, q += stride * $C)
    for (int c = 0; c < $C; ++c) q[c] = v[i + c];
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

// Lanes that a mask leaves out are not touched. What is read there is zero.
//@ weft_bits
$fn unsigned long weft_bits(boolv mask) {
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &mask, sizeof mask);
  return L < 64 ? bits & ((1ul << (L % 64)) - 1) : bits;
}
// The first `n` lanes. From bits, as stores make theirs: one that does not change from row to row is made before them.
//@ weft_first
$fn boolv weft_first(long n) {
  const unsigned long bits = n < L ? (1ul << n) - 1 : ~0ul;
  boolv first;
  __builtin_memcpy(&first, &bits, sizeof first);
  return first;
}
// How many elements of so many bytes lie before one where a vector of theirs crosses no line of memory.
//@ weft_to_aligned
$fn long weft_to_aligned(const void* p, long bytes) {
  const long unit = L * bytes < 64 ? L * bytes : 64;
  return (-(long)p & (unit - 1)) / bytes;
}
// The bits of elements as those of their halves.
//@ weft_both_halves
#define weft_both_halves(x) (__builtin_ia32_pdep_di(x, 0x55) * 3)
// What is read where nothing is there: a vector of the most lanes and largest elements.
//@ weft_zeros
__attribute__((aligned(64))) static const unsigned char weft_zeros[1024] = {};
// A processor asks for the page of lanes that a mask leaves out, too. Where that is not mapped it takes hundreds of
// nanoseconds to find that nothing is wrong. So no load reaches into a page that may not be there: these say where to
// read instead.
//
// Elements [low, high) of a row, in `to`, with zeros before and after: `count` elements of so many bytes.
//@ weft_aside
$call const void* weft_aside(const void* row, long low, long high, long count, long bytes, void* to) {
  if (high < low) high = low;
  __builtin_memset(to, 0, low * bytes);
  __builtin_memcpy((char*)to + low * bytes, (const char*)row + low * bytes, (high - low) * bytes);
  __builtin_memset((char*)to + high * bytes, 0, (count - high) * bytes);
  return to;
}
// The lanes of a mask, of elements of so many bytes: at `p`, in a copy of them, or at zeros if it has none.
//@ weft_reach
$fn const void* weft_reach(const void* p, unsigned long bits, long bytes, long all, void* copy) {
  if (!bits) return weft_zeros;
  const long page = 4096 - ((long)p & 4095);
  if (__builtin_expect(page >= all, 1)) return p;
  const long first = (page + bytes - 1) / bytes;  // lanes that begin in the first page
  const unsigned long behind = first < L ? bits >> (first % 64) : 0;
  if (behind && behind << (first % 64) != bits) return p;
#pragma clang loop unroll(disable) vectorize(disable)
  for (; bits; bits &= bits - 1) {
    const long at = __builtin_ctzl(bits) * bytes;
#pragma clang loop unroll(disable) vectorize(disable)
    for (long k = 0; k < bytes; ++k) ((char*)copy)[at + k] = ((const char*)p)[at + k];
  }
  return copy;
}
//@ weft_load_masked_$T : all
$fn $V weft_load_masked_$T(const void* p, boolv mask) {
#if __AVX512BW__ && __AVX512VL__
  typedef $item Part __attribute__((vector_size($partbytes)));
  const unsigned long bits = weft_bits(mask);
  return weft_unpack_$T(__builtin_bit_cast($P, $loadparts));
#else
  typedef $S Item __attribute__((aligned(1), may_alias));
  const Item none = 0;
  $P v;
#pragma clang loop unroll(full)
  for (int i = 0; i < $C * L; ++i) v[i] = *(mask[i / $C] ? (const Item*)p + i : &none);
  return weft_unpack_$T(v);
#endif
}
// The same where it is not known whether there is memory around the mask's lanes.
//@ weft_load_guarded_$T : all
$fn $V weft_load_guarded_$T(const void* p, boolv mask) {
  char copy[$reach];
  const unsigned long bits = weft_bits(mask);
  if (bits != ~0ul >> (64 - L)) p = weft_reach(p, bits, $itembytes, $reach, copy);
  return weft_load_masked_$T(p, mask);
}
// The first `n` lanes, which `mask` names, of a vector, or all of them. Memory is there up to `past`.
//@ weft_load_first_$T : all
$fn $V weft_load_first_$T(const void* p, boolv mask, long n, const void* past) {
  struct Reached { char bytes[$reach]; } copy;
  if ((n < L || $reach > $wholebytes) && __builtin_expect((const char*)p + $reach > (const char*)past, 0)) {
    const void* from = p;
    void* to = &copy;
    long count = (n < L ? n : L) * $itembytes;
#if __x86_64__
    asm("rep movsb" : "+S"(from), "+D"(to), "+c"(count), "=m"(copy) : "m"(*(const Reached*)p));
#else
    long byte;
    asm("cbz %2, 2f\n1: ldrb %w3, [%0], #1\n strb %w3, [%1], #1\n subs %2, %2, #1\n b.ne 1b\n2:"
        : "+r"(from), "+r"(to), "+r"(count), "=&r"(byte), "=m"(copy) : "m"(*(const Reached*)p) : "cc");
#endif
    p = &copy;
  }
  return weft_load_masked_$T(p, mask);
}
// The first `n` lanes, all of them where it is L or more.
//@ weft_load_strided_first_$T : all
$fn $V weft_load_strided_first_$T(const void* p, long stride, long n) {
  if (n >= L) return weft_load_strided_$T(p, stride);
  const i64v lanes = weft_lanes_i64();
  return weft_gather_masked_$T(p, lanes * (i64v)(stride), __builtin_convertvector(lanes < (i64v)(n), boolv));
}
//@ weft_load_strided_masked_$T : all
$fn $V weft_load_strided_masked_$T(const void* p, long stride, boolv mask) {
  if (weft_bits(mask) == ~0ul >> (64 - L)) return weft_load_strided_$T(p, stride);
  return weft_gather_masked_$T(p, weft_lanes_i64() * (i64v)(stride), mask);
}
// Every second, third or fourth element: from whole vectors, taken so that no two have what is wanted in the same
// lane. Then they are one vector, whose lanes change places.
//@ weft_load_apart_$T : i32 i64 u32 u64 floats
$fn $V weft_load_apart_$T(const void* p, long by, boolv mask) {
#if __AVX512BW__ && __AVX512VL__ && L <= 16
  const long moved = by != 3;
  unsigned long every = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < L; ++i) every |= 1ul << (i * by);
  const unsigned long wanted = __builtin_ia32_pdep_di(weft_bits(mask), every);
  $M all = {};
#pragma clang loop unroll(full)
  for (long k = 0; k < by; ++k) {
    const unsigned long bits = (wanted >> (k * L) & ((1ul << L) - 1)) << (k * moved);
    boolv part;
    __builtin_memcpy(&part, &bits, sizeof part);
    all |= __builtin_bit_cast($M, weft_load_masked_$T((const $S*)p + k * (L - moved), part));
  }
  $M v;
#pragma clang loop unroll(full)
  for (int i = 0; i < L; ++i) v[i] = all[i * by - i * by / L * (L - moved)];
  return __builtin_bit_cast($V, v);
#else
  return weft_gather_masked_$T(p, weft_lanes_i64() * (i64v)(by), mask);
#endif
}
//@ weft_store_first_$T : all
$fn void weft_store_first_$T(void* p, const $V& x, long n) {
  if (n >= L) return weft_store_$T(p, x);
#if __AVX512BW__ && __AVX512VL__
  typedef $item Part __attribute__((vector_size($partbytes)));
  typedef $item Whole __attribute__((vector_size($wholebytes)));
  const Whole v = __builtin_bit_cast(Whole, weft_pack_$T(x));
  const unsigned long bits = (1ul << n) - 1;
  $storeparts
#else
  weft_store_partial_$T(p, x, n);
#endif
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
// The lanes of the mask, one after another. Up to L elements are written, of which those behind are nobody's.
//@ weft_compress_32
$fn void weft_compress_32(void* to, i32v x, boolv mask) {
  int* p = (int*)to;
#if __AVX512F__
  typedef int Part __attribute__((vector_size(64)));
  typedef Part Unaligned __attribute__((aligned(1), may_alias));
  const unsigned long bits = weft_bits(mask);
  Part parts[(L + 15) / 16];
  __builtin_memcpy(parts, &x, sizeof x);
#pragma clang loop unroll(full)
  for (int i = 0; i < (L + 15) / 16; ++i) {
    const unsigned short some = (unsigned short)(bits >> 16 * i);
    *(Unaligned*)p = __builtin_ia32_compresssi512_mask(parts[i], Part{}, some);
    p += __builtin_popcount(some);
  }
#else
  for (int i = 0; i < L; ++i)
    if (mask[i]) *p++ = x[i];
#endif
}
//@ weft_compress_64
$fn void weft_compress_64(void* to, i64v x, boolv mask) {
  long* p = (long*)to;
#if __AVX512F__
  typedef long long Part __attribute__((vector_size(64)));
  typedef Part Unaligned __attribute__((aligned(1), may_alias));
  const unsigned long bits = weft_bits(mask);
  Part parts[(L + 7) / 8];
  __builtin_memcpy(parts, &x, sizeof x);
#pragma clang loop unroll(full)
  for (int i = 0; i < (L + 7) / 8; ++i) {
    const unsigned char some = (unsigned char)(bits >> 8 * i);
    *(Unaligned*)p = __builtin_ia32_compressdi512_mask(parts[i], Part{}, some);
    p += __builtin_popcount(some);
  }
#else
  for (int i = 0; i < L; ++i)
    if (mask[i]) *p++ = x[i];
#endif
}
//@ weft_read_$T : all
// The elements of one turn of a series, `by` behind those of turn 0. They lie at one place for all lanes (how = 0), one
// after another (1), or each for itself (2). What no lane of the mask has is not touched.
$fn $V weft_read_$T(const void* p, const i64v& at, long by, int how, boolv mask) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  if (how == 0) return weft_load_one_$T((const Item*)p + (at[0] + by) * $C);
  const bool all = weft_bits(mask) == ~0ul >> (64 - L);
  if (how == 1) {
    const Item* const q = (const Item*)p + (at[0] + by) * $C;
    return all ? weft_load_$T(q) : weft_load_masked_$T(q, mask);
  }
  const Item* const q = (const Item*)p + by * $C;
  return all ? weft_gather_$T(q, at) : weft_gather_masked_$T(q, at, mask);
}
//@ weft_write_$T : all
$fn void weft_write_$T(void* p, const i64v& at, long by, int how, boolv mask, const $V& x) {
  typedef $S Item __attribute__((aligned(1), may_alias));
  const unsigned long bits = weft_bits(mask);
  if (how == 0) {
    if (bits & 1) weft_store_one_$T((Item*)p + (at[0] + by) * $C, x);
    return;
  }
  const bool all = bits == ~0ul >> (64 - L);
  if (how == 1 && all) return weft_store_$T((Item*)p + (at[0] + by) * $C, x);
  $P v = weft_pack_$T(x);
#pragma clang loop unroll(full)
  for (int i = 0; i < L; ++i)
    if (bits >> i & 1)
      for (int c = 0; c < $C; ++c) ((Item*)p)[(at[i] + by) * $C + c] = v[i * $C + c];
}
)";

}  // namespace weft::emit
