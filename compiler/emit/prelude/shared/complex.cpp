// Complex functions upon the real ones, one text for both targets: choices go through weft_select, so that a
// value may be a vector or a scalar. Special values and branch cuts follow C99 Annex G, as NumPy and the
// Array API do.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeComplex = R"(
//@ weft_add_$T : complex
$fn $V weft_add_$T($V a, $V b) { return {a.re + b.re, a.im + b.im}; }
//@ weft_subtract_$T : complex
$fn $V weft_subtract_$T($V a, $V b) { return {a.re - b.re, a.im - b.im}; }
//@ weft_multiply_$T : complex
$fn $V weft_multiply_$T($V a, $V b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
//@ weft_negative_$T : complex
$fn $V weft_negative_$T($V z) { return {-z.re, -z.im}; }
//@ weft_positive_$T : complex
$fn $V weft_positive_$T($V z) { return z; }
//@ weft_conj_$T : complex
$fn $V weft_conj_$T($V z) { return {z.re, -z.im}; }
//@ weft_real_$T : complex
$fn $RV weft_real_$T($V z) { return z.re; }
//@ weft_imag_$T : complex
$fn $RV weft_imag_$T($V z) { return z.im; }
//@ weft_complex_$R : complex
$fn $V weft_complex_$R($RV re, $RV im) { return {re, im}; }
//@ weft_square_$T : complex
$fn $V weft_square_$T($V z) {
  // The added zero makes -0 of equal squares 0, as their difference is.
  return {(z.re - z.im) * (z.re + z.im) + ($RV)(0.0), z.re * z.im + z.re * z.im};
}
//@ weft_abs_$T : complex
$fn $RV weft_abs_$T($V z) { return weft_hypot_$R(z.re, z.im); }
//@ weft_equal_$T : complex
$fn $B weft_equal_$T($V a, $V b) { return weft_equal_$R(a.re, b.re) & weft_equal_$R(a.im, b.im); }
//@ weft_not_equal_$T : complex
$fn $B weft_not_equal_$T($V a, $V b) { return weft_not_equal_$R(a.re, b.re) | weft_not_equal_$R(a.im, b.im); }
//@ weft_isnan_$T : complex
$fn $B weft_isnan_$T($V z) { return weft_isnan_$R(z.re) | weft_isnan_$R(z.im); }
//@ weft_isinf_$T : complex
$fn $B weft_isinf_$T($V z) { return weft_isinf_$R(z.re) | weft_isinf_$R(z.im); }
//@ weft_isfinite_$T : complex
$fn $B weft_isfinite_$T($V z) { return weft_isfinite_$R(z.re) & weft_isfinite_$R(z.im); }
//@ weft_round_$T : complex
$fn $V weft_round_$T($V z) { return {weft_round_$R(z.re), weft_round_$R(z.im)}; }

//@ weft_cast_$f_bool : complex -> bool
$fn $B weft_cast_$f_bool($fV z) { return weft_cast_$fR_bool(z.re) | weft_cast_$fR_bool(z.im); }
//@ weft_cast_$f_$T : complex -> ints halves floats
$fn $V weft_cast_$f_$T($fV z) { return weft_cast_$fR_$T(z.re); }
//@ weft_cast_$f_$T : bool ints halves floats -> complex
$fn $V weft_cast_$f_$T($fV x) { return {weft_cast_$f_$R(x), ($RV)(0.0)}; }
//@ weft_cast_$f_$T : complex -> complex
$fn $V weft_cast_$f_$T($fV z) { return {weft_cast_$fR_$R(z.re), weft_cast_$fR_$R(z.im)}; }

//@ weft_ratio_power_$T : f64
$fn $RV weft_ratio_power_f64($Z e) { return weft_bitcast_i64_f64((e + 1023) << 52); }
//@ weft_ratio_exponent_$T : f64
$fn $Z weft_ratio_exponent_f64($RV x, $RV y) {
  $RV m = weft_maximum_f64(weft_abs_f64(x), weft_abs_f64(y));
  $Z e = ((weft_bitcast_f64_i64(m) >> 52) & 2047) - 1023;
  return weft_maximum_i64(weft_minimum_i64(e, ($Z)(1022)), ($Z)(-1022));
}
)"
                                    R"(
