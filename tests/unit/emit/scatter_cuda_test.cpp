// Scatters on a GPU: when rows are stored in order and when elements are claimed, and that the last of equal
// indices stays either way. Programs run step by step with their kernels emulated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/emulate_cuda.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

Program compiled(const std::string& lines, ir::Graph& graph) {
  graph = ir::parse("graph {\n" + lines + "\n}");
  return compile(graph, test::h200());
}

bool is_ordered(const std::string& lines) {
  ir::Graph graph;
  for (auto& buffer : compiled(lines, graph).buffers)
    if (buffer.what.starts_with("claims of")) return false;
  return true;
}

std::string scatter(const char* dtype, const char* x, const char* index, const char* values, int axis,
                    const char* op = "scatter") {
  const std::string t = dtype;
  return "%x = input \"x\" : " + t + x + "\n%i = input \"i\" : i64" + index + "\n%v = input \"v\" : " + t +
         values + "\n%y = " + op + " %x, %i, %v, axis=" + std::to_string(axis) + "\nreturn %y";
}

// What the program's emulated kernels leave in its first output.
std::vector<std::byte> emulated(const Program& program, const std::vector<ir::HostTensor>& inputs) {
  std::vector<std::vector<std::byte>> memory;
  memory.reserve(program.buffers.size());
  for (auto& b : program.buffers) {
    memory.emplace_back(static_cast<size_t>(b.bytes));
    if (b.role == BufferSpec::Role::Input) memory.back() = inputs[static_cast<size_t>(b.index)].data;
  }
  test::EmulatedCuda gpu;
  std::vector<emit::Emitted> kernels;
  for (auto& step : program.steps)
    if (auto* k = std::get_if<KernelStep>(&step)) {
      kernels.push_back({program.kernels[static_cast<size_t>(k->kernel)], k->launch, k->params});
      gpu.add(kernels.back());
    }
  if (!gpu.build()) throw Error("the emulated kernels do not compile");
  size_t next = 0;
  for (auto& step : program.steps) {
    if (auto* k = std::get_if<KernelStep>(&step)) {
      EXPECT_TRUE(k->scalars.empty());
      if (k->launch.zeroed_bytes > 0)
        std::memset(memory[static_cast<size_t>(k->buffers[k->launch.zeroed])].data(), 0,
                    k->launch.zeroed_bytes);
      std::vector<uint64_t> words;
      words.reserve(k->buffers.size() + k->params.size());
      for (int b : k->buffers)
        words.push_back(reinterpret_cast<uint64_t>(memory[static_cast<size_t>(b)].data()));
      for (int64_t p : k->params) words.push_back(static_cast<uint64_t>(p));
      gpu.run(kernels[next++], words);
    } else {
      auto& c = std::get<CopyStep>(step);
      memory[static_cast<size_t>(c.to)] = memory[static_cast<size_t>(c.from)];
    }
  }
  return memory[static_cast<size_t>(program.outputs[0])];
}

void expect_agrees(const std::string& lines) {
  SCOPED_TRACE(lines);
  ir::Graph graph;
  const Program program = compiled(lines, graph);
  const std::vector<ir::HostTensor> inputs = test::random_inputs(graph, 5, {-3, 50}, 0);
  EXPECT_EQ(emulated(program, inputs), ir::interpret(graph, inputs)[0].data);
}

double number_at(const std::vector<std::byte>& bytes, DType dtype, size_t k) {
  return Scalar::load(dtype, bytes.data() + k * size_of(dtype)).cast(DType::F64).re;
}

int digits_of(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return 11;
    case DType::BF16:
      return 8;
    case DType::F32:
      return 24;
    default:
      return 53;
  }
}

