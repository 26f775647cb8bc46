// The reference evaluation of random draws that reject and try again. Each is a function of a random number
// u, whose bits are the key of all further numbers, and of parameters; it goes on until a trial is accepted,
// so the distribution is exact. Computed in double whatever the type. Out of range a real draw is NaN and a
// count -1.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace weft::ir::eval {

// More trials than any draw takes: one is accepted with probability 0.4 at least.
inline constexpr unsigned kMostTrials = 1000;

// Number n of those that belong to u, in (0, 1): a step of Steele, Lea and Flood's SplitMix64.
inline double draw_uniform(double u, unsigned n) {
  uint64_t x = std::bit_cast<uint64_t>(u) + n * uint64_t{0x9e3779b97f4a7c15};
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return std::bit_cast<double>(x >> 12 | 0x3ff0000000000000) - 0x1.fffffffffffffp-1;
}

// log (x-1)! less Stirling's (x - 1/2) log x - x + log(2 pi) / 2.
inline double stirling_rest(double x) {
  if (x < 16) {
    constexpr long double kHalfLogTwoPi = 0.918938533204672741780329736405617640L;
    const long double wide = x;
    return static_cast<double>(std::lgamma(wide) - ((wide - 0.5L) * std::log(wide) - wide + kHalfLogTwoPi));
  }
  const double y = 1 / (x * x);
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
}

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; below 1 one of a + 1 times
// U^(1/a).
template <class T>
T draw_gamma(T u_wide, T a_wide) {
  const auto u = static_cast<double>(u_wide), a = static_cast<double>(a_wide);
  if (!(a >= 0) || std::isnan(u)) return std::numeric_limits<T>::quiet_NaN();
  const double d = (a < 1 ? a + 1 : a) - 1.0 / 3, c = 1 / (3 * std::sqrt(d));
  double v = 1;
  for (unsigned n = 0; n < 3 * kMostTrials && std::isfinite(a); n += 3) {
    const double length = std::sqrt(-2 * std::log(draw_uniform(u, n)));
    const double angle = 2 * M_PI * (0.25 - std::abs(draw_uniform(u, n + 1) - 0.5));
    const double y = c * (length * std::sin(angle)), root = y + 1;
    // x^2 / 2 + d - d v + d log v of x = y / c and v = (1 + y)^3, without differences of large numbers.
    const double above = d * (y * y * (1.5 - y) + 3 * (std::log1p(y) - y));
    if (root > 0 && std::log(draw_uniform(u, n + 2)) < above) {
      v = root * root * root;
      break;
    }
  }
  v *= d;
  return static_cast<T>(a < 1 ? v * std::exp(std::log(draw_uniform(u, 4 * kMostTrials)) / a) : v);
}

// How many of the values from 0 on have their distribution function at or below u. That of 0 is p, and each
// next value is ratio(k) as probable. For means of 10 or less, where one above 60 comes once in 2^84 draws.
template <class Ratio>
double draw_below(double u, double p, Ratio ratio) {
  if (!(u >= 0 && u < 1)) u = 0;
  double below = p, count = 0;
  for (int k = 0; k < 60 && u >= below; ++k) {
    count = k + 1;
    p *= ratio(k);
    below += p;
  }
  return count;
}

