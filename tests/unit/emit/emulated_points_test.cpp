// What kernels of single points mean: how they reach memory, arithmetic with a text of its own, random
// graphs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/emit/cuda/inverse.h"
#include "compiler/ir/text/parse.h"
#include "tests/fuzz/random_graph.h"
#include "tests/support/cuda_cases.h"
#include "tests/support/cuda_graphs.h"

namespace weft {
namespace {

using namespace test;
namespace cuda = plan::cuda;
using plan::CudaSchedule;
using plan::RowProgram;

TEST(CudaMeaning, OfHalves) {
  EmulatedCases all;
  for (const Target& target : {h200(), tiny()}) {
    for (const char* dtype : {"f16", "bf16"}) {
      all.add(compile(ir::parse(softmax(dtype, 3, 520)), target));
      all.add(compile(ir::parse(softmax(dtype, 2, 77)), target));
      all.add(compile(ir::parse(sum(fmt::format("{}[3000, 16]", dtype), "0")), target));
    }
  }
  all.check(2e-2, 0);
}

// Elements of 1 to 16 bytes and vectors of them, which find their way through registers and through shared
// memory.
TEST(CudaMeaning, OfLoadsThatStay) {
  EmulatedCases all;
  auto stay = [&](CudaSchedule& s, RowProgram&) { s.caching = plan::Caching::LoadsStay; };
  for (auto [dtype, width] : {std::pair{"f32", 250},
                              {"f32", 1001},
                              {"f32", 40000},
                              {"f64", 63},
                              {"bf16", 64},
                              {"bf16", 131},
                              {"f16", 40000}})
    all.add(compile(ir::parse(softmax(dtype, 5, width)), h200(), stay));
  for (auto& c : all.cases)
    for (auto& k : c.kernels) {
      const std::string& text = k.emitted.source.text;
      EXPECT_TRUE(text.find(" = weft_get_to_stay<") < text.size() ||
                  text.find("weft_copy_to_stay(z") < text.size());
    }
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfTransposedReads) {
  EmulatedCases all;
  for (const char* dtype : {"u8", "bf16", "i32", "f64", "c128"})
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{256, 512}, {136, 264}, {72, 100}, {33, 65}})
      all.add(compile(ir::parse(transposed(rows, columns, dtype)), tiny()));
  // Squares of every size, with vectors and without.
  for (int tile : {16, 32, 64, 128})
    for (int lanes : {1, tile / 16})
      all.add(compile(ir::parse(transposed(144, 40)), tiny(), [&](CudaSchedule& s, RowProgram&) {
        if (lanes > 4) return;
        std::get<cuda::Tiles>(s.shape).side = tile, s.lanes = lanes;
      }));
  all.check(0, 0.1);
}

TEST(CudaMeaning, OfNeighbouringRows) {
  EmulatedCases all;
  for (const Target& target : {h200(), tiny()}) {
    for (int64_t width : {66, 130, 131, 260}) {
      all.add(compile(ir::parse(heat(131, width)), target));
      all.add(compile(ir::parse(heat(40, width)), target));
    }
    all.add(compile(ir::parse(many_rows(3, 40, 256)), target));
    all.add(compile(ir::parse(many_rows(4, 19, 260)), target));
  }
  for (int rows : {1, 2, 4})
    all.add(compile(ir::parse(heat(23, 130)), tiny(),
                    [&](CudaSchedule& s, RowProgram&) { s.shape = cuda::Stencils{64, rows}; }));
  all.check(1e-6, 0);
}

TEST(CudaMeaning, OfExactGraphs) {
  EmulatedCases all;
  for (const Target& target : {h200(), tiny()}) {
    for (const char* type :
         {"f32[5, 3000]", "f16[4, 100]", "i8[40, 2000]", "bool[3, 50]", "u64[2, 9]", "f64[3, 4097]"})
      all.add(compile(ir::parse(argmax(type)), target));
    for (const char* type : {"i32[3000]", "u8[100, 70]", "i64[9, 9, 9]"})
      all.add(compile(ir::parse(sum(type, "0")), target));
    for (int64_t n : {34, 36, 37, 64, 101}) {
      all.add(compile(ir::parse(stencil(n, n)), target));
      all.add(compile(ir::parse(stencil(n, n + 3)), target));
      all.add(compile(ir::parse(transposed(n, 2 * n + 1)), target));
    }
    all.add(compile(ir::parse(kSeveral), target));
    all.add(compile(ir::parse(kGather), target));
  }
  all.check(1e-6, 0.1);
}

// Zeros of both signs, infinities and NaN on both sides.
TEST(CudaMeaning, OfExtremes) {
  EmulatedCases all;
  for (int k = 0; k < 20; ++k)
    for (const char* dtype : {"f64", "f32", "bf16"})
      all.add(compile(ir::parse(fmt::format(R"(graph {{
  %a = input : {0}[40, 25]
  %b = input : {0}[40, 25]
  %x = maximum %a, %b
  %n = minimum %a, %b
  %largest = max %a, axes=[1]
  %least = min %b, axes=[1]
  return %x, %n, %largest, %least
}})",
                                            dtype)),
                      h200()));
  all.check(0, 0.3);
}

