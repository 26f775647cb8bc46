#include "tests/fuzz/random_input.h"

#include <algorithm>
#include <cmath>

#include "tests/fuzz/random.h"

namespace weft::test {
namespace {

int mantissa_bits(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return 10;
    case DType::BF16:
      return 7;
    case DType::F32:
      return 23;
    default:
      return 52;
  }
}

double float_edge(DType dtype, Random& random) {
  const int mantissa = mantissa_bits(dtype), sign = static_cast<int>(8 * size_of(dtype)) - 1;
  const uint64_t one = 1, infinity = ((one << (sign - mantissa)) - 1) << mantissa;
  const std::vector<uint64_t> edges = {
      0,                      // zero
      1,                      // the smallest subnormal
      (one << mantissa) - 1,  // the largest subnormal
      one << mantissa,        // the smallest normal number
      infinity - 1,           // the largest finite number
      infinity,
      infinity | one << (mantissa - 1),          // NaN
      (infinity >> (mantissa + 1)) << mantissa,  // 1
  };
  uint64_t bits = random.pick(edges) | static_cast<uint64_t>(random.below(2)) << sign;
  return Scalar::load(dtype, &bits).re;
}

double float_value(DType dtype, const ir::Domain& domain, double edges, Random& random) {
  if (random.chance(edges)) return float_edge(dtype, random);
  const double value = domain.low + random.unit() * (domain.high - domain.low);
  // Whole numbers are common in real data, and ties and exact cancellations come from them.
  const double whole = std::clamp(std::round(value), domain.low, domain.high);
  return Scalar::of(random.chance(0.2) ? whole : value).cast(dtype).re;
}

int64_t integer_value(DType dtype, const ir::Domain& domain, double edges, Random& random) {
  const bool is_signed = kind(dtype) == DTypeKind::Signed;
  const int bits = static_cast<int>(8 * size_of(dtype));
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  const auto max = static_cast<int64_t>(is_signed ? all >> 1 : all);
  const int64_t min = is_signed ? -max - 1 : 0;
  if (random.chance(edges))
    return random.pick(std::vector<int64_t>{0, 1, 2, is_signed ? -1 : 3, min, min + 1, max, max - 1});
  // The domain is meant for doubles; 2^53 on either side is as much of it as any integer op needs.
  const double limit = 0x1p53, top = is_signed || bits < 64 ? static_cast<double>(max) : limit;
  const auto low = static_cast<int64_t>(
      std::ceil(std::clamp(domain.low, std::max(-limit, static_cast<double>(min)), limit)));
  const auto high = static_cast<int64_t>(std::floor(std::clamp(domain.high, -limit, std::min(limit, top))));
  return high < low ? std::clamp<int64_t>(low, min, is_signed || bits < 64 ? max : low)
                    : random.between(low, high);
}

Scalar value_of(DType dtype, const ir::Domain& domain, double edges, Random& random) {
  switch (kind(dtype)) {
    case DTypeKind::Bool:
      return Scalar::of(random.chance(0.5));
    case DTypeKind::Signed:
    case DTypeKind::Unsigned:
      return {dtype, integer_value(dtype, domain, edges, random), 0, 0};
    case DTypeKind::Float:
      return {dtype, 0, float_value(dtype, domain, edges, random), 0};
    case DTypeKind::Complex:
      break;
  }
  const double re = float_value(real_of(dtype), domain, edges, random);
  return {dtype, 0, re, float_value(real_of(dtype), domain, edges, random)};
}

}  // namespace

ir::HostTensor random_input(const ir::TensorType& type, uint64_t seed, const ir::Domain& domain,
                            double edges) {
  Random random(seed);
  const auto count = static_cast<size_t>(element_count(type.shape)), bytes = size_of(type.dtype);
  ir::HostTensor tensor{type, std::vector<std::byte>(count * bytes)};
  for (size_t i = 0; i < count; ++i)
    value_of(type.dtype, domain, edges, random).store(tensor.data.data() + i * bytes);
  return tensor;
}

std::vector<ir::HostTensor> random_inputs(const ir::Graph& graph, uint64_t seed, const ir::Domain& domain,
                                          double edges) {
  std::vector<ir::HostTensor> tensors;
  for (const ir::NodeRef& in : graph.inputs) {
    const bool is_scalar = in->op == ir::Op::scalar;
    const std::string& name = is_scalar ? in->as<ir::ScalarAttr>().name : in->as<ir::InputAttr>().name;
    const ir::TensorType type{in->dtype(), is_scalar ? Shape() : in->shape()};
    tensors.push_back(random_input(type, seed ^ hash_text(name).low, domain, edges));
  }
  return tensors;
}

}  // namespace weft::test
