// Kernels of a user's own text: on the CPU, and as CUDA on the host, they give what the same loops give here.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/user_kernel.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/emulated_device.h"
#include "tests/support/cuda_kernels.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

using ir::Graph;
using ir::HostTensor;
using ir::NodeRef;
using ir::TensorType;
using ir::UserKernel;
using Kind = UserKernel::Argument::Kind;
using Floats = std::vector<float>;

// A graph, its inputs, and what it gives.
struct Case {
  Graph graph;
  std::vector<Floats> inputs;
  std::vector<Floats> wanted;
};

Floats numbers(size_t count, float from, float step) {
  Floats out(count);
  for (size_t i = 0; i < count; ++i) out[i] = from + step * static_cast<float>(i % 37);
  return out;
}

NodeRef input(const char* name, const Shape& shape) {
  return ir::input({DType::F32, shape}, {nullptr, name, {}, 0});
}

UserKernel kernel(UserKernel::Target target, const std::string& name, const std::string& text,
                  std::vector<UserKernel::Argument> arguments, std::vector<TensorType> results,
                  std::vector<int> starts_as) {
  UserKernel k;
  k.target = target;
  k.name = name;
  k.title = name.substr(0, name.find('<'));
  k.text = std::make_shared<const ir::UserText>(text);
  k.arguments = std::move(arguments);
  k.results = std::move(results);
  k.starts_as = std::move(starts_as);
  return k;
}

std::vector<NodeRef> results_of(const ir::UserKernelRef& k, const std::vector<NodeRef>& operands) {
  std::vector<NodeRef> results;
  results.reserve(k->results.size());
  for (size_t n = 0; n < k->results.size(); ++n)
    results.push_back(ir::make(ir::Op::kernel, operands, ir::KernelAttr{k, static_cast<int64_t>(n)}, {}));
  return results;
}

std::vector<NodeRef> call(UserKernel k, const std::vector<NodeRef>& operands) {
  for (const NodeRef& node : operands) k.operands.push_back(node->type);
  return results_of(ir::checked(std::move(k)), operands);
}

constexpr int64_t kCount = 1000;
const Floats kX = numbers(kCount, -2, 0.125f), kY = numbers(kCount, 1, 0.5f);
const TensorType kVector{DType::F32, {kCount}};

// Between a producer and a reduction; the number comes before the arrays.
NodeRef number(double value, DType dtype) { return ir::constant({dtype, {}}, Scalar::of(value).cast(dtype)); }

Case saxpy(UserKernel k, bool computed) {
  Case c;
  const NodeRef a = input("a", {}), factor = computed ? ir::map(ir::Op::sqrt, {a}) : number(1.5, DType::F32);
  const NodeRef x = input("x", {kCount}), y = input("y", {kCount});
  const NodeRef twice = ir::map(ir::Op::add, {x, x});
  const NodeRef r = call(std::move(k), {factor, twice, y})[0];
  c.graph = {{x, y, a}, {r, ir::reduce(ir::Op::max, r, {0})}};
  c.inputs = {kX, kY, {2.25f}};
  Floats wanted(kCount);
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = 1.5f * (kX[i] + kX[i]) + kY[i];
  float most = wanted[0];
  for (const float one : wanted) most = std::max(most, one);
  c.wanted = {wanted, {most}};
  return c;
}

const std::vector<UserKernel::Argument> kSaxpyArguments = {{Kind::Value, 0, "float"},
                                                           {Kind::Operand, 1, "const float*"},
                                                           {Kind::Operand, 2, "const float*"},
                                                           {Kind::Result, 0, "float*"}};

Case saxpy_of_cuda(bool computed) {
  UserKernel k = kernel(UserKernel::Target::Cuda, "saxpy<float, 4>", R"(#include <cmath>
template <typename T, int N>
__global__ void __launch_bounds__(64) saxpy(const T a, const T* __restrict__ x, const T* y, T* r) {
  for (int k = 0; k < N; ++k) {
    const int i = (blockIdx.x * N + k) * blockDim.x + threadIdx.x;
    if (i < 1000) r[i] = a * x[i] + y[i];
  }
})",
                        kSaxpyArguments, {kVector}, {-1});
  k.grid = {4, 1, 1};
  k.block = {64, 1, 1};
  return saxpy(std::move(k), computed);
}

