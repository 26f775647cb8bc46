// Every reduction of every dtype over every set of axes on every device; how exact large sums are, and that
// the number of threads changes no bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "runtime/cpu/cpu_device.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/random.h"
#include "tests/op_table/graphs.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

using ir::HostTensor;
using ir::Op;

struct Case {
  std::string device;
  DType dtype;
};

class Reductions : public testing::TestWithParam<Case> {};

double epsilon(DType t) {
  return t == DType::F16 ? 0x1p-11 : t == DType::BF16 ? 0x1p-8 : real_of(t) == DType::F32 ? 0x1p-24 : 0x1p-53;
}

// Whatever order they are added in, halves in f32.
bool near(double got, double want, double sum_of_sizes, int64_t count, DType t) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got) || want == got) return want == got;
  const double each = is_half(t) ? 0x1p-24 : epsilon(t);
  const double steps = std::log2(static_cast<double>(count) + 1) + 4;
  return std::abs(got - want) <=
         (is_half(t) ? 1.01 * epsilon(t) * std::abs(want) : 0) + each * steps * sum_of_sizes;
}

// The sizes of the elements under the same reduction: sums of |x|, or for products a bound on the relative
// error of n factors.
std::string wrong(Op op, const Scalar& got, const Scalar& want, double size, int64_t count) {
  const DType t = want.dtype;
  const bool rounds = (op == Op::sum || op == Op::prod) && (is_float(t) || is_complex(t));
  if (rounds && is_float(t) && got.re == 0 && want.re == 0 && std::signbit(got.re) != std::signbit(want.re))
    return "a zero of the other sign";
  const bool agree = rounds ? near(got.re, want.re, size, count, t) && near(got.im, want.im, size, count, t)
                            : same_value(got, want);
  return agree ? "" : fmt::format("got {}, want {}", show(got), show(want));
}

double magnitude(const Scalar& s) { return is_complex(s.dtype) ? std::hypot(s.re, s.im) : std::abs(s.re); }

HostTensor magnitudes(const HostTensor& x) {
  HostTensor out{{DType::F64, x.type.shape}, {}};
  for (int64_t i = 0; i < element_count(x.type.shape); ++i) {
    const double v = magnitude(element(x, i));
    const auto* bytes = reinterpret_cast<const std::byte*>(&v);
    out.data.insert(out.data.end(), bytes, bytes + sizeof v);
  }
  return out;
}

void check(const std::string& device, const HostTensor& x, const std::string& data) {
  const DType t = x.type.dtype;
  const ir::Graph g = reduce_graph(t, x.type.shape);
  const std::vector<HostTensor> inputs = {x}, want = interpret(g, inputs),
                                got = run_on(backend(device), g, inputs);
  const HostTensor sizes = magnitudes(x);
  for (size_t k = 0; k < want.size(); ++k) {
    const ir::Node& n = *g.outputs[k];
    const Op op = n.op;
    ASSERT_EQ(got[k].type, n.type);
    const Dims axes = kind(op) == ir::OpKind::Reduce ? n.as<ir::AxesAttr>().axes : Dims{};
    const ir::NodeRef sized = ir::input({DType::F64, x.type.shape}, {});
    const bool is_sum_or_prod = op == Op::sum || op == Op::prod;
    const HostTensor scale =
        is_sum_or_prod ? ir::interpret({{sized}, {reduce(op, sized, axes)}}, {&sizes, 1})[0] : sizes;
    const int64_t results = element_count(n.shape());
    const int64_t count = results ? element_count(x.type.shape) / results : 0;
    int failures = 0;
    for (int64_t i = 0; i < results; ++i) {
      // Each factor of a product adds its own rounding.
      const double size =
          !is_sum_or_prod ? 0 : element(scale, i).re * (op == Op::prod ? static_cast<double>(count) : 1);
      const std::string problem =
          wrong(op, element(got[k], i), element(want[k], i), std::isnan(size) ? 0 : size, count);
      if (!problem.empty() && failures++ < 3)
        ADD_FAILURE() << fmt::format("{} of {}{} over axes {} on {}, {}: element {}: {}", name(op), name(t),
                                     to_string(x.type.shape), to_string(axes), device, data, i, problem);
    }
  }
}

// Values between which sums cancel and products stay in range.
std::vector<Scalar> plain_values(DType t) {
  Random random(static_cast<uint64_t>(t));
  std::vector<Scalar> values;
  for (int k = 0; k < 500; ++k) {
    const double re = (random.chance(0.5) ? 1 : -1) * (0.8 + 0.4 * random.unit());
    const double im = 0.3 * random.unit();
    if (is_complex(t))
      values.push_back(Scalar{DType::C128, 0, re, im}.cast(t));
    else if (is_float(t))
      values.push_back(Scalar::of(re).cast(t));
    else if (t == DType::Bool)
      values.push_back(Scalar::of(random.chance(0.9)));
    else
      values.push_back(Scalar::of(static_cast<int64_t>(random.bits())).cast(t));
  }
  return values;
}

