// How the lanes of a CPU kernel are joined: reductions, whose result is in every lane, and running values.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeCpuJoin = R"(
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
// The same of positions that only grow from one call to the next, so that the first of equals stays.
//@ weft_take_later_argmax_$T : ints
$fn void weft_take_later_argmax_$T($V& v, i64v& i, $V w, i64v j) {
  boolv t = __builtin_convertvector(w > v, boolv);
  v = weft_select_$T(t, w, v);
  i = weft_select_i64(t, j, i);
}
//@ weft_take_later_argmin_$T : ints
$fn void weft_take_later_argmin_$T($V& v, i64v& i, $V w, i64v j) {
  boolv t = __builtin_convertvector(w < v, boolv);
  v = weft_select_$T(t, w, v);
  i = weft_select_i64(t, j, i);
}
//@ weft_take_later_argmax_$T : halves floats
$fn void weft_take_later_argmax_$T($V& v, i64v& i, $V w, i64v j) {
  boolv t = __builtin_convertvector((w > v) | ((w != w) & (v == v)), boolv);
  v = weft_select_$T(t, w, v);
  i = weft_select_i64(t, j, i);
}
//@ weft_take_later_argmin_$T : halves floats
$fn void weft_take_later_argmin_$T($V& v, i64v& i, $V w, i64v j) {
  boolv t = __builtin_convertvector((w < v) | ((w != w) & (v == v)), boolv);
  v = weft_select_$T(t, w, v);
  i = weft_select_i64(t, j, i);
}
//@ weft_take_later_argmax_bool
$fn void weft_take_later_argmax_bool(boolv& v, i64v& i, boolv w, i64v j) { weft_take_argmax_bool(v, i, w, j); }
//@ weft_take_later_argmin_bool
$fn void weft_take_later_argmin_bool(boolv& v, i64v& i, boolv w, i64v j) { weft_take_argmin_bool(v, i, w, j); }
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
//@ weft_join_sum_$T : ints
$fn $V weft_join_sum_$T($V v) { return ($V)(__builtin_reduce_add(v)); }
//@ weft_join_sum_$T : halves floats
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
// Integers in the order of the numbers, -0 before +0, and NaN after all or before all: joined in one instruction
// where that of the numbers themselves is a chain of five.
//@ weft_rank_max_$T : halves floats
$fn $M weft_rank_max_$T($V v) {
  const int sign = sizeof(v[0]) * 8 - 1;
  const $M low = ~(($M)(1) << sign), bits = __builtin_bit_cast($M, v);
  return v != v ? low : bits ^ ((bits >> sign) & low);
}
//@ weft_rank_min_$T : halves floats
$fn $M weft_rank_min_$T($V v) {
  const int sign = sizeof(v[0]) * 8 - 1;
  const $M low = ~(($M)(1) << sign), bits = __builtin_bit_cast($M, v);
  return v != v ? ~low : bits ^ ((bits >> sign) & low);
}
//@ weft_ranked_$T : halves floats
$fn $V weft_ranked_$T($M rank) {
  const int sign = sizeof(rank[0]) * 8 - 1;
  return __builtin_bit_cast($V, rank ^ ((rank >> sign) & ~(($M)(1) << sign)));
}
// The largest or smallest number so far, -0 before +0, and bits that are set once there was a NaN: an instruction
// each, where a NaN that has to stay in its lane takes five.
//@ weft_extend_max_$T : floats
$fn void weft_extend_max_$T($V& a, unsigned long& nans, $V v) {
#if __AVX512DQ__
  typedef $E Part __attribute__((vector_size(64)));
  constexpr int n = (sizeof v + 63) / 64;
  struct Parts { Part of[n]; } most = {}, next = {};
  __builtin_memcpy(&most, &a, sizeof a);
  __builtin_memcpy(&next, &v, sizeof v);
#pragma clang loop unroll(full)
  for (int i = 0; i < n; ++i) most.of[i] = __builtin_ia32_range$packed512_mask(most.of[i], next.of[i], 5, most.of[i], -1, 4);
#pragma clang loop unroll(full)
  for (int i = 0; i < n; i += 2) nans |= __builtin_ia32_cmp$packed512_mask(next.of[i], next.of[i + (i + 1 < n)], 3, -1, 4);
  __builtin_memcpy(&a, &most, sizeof a);
#else
  a = weft_maximum_$T(a, v);
#endif
}
//@ weft_extend_min_$T : floats
$fn void weft_extend_min_$T($V& a, unsigned long& nans, $V v) {
#if __AVX512DQ__
  typedef $E Part __attribute__((vector_size(64)));
  constexpr int n = (sizeof v + 63) / 64;
  struct Parts { Part of[n]; } most = {}, next = {};
  __builtin_memcpy(&most, &a, sizeof a);
  __builtin_memcpy(&next, &v, sizeof v);
#pragma clang loop unroll(full)
  for (int i = 0; i < n; ++i) most.of[i] = __builtin_ia32_range$packed512_mask(most.of[i], next.of[i], 4, most.of[i], -1, 4);
#pragma clang loop unroll(full)
  for (int i = 0; i < n; i += 2) nans |= __builtin_ia32_cmp$packed512_mask(next.of[i], next.of[i + (i + 1 < n)], 3, -1, 4);
  __builtin_memcpy(&a, &most, sizeof a);
#else
  a = weft_minimum_$T(a, v);
#endif
}
//@ weft_nans_$T : floats
$fn unsigned long weft_nans_$T($V v) { return weft_bits(__builtin_convertvector(v != v, boolv)); }
//@ weft_unless_nan_$T : floats
$fn $V weft_unless_nan_$T($V a, unsigned long nans) { return nans ? ($V)(__builtin_nan$s("")) : a; }
//@ weft_join_max_$T : halves floats
$fn $V weft_join_max_$T($V v) { return weft_ranked_$T(($M)(__builtin_reduce_max(weft_rank_max_$T(v)))); }
//@ weft_join_min_$T : halves floats
$fn $V weft_join_min_$T($V v) { return weft_ranked_$T(($M)(__builtin_reduce_min(weft_rank_min_$T(v)))); }
//@ weft_some
// Whether a mask is set in some lane.
$fn bool weft_some(i64v mask) { return __builtin_reduce_or(mask) != 0; }
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
