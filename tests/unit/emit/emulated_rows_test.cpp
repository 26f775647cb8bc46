// What kernels mean whose threads share rows: whole ones and parts of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <utility>

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
using plan::division_of;
using plan::Order;
using plan::Residence;
using plan::RowProgram;

TEST(CudaMeaning, OfReductionsAndSweeps) {
  EmulatedCases all;
  for (const Target& target : {h200(), tiny()}) {
    for (int64_t width : {1, 3, 7, 33, 64, 100, 255, 1024, 2050, 5000}) {
      all.add(compile(ir::parse(softmax("f32", 5, width)), target));
      all.add(compile(ir::parse(sum(fmt::format("f32[3, {}]", width), "1")), target));
      all.add(compile(ir::parse(sum(fmt::format("f32[{}, 40]", width), "0")), target));
      all.add(compile(ir::parse(sum(fmt::format("f32[4, {}, 6]", width), "0, 2")), target));
    }
    all.add(compile(ir::parse(softmax("f64", 3, 600)), target));
    all.add(compile(ir::parse(softmax("f32", 140, 16388)), target));
    all.add(compile(ir::parse(sum("f32[100, 1000]", "0, 1")), target));
    all.add(compile(ir::parse(sum("f64[100, 999]", "0, 1")), target));
    all.add(compile(ir::parse(sum("c64[7, 3000]", "1")), target));
    all.add(compile(ir::parse(sum("c128[7, 301]", "0")), target));
  }
  all.check(2e-5, 0);
}

// What follows the sums of a row reads elements of it that an index picks.
TEST(CudaMeaning, OfElementsPickedOfRows) {
  EmulatedCases all;
  for (int64_t width : {1, 7, 100, 2050, 5000})
    for (int64_t picked : {1, 3}) {
      if (picked >= width) continue;
      all.add(compile(ir::parse(fmt::format(R"(graph {{
  %x = input : f32[5, {0}]
  %i = input : i64[5, {1}]
  %m = max %x, axes=[1]
  %n = reshape %m : f32[5, 1]
  %d = subtract %x, %n
  %e = exp %d
  %s = sum %e, axes=[1]
  %l = log %s
  %k = reshape %l : f32[5, 1]
  %p = subtract %d, %k
  %g = gather %p, %i, axis=1
  %y = negative %g
  return %y
}})",
                                            width, picked)),
                      h200()));
    }
  all.check(2e-5, 0);
}

// Rows that begin anywhere in a vector: whole rows and parts of them, in registers, in shared memory and read
// again, by one thread and by many; rows and slices of rows, with and without elements that lie elsewhere.
TEST(CudaMeaning, OfShiftedVectors) {
  EmulatedCases all;
  auto add = [&](const std::string& text, const Change& change = {}) {
    CudaCase c = compile(ir::parse(text), h200(), change);
    for (auto& k : c.kernels) ASSERT_TRUE(division_of(k.schedule).shifted) << text;
    all.add(std::move(c));
  };
  for (int64_t width : {49, 130, 385, 1025, 3075}) {
    // Vectors that end within the row, at all its phases: all but one, all but two, and none.
    if (width == 1025)
      for (int64_t last : {1009, 1023, 1025, 1027, 1041})
        for (const char* dtype : {"f32", "f64", "bf16"}) add(softmax(dtype, 9, last));
    add(sum(fmt::format("i8[37, {}]", width), "1"));
    add(sum(fmt::format("i16[5, {}]", width - width % 2 + 1), "1"));
    add(argmax(fmt::format("u8[9, {}]", width)));
    if (width < 300) continue;
    for (const char* dtype : {"u8", "bf16"})
      if (width > 512)
        add(fmt::format(
            "graph {{\n  %a = input : {0}[11, {1}]\n  %b = input : {0}[11, 1]\n  %c = broadcast %b : "
            "{0}[11, {1}]\n  %y = add %a, %c\n  return %y\n}}",
            dtype, width));
    add(softmax("bf16", 7, width));
    add(softmax("f32", 5, width | 1));
    add(softmax("f64", 3, width | 1));
    add(softmax("f32", 3, width | 1), [](CudaSchedule& s, RowProgram& p) {
      s.threads = 64, s.resident = 1;
      s.shape = cuda::SharedRows{1, 2, true, true};
      ASSERT_FALSE(plan::crossing_values(p).empty());
    });
    add(fmt::format(
        "graph {{\n  %a = input : i16[13, {0}]\n  %b = slice %a, starts=[1, 3] : i16[11, {1}]\n  %m = max "
        "%b, axes=[1]\n  return %m\n}}",
        width | 1, width - 9));
  }
  all.check(2e-2, 0);
}