// A few special values among plain ones; an infinity of each sign, and NaN, come to meet in some rows.
std::vector<Scalar> special_values(DType t) {
  std::vector<Scalar> values = plain_values(t);
  values.resize(200);
  for (double v :
       {static_cast<double>(INFINITY), -static_cast<double>(INFINITY), static_cast<double>(NAN), 0.0, -0.0})
    values.push_back(Scalar::of(v).cast(t));
  return values;
}

TEST_P(Reductions, OverEverySetOfAxes) {
  const auto& [device, t] = GetParam();
  for (const Shape& shape : {Shape{5, 7, 33}, Shape{1, 259}, Shape{131, 3}, Shape{1}, Shape{}, Shape{4097}}) {
    check(device, tensor_from(plain_values(t), shape, 1), "plain values");
    if (is_float(t)) {
      check(device, tensor_from(special_values(t), shape, 2), "special values");
      check(device, tensor_from({Scalar::of(-0.0).cast(t)}, shape, 3), "negative zeros");
      check(device, tensor_from({Scalar::of(-0.0).cast(t), Scalar::of(0.0).cast(t)}, shape, 4),
            "zeros of both signs");
      check(device, tensor_from({Scalar::of(-static_cast<double>(INFINITY)).cast(t)}, shape, 5),
            "infinities");
      check(device, tensor_from({Scalar::of(static_cast<double>(INFINITY)).cast(t)}, shape, 6), "infinities");
    } else if (!is_complex(t)) {
      check(device, tensor_from(edge_values(t), shape, 5), "edge values");
    }
  }
}

TEST_P(Reductions, OfNothing) {
  const auto& [device, t] = GetParam();
  ir::InputAttr attr;
  attr.name = "x";
  const ir::NodeRef x = ir::input({t, {3, 0, 2}}, attr);
  ir::Graph g{{x}, {}};
  std::vector<Op> ops;
  for (int k = 0; k < ir::kOpCount; ++k) {
    const Op op = static_cast<Op>(k);
    if (kind(op) != ir::OpKind::Reduce || !accepts(op, t)) continue;
    const bool identity = op == Op::sum || op == Op::prod || op == Op::any || op == Op::all;
    for (const Dims& axes : {Dims{1}, Dims{0, 1}, Dims{0, 1, 2}}) {
      if (!identity) {
        EXPECT_THROW(reduce(op, x, axes), Error) << name(op) << " of " << name(t);
        continue;
      }
      g.outputs.push_back(reduce(op, x, axes));
      ops.push_back(op);
    }
    ops.push_back(op);
    g.outputs.push_back(reduce(op, x, {0}));  // no results
  }
  const std::vector<HostTensor> inputs = {{x->type, {}}}, want = interpret(g, inputs),
                                got = run_on(backend(device), g, inputs);
  for (size_t k = 0; k < want.size(); ++k) {
    const Op op = ops[k];
    EXPECT_EQ(first_difference(got[k], want[k]), "") << name(op) << " of " << name(t) << " on " << device;
    for (int64_t i = 0; i < element_count(want[k].type.shape); ++i) {
      const Scalar v = element(want[k], i);
      EXPECT_EQ(is_float(t) || is_complex(t) ? v.re : static_cast<double>(v.i),
                op == Op::prod || op == Op::all ? 1 : 0)
          << name(op) << " of " << name(t);
    }
  }
}

// Nodes that no rule has removed: what a reduction starts from is not what nothing reduces to.
TEST_P(Reductions, OfNothingWithoutRewriting) {
  const auto& [device, t] = GetParam();
  const ir::NodeRef x = ir::input({t, {3, 0}}, {});
  ir::Graph g{{x}, {}};
  for (const Op op : {Op::sum, Op::prod, Op::any, Op::all})
    if (accepts(op, t)) g.outputs.push_back(ir::make(op, {x}, ir::AxesAttr{{1}}, {}));
  const std::vector<HostTensor> inputs = {{x->type, {}}}, want = interpret(g, inputs);
  for (const bool fused : {true, false}) {
    Options options;
    options.fuse = fused;
    options.without_passes = {"simplify"};
    const std::vector<HostTensor> got = run_on(backend(device), g, inputs, options);
    for (size_t k = 0; k < want.size(); ++k)
      EXPECT_EQ(first_difference(got[k], want[k]), "") << name(g.outputs[k]->op) << " of " << name(t);
  }
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (auto& device : backend_names())
    for (DType t : all_dtypes()) out.push_back({device, t});
  return out;
}

