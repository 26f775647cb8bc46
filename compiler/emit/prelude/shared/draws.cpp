// Random draws that reject and try again, one text for both targets: a value may be a vector, whose lanes go
// on until each has been accepted, or a scalar. compiler/ir/ops/draw_eval.h is the reference and has the
// sources of the methods; words, rounds and formulas here are the same, so that the same draws are accepted.
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {

const char* const kPreludeDraws = R"(
//@ weft_draw_uniform_$T : f64
// Number n of those that belong to u, in (0, 1).
$fn $V weft_draw_uniform_$T($V u, unsigned n) {
  $UV x = weft_bitcast_f64_u64(u) + ($UV)(n * 0x9e3779b97f4a7c15ull);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  x = x ^ x >> 31;
  return weft_bitcast_u64_f64(x >> 12 | ($UV)(0x3ff0000000000000ull)) - 0x1.fffffffffffffp-1;
}
//@ weft_draw_sine_$T : f64
// sin(2 pi (1/4 - |turn - 1/2|)): that of a uniform angle, but for the sign of what is symmetric.
$fn $V weft_draw_sine_$T($V turn) {
  $V x = (0.25 - weft_abs_f64(turn - 0.5)) * 6.283185307179586, y = x * x;
  $V s = weft_fma_f64(y, ($V)(1.9572941063391263e-20), ($V)(-8.22063524662433e-18));
  s = weft_fma_f64(s, y, ($V)(2.8114572543455206e-15));
  s = weft_fma_f64(s, y, ($V)(-7.647163731819816e-13));
  s = weft_fma_f64(s, y, ($V)(1.6059043836821613e-10));
  s = weft_fma_f64(s, y, ($V)(-2.505210838544172e-08));
  s = weft_fma_f64(s, y, ($V)(2.7557319223985893e-06));
  s = weft_fma_f64(s, y, ($V)(-0.0001984126984126984));
  s = weft_fma_f64(s, y, ($V)(0.008333333333333333));
  s = weft_fma_f64(s, y, ($V)(-0.16666666666666666));
  return weft_fma_f64(s * y, x, x);
}
//@ weft_draw_stirling_$T : f64
// log (x-1)! less ((x - 1/2) log x - x + log(2 pi) / 2), of whole x from 1 on: 1e-16 from a polynomial in 1 / x.
$fn $V weft_draw_stirling_$T($V x) {
  $V t = 1.0 / x;
  $V s = weft_fma_f64(t, ($V)(-0.00035770128016724594), ($V)(0.0013903420594576594));
  s = weft_fma_f64(s, t, ($V)(-0.0022043221107499946));
  s = weft_fma_f64(s, t, ($V)(0.0016377841509399161));
  s = weft_fma_f64(s, t, ($V)(-0.00018451453914786528));
  s = weft_fma_f64(s, t, ($V)(-0.0005665144620616622));
  s = weft_fma_f64(s, t, ($V)(-3.012209406248644e-06));
  s = weft_fma_f64(s, t, ($V)(0.0007938582713416628));
  s = weft_fma_f64(s, t, ($V)(-8.844864136902701e-09));
  s = weft_fma_f64(s, t, ($V)(-0.002777777571411866));
  s = weft_fma_f64(s, t, ($V)(-1.936293882493845e-12));
  return weft_fma_f64(s, t, ($V)(0.08333333333333333)) * t;
}
//@ weft_draw_gamma_$T : f64
$call $V weft_draw_gamma_$T($V u, $V a) {
  auto left = (a >= 0.0) & (a <= 0x1.fffffffffffffp1023);
  auto boosted = a < 1.0;
  $V d = (boosted ? a + 1.0 : a) - 0.3333333333333333, c = 1.0 / (3.0 * weft_sqrt_f64(d)), v = ($V)(1.0);
  for (unsigned n = 0; n < 3000 && weft_some(left); n += 3) {
    $V length = weft_sqrt_f64(-2.0 * weft_log_f64(weft_draw_uniform_f64(u, n)));
    $V y = c * (length * weft_draw_sine_f64(weft_draw_uniform_f64(u, n + 1))), root = y + 1.0;
    $V above = d * (y * y * (1.5 - y) + 3.0 * (weft_log1p_f64(y) - y));
    auto taken = left & (root > 0.0) & (weft_log_f64(weft_draw_uniform_f64(u, n + 2)) < above);
    v = taken ? root * root * root : v;
    left = left ^ taken;
  }
  v *= d;
  if (weft_some(boosted)) v = boosted ? v * weft_exp_f64(weft_log_f64(weft_draw_uniform_f64(u, 4000)) / a) : v;
  return ((a >= 0.0) & (u == u)) ? v : weft_nan_f64();
}
//@ weft_draw_gamma_$T : f32
$fn $V weft_draw_gamma_$T($V u, $V a) {
  return weft_cast_f64_f32(weft_draw_gamma_f64(weft_cast_f32_f64(u), weft_cast_f32_f64(a)));
}
//@ weft_draw_below_$T : f64
// How many of the values from 0 on have their distribution function at or below u, that of 0 being p; each next one is
// (n - k) / (k + 1) * odds, or odds / (k + 1), as probable.
$call $V weft_draw_below_$T($V u, $V p, $V n, $V odds, bool falls) {
  u = ((u >= 0.0) & (u < 1.0)) ? u : ($V)(0.0);
  $V below = p, count = ($V)(0.0);
  auto left = u >= below;
  for (int k = 0; k < 60 && weft_some(left); ++k) {
    count = left ? ($V)(k + 1.0) : count;
    $V ratio = odds * (1.0 / (k + 1));
    p *= falls ? (n - (double)k) * ratio : ratio;
    below += p;
    left = u >= below;
  }
  return count;
}
)"
                                  R"(
