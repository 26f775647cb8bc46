// CUDA kernels from graphs: their text, and that NVRTC takes it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/text/parse.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/schedule.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/shared_library.h"
#include "tests/fuzz/random_graph.h"
#include "tests/support/across_graphs.h"
#include "tests/support/cuda_cases.h"
#include "tests/support/cuda_graphs.h"
#include "tests/support/golden.h"

namespace weft {
namespace {

using namespace test;

constexpr const char* kAxpy = R"(graph {
  %a = input : f32[4096, 1024]
  %b = input : f32[4096, 1024]
  %s = scalar : f32[]
  %0 = multiply %a, %s
  %1 = add %0, %b
  %2 = multiply %1, 0.5
  %3 = sqrt %2
  return %3
})";

constexpr const char* kQuotients = R"(graph {
  %a = input : f32[4096]
  %b = input : f32[4096]
  %q = divide %a, %b
  %r = sqrt %b
  %e = erf %q
  %l = log %r
  %d = divide %e, %l
  %x = exp %d
  %t = divide %x, 3.0
  return %t
})";

const std::vector<std::pair<std::string, std::string>>& samples() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"axpy", kAxpy},
      {"softmax", softmax("f32", 32768, 4096)},
      {"softmax_bf16", softmax("bf16", 1024, 65536)},
      {"sum_all", sum("f32[16384, 8192]", "0, 1")},
      {"sum_columns", sum("f32[16384, 8192]", "0")},
      {"stencil", stencil(8192, 8192)},
      {"argmax", argmax("f32[8192, 4096]")},
      {"several_outputs", kSeveral},
      {"gather", kGather},
      {"quotients", kQuotients},
      {"pairs", pairs("f32", 32768, 32768)},
      {"add_transposed", transposed(8192, 8192)},
      {"heat", heat(8192, 8192)},
      {"softmax_columns", column_softmax("f32", 512, 16384)},
      {"softmax_long_columns", column_softmax("f32", 16384, 8192)},
      {"softmax_odd_rows", softmax("f32", 4096, 3073)},
      {"softmax_few_rows", softmax("f32", 4, 524288)},
      {"sum_few_rows", sum("f32[32, 65536]", "1")},
      {"any_odd_rows", "graph {\n  %a = input : bool[32768, 385]\n  %y = any %a, axes=[1]\n  return %y\n}"},
      {"softmax_odd_columns", column_softmax("f32", 4096, 16385)},
      {"softmax_narrow_rows", softmax("f32", 1048576, 7)},
      {"softmax_short_rows", softmax("bf16", 1048576, 49)},
      {"map_narrow_rows", add_to_rows("i8", 1048576, 7)},
      {"log_sum_exp", log_sum_exp("f32", 64, 1048576, 1)},
      {"layer_norm_gradients", layer_norm_gradients("f32", 32768, 4096)},
      {"layer_norm_gradients_of_short_rows", layer_norm_gradients("f32", 1000000, 7)},
      {"sums_of_few_rows_and_columns",
       "graph {\n  %x = input : f32[500, 5000]\n  %r = sum %x, axes=[1]\n  %c = sum %x, axes=[0]\n  return "
       "%r, %c\n}"},
      {"layer_norm_gradients_of_long_rows", layer_norm_gradients("f32", 512, 65536)},
      {"group_norm_gradients", group_norm_gradients("f32", 16, 32, 10, 4096)},
      {"scan_rows", scanned("cumulative_sum", "f32", 8192, 4096, 1)},
      {"scan_parts", scanned("cumulative_sum", "f32", 1, int64_t{1} << 27, 1)},
      {"scan_columns", scanned("cumulative_max", "f32", 4096, 65536, 0)},
  };
  return all;
}