// Elements narrower than a word, words of them at a time: rows that begin and end anywhere in one, so short
// that truth is not the same in all of them, and longer ones.
TEST(CudaMeaning, OfWords) {
  EmulatedCases all;
  auto add = [&](const std::string& op, const std::string& dtype, int64_t rows, int64_t width,
                 const Change& change = {}, const std::string& cast = "") {
    const std::string to =
        cast.empty() ? "" : fmt::format("  %c = cast %a : {}[{}, {}]\n", cast, rows, width);
    CudaCase c =
        compile(ir::parse(fmt::format("graph {{\n  %a = input : {}[{}, {}]\n{}  %y = {} {}, axes=[1]\n  "
                                      "return %y\n}}",
                                      dtype, rows, width, to, op, cast.empty() ? "%a" : "%c")),
                h200(), change);
    for (auto& k : c.kernels)
      EXPECT_NE(k.emitted.source.text.find("weft_fold_"), std::string::npos) << op << " " << dtype;
    all.add(std::move(c));
  };
  for (int64_t width : {4, 5, 6, 7, 9, 14, 19}) {
    auto narrow = [&](CudaSchedule& s, RowProgram&) {
      s.lane_axis = 1, s.lanes = 4, s.threads = 128;
      s.shape = cuda::Rows{cuda::Threads{2}, 2, width % 4 != 0};
    };
    for (const char* op : {"any", "all"}) add(op, "bool", 300, width, narrow);
    add("all", "i8", 300, width, narrow, "bool");
    for (const char* dtype : {"i8", "u8", "i16", "u16"})
      for (const char* op : {"max", "min"}) add(op, dtype, 50, width, narrow);
    for (const char* dtype : {"bool", "i8", "u8"}) add("sum", dtype, 50, width, narrow, "i64");
  }
  for (int64_t width : {64, 385, 3075, 70001})
    for (int64_t rows : {1, 7}) {
      add("all", "i8", rows, width, {}, "bool");
      for (const char* dtype : {"i8", "u8"}) {
        for (const char* op : {"max", "min", "sum"}) add(op, dtype, rows, width);
        add("sum", dtype, rows, width, {}, "i32");
      }
      add("sum", "bool", rows, width, {}, "i64");
    }
  all.check(0, 0);
}