//@ weft_draw_poisson_$T : f64
$call $V weft_draw_poisson_$T($V u, $V mean) {
  auto valid = (mean >= 0.0) & (mean <= 1e15) & (u == u);
  auto left = valid & (mean >= 10.0);
  $V k = ($V)(0.0), small = mean < 10.0 ? mean : ($V)(0.0);
  if (weft_some(valid & (mean < 10.0))) k = weft_draw_below_f64(u, weft_exp_f64(-small), small, small, false);
  if (weft_some(left)) {
    $V m = left ? mean : ($V)(10.0), b = weft_fma_f64(weft_sqrt_f64(m), ($V)(2.53), ($V)(0.931));
    $V a = 0.02483 * b - 0.059, hat = 1.01 * (1.1239 + 1.1328 / (b - 3.4));
    $V less = 0.5 * weft_log_f64(m) + 0.9189385332046727;
    for (unsigned n = 0; n < 2000 && weft_some(left); n += 2) {
      $V v = weft_draw_uniform_f64(u, n) - 0.5, near = 0.5 - weft_abs_f64(v);
      $V at = weft_floor_f64((2.0 * a / near + b) * v + m + 0.43), x = weft_maximum_f64(at, ($V)(0.0)) + 1.0;
      $V apart = (m - x) / x;
      $V log = (x - 0.5) * weft_log1p_f64(apart) - x * apart - less - weft_draw_stirling_f64(x);
      $V height = weft_draw_uniform_f64(u, n + 1) * hat / (a / (near * near) + b);
      auto taken = left & (at >= 0.0) & (weft_log_f64(height) <= log);
      k = taken ? at : k;
      left = left ^ taken;
    }
  }
  return valid ? k : ($V)(-1.0);
}
//@ weft_draw_poisson_$T : f32
$fn $V weft_draw_poisson_$T($V u, $V mean) {
  return weft_cast_f64_f32(weft_draw_poisson_f64(weft_cast_f32_f64(u), weft_cast_f32_f64(mean)));
}
//@ weft_draw_binomial_$T : f64
$call $V weft_draw_binomial_$T($V u, $V n, $V p) {
  n = weft_floor_f64(n);
  auto valid = (n >= 0.0) & (n <= 1e15) & (p >= 0.0) & (p <= 1.0) & (u == u);
  $V q = weft_minimum_f64(p, 1.0 - p);
  auto few = n * q < 10.0;
  auto left = valid & (n * q >= 10.0);
  $V k = ($V)(0.0);
  if (weft_some(valid & few)) {
    $V small = (valid & few) ? q : ($V)(0.0);
    k = weft_draw_below_f64(u, weft_exp_f64(n * weft_log1p_f64(-small)), n, small / (1.0 - small), true);
    k = n < k ? n : k;
  }
  if (weft_some(left)) {
    $V all = left ? n : ($V)(20.0), s = left ? q : ($V)(0.5), odds = s / (1.0 - s);
    $V spread = weft_sqrt_f64(all * s * (1.0 - s)), b = 1.15 + 2.53 * spread;
    $V a = 0.0248 * b - 0.0873 + 0.01 * s, hat = 1.01 * ((2.83 + 5.1 / b) * spread);
    $V mode = weft_floor_f64((all + 1.0) * s), rest = all - mode + 1.0;
    $V more = weft_draw_stirling_f64(mode + 1.0) + weft_draw_stirling_f64(rest);
    for (unsigned i = 0; i < 2000 && weft_some(left); i += 2) {
      $V v = weft_draw_uniform_f64(u, i) - 0.5, near = 0.5 - weft_abs_f64(v);
      $V at = weft_floor_f64((2.0 * a / near + b) * v + all * s + 0.5);
      $V x = weft_minimum_f64(weft_maximum_f64(at, ($V)(0.0)), all) + 1.0, other = all - x + 2.0;
      $V apart = mode + 1.0 - x;
      $V log = (mode + 0.5) * weft_log1p_f64(apart / x) + (rest - 0.5) * weft_log1p_f64(-apart / other) +
               apart * weft_log_f64(x / (other * odds)) + more - weft_draw_stirling_f64(x) -
               weft_draw_stirling_f64(other);
      $V height = weft_draw_uniform_f64(u, i + 1) * hat / (a / (near * near) + b);
      auto taken = left & (at >= 0.0) & (at <= all) & (weft_log_f64(height) <= log);
      k = taken ? at : k;
      left = left ^ taken;
    }
  }
  k = p > 0.5 ? n - k : k;
  return valid ? k : ($V)(-1.0);
}
//@ weft_draw_binomial_$T : f32
$fn $V weft_draw_binomial_$T($V u, $V n, $V p) {
  return weft_cast_f64_f32(weft_draw_binomial_f64(weft_cast_f32_f64(u), weft_cast_f32_f64(n), weft_cast_f32_f64(p)));
}
//@ weft_draw_vonmises_$T : f64
$call $V weft_draw_vonmises_$T($V u, $V kappa) {
  auto left = (kappa >= 0.0) & (u == u);
  $V k = weft_minimum_f64(weft_maximum_f64(kappa, ($V)(1e-16)), ($V)(1e100));
  $V root = weft_sqrt_f64(1.0 + 4.0 * k * k), t = 1.0 + root, s = t + weft_sqrt_f64(2.0 * t);
  $V rho = 2.0 * k / s, rest = (1.0 + 1.0 / (root + 2.0 * k) + weft_sqrt_f64(2.0 * t)) / s;
  $V apart = rest * (1.0 + rho) / (2.0 * rho), tangent = ($V)(0.0);
  for (unsigned n = 0; n < 2000 && weft_some(left); n += 2) {
    $V half = 1.5707963267948966 * (2.0 * weft_draw_uniform_f64(u, n) - 1.0), c = weft_cos_f64(half);
    $V y = k * apart * apart / (rest * rest / (2.0 * rho) + 2.0 * c * c);
    auto taken = left & (weft_draw_uniform_f64(u, n + 1) <= y * weft_exp_f64(1.0 - y));
    tangent = taken ? weft_tan_f64(half) : tangent;
    left = left ^ taken;
  }
  return ((kappa >= 0.0) & (u == u)) ? 2.0 * weft_atan_f64(rest / (1.0 + rho) * tangent) : weft_nan_f64();
}
//@ weft_draw_vonmises_$T : f32
$fn $V weft_draw_vonmises_$T($V u, $V kappa) {
  return weft_cast_f64_f32(weft_draw_vonmises_f64(weft_cast_f32_f64(u), weft_cast_f32_f64(kappa)));
}
)"
                                  R"(
