// Every scan of every dtype along every axis on every device; rows and columns that are split, what they are
// fused with, and that the number of threads changes no bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "runtime/cpu/cpu_device.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/random.h"
#include "tests/op_table/graphs.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

using ir::HostTensor;
using ir::Op;

double epsilon(DType t) {
  return t == DType::F16 ? 0x1p-11 : t == DType::BF16 ? 0x1p-8 : real_of(t) == DType::F32 ? 0x1p-24 : 0x1p-53;
}

double size_of_value(const Scalar& s) {
  return is_complex(s.dtype) ? std::hypot(s.re, s.im) : std::abs(s.re);
}

// Sums, products, largest: of the sizes of all elements up to each, or of how many there are.
HostTensor bounds_of(const ir::Node& n, const HostTensor& x) {
  const bool product = n.op == Op::cumulative_prod;
  const ir::NodeRef in = ir::input({DType::F64, x.type.shape}, {});
  HostTensor sizes{in->type, std::vector<std::byte>(x.data.size() / size_of(x.type.dtype) * 8)};
  for (int64_t i = 0; i < element_count(x.type.shape); ++i) {
    const double v = product ? 1 : size_of_value(element(x, i));
    Scalar::of(v).store(sizes.data.data() + i * 8);
  }
  return ir::interpret({{in}, {ir::scan(Op::cumulative_sum, in, n.as<ir::AxisAttr>().axis)}}, {&sizes, 1})[0];
}

bool near(double got, double want, double bound) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return want == got;
  if (want == 0 && got == 0) return std::signbit(want) == std::signbit(got);
  return std::abs(got - want) <= bound;
}

void check(const std::string& device, const HostTensor& x, const std::string& data) {
  const DType t = x.type.dtype;
  const ir::Graph g = scan_graph(t, x.type.shape);
  const std::vector<HostTensor> inputs = {x}, want = interpret(g, inputs),
                                got = run_on(backend(device), g, inputs);
  for (size_t k = 0; k < want.size(); ++k) {
    const ir::Node& n = *g.outputs[k];
    if (kind(n.op) != ir::OpKind::Scan) continue;  // along one element
    const bool rounds = (n.op == Op::cumulative_sum || n.op == Op::cumulative_prod) && !is_integer(t);
    const HostTensor bounds = rounds ? bounds_of(n, x) : x;
    int failures = 0;
    for (int64_t i = 0; i < element_count(x.type.shape) && failures < 3; ++i) {
      const Scalar a = element(got[k], i), b = element(want[k], i);
      bool same = same_value(a, b);
      if (!same && rounds) {
        // Halves gather in f32, are joined in f64 and rounded once.
        const double size =
            n.op == Op::cumulative_prod ? size_of_value(b) * element(bounds, i).re : element(bounds, i).re;
        const double bound = (is_half(t) ? 2.02 : 1.01) * epsilon(t) * size_of_value(b) +
                             (is_half(t) ? 0x1p-24 : epsilon(t)) * (is_complex(t) ? 16 : 8) * size;
        same = near(a.re, b.re, bound) && near(a.im, b.im, bound);
      }
      if (same) continue;
      ++failures;
      ADD_FAILURE() << fmt::format("{} of {}{} along axis {} on {}, {}: element {}: got {}, want {}",
                                   name(n.op), name(t), to_string(x.type.shape), n.as<ir::AxisAttr>().axis,
                                   device, data, i, show(a), show(b));
    }
  }
}

// Products of them stay in range, sums cancel.
std::vector<Scalar> plain_values(DType t) {
  Random random(static_cast<uint64_t>(t));
  std::vector<Scalar> values;
  for (int k = 0; k < 500; ++k) {
    const double re = (random.chance(0.5) ? 1 : -1) * std::exp2(random.unit() - 0.5);
    if (is_complex(t))
      values.push_back(Scalar{DType::C128, 0, re, 0.1 * random.unit()}.cast(t));
    else if (is_float(t))
      values.push_back(Scalar::of(re).cast(t));
    else if (t == DType::Bool)
      values.push_back(Scalar::of(random.chance(0.5)));
    else
      values.push_back(Scalar::of(static_cast<int64_t>(random.bits())).cast(t));
  }
  return values;
}

struct Case {
  std::string device;
  DType dtype;
};