// Parts of rows, which one block collects: states of all sizes, blocks of one warp and of several.
TEST(CudaMeaning, OfRowsInParts) {
  EmulatedCases all;
  for (int64_t rows : {1, 5})
    for (int split : {2, 70})
      for (int threads : {32, 128}) {
        auto parts = [&](CudaSchedule& s, RowProgram&) {
          s.threads = threads;
          s.shape = cuda::Rows{cuda::Parts{split}, 1, division_of(s).shifted};
        };
        for (const char* dtype : {"f32", "f64", "c128", "i8", "bf16"})
          all.add(compile(ir::parse(sum(fmt::format("{}[{}, 3001]", dtype, rows), "1")), h200(), parts));
        all.add(compile(ir::parse(argmax(fmt::format("f32[{}, 3001]", rows))), h200(), parts));
      }
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfBundledRows) {
  EmulatedCases all;
  int bundled = 0;
  auto add = [&](const std::string& text, int threads = 1) {
    CudaCase c = compile(ir::parse(text), h200(), [&](CudaSchedule& s, RowProgram& p) {
      const plan::RowDivision d = division_of(s);
      if (d.order != Order::Rows) return;
      s.lanes = 1, s.threads = 128;
      const bool stays = d.residence == Residence::Registers;
      const auto elements = static_cast<int>((p.row_count() + threads - 1) / threads);
      s.shape = cuda::BundledRows{threads, stays ? elements : d.vectors, stays};
    });
    for (auto& k : c.kernels) bundled += std::holds_alternative<cuda::BundledRows>(k.schedule.shape);
    all.add(std::move(c));
  };
  for (int64_t rows : {2, 127, 256, 301})
    for (int64_t width : {3, 7, 13}) {
      add(sum(fmt::format("i8[{}, {}]", rows, width), "1"));
      add(sum(fmt::format("f16[{}, {}]", rows, width), "1"));
      add(argmax(fmt::format("u16[{}, {}]", rows, width)));
      add(softmax("f32", rows, width));
      add(softmax("f16", rows, width));
      add(softmax("bf16", rows, width));
      add(softmax("f64", rows, width));
    }
  for (int64_t rows : {2, 63, 301})
    for (int64_t width : {3, 25, 49})
      for (int threads : {2, 4, 8}) {
        add(sum(fmt::format("i8[{}, {}]", rows, width), "1"), threads);
        add(argmax(fmt::format("u16[{}, {}]", rows, width)), threads);
        for (const char* dtype : {"f32", "f16", "f64"}) add(softmax(dtype, rows, width), threads);
      }
  EXPECT_GT(bundled, 150);
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfFlattenedRows) {
  EmulatedCases all;
  for (const char* dtype : {"i8", "bool", "bf16", "f16", "f32", "f64", "c64"})
    for (int64_t width : {3, 7, 15, 17, 49})
      for (int64_t rows : {512, 1025}) {
        CudaCase c = compile(ir::parse(add_to_rows(dtype, rows, width)), h200());
        for (auto& k : c.kernels) ASSERT_EQ(k.lowered.program.outer.size(), 1U);
        all.add(std::move(c));
      }
  all.check(1e-6, 0);
}

// Rows in registers and in shared memory, of one block and of several: on widths for which nobody would
// choose it, so that threads and whole blocks are left without elements.
TEST(CudaMeaning, OfRowsOfSeveralBlocks) {
  EmulatedCases all;
  for (Residence residence : {Residence::Registers, Residence::Shared})
    for (int cluster : {1, 2, 16})
      for (int64_t width : {1, 7, 520, 1001, 1002, 2048}) {
        auto force = [&](CudaSchedule& s, RowProgram& p) {
          if (plan::crossing_values(p).empty()) return;
          const bool shifted = division_of(s).shifted;
          s.threads = 64;
          if (residence == Residence::Shared) {
            s.shape = cuda::SharedRows{cluster, 2, width % 2 == 0, shifted};
            return;
          }
          const int64_t vectors = (width + s.lanes - 1) / s.lanes, part = int64_t{64} * cluster;
          cuda::RegisterRows rows{cuda::Threads{64}, static_cast<int>((vectors + part - 1) / part), shifted};
          if (cluster > 1) rows.owner = cuda::Cluster{cluster};
          s.shape = rows;
        };
        for (const char* dtype : {"f32", "bf16", "f64"})
          all.add(compile(ir::parse(softmax(dtype, 3, width)), h200(), force));
        all.add(compile(ir::parse(layernorm("f32", 2, width)), h200(), force));
      }
  all.check(2e-2, 0);
}

