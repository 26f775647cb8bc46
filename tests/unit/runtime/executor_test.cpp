// Programs run on the CPU device: what memory they hold, in which order, and that steps of every kind agree
// with the interpreter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/executor.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_input.h"

namespace weft {
namespace {

constexpr int64_t kElements = 1 << 20;
constexpr size_t kBytes = size_t{kElements} * 4;

// How far memory rises above the inputs while a program runs, in arrays of kElements floats.
size_t arrays_held(const ir::Graph& graph, const Options& options = {}, const std::vector<int>& given = {}) {
  runtime::Counters counters;
  auto device = runtime::make_cpu_device({}, nullptr, counters);
  const auto& info = device->info();
  Target target{TargetKind::Cpu, info.threads, info.vector_bytes, info.cache_bytes, 0};
  runtime::Executable executable(compile(graph, target, options), device, counters);
  std::vector<runtime::BufferRef> inputs;
  for (auto& in : graph.inputs) {
    size_t bytes = static_cast<size_t>(element_count(in->shape())) * size_of(in->dtype());
    inputs.push_back(device->allocate(bytes));
    std::vector<std::byte> zeros(bytes);
    device->upload(*inputs.back(), 0, zeros.data(), bytes);
  }
  size_t before = device->memory().in_use;
  auto outputs = executable.run(inputs, {}, given);
  device->synchronize();
  return (device->memory().peak - before + kBytes / 2) / kBytes;
}

ir::NodeRef array(const char* name) { return ir::input({DType::F32, {kElements}}, {nullptr, name, {}, 0}); }

TEST(Executor, AFusedChainHoldsItsInputsAndOutputsOnly) {
  ir::NodeRef x = array("x"), y = x;
  for (int k = 0; k < 20; ++k) y = ir::map(ir::Op::sin, {y});
  EXPECT_EQ(arrays_held({{x}, {y}}), 1u);
}

TEST(Executor, TemporariesAreFreedAfterTheirLastUse) {
  ir::NodeRef x = array("x"), y = x;
  for (int k = 0; k < 20; ++k) y = ir::map(ir::Op::sin, {y});
  Options options;
  options.fuse = false;
  EXPECT_EQ(arrays_held({{x}, {y}}, options), 1u) << "each is written where the one before lay";
}

TEST(Executor, AnInputThatIsGivenAwayBecomesTheOutput) {
  const auto held = [](const std::string& text, const std::vector<int>& given, bool fused = true) {
    Options options;
    options.fuse = fused;
    return arrays_held(ir::parse("graph {\n" + text + "\n}"), options, given);
  };
  const std::string x = "%x = input \"x\" : f32[1024, 1024]\n", y = "%y = input \"y\" : f32[1024, 1024]\n";
  const std::string chain = x + "%e = exp %x\n%r = add %e, %x\nreturn %r";
  EXPECT_EQ(held(chain, {}), 1u);
  EXPECT_EQ(held(chain, {0}), 0u);
  EXPECT_EQ(held(chain, {0}, false), 1u) << "of two kernels the second writes over what the first has read";
  EXPECT_EQ(held(x + y + "%r = add %x, %y\nreturn %r", {1}), 0u);
  EXPECT_EQ(held(x + y + "%r = add %x, %y\n%s = multiply %x, %y\nreturn %r, %s", {0, 1}), 0u);
  EXPECT_EQ(held(x + "%r = exp %x\n%s = sin %x\nreturn %r, %s", {0}), 1u) << "one of the two";
  const std::string indices = x +
                              "%i = input \"i\" : i64[9, 1024]\n%v = input \"v\" : f32[9, 1024]\n"
                              "%s = scatter %x, %i, %v, axis=0\n";
  EXPECT_EQ(held(indices + "return %s", {}), 1u);
  EXPECT_EQ(held(indices + "return %s", {0}), 0u) << "what is scattered into is not copied";
  EXPECT_EQ(held(indices + "%t = scatter %s, %i, %v, axis=0\nreturn %t", {0}), 0u);
  EXPECT_EQ(held(indices + "%d = subtract %s, %x\nreturn %s, %d", {0}), 1u)
      << "read afterwards, when the difference may lie there";
  EXPECT_EQ(held(x + "%r = permute %x, axes=[1, 0]\n%s = add %x, %r\nreturn %s", {0}), 1u)
      << "read at other positions too";
  EXPECT_EQ(held(x + "%s = sum %x, axes=[1]\n%t = reshape %s : f32[1024, 1]\n%u = broadcast %t : f32[1024, "
                     "1024]\n%r = divide %x, %u\nreturn %r",
                 {0}),
            0u)
      << "a row is read as a whole before it is written";
  EXPECT_EQ(held("%x = input \"x\" : f32[512, 2048]\n%s = sum %x, axes=[0]\n"
                 "%u = broadcast %s : f32[512, 2048]\n%r = divide %x, %u\nreturn %r, %x",
                 {0}),
            2u)
      << "asked for itself";
}

TEST(Executor, EveryKindOfStepAgreesWithTheInterpreter) {
  const char* texts[] = {
      "%x = input \"x\", strides=[1, 9], offset=2 : f32[5, 7]\n%y = exp %x\nreturn %x, %y, %x",
      "%x = input : f32[5]\n%c = constant 7.0 : f32[5]\n%i = iota axis=0 : f32[5]\n%y = add %x, %c\n"
      "%z = multiply %y, %i\nreturn %c, %z, %i",
      "%a = input \"a\" : f32[6, 7]\n%c = constant 0.5 : f32[7, 4]\n%d = dot %a, %c\nreturn %c, %d",
      "%t = input \"t\" : f32[9, 4]\n%i = input \"i\" : i64[6, 4]\n%v = input \"v\" : f32[6, 4]\n"
      "%e = exp %v\n%s = scatter_add %t, %i, %e, axis=0\n%r = square %s\nreturn %r, %s",
      "%x = input : f32[0, 4]\n%s = sum %x, axes=[0]\n%y = exp %x\nreturn %s, %y",
      "%x = input : f32[300, 1, 1]\n%s = sum %x, axes=[1, 2]\n%t = argmax %x, axes=[1]\n%u = exp %s\n"
      "return %s, %t, %u",
      "%x = input : f32[200000, 19]\n%s = sum %x, axes=[0]\n%m = max %x, axes=[0]\nreturn %s, %m",
      "%x = input : f32[200000, 19]\n%a = scalar \"a\" : f32[200000, 19]\n%y = multiply %x, %a\n"
      "%s = sum %y, axes=[0]\nreturn %s",
      "%x = input : f32[30, 5, 40]\n%y = input \"y\" : f32[5, 1]\n%z = exp %y\n%w = multiply %x, %z\n"
      "%a = max %w, axes=[1, 2]\n%b = reshape %a : f32[30, 1, 1]\n%c = subtract %w, %b\n%d = exp %c\n"
      "%s = sum %d, axes=[1, 2]\n%t = reshape %s : f32[30, 1, 1]\n%e = divide %d, %t\n%r = add %e, "
      "%z\nreturn %r",
  };
  for (const char* text : texts)
    for (bool passes : {true, false})
      for (bool fused : {true, false}) {
        ir::Graph g = ir::parse(std::string("graph {\n") + text + "\n}");
        Options options;
        options.fuse = fused;
        if (!passes)
          for (auto name : optional_passes()) options.without_passes.emplace_back(name);
        auto inputs = test::random_inputs(g, 3, {-2, 2}, 0);
        auto want = interpret(g, inputs), got = test::run_on(test::backend("cpu"), g, inputs, options);
        for (size_t k = 0; k < want.size(); ++k)
          EXPECT_EQ(test::difference(got[k], want[k], {1e-3, 1e-9}), "")
              << "output " << k << ", passes " << passes << ", fused " << fused << "\n"
              << text;
      }
}

class SameBits : public testing::TestWithParam<const char*> {};

TEST_P(SameBits, WhateverTheThreads) {
  ir::Graph g = ir::parse(fmt::format(R"(graph {{
    %x = input : f32[{}]
    %s = sum %x
    %r = sum %x, axes=[1]
    %c = prod %x, axes=[0]
    return %s, %r, %c }})",
                                      GetParam()));
  auto inputs = test::random_inputs(g, 1, {-2, 2}, 0);
  std::vector<ir::HostTensor> first;
  for (int threads : {1, 2, 5}) {
    test::Backend b;
    b.counters = std::make_unique<runtime::Counters>();
    runtime::CpuOptions options;
    options.threads = threads;
    b.device = runtime::make_cpu_device(options, nullptr, *b.counters);
    const auto& info = b.device->info();
    b.target = {TargetKind::Cpu, info.threads, info.vector_bytes, info.cache_bytes, 0};
    auto got = test::run_on(b, g, inputs);
    if (first.empty()) first = got;
    for (size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k].data, first[k].data) << "output " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Executor, SameBits,
                         testing::Values("700, 1500", "100, 5000", "20000, 7", "5000, 40", "130, 70000",
                                         "200000, 3"));

}  // namespace
}  // namespace weft