// Inversion below a mean of 10; above Hörmann, "The transformed rejection method for generating Poisson
// random variables", 1993, without its short cuts. The published constants let the density rise 0.5 % above
// the hat in places; a hat 1 % higher covers it. 0.74 of the trials are accepted at a mean of 10, more above.
template <class T>
T draw_poisson(T u_wide, T mean_wide) {
  const auto u = static_cast<double>(u_wide), mean = static_cast<double>(mean_wide);
  if (!(mean >= 0 && mean <= 1e15) || std::isnan(u)) return -1;
  if (mean < 10)
    return static_cast<T>(draw_below(u, std::exp(-mean), [&](int k) { return mean * (1.0 / (k + 1)); }));
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = 0.02483 * b - 0.059;
  const double hat = 1.01 * (1.1239 + 1.1328 / (b - 3.4)), less = 0.5 * std::log(mean) + 0.9189385332046727;
  for (unsigned n = 0; n < 2 * kMostTrials; n += 2) {
    const double v = draw_uniform(u, n) - 0.5, near = 0.5 - std::abs(v);
    const double k = std::floor((2 * a / near + b) * v + mean + 0.43);
    if (k < 0) continue;
    // Of numbers near each other, so that means of any size keep their digits.
    const double x = k + 1, apart = (mean - x) / x;
    const double log = (x - 0.5) * std::log1p(apart) - x * apart - less - stirling_rest(x);
    if (std::log(draw_uniform(u, n + 1) * hat / (a / (near * near) + b)) <= log) return static_cast<T>(k);
  }
  return 0;
}

// Inversion below a mean of 10; above Hörmann, "The generation of binomial random variates", 1993, its hat 1
// % higher. 0.7 of the trials are accepted at n = 20, p = 1/2, more where the mean is larger.
template <class T>
T draw_binomial(T u_wide, T n_wide, T p_wide) {
  const auto u = static_cast<double>(u_wide), n = std::floor(static_cast<double>(n_wide)),
             p = static_cast<double>(p_wide);
  if (!(n >= 0 && n <= 1e15 && p >= 0 && p <= 1) || std::isnan(u)) return -1;
  const double q = std::min(p, 1 - p), odds = q / (1 - q);
  const auto result = [&](double k) { return static_cast<T>(p > 0.5 ? n - k : k); };
  if (n * q < 10) {
    const double first = std::exp(n * std::log1p(-q));
    return result(
        std::min(draw_below(u, first, [&](int k) { return (n - k) * (odds * (1.0 / (k + 1))); }), n));
  }
  const double spread = std::sqrt(n * q * (1 - q)), b = 1.15 + 2.53 * spread;
  const double a = 0.0248 * b - 0.0873 + 0.01 * q, hat = 1.01 * ((2.83 + 5.1 / b) * spread);
  const double mode = std::floor((n + 1) * q), rest = n - mode + 1;
  const double more = stirling_rest(mode + 1) + stirling_rest(rest);
  for (unsigned i = 0; i < 2 * kMostTrials; i += 2) {
    const double v = draw_uniform(u, i) - 0.5, near = 0.5 - std::abs(v);
    const double k = std::floor((2 * a / near + b) * v + n * q + 0.5);
    if (!(k >= 0 && k <= n)) continue;
    // k's probability over that of the mode, by numbers near each other, so that any n keeps its digits.
    const double x = k + 1, other = n - k + 1, apart = mode - k;
    const double log = (mode + 0.5) * std::log1p(apart / x) + (rest - 0.5) * std::log1p(-apart / other) +
                       apart * std::log(x / (other * odds)) + more - stirling_rest(x) - stirling_rest(other);
    if (std::log(draw_uniform(u, i + 1) * hat / (a / (near * near) + b)) <= log) return result(k);
  }
  return result(0);
}

// Best and Fisher, "Efficient simulation of the von Mises distribution", 1979: a wrapped Cauchy variable is
// accepted with probability 0.657 or more. Written in `rest` = 1 - rho, which large kappas make small.
template <class T>
T draw_vonmises(T u_wide, T kappa_wide) {
  const auto u = static_cast<double>(u_wide), kappa = static_cast<double>(kappa_wide);
  if (!(kappa >= 0) || std::isnan(u)) return std::numeric_limits<T>::quiet_NaN();
  const double k =
      std::min(std::max(kappa, 1e-16), 1e100);  // beyond them nothing changes; the square is finite
  const double root = std::sqrt(1 + 4 * k * k), t = 1 + root, s = t + std::sqrt(2 * t);
  const double rho = 2 * k / s, rest = (1 + 1 / (root + 2 * k) + std::sqrt(2 * t)) / s;
  const double apart = rest * (1 + rho) / (2 * rho);  // the root of r^2 - 1, where r = (1 + rho^2) / (2 rho)
  for (unsigned n = 0; n < 2 * kMostTrials; n += 2) {
    const double half = 0.5 * M_PI * (2 * draw_uniform(u, n) - 1), c = std::cos(half);
    const double y = k * apart * apart / (rest * rest / (2 * rho) + 2 * c * c);
    if (draw_uniform(u, n + 1) <= y * std::exp(1 - y))
      return static_cast<T>(2 * std::atan(rest / (1 + rho) * std::tan(half)));
  }
  return 0;
}