// Sums of random numbers, each times `size` of its place, and what long double gives.
void expect_sums(const char* dtype, const char* x, const char* index, const char* values, int axis,
                 const std::function<double(int64_t)>& size) {
  const std::string lines = scatter(dtype, x, index, values, axis, "scatter_add");
  SCOPED_TRACE(lines);
  ir::Graph graph;
  const Program program = compiled(lines, graph);
  std::vector<ir::HostTensor> inputs = test::random_inputs(graph, 7, {-3, 50}, 0);
  const DType type = inputs[0].type.dtype;
  ir::HostTensor& added = inputs[2];
  const int64_t count = element_count(added.type.shape);
  for (int64_t k = 0; k < count; ++k) {
    std::byte* const at = added.data.data() + static_cast<size_t>(k) * size_of(type);
    Scalar::of(Scalar::load(type, at).cast(DType::F64).re * size(k)).cast(type).store(at);
  }
  const std::vector<std::byte> got = emulated(program, inputs);
  // In long double, by the definition: positions below 0 count from the end, and none leaves the axis.
  const Shape& shape = inputs[0].type.shape;
  std::vector<long double> want(static_cast<size_t>(element_count(shape)));
  std::vector<long double> scale(want.size());
  for (size_t k = 0; k < want.size(); ++k) want[k] = number_at(inputs[0].data, type, k);
  const Shape& of_index = inputs[1].type.shape;
  for (int64_t flat = 0; flat < count; ++flat) {
    Dims at(shape.size(), 0);
    for (int64_t rest = flat, k = static_cast<int64_t>(shape.size()) - 1; k >= 0; --k) {
      const int64_t extent = added.type.shape[static_cast<size_t>(k)];
      at[static_cast<size_t>(k)] = rest % extent, rest /= extent;
    }
    int64_t place = 0, to = 0;
    for (size_t k = 0; k < shape.size(); ++k) place = place * of_index[k] + (of_index[k] == 1 ? 0 : at[k]);
    int64_t position = 0;
    std::memcpy(&position, inputs[1].data.data() + place * 8, 8);
    const int64_t extent = shape[static_cast<size_t>(axis)];
    if (position < 0) position += extent;
    at[static_cast<size_t>(axis)] = std::clamp<int64_t>(position, 0, extent - 1);
    for (size_t k = 0; k < shape.size(); ++k) to = to * shape[k] + at[k];
    const long double value = number_at(added.data, type, static_cast<size_t>(flat));
    want[static_cast<size_t>(to)] += value;
    scale[static_cast<size_t>(to)] = std::max(scale[static_cast<size_t>(to)], std::abs(value));
  }
  for (size_t k = 0; k < want.size(); ++k) {
    const double have = number_at(got, type, k);
    const long double rounded = Scalar::of(static_cast<double>(want[k])).cast(type).cast(DType::F64).re;
    const long double ulp =
        std::max(std::abs(rounded), std::abs(want[k])) * std::ldexp(1.0L, -digits_of(type));
    EXPECT_LE(std::abs(have - want[k]), ulp + scale[k] * 1e-15L)
        << k << ": " << have << ", not " << static_cast<double>(want[k]);
  }
}

// x with these values added at these positions.
std::vector<double> sums(const char* dtype, const std::vector<double>& x, const std::vector<int64_t>& index,
                         const std::vector<double>& values) {
  // Repeated as often as steps are worth it; what repeats are added to are 0.
  const size_t times = 4000 / index.size();
  const std::string lines =
      scatter(dtype, fmt::format("[{}]", x.size()).c_str(), fmt::format("[{}]", times * index.size()).c_str(),
              fmt::format("[{}]", times * index.size()).c_str(), 0, "scatter_add");
  ir::Graph graph;
  const Program program = compiled(lines, graph);
  std::vector<ir::HostTensor> inputs = test::random_inputs(graph, 7, {0, 1}, 0);
  const DType type = inputs[0].type.dtype;
  for (size_t k = 0; k < x.size(); ++k)
    Scalar::of(x[k]).cast(type).store(inputs[0].data.data() + k * size_of(type));
  for (size_t k = 0; k < times * index.size(); ++k) {
    std::memcpy(inputs[1].data.data() + k * 8, &index[k % index.size()], 8);
    const double value = k < index.size() ? values[k] : 0.0;
    Scalar::of(value).cast(type).store(inputs[2].data.data() + k * size_of(type));
  }
  const std::vector<std::byte> bytes = emulated(program, inputs);
  std::vector<double> out;
  out.reserve(x.size());
  for (size_t k = 0; k < x.size(); ++k) out.push_back(number_at(bytes, type, k));
  return out;
}

TEST(ScatterCuda, LongRowsAreStoredInNoOrder) {
  EXPECT_FALSE(is_ordered(scatter("f32", "[1000]", "[5000]", "[5000]", 0)));
  EXPECT_FALSE(is_ordered(scatter("f32", "[1000, 64]", "[500, 1]", "[500, 64]", 0)));
  EXPECT_TRUE(is_ordered(scatter("f32", "[1000]", "[10]", "[10]", 0))) << "launches take longer";
  EXPECT_TRUE(is_ordered(scatter("f32", "[100000000]", "[100]", "[100]", 0))) << "all elements take longer";
}

