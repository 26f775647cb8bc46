// What kernels mean whose threads walk columns down, strips of them and pairs of points.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "compiler/ir/text/parse.h"
#include "compiler/plan/plan.h"
#include "tests/support/across_graphs.h"
#include "tests/support/cuda_cases.h"
#include "tests/support/cuda_graphs.h"

namespace weft {
namespace {

using namespace test;
namespace cuda = plan::cuda;
using plan::CudaSchedule;
using plan::Order;
using plan::RowProgram;

TEST(CudaMeaning, OfPairs) {
  EmulatedCases all;
  for (const Target& target : {h200(), tiny()})
    for (const char* dtype : {"f32", "f64", "bf16"})
      for (auto [points, others] : {std::pair{128, 64}, {131, 1024}, {300, 333}, {257, 130}})
        all.add(compile(ir::parse(pairs(dtype, points, others)), target));
  for (auto& c : all.cases)
    for (auto& k : c.kernels) EXPECT_EQ(k.schedule.reason.substr(0, 5), "pairs") << k.schedule.reason;
  all.check(2e-2, 0);
}

// Strips of 32 points that fill no wave, one to four waves and less than one, also of fewer steps than
// shares, so that some parts are empty.
TEST(CudaMeaning, OfPairsInEqualShares) {
  EmulatedCases all;
  for (const char* dtype : {"f32", "f64"})
    for (auto [points, others] : {std::pair{300, 130}, {129, 1024}, {352, 331}})
      for (int blocks : {2, 3, 7, 16}) {
        auto force = [&](CudaSchedule& s, RowProgram&) {
          auto& shape = std::get<cuda::Pairs>(s.shape);
          s.threads = 32, s.resident = 1;
          shape.down = 4, shape.strip = cuda::Pairs::Shares{blocks};
        };
        all.add(compile(ir::parse(pairs(dtype, points, others)), h200(), force));
      }
  all.check(2e-5, 0);
}

TEST(CudaMeaning, OfColumnsThatStay) {
  EmulatedCases all;
  for (int64_t rows : {2, 8, 37, 64, 513, 1030, 2100})
    for (const Target& target : {tiny(), h200()})
      all.add(compile(ir::parse(column_softmax("f32", rows, 66)), target));
  auto is_kept = [](const CudaSchedule& s, const RowProgram& p) {
    return plan::division_of(s).order == Order::Columns && !plan::crossing_values(p).empty();
  };
  // Several blocks a strip, ends that do not fill it, and strips that the columns do not fill.
  using Copy = cuda::SharedColumns::Copy;
  for (int cluster : {1, 2, 4, 8, 16})
    for (auto [rows, width] : {std::pair<int64_t, int64_t>{70, 40}, {128, 36}, {34, 7}, {256, 64}})
      for (const char* dtype : {"f32", "bf16"})
        all.add(compile(
            ir::parse(column_softmax(dtype, rows, width)), tiny(), [&](CudaSchedule& s, RowProgram& p) {
              if (!is_kept(s, p)) return;
              s.threads = 64;
              s.shape = cuda::SharedColumns{16, cluster, 2, rows % 2 == 0 ? Copy::Ahead : Copy::None};
            }));
  // A thread's own, of fewer rows than it has room for.
  for (auto [rows, width] : {std::pair<int, int64_t>{5, 40}, {8, 36}, {21, 64}})
    for (const char* dtype : {"f32", "bf16", "f64"})
      all.add(
          compile(ir::parse(column_softmax(dtype, rows, width)), h200(), [&](CudaSchedule& s, RowProgram& p) {
            ASSERT_TRUE(is_kept(s, p));
            s.threads = 64, s.shape = cuda::RegisterColumns{rows + rows % 2};
          }));
  all.check(2e-2, 0);
}

// Blocks that take several strips one after another: as many turns as leave each of the two places of what
// clusters tell each other to be used again, an even and an odd number of them, ends that fill neither.
TEST(CudaMeaning, OfStripsInTurn) {
  EmulatedCases all;
  for (int cluster : {1, 2, 4, 16})
    for (auto [rows, width] : {std::pair<int64_t, int64_t>{128, 160}, {70, 156}, {34, 39}, {256, 144}})
      for (const char* dtype : {"f32", "bf16", "f64"})
        for (int64_t at_once : {1, 2})
          all.add(compile(
              ir::parse(column_softmax(dtype, rows, width)), h200(), [&](CudaSchedule& s, RowProgram&) {
                s.threads = 64;
                const auto elements = static_cast<int>((rows + 16 * cluster - 1) / (16 * cluster));
                s.shape = cuda::TurnColumns{16, cluster, elements, at_once};
              }));
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfStripsCopiedInVectors) {
  EmulatedCases all;
  for (int cluster : {1, 2, 4})
    for (auto [rows, width] : {std::pair<int64_t, int64_t>{70, 41}, {129, 35}, {256, 67}, {64, 33}})
      for (const char* dtype : {"f16", "bf16", "f64"}) {
        CudaCase c =
            compile(ir::parse(column_softmax(dtype, rows, width)), h200(), [&](CudaSchedule& s, RowProgram&) {
              auto& shape = std::get<cuda::SharedColumns>(s.shape);
              ASSERT_EQ(shape.copy, cuda::SharedColumns::Copy::Vectors);
              s.threads = 128, shape.down = 8, shape.cluster = cluster, shape.overlap = 0;
            });
        all.add(std::move(c));
      }
  all.check(2e-2, 0);
}

// Few strips that are loaded in each sweep have more threads, as many as the device has room for.
TEST(CudaMeaning, OfFewLongColumnsThatAreLoadedAgain) {
  EmulatedCases all;
  for (auto [dtype, width, threads] :
       {std::tuple{"f32", 32, 512}, {"f32", 60, 256}, {"f64", 34, 256}, {"bf16", 32, 512}}) {
    CudaCase c = compile(ir::parse(batch_norm_gradients(dtype, 6000, width)), tiny());
    const CudaSchedule& schedule = c.kernels[0].schedule;
    ASSERT_TRUE(std::holds_alternative<cuda::Columns>(schedule.shape)) << schedule.reason;
    EXPECT_EQ(schedule.threads, threads) << dtype << " " << width;
    all.add(std::move(c));
  }
  all.check(2e-2, 0);
}

// Softmax down columns with more than one result: of two sizes, and one for each column.
std::string column_results(int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %a = input : f32[{0}, {1}]
  %m = max %a, axes=[0]
  %m1 = reshape %m : f32[1, {1}]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[0]
  %s1 = reshape %s : f32[1, {1}]
  %y = divide %e, %s1
  %h = cast %d : f16[{0}, {1}]
  return %y, %h, %s
}})",
                     rows, width);
}