// Devroye, "Non-uniform random variate generation", 1986, chapter X.6, of values up to 2^63.
template <class T>
T draw_zipf(T u_wide, T a_wide) {
  const auto u = static_cast<double>(u_wide), a = static_cast<double>(a_wide);
  if (!(a > 1) || std::isnan(u)) return -1;
  if (a >= 1025) return 1;
  const double less = a - 1, b = std::expm1(less * M_LN2), least = std::exp(less * -63 * M_LN2);
  for (unsigned n = 0; n < 2 * kMostTrials; n += 2) {
    const double v = least + (1 - least) * draw_uniform(u, n),
                 x = std::floor(std::exp(std::log(v) * (-1 / less)));
    if (!(x >= 1 && x <= 9.2e18)) continue;
    const double t = std::expm1(less * std::log1p(1 / x));
    if (draw_uniform(u, n + 1) * x * t / b <= (t + 1) / (b + 1)) return static_cast<T>(x);
  }
  return 1;
}

// log(y! / x!)
inline double factorials(double y, double x) {
  const double apart = y - x;
  return (y + 0.5) * std::log1p(apart / (x + 1)) + apart * (std::log(x + 1) - 1) + stirling_rest(y + 1) -
         stirling_rest(x + 1);
}

// One after another while that takes fewer than 10; else Stadlober, "The ratio of uniforms approach for
// generating discrete random variates", 1990, out to 16 deviations.
template <class T>
T draw_hypergeometric(T u_wide, T good_wide, T bad_wide, T sample_wide) {
  const auto u = static_cast<double>(u_wide), good = std::floor(static_cast<double>(good_wide)),
             bad = std::floor(static_cast<double>(bad_wide)),
             sample = std::floor(static_cast<double>(sample_wide));
  const double all = good + bad;
  if (!(good >= 0 && bad >= 0 && sample >= 0 && sample <= all && all <= 1e15) || std::isnan(u)) return -1;
  const double drawn = std::min(sample, all - sample);  // what is taken or what is left, whichever is less
  const auto result = [&](double k) { return static_cast<T>(drawn < sample ? good - k : k); };
  if (drawn < 10) {
    double rest = good;
    for (unsigned n = 0; n < drawn; ++n)
      if (draw_uniform(u, n) * (all - n) < rest) --rest;
    return result(good - rest);
  }
  const double low = std::min(good, bad), high = std::max(good, bad), share = low / all;
  const double spread = std::sqrt((all - drawn) / (all - 1) * drawn * share * (high / all)) + 0.5;
  const double h = 1.7155277699214135 * spread + 0.8989161620588988, middle = drawn * share + 0.5;
  const double mode = std::floor((drawn + 1) / (all + 2) * (low + 1)), outside = high - drawn;
  const double end = std::min(std::min(drawn, low) + 1, std::floor(middle + 16 * spread));
  for (unsigned n = 0; n < 2 * kMostTrials; n += 2) {
    const double v = draw_uniform(u, n), x = middle + h * (draw_uniform(u, n + 1) - 0.5) / v;
    if (!(x >= 0 && x < end)) continue;
    const double k = std::floor(x);
    const double log = factorials(mode, k) + factorials(low - mode, low - k) +
                       factorials(drawn - mode, drawn - k) + factorials(outside + mode, outside + k);
    if (2 * std::log(v) <= log) return result(good > bad ? drawn - k : k);
  }
  return result(good > bad ? drawn - mode : mode);
}

}  // namespace weft::ir::eval
