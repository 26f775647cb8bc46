#include "frontend/cpp/inspect/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/text/print.h"

namespace weft::detail {
namespace {

double epsilon(DType t) {
  switch (real_of(t)) {
    case DType::F16:
      return 0x1p-10;
    case DType::BF16:
      return 0x1p-7;
    case DType::F32:
      return std::numeric_limits<float>::epsilon();
    default:
      return std::numeric_limits<double>::epsilon();
  }
}

double largest_finite(const ir::HostTensor& t) {
  double out = 0;
  size_t step = size_of(t.type.dtype);
  for (size_t at = 0; at < t.data.size(); at += step) {
    Scalar s = Scalar::load(t.type.dtype, t.data.data() + at);
    for (double part : {s.re, s.im})
      if (std::isfinite(part)) out = std::max(out, std::abs(part));
  }
  return out;
}

double part_difference(double got, double want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (got == want) return 0;
  double d = std::abs(got - want);
  return std::isfinite(d) ? d : std::numeric_limits<double>::infinity();
}

// The distance of two numbers between which floats of the dtype lie `size` apart.
double in_units(double difference, double size, DType t) {
  if (difference == 0) return 0;
  int smallest = -1022, exponent = 0;
  if (real_of(t) == DType::F16) smallest = -14;
  if (real_of(t) == DType::BF16 || real_of(t) == DType::F32) smallest = -126;
  std::frexp(size, &exponent);
  return difference / std::ldexp(epsilon(t), std::max(exponent - 1, smallest));
}

}  // namespace

std::string position(size_t index, const Shape& shape) {
  Dims at(shape.size(), 0);
  for (size_t k = shape.size(); k-- > 0;) {
    at[k] = static_cast<int64_t>(index) % shape[k];
    index /= static_cast<size_t>(shape[k]);
  }
  return to_string(at);
}

double rounding_of(std::span<const ir::HostTensor> values) {
  double most = 0;
  for (const ir::HostTensor& x : values) {
    if (!is_float(x.type.dtype) && !is_complex(x.type.dtype)) continue;
    const double unit = epsilon(x.type.dtype),
                 n = static_cast<double>(std::max<int64_t>(1, element_count(x.type.shape)));
    most = std::max(most, std::min(std::sqrt(unit) / 8, 4 * std::sqrt(n) * unit) * largest_finite(x));
  }
  return most;
}

Comparison compare(const ir::HostTensor& got, const ir::HostTensor& reference, double rounding) {
  DType t = reference.type.dtype;
  size_t step = size_of(t), n = reference.data.size() / step, worst = 0, nans = 0;
  bool inexact = is_float(t) || is_complex(t);
  double most = -1, ulps = 0;
  for (size_t i = 0; i < n; ++i) {
    Scalar g = Scalar::load(t, got.data.data() + i * step),
           w = Scalar::load(t, reference.data.data() + i * step);
    double d = inexact ? std::max(part_difference(g.re, w.re), part_difference(g.im, w.im)) : g.i != w.i;
    if (d > most) most = d, worst = i;
    ulps = std::max(ulps, inexact ? in_units(d, std::max(std::abs(w.re), std::abs(w.im)), t)
                                  : (d == 0 ? 0 : std::numeric_limits<double>::infinity()));
    nans += inexact && d == 0 && (std::isnan(w.re) || std::isnan(w.im));
  }
  if (most <= 0 && nans > 0)
    return {true,
            nans == n ? "every element is NaN, so that nothing was compared"
                      : fmt::format("every element is equal, {} of {} are NaN", nans, n),
            0, nans == n};
  if (most <= 0) return {true, "every element is equal"};
  auto at = [&](const ir::HostTensor& x) {
    return ir::to_string(Scalar::load(t, x.data.data() + worst * step));
  };
  double allowed = inexact ? std::max(rounding, std::sqrt(epsilon(t)) / 8 * largest_finite(reference)) : 0;
  return {most <= allowed,
          fmt::format("{} {} instead of {} at {}", inexact ? "the largest difference:" : "got", at(got),
                      at(reference), position(worst, reference.type.shape)),
          ulps};
}

namespace {

// How far an element is from what a reference gives, which is not rounded but where the dtype cannot hold it.
double units_between(const Scalar& got, const Scalar& exact) {
  const DType t = got.dtype;
  const Scalar ought = exact.cast(t);
  if (!is_float(t) && !is_complex(t))
    return got.i == ought.i && ought.cast(exact.dtype).i == exact.i ? 0
                                                                    : std::numeric_limits<double>::infinity();
  const Scalar fine = exact.cast(is_complex(t) ? DType::C128 : DType::F64);
  double difference = 0, size = 0;
  const auto part = [&](double is, double rounded, double unrounded) {
    const bool finite = std::isfinite(rounded);
    difference = std::max(difference, part_difference(is, finite ? unrounded : rounded));
    if (finite) size = std::max(size, std::abs(unrounded));
  };
  part(got.re, ought.re, fine.re);
  part(got.im, ought.im, fine.im);
  return in_units(difference, size, t);
}

}  // namespace

Comparison compare_within(const ir::HostTensor& got, const ir::HostTensor& reference, double ulps) {
  const auto element = [](const ir::HostTensor& x, size_t k) {
    return Scalar::load(x.type.dtype, x.data.data() + k * size_of(x.type.dtype));
  };
  const size_t n = got.data.size() / size_of(got.type.dtype);
  Comparison worst;
  size_t at = 0;
  for (size_t k = 0; k < n; ++k)
    if (const double off = units_between(element(got, k), element(reference, k)); off > worst.ulps)
      worst.ulps = off, at = k;
  worst.agrees = worst.ulps <= ulps;
  if (worst.ulps > 0)
    worst.text = fmt::format("{} instead of {} at {}", ir::to_string(element(got, at)),
                             ir::to_string(element(reference, at)), position(at, got.type.shape));
  return worst;
}

}  // namespace weft::detail