// Strips that share columns with their neighbours: each element is stored once, by the strip of its sector's
// first.
TEST(CudaMeaning, OfStripsThatOverlap) {
  EmulatedCases all;
  auto chosen = [](const char* dtype, int64_t rows, int64_t width) {
    const CudaCase c = compile(ir::parse(column_softmax(dtype, rows, width)), h200());
    const auto* shape = std::get_if<cuda::SharedColumns>(&c.kernels[0].schedule.shape);
    return shape ? shape->overlap : 0;
  };
  EXPECT_EQ(chosen("f32", 256, 40'001), 8);
  EXPECT_EQ(chosen("f64", 256, 40'001), 0);
  EXPECT_EQ(chosen("bf16", 256, 40'001), 0);
  EXPECT_EQ(chosen("f32", 256, 40'000), 0);
  EXPECT_EQ(chosen("f32", 256, 31), 0);
  EXPECT_EQ(chosen("f32", 4096, 16385), 0);
  EXPECT_EQ(chosen("f32", 1024, 40'001), 8);
  auto add = [&](const std::string& graph, int overlap, int cluster) {
    all.add(compile(ir::parse(graph), h200(), [&](CudaSchedule& s, RowProgram&) {
      auto& shape = std::get<cuda::SharedColumns>(s.shape);
      s.threads = 256, shape.down = 8, shape.overlap = overlap, shape.cluster = cluster;
    }));
  };
  for (auto [rows, width] : {std::pair<int64_t, int64_t>{70, 41}, {129, 67}, {64, 97}, {34, 33}})
    for (int cluster : {1, 2}) {
      for (auto [dtype, overlap] : {std::pair{"f32", 8}, {"f64", 4}, {"bf16", 16}})
        add(column_softmax(dtype, rows, width), overlap, cluster);
      add(column_results(rows, width), 16, cluster);
    }
  all.check(2e-2, 0);
}

}  // namespace
}  // namespace weft
