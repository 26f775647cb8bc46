// What scans mean, by any threads and in parts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "compiler/ir/text/parse.h"
#include "compiler/plan/rewrite/look_back.h"
#include "tests/support/cuda_cases.h"
#include "tests/support/cuda_graphs.h"

namespace weft {
namespace {

using namespace test;
namespace cuda = plan::cuda;
using plan::CudaSchedule;
using plan::RowProgram;

TEST(CudaMeaning, OfScans) {
  EmulatedCases all;
  for (const Target& target : {h200(), tiny()})
    for (int64_t width : {2, 7, 33, 64, 250, 1024, 5000}) {
      all.add(compile(ir::parse(scanned("cumulative_sum", "f32", 3, width, 1)), target));
      all.add(compile(ir::parse(scanned("cumulative_sum", "f32", width, 40, 0)), target));
      all.add(compile(ir::parse(scanned("cumulative_min", "f64", 4, width, 1)), target));
      all.add(compile(ir::parse(scanned("cumulative_max", "i32", width, 3, 0)), target));
    }
  all.add(compile(ir::parse(scanned("cumulative_sum", "c64", 3, 300, 1)), tiny()));
  all.add(compile(ir::parse(scanned("cumulative_sum", "u8", 3, 300, 1)), tiny()));
  all.check(2e-5, 0);
}

// Rows of one thread, of a part of a warp, of several warps; with another scan in between.
TEST(CudaMeaning, OfScansByAnyThreads) {
  EmulatedCases all;
  for (int threads : {1, 8, 32, 128})
    for (int64_t width : {5, 130, 1024}) {
      auto force = [&](CudaSchedule& s, RowProgram&) {
        s.threads = 128;
        s.shape = cuda::Rows{cuda::Threads{threads}, 2};
      };
      all.add(compile(ir::parse(scanned("cumulative_sum", "f32", 5, width, 1)), h200(), force));
      all.add(compile(ir::parse(scanned("cumulative_sum", "i64", 5, width, 1)), h200(), force));
      const char* twice = R"(graph {{
  %a = input : f32[5, {0}]
  %q = square %a
  %c = cumulative_sum %q, axis=1
  %d = add %c, %a
  %e = cumulative_max %d, axis=1
  %y = subtract %e, %a
  %s = sum %e, axes=[1]
  return %y, %c, %s
}})";
      all.add(compile(ir::parse(fmt::format(fmt::runtime(twice), width)), h200(), force));
    }
  all.check(2e-5, 0);
}

// Rows in parts that look back: fewer than a group of them, several groups, more than 32 groups; in shared
// memory and read again, with empty parts at the end; states of one word to four.
TEST(CudaMeaning, OfScansInParts) {
  EmulatedCases all;
  for (bool in_shared : {true, false})
    for (auto [split, width] : {std::pair<int, int64_t>{2, 1024}, {3, 1001}, {70, 9000}, {1100, 2400}}) {
      auto force = [&](CudaSchedule& s, RowProgram& p) {
        if (!std::holds_alternative<cuda::LookBackRows>(s.shape)) plan::total_parts_first(p);
        plan::repeat_cheap_values(p, !in_shared, 4);
        s.threads = 128 << split % 2;
        s.shape = cuda::LookBackRows{split, 2, !plan::crossing_values(p).empty()};
      };
      auto add = [&](const std::string& op, const std::string& dtype) {
        const int64_t rows = split > 1000 ? 1 : 3;
        all.add(compile(ir::parse(scanned(op, dtype, rows, width, 1)), h200(), force));
      };
      if (split > 3 && !in_shared) continue;
      add("cumulative_max", "f64");
      if (split > 3) continue;
      add("cumulative_sum", "f32");
      add("cumulative_sum", "c128");
      add("cumulative_sum", "i8");
      add("cumulative_prod", "i64");
    }
  all.check(2e-5, 0);
}

// Rows that are too few for the device, of which a block's shared memory still has room for a whole one.
TEST(CudaMeaning, OfFewScannedRowsOfOnePart) {
  Target small = h200();
  small.threads = 4;
  EmulatedCases all;
  for (int64_t rows : {8, 15}) {
    CudaCase c = compile(ir::parse(scanned("cumulative_sum", "f32", rows, 8192, 1)), small);
    EXPECT_EQ(plan::division_of(c.kernels[0].schedule).parts, 1) << c.kernels[0].schedule.reason;
    all.add(std::move(c));
  }
  all.check(2e-5, 0);
}

TEST(CudaMeaning, OfScansInSoftmax) {
  EmulatedCases all;
  for (const Target& target : {h200(), tiny()})
    for (int64_t width : {7, 520, 2000}) {
      std::string text = softmax("f32", 3, width);
      text.replace(text.find("  return %y"), 11, "  %c = cumulative_sum %y, axis=1\n  return %c");
      all.add(compile(ir::parse(text), target));
    }
  all.check(2e-5, 0);
}

}  // namespace
}  // namespace weft