Case saxpy_of_cpu(bool computed) {
  UserKernel k =
      kernel(UserKernel::Target::Cpu, "saxpy", R"(static float scaled(float a, float x) { return a * x; }
void saxpy(long begin, long end, float a, const float* x, const float* y, float* r) {
  for (long i = begin; i < end; ++i) r[i] = scaled(a, x[i]) + y[i];
})",
             kSaxpyArguments, {kVector}, {-1});
  k.grid = {kCount, 1, 1};
  k.grain = 16;
  return saxpy(std::move(k), computed);
}

// A product of matrices by tiles in shared memory, a part of which the launch asks for.
Case product() {
  constexpr int64_t kRows = 24, kColumns = 40, kInner = 19;
  UserKernel k = kernel(UserKernel::Target::Cuda, "product", R"(#define TILE 8
extern "C" __global__ void product(const float* a, const float* b, float* c, int rows, int columns, int inner) {
  __shared__ float left[TILE][TILE];
  extern __shared__ float right[];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int from = 0; from < inner; from += TILE) {
    left[threadIdx.y][threadIdx.x] = from + threadIdx.x < inner ? a[row * inner + from + threadIdx.x] : 0;
    right[threadIdx.y * TILE + threadIdx.x] = from + threadIdx.y < inner ? b[(from + threadIdx.y) * columns + column] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += left[threadIdx.y][k] * right[k * TILE + threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns && gridDim.z == 1) c[row * columns + column] = sum;
})",
                        {{Kind::Operand, 0, "const float*"},
                         {Kind::Operand, 1, "const float*"},
                         {Kind::Result, 0, "float*"},
                         {Kind::Value, 2, "int"},
                         {Kind::Value, 3, "int"},
                         {Kind::Value, 4, "int"}},
                        {{DType::F32, {kRows, kColumns}}}, {-1});
  k.grid = {kColumns / 8, kRows / 8, 1};
  k.block = {8, 8, 1};
  k.shared_bytes = 8 * 8 * 4;
  Case c;
  const NodeRef a = input("a", {kRows, kInner}), b = input("b", {kInner, kColumns});
  c.graph = {{a, b},
             call(std::move(k), {a, b, number(kRows, DType::I32), number(kColumns, DType::I32),
                                 number(kInner, DType::I32)})};
  c.inputs = {numbers(kRows * kInner, -1, 0.25f), numbers(kInner * kColumns, 0, 0.5f)};
  Floats wanted(kRows * kColumns);
  for (size_t i = 0; i < kRows; ++i)
    for (size_t j = 0; j < kColumns; ++j)
      for (size_t n = 0; n < kInner; ++n)
        wanted[i * kColumns + j] += c.inputs[0][i * kInner + n] * c.inputs[1][n * kColumns + j];
  c.wanted = {wanted};
  return c;
}

// Counts are added to those that are there; of two results nobody reads the second.
Case histogram() {
  UserKernel k = kernel(UserKernel::Target::Cuda, "histogram", R"(
__device__ int bin(float x) { return x < 0 ? 0 : x < 1 ? 1 : 2; }
__global__ void histogram(const float* x, float* counts, float* positive, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&counts[bin(x[i])], 1.0f);
  positive[i] = x[i] > 0;
})",
                        {{Kind::Operand, 0, "const float*"},
                         {Kind::Result, 0, "float*"},
                         {Kind::Result, 1, "float*"},
                         {Kind::Value, 2, "int"}},
                        {{DType::F32, {3}}, kVector}, {1, -1});
  k.grid = {16, 1, 1};
  k.block = {64, 1, 1};
  Case c;
  const NodeRef x = input("x", {kCount}), before = input("before", {3});
  const std::vector<NodeRef> results = call(std::move(k), {x, before, number(kCount, DType::I32)});
  c.graph = {{x, before}, {results[0], before}};
  c.inputs = {kX, {10, 20, 30}};
  Floats wanted = c.inputs[1];
  for (const float one : kX) ++wanted[one < 0 ? 0 : one < 1 ? 1 : 2];
  c.wanted = {wanted, c.inputs[1]};
  return c;
}

