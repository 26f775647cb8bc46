#include "frontend/cpp/weft/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "compiler/base/error.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/random/draw.h"
#include "frontend/cpp/weft/reductions.h"

namespace weft::random {
namespace {

using ir::NodeRef;
using ir::Op;

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kMost = 1e15;

// What `op` draws by one uniform number of a stream.
Term drawn(const Draw& d, Op op, const Shape& shape, std::initializer_list<Term> parameters,
           uint64_t stream = 0) {
  ir::Inputs in(1 + parameters.size());
  in[0] = d.uniform(shape, stream).node;
  std::transform(parameters.begin(), parameters.end(), in.begin() + 1,
                 [](const Term& one) { return one.node; });
  return d.term(ir::elementwise(op, std::move(in), d.lines()));
}

Term gamma_of(const Draw& d, const Shape& shape, const Term& a, uint64_t stream = 0) {
  return drawn(d, Op::draw_gamma, shape, {a}, stream);
}

// The logarithm of a gamma draw, which keeps what is too small for a float: below 1 one of a + 1 times
// U^(1/a). Takes the stream after this one too.
Term log_gamma_of(const Draw& d, const Shape& shape, const Term& a, uint64_t stream) {
  const Term below_one = a < 1;
  const Term rest = choose(below_one, d.exponential(shape, stream + 1) / a, a.constant(0));
  return log(gamma_of(d, shape, choose(below_one, a + 1, a), stream)) - rest;
}

Term chisquare_of(const Draw& d, const Shape& shape, const Term& df, uint64_t stream = 0) {
  return gamma_of(d, shape, df * 0.5, stream) * 2.0;
}

// Takes the stream after this one too.
Term noncentral_chisquare_of(const Draw& d, const Shape& shape, const Term& df, const Term& nonc,
                             uint64_t stream) {
  return chisquare_of(d, shape, df + 2.0 * drawn(d, Op::draw_poisson, shape, {nonc * 0.5}, stream),
                      stream + 1);
}

Array counts(Draw& d, const Term& result, const Make& make) { return d.finish(result, make, DType::I64); }

}  // namespace

Array chisquare(const Operand& key, const Operand& df, const Size& size, const Make& make) {
  Draw d("chisquare", key, make);
  const Term x = d.parameter("df", df, 0, kInfinity);
  return d.finish(chisquare_of(d, d.shape_of(size, {x}), x), make);
}

Array geometric(const Operand& key, const Operand& p, const Size& size, const Make& make) {
  Draw d("geometric", key, make);
  const Term x = d.parameter("p", p, 0, 1);
  const Term steps = apply(Op::ceil, d.exponential(d.shape_of(size, {x})) / -log1p(-x));
  return counts(d, apply(Op::maximum, steps, steps.constant(1)), make);
}

// Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981.
Array logseries(const Operand& key, const Operand& p, const Size& size, const Make& make) {
  Draw d("logseries", key, make);
  const Term x = d.parameter("p", p, 0, 1);
  const Shape shape = d.shape_of(size, {x});
  const Term q = -expm1(log1p(-x) * d.between(shape, 0)), v = d.between(shape, 1);
  const Term many = floor(log(v) / log(q) + 1), one = v.constant(1);
  const Term few = choose((v < x) & (v < q), v.constant(2), one);
  const Term steps = choose(v <= q * q, many, few);
  return counts(d, choose(v < x, apply(Op::maximum, steps, one), one), make);
}

Array pareto(const Operand& key, const Operand& a, const Size& size, const Make& make) {
  Draw d("pareto", key, make);
  const Term x = d.parameter("a", a, 0, kInfinity);
  return d.finish(expm1(d.exponential(d.shape_of(size, {x})) / x), make);
}

Array poisson(const Operand& key, const Operand& lam, const Size& size, const Make& make) {
  Draw d("poisson", key, make);
  const Term x = d.parameter("lam", lam, 0, kMost);
  return counts(d, drawn(d, Op::draw_poisson, d.shape_of(size, {x}), {x}), make);
}

Array power(const Operand& key, const Operand& a, const Size& size, const Make& make) {
  Draw d("power", key, make);
  const Term x = d.parameter("a", a, 0, kInfinity);
  return d.finish(apply(Op::pow, d.uniform(d.shape_of(size, {x})), 1.0 / x), make);
}

Array rayleigh(const Operand& key, const Operand& scale, const Size& size, const Make& make) {
  Draw d("rayleigh", key, make);
  const Term x = d.parameter("scale", scale, 0, kInfinity);
  return d.finish(x * sqrt(d.exponential(d.shape_of(size, {x})) * 2.0), make);
}

Array standard_t(const Operand& key, const Operand& df, const Size& size, const Make& make) {
  Draw d("standard_t", key, make);
  const Term x = d.parameter("df", df, 0, kInfinity);
  const Shape shape = d.shape_of(size, {x});
  return d.finish(d.normal(shape, 1) / sqrt(chisquare_of(d, shape, x) / x), make);
}

Array weibull(const Operand& key, const Operand& a, const Size& size, const Make& make) {
  Draw d("weibull", key, make);
  const Term x = d.parameter("a", a, 0, kInfinity);
  return d.finish(apply(Op::pow, d.exponential(d.shape_of(size, {x})), 1.0 / x), make);
}

Array zipf(const Operand& key, const Operand& a, const Size& size, const Make& make) {
  Draw d("zipf", key, make);
  const Term x = d.parameter("a", a, std::nextafter(1.0, 2.0), kInfinity);
  return counts(d, drawn(d, Op::draw_zipf, d.shape_of(size, {x}), {x}), make);
}

Array beta(const Operand& key, const Operand& a, const Operand& b, const Size& size, const Make& make) {
  Draw d("beta", key, make);
  const Term x = d.parameter("a", a, 0, kInfinity), y = d.parameter("b", b, 0, kInfinity);
  const Shape shape = d.shape_of(size, {x, y});
  return d.finish(apply(Op::sigmoid, log_gamma_of(d, shape, x, 0) - log_gamma_of(d, shape, y, 2)), make);
}

Array binomial(const Operand& key, const Operand& n, const Operand& p, const Size& size, const Make& make) {
  Draw d("binomial", key, make);
  const Term x = d.parameter("n", n, 0, kMost), y = d.parameter("p", p, 0, 1);
  return counts(d, drawn(d, Op::draw_binomial, d.shape_of(size, {x, y}), {x, y}), make);
}

Array f(const Operand& key, const Operand& dfnum, const Operand& dfden, const Size& size, const Make& make) {
  Draw d("f", key, make);
  const Term x = d.parameter("dfnum", dfnum, 0, kInfinity), y = d.parameter("dfden", dfden, 0, kInfinity);
  const Shape shape = d.shape_of(size, {x, y});
  return d.finish((chisquare_of(d, shape, x, 0) / x) / (chisquare_of(d, shape, y, 1) / y), make);
}

Array gamma(const Operand& key, const Operand& a, const Operand& scale, const Size& size, const Make& make) {
  Draw d("gamma", key, make);
  const Term x = d.parameter("shape", a, 0, kInfinity), y = d.parameter("scale", scale, 0, kInfinity);
  return d.finish(y * gamma_of(d, d.shape_of(size, {x, y}), x), make);
}

Array gumbel(const Operand& key, const Operand& loc, const Operand& scale, const Size& size,
             const Make& make) {
  Draw d("gumbel", key, make);
  const Term x = d.parameter("loc", loc, -kInfinity, kInfinity),
             y = d.parameter("scale", scale, 0, kInfinity);
  return d.finish(x - y * log(-log(d.between(d.shape_of(size, {x, y})))), make);
}

Array laplace(const Operand& key, const Operand& loc, const Operand& scale, const Size& size,
              const Make& make) {
  Draw d("laplace", key, make);
  const Term x = d.parameter("loc", loc, -kInfinity, kInfinity),
             y = d.parameter("scale", scale, 0, kInfinity);
  const Shape shape = d.shape_of(size, {x, y});
  const Term e = d.exponential(shape, 0);
  return d.finish(x + y * choose(d.uniform(shape, 1) < 0.5, -e, e), make);
}

Array logistic(const Operand& key, const Operand& loc, const Operand& scale, const Size& size,
               const Make& make) {
  Draw d("logistic", key, make);
  const Term x = d.parameter("loc", loc, -kInfinity, kInfinity),
             y = d.parameter("scale", scale, 0, kInfinity);
  const Term u = d.between(d.shape_of(size, {x, y}));
  return d.finish(x + y * (log(u) - log1p(-u)), make);
}

Array lognormal(const Operand& key, const Operand& mean, const Operand& sigma, const Size& size,
                const Make& make) {
  Draw d("lognormal", key, make);
  const Term x = d.parameter("mean", mean, -kInfinity, kInfinity),
             y = d.parameter("sigma", sigma, 0, kInfinity);
  return d.finish(exp(x + y * d.normal(d.shape_of(size, {x, y}))), make);
}

// A Poisson number of a gamma mean.
Array negative_binomial(const Operand& key, const Operand& n, const Operand& p, const Size& size,
                        const Make& make) {
  Draw d("negative_binomial", key, make);
  const Term x = d.parameter("n", n, 0, kInfinity), y = d.parameter("p", p, 0, 1);
  const Shape shape = d.shape_of(size, {x, y});
  const Term mean = gamma_of(d, shape, x, 1) * ((1 - y) / y);
  return counts(d, drawn(d, Op::draw_poisson, shape, {mean}), make);
}

Array noncentral_chisquare(const Operand& key, const Operand& df, const Operand& nonc, const Size& size,
                           const Make& make) {
  Draw d("noncentral_chisquare", key, make);
  const Term x = d.parameter("df", df, 0, kInfinity), y = d.parameter("nonc", nonc, 0, kInfinity);
  return d.finish(noncentral_chisquare_of(d, d.shape_of(size, {x, y}), x, y, 0), make);
}

Array vonmises(const Operand& key, const Operand& mu, const Operand& kappa, const Size& size,
               const Make& make) {
  Draw d("vonmises", key, make);
  const Term x = d.parameter("mu", mu, -kInfinity, kInfinity), y = d.parameter("kappa", kappa, 0, kInfinity);
  const Term turned = x + drawn(d, Op::draw_vonmises, d.shape_of(size, {x, y}), {y});
  constexpr double kTurn = 2 * std::numbers::pi;
  return d.finish(turned - kTurn * apply(Op::round, turned / kTurn), make);
}

// Michael, Schucany and Haas, "Generating random variates using transformations with multiple roots", 1976.
Array wald(const Operand& key, const Operand& mean, const Operand& scale, const Size& size,
           const Make& make) {
  Draw d("wald", key, make);
  const Term x = d.parameter("mean", mean, 0, kInfinity), y = d.parameter("scale", scale, 0, kInfinity);
  const Shape shape = d.shape_of(size, {x, y});
  const Term w = x * apply(Op::square, d.normal(shape, 1)) / (2.0 * y);
  const Term root = x / (1 + w + sqrt(w * (w + 2)));  // the smaller of two, without a difference
  return d.finish(choose(d.uniform(shape, 0) * (x + root) <= x, root, x * (x / root)), make);
}

Array hypergeometric(const Operand& key, const Operand& good, const Operand& bad, const Operand& sample,
                     const Size& size, const Make& make) {
  Draw d("hypergeometric", key, make);
  const Term x = d.parameter("ngood", good, 0, kMost), y = d.parameter("nbad", bad, 0, kMost);
  const Term z = d.parameter("nsample", sample, 0, kMost);
  if (!good.array() && !bad.array() && !sample.array()) {
    const auto value = [](const Operand& o) { return o.number().value().cast(DType::F64).re; };
    if (value(sample) > value(good) + value(bad)) {
      throw Error("hypergeometric: nsample is at most ngood + nbad: got " +
                  ir::to_string(sample.number().value()) + " of " + ir::to_string(good.number().value()) +
                  " + " + ir::to_string(bad.number().value()));
    }
  }
  return counts(d, drawn(d, Op::draw_hypergeometric, d.shape_of(size, {x, y, z}), {x, y, z}), make);
}

Array noncentral_f(const Operand& key, const Operand& dfnum, const Operand& dfden, const Operand& nonc,
                   const Size& size, const Make& make) {
  Draw d("noncentral_f", key, make);
  const Term x = d.parameter("dfnum", dfnum, 0, kInfinity), y = d.parameter("dfden", dfden, 0, kInfinity);
  const Term z = d.parameter("nonc", nonc, 0, kInfinity);
  const Shape shape = d.shape_of(size, {x, y, z});
  return d.finish((noncentral_chisquare_of(d, shape, x, z, 0) / x) / (chisquare_of(d, shape, y, 2) / y),
                  make);
}

// By the inverse of its distribution function.
Array triangular(const Operand& key, const Operand& left, const Operand& mode, const Operand& right,
                 const Size& size, const Make& make) {
  Draw d("triangular", key, make);
  const Term x = d.parameter("left", left, -kInfinity, kInfinity);
  const Term y = d.parameter("mode", mode, -kInfinity, kInfinity);
  const Term z = d.parameter("right", right, -kInfinity, kInfinity);
  const Term u = d.uniform(d.shape_of(size, {x, y, z})), width = z - x;
  const Term below = x + sqrt(u * (width * (y - x))), above = z - sqrt((1 - u) * (width * (z - y)));
  return d.finish(choose(u * width < y - x, below, above), make);
}

Array standard_cauchy(const Operand& key, const Shape& shape, const Make& make) {
  Draw d("standard_cauchy", key, make);
  return d.finish(apply(Op::tan, (d.between(shape) - 0.5) * std::numbers::pi), make);
}

Array bernoulli(const Operand& key, const Operand& p, const Size& size) {
  Draw d("bernoulli", key);
  const Term x = d.parameter("p", p, 0, 1);
  return d.finish((d.uniform(d.shape_of(size, {x})) < x).node, DType::Bool);
}

Array dirichlet(const Operand& key, const Operand& alpha, const Shape& size, const Make& make) {
  Draw d("dirichlet", key, make);
  const Term x = d.parameter("alpha", alpha, 0, kInfinity);
  if (x.node->shape().size() != 1) {
    throw Error("dirichlet: alpha has one axis: got shape " + to_string(x.node->shape()));
  }
  Shape shape = size;
  shape.push_back(x.node->shape()[0]);
  const Array logs = d.finish(log_gamma_of(d, shape, x, 0), {});
  const Array parts = softmax(Operand(logs, key.at()), -1);
  return make.dtype ? parts.astype(*make.dtype) : parts;
}

namespace {

// Counts that are drawn one after another, each from what the ones before left, along a last axis.
template <class DrawOne>
Array successive(Draw& d, const Term& total, const Shape& shape, size_t kinds, const Make& make,
                 DrawOne one) {
  const NodeRef parent = d.key();
  Term left = d.term(ir::broadcast(total.node, shape, d.lines()));
  std::vector<NodeRef> columns;
  Shape column = shape;
  column.push_back(1);
  const auto keep = [&](const Term& count) { columns.push_back(ir::reshape(count.node, column, d.lines())); };
  for (size_t k = 0; k + 1 < kinds; ++k) {
    d.descend(parent, k);
    const Term count = one(k, left);
    keep(count);
    left = left - count;
  }
  if (kinds > 0) keep(left);
  column.back() = static_cast<int64_t>(kinds);
  const NodeRef result = columns.empty() ? ir::constant({DType::F64, column}, Scalar::of(0.0), d.lines())
                                         : ir::concat(columns, static_cast<int64_t>(shape.size()), d.lines());
  return d.finish(result, make.dtype.value_or(DType::I64));
}

}  // namespace

Array multinomial(const Operand& key, const Operand& n, const std::vector<double>& probabilities,
                  const Size& size, const Make& make) {
  double sum = 0;
  bool valid = true;
  for (size_t k = 0; k < probabilities.size(); ++k) {
    valid = valid && probabilities[k] >= 0;
    if (k + 1 < probabilities.size()) sum += probabilities[k];
  }
  if (!valid || sum > 1 + 1e-12) {
    throw Error("multinomial: pvals are probabilities along one axis that sum to 1: got " +
                std::to_string(probabilities.size()) + " whose first ones sum to " +
                ir::to_string(Scalar::of(sum)));
  }
  Draw d("multinomial", key, make);
  const Term trials = floor(d.parameter("n", n, 0, kMost));
  const Shape shape = d.shape_of(size, {trials});
  double rest = 1;
  return successive(d, trials, shape, probabilities.size(), make, [&](size_t k, const Term& left) {
    const double p = rest > 0 ? std::min(probabilities[k] / rest, 1.0) : 0;
    rest -= probabilities[k];
    return drawn(d, Op::draw_binomial, shape, {left, left.constant(p)});
  });
}

Array multivariate_hypergeometric(const Operand& key, const std::vector<int64_t>& colors,
                                  const Operand& sample, const Size& size, const Make& make) {
  double rest = 0;
  for (const int64_t one : colors) {
    if (one < 0) {
      throw Error("multivariate_hypergeometric: colors are counts of 0 or more: got " + std::to_string(one));
    }
    rest += static_cast<double>(one);
  }
  Draw d("multivariate_hypergeometric", key, make);
  const Term taken = floor(d.parameter("nsample", sample, 0, std::min(rest, kMost)));
  const Shape shape = d.shape_of(size, {taken});
  return successive(d, taken, shape, colors.size(), make, [&](size_t k, const Term& left) {
    const auto good = static_cast<double>(colors[k]);
    rest -= good;
    return drawn(d, Op::draw_hypergeometric, shape, {left.constant(good), left.constant(rest), left});
  });
}

}  // namespace weft::random
