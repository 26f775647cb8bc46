// Scatters on a GPU: when rows are stored in order and when elements are claimed, and that the last of equal
// indices stays either way. Programs run step by step with their kernels emulated.
#include <gtest/gtest.h>

#include <cstring>

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

void expect_agrees(const std::string& lines) {
  SCOPED_TRACE(lines);
  ir::Graph graph;
  const Program program = compiled(lines, graph);
  std::vector<ir::HostTensor> inputs = test::random_inputs(graph, 5, {-3, 50}, 0);
  const ir::HostTensor want = ir::interpret(graph, inputs)[0];
  std::vector<std::vector<std::byte>> memory;
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
  ASSERT_TRUE(gpu.build());
  size_t next = 0;
  for (auto& step : program.steps) {
    if (auto* k = std::get_if<KernelStep>(&step)) {
      ASSERT_TRUE(k->scalars.empty());
      std::vector<uint64_t> words;
      for (int b : k->buffers)
        words.push_back(reinterpret_cast<uint64_t>(memory[static_cast<size_t>(b)].data()));
      for (int64_t p : k->params) words.push_back(static_cast<uint64_t>(p));
      gpu.run(kernels[next++], words);
    } else {
      auto& c = std::get<CopyStep>(step);
      memory[static_cast<size_t>(c.to)] = memory[static_cast<size_t>(c.from)];
    }
  }
  EXPECT_EQ(memory[static_cast<size_t>(program.outputs[0])], want.data);
}

TEST(ScatterCuda, LongRowsAreStoredInNoOrder) {
  EXPECT_FALSE(is_ordered(scatter("f32", "[1000]", "[5000]", "[5000]", 0)));
  EXPECT_FALSE(is_ordered(scatter("f32", "[1000, 64]", "[500, 1]", "[500, 64]", 0)));
  EXPECT_TRUE(is_ordered(scatter("f32", "[1000]", "[10]", "[10]", 0))) << "launches take longer";
  EXPECT_TRUE(is_ordered(scatter("f32", "[100000000]", "[100]", "[100]", 0))) << "all elements take longer";
  EXPECT_TRUE(is_ordered(scatter("f32", "[1000]", "[5000]", "[5000]", 0, "scatter_add")))
      << "the order of sums matters";
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

TEST(ScatterCuda, SumsAreOfAllValues) {
  for (const char* dtype : {"u16", "i32", "u64"}) {
    expect_agrees(scatter(dtype, "[40]", "[300]", "[300]", 0, "scatter_add"));
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

TEST(ScatterCuda, IntegersAreAddedInAnyOrderAndFloatsAreNot) {
  for (const char* dtype : {"i8", "u16", "u32", "i64"}) EXPECT_GE(threads_that_add(dtype), 10000) << dtype;
  for (const char* dtype : {"f16", "f32", "f64", "c64"}) EXPECT_EQ(threads_that_add(dtype), 0) << dtype;
}

TEST(ScatterCuda, DistinctPositionsAreStoredInNoOrder) {
  for (const char* dtype : {"f32", "u8"}) {
    const std::string t = dtype;
    expect_agrees("%x = input \"x\" : " + t + "[310]\n%v = input \"v\" : " + t +
                  "[300]\n%k = iota axis=0 : i64[300]\n%m = multiply %k, 7\n%i = remainder %m, 301\n"
                  "%y = scatter_distinct %x, %i, %v, axis=0\nreturn %y");
  }
}

}  // namespace
}  // namespace weft
