#include "tests/op_table/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/fuzz/random.h"

namespace weft::test {
namespace {

std::vector<Scalar> float_edges(DType t) {
  const int mantissa = t == DType::F16 ? 10 : t == DType::BF16 ? 7 : t == DType::F32 ? 23 : 52;
  const int sign = static_cast<int>(8 * size_of(t)) - 1;
  const uint64_t one = 1, infinity = ((one << (sign - mantissa)) - 1) << mantissa;
  std::vector<Scalar> edges = {Scalar::of(static_cast<double>(NAN)).cast(t)};
  for (uint64_t bits : {uint64_t{0}, one, (one << mantissa) - 1, one << mantissa, infinity - 1, infinity})
    for (uint64_t negative : {uint64_t{0}, one}) {
      const uint64_t both = bits | negative << sign;
      edges.push_back(Scalar::load(t, &both));
    }
  for (double v : {0.5, 1.0, 1.5, 2.0, 2.5, 3.0})
    for (double s : {1.0, -1.0}) edges.push_back(Scalar::of(s * v).cast(t));
  return edges;
}

std::vector<Scalar> integer_edges(DType t) {
  const int bits = static_cast<int>(8 * size_of(t));
  const bool is_signed = kind(t) == DTypeKind::Signed;
  const uint64_t all = ~uint64_t{0} >> (64 - bits), high = is_signed ? all >> 1 : all;
  std::vector<uint64_t> values = {0, 1, 2, 3, 7, 8, high, high - 1, high / 2};
  for (int width : {bits - 1, bits, bits + 1, 64}) values.push_back(static_cast<uint64_t>(width));
  if (is_signed)
    for (uint64_t v : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7}, high, high + 1})
      values.push_back(0 - v);
  std::vector<Scalar> edges;
  edges.reserve(values.size());
  for (uint64_t v : values) edges.push_back({t, static_cast<int64_t>(v), 0, 0});
  return edges;
}

std::vector<Scalar> complex_edges(DType t) {
  std::vector<double> parts = {0.0,
                               -0.0,
                               1.0,
                               -2.0,
                               0.5,
                               static_cast<double>(INFINITY),
                               static_cast<double>(-INFINITY),
                               static_cast<double>(NAN)};
  const bool single = t == DType::C64;
  parts.push_back(single ? 0x1.fffffep127 : 0x1.fffffffffffffp1023);
  parts.push_back(single ? -0x1p-149 : -0x1p-1074);
  std::vector<Scalar> edges;
  for (double re : parts)
    for (double im : parts) edges.push_back({t, 0, re, im});
  return edges;
}

double draw(const ir::Domain& domain, Random& random) {
  const double value = domain.low + random.unit() * (domain.high - domain.low);
  const double whole = std::clamp(std::round(value), domain.low, domain.high);
  return random.chance(0.1) ? whole : value;
}

Scalar draw(DType t, const ir::Domain& domain, Random& random) {
  if (t == DType::Bool) return Scalar::of(random.chance(0.5));
  const Scalar value{DType::C128, 0, draw(domain, random), draw(domain, random)};
  if (is_complex(t)) return value.cast(t);
  const Scalar real = Scalar::of(value.re);
  return kind(t) == DTypeKind::Unsigned ? Scalar::of(std::abs(value.re)).cast(t) : real.cast(t);
}

Columns make_columns(DType t) {
  constexpr int kDraws = 150;
  const std::vector<Scalar> edges = edge_values(t);
  Columns columns;
  for (size_t i = 0; i < edges.size(); ++i)
    for (size_t k = 0; k < edges.size(); ++k) {
      columns[0].push_back(edges[i]);
      columns[1].push_back(edges[k]);
      columns[2].push_back(edges[(5 * i + 3 * k) % edges.size()]);
      columns[3].push_back(edges[(7 * i + 11 * k) % edges.size()]);
    }
  Random random(static_cast<uint64_t>(t) + 1);
  std::vector<std::pair<double, double>> domains;
  for (int op = 0; op < ir::kOpCount; ++op) {
    const ir::Domain& domain = info(static_cast<ir::Op>(op)).domain;
    if (std::find(domains.begin(), domains.end(), std::pair(domain.low, domain.high)) != domains.end())
      continue;
    domains.emplace_back(domain.low, domain.high);
    for (int n = 0; n < kDraws; ++n)
      for (auto& column : columns) column.push_back(draw(t, domain, random));
  }
  while (columns[0].size() % 2 == 0)
    for (auto& column : columns) column.push_back(draw(t, {}, random));
  return columns;
}

}  // namespace

std::vector<DType> all_dtypes() {
  std::vector<DType> all;
  for (int t = 0; t < kDTypeCount; ++t) all.push_back(static_cast<DType>(t));
  return all;
}

std::vector<Scalar> edge_values(DType t) {
  if (t == DType::Bool) return {Scalar::of(false), Scalar::of(true)};
  if (is_integer(t)) return integer_edges(t);
  return is_complex(t) ? complex_edges(t) : float_edges(t);
}

const Columns& argument_columns(DType t) {
  static std::map<DType, Columns> made;
  auto found = made.find(t);
  if (found == made.end()) found = made.emplace(t, make_columns(t)).first;
  return found->second;
}

ir::HostTensor tensor_of(const std::vector<Scalar>& column) {
  const DType t = column[0].dtype;
  ir::HostTensor tensor{{t, {static_cast<int64_t>(column.size())}},
                        std::vector<std::byte>(column.size() * size_of(t))};
  for (size_t i = 0; i < column.size(); ++i) column[i].store(tensor.data.data() + i * size_of(t));
  return tensor;
}

ir::HostTensor tensor_from(const std::vector<Scalar>& column, const Shape& shape, uint64_t seed) {
  const DType t = column[0].dtype;
  Random random(seed);
  const auto count = static_cast<size_t>(element_count(shape));
  ir::HostTensor tensor{{t, shape}, std::vector<std::byte>(count * size_of(t))};
  for (size_t i = 0; i < count; ++i) random.pick(column).store(tensor.data.data() + i * size_of(t));
  return tensor;
}

Scalar element(const ir::HostTensor& tensor, int64_t at) {
  const DType t = tensor.type.dtype;
  return Scalar::load(t, tensor.data.data() + static_cast<size_t>(at) * size_of(t));
}

bool same_value(const Scalar& a, const Scalar& b) {
  auto same = [](double x, double y) {
    return (x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y));
  };
  return a.dtype == b.dtype && a.i == b.i && same(a.re, b.re) && same(a.im, b.im);
}

std::string first_difference(const ir::HostTensor& got, const ir::HostTensor& want) {
  if (got.type != want.type || got.data.size() != want.data.size()) return "another type";
  for (int64_t i = 0; i < element_count(want.type.shape); ++i)
    if (!same_value(element(got, i), element(want, i)))
      return fmt::format("element {} of {}: got {}, want {}", i, to_string(want.type.shape),
                         show(element(got, i)), show(element(want, i)));
  return "";
}

std::string show(const Scalar& s) {
  if (is_complex(s.dtype)) return fmt::format("({:.17g}, {:.17g})", s.re, s.im);
  if (is_float(s.dtype)) return fmt::format("{:.17g} = {:a}", s.re, s.re);
  return s.dtype == DType::U64 ? fmt::format("{}", static_cast<uint64_t>(s.i)) : fmt::format("{}", s.i);
}

}  // namespace weft::test