// Annex G: a quotient that came out as NaN in both parts though an operand is infinite, or the divisor zero.
//@ weft_divide_mend_$T : c128
$fn $V weft_divide_mend_$T($V n, $V d, $V q) {
  const $RV inf = weft_inf_$R(), zero = ($RV)(0.0), one = ($RV)(1.0);
  $B both = weft_isnan_f64(q.re) & weft_isnan_f64(q.im);
  $B by_zero = weft_equal_f64(d.re, zero) & weft_equal_f64(d.im, zero) &
               (weft_equal_f64(n.re, n.re) | weft_equal_f64(n.im, n.im));
  $RV big = weft_copysign_f64(inf, d.re);
  $V zq = {big * n.re, big * n.im};
  $V nb = {weft_copysign_f64(weft_select_f64(weft_isinf_f64(n.re), one, zero), n.re),
           weft_copysign_f64(weft_select_f64(weft_isinf_f64(n.im), one, zero), n.im)};
  $V iq = {inf * (nb.re * d.re + nb.im * d.im), inf * (nb.im * d.re - nb.re * d.im)};
  $V db = {weft_copysign_f64(weft_select_f64(weft_isinf_f64(d.re), one, zero), d.re),
           weft_copysign_f64(weft_select_f64(weft_isinf_f64(d.im), one, zero), d.im)};
  const $RV half = ($RV)(0.5);  // keeps the sums finite
  $RV x = n.re * half, y = n.im * half;
  $V vq = {zero * (x * db.re + y * db.im), zero * (y * db.re - x * db.im)};
  q = weft_select_$T(both & weft_isfinite_$T(n) & weft_isinf_$T(d), vq, q);
  q = weft_select_$T(both & weft_isinf_$T(n) & weft_isfinite_$T(d), iq, q);
  return weft_select_$T(both & by_zero, zq, q);
}
// Both operands are brought near 1 by powers of two, so that nothing overflows on the way.
//@ weft_divide_$T : c128
$fn $V weft_divide_$T($V n, $V d) {
  $Z en = weft_ratio_exponent_f64(n.re, n.im), ed = weft_ratio_exponent_f64(d.re, d.im);
  $RV sn = weft_ratio_power_f64(-en), sd = weft_ratio_power_f64(-ed);
  $RV a = n.re * sn, b = n.im * sn, c = d.re * sd, e = d.im * sd;
  $RV norm = c * c + e * e;
  $Z k = en - ed, half = k >> 1;
  $RV up = weft_ratio_power_f64(half), rest = weft_ratio_power_f64(k - half);
  return weft_divide_mend_$T(n, d, {(a * c + b * e) / norm * up * rest, (b * c - a * e) / norm * up * rest});
}
// In f64 no product of f32 values overflows or is rounded.
//@ weft_divide_$T : c64
$fn $V weft_divide_$T($V x, $V y) {
  auto n = weft_cast_c64_c128(x), d = weft_cast_c64_c128(y);
  auto norm = d.re * d.re + d.im * d.im;
  return weft_cast_c128_c64(
      weft_divide_mend_c128(n, d, {(n.re * d.re + n.im * d.im) / norm, (n.im * d.re - n.re * d.im) / norm}));
}
//@ weft_reciprocal_$T : complex
$fn $V weft_reciprocal_$T($V z) { return weft_divide_$T({($RV)(1.0), ($RV)(0.0)}, z); }
//@ weft_sign_$T : complex
$fn $V weft_sign_$T($V z) {
  const $RV zero = ($RV)(0.0), one = ($RV)(1.0);
  $RV m = weft_maximum_$R(weft_abs_$R(z.re), weft_abs_$R(z.im));
  // One infinite part alone gives the direction, as in NumPy.
  $RV x = weft_select_$R(weft_isinf_$R(z.re) & weft_isfinite_$R(z.im), weft_copysign_$R(one, z.re), z.re / m);
  $RV y = weft_select_$R(weft_isinf_$R(z.im) & weft_isfinite_$R(z.re), weft_copysign_$R(one, z.im), z.im / m);
  $RV h = weft_hypot_$R(x, y);
  $B none = weft_equal_$R(m, zero);
  return {weft_select_$R(none, zero, x / h), weft_select_$R(none, zero, y / h)};
}