TEST(CudaText, IsWhatTheGoldensShow) {
  for (auto& [name, text] : samples()) {
    SCOPED_TRACE(name);
    CudaCase c = compile(ir::parse(text), h200());
    std::string all;
    for (auto& k : c.kernels) {
      Launch& l = k.emitted.launch;
      all += fmt::format(
          "// {}\n// {} blocks of {} threads, finish {} of {}, {} bytes shared, {} bytes of partials\n{}",
          k.schedule.reason, l.tasks, l.threads, l.finish_tasks, l.finish_threads, l.shared_bytes,
          k.emitted.partial_bytes, k.emitted.source.text);
    }
    expect_golden("cuda/" + name + ".cu", all);
  }
}

TEST(CudaText, OfAChainTotalsPartsFirst) {
  CudaCase c = compile(ir::parse(scanned("cumulative_sum", "f32", 2, int64_t{1} << 24, 1)), h200());
  expect_golden("plan/scan_in_parts.txt",
                plan::print(c.kernels[0].lowered.program) + plan::print(c.kernels[0].schedule));
}

TEST(CudaText, OfNarrowRowsWalksThemAsOne) {
  CudaCase c = compile(ir::parse(add_to_rows("i8", 1048576, 7)), h200());
  expect_golden("plan/narrow_rows.txt",
                plan::print(c.kernels[0].lowered.program) + plan::print(c.kernels[0].schedule));
}

TEST(CudaText, DoesNotDependOnTheShape) {
  auto text_of = [](const std::string& graph) {
    return compile(ir::parse(graph), h200()).kernels[0].emitted.source.text;
  };
  EXPECT_EQ(text_of(sum("f32[16384, 8192]", "0, 1")), text_of(sum("f32[8192, 8192]", "0, 1")));
  EXPECT_EQ(text_of(softmax("f32", 10000, 4096)), text_of(softmax("f32", 30000, 4096)));
  EXPECT_EQ(text_of(softmax("f32", 10000, 4092)), text_of(softmax("f32", 30000, 4000)));
  EXPECT_EQ(text_of(transposed(8192, 4096)), text_of(transposed(8000, 4100)));
  EXPECT_EQ(text_of(heat(8192, 4096)), text_of(heat(4000, 8002)));
}

TEST(CudaText, TakesRootsOfSquaresAloneForNormal) {
  auto text_of = [](const std::string& graph) {
    return compile(ir::parse(graph), h200()).kernels[0].emitted.source.text;
  };
  std::string squares = pairs("f32", 256, 256), product = squares;
  product.replace(product.find("multiply %x, %x"), 15, "multiply %x, %y");
  EXPECT_NE(text_of(squares).find("weft_rsqrt_normal"), std::string::npos);
  EXPECT_EQ(text_of(product).find("weft_rsqrt_normal"), std::string::npos);
}

// What a mask leaves alone keeps its bits, those of a NaN too: no half passes through f32 and back.
TEST(CudaText, SelectsHalvesByTheirBits) {
  for (const char* extents : {"[4096]", "[333]", "[64, 33]"})
    for (const char* dtype : {"f16", "bf16"}) {
      const std::string type = std::string(dtype) + extents;
      const std::string text =
          compile(ir::parse(fmt::format("graph {{\n  %m = input : bool{}\n  %a = input : {}\n"
                                        "  %b = input : {}\n  %y = select %m, %a, %b\n"
                                        "  return %y\n}}",
                                        extents, type, type)),
                  h200())
              .kernels[0]
              .emitted.source.text;
      const char* const by = dtype == std::string("f16") ? "weft_select_f16(v" : "weft_select_f32(v";
      EXPECT_NE(text.find(by), std::string::npos) << text;
      EXPECT_EQ(text.find("cvt.rn.bf16"), std::string::npos) << text;
    }
}

class CudaCompile : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    nvrtc_ = runtime::cuda::Nvrtc::open(runtime::cuda::SharedLibrary::default_directories(), reason);
    if (!nvrtc_) GTEST_SKIP() << reason;
  }
  void compile_all(const CudaCase& c) {
    for (auto& k : c.kernels)
      EXPECT_NO_THROW(nvrtc_->compile(k.emitted.source.text, k.emitted.source.name, "sm_90"));
  }
  std::unique_ptr<runtime::cuda::Nvrtc> nvrtc_;
};