INSTANTIATE_TEST_SUITE_P(, Reductions, testing::ValuesIn(cases()), [](auto& test) {
  return fmt::format("{}_{}", test.param.device, name(test.param.dtype));
});

// ---- large sums

class LargeSums : public testing::TestWithParam<std::string> {};

TEST_P(LargeSums, AreAsExactAsPairwiseOnes) {
  constexpr int64_t n = (int64_t{1} << 20) + 3;
  ir::InputAttr attr;
  attr.name = "x";
  for (DType t : {DType::F32, DType::F64}) {
    for (double offset : {0.0, 1.0, -0.5}) {  // all of one sign, far from zero, cancelling
      Random random(5);
      const ir::NodeRef x = ir::input({t, {n}}, attr);
      HostTensor data{x->type, std::vector<std::byte>(static_cast<size_t>(n) * size_of(t))};
      long double sum = 0, sizes = 0;
      for (int64_t i = 0; i < n; ++i) {
        const Scalar v = Scalar::of(random.unit() + offset).cast(t);
        v.store(data.data.data() + static_cast<size_t>(i) * size_of(t));
        sum += v.re;
        sizes += std::abs(v.re);
      }
      const Scalar got = element(run_on(backend(GetParam()), {{x}, {reduce(Op::sum, x, {0})}}, {data})[0], 0);
      // A pairwise sum of n values is off by log2(n) roundings at most, and by a few in practice.
      EXPECT_LE(std::abs(got.re - sum), 4 * static_cast<long double>(epsilon(t)) * sizes)
          << name(t) << " + " << offset << ": got " << got.re << ", want " << static_cast<double>(sum);
    }
  }
}

// The roundings of a running sum of one value go the same way many times in a row.
TEST_P(LargeSums, OfEqualValuesAreAsExact) {
  ir::InputAttr attr;
  attr.name = "x";
  for (int64_t length : {1000, 5000, 100'003, (1 << 20) + 3})
    for (float value : {0.3f, 0.1f, 0.7f, 7.7f}) {
      const int64_t rows = length > 10'000 ? 1 : 4;
      const ir::NodeRef x = ir::input({DType::F32, {rows, length}}, attr);
      HostTensor data{x->type, std::vector<std::byte>(static_cast<size_t>(rows * length) * sizeof(float))};
      for (int64_t i = 0; i < rows * length; ++i)
        Scalar::of(value).cast(DType::F32).store(data.data.data() + static_cast<size_t>(i) * sizeof(float));
      const double sum = static_cast<double>(value) * static_cast<double>(length);
      const Scalar got = element(run_on(backend(GetParam()), {{x}, {reduce(Op::sum, x, {1})}}, {data})[0], 0);
      EXPECT_LE(std::abs(got.re - sum), 4 * epsilon(DType::F32) * sum)
          << length << " of " << value << ": got " << got.re;
    }
}

INSTANTIATE_TEST_SUITE_P(, LargeSums, testing::ValuesIn(backend_names()),
                         [](auto& test) { return test.param; });

// ---- threads

Backend cpu_with(int threads) {
  Backend b;
  b.counters = std::make_unique<runtime::Counters>();
  runtime::CpuOptions options;
  options.threads = threads;
  b.device = runtime::make_cpu_device(options, nullptr, *b.counters);
  const runtime::DeviceInfo& d = b.device->info();
  b.target = {TargetKind::Cpu, d.threads, d.vector_bytes, d.cache_bytes, d.shared_bytes, d.compiles};
  return b;
}

TEST(Threads, DoNotChangeTheBitsOfReductions) {
  Backend devices[] = {cpu_with(1), cpu_with(2), cpu_with(3)};
  for (int k = 0; k < 3; ++k) ASSERT_EQ(devices[k].target.threads, k + 1);
  const std::vector<Shape> shapes = {{(1 << 18) + 3}, {3, 70001}, {70001, 3}, {513, 517}};
  for (DType t : {DType::F32, DType::F64, DType::C64, DType::BF16})
    for (const Shape& shape : std::span(shapes).first(t == DType::F32 ? 4 : 1)) {
      const ir::Graph g = reduce_graph(t, shape);
      const std::vector<HostTensor> inputs = {tensor_from(plain_values(t), shape, 9)};
      const std::vector<HostTensor> one = run_on(devices[0], g, inputs);
      for (int k = 1; k < 3; ++k) {
        const std::vector<HostTensor> more = run_on(devices[k], g, inputs);
        for (size_t i = 0; i < one.size(); ++i)
          EXPECT_EQ(more[i].data, one[i].data) << name(g.outputs[i]->op) << " of " << name(t)
                                               << to_string(shape) << " with " << k + 1 << " threads";
      }
    }
}

}  // namespace
}  // namespace weft::test