//@ weft_sqrt_$T : complex
$fn $V weft_sqrt_$T($V z) {
  const $RV one = ($RV)(1.0);
  $RV x = weft_abs_$R(z.re), y = weft_abs_$R(z.im);
  $RV m = weft_select_$R(weft_greater_$R(x, y), x, y);
  $B large = weft_greater_$R(m, ($RV)($large)), tiny = weft_less_$R(m, ($RV)($tiny));
  $RV scale = weft_select_$R(large, ($RV)(0.0625), weft_select_$R(tiny, ($RV)($up * $up), one));
  $RV back = weft_select_$R(large, ($RV)(4.0), weft_select_$R(tiny, ($RV)(1.0 / $up), one));
  $RV xs = x * scale, ys = y * scale;
  $RV t = weft_sqrt_$R((xs + weft_hypot_$R(xs, ys)) * ($RV)(0.5));
  $RV u = ys / (t + t) * back;
  t = t * back;
  $B right = weft_greater_equal_$R(z.re, ($RV)(0.0));
  $V r = {weft_select_$R(right, t, u), weft_copysign_$R(weft_select_$R(right, u, t), z.im)};
  $B none = weft_equal_$R(x, ($RV)(0.0)) & weft_equal_$R(y, ($RV)(0.0)), endless = weft_isinf_$R(z.im);
  r.re = weft_select_$R(none, ($RV)(0.0), weft_select_$R(endless, y, r.re));
  r.im = weft_select_$R(none | endless, z.im, r.im);
  return r;
}
//@ weft_exp_$T : complex
$fn $V weft_exp_$T($V z) {
  $B large = weft_greater_$R(z.re, ($RV)($explimit));
  $RV e = weft_exp_$R(weft_select_$R(large, z.re * ($RV)(0.5), z.re));
  $RV again = weft_select_$R(large, e, ($RV)(1.0));
  $V r = {e * weft_cos_$R(z.im) * again, e * weft_sin_$R(z.im) * again};
  $B endless = weft_isinf_$R(z.re), turning = weft_isfinite_$R(z.im), down = weft_less_$R(z.re, ($RV)(0.0));
  r.re = weft_select_$R(turning, r.re, weft_select_$R(endless, e, r.re));
  r.im = weft_select_$R(turning, r.im, weft_select_$R(endless & down, ($RV)(0.0), r.im));
  r.im = weft_select_$R(weft_equal_$R(z.im, ($RV)(0.0)), z.im, r.im);
  return r;
}
// log|z|, also where |z| is close to 1 or out of range.
//@ weft_log_abs_$T : complex
$fn $RV weft_log_abs_$T($V z) {
  const $RV one = ($RV)(1.0), ln_two = ($RV)(0x1.62e42fefa39efp-1);
  $RV a = weft_abs_$R(z.re), b = weft_abs_$R(z.im);
  $B swap = weft_greater_$R(b, a);
  $RV x = weft_select_$R(swap, b, a), y = weft_select_$R(swap, a, b);
  $B large = weft_greater_$R(x, ($RV)($large)), tiny = weft_less_$R(x, ($RV)($tiny));
  $RV scale = weft_select_$R(large, ($RV)(0.0625), weft_select_$R(tiny, ($RV)($up), one));
  $RV shift = weft_select_$R(large, ($RV)(4.0), weft_select_$R(tiny, ($RV)(-$upbits), ($RV)(0.0)));
  $RV h = weft_hypot_$R(x * scale, y * scale);
  $RV far = weft_log_$R(h) + shift * ln_two;
  $RV near = weft_log1p_$R((x - one) * (x + one) + y * y) * ($RV)(0.5);
  $B close = weft_greater_$R(h, ($RV)(0.5)) & weft_less_$R(h, ($RV)(2.0)) & weft_equal_$R(scale, one);
  return weft_select_$R(close, near, far);
}
//@ weft_log_$T : complex
$fn $V weft_log_$T($V z) { return {weft_log_abs_$T(z), weft_atan2_$R(z.im, z.re)}; }
//@ weft_log2_$T : complex
$fn $V weft_log2_$T($V z) {
  const $RV scale = ($RV)(0x1.71547652b82fep+0);
  return {weft_log_abs_$T(z) * scale, weft_atan2_$R(z.im, z.re) * scale};
}
//@ weft_log10_$T : complex
$fn $V weft_log10_$T($V z) {
  const $RV scale = ($RV)(0x1.bcb7b1526e50ep-2);
  return {weft_log_abs_$T(z) * scale, weft_atan2_$R(z.im, z.re) * scale};
}
//@ weft_log1p_$T : complex
$fn $V weft_log1p_$T($V z) {
  const $RV half = ($RV)(0.5);
  $B small = weft_less_$R(weft_abs_$R(z.re), half) & weft_less_$R(weft_abs_$R(z.im), half);
  $RV x = z.re + ($RV)(1.0);
  $RV near = weft_log1p_$R(z.re * (z.re + ($RV)(2.0)) + z.im * z.im) * half;
  return {weft_select_$R(small, near, weft_log_abs_$T({x, z.im})), weft_atan2_$R(z.im, x)};
}
//@ weft_expm1_$T : complex
$fn $V weft_expm1_$T($V z) {
  $V e = weft_exp_$T(z);
  $RV s = weft_sin_$R(z.im * ($RV)(0.5));
  $RV near = weft_expm1_$R(z.re) * weft_cos_$R(z.im) - ($RV)(2.0) * s * s + ($RV)(0.0);
  $B small = weft_less_$R(weft_abs_$R(z.re), ($RV)(1.0));
  return {weft_select_$R(small, near, e.re - ($RV)(1.0)), e.im};
}
)"
                                    R"(
