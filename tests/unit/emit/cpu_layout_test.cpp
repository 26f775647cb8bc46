// What is decided of a CPU's kernels before any text of them is written.
#include "compiler/emit/cpu/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "compiler/base/error.h"
#include "compiler/emit/cpu/emit_cpu.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/parse.h"
#include "compiler/plan/lower/lower.h"
#include "compiler/plan/schedule/schedule.h"
#include "tests/support/across_graphs.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

namespace cpu = plan::cpu;
using emit::cpu::BlockLayout;
using emit::cpu::CpuLayout;
using emit::cpu::Way;
using plan::CpuSchedule;
using plan::RowProgram;
using testing::HasSubstr;

using Change = std::function<void(CpuSchedule&, RowProgram&)>;

// A graph's only kernel, and the layout that points into its program.
struct Case {
  RowProgram program;
  CpuSchedule schedule;
  CpuLayout layout;
};

Case lay_out(const std::string& lines, const Change& change = nullptr, int vector_bytes = 64) {
  const ir::Graph graph = ir::parse(lines.starts_with("graph") ? lines : "graph {\n" + lines + "\n}");
  Target target = test::cpu();
  target.vector_bytes = vector_bytes;
  const ir::Partition partition = fusion::fuse(graph, target, Options());
  EXPECT_EQ(partition.steps.size(), 1U) << lines;
  const auto is_stored = [&](const ir::Node* n) {
    return std::ranges::any_of(graph.inputs, [&](auto& i) { return i.get() == n; }) ||
           std::ranges::any_of(graph.outputs, [&](auto& o) { return o.get() == n; });
  };
  Case c;
  c.program = plan::lower(partition.steps[0].group, is_stored).program;
  c.schedule = plan::schedule_cpu(c.program, target);
  if (change) change(c.schedule, c.program);
  plan::parameterize(c.program);
  c.layout = emit::cpu::lay_out(c.program, c.schedule);
  return c;
}

std::vector<Way> ways_of(const BlockLayout& block) {
  std::vector<Way> out;
  if (block.span)
    for (auto& s : block.span->stmts)
      if (plan::index_of(*s.stmt)) out.push_back(s.way);
  return out;
}

const char* const kColumnSums = "%x = input \"x\" : f32[2000, 3000]\n%s = sum %x, axes=[0]\nreturn %s";

TEST(CpuLayout, GivesTheLaunchThatTheKernelHas) {
  for (const char* lines : {kColumnSums, "%x = input \"x\" : f32[1000000]\n%s = sum %x\nreturn %s",
                            "%x = input \"x\" : f32[3000, 70]\n%y = exp %x\nreturn %y"}) {
    const Case c = lay_out(lines);
    const emit::Emitted emitted = emit::emit_cpu(c.program, c.schedule);
    EXPECT_EQ(c.layout.launch.tasks, emitted.launch.tasks);
    EXPECT_EQ(c.layout.launch.finish_tasks, emitted.launch.finish_tasks);
    EXPECT_EQ(c.layout.launch.scratch_bytes, emitted.launch.scratch_bytes);
    EXPECT_EQ(c.layout.partials.bytes, emitted.partial_bytes);
    EXPECT_EQ(emitted.params.size(), c.program.params.size() + c.layout.words.size());
  }
}

// A span across columns folds several rows before it touches their totals, unless masks or scans forbid it.
TEST(CpuLayout, FoldsSeveralRowsOfColumnsAtOnce) {
  const Case plain = lay_out(kColumnSums);
  EXPECT_EQ(plain.layout.main.sweeps[0].rows_axis, 1);
  EXPECT_EQ(plain.layout.main.sweeps[0].body.span->rows_axis, 1);
  const Case masked = lay_out(kColumnSums, [](CpuSchedule& s, RowProgram&) {
    s.shape = cpu::Columns{.chunk = 3008, .masked = true};
  });
  EXPECT_EQ(masked.layout.main.sweeps[0].rows_axis, -1);
  const Case scanned =
      lay_out("%x = input \"x\" : f32[2000, 3000]\n%s = cumulative_sum %x, axis=0\nreturn %s",
              [](CpuSchedule& s, RowProgram&) { s.shape = cpu::Columns{.chunk = 1024}; });
  EXPECT_EQ(scanned.layout.main.sweeps[0].rows_axis, -1);
}