// Blocks of a row that are no cluster and tell each other in the device's memory; rows stay in registers, or
// are read again.
TEST(CudaMeaning, OfRowsOfACooperativeLaunch) {
  EmulatedCases all;
  for (bool stays : {true, false})
    for (int blocks : {2, 5})
      for (int64_t width : {7, 1001, 1024}) {
        auto force = [&](CudaSchedule& s, RowProgram& p) {
          if (plan::crossing_values(p).empty()) return;
          const bool shifted = division_of(s).shifted;
          s.threads = 64;
          const int64_t vectors = (width + 2 * s.lanes - 2) / s.lanes, part = int64_t{64} * blocks;
          if (stays) {
            const auto each = static_cast<int>((vectors + part - 1) / part);
            s.shape = cuda::RegisterRows{cuda::Device{blocks}, each, shifted};
          } else {
            plan::repeat_cheap_values(p, true, 1e30f);
            s.shape = cuda::Rows{cuda::Device{blocks}, 2, shifted};
          }
        };
        for (const char* dtype : {"f32", "bf16", "f64"})
          all.add(compile(ir::parse(softmax(dtype, 3, width)), h200(), force));
        all.add(compile(ir::parse(layernorm("f32", 2, width)), h200(), force));
      }
  for (auto& c : all.cases) {
    const Launch& l = c.kernels[0].emitted.launch;
    EXPECT_EQ(l.cluster, 1U);
    EXPECT_EQ(l.cooperating > 1, division_of(c.kernels[0].schedule).device_wide);
  }
  all.check(2e-2, 0);
}

// Rows for which a small device has no clusters, or no registers, as they are scheduled.
TEST(CudaMeaning, OfFewRowsAcrossTheDevice) {
  Target small = h200();
  small.threads = 4;
  EmulatedCases all;
  for (auto [dtype, width, residence] :
       {std::tuple<const char*, int64_t, Residence>{"f64", 24577, Residence::Registers},
        {"f64", 60002, Residence::Registers},
        {"f64", 200001, Residence::Nowhere}}) {
    CudaCase c = compile(ir::parse(softmax(dtype, 1, width)), small);
    ASSERT_EQ(c.kernels.size(), 1U);
    const plan::RowDivision d = division_of(c.kernels[0].schedule);
    EXPECT_TRUE(d.device_wide) << dtype << " " << width;
    EXPECT_EQ(d.residence, residence) << dtype << " " << width;
    EXPECT_LE(d.blocks * c.kernels[0].schedule.resident, 4);
    all.add(std::move(c));
  }
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfFewLongColumnsAsRows) {
  EmulatedCases all;
  for (auto [dtype, height, width] :
       {std::tuple<const char*, int64_t, int64_t>{"f32", 30000, 7}, {"bf16", 17001, 3}, {"f64", 20000, 2}}) {
    CudaCase c = compile(ir::parse(column_softmax(dtype, height, width)), h200());
    ASSERT_EQ(c.kernels.size(), 1U);
    EXPECT_EQ(division_of(c.kernels[0].schedule).order, Order::Rows);
    EXPECT_GT(division_of(c.kernels[0].schedule).blocks, 1);
    all.add(std::move(c));
  }
  all.check(2e-2, 0);
}

TEST(CudaSchedule, OfFewLongRowsTakesTheDeviceWhateverTheirLayout) {
  CudaCase c = compile(ir::parse(R"(graph {
    %x = input : f32[400000, 20]
    %a = permute %x, axes=[1, 0]
    %m = max %a, axes=[1]
    %m1 = reshape %m : f32[20, 1]
    %d = subtract %a, %m1
    %e = exp %d
    %s = sum %e, axes=[1]
    %s1 = reshape %s : f32[20, 1]
    %y = divide %e, %s1
    %z = permute %y, axes=[1, 0]
    return %z
  })"),
                       h200());
  EXPECT_TRUE(division_of(c.kernels[0].schedule).device_wide) << c.kernels[0].schedule.reason;
}