TEST_F(CudaCompile, TakesEverySample) {
  for (auto& [name, text] : samples()) {
    SCOPED_TRACE(name);
    compile_all(compile(ir::parse(text), h200()));
  }
}

// A graph for each shape of a schedule; two for those that only some machines have room for.
std::vector<std::string> graphs_of_shapes() {
  std::vector<std::string> graphs;
  for (auto& [name, text] : samples())
    for (const char* wanted :
         {"axpy", "heat", "add_transposed", "sum_few_rows", "sum_columns", "softmax", "softmax_bf16",
          "softmax_few_rows", "softmax_narrow_rows", "softmax_columns", "softmax_long_columns", "scan_parts",
          "layer_norm_gradients", "group_norm_gradients", "pairs"})
      if (name == wanted) graphs.push_back(text);
  graphs.push_back(column_softmax("f32", 5, 1 << 20));
  graphs.push_back(softmax("f32", 4096, 20000));
  graphs.push_back(sum("f32[32768, 4096]", "1"));
  graphs.push_back(group_norm_gradients("f32", 64, 32, 2, 1024));
  return graphs;
}

// What a printed schedule begins with.
std::string shape_of(const plan::CudaSchedule& schedule) {
  const std::string text = plan::print(schedule);
  const size_t from = std::string("schedule ").size();
  return text.substr(from, text.find(':') - from);
}

struct Gpu {
  const char* architecture;
  Target target;
  bool has_clusters;
};

// An H100, an A100 and an RTX 4090.
TEST_F(CudaCompile, TakesEveryShapeForEveryGpu) {
  const std::set<std::string> everywhere = {
      "maps",        "stencils",         "tiles",          "rows",   "register rows",
      "shared rows", "look-back rows",   "bundled rows",   "totals", "sections",
      "columns",     "register columns", "shared columns", "pairs"};
  for (const Gpu& gpu : {Gpu{"sm_90", {TargetKind::Cuda, 132, 16, size_t{50} << 20, size_t{227} << 10}, true},
                         {"sm_80", {TargetKind::Cuda, 108, 16, size_t{40} << 20, size_t{163} << 10}, false},
                         {"sm_89",
                          {.kind = TargetKind::Cuda,
                           .threads = 128,
                           .vector_bytes = 16,
                           .cache_bytes = size_t{72} << 20,
                           .shared_bytes = size_t{99} << 10,
                           .resident_threads = 1536},
                          false}}) {
    SCOPED_TRACE(gpu.architecture);
    std::set<std::string> shapes;
    for (auto& text : graphs_of_shapes()) {
      const CudaCase c = compile(ir::parse(text), gpu.target);
      for (auto& k : c.kernels) {
        shapes.insert(shape_of(k.schedule));
        std::string log;
        EXPECT_NO_THROW(
            nvrtc_->compile(k.emitted.source.text, k.emitted.source.name, gpu.architecture, &log));
        EXPECT_EQ(log.find("ignored"), std::string::npos) << log << k.schedule.reason;
        const plan::RowDivision d = plan::division_of(k.schedule);
        EXPECT_TRUE(gpu.has_clusters || d.blocks == 1) << k.schedule.reason;
        EXPECT_LE(k.emitted.launch.shared_bytes, gpu.target.shared_bytes) << k.schedule.reason;
        EXPECT_LE(k.schedule.resident * k.schedule.threads, gpu.target.resident_threads) << k.schedule.reason;
      }
    }
    std::set<std::string> wanted = everywhere;
    if (gpu.has_clusters) wanted.insert("turn columns");
    EXPECT_EQ(shapes, wanted);
  }
}

// One block's rows, one part of them, in equal shares.
TEST_F(CudaCompile, TakesSumsOverPairsThatFillSharedMemory) {
  for (int64_t points : {1024, 4096, 32768}) {
    SCOPED_TRACE(points);
    compile_all(compile(ir::parse(forces(points)), h200()));
  }
}

TEST_F(CudaCompile, TakesRandomGraphs) {
  for (uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    compile_all(compile(random_graph(seed), seed % 2 ? h200() : tiny()));
  }
}

}  // namespace
}  // namespace weft
