// The text of a CUDA schedule: of every shape, and of all that one of them may say.
#include "compiler/plan/schedule/cuda/cuda_schedule.h"
#include "compiler/plan/schedule/schedule.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weft {
namespace {

using plan::Caching;
using plan::CudaSchedule;
namespace cuda = plan::cuda;

// Without the words that all schedules have.
std::string text_of(const cuda::Shape& shape) {
  const std::string text =
      plan::print(CudaSchedule{.shape = shape, .lane_axis = 1, .lanes = 4, .threads = 128});
  const std::string common = ": axis 1 by 4 lanes, blocks of 128 threads";
  const size_t at = text.find(common), begin = std::string("schedule ").size();
  EXPECT_NE(at, std::string::npos) << text;
  return text.substr(begin, at - begin) +
         text.substr(at + common.size(), text.size() - at - common.size() - 1);
}

TEST(CudaScheduleText, SaysWhatAllShapesHave) {
  CudaSchedule s{.shape = cuda::Maps{2}, .lane_axis = 1, .lanes = 4, .threads = 128};
  EXPECT_EQ(plan::print(s), "schedule maps: axis 1 by 4 lanes, blocks of 128 threads, 2 vectors each\n");
  s.resident = 3, s.caching = Caching::Streaming, s.reason = "as asked";
  EXPECT_EQ(
      plan::print(s),
      "schedule maps: axis 1 by 4 lanes, blocks of 128 threads, 2 vectors each, 3 blocks resident, streaming "
      "stores (as asked)\n");
  s.caching = Caching::LoadsStay;
  EXPECT_NE(plan::print(s).find(", loads stay in the cache"), std::string::npos);
}

TEST(CudaScheduleText, SaysAllOfPoints) {
  EXPECT_EQ(text_of(cuda::Maps{2, true, true}),
            "maps, 2 vectors each, shifted to aligned vectors, quotients at once");
  EXPECT_EQ(text_of(cuda::Stencils{32, 4}), "stencils, 32 a row, 4 vectors each");
  EXPECT_EQ(text_of(cuda::Stencils{32, 4, true}), "stencils, 32 a row, 4 vectors each, quotients at once");
  EXPECT_EQ(text_of(cuda::Tiles{0, 32}), "tiles, 2 vectors each, squares of 32 transposed along axis 0");
}

TEST(CudaScheduleText, SaysAllOfRows) {
  EXPECT_EQ(text_of(cuda::Rows{cuda::Threads{32}, 2}), "rows, 32 a row, 2 vectors each");
  EXPECT_EQ(text_of(cuda::Rows{cuda::Parts{7}, 2, true}),
            "rows, 128 a row, 2 vectors each, row split in 7, shifted to aligned vectors");
  EXPECT_EQ(text_of(cuda::Rows{cuda::Device{9}, 2}),
            "rows, 128 a row, 2 vectors each, 9 blocks a row, a cooperative launch");
  EXPECT_EQ(text_of(cuda::RegisterRows{cuda::Threads{8}, 3}),
            "register rows, 8 a row, 3 vectors each, row kept in registers");
  EXPECT_EQ(
      text_of(cuda::RegisterRows{cuda::Cluster{4}, 3, true}),
      "register rows, 128 a row, 3 vectors each, row kept in registers, 4 blocks of a cluster a row, shifted "
      "to aligned vectors");
  EXPECT_EQ(text_of(cuda::RegisterRows{cuda::Device{9}, 3}),
            "register rows, 128 a row, 3 vectors each, row kept in registers, 9 blocks a row, a cooperative "
            "launch");
  EXPECT_EQ(text_of(cuda::SharedRows{1, 2}), "shared rows, 128 a row, 2 vectors each, row kept in shared");
  EXPECT_EQ(
      text_of(cuda::SharedRows{2, 2, true, true}),
      "shared rows, 128 a row, 2 vectors each, row kept in shared, 2 blocks of a cluster a row, shifted to "
      "aligned vectors, copied ahead");
  EXPECT_EQ(text_of(cuda::LookBackRows{5, 2}),
            "look-back rows, 128 a row, 2 vectors each, row split in 5, look-back scan");
  EXPECT_EQ(
      text_of(cuda::LookBackRows{5, 2, true}),
      "look-back rows, 128 a row, 2 vectors each, row kept in shared, row split in 5, look-back scan, copied "
      "ahead");
  EXPECT_EQ(text_of(cuda::BundledRows{2, 9}),
            "bundled rows, 2 a row, 9 vectors each, rows of a block as one run");
  EXPECT_EQ(text_of(cuda::BundledRows{2, 9, true}),
            "bundled rows, 2 a row, 9 vectors each, row kept in registers, rows of a block as one run");
}

TEST(CudaScheduleText, SaysAllOfTotals) {
  EXPECT_EQ(
      text_of(cuda::Totals{cuda::Threads{16}, 3, 8, true}),
      "totals, 16 a row, 3 vectors each, row kept in registers, 8 rows one after another, copied ahead");
  EXPECT_EQ(text_of(cuda::Totals{cuda::Cluster{2}, 3}),
            "totals, 128 a row, 3 vectors each, row kept in registers, 2 blocks of a cluster a row");
  EXPECT_EQ(text_of(cuda::Totals{cuda::Totals::Bundled(), 3}),
            "totals, 1 a row, 3 vectors each, row kept in registers, rows of a block as one run");
  EXPECT_EQ(text_of(cuda::Sections{1, 3}), "sections, 128 a row, 3 vectors each, row kept in registers");
  EXPECT_EQ(text_of(cuda::Sections{4, 3}),
            "sections, 128 a row, 3 vectors each, row kept in registers, 4 blocks of a cluster a row");
}

TEST(CudaScheduleText, SaysAllOfColumns) {
  using Copy = cuda::SharedColumns::Copy;
  EXPECT_EQ(text_of(cuda::Columns{8, 2}), "columns, 8 a row, 2 vectors each");
  EXPECT_EQ(text_of(cuda::Columns{8, 2, 6}), "columns, 8 a row, 2 vectors each, row split in 6");
  EXPECT_EQ(text_of(cuda::RegisterColumns{5}),
            "register columns, 1 a row, 5 vectors each, row kept in registers");
  EXPECT_EQ(text_of(cuda::SharedColumns{8, 1, 2}),
            "shared columns, 8 a row, 2 vectors each, row kept in shared");
  EXPECT_EQ(text_of(cuda::SharedColumns{8, 4, 2, Copy::Ahead}),
            "shared columns, 8 a row, 2 vectors each, row kept in shared, 4 blocks of a cluster a strip, "
            "copied ahead");
  EXPECT_EQ(text_of(cuda::SharedColumns{8, 1, 2, Copy::Vectors, 8}),
            "shared columns, 8 a row, 2 vectors each, row kept in shared, copied ahead, copied in aligned "
            "vectors, strips overlap by 8 "
            "columns");
  EXPECT_EQ(
      text_of(cuda::TurnColumns{8, 2, 16, 60}),
      "turn columns, 8 a row, 16 vectors each, row kept in registers, 2 blocks of a cluster a strip, 60 "
      "strips at once, copied ahead");
  EXPECT_EQ(text_of(cuda::Pairs{.down = 4, .neighbours = 8, .run = 16}),
            "pairs, 4 a row, 8 vectors each, 8 neighbours of the row together, runs of 16");
  EXPECT_EQ(
      text_of(cuda::Pairs{cuda::Parts{3}, 4, 8, 16, true}),
      "pairs, 4 a row, 8 vectors each, row split in 3, 8 neighbours of the row together, runs of 16, loaded "
      "ahead");
  EXPECT_EQ(text_of(cuda::Pairs{cuda::Pairs::Shares{264}, 4, 8, 16}),
            "pairs, 4 a row, 8 vectors each, 264 equal shares, 8 neighbours of the row together, runs of 16");
  EXPECT_EQ(
      text_of(cuda::Pairs{cuda::Pairs::Shares{264, 70000}, 4, 8, 16}),
      "pairs, 4 a row, 8 vectors each, 264 equal shares, no more at once, 8 neighbours of the row together, "
      "runs of 16");
}

}  // namespace
}  // namespace weft
