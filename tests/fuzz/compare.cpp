#include "tests/fuzz/compare.h"

#include <fmt/format.h>

#include <cmath>

namespace weft::test {

namespace {

bool near(double got, double want, double bound, double scale) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return got == want;
  return std::abs(got - want) <= bound * std::max({std::abs(want), std::abs(got), scale});
}

}  // namespace

std::string difference(const ir::HostTensor& got, const ir::HostTensor& want, const Tolerance& tolerance,
                       const ir::HostTensor* nudged) {
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
    if (agree(g, w) || (nudged && !agree(Scalar::load(t, nudged->data.data() + at), w))) continue;
    return is_complex(t) ? fmt::format("element {}: got ({}, {}), want ({}, {})", i, g.re, g.im, w.re, w.im)
           : is_float(t) ? fmt::format("element {}: got {}, want {}", i, g.re, w.re)
                         : fmt::format("element {}: got {}, want {}", i, g.i, w.i);
  }
  return "";
}

std::vector<ir::HostTensor> nudged(std::vector<ir::HostTensor> inputs) {
  for (ir::HostTensor& in : inputs) {
    const DType t = in.type.dtype, real = real_of(t);
    if (!is_float(t) && !is_complex(t)) continue;
    const double relative = real == DType::F16 ? 0x1p-9 : real == DType::BF16 ? 0x1p-6 : 0x1p-19;
    for (size_t at = 0; at < in.data.size(); at += size_of(t)) {
      Scalar x = Scalar::load(t, in.data.data() + at);
      const double factor = at / size_of(t) % 3 == 0 ? 1 - relative : 1 + relative;
      x.re *= factor, x.im *= factor;
      x.store(in.data.data() + at);
    }
  }
  return inputs;
}

}  // namespace weft::test
