// NumPy's distributions as functions of a key, as random.h has the plain ones: an element depends on the key,
// its position and its parameters alone, and draws fuse into what uses them. What rejects and draws again
// does so inside of its kernel until a trial is accepted, so distributions are exact to rounding.
//
// Parameters are numbers or arrays that broadcast with the size; without a size the result has the shape to
// which they broadcast. A number out of range is an Error; where an array's element is, a real draw is NaN
// and a count -1. Real draws are f64 and counts i64 unless `make` says otherwise.
#pragma once

#include <optional>
#include <vector>

#include "frontend/cpp/weft/create.h"

namespace weft::random {

using Size = std::optional<Shape>;

// Each distribution with its parameters, as NumPy names them: DISTRIBUTION1(name, parameter), … with 2 and 3.
// The list is what the Python module binds.
#define WEFT_DISTRIBUTIONS(DISTRIBUTION1, DISTRIBUTION2, DISTRIBUTION3)                                \
  DISTRIBUTION1(chisquare, df)                     /* the sum of the squares of df normals */          \
  DISTRIBUTION1(geometric, p)                      /* trials up to the first success */                \
  DISTRIBUTION1(logseries, p)                      /* k of probability -p^k / (k log(1 - p)) */        \
  DISTRIBUTION1(pareto, a)                         /* exp(E / a) - 1 of an exponential E */            \
  DISTRIBUTION1(poisson, lam)                      /* events where `lam` are expected, up to 1e15 */   \
  DISTRIBUTION1(power, a)                          /* a uniform to the power 1 / a */                  \
  DISTRIBUTION1(rayleigh, scale)                   /* the length of a vector of two normals */         \
  DISTRIBUTION1(standard_t, df)                    /* Student's t */                                   \
  DISTRIBUTION1(weibull, a)                        /* an exponential to the power 1 / a */             \
  DISTRIBUTION1(zipf, a)                           /* k of probability proportional to k^-a */         \
  DISTRIBUTION2(beta, a, b)                        /* x / (x + y) of gammas of the shapes a and b */   \
  DISTRIBUTION2(binomial, n, p)                    /* successes in n trials, up to 1e15 */             \
  DISTRIBUTION2(f, dfnum, dfden)                   /* the ratio of two chi-squares over their df */    \
  DISTRIBUTION2(gamma, shape, scale)               /* scale * a gamma of this shape parameter */       \
  DISTRIBUTION2(gumbel, loc, scale)                /* loc - scale * log(E) of an exponential E */      \
  DISTRIBUTION2(laplace, loc, scale)               /* loc + scale * an exponential of either sign */   \
  DISTRIBUTION2(logistic, loc, scale)              /* loc + scale * log(u / (1 - u)) of a uniform u */ \
  DISTRIBUTION2(lognormal, mean, sigma)            /* the exponential of a normal */                   \
  DISTRIBUTION2(negative_binomial, n, p)           /* failures before n successes */                   \
  DISTRIBUTION2(noncentral_chisquare, df, nonc)    /* chisquare of df + 2 poisson(nonc / 2) */         \
  DISTRIBUTION2(vonmises, mu, kappa)               /* an angle from -pi to pi around mu */             \
  DISTRIBUTION2(wald, mean, scale)                 /* the inverse Gaussian */                          \
  DISTRIBUTION3(hypergeometric, good, bad, sample) /* how many of a sample are good, of up to 1e15 */  \
  DISTRIBUTION3(noncentral_f, dfnum, dfden, nonc)  /* as f, of a noncentral chi-square */              \
  DISTRIBUTION3(triangular, left, mode, right)     /* density rising from left to mode, then falling */

#define WEFT_DECLARE1(name, a) \
  Array name(const Operand& key, const Operand& a, const Size& size = {}, const Make& make = {});
#define WEFT_DECLARE2(name, a, b)                                                           \
  Array name(const Operand& key, const Operand& a, const Operand& b, const Size& size = {}, \
             const Make& make = {});
#define WEFT_DECLARE3(name, a, b, c)                                                   \
  Array name(const Operand& key, const Operand& a, const Operand& b, const Operand& c, \
             const Size& size = {}, const Make& make = {});
WEFT_DISTRIBUTIONS(WEFT_DECLARE1, WEFT_DECLARE2, WEFT_DECLARE3)
#undef WEFT_DECLARE1
#undef WEFT_DECLARE2
#undef WEFT_DECLARE3

// The tangent of a uniform angle.
Array standard_cauchy(const Operand& key, const Shape& shape, const Make& make = {});
// True with probability p.
Array bernoulli(const Operand& key, const Operand& p, const Size& size = {});

// ---- vectors along a last axis
// Gammas of the shapes alpha, of one axis, divided by their sum.
Array dirichlet(const Operand& key, const Operand& alpha, const Shape& size = {}, const Make& make = {});
// How often each outcome comes in n trials. Error when the probabilities, but for the last one, exceed 1 in
// sum.
Array multinomial(const Operand& key, const Operand& n, const std::vector<double>& probabilities,
                  const Size& size = {}, const Make& make = {});
// How many of each colour are in a sample taken from `colors` things of each.
Array multivariate_hypergeometric(const Operand& key, const std::vector<int64_t>& colors,
                                  const Operand& sample, const Size& size = {}, const Make& make = {});

}  // namespace weft::random
