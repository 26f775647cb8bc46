// The text of a CPU's schedule: of every shape, and of all that one of them may say.
#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/plan/schedule/schedule.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <variant>

namespace weft {
namespace {

using plan::CpuSchedule;
namespace cpu = plan::cpu;

// Without the words that all schedules have.
std::string text_of(const cpu::Shape& shape) {
  const std::string text = plan::print(CpuSchedule{.shape = shape, .lane_axis = 1, .lanes = 16});
  const std::string common = ": axis 1 by 16 lanes";
  const size_t at = text.find(common), begin = std::string("schedule ").size();
  EXPECT_NE(at, std::string::npos) << text;
  return text.substr(begin, at - begin) +
         text.substr(at + common.size(), text.size() - at - common.size() - 1);
}

TEST(CpuScheduleText, SaysWhatAllShapesHave) {
  CpuSchedule s{.shape = cpu::Maps{64, 1, {}}, .lane_axis = 2, .lanes = 16};
  EXPECT_EQ(plan::print(s), "schedule maps: axis 2 by 16 lanes, chunks of 64\n");
  s.grain = 7, s.reason = "as asked";
  EXPECT_EQ(plan::print(s),
            "schedule maps: axis 2 by 16 lanes, chunks of 64, 7 tasks or more a thread (as asked)\n");
}

TEST(CpuScheduleText, SaysAllOfPoints) {
  EXPECT_EQ(text_of(cpu::Maps{64, 3, cpu::WholeVectors{true}}),
            "maps, chunks of 64, 3 rows a task, streaming stores");
  EXPECT_EQ(text_of(cpu::Maps{64, 1, cpu::Masks{}}), "maps, chunks of 64, masked");
  EXPECT_EQ(text_of(cpu::Maps{64, 1, cpu::Masks{true}}), "maps, chunks of 64, masked, aligned");
  EXPECT_EQ(text_of(cpu::Tiles{0, 8, 64, 3, false}),
            "tiles, chunks of 64, 3 rows a task, squares of 8 transposed along axis 0");
  EXPECT_EQ(text_of(cpu::Tiles{0, 8, 64, 1, true}),
            "tiles, chunks of 64, squares of 8 transposed along axis 0, streaming stores");
}

TEST(CpuScheduleText, SaysAllOfRows) {
  EXPECT_EQ(text_of(cpu::Rows{}), "rows");
  EXPECT_EQ(text_of(cpu::Rows{3, cpu::Masks{}, true, 4096}),
            "rows, 3 rows a task, row kept in scratch, prefetches arrays of 4096 bytes and more, masked");
  EXPECT_EQ(text_of(cpu::SplitRows{5, true, 4096}),
            "split rows, row split in 5, prefetches arrays of 4096 bytes and more, streaming stores");
  EXPECT_EQ(text_of(cpu::Totals{3, cpu::WholeVectors{true}, true, 4096}),
            "totals, 3 rows a task, row kept in scratch, prefetches arrays of 4096 bytes and more, streaming "
            "stores");
  EXPECT_EQ(text_of(cpu::Sections{3, cpu::Masks{true}, true, 4096}),
            "sections, 3 rows a task, row kept in scratch, prefetches arrays of 4096 bytes and more, masked, "
            "aligned");
}

TEST(CpuScheduleText, SaysAllOfColumns) {
  EXPECT_EQ(text_of(cpu::Columns{64, false, false}), "columns, chunks of 64");
  EXPECT_EQ(text_of(cpu::Columns{64, true, true}), "columns, chunks of 64, row kept in scratch, masked");
  EXPECT_EQ(text_of(cpu::SplitColumns{64, 5, false}), "split columns, chunks of 64, row split in 5");
  EXPECT_EQ(text_of(cpu::SplitColumns{64, 5, true}), "split columns, chunks of 64, row split in 5, masked");
}

template <size_t... kIndex>
std::set<std::string> names_of_shapes(std::index_sequence<kIndex...>) {
  std::set<std::string> names;
  for (const cpu::Shape& shape : {cpu::Shape(std::variant_alternative_t<kIndex, cpu::Shape>())...})
    names.insert(text_of(shape).substr(0, text_of(shape).find(',')));
  return names;
}

TEST(CpuScheduleText, NamesEachShapeOtherwise) {
  constexpr size_t kShapes = std::variant_size_v<cpu::Shape>;
  EXPECT_EQ(names_of_shapes(std::make_index_sequence<kShapes>()).size(), kShapes);
}

}  // namespace
}  // namespace weft