//@ weft_sinh_$T : complex
$fn $V weft_sinh_$T($V z) {
  const $RV zero = ($RV)(0.0);
  $RV a = weft_abs_$R(z.re);
  $B large = weft_greater_$R(a, ($RV)($explimit));
  $RV e = weft_exp_$R(a * ($RV)(0.5));
  $RV again = weft_select_$R(large, e, ($RV)(1.0));
  $RV s = weft_select_$R(large, weft_copysign_$R(e * ($RV)(0.5), z.re), weft_sinh_$R(z.re));
  $RV c = weft_select_$R(large, e * ($RV)(0.5), weft_cosh_$R(z.re));
  $V r = {s * weft_cos_$R(z.im) * again, c * weft_sin_$R(z.im) * again};
  $B stays = weft_isinf_$R(z.re) | weft_equal_$R(z.re, zero);
  r.re = weft_select_$R(weft_isfinite_$R(z.im), r.re, weft_select_$R(stays, z.re, r.re));
  r.im = weft_select_$R(weft_equal_$R(z.im, zero), z.im, r.im);
  return r;
}
//@ weft_cosh_$T : complex
$fn $V weft_cosh_$T($V z) {
  const $RV zero = ($RV)(0.0), one = ($RV)(1.0);
  $RV a = weft_abs_$R(z.re);
  $B large = weft_greater_$R(a, ($RV)($explimit));
  $RV e = weft_exp_$R(a * ($RV)(0.5));
  $RV again = weft_select_$R(large, e, one);
  $RV s = weft_select_$R(large, weft_copysign_$R(e * ($RV)(0.5), z.re), weft_sinh_$R(z.re));
  $RV c = weft_select_$R(large, e * ($RV)(0.5), weft_cosh_$R(z.re));
  $V r = {c * weft_cos_$R(z.im) * again, s * weft_sin_$R(z.im) * again};
  $B turning = weft_isfinite_$R(z.im);
  r.re = weft_select_$R(turning, r.re, weft_select_$R(weft_isinf_$R(z.re), a, r.re));
  $RV flat = weft_select_$R(weft_isnan_$R(z.re), z.im, z.im * weft_copysign_$R(one, z.re));
  r.im = weft_select_$R(weft_equal_$R(z.im, zero), flat, r.im);
  r.im = weft_select_$R(turning, r.im, weft_select_$R(weft_equal_$R(z.re, zero), zero, r.im));
  return r;
}
//@ weft_tanh_$T : complex
$fn $V weft_tanh_$T($V z) {
  const $RV zero = ($RV)(0.0), one = ($RV)(1.0), limit = ($RV)(22.0);
  $RV a = weft_abs_$R(z.re);
  $B large = weft_greater_$R(a, limit), endless = weft_isinf_$R(z.re), turning = weft_isfinite_$R(z.im);
  $RV within = weft_select_$R(large, limit, z.re);
  $RV sh = weft_sinh_$R(within), ch = weft_cosh_$R(within);
  $RV s = weft_sin_$R(z.im), c = weft_cos_$R(z.im);
  $RV norm = sh * sh + c * c;
  $RV still = weft_select_$R(turning, weft_copysign_$R(one, z.re), s);
  $V r = {weft_select_$R(large, still, sh * ch / norm),
          s * c * weft_select_$R(large, ($RV)(4.0) * weft_exp_$R(($RV)(-2.0) * a), one / norm)};
  r.re = weft_select_$R(endless, weft_copysign_$R(one, z.re), weft_select_$R(weft_equal_$R(z.re, zero), z.re, r.re));
  r.im = weft_select_$R(endless, weft_copysign_$R(zero, z.im), r.im);
  r.im = weft_select_$R(weft_equal_$R(z.im, zero), z.im, r.im);
  return weft_select_$T(turning | endless | weft_equal_$R(z.re, zero), r, {s, s});
}
//@ weft_sin_$T : complex
$fn $V weft_sin_$T($V z) {
  $V w = weft_sinh_$T({-z.im, z.re});
  return {w.im, -w.re};
}
//@ weft_cos_$T : complex
$fn $V weft_cos_$T($V z) { return weft_cosh_$T({-z.im, z.re}); }
//@ weft_tan_$T : complex
$fn $V weft_tan_$T($V z) {
  $V w = weft_tanh_$T({-z.im, z.re});
  return {w.im, -w.re};
}