TEST(CudaSchedule, OfRowsAcrossTheDeviceRunsAllBlocksAtOnce) {
  for (int64_t rows = 1; rows < 40; ++rows)
    for (int64_t width : {30001, 196609, 262145, 393217, 524288, 1572865})
      for (const char* dtype : {"f16", "f32", "f64"})
        for (int frugal : {0, 1, 2}) {
          Bias bias;
          bias.frugal = frugal;
          CudaCase c = compile(ir::parse(softmax(dtype, rows, width)), h200(), {}, false, bias);
          const CudaSchedule& s = c.kernels[0].schedule;
          const plan::RowDivision d = division_of(s);
          if (!d.device_wide) continue;
          EXPECT_LE(rows * d.blocks, 132 * s.resident) << s.reason;
          EXPECT_LE(s.threads * s.resident, 512) << "128 registers for each";
          EXPECT_LE(d.blocks, s.threads);
        }
}

// Sums and the like of rows that a block, or a cluster, takes at once: words, wide states, positions, rows
// that begin anywhere, blocks that have nothing.
TEST(CudaMeaning, OfRowsReducedAtOnce) {
  EmulatedCases all;
  for (int cluster : {1, 2, 4})
    for (int64_t width : {5, 1001, 2048}) {
      auto force = [&](CudaSchedule& s, RowProgram&) {
        s.threads = 64;
        const int64_t vectors = (width + 2 * s.lanes - 2) / s.lanes, part = int64_t{64} * cluster;
        cuda::RegisterRows rows{cuda::Threads{64}, static_cast<int>((vectors + part - 1) / part),
                                division_of(s).shifted};
        if (cluster > 1) rows.owner = cuda::Cluster{cluster};
        s.shape = rows;
      };
      for (const char* dtype : {"i8", "bf16", "f32", "f64", "c128"})
        all.add(compile(ir::parse(sum(fmt::format("{}[3, {}]", dtype, width), "1")), h200(), force));
      all.add(compile(ir::parse(argmax(fmt::format("f32[3, {}]", width))), h200(), force));
      all.add(compile(ir::parse(log_sum_exp("f32", 3, width, 1)), h200(), force));
    }
  CudaCase odd = compile(ir::parse(sum("i8[769, 24577]", "1")), h200());
  EXPECT_EQ(division_of(odd.kernels[0].schedule).residence, Residence::Registers);
  EXPECT_EQ(division_of(odd.kernels[0].schedule).vectors, 7);
  for (auto [rows, width, cluster] : {std::tuple<int64_t, int64_t, int>{32, 32769, 4}, {9, 262144, 8}}) {
    CudaCase c = compile(ir::parse(sum(fmt::format("f32[{}, {}]", rows, width), "1")), h200());
    EXPECT_EQ(division_of(c.kernels[0].schedule).blocks, cluster) << rows << " " << width;
    EXPECT_EQ(division_of(c.kernels[0].schedule).parts, 1) << rows << " " << width;
  }
  all.check(2e-2, 0);
}

// Few long rows, of any dtype, as they are scheduled.
TEST(CudaMeaning, OfFewRowsAmongBlocks) {
  EmulatedCases all;
  for (const char* dtype : {"f32", "f16", "f64"})
    for (auto [rows, width] : {std::pair<int64_t, int64_t>{1, 24577}, {3, 20000}}) {
      CudaCase c = compile(ir::parse(softmax(dtype, rows, width)), h200());
      ASSERT_EQ(c.kernels.size(), 1u);
      const plan::RowDivision d = division_of(c.kernels[0].schedule);
      EXPECT_EQ(d.residence, Residence::Registers);
      EXPECT_GE(d.blocks, 4) << dtype << " " << width;
      all.add(std::move(c));
    }
  // More than a multiprocessor has a block for: two of them then.
  CudaCase c = compile(ir::parse(softmax("f32", 49, 9001)), h200());
  EXPECT_EQ(division_of(c.kernels[0].schedule).blocks, 4);
  EXPECT_EQ(c.kernels[0].schedule.resident, 2);
  all.add(std::move(c));
  all.check(2e-2, 0);
}

