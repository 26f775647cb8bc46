// The text of a CPU schedule says each choice that the emitter follows.
#include "compiler/plan/schedule/cpu/cpu_schedule.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace weft::plan {
namespace {

TEST(PrintCpuSchedule, SaysEachChoice) {
  struct {
    std::function<void(CpuSchedule&)> choose;
    const char* says;
  } cases[] = {
      {[](CpuSchedule&) {}, "schedule pointwise: axis 0 by 8 lanes"},
      {[](CpuSchedule& s) { s.order = Order::Rows; }, "schedule rows: axis 0 by 8 lanes"},
      {[](CpuSchedule& s) { s.order = Order::Columns; }, "schedule columns: axis 0 by 8 lanes"},
      {[](CpuSchedule& s) { s.lane_axis = 2, s.lanes = 16; }, "schedule pointwise: axis 2 by 16 lanes"},
      {[](CpuSchedule& s) { s.chunk = 64; }, ", chunks of 64"},
      {[](CpuSchedule& s) { s.rows_per_task = 3; }, ", 3 rows a task"},
      {[](CpuSchedule& s) { s.split = 5; }, ", row split in 5"},
      {[](CpuSchedule& s) { s.scratch = true; }, ", row kept in scratch"},
      {[](CpuSchedule& s) { s.streaming = true; }, ", streaming stores"},
      {[](CpuSchedule& s) { s.prefetched = 4096; }, ", prefetches"},
      {[](CpuSchedule& s) { s.tile_axis = 1, s.tile = 16; }, ", squares of 16 transposed along axis 1"},
      {[](CpuSchedule& s) { s.masked = true; }, ", masked"},
      {[](CpuSchedule& s) { s.masked = s.aligned = true; }, ", masked, aligned"},
      {[](CpuSchedule& s) { s.reason = "why"; }, " (why)"},
  };
  for (auto& c : cases) {
    CpuSchedule s;
    c.choose(s);
    EXPECT_NE(print(s).find(c.says), std::string::npos) << "got " << print(s) << "want " << c.says;
  }
  EXPECT_EQ(print(CpuSchedule{}), "schedule pointwise: axis 0 by 8 lanes\n");
}

}  // namespace
}  // namespace weft::plan
