#include "tests/benchmarks/workloads.h"

#include <cmath>

using weft::Array;
using weft::newaxis;
using weft::Shape;
using weft::Slice;
using Arrays = std::vector<Array>;

namespace weft::bench {
namespace {

Arrays axpy_chain(std::span<const Array> in) {
  const Array &a = in[0], &b = in[1], &c = in[2];
  Array y = a * b + c;
  return {tanh(y) * (1.0 / (1.0 + exp(-y))) + exp(-y * y)};
}

Arrays maximum_3d(std::span<const Array> in) { return {maximum(in[0], in[1])}; }

Arrays black_scholes(std::span<const Array> in) {
  const Array &s = in[0], &k = in[1], &t = in[2];
  const double r = 0.02, v = 0.3;
  auto normal = [](const Array& d) { return 0.5 * (1.0 + erf(d / std::sqrt(2.0))); };
  Array d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t));
  Array d2 = d1 - v * sqrt(t);
  Array discounted = k * exp(-r * t);
  Array call = s * normal(d1) - discounted * normal(d2);
  return {call, call - s + discounted};
}

Arrays softmax(std::span<const Array> in) {
  Array e = exp(in[0] - max(in[0], 1, true));
  return {e / sum(e, 1, true)};
}

Arrays layernorm(std::span<const Array> in) {
  const Array &a = in[0], &gain = in[1], &bias = in[2];
  Array d = a - mean(a, 1, true);
  Array variance = mean(d * d, 1, true);
  return {d / sqrt(variance + 1e-5) * gain + bias};
}

Arrays sum_all(std::span<const Array> in) { return {sum(in[0])}; }

Arrays sum_cols(std::span<const Array> in) { return {sum(in[0], 0)}; }

Arrays mean_var_rows(std::span<const Array> in) {
  Array d = in[0] - mean(in[0], 1, true);
  return {mean(in[0], 1), mean(d * d, 1)};
}

Arrays dot_exp_reduce(std::span<const Array> in) { return {sum(exp(-in[0] * in[1]) * in[0])}; }

Arrays matvec(std::span<const Array> in) { return {sum(in[0] * in[1], 1)}; }

Arrays add_transposed(std::span<const Array> in) { return {in[0] + in[1].T() * 2.0}; }

Arrays heat5(std::span<const Array> in) {
  const Array& u = in[0];
  const Slice inner{1, -1}, before{{}, -2}, after{2};
  Array c = u(inner, inner);
  return {c + 0.1 * (u(after, inner) + u(before, inner) + u(inner, after) + u(inner, before) - 4.0 * c)};
}

Arrays nbody_pairs(std::span<const Array> in) {
  auto between = [](const Array& p) { return p(newaxis, Slice{}) - p(Slice{}, newaxis); };
  Array dx = between(in[0]), dy = between(in[1]), dz = between(in[2]);
  Array inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3);
  Array cubed = inverse * inverse * inverse;
  return {sum(dx * cubed, 1), sum(dy * cubed, 1), sum(dz * cubed, 1)};
}

Arrays svd_reco(std::span<const Array> in) { return {matmul(in[0] * in[1], in[2])}; }

Arrays mlp_bias_gelu(std::span<const Array> in) {
  Array h = matmul(in[0], in[1]) + in[2];
  return {0.5 * h * (1.0 + erf(h * std::sqrt(0.5)))};
}

Arrays small_chain(std::span<const Array> in) {
  const Array &a = in[0], &b = in[1];
  Array y = a * b + 1.0;
  y = y * a - b;
  y = tanh(y) + a;
  y = y * y + b;
  return {sqrt(y * y + 1.0) * a};
}

}  // namespace

const std::vector<Workload>& workloads() {
  using Shapes = std::vector<Shape>;
  static const std::vector<Workload> table = {
      {"axpy_chain", axpy_chain, [](const Sizes& z) { return Shapes(3, {z.n}); }},
      {"maximum_3d", maximum_3d, [](const Sizes& z) { return Shapes(2, {z.cube, z.cube, z.cube}); }},
      {"black_scholes", black_scholes, [](const Sizes& z) { return Shapes(3, {z.n / 2}); }},
      {"softmax_rows", softmax, [](const Sizes& z) { return Shapes{z.rows}; }},
      {"layernorm", layernorm, [](const Sizes& z) { return Shapes{z.rows, {z.rows[1]}, {z.rows[1]}}; }},
      {"sum_all", sum_all, [](const Sizes& z) { return Shapes{{z.n}}; }},
      {"sum_cols", sum_cols, [](const Sizes& z) { return Shapes{z.rows}; }},
      {"mean_var_rows", mean_var_rows, [](const Sizes& z) { return Shapes{z.rows}; }},
      {"dot_exp_reduce", dot_exp_reduce, [](const Sizes& z) { return Shapes(2, {z.n}); }},
      {"matvec", matvec, [](const Sizes& z) { return Shapes{z.matvec, {z.matvec[1]}}; }},
      {"add_transposed", add_transposed, [](const Sizes& z) { return Shapes(2, {z.square, z.square}); }},
      {"heat5", heat5, [](const Sizes& z) { return Shapes{{z.square, z.square}}; }},
      {"nbody_pairs", nbody_pairs, [](const Sizes& z) { return Shapes(3, {z.bodies}); }},
      {"svd_reco", svd_reco,
       [](const Sizes& z) { return Shapes{{z.svd[0], z.svd[1]}, {z.svd[1]}, {z.svd[1], z.svd[2]}}; }},
      {"mlp_bias_gelu", mlp_bias_gelu,
       [](const Sizes& z) { return Shapes{{z.mlp[0], z.mlp[1]}, {z.mlp[1], z.mlp[2]}, {z.mlp[2]}}; }},
      {"softmax_wide", softmax, [](const Sizes& z) { return Shapes{z.wide}; }},
      {"small_chain", small_chain, [](const Sizes&) { return Shapes(2, {4096}); }},
  };
  return table;
}

}  // namespace weft::bench
