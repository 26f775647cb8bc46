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
using emit::CudaLayout;
using plan::CudaSchedule;
using plan::Keeper;
using plan::Order;
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
        s.keeper = Keeper::Shared;
        s.threads = 64, s.threads_per_row = 16, s.cluster = 4, s.unroll = 2;
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
    s.threads = 32, s.threads_per_row = 4, s.resident = 1, s.shares = 7, s.split = 2;
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

// A schedule that no scheduler makes is a bug of ours, and says which rule it breaks.
TEST(CudaLayout, RefusesSchedulesThatHaveNoKernel) {
  const CudaCase c = compile(ir::parse(column_softmax("f32", 64, 66)), h200());
  const RowProgram& p = c.kernels[0].lowered.program;
  const CudaSchedule made = c.kernels[0].schedule;
  ASSERT_EQ(made.order, Order::Columns);
  auto refused = [&](auto change) -> std::string {
    CudaSchedule s = made;
    change(s);
    try {
      emit::lay_out(p, s, true);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused([](CudaSchedule&) {}), "");
  EXPECT_THAT(refused([](CudaSchedule& s) { s.keeper = Keeper::None; }),
              HasSubstr("does not say where they stay"));
  EXPECT_THAT(refused([](CudaSchedule& s) { s.walk = 2; }), HasSubstr("walked for totals across"));
  EXPECT_THAT(refused([](CudaSchedule& s) { s.cluster = 1, s.split = 2; }),
              HasSubstr("only the reductions of one sweep are split"));
  EXPECT_THAT(refused([](CudaSchedule& s) { s.chained = true; }), HasSubstr("look back"));
  EXPECT_THAT(refused([](CudaSchedule& s) { s.bundled = true; }), HasSubstr("sixteen short rows"));
  EXPECT_THAT(refused([](CudaSchedule& s) { s.shifted = true; }),
              HasSubstr("shifted vectors lie along plain rows"));
  EXPECT_THAT(refused([](CudaSchedule& s) { s.tile_axis = 0; }), HasSubstr("squares of a pointwise program"));
  EXPECT_THAT(refused([](CudaSchedule& s) {
                s.keeper = Keeper::Registers, s.ahead = s.wide_copies = false, s.overlap = 0;
                s.threads = 32, s.threads_per_row = 1, s.cluster = s.unroll = 1;
              }),
              HasSubstr("longer than its threads' registers"));
}

}  // namespace
}  // namespace weft
