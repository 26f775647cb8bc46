// Writes to every second or fourth element: which become choices, and that every bit stays.
#include "compiler/passes/interleave.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// The updates that are left, after comparing values bit by bit.
int64_t updates_left(const std::string& lines) {
  const ir::Graph graph = ir::parse("graph {\n" + lines + "\n}");
  const ir::Graph result = passes::interleave(graph, cpu(), Options{});
  ir::verify(result, "interleave");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 3);
  const auto before = ir::interpret(graph, inputs), after = ir::interpret(result, inputs);
  for (size_t k = 0; k < before.size(); ++k) EXPECT_EQ(after[k].data, before[k].data) << ir::print(result);
  const auto order = topological_order(result.outputs);
  return std::ranges::count_if(order, [](const ir::Node* n) { return n->op == ir::Op::update; });
}

std::string halved(const std::string& more, const std::string& at = "starts=[0], steps=[2]",
                   const std::string& part = "50") {
  return "%x = input \"x\" : f64[100]\n%c = scalar \"c\" : f64[" + part + "]\n%s = slice %x, " + at +
         " : f64[" + part + "]\n%v = multiply %s, %c\n%u = update %x, %v, " + at + "\n" + more;
}

TEST(Interleave, WhatAMapPassesOver) {
  EXPECT_EQ(updates_left(halved("%y = exp %u\nreturn %y")), 0);
  EXPECT_EQ(updates_left(halved("%y = sum %u\nreturn %y")), 0);
  EXPECT_EQ(updates_left(halved("%y = exp %u\nreturn %y", "starts=[1], steps=[2]")), 0);
  EXPECT_EQ(updates_left(halved("%y = exp %u\nreturn %y", "starts=[7], steps=[4]", "20")), 0)
      << "within a range that ends before the last element";
}

TEST(Interleave, ChainsOfWritesInAnyDtypeAndInRanges) {
  for (const char* dtype : {"f32", "i8", "u16", "c64"})
    EXPECT_EQ(updates_left("%x = input \"x\" : " + std::string(dtype) +
                           "[9, 33]\n%s = slice %x, starts=[2, 1], steps=[1, 2] : " + dtype +
                           "[6, 15]\n%v = add %s, %s\n%u = update %x, %v, starts=[2, 1], steps=[1, 2]\n"
                           "%z = constant 3 : " +
                           dtype + "[9, 16]\n%w = update %u, %z, starts=[0, 0], steps=[1, 2]\n" +
                           "%y = multiply %w, %w\nreturn %y"),
              0)
        << dtype;
}

TEST(Interleave, LeavesWhatIsWrittenInPlaceOrToFewElements) {
  EXPECT_EQ(updates_left(halved("return %u")), 1) << "nobody passes over it";
  EXPECT_EQ(updates_left(halved("%y = exp %u\nreturn %y, %u")), 1) << "it is stored all the same";
  EXPECT_EQ(updates_left(halved("%y = exp %u\nreturn %y", "starts=[0], steps=[3]", "30")), 1);
  EXPECT_EQ(updates_left(halved("%y = exp %u\nreturn %y", "starts=[8], steps=[2]", "10")), 1) << "few";
}

TEST(Interleave, LeavesWhatIsReadElsewhereOrCostsMuch) {
  EXPECT_EQ(updates_left("%x = input \"x\" : f64[100]\n%s = slice %x, starts=[1], steps=[2] : f64[50]\n"
                         "%u = update %x, %s, starts=[0], steps=[2]\n%y = exp %u\nreturn %y"),
            1);
  EXPECT_EQ(updates_left("%x = input \"x\" : f64[100]\n%s = slice %x, starts=[0], steps=[2] : f64[50]\n"
                         "%v = sin %s\n%u = update %x, %v, starts=[0], steps=[2]\n%y = exp %u\nreturn %y"),
            1);
}

TEST(Interleave, AChainOfWritesIsOneKernel) {
  const ir::Graph graph = ir::parse(
      "graph {\n%i = input \"x\" : f64[1000000]\n%x = exp %i\n%c = scalar \"c\" : f64[500000]\n%one = "
      "constant 1.0 : "
      "f64[100]\n"
      "%z = constant 0.0 : f64[1000000]\n%a = update %x, %one, starts=[0], steps=[1]\n"
      "%s = slice %a, starts=[0], steps=[2] : f64[500000]\n%v = multiply %s, %c\n"
      "%u = update %a, %v, starts=[0], steps=[2]\n%y = maximum %u, %z\nreturn %y\n}");
  EXPECT_EQ(compile(graph, cpu(), Options{}).steps.size(), 1U);
  Options given;
  given.donated = {0};
  EXPECT_EQ(compile(graph, cpu(), given).steps.size(), 1U);
}

}  // namespace
}  // namespace weft::test