// Kahan, Branch cuts for complex elementary functions (1987); log(2z) where z * z would leave nothing of 1.
//@ weft_asin_$T : complex
$fn $V weft_asin_$T($V z) {
  const $RV one = ($RV)(1.0), ln_two = ($RV)(0x1.62e42fefa39efp-1), limit = ($RV)($asinlimit);
  $RV x = weft_abs_$R(z.re), y = weft_abs_$R(z.im);
  $B large = weft_greater_$R(x, limit) | weft_greater_$R(y, limit);
  $V s = weft_sqrt_$T({one - x, -y}), r = weft_sqrt_$T({one + x, y});
  $RV u = weft_atan2_$R(x, weft_select_$R(large, y, s.re * r.re - s.im * r.im));
  $RV v = weft_select_$R(large, weft_log_abs_$T(z) + ln_two, weft_asinh_$R(s.re * r.im - s.im * r.re));
  return {weft_select_$R(weft_equal_$R(z.re, ($RV)(0.0)), z.re, weft_copysign_$R(u, z.re)),
          weft_copysign_$R(v, z.im)};
}
//@ weft_acos_$T : complex
$fn $V weft_acos_$T($V z) {
  const $RV one = ($RV)(1.0), ln_two = ($RV)(0x1.62e42fefa39efp-1), limit = ($RV)($asinlimit);
  $RV x = weft_abs_$R(z.re), y = weft_abs_$R(z.im);
  $B large = weft_greater_$R(x, limit) | weft_greater_$R(y, limit);
  $V s = weft_sqrt_$T({one - z.re, -y}), r = weft_sqrt_$T({one + z.re, y});
  $RV u = weft_atan2_$R(weft_select_$R(large, y, s.re), weft_select_$R(large, z.re, r.re));
  u = weft_select_$R(large, u, u + u);
  $RV v = weft_select_$R(large, weft_log_abs_$T(z) + ln_two, weft_asinh_$R(s.re * r.im - s.im * r.re));
  return {weft_select_$R(weft_equal_$R(z.re, ($RV)(0.0)), ($RV)(0x1.921fb54442d18p+0), u), -weft_copysign_$R(v, z.im)};
}
//@ weft_asinh_$T : complex
$fn $V weft_asinh_$T($V z) {
  $V w = weft_asin_$T({z.im, z.re});
  return {w.im, w.re};
}
//@ weft_acosh_$T : complex
$fn $V weft_acosh_$T($V z) {
  $V w = weft_acos_$T(z);
  return {weft_abs_$R(w.im), weft_copysign_$R(w.re, z.im)};
}
//@ weft_atanh_$T : complex
$fn $V weft_atanh_$T($V z) {
  const $RV zero = ($RV)(0.0), one = ($RV)(1.0), half = ($RV)(0.5), right = ($RV)(0x1.921fb54442d18p+0);
  const $RV ln_two = ($RV)(0x1.62e42fefa39efp-1), limit = ($RV)($atanhlimit);
  $RV x = weft_abs_$R(z.re), y = weft_abs_$R(z.im);
  $B large = weft_greater_$R(x, limit) | weft_greater_$R(y, limit);
  $RV u = weft_log1p_$R(($RV)(4.0) * x / ((one - x) * (one - x) + y * y)) * ($RV)(0.25);
  $RV v = weft_atan2_$R(y + y, (one - x) * (one + x) - y * y) * half;
  $B pole = weft_equal_$R(x, one) & weft_less_$R(y, one / limit);
  u = weft_select_$R(pole, (ln_two - weft_log_$R(y)) * half, u);
  $RV h = weft_hypot_$R(x, y);
  $B endless = weft_isinf_$R(x) | weft_isinf_$R(y);
  u = weft_select_$R(large, weft_select_$R(endless, zero, x / h / h), u);
  v = weft_select_$R(large, weft_select_$R(weft_isnan_$R(y), y, right), v);
  v = weft_select_$R(weft_isnan_$R(x) & weft_isfinite_$R(y), x, v);
  u = weft_select_$R(weft_isnan_$R(z.re) & weft_isfinite_$R(y), x, u);
  return {weft_select_$R(weft_equal_$R(x, zero), z.re, weft_copysign_$R(u, z.re)), weft_copysign_$R(v, z.im)};
}
//@ weft_atan_$T : complex
$fn $V weft_atan_$T($V z) {
  $V w = weft_atanh_$T({-z.im, z.re});
  return {w.im, -w.re};
}