std::string example(const std::string& name) {
  std::ifstream file("docs/examples/kernels/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

// Neither extent is a multiple of a tile.
Case product_of_the_examples() {
  constexpr int64_t kRows = 21, kColumns = 35, kInner = 18;
  UserKernel k = kernel(UserKernel::Target::Cuda, "tiled_product", example("product.cu"),
                        {{Kind::Operand, 0, "const float*"},
                         {Kind::Operand, 1, "const float*"},
                         {Kind::Result, 0, "float*"},
                         {Kind::Value, 2, "int"},
                         {Kind::Value, 3, "int"},
                         {Kind::Value, 4, "int"}},
                        {{DType::F32, {kRows, kColumns}}}, {-1});
  k.grid = {3, 2, 1};
  k.block = {16, 16, 1};
  Case c;
  const NodeRef a = input("a", {kRows, kInner}), b = input("b", {kInner, kColumns});
  c.graph = {{a, b},
             call(std::move(k), {a, b, number(kRows, DType::I32), number(kColumns, DType::I32),
                                 number(kInner, DType::I32)})};
  c.inputs = {numbers(kRows * kInner, -1, 0.25f), numbers(kInner * kColumns, 0, 0.5f)};
  Floats wanted(kRows * kColumns);
  for (size_t i = 0; i < kRows; ++i)
    for (size_t j = 0; j < kColumns; ++j)
      for (size_t n = 0; n < kInner; ++n)
        wanted[i * kColumns + j] += c.inputs[0][i * kInner + n] * c.inputs[1][n * kColumns + j];
  c.wanted = {wanted};
  return c;
}

// Of bytes, which numbers() between 0 and 36 become.
Case histogram_of_the_examples() {
  UserKernel k =
      kernel(UserKernel::Target::Cuda, "histogram", example("histogram.cu"),
             {{Kind::Operand, 0, "const unsigned char*"}, {Kind::Value, 1, "int"}, {Kind::Result, 0, "int*"}},
             {{DType::I32, {256}}}, {2});
  k.grid = {3, 1, 1};
  k.block = {64, 1, 1};
  Case c;
  const NodeRef x = input("x", {kCount}), before = input("before", {256});
  const NodeRef counts = call(
      std::move(k), {ir::cast(x, DType::U8), number(kCount, DType::I32), ir::cast(before, DType::I32)})[0];
  c.graph = {{x, before}, {ir::cast(counts, DType::F32)}};
  c.inputs = {numbers(kCount, 0, 1), numbers(256, 0, 0)};
  Floats wanted(256);
  for (const float one : c.inputs[0]) ++wanted[static_cast<size_t>(one)];
  c.wanted = {wanted};
  return c;
}

// Weights in constant memory, which one text has for both calls: that of the second are computed.
Case smoothed_twice() {
  UserKernel k = kernel(UserKernel::Target::Cuda, "smooth", R"(
__constant__ float weights[3];
__constant__ float halves[2] = {0.5f, 0.5f};
__global__ void smooth(const float* x, float* r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 3; ++k) sum += weights[k] * x[(i + n + k - 1) % n];
  r[i] = sum * halves[i % 2];
})",
                        {{Kind::Operand, 0, "const float*"},
                         {Kind::Result, 0, "float*"},
                         {Kind::Value, 1, "int"},
                         {Kind::Constant, 2, "float", "weights"}},
                        {kVector}, {-1});
  k.grid = {16, 1, 1};
  k.block = {64, 1, 1};
  Case c;
  const NodeRef x = input("x", {kCount}), weights = input("weights", {3});
  const NodeRef twice = ir::map(ir::Op::add, {weights, weights});
  const NodeRef once = call(k, {x, number(kCount, DType::I32), weights})[0];
  c.graph = {{x, weights}, {call(std::move(k), {once, number(kCount, DType::I32), twice})[0], once}};
  const Floats w = {0.25f, 0.5f, 0.125f};
  c.inputs = {kX, w};
  const auto smooth = [](const Floats& from, const Floats& by) {
    Floats to(kCount);
    for (size_t i = 0; i < kCount; ++i) {
      float sum = 0;
      for (size_t n = 0; n < 3; ++n) sum += by[n] * from[(i + kCount + n - 1) % kCount];
      to[i] = sum * 0.5f;
    }
    return to;
  };
  const Floats first = smooth(kX, w);
  c.wanted = {smooth(first, {0.5f, 1, 0.25f}), first};
  return c;
}