// Two launches: parts are totalled, then joined by as many tasks as have some columns.
TEST(CpuLayout, JoinsPartsOfColumnsInChunksOfTheirOwn) {
  const Case c = lay_out(kColumnSums, [](CpuSchedule& s, RowProgram&) {
    s.lanes = 16, s.shape = cpu::SplitColumns{.chunk = 3008, .parts = 5};
  });
  EXPECT_EQ(c.layout.launch.tasks, 5);
  EXPECT_EQ(c.layout.launch.finish_tasks, 6) << "of 512 columns each";
  ASSERT_TRUE(c.layout.finish);
  EXPECT_FALSE(c.layout.finish->has_parts);
  EXPECT_EQ(c.layout.words[static_cast<size_t>(c.layout.finish->chunk)], 512);
  EXPECT_EQ(c.layout.words[static_cast<size_t>(c.layout.main.chunk)], 3008);
}

TEST(CpuLayout, CountsTheVectorsOfShortMaskedRows) {
  const auto counts = [](const std::string& rows) {
    const Case c =
        lay_out("%x = input \"x\" : f32[" + rows + "]\n%y = square %x\n%s = sum %y, axes=[1]\nreturn %s");
    EXPECT_TRUE(c.layout.lanes.masked);
    return c.layout.main.sweeps[0].body.span->counts_vectors;
  };
  EXPECT_TRUE(counts("1000, 40"));
  EXPECT_FALSE(counts("1000, 4000"));
}

// The first contiguous store decides where whole vectors begin; a total goes from call to call from the start.
TEST(CpuLayout, AlignsVectorsToTheFirstStore) {
  const char* const odd_rows =
      "%x = input \"x\" : f32[1000, 777]\n%y = exp %x\n%z = square %x\nreturn %y, %z";
  const Case c = lay_out(odd_rows, [](CpuSchedule& s, RowProgram&) {
    s.shape = cpu::Maps{784, 1, cpu::Masks{.aligned = true}};
  });
  const auto& span = *c.layout.main.sweeps[0].body.span;
  ASSERT_NE(span.aligned, nullptr);
  EXPECT_EQ(span.aligned, std::get_if<plan::Store>(std::ranges::find_if(span.stmts, [](auto& s) {
                                                     return std::holds_alternative<plan::Store>(*s.stmt);
                                                   })->stmt));
  const Case streamed = lay_out(odd_rows, [](CpuSchedule& s, RowProgram&) {
    s.shape = cpu::Maps{784, 1, cpu::WholeVectors{.streaming = true}};
  });
  EXPECT_EQ(streamed.layout.main.sweeps[0].body.span->aligned, nullptr);
  EXPECT_TRUE(streamed.layout.main.sweeps[0].body.span->aligns_positions) << "two stores stream";
  const Case folded =
      lay_out("%x = input \"x\" : f32[1000, 777]\n%s = sum %x, axes=[1]\n%y = exp %x\nreturn %s, %y",
              [](CpuSchedule& s, RowProgram&) { s.shape = cpu::Rows{.ends = cpu::Masks{.aligned = true}}; });
  EXPECT_EQ(folded.layout.main.sweeps[0].body.span->aligned, nullptr);
}

TEST(CpuLayout, SaysHowEachAccessReachesMemory) {
  const auto ways = [](const std::string& lines, const Change& change = nullptr) {
    return ways_of(lay_out(lines, change).layout.main.sweeps[0].body);
  };
  const Change whole = [](CpuSchedule& s, RowProgram&) {
    s.lane_axis = 0, s.lanes = 16, s.shape = cpu::Maps{64, 1, {}};
  };
  EXPECT_THAT(ways("%x = input \"x\" : f32[5000]\n%y = exp %x\nreturn %y"),
              testing::ElementsAre(Way::Vector, Way::Vector));
  // A pad's test is one for a whole stretch, or with masks one of lanes between two bounds.
  const std::string padded =
      "%x = input \"x\" : f32[5000]\n%y = pad %x, 0.0, before=[3], after=[4]\nreturn %y";
  EXPECT_THAT(ways(padded, whole), testing::ElementsAre(Way::Stretch, Way::Vector, Way::Vector));
  const std::string padded_rows =
      "%x = input \"x\" : f32[70, 50]\n%y = pad %x, 0.0, before=[0, 3], after=[0, 4]\nreturn %y";
  const Change masked = [](CpuSchedule& s, RowProgram&) {
    s.lane_axis = 1, s.lanes = 16, s.shape = cpu::Maps{64, 1, cpu::Masks{}};
  };
  EXPECT_THAT(ways(padded_rows, masked), testing::ElementsAre(Way::Bounds, Way::Window, Way::Vector));
  EXPECT_THAT(
      ways("%x = input \"x\" : f32[64, 64]\n%y = input \"y\" : f32[64, 64]\n%t = permute %x, axes=[1, 0]\n"
           "%z = add %t, %y\nreturn %z",
           [](CpuSchedule& s, RowProgram&) {
             s.lane_axis = 1, s.lanes = 16, s.shape = cpu::Tiles{.axis = 0, .side = 16, .chunk = 64};
           }),
      testing::ElementsAre(Way::Tile, Way::Vector, Way::Vector));
}