// Totals across rows: any number of threads for a row, rows in turn, and values that stay or are read again.
TEST(CudaMeaning, OfTotalsAcrossRows) {
  EmulatedCases all;
  auto add = [&](const std::string& text, const Target& target, const Change& change = {}) {
    CudaCase c = compile(ir::parse(text), target, change);
    ASSERT_EQ(c.kernels.size(), 1u) << text;
    ASSERT_TRUE(c.kernels[0].lowered.program.reduces_points());
    all.add(std::move(c));
  };
  for (int64_t width : {64, 67, 515, 1028}) {
    add(layer_norm_gradients("f32", 19, width), tiny());
    add(layer_norm_gradients("bf16", 23, width), tiny());
    add(layer_norm_gradients("f64", 9, width), tiny());
  }
  for (int threads : {1, 8, 32, 128})
    for (int64_t walk : {1, 3, 50})
      add(layer_norm_gradients("f32", 21, 131), tiny(), [&](CudaSchedule& s, RowProgram& p) {
        const auto vectors = static_cast<int>((p.row_count() + s.lanes - 1) / s.lanes);
        s.threads = 128, s.resident = 1;
        s.shape = cuda::Totals{cuda::Threads{threads}, (vectors + threads - 1) / threads, walk, walk != 3};
      });
  // A thread and few threads a row, several rows of which a block joins; and rows of several blocks.
  for (int64_t width : {2, 3, 7, 16, 33})
    for (int64_t rows : {2, 300})
      for (const char* dtype : {"f32", "bf16", "f64"}) add(layer_norm_gradients(dtype, rows, width), h200());
  for (int64_t width : {3, 7, 13})
    for (int64_t walk : {1, 3}) {
      auto bundled = [&](CudaSchedule& s, RowProgram& p) {
        s.lanes = 1, s.threads = 128, s.resident = 1;
        s.shape = cuda::Totals{cuda::Totals::Bundled(), static_cast<int>(p.row_count()), walk, walk > 1};
      };
      add(layer_norm_gradients("f32", 700, width), h200(), bundled);
      add(rms_norm_gradients("bf16", 700, width), h200(), bundled);
    }
  for (int cluster : {2, 4, 16})
    for (int64_t walk : {1, 2, 7})
      for (int64_t width : {130, 1028, 2050})
        add(layer_norm_gradients(width == 1028 ? "bf16" : "f32", 11, width), h200(),
            [&](CudaSchedule& s, RowProgram& p) {
              const auto vectors = static_cast<int>((p.row_count() + s.lanes - 1) / s.lanes);
              s.threads = 64, s.resident = 1;
              s.shape = cuda::Totals{cuda::Cluster{cluster}, (vectors + 64 * cluster - 1) / (64 * cluster),
                                     walk, walk == 7};
            });
  add(layer_norm_gradients("f32", 3, 20001), h200());
  for (int64_t width : {5, 64, 1000})
    for (const char* dtype : {"f32", "bf16"}) add(rms_norm_gradients(dtype, 43, width), tiny());
  add(row_and_column_reductions("sum", "sum", "f32", 3, 20000), h200());
  add(layer_norm_gradients("f64", 8, 8000), tiny());
  add(row_and_column_reductions("sum", "sum", "f16", 13, 33), tiny());
  add(row_and_column_reductions("max", "min", "f32", 30, 41), tiny());
  add(row_and_column_reductions("sum", "prod", "i64", 12, 24), tiny());
  add(row_and_column_reductions("any", "all", "bool", 12, 32), tiny());
  add(row_and_column_reductions("sum", "sum", "c128", 20, 25), tiny());
  all.check(2e-2, 0);
}

