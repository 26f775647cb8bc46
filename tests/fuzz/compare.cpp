#include "tests/fuzz/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compiler/ir/build.h"
#include "tests/fuzz/random.h"

namespace weft::test {

namespace {

bool near(double got, double want, double bound, double scale) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return got == want;
  return std::abs(got - want) <= bound * std::max({std::abs(want), std::abs(got), scale});
}

}  // namespace

std::string difference(const ir::HostTensor& got, const ir::HostTensor& want, const Tolerance& tolerance,
                       std::span<const ir::HostTensor* const> nudged) {
  DType t = want.type.dtype;
  int64_t n = element_count(want.type.shape);
  if (got.data.size() != want.data.size())
    return fmt::format("{} bytes instead of {}", got.data.size(), want.data.size());
  double bound = t == DType::F16            ? 4e-3
                 : t == DType::BF16         ? 3e-2
                 : real_of(t) == DType::F32 ? tolerance.relative32
                                            : tolerance.relative64;
  const auto agree = [&](const Scalar& g, const Scalar& w) {
    if (is_float(t)) {
      return tolerance.exact ? (g.re == w.re && std::signbit(g.re) == std::signbit(w.re)) ||
                                   (std::isnan(g.re) && std::isnan(w.re))
                             : near(g.re, w.re, bound, bound);
    }
    if (is_complex(t)) {
      double scale = std::hypot(w.re, w.im);
      if (!std::isfinite(scale)) scale = 0;
      return near(g.re, w.re, bound, scale) && near(g.im, w.im, bound, scale);
    }
    return g.i == w.i;
  };
  for (int64_t i = 0; i < n; ++i) {
    size_t at = static_cast<size_t>(i) * size_of(t);
    Scalar g = Scalar::load(t, got.data.data() + at), w = Scalar::load(t, want.data.data() + at);
    const auto determined = [&](const ir::HostTensor* other) {
      return agree(Scalar::load(t, other->data.data() + at), w);
    };
    if (agree(g, w) || !std::ranges::all_of(nudged, determined)) continue;
    return is_complex(t) ? fmt::format("element {}: got ({}, {}), want ({}, {})", i, g.re, g.im, w.re, w.im)
           : is_float(t) ? fmt::format("element {}: got {}, want {}", i, g.re, w.re)
                         : fmt::format("element {}: got {}, want {}", i, g.i, w.i);
  }
  return "";
}

namespace {

// Whether a value is made by arithmetic, or given, rather than moved or read otherwise.
bool may_round(const ir::Node& node) {
  const ir::OpKind kind = ir::kind(node.op);
  if (kind == ir::OpKind::View || kind == ir::OpKind::Gather || kind == ir::OpKind::Update) return false;
  return (is_float(node.dtype()) || is_complex(node.dtype())) && node.op != ir::Op::bitcast;
}

// What a machine may do otherwise: the signs of computed NaNs alone, which kernels may all choose alike, or
// signs and roundings at random.
enum class Nudge { NansPlus, NansMinus, All };

// Some roundings more or less of each element. A part of a complex number may be off by as much as the other
// is.
void nudge(ir::HostTensor& values, Random& random, Nudge how) {
  const DType t = values.type.dtype, real = real_of(t);
  const double relative = real == DType::F16    ? 0x1p-9
                          : real == DType::BF16 ? 0x1p-6
                          : real == DType::F32  ? 0x1p-19
                                                : 0x1p-44;
  const auto nudged = [&](double x, double beside) {
    const double by = random.chance(0.5) ? relative : -relative;
    if (std::isnan(x))
      return std::copysign(x, how == Nudge::NansPlus ? 1 : how == Nudge::NansMinus ? -1 : by);
    if (how != Nudge::All) return x;
    return x + by * x + (std::isfinite(beside) && random.chance(0.5) ? by * beside : 0);
  };
  for (size_t at = 0; at < values.data.size(); at += size_of(t)) {
    Scalar x = Scalar::load(t, values.data.data() + at);
    const double re = x.re;
    x.re = nudged(x.re, is_complex(t) ? x.im : 0);
    if (is_complex(t)) x.im = nudged(x.im, re);
    x.store(values.data.data() + at);
  }
}

}  // namespace

std::vector<ir::HostTensor> interpret_nudged(const ir::Graph& graph,
                                             const std::vector<ir::HostTensor>& inputs, uint64_t seed) {
  Random random(seed);
  const Nudge how = seed == 0 ? Nudge::NansPlus : seed == 1 ? Nudge::NansMinus : Nudge::All;
  std::unordered_map<const ir::Node*, ir::HostTensor> values;
  for (const ir::Node* node : ir::topological_order(graph.outputs)) {
    std::vector<ir::NodeRef> operands;
    std::vector<ir::HostTensor> given;
    for (auto& in : node->inputs) {
      operands.push_back(ir::input(in->type, {}));
      given.push_back(values.at(in.get()));
    }
    ir::Graph step{operands, {}};
    if (const auto at = std::ranges::find(graph.inputs, node, &ir::NodeRef::get); at != graph.inputs.end()) {
      step = {{*at}, {*at}};
      given = {inputs[static_cast<size_t>(at - graph.inputs.begin())]};
    } else {
      step.outputs = {ir::with_inputs(*node, operands)};
    }
    ir::HostTensor value = std::move(ir::interpret(step, given)[0]);
    if (may_round(*node)) nudge(value, random, how);
    values.emplace(node, std::move(value));
  }
  std::vector<ir::HostTensor> results;
  for (auto& out : graph.outputs) results.push_back(values.at(out.get()));
  return results;
}

}  // namespace weft::test