// Each shape is chosen for some program, whatever the processor's vectors, and has a kernel.
TEST(CpuSchedules, TakeEveryShapeWithVectorsOfAnyWidth) {
  struct {
    const char* shape;
    std::string lines;
  } cases[] = {
      {"maps", "%x = input \"x\" : f32[50, 60]\n%y = exp %x\nreturn %y"},
      {"tiles",
       "%x = input \"x\" : f32[500, 300]\n%y = input \"y\" : f32[300, 500]\n%t = permute %x, axes=[1, 0]\n"
       "%z = add %t, %y\nreturn %z"},
      {"rows", "%x = input \"x\" : f32[1000, 500]\n%s = sum %x, axes=[1]\nreturn %s"},
      {"split rows", "%x = input \"x\" : f32[10000000]\n%s = sum %x\nreturn %s"},
      {"totals", test::layer_norm_gradients("f32", 517, 200)},
      {"sections", test::group_norm_gradients("f32", 50, 3, 4, 67)},
      {"columns", "%x = input \"x\" : f32[200, 100000]\n%s = sum %x, axes=[0]\nreturn %s"},
      {"split columns", "%x = input \"x\" : f32[100000, 64]\n%s = sum %x, axes=[0]\nreturn %s"},
  };
  static_assert(std::size(cases) == std::variant_size_v<cpu::Shape>);
  for (auto& c : cases)
    for (int vector_bytes : {16, 32, 64}) {
      const Case one = lay_out(c.lines, nullptr, vector_bytes);
      const std::string text = plan::print(one.schedule);
      EXPECT_THAT(text, testing::StartsWith(std::string("schedule ") + c.shape + ": axis ")) << vector_bytes;
      EXPECT_THAT(emit::emit_cpu(one.program, one.schedule).source.text,
                  HasSubstr("extern \"C\" void weft_"));
      EXPECT_EQ(one.layout.lanes.masked, text.find(", masked") != std::string::npos);
    }
}

// What depends on the program is refused before anything is laid out.
TEST(CpuSchedules, AreRefusedWhereTheProgramDoesNotAllowThem) {
  const char* const map = "%x = input \"x\" : f32[50, 60]\n%y = exp %x\nreturn %y";
  const char* const softmax =
      "%x = input \"x\" : f32[50, 60]\n%m = max %x, axes=[1]\n%r = reshape %m : f32[50, 1]\n%d = subtract "
      "%x, %r\n"
      "%e = exp %d\n%s = sum %e, axes=[1]\n%t = reshape %s : f32[50, 1]\n%q = divide %e, %t\nreturn %q";
  struct {
    const char* lines;
    cpu::Shape shape;
    int lane_axis;
    const char* says;
  } cases[] = {
      {map, cpu::Rows{}, 1, "points have no row"},
      {kColumnSums, cpu::Maps{.chunk = 64}, 0, "points have no row"},
      {kColumnSums, cpu::Rows{}, 0, "lanes of rows run along the row"},
      {kColumnSums, cpu::Columns{.chunk = 64}, 1, "lanes of rows run along the row"},
      {kColumnSums, cpu::Columns{.chunk = 0}, 0, "a task takes some elements"},
      {kColumnSums, cpu::Totals{}, 1, "totals across them"},
      {kColumnSums, cpu::Sections{}, 1, "rows of sections"},
      {softmax, cpu::SplitRows{.parts = 2}, 1, "only rows of one sweep are split"},
      {softmax, cpu::Rows{}, 1, "values cross sweeps"},
  };
  for (auto& c : cases) {
    try {
      lay_out(c.lines, [&](CpuSchedule& s, RowProgram&) { s.shape = c.shape, s.lane_axis = c.lane_axis; });
      ADD_FAILURE() << "not refused: " << c.says;
    } catch (const InternalError& e) {
      EXPECT_THAT(e.what(), HasSubstr(c.says));
    }
  }
}

}  // namespace
}  // namespace weft
