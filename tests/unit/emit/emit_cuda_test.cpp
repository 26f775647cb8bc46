// CUDA kernels from graphs: their text, and that NVRTC takes it.
#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
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

// Registers of a thread and bytes of shared memory that the text itself takes, of each kernel.
struct Resources {
  uint32_t registers = 0;
  uint64_t shared = 0;
};

// A cubin is an ELF file. Its section `.nv.info` is a list of what is known of kernels: a format, a kind, a size, and here the
// kernel's symbol and a number.
std::map<std::string, Resources> resources_of(const std::string& cubin) {
  constexpr uint8_t kOfBytes = 0x04, kRegisters = 0x2f;
  const auto read = [&]<class T>(T one, size_t at) {
    std::memcpy(&one, cubin.data() + at, sizeof one);
    return one;
  };
  const auto head = read(Elf64_Ehdr{}, 0);
  const auto section = [&](size_t k) { return read(Elf64_Shdr{}, head.e_shoff + k * head.e_shentsize); };
  const auto name_of = [&](const Elf64_Shdr& names, uint32_t at) {
    return std::string(cubin.data() + names.sh_offset + at);
  };
  std::map<std::string, Resources> out;
  const auto see = [&](const std::string& section_name, const Elf64_Shdr& one) {
    if (section_name.starts_with(".nv.shared.weft_")) out[section_name.substr(11)].shared = one.sh_size;
    if (section_name != ".nv.info") return;
    const Elf64_Shdr symbols = section(one.sh_link), names = section(symbols.sh_link);
    for (size_t at = one.sh_offset, end = at + one.sh_size; at + 4 <= end;) {
      const auto format = read(uint8_t{}, at), kind = read(uint8_t{}, at + 1);
      const auto size = read(uint16_t{}, at + 2);
      if (format == kOfBytes && kind == kRegisters) {
        const auto symbol =
            read(Elf64_Sym{}, symbols.sh_offset + read(uint32_t{}, at + 4) * sizeof(Elf64_Sym));
        out[name_of(names, symbol.st_name)].registers = read(uint32_t{}, at + 8);
      }
      at += 4 + (format == kOfBytes ? size : 0);
    }
  };
  const Elf64_Shdr names = section(head.e_shstrndx);
  for (size_t k = 0; k < head.e_shnum; ++k) see(name_of(names, section(k).sh_name), section(k));
  return out;
}

// What a block has is within what a multiprocessor has; registers are given to a warp in units of 256.
void expect_to_fit(const CudaKernel& k, const Card& card, const std::string& cubin) {
  const auto found = resources_of(cubin);
  EXPECT_FALSE(found.empty());
  for (auto& [name, used] : found) {
    const uint32_t warps = static_cast<uint32_t>(k.emitted.launch.threads + 31) / 32;
    EXPECT_GT(used.registers, 0) << name;
    EXPECT_LE(warps * ((used.registers * 32 + 255) / 256 * 256), 65536) << name << k.schedule.reason;
    EXPECT_LE(used.shared + k.emitted.launch.shared_bytes, card.target.shared_bytes)
        << name << k.schedule.reason;
  }
}

TEST_F(CudaCompile, TakesEveryShapeForEveryGpu) {
  const std::set<std::string> everywhere = {
      "maps",        "stencils",         "tiles",          "rows",   "register rows",
      "shared rows", "look-back rows",   "bundled rows",   "totals", "sections",
      "columns",     "register columns", "shared columns", "pairs"};
  for (const Card& card : cards()) {
    SCOPED_TRACE(card.name);
    std::set<std::string> shapes;
    for (auto& text : graphs_of_shapes()) {
      const CudaCase c = compile(ir::parse(text), card.target);
      for (auto& k : c.kernels) {
        shapes.insert(shape_of(k.schedule));
        std::string log, cubin;
        EXPECT_NO_THROW(
            cubin = nvrtc_->compile(k.emitted.source.text, k.emitted.source.name, card.architecture, &log));
        EXPECT_EQ(log.find("ignored"), std::string::npos) << log << k.schedule.reason;
        if (!cubin.empty()) expect_to_fit(k, card, cubin);
        const plan::RowDivision d = plan::division_of(k.schedule);
        EXPECT_TRUE(card.has_clusters || d.blocks == 1) << k.schedule.reason;
        EXPECT_LE(k.schedule.resident * k.schedule.threads, card.target.resident_threads)
            << k.schedule.reason;
      }
    }
    std::set<std::string> wanted = everywhere;
    if (card.has_clusters) wanted.insert("turn columns");
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