TEST(ScatterCuda, TheLastOfEqualIndicesStays) {
  for (const char* dtype : {"f32", "i8", "bool", "c128"}) {
    expect_agrees(scatter(dtype, "[40]", "[300]", "[300]", 0));
    expect_agrees(scatter(dtype, "[40, 5]", "[300, 1]", "[300, 5]", 0));
  }
  expect_agrees(scatter("f32", "[3, 40, 2]", "[3, 30, 1]", "[3, 30, 2]", 1));
  expect_agrees(scatter("f32", "[3, 40, 2]", "[1, 30, 2]", "[3, 30, 2]", 1));
  expect_agrees(scatter("f32", "[5, 33]", "[5, 400]", "[5, 400]", 1));
}

// Sums of floats whose terms cancel, beside those in higher precision: nothing but the last rounding is lost.
TEST(ScatterCuda, SumsOfFloatsAreOfAllBits) {
  for (const char* dtype : {"f16", "bf16", "f32", "f64"}) {
    expect_sums(dtype, "[40]", "[300]", "[300]", 0, [](int64_t) { return 1.0; });
    expect_sums(dtype, "[3, 40, 2]", "[3, 100, 1]", "[3, 100, 2]", 1,
                [](int64_t k) { return k % 2 ? 1.0 : 1e-3; });
  }
  // Every element's own terms decide what its sum keeps, whatever goes to others.
  for (const char* dtype : {"f32", "f64"})
    expect_sums(dtype, "[40]", "[4000]", "[4000]", 0,
                [](int64_t k) { return std::ldexp(1.0, static_cast<int>(k % 200) - 100); });
  expect_sums("f64", "[5]", "[6000]", "[6000]", 0,
              [](int64_t k) { return std::ldexp(1.0, static_cast<int>(k % 2000) - 1000); });
}

TEST(ScatterCuda, InfinitiesAndNaNsAreAdded) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* dtype : {"f16", "f32", "f64"}) {
    const auto got =
        sums(dtype, {1, 2, 3, 4, 5, -0.0}, {0, 0, 1, 1, 2, 2, 3, 3}, {inf, 7, -inf, 1, inf, -inf, nan, 2});
    EXPECT_EQ(got[0], inf);
    EXPECT_EQ(got[1], -inf);
    EXPECT_TRUE(std::isnan(got[2]) && std::isnan(got[3]));
    EXPECT_EQ(got[4], 5);
    EXPECT_TRUE(got[5] == 0 && std::signbit(got[5])) << "what nothing goes to stays";
  }
}

TEST(ScatterCuda, SumsAreOfAllValues) {
  for (const char* dtype : {"u16", "i32", "u64"}) {
    expect_agrees(scatter(dtype, "[40]", "[300]", "[300]", 0, "scatter_add"));
    expect_agrees(scatter(dtype, "[4]", "[3000]", "[3000]", 0, "scatter_add"));
    expect_agrees(scatter(dtype, "[2, 3, 2]", "[2, 900, 1]", "[2, 900, 2]", 1, "scatter_add"));
    expect_agrees(scatter(dtype, "[3, 40, 2]", "[3, 30, 1]", "[3, 30, 2]", 1, "scatter_add"));
  }
}

// Whether threads of many blocks add at once.
int64_t threads_that_add(const char* dtype) {
  ir::Graph graph;
  const Program program = compiled(scatter(dtype, "[1000]", "[50000]", "[50000]", 0, "scatter_add"), graph);
  for (auto& step : program.steps)
    if (auto* k = std::get_if<KernelStep>(&step);
        k && program.kernels[static_cast<size_t>(k->kernel)].text.find("atomicAdd((") != std::string::npos)
      return k->launch.tasks * k->launch.threads;
  return 0;
}

TEST(ScatterCuda, NumbersAreAddedInAnyOrder) {
  for (const char* dtype : {"i8", "u16", "u32", "i64", "f16", "bf16", "f32", "f64"})
    EXPECT_GE(threads_that_add(dtype), 10000) << dtype;
  EXPECT_EQ(threads_that_add("c64"), 0);
}

TEST(ScatterCuda, DistinctPositionsAreStoredInNoOrder) {
  for (const char* dtype : {"f32", "u8"}) {
    expect_agrees(
        fmt::format("%x = input \"x\" : {0}[310]\n%v = input \"v\" : {0}[300]\n%k = iota axis=0 : i64[300]\n"
                    "%m = multiply %k, 7\n%i = remainder %m, 301\n"
                    "%y = scatter_distinct %x, %i, %v, axis=0\nreturn %y",
                    dtype));
  }
}

}  // namespace
}  // namespace weft