// Complex numbers that the text has of Weft, in shared memory too. All of it is exact.
Case rotated() {
  UserKernel k = kernel(UserKernel::Target::Cuda, "rotated<float>", R"(#include <cupy/complex.cuh>
template <typename T> __global__ void rotated(const T* x, const T* y, T* r, int n) {
  __shared__ complex<T> tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? complex<T>(x[i], y[i]) : T(0);
  __syncthreads();
  thrust::complex<T> z = tile[threadIdx.x];
  z *= complex<T>(0, 1);
  if (i < n) r[i] = z.real() - 2 * std::imag(conj(z) + T(1)) + (z == -(-z) ? 0 : 1);
})",
                        {{Kind::Operand, 0, "const float*"},
                         {Kind::Operand, 1, "const float*"},
                         {Kind::Result, 0, "float*"},
                         {Kind::Value, 2, "int"}},
                        {kVector}, {-1});
  k.grid = {16, 1, 1};
  k.block = {64, 1, 1};
  Case c;
  const NodeRef x = input("x", {kCount}), y = input("y", {kCount});
  c.graph = {{x, y}, call(std::move(k), {x, y, number(kCount, DType::I32)})};
  c.inputs = {kX, kY};
  Floats wanted(kCount);
  for (size_t i = 0; i < kCount; ++i) wanted[i] = -kY[i] + 2 * kX[i];
  c.wanted = {wanted};
  return c;
}

std::vector<Case> of_cuda() {
  return {saxpy_of_cuda(false),      saxpy_of_cuda(true),         product(),        histogram(),
          product_of_the_examples(), histogram_of_the_examples(), smoothed_twice(), rotated()};
}

void expect_given(Backend& on, const Case& c) {
  std::vector<HostTensor> inputs;
  for (size_t k = 0; k < c.inputs.size(); ++k) {
    HostTensor& one = inputs.emplace_back();
    one.type = c.graph.inputs[k]->type;
    one.data.resize(c.inputs[k].size() * sizeof(float));
    std::memcpy(one.data.data(), c.inputs[k].data(), one.data.size());
  }
  const std::vector<HostTensor> outputs = run_on(on, c.graph, inputs);
  ASSERT_EQ(outputs.size(), c.wanted.size());
  for (size_t k = 0; k < outputs.size(); ++k) {
    ASSERT_EQ(outputs[k].data.size(), c.wanted[k].size() * sizeof(float));
    Floats found(c.wanted[k].size());
    std::memcpy(found.data(), outputs[k].data.data(), outputs[k].data.size());
    EXPECT_EQ(found, c.wanted[k]) << ir::print(c.graph);
  }
}

TEST(UserKernels, OfTheCpuRunBesideWhatIsFused) {
  for (const bool computed : {false, true}) expect_given(backend("cpu"), saxpy_of_cpu(computed));
}

TEST(UserKernels, OfCudaRunOnTheHost) {
  const std::vector<Case> cases = of_cuda();
  std::vector<Program> programs;
  programs.reserve(cases.size());
  for (const Case& c : cases) programs.push_back(compile(c.graph, h200()));
  runtime::Counters counters;
  Backend emulated{std::make_unique<runtime::Counters>(), make_emulated_device(programs, counters), h200()};
  ASSERT_TRUE(emulated.device);
  for (const Case& c : cases) expect_given(emulated, c);
}

TEST(UserKernels, OfCudaAreTakenByNvrtc) {
  std::vector<Graph> graphs;
  for (Case& c : of_cuda()) graphs.push_back(std::move(c.graph));
  expect_taken_by_nvrtc(graphs, h200());
}

// The text does not have the numbers and the extents, so another of them is the same kernel.
TEST(UserKernels, AreOneTextForAllNumbers) {
  const auto text_for = [](double factor, int64_t blocks) {
    Case c = saxpy_of_cuda(false);
    UserKernel k = *ir::user_kernel_of(*c.graph.outputs[0]);
    k.grid = {blocks, 1, 1};
    k.operands.clear();
    const NodeRef x = input("x", {kCount});
    const Program program = compile({{x}, call(std::move(k), {number(factor, DType::F32), x, x})}, h200());
    return program.kernels.at(0).text;
  };
  EXPECT_EQ(text_for(1.5, 4), text_for(2.5, 5));
}

TEST(UserKernels, WithAllTheirResultsAreOneStep) {
  Case c = histogram();
  const NodeRef& first = c.graph.outputs[0];
  const std::vector<NodeRef> both =
      results_of(ir::user_kernel_of(*first), {first->inputs.begin(), first->inputs.end()});
  const Program program = compile({c.graph.inputs, both}, h200());
  EXPECT_EQ(
      std::ranges::count_if(program.steps,
                            [](const ProgramStep& step) { return std::holds_alternative<KernelStep>(step); }),
      1);
}

}  // namespace
}  // namespace weft::test