//@ weft_draw_zipf_$T : f64
$call $V weft_draw_zipf_$T($V u, $V a) {
  auto valid = (a > 1.0) & (u == u);
  auto left = valid & (a < 1025.0);
  $V less = left ? a - 1.0 : ($V)(1.0), inverse = -1.0 / less, b = weft_expm1_f64(less * 0.6931471805599453);
  $V least = weft_exp_f64(less * -43.66827237527655), x = ($V)(1.0);
  for (unsigned n = 0; n < 2000 && weft_some(left); n += 2) {
    $V v = least + (1.0 - least) * weft_draw_uniform_f64(u, n);
    $V at = weft_floor_f64(weft_exp_f64(weft_log_f64(v) * inverse));
    $V t = weft_expm1_f64(less * weft_log1p_f64(1.0 / at));
    $V height = weft_draw_uniform_f64(u, n + 1) * at * t / b;
    auto taken = left & (at >= 1.0) & (at <= 9.2e18) & (height <= (t + 1.0) / (b + 1.0));
    x = taken ? at : x;
    left = left ^ taken;
  }
  return valid ? x : ($V)(-1.0);
}
//@ weft_draw_zipf_$T : f32
$fn $V weft_draw_zipf_$T($V u, $V a) {
  return weft_cast_f64_f32(weft_draw_zipf_f64(weft_cast_f32_f64(u), weft_cast_f32_f64(a)));
}
//@ weft_draw_factorials_$T : f64
// log(y! / x!)
$fn $V weft_draw_factorials_$T($V y, $V x) {
  $V apart = y - x;
  y += 1.0;
  x += 1.0;
  return (y - 0.5) * weft_log1p_f64(apart / x) + apart * (weft_log_f64(x) - 1.0) + weft_draw_stirling_f64(y) -
         weft_draw_stirling_f64(x);
}
//@ weft_draw_hypergeometric_$T : f64
$call $V weft_draw_hypergeometric_$T($V u, $V good, $V bad, $V sample) {
  good = weft_floor_f64(good);
  bad = weft_floor_f64(bad);
  sample = weft_floor_f64(sample);
  $V all = good + bad;
  auto valid = (good >= 0.0) & (bad >= 0.0) & (sample >= 0.0) & (sample <= all) & (all <= 1e15) & (u == u);
  $V taken_out = valid ? weft_minimum_f64(sample, all - sample) : ($V)(0.0);
  auto few = valid & (taken_out < 10.0);
  auto left = valid & (taken_out >= 10.0);
  $V k = ($V)(0.0);
  if (weft_some(few)) {
    $V rest = good, of = all;
    for (unsigned n = 0; n < 9 && weft_some(few & (taken_out > (double)n)); ++n) {
      auto hit = (taken_out > (double)n) & (weft_draw_uniform_f64(u, n) * of < rest);
      rest = hit ? rest - 1.0 : rest;
      of -= 1.0;
    }
    k = few ? good - rest : k;
  }
  if (weft_some(left)) {
    $V low = left ? weft_minimum_f64(good, bad) : ($V)(10.0), high = left ? weft_maximum_f64(good, bad) : ($V)(10.0);
    $V drawn = left ? taken_out : ($V)(10.0), total = low + high, share = low / total;
    $V spread = weft_sqrt_f64((total - drawn) / (total - 1.0) * drawn * share * (high / total)) + 0.5;
    $V h = 1.7155277699214135 * spread + 0.8989161620588988, middle = drawn * share + 0.5;
    $V mode = weft_floor_f64((drawn + 1.0) / (total + 2.0) * (low + 1.0));
    $V end = weft_minimum_f64(weft_minimum_f64(drawn, low) + 1.0, weft_floor_f64(middle + 16.0 * spread));
    $V outside = high - drawn;
    for (unsigned n = 0; n < 2000 && weft_some(left); n += 2) {
      $V v = weft_draw_uniform_f64(u, n), x = middle + h * (weft_draw_uniform_f64(u, n + 1) - 0.5) / v;
      auto inside = left & (x >= 0.0) & (x < end);
      $V at = inside ? weft_floor_f64(x) : mode;
      $V log = weft_draw_factorials_f64(mode, at) + weft_draw_factorials_f64(low - mode, low - at) +
               weft_draw_factorials_f64(drawn - mode, drawn - at) +
               weft_draw_factorials_f64(outside + mode, outside + at);
      auto taken = inside & (2.0 * weft_log_f64(v) <= log);
      k = taken ? at : k;
      left = left ^ taken;
    }
    auto many = valid & (taken_out >= 10.0);
    k = (many & (good > bad)) ? taken_out - k : k;
  }
  k = taken_out < sample ? good - k : k;
  return valid ? k : ($V)(-1.0);
}
//@ weft_draw_hypergeometric_$T : f32
$fn $V weft_draw_hypergeometric_$T($V u, $V good, $V bad, $V sample) {
  return weft_cast_f64_f32(weft_draw_hypergeometric_f64(weft_cast_f32_f64(u), weft_cast_f32_f64(good),
                                                        weft_cast_f32_f64(bad), weft_cast_f32_f64(sample)));
}
)";

}  // namespace weft::emit