// Whole exponents up to 64 by multiplying, as NumPy does; else exp(w log z).
//@ weft_pow_$T : c128
$fn $V weft_pow_$T($V z, $V w) {
  const $RV zero = ($RV)(0.0), one = ($RV)(1.0), half = ($RV)(0.5);
  const $V nothing = {zero, zero}, unit = {one, zero};
  $RV n = weft_abs_$R(w.re);
  $B whole = weft_equal_$R(w.im, zero) & weft_equal_$R(weft_floor_$R(n), n) & weft_less_equal_$R(n, ($RV)(64.0));
  $V r = weft_exp_$T(weft_multiply_$T(w, weft_log_$T(z)));
  $V product = unit, power = z;  // the first factor is taken as it is: with its zeros' signs
  $RV left = weft_select_$R(whole, n, zero);
  $B begun = weft_less_$R(n, zero);
  for (int i = 0; i < 7; ++i) {
    $RV next = weft_floor_$R(left * half);
    $B odd = weft_greater_$R(left, next + next);
    product = weft_select_$T(odd, weft_select_$T(begun, weft_multiply_$T(product, power), power), product);
    begun = begun | odd;
    power = weft_square_$T(power);
    left = next;
  }
  product = weft_select_$T(weft_less_$R(w.re, zero), weft_reciprocal_$T(product), product);
  r = weft_select_$T(whole, product, r);
  $B none = weft_equal_$R(z.re, zero) & weft_equal_$R(z.im, zero);
  const $RV nan = weft_nan_$R();
  r = weft_select_$T(none & weft_greater_$R(w.re, zero), nothing, r);
  r = weft_select_$T(none & weft_less_equal_$R(w.re, zero), {nan, nan}, r);
  return weft_select_$T(weft_equal_$R(w.re, zero) & weft_equal_$R(w.im, zero), unit, r);
}
//@ weft_pow_$T : c64
$fn $V weft_pow_$T($V z, $V w) {
  return weft_cast_c128_c64(weft_pow_c128(weft_cast_c64_c128(z), weft_cast_c64_c128(w)));
}
)";

}  // namespace weft::emit