// Whatever their operands, they are rounded as those of single elements.
TEST(CudaMeaning, OfQuotientsAndRootsAtOnce) {
  EmulatedCases all;
  auto divide_at_once = [](cuda::Shape& shape) {
    if (auto* maps = std::get_if<cuda::Maps>(&shape)) maps->divides_at_once = true;
    if (auto* stencils = std::get_if<cuda::Stencils>(&shape)) stencils->divides_at_once = true;
  };
  for (const char* shape : {"[4096]", "[1003]", "[9, 515]"})
    for (int lanes : {4, 1})
      all.add(compile(ir::parse(fmt::format(R"(graph {{
  %a = input : f32{0}
  %b = input : f32{0}
  %c = input : f32{0}
  %q = divide %a, %b
  %r = sqrt %c
  %s = divide %r, %q
  %n = divide 1.0, %s
  return %q, %r, %s, %n
}})",
                                            shape)),
                      h200(), [&](CudaSchedule& s, RowProgram&) {
                        divide_at_once(s.shape);
                        s.lanes = std::min(s.lanes, lanes);
                      }));
  for (auto& c : all.cases) {
    std::string text;
    for (auto& k : c.kernels) text += k.emitted.source.text;
    EXPECT_NE(text.find("weft_divide_all(y"), std::string::npos) << text;
    EXPECT_NE(text.find("weft_sqrt_all(y"), std::string::npos) << text;
  }
  all.check(0, 0.3);
}

// Only sums with 1 do without the digits of small results; what else is read has them.
TEST(CudaMeaning, OfErrorFunctionsBesideOne) {
  EmulatedCases all;
  for (auto [rest, short_of_digits] : {std::pair{"", true},
                                       {"%z = multiply %e, %y", false},
                                       {"%two = constant 2.0 : f32[1003]\n  %z = add %e, %two", false},
                                       {"%z = subtract 1.0, %e", true}}) {
    const std::string graph = fmt::format(R"(graph {{
  %x = input : f32[1003]
  %e = erf %x
  %y = add %e, 1.0
  {}
  return {}
}})",
                                          rest, *rest ? "%y, %z" : "%y");
    all.add(compile(ir::parse(graph), h200()));
    const std::string& text = all.cases.back().kernels[0].emitted.source.text;
    EXPECT_EQ(text.find("weft_erf_beside_one(v") != std::string::npos, short_of_digits) << text;
  }
  all.check(1e-6, 0.1);
}

TEST(CudaMeaning, OfDivisionByOneForMany) {
  EmulatedCases all;
  // The scalar is zero, infinite, subnormal, ... in some of them.
  for (int k = 0; k < 60; ++k)
    all.add(compile(ir::parse(R"(graph {
  %a = input : f32[999]
  %b = input : f32[999]
  %s = scalar : f32[]
  %c = multiply %a, 1e-37
  %y = divide %c, %s
  %z = divide %b, %s
  return %y, %z
})"),
                    h200()));
  // By each row's and each column's largest.
  for (int k = 0; k < 20; ++k)
    for (const char* dtype : {"f32", "f64"})
      for (int axis : {0, 1})
        all.add(compile(ir::parse(fmt::format(R"(graph {{
  %a = input : {2}[40, 72]
  %b = input : {2}[40, 72]
  %m = max %a, axes=[{0}]
  %s = reshape %m : {2}[{1}]
  %y = divide %a, %s
  %z = divide %b, %s
  return %y, %z
}})",
                                              axis, axis == 0 ? "1, 72" : "40, 1", dtype)),
                        h200()));
  all.check(0, 0.3);
}

// Of halves too, with zeros, infinities and subnormals on both sides.
TEST(CudaMeaning, OfQuotientsOfHalves) {
  EmulatedCases all;
  for (int k = 0; k < 30; ++k)
    for (const char* dtype : {"f16", "bf16"})
      all.add(
          compile(ir::parse(fmt::format("graph {{\n  %a = input : {0}[999]\n  %b = input : {0}[999]\n  %y = "
                                        "divide %a, %b\n  return %y\n}}",
                                        dtype)),
                  h200()));
  all.check(0, 0.3);
}

TEST(CudaInverse, DividesEveryNumberBelowTwoToThe31) {
  constexpr uint32_t kEnd = 1U << 31;
  auto check = [&](uint32_t n) {
    const emit::CudaInverse by = emit::cuda_inverse(n);
    auto at = [&](uint64_t x) {
      if (x >= kEnd) return;
      ASSERT_EQ(emit::divide_by(static_cast<uint32_t>(x), by), x / n) << x << " / " << n;
    };
    // A quotient that is too large or too small shows where one row ends and the next begins, late ones
    // first.
    const uint32_t last = (kEnd - 1) / n;
    for (uint64_t k = 0; k < 300; ++k)
      for (uint64_t row : {k, last / 2 + k, uint64_t{last} - std::min<uint64_t>(k, last)})
        at(row * n), at(row * n + n - 1), at(row * n + n / 2);
    at(kEnd - 1);
  };
  for (uint32_t n = 2; n < 3000; ++n) check(n);
  for (int bit = 4; bit < 31; ++bit)
    for (uint32_t off = 0; off < 5; ++off) check((1U << bit) - off), check((1U << bit) + off);
  for (uint32_t off = 1; off < 5; ++off) check(kEnd - off), check(kEnd / 3 + off);
}

