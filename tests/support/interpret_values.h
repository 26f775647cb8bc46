// Small tensors for tests of the interpreter: made of numbers, run through a node, and read back as numbers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret.h"

namespace weft::ir {

using Numbers = std::vector<double>;
using Z = std::complex<double>;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline HostTensor tensor(DType t, Shape shape, const Numbers& values) {
  HostTensor result{{t, std::move(shape)}, {}};
  result.data.resize(values.size() * size_of(t));
  for (size_t i = 0; i < values.size(); ++i)
    Scalar::of(values[i]).cast(t).store(result.data.data() + i * size_of(t));
  return result;
}

inline HostTensor tensor(DType t, Shape shape, const std::vector<Z>& values) {
  HostTensor result{{t, std::move(shape)}, {}};
  result.data.resize(values.size() * size_of(t));
  for (size_t i = 0; i < values.size(); ++i)
    Scalar::of(values[i]).cast(t).store(result.data.data() + i * size_of(t));
  return result;
}

inline Scalar element(const HostTensor& x, size_t i) {
  return Scalar::load(x.type.dtype, x.data.data() + i * size_of(x.type.dtype));
}

inline Numbers numbers(const HostTensor& x) {
  Numbers result;
  for (size_t i = 0; i < x.data.size() / size_of(x.type.dtype); ++i) {
    result.push_back(element(x, i).cast(DType::F64).re);
  }
  return result;
}

inline NodeRef in(const HostTensor& like) { return input(like.type, {nullptr, "x", {}, 0}); }

// Applies what `make_node` builds from inputs of the tensors' types.
template <class F>
HostTensor run(const std::vector<HostTensor>& tensors, F&& make_node) {
  Graph graph;
  for (const HostTensor& t : tensors) graph.inputs.push_back(in(t));
  graph.outputs = {make_node(graph.inputs)};
  std::vector<HostTensor> results = interpret(graph, tensors);
  EXPECT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].type, graph.outputs[0]->type);
  EXPECT_EQ(results[0].data.size(),
            static_cast<size_t>(element_count(results[0].type.shape)) * size_of(results[0].type.dtype));
  return results[0];
}

using Refs = const std::vector<NodeRef>&;

inline HostTensor map_of(Op op, const std::vector<HostTensor>& tensors) {
  return run(tensors, [op](Refs x) { return map(op, x); });
}

// One op on single values of a dtype.
inline Scalar one(Op op, DType t, const Numbers& args) {
  std::vector<HostTensor> tensors;
  for (double a : args) tensors.push_back(tensor(t, {}, Numbers{a}));
  return element(map_of(op, tensors), 0);
}

// NaN equals NaN, and zeros differ by sign.
inline testing::AssertionResult same_number(double a, double b) {
  if ((std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b))) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << a << " is not " << b;
}

inline Numbers counting(size_t n) {
  Numbers v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<double>(i);
  return v;
}

}  // namespace weft::ir