// Sections of rows, which are totalled beside these: as many in a block as there are, or some; several warps,
// one and a part of one for each; values that stay and that are read again.
TEST(CudaMeaning, OfSectionsOfRows) {
  EmulatedCases all;
  auto add = [&](const std::string& text, const Target& target, const Change& change = {}) {
    CudaCase c = compile(ir::parse(text), target, change);
    ASSERT_TRUE(c.kernels[0].lowered.program.section_axes > 0) << text;
    all.add(std::move(c));
  };
  for (int64_t width : {6, 49, 64, 196, 1030})
    for (int64_t channels : {2, 3, 10, 16}) {
      const char* dtype = width == 64 ? "bf16" : width == 196 ? "f64" : "f32";
      add(group_norm_gradients(dtype, 3, 2, channels, width), h200());
      if (channels * width < 4000) add(group_norm_gradients(dtype, 2, 3, channels, width), tiny());
    }
  // More sections than a block takes, and of more elements than its registers keep.
  add(group_norm_gradients("f32", 2, 2, 24, 36), h200());
  add(group_norm_gradients("f64", 140, 1, 2, 4096), h200());
  for (int threads : {8, 32, 64, 256})
    for (int cluster : {1, 2, 4}) {
      if (threads * 4 / cluster < 32) continue;
      add(group_norm_gradients("f32", 3, 2, 4, 268), h200(), [&](CudaSchedule& s, RowProgram& p) {
        const auto vectors = static_cast<int>((p.row.back().value + s.lanes - 1) / s.lanes);
        s.threads = threads * 4 / cluster, s.resident = 1;
        s.shape = cuda::Sections{cluster, (vectors + threads - 1) / threads};
      });
    }
  add(row_and_section_reductions("sum", "sum", "f16", 13, 3, 33), tiny());
  add(row_and_section_reductions("max", "min", "f32", 15, 5, 41), tiny());
  add(row_and_section_reductions("sum", "prod", "i64", 12, 4, 24), tiny());
  add(row_and_section_reductions("any", "all", "bool", 12, 2, 32), tiny());
  add(row_and_section_reductions("sum", "sum", "c128", 16, 7, 25), tiny());
  add(row_and_section_reductions("argmax", "sum", "i8", 20, 4, 68), h200());
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfTotalsAcrossRowsOfRandomShapes) {
  std::mt19937 random(7);
  auto up_to = [&](int64_t most) {
    return static_cast<int64_t>(std::exp(std::uniform_real_distribution<>(0.7, std::log(most))(random)));
  };
  EmulatedCases all;
  for (int k = 0; k < 24; ++k) {
    const int64_t width = up_to(40000), rows = up_to(std::min<int64_t>(300000 / width, 2000) + 2);
    const char* dtype = std::array{"f32", "bf16", "f64"}[static_cast<size_t>(k) % 3];
    CudaCase c = compile(ir::parse(k % 2 ? row_and_column_reductions("sum", "max", dtype, rows, width / 3 + 1)
                                         : layer_norm_gradients(dtype, rows, width)),
                         k % 4 < 2 ? h200() : tiny());
    all.add(std::move(c));
  }
  all.check(2e-2, 0);
}

// Rows and columns, whole and split, that are all reductions or are read again; elements of all sizes.
TEST(CudaMeaning, OfRescaledSums) {
  EmulatedCases all, edges;
  int rescaled = 0;
  auto add = [&](EmulatedCases& to, const std::string& text, const Change& change = {}) {
    CudaCase c = compile(ir::parse(text), tiny(), change);
    for (auto& k : c.kernels) rescaled += k.emitted.source.text.find("weft_scale_f") != std::string::npos;
    to.add(std::move(c));
  };
  for (const char* dtype : {"f32", "f64", "bf16", "f16"}) {
    add(all, log_sum_exp(dtype, 3, 20000, 1));
    add(all, column_softmax(dtype, 20000, 2));
    add(all, softmax(dtype, 2, 16389));
  }
  for (const char* dtype : {"f32", "bf16"}) {
    add(all, softmax(dtype, 40, 16389));
    add(all, column_softmax(dtype, 700, 140));
  }
  for (auto [rows, width] : {std::pair<int64_t, int64_t>{40, 33}, {70, 64}, {600, 20}}) {
    add(edges, log_sum_exp("f32", rows, width, 0));
    add(edges, log_sum_exp("f64", rows, width, 0));
  }
  for (int64_t split : {1, 2, 5})
    for (int threads : {8, 32, 128})
      add(edges, log_sum_exp("f32", 3, 16389, 1), [&](CudaSchedule& s, RowProgram&) {
        const plan::RowDivision d = division_of(s);
        ASSERT_EQ(d.residence, Residence::Nowhere);
        cuda::Rows rows{cuda::Threads{threads}, d.vectors, d.shifted};
        if (split > 1) rows.owner = cuda::Parts{split};
        s.threads = split > 1 ? std::max(threads, 32) : 128;
        s.shape = rows;
      });
  EXPECT_GT(rescaled, 20);
  all.check(2e-2, 0);
  edges.check(2e-5, 0.02);
}