// Rounded as f32 is, without a detour by it.
TEST(CudaMeaning, OfSumsAndProductsOfHalves) {
  EmulatedCases all;
  for (int k = 0; k < 30; ++k)
    for (const char* dtype : {"f16", "bf16"})
      all.add(compile(ir::parse(fmt::format(R"(graph {{
  %a = input : {0}[999]
  %b = input : {0}[999]
  %s = add %a, %b
  %d = subtract %a, %b
  %p = multiply %a, %b
  %q = square %a
  %m = maximum %p, %d
  %n = multiply %m, %q
  return %s, %d, %p, %q, %n
}})",
                                            dtype)),
                      h200()));
  all.check(0, 0.3);
}

// All of them, within a 32nd of what rounding alone does.
TEST(CudaMeaning, OfExponentialsOfHalves) {
  EmulatedCases all;
  for (auto [dtype, half_unit, least] : {std::tuple{"f16", 0x1p-11, 0x1p-25}, {"bf16", 0x1p-8, 0x1p-134}})
    all.add(compile(ir::parse(fmt::format(R"(graph {{
  %i = iota axis=0 : i32[65536]
  %u = cast %i : u16[65536]
  %x = bitcast %u : {0}[65536]
  %e = exp %x
  %got = cast %e : f64[65536]
  %wide = cast %x : f64[65536]
  %want = exp %wide
  %off = subtract %got, %want
  %error = abs %off
  %exponent = log2 %want
  %whole = floor %exponent
  %power = exp2 %whole
  %part = multiply %power, {1}
  %unit = maximum %part, {2}
  %allowed = multiply %unit, 1.03125
  %near = less_equal %error, %allowed
  %finite = isfinite %got
  %beyond = logical_not %finite
  %ok = logical_or %near, %beyond
  return %ok
}})",
                                          dtype, half_unit, least)),
                    h200()));
  all.check(0, 0);
}

// The same trials are accepted as by the reference, so counts are equal and the rest agrees to rounding.
TEST(CudaMeaning, OfDrawsThatReject) {
  EmulatedCases all;
  all.add(compile(ir::parse(R"(graph {
  %a = input : f64[5000]
  %c = iota axis=0 : u64[5000]
  %w = threefry %c, 7
  %top = bitwise_right_shift %w, 11
  %i = cast %top : i64[5000]
  %k = cast %i : f64[5000]
  %u = multiply %k, 1.1102230246251565e-16
  %scaled = multiply %a, 2.2
  %mean = exp %scaled
  %p = sigmoid %a
  %n = multiply %mean, 3.0
  %good = ceil %n
  %part = multiply %good, %p
  %sample = ceil %part
  %steep = add %mean, 1.01
  %gamma = draw_gamma %u, %mean
  %angle = draw_vonmises %u, %mean
  %poisson = draw_poisson %u, %mean
  %zipf = draw_zipf %u, %steep
  %binomial = draw_binomial %u, %n, %p
  %hyper = draw_hypergeometric %u, %good, %good, %sample
  return %gamma, %angle, %poisson, %zipf, %binomial, %hyper
})"),
                  tiny()));
  all.check(1e-11, 0);
}

class CudaMeaningOfRandom : public testing::TestWithParam<int> {};

TEST_P(CudaMeaningOfRandom, ExactGraphsGiveTheInterpretersBits) {
  EmulatedCases all;
  for (int k = 0; k < 20; ++k) {
    RandomGraphOptions options;
    options.exact = true;
    options.strided_inputs = k % 3 == 0;
    options.dots = false;
    options.rewritten = k % 4 == 3 ? 0.3 : 0;
    options.max_elements = k % 4 == 3 ? 6000 : 2048;
    all.add(compile(random_graph(static_cast<uint64_t>(GetParam() * 1000 + k), options),
                    k % 2 ? h200() : tiny()));
  }
  all.check(0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Batch, CudaMeaningOfRandom, testing::Range(0, 5));

// Each card's plans of the same graphs.
TEST(CudaMeaning, OfRandomGraphsOnSixCards) {
  EmulatedCases all;
  for (const Card& card : cards()) {
    for (uint64_t seed = 7000; seed < 7006; ++seed) {
      RandomGraphOptions options;
      options.exact = true;
      options.dots = false;
      options.max_elements = 6000;
      all.add(compile(random_graph(seed, options), card.target));
    }
    all.add(compile(ir::parse(softmax("f32", 3, 5000)), card.target));
    all.add(compile(ir::parse(sum("i32[700, 33]", "0")), card.target));
  }
  all.check(1e-5, 0.1);
}

}  // namespace
}  // namespace weft
