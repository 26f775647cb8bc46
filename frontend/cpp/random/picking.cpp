#include "frontend/cpp/weft/picking.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/base/error.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/random.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft::random {
namespace {

// The positions of the `count` least values in ascending order; equal values keep theirs.
template <class T>
std::vector<int64_t> positions_of_least(const std::vector<T>& values, int64_t count) {
  std::vector<std::pair<T, int64_t>> order;
  order.reserve(values.size());
  for (const T& value : values) order.emplace_back(value, static_cast<int64_t>(order.size()));
  const auto end = order.begin() + count;
  if (count < static_cast<int64_t>(order.size()) / 8) {
    std::partial_sort(order.begin(), end, order.end());
  } else {
    std::sort(order.begin(), order.end());
  }
  std::vector<int64_t> result;
  for (auto it = order.begin(); it != end; ++it) result.push_back(it->second);
  return result;
}

std::vector<double> probabilities(const Array& p, int64_t count) {
  if (p.shape() != Shape{count}) {
    throw Error("choice: needs one probability for each of " + std::to_string(count) +
                " elements: got shape " + to_string(p.shape()));
  }
  std::vector<double> result = p.astype(DType::F64).to_vector<double>();
  double sum = 0;
  bool negative = false;
  for (double one : result) sum += one, negative |= one < 0;
  if (negative || !(sum > 0.999999 && sum < 1.000001)) {
    throw Error("choice: probabilities are not negative and sum to 1: got " +
                std::string(negative ? "a negative one" : "a sum of " + std::to_string(sum)));
  }
  return result;
}

// By the inverse of the distribution function.
Array with_replacement(const Operand& key, std::vector<double> p, const Shape& shape, const Make& make) {
  const Array where = uniform(key, shape, Make(DType::F64, make.device));
  for (size_t i = 1; i < p.size(); ++i) p[i] += p[i - 1];
  for (double& one : p) one /= p.back();
  std::vector<int64_t> picked;
  for (double u : where.to_vector<double>())
    picked.push_back(std::upper_bound(p.begin(), p.end(), u) - p.begin());
  return from(picked, shape, where.device());
}

// The least of exponentials of rates p are draws without replacement (Efraimidis and Spirakis, 2006).
Array without_replacement(const Operand& key, const std::vector<double>& p, int64_t drawn, const Shape& shape,
                          const Make& make) {
  const auto possible = std::count_if(p.begin(), p.end(), [](double one) { return one > 0; });
  if (possible < drawn) {
    throw Error("choice: fewer than " + std::to_string(drawn) + " elements have a probability above 0: got " +
                std::to_string(possible));
  }
  const Array draws = exponential(key, {static_cast<int64_t>(p.size())}, Make(DType::F64, make.device));
  std::vector<double> times = draws.to_vector<double>();
  for (size_t i = 0; i < p.size(); ++i)
    times[i] = p[i] > 0 ? times[i] / p[i] : std::numeric_limits<double>::infinity();
  return from(positions_of_least(times, drawn), shape, draws.device());
}

// The first `drawn` of 0 … count - 1 in random order.
Array in_order(const Operand& key, int64_t count, int64_t drawn, const Shape& shape, const Make& make) {
  const Array words = bits(key, {count}, Make(DType::U64, make.device));
  return from(positions_of_least(words.to_vector<uint64_t>(), drawn), shape, words.device());
}

}  // namespace

Array permutation(const Operand& key, int64_t count, const Make& make) {
  if (count < 0) throw Error("permutation: the count must not be negative: got " + std::to_string(count));
  const detail::LongWork work;
  return detail::named("permutation", [&] { return in_order(key, count, count, {count}, make); });
}

Array permutation(const Operand& key, const Array& x, int64_t axis) {
  if (x.ndim() == 0) return x;
  const int64_t along = normalize_axis("permutation", axis, x.ndim());
  const Array order = permutation(key, x.shape()[static_cast<size_t>(along)], Make(DType::I64, x.device()));
  return take(x, order, along);
}

void shuffle(const Operand& key, Array x, int64_t axis) {
  detail::named("shuffle", [&] { x.assign(permutation(key, x, axis)); });
}

Array choice(const Operand& key, int64_t count, const Shape& shape, const Choice& how, const Make& make) {
  check_size("choice", shape, sizeof(int64_t));
  const int64_t drawn = element_count(shape);
  if (count < 0) throw Error("choice: the count must not be negative: got " + std::to_string(count));
  if (count == 0 && drawn > 0) throw Error("choice: cannot draw from nothing");
  if (!how.replace && drawn > count) {
    throw Error("choice: cannot draw " + std::to_string(drawn) + " of " + std::to_string(count) +
                " elements without replacement");
  }
  const detail::LongWork work;
  return detail::named("choice", [&] {
    if (how.p) {
      std::vector<double> p = probabilities(*how.p, count);
      return how.replace ? with_replacement(key, std::move(p), shape, make)
                         : without_replacement(key, p, drawn, shape, make);
    }
    if (!how.replace) return in_order(key, count, drawn, shape, make);
    return drawn == 0 ? zeros(shape, Make(DType::I64, make.device))
                      : integers(key, shape, 0, count - 1, Make(DType::I64, make.device));
  });
}

Array choice(const Operand& key, const Array& x, const Shape& shape, const Choice& how, int64_t axis) {
  const int64_t along = normalize_axis("choice", axis, x.ndim());
  const Array picked =
      choice(key, x.shape()[static_cast<size_t>(along)], shape, how, Make(DType::I64, x.device()));
  return detail::named("choice", [&] { return take(x, picked, along); });
}

}  // namespace weft::random