// Values that only grow rescale at each batch; rows of nothing but -inf have no sum.
TEST(CudaMeaning, OfRescaledSumsOfGrowingRows) {
  EmulatedCases all;
  const char* growing = R"(graph {{
  %a = input : f32[{0}, {1}]
  %i = iota axis=1 : f32[{0}, {1}]
  %k = multiply %i, {2}
  %x = add %a, %k
  %m = max %x, axes=[1]
  %m1 = reshape %m : f32[{0}, 1]
  %d = subtract %x, %m1
  %e = exp %d
  %s = sum %e, axes=[1]
  return %s, %m
}})";
  for (const char* by : {"0.01", "-0.01", "3.0", "inf", "-inf"})
    all.add(compile(ir::parse(fmt::format(fmt::runtime(growing), 3, 16500, by)), tiny()));
  for (auto& c : all.cases)
    for (auto& k : c.kernels)
      EXPECT_NE(k.emitted.source.text.find("weft_scale_f"), std::string::npos) << k.schedule.reason;
  all.check(2e-5, 0);
}

// What is relative to the largest value is computed, and nobody sums it: without simplify nothing takes it
// out.
TEST(CudaMeaning, OfDifferencesThatNobodyReads) {
  EmulatedCases all;
  for (const Target& target : {h200(), tiny()})
    all.add(compile(ir::parse(R"(graph {
  %x = input : f32[64]
  %u = input : f32[64]
  %m = max %x, axes=[0]
  %m1 = reshape %m : f32[1]
  %d = subtract %x, %m1
  %y = update %d, %u, starts=[63], steps=[-1]
  return %y, %m
})"),
                    target));
  all.check(0, 0);
}

// Schedules that a spilling kernel or a search asks for.
TEST(CudaMeaning, OfBiasedSchedules) {
  EmulatedCases all;
  for (const Bias& bias : {Bias{.frugal = 1}, Bias{.frugal = 3}, Bias{.width = -2}, Bias{.work = 2},
                           Bias{.frugal = 2, .width = -1, .work = -2}})
    for (const std::string& text :
         {softmax("f32", 9, 1030), softmax("bf16", 3, 5000), sum("f32[300, 40]", "0"), stencil(40, 130),
          column_softmax("f32", 70, 300), layernorm("f32", 5, 700), transposed(70, 96),
          pairs("f32", 130, 128), layer_norm_gradients("f32", 17, 600),
          scanned("cumulative_sum", "f32", 3, 900, 1)})
      for (const Target& target : {h200(), tiny()})
        all.add(compile(ir::parse(text), target, {}, false, bias));
  all.check(2e-2, 0);
}

// Without rewriting, reductions over nothing reach the schedule.
TEST(CudaMeaning, OfEmptyRows) {
  EmulatedCases all;
  for (const char* type : {"f32", "bf16", "i64"}) {
    all.add(compile(ir::parse(sum(fmt::format("{}[3, 0]", type), "1")), h200(), {}, true));
    all.add(compile(ir::parse(sum(fmt::format("{}[0, 3]", type), "0")), h200(), {}, true));
  }
  for (auto& c : all.cases) EXPECT_EQ(c.kernels.size(), 1U);
  all.check(0, 0);
}

}  // namespace
}  // namespace weft