class Scans : public testing::TestWithParam<Case> {};

TEST_P(Scans, AlongEveryAxis) {
  const auto& [device, t] = GetParam();
  for (const Shape& shape : {Shape{5, 7, 33}, Shape{1, 259}, Shape{131, 3}, Shape{1}, Shape{601}}) {
    check(device, tensor_from(plain_values(t), shape, 1), "plain values");
    if (!is_float(t)) continue;
    std::vector<Scalar> few = plain_values(t);
    few.push_back(Scalar::of(static_cast<double>(NAN)).cast(t));
    check(device, tensor_from(few, shape, 2), "a NaN now and then");
    check(device, tensor_from({Scalar::of(-0.0).cast(t)}, shape, 3), "negative zeros");
    check(device, tensor_from({Scalar::of(-0.0).cast(t), Scalar::of(0.0).cast(t)}, shape, 4),
          "zeros of both signs");
    check(device, tensor_from({Scalar::of(-static_cast<double>(INFINITY)).cast(t)}, shape, 5), "infinities");
  }
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (auto& device : backend_names())
    for (DType t : all_dtypes()) out.push_back({device, t});
  return out;
}

INSTANTIATE_TEST_SUITE_P(, Scans, testing::ValuesIn(cases()), [](auto& test) {
  return fmt::format("{}_{}", test.param.device, name(test.param.dtype));
});

class SplitScans : public testing::TestWithParam<std::string> {};

TEST_P(SplitScans, AgreeWithTheWhole) {
  for (DType t : {DType::F32, DType::I64, DType::BF16})
    for (const Shape& shape : {Shape{2, 300'007}, Shape{200'003, 2}, Shape{3, 1000, 100}})
      check(GetParam(), tensor_from(plain_values(t), shape, 7), "long");
}

TEST_P(SplitScans, AreFusedWithWhatIsAroundThem) {
  const ir::Graph g = ir::parse(R"(graph {
  %x = input : f32[40, 3000]
  %m = max %x, axes=[1]
  %k = reshape %m : f32[40, 1]
  %d = subtract %x, %k
  %e = exp %d
  %s = sum %e, axes=[1]
  %t = reshape %s : f32[40, 1]
  %p = divide %e, %t
  %c = cumulative_sum %p, axis=1
  %q = multiply %c, 2.5
  %h = cumulative_max %q, axis=1
  %z = sum %h, axes=[1]
  return %q, %z
})");
  const std::vector<HostTensor> inputs = {tensor_from(plain_values(DType::F32), {40, 3000}, 5)};
  const std::vector<HostTensor> want = interpret(g, inputs), got = run_on(backend(GetParam()), g, inputs);
  for (size_t k = 0; k < want.size(); ++k)
    for (int64_t i = 0; i < element_count(want[k].type.shape); ++i)
      ASSERT_NEAR(element(got[k], i).re, element(want[k], i).re, 2e-6 * element(want[k], i).re)
          << "output " << k << ", element " << i;
}

INSTANTIATE_TEST_SUITE_P(, SplitScans, testing::ValuesIn(backend_names()),
                         [](auto& test) { return test.param; });

TEST(ThreadsOfScans, ChangeNoBits) {
  const Shape shape{2, 300'007};
  const ir::Graph g = scan_graph(DType::F32, shape);
  const std::vector<HostTensor> inputs = {tensor_from(plain_values(DType::F32), shape, 9)};
  std::vector<HostTensor> one;
  for (int threads : {1, 2, 3}) {
    Backend b;
    b.counters = std::make_unique<runtime::Counters>();
    runtime::CpuOptions options;
    options.threads = threads;
    b.device = runtime::make_cpu_device(options, nullptr, *b.counters);
    const runtime::DeviceInfo& d = b.device->info();
    b.target = {TargetKind::Cpu, d.threads, d.vector_bytes, d.cache_bytes, d.shared_bytes, d.compiles};
    const std::vector<HostTensor> got = run_on(b, g, inputs);
    if (one.empty()) one = got;
    for (size_t k = 0; k < got.size(); ++k)
      EXPECT_EQ(got[k].data, one[k].data) << name(g.outputs[k]->op) << " with " << threads << " threads";
  }
}

}  // namespace
}  // namespace weft::test
