// Reductions over few elements that become maps where others compare what they give: which, and that values
// stay.
#include "compiler/passes/reductions/write_out_reductions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

// Fills with small integers, of which no order of additions rounds anything before the end.
template <typename T>
void fill(ir::HostTensor& tensor, const std::vector<T>& numbers) {
  for (size_t k = 0; k * sizeof(T) < tensor.data.size(); ++k)
    std::memcpy(tensor.data.data() + k * sizeof(T), &numbers[k * 5 % numbers.size()], sizeof(T));
}

// Reductions and scans that are left, after comparing values bit by bit.
std::string left(const std::string& lines) {
  const ir::Graph graph = ir::parse("graph {\n" + lines + "\n}");
  const ir::Graph result = passes::write_out_reductions(graph, cpu(), Options{});
  ir::verify(result, "write_out_reductions");
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  for (ir::HostTensor& input : inputs) {
    if (input.type.dtype == DType::F32) fill<float>(input, {0, 1, 2, 3, -1, -2, -4});
    if (input.type.dtype == DType::F16)
      fill<uint16_t>(input, {0, 0x3c00, 0x4000, 0x4200, 0xbc00, 0xc000, 0xc400});
    if (input.type.dtype == DType::BF16)
      fill<uint16_t>(input, {0, 0x3f80, 0x4000, 0x4040, 0xbf80, 0xc000, 0xc080});
  }
  const std::vector<ir::HostTensor> want = ir::interpret(graph, inputs), have = ir::interpret(result, inputs);
  for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(have[k].data, want[k].data) << ir::print(result);
  std::string out;
  for (const ir::Node* n : topological_order(result.outputs))
    if (kind(n->op) == ir::OpKind::Reduce || kind(n->op) == ir::OpKind::Scan)
      out += (out.empty() ? "" : " ") + std::string(name(n->op));
  return out;
}

// Differences of 80 points of `axes` numbers from 60, squared, and what `tail` makes of %q.
std::string pairs(const std::string& tail, int axes = 3, const std::string& dtype = "f32") {
  return fmt::format(
      "%p = input : {0}[80, {1}]\n%c = input : {0}[60, {1}]\n%a = reshape %p : {0}[80, 1, {1}]\n"
      "%d = subtract %a, %c\n%q = multiply %d, %d\n{2}",
      dtype, axes, tail);
}

TEST(WriteOutReductions, DistancesThatAreCompared) {
  EXPECT_EQ(left(pairs("%s = sum %q, axes=[2]\n%i = argmin %s, axes=[1]\nreturn %i")), "argmin");
  EXPECT_EQ(left(pairs("%s = sum %q, axes=[2]\n%i = min %s, axes=[0]\nreturn %i")), "min");
  EXPECT_EQ(left(pairs("%s = max %q, axes=[2]\n%r = sqrt %s\n%i = sum %r, axes=[0, 1]\nreturn %i")), "sum");
  EXPECT_EQ(left(pairs("%s = prod %q, axes=[2]\n%i = cumulative_max %s, axis=1\nreturn %i")),
            "cumulative_max");
  EXPECT_EQ(left(pairs("%b = less %d, 0.5\n%s = all %b, axes=[2]\n%i = any %s, axes=[1]\nreturn %i")), "any");
}

TEST(WriteOutReductions, SeveralReadersAndAxes) {
  EXPECT_EQ(
      left(pairs("%s = sum %q, axes=[2]\n%m = min %s, axes=[1]\n%i = argmin %s, axes=[1]\nreturn %i, %m")),
      "argmin min");
  EXPECT_EQ(
      left("%p = input : i32[80, 2, 3]\n%c = input : i32[60, 2, 3]\n%a = reshape %p : i32[80, 1, 2, 3]\n"
           "%d = subtract %a, %c\n%q = multiply %d, %d\n%s = sum %q, axes=[2, 3]\n"
           "%i = min %s, axes=[1]\nreturn %i"),
      "min");
}

// Each sum is rounded once.
TEST(WriteOutReductions, Halves) {
  EXPECT_EQ(left(pairs("%s = sum %q, axes=[2]\n%i = min %s, axes=[1]\nreturn %i", 16, "f16")), "min");
  EXPECT_EQ(left(pairs("%s = sum %q, axes=[2]\n%i = min %s, axes=[1]\nreturn %i", 16, "bf16")), "min");
}

TEST(WriteOutReductions, WhatStaysAReduction) {
  // Of many elements.
  EXPECT_EQ(left(pairs("%s = sum %q, axes=[2]\n%i = argmin %s, axes=[1]\nreturn %i", 33)), "sum argmin");
  // What lies in memory anyway.
  EXPECT_EQ(left(pairs("%s = sum %q, axes=[2]\n%i = argmin %s, axes=[1]\nreturn %i, %s")), "sum argmin");
  // What is read from an array as large as itself.
  EXPECT_EQ(left("%q = input : f32[80, 60, 3]\n%s = sum %q, axes=[2]\n%i = argmin %s, axes=[1]\nreturn %i"),
            "sum argmin");
  // What is repeated along another axis would be computed again there.
  EXPECT_EQ(left(pairs("%s = sum %q, axes=[2]\n%r = reshape %s : f32[80, 60, 1]\n%e = divide %d, %r\n"
                       "%f = sum %e, axes=[1]\nreturn %f")),
            "sum sum");
  // What reads another reduction.
  EXPECT_EQ(left(pairs("%m = max %p, axes=[1]\n%n = reshape %m : f32[80, 1, 1]\n%e = divide %q, %n\n"
                       "%s = sum %e, axes=[2]\n%i = min %s, axes=[1]\nreturn %i")),
            "max sum min");
}

TEST(WriteOutReductions, NearestCentresAreOneKernel) {
  for (const Target& target : {cpu(), h200()})
    for (int axes : {2, 8, 32}) {
      const Program p =
          compile(ir::parse("graph {\n" +
                            pairs("%s = sum %q, axes=[2]\n%i = argmin %s, axes=[1]\nreturn %i\n}", axes)),
                  target);
      EXPECT_EQ(p.steps.size(), 1u) << p.explanation;
    }
}

}  // namespace
}  // namespace weft::test
