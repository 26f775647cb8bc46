// What is decided of CUDA kernels before any text of them is written.
#include "compiler/emit/cuda/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/base/error.h"
#include "compiler/ir/text/parse.h"
#include "tests/support/cuda_cases.h"
#include "tests/support/cuda_graphs.h"

namespace weft {
namespace {

using namespace test;
namespace cuda = plan::cuda;
using emit::CudaLayout;
using plan::CudaSchedule;
using plan::RowProgram;
using testing::HasSubstr;

// The layout of a graph's only kernel; `c` keeps the program that it points into.
CudaLayout layout_of(const CudaCase& c) {
  EXPECT_EQ(c.kernels.size(), 1U);
  return emit::lay_out(c.kernels[0].lowered.program, c.kernels[0].schedule, true);
}

TEST(CudaLayout, GivesTheLaunchThatTheKernelHas) {
  for (const char* dtype : {"f32", "bf16"})
    for (int64_t rows : {8, 513, 2100}) {
      const CudaCase c = compile(ir::parse(column_softmax(dtype, rows, 66)), h200());
      const CudaLayout l = layout_of(c);
      const Launch& launch = c.kernels[0].emitted.launch;
      EXPECT_EQ(l.main.tasks, launch.tasks);
      EXPECT_EQ(static_cast<uint32_t>(l.shared.bytes), launch.shared_bytes);
      EXPECT_EQ(l.partial_bytes, c.kernels[0].emitted.partial_bytes);
    }
}

TEST(CudaLayout, HasRoomInSharedMemoryForWhatCrossesSweeps) {
  const CudaCase c =
      compile(ir::parse(column_softmax("f32", 256, 64)), tiny(), [](CudaSchedule& s, RowProgram&) {
        s.threads = 64;
        s.shape = cuda::SharedColumns{16, 4, 2};
      });
  const CudaLayout l = layout_of(c);
  const int lanes = l.main.lanes, across = l.columns()->across;
  EXPECT_EQ(across, 4);
  // A block has a fourth of each of its strip's columns.
  EXPECT_EQ(l.parts.vectors, 64);
  ASSERT_FALSE(l.facts.crossing.empty());
  EXPECT_EQ(l.shared.bytes,
            static_cast<int64_t>(sizeof(float)) * lanes * across * 64 *
                static_cast<int64_t>(plan::shared_places(c.kernels[0].lowered.program).bytes.size()));
}

// One entry adds up the parts of strips; another joins them, by one thread for each column.
TEST(CudaLayout, FinishesSharesOfStripsInAnEntryOfItsOwn) {
  const CudaCase c = compile(ir::parse(pairs("f32", 300, 130)), h200(), [](CudaSchedule& s, RowProgram&) {
    auto& shape = std::get<cuda::Pairs>(s.shape);
    s.threads = 32, s.resident = 1;
    shape.down = 4, shape.strip = cuda::Pairs::Shares{7};
  });
  const CudaLayout l = layout_of(c);
  ASSERT_TRUE(l.finish.has_value());
  EXPECT_EQ(l.finish->threads, 128);
  EXPECT_EQ(l.finish->threads_per_row, 1);
  EXPECT_EQ(l.finish->column_join.bytes, 0);
  EXPECT_EQ(l.main.threads, 32);
  EXPECT_EQ(l.main.tasks, l.columns()->strips.tasks);
  EXPECT_GT(l.partial_bytes, 0);
  EXPECT_EQ(l.launch.counters, 0U);
}

// A shape that is not one for the program is a bug of ours, and says which rule it breaks.
TEST(CudaLayout, RefusesShapesThatAreNotForTheProgram) {
  const CudaCase columns = compile(ir::parse(column_softmax("f32", 64, 66)), h200());
  const CudaCase rows = compile(ir::parse(softmax("f32", 64, 66)), h200());
  ASSERT_TRUE(std::holds_alternative<cuda::SharedColumns>(columns.kernels[0].schedule.shape));
  auto refused = [](const CudaCase& c, const cuda::Shape& shape) -> std::string {
    CudaSchedule s = c.kernels[0].schedule;
    s.shape = shape, s.threads = 256, s.lanes = 1;
    try {
      emit::lay_out(c.kernels[0].lowered.program, s, true);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused(columns, cuda::SharedColumns{8}), "");
  EXPECT_EQ(refused(columns, cuda::RegisterColumns{64}), "");
  EXPECT_THAT(refused(columns, cuda::RegisterColumns{63}), HasSubstr("longer than its threads' registers"));
  EXPECT_THAT(refused(columns, cuda::RegisterRows{}), HasSubstr("threads of rows run along the row"));
  EXPECT_THAT(refused(columns, cuda::Columns{}), HasSubstr("does not say where they stay"));
  EXPECT_THAT(refused(columns, cuda::Maps{}), HasSubstr("points have no row"));
  EXPECT_THAT(refused(rows, cuda::Totals{cuda::Threads{32}, 3}),
              HasSubstr("totals across rows have a shape of their own"));
  EXPECT_THAT(refused(rows, cuda::Sections{1, 1}), HasSubstr("rows of sections have a shape of their own"));
  EXPECT_THAT(refused(columns, cuda::SharedColumns{8, 1, 1, cuda::SharedColumns::Copy::None, 3}),
              HasSubstr("overlap by a sector or more"));
  EXPECT_THAT(refused(rows, cuda::LookBackRows{2, 1, true}), HasSubstr("parts look back"));
  EXPECT_THAT(refused(rows, cuda::BundledRows{64, 2, true}), HasSubstr("sixteen short rows"));
  EXPECT_THAT(refused(rows, cuda::RegisterRows{cuda::Threads{32}, 2}),
              HasSubstr("longer than its threads' registers"));
  EXPECT_THAT(refused(columns, cuda::SharedColumns{128, 1, 1, cuda::SharedColumns::Copy::Vectors}),
              HasSubstr("copied as vectors"));
}

}  // namespace
}  // namespace weft
