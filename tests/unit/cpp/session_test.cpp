// What a session keeps and counts: programs by structure, computed values, bounded graphs, threads,
// inspection.
#include <gmock/gmock.h>

#include <thread>

#include "tests/support/test_session.h"

#include <cmath>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SessionTest : public testing::Test {
 protected:
  TestSession session_;
};

Array line(int64_t n) { return arange(n, DType::F32).eval().copy(); }

TEST_F(SessionTest, AnotherConstantFindsTheSameProgram) {
  const Array x = line(1000);
  (exp(x * 0.125) + 7.5).eval();
  const Stats before = session_.stats();
  const Array y = exp(x * 0.25) - -3.5;
  const Array z = exp(x * 0.375) + 11.25;
  z.eval();
  const Stats after = session_.stats();
  EXPECT_EQ(after.program_misses, before.program_misses);
  EXPECT_EQ(after.program_hits, before.program_hits + 1);
  EXPECT_EQ(after.compiles, before.compiles);
  EXPECT_FLOAT_EQ(z.at(4).item<float>(), std::exp(1.5f) + 11.25f);
  EXPECT_FLOAT_EQ(y.at(4).item<float>(), std::exp(1.0f) + 3.5f);
}

TEST_F(SessionTest, RoundNumbersAreNumbersLikeOthersWhereNothingIsMadeOfThem) {
  const Array x = line(1000);
  const auto of = [&](double a) { return where(x > a, exp(x * 0.01 + a), a); };
  of(0.3).eval();
  const Stats before = session_.stats();
  for (double a : {3.0, -2.0, 0.5, 7.0})
    EXPECT_FLOAT_EQ(of(a).at(1).item<float>(), a < 1 ? std::exp(0.01f + float(a)) : float(a));
  for (double a : {2.0, 5.0}) EXPECT_FLOAT_EQ((x * a).at(3).item<float>(), float(3 * a));
  EXPECT_EQ(session_.stats().compiles, before.compiles + compiled(1)) << "the product";
}

TEST_F(SessionTest, AnotherShapeCompilesNoKernel) {
  (sum(exp(line(4096).reshape({64, 64}) * 0.001), 1) + 1.5).eval();
  const Stats before = session_.stats();
  const Array y = sum(exp(line(6144).reshape({96, 64}) * 0.001), 1) + 1.5;
  y.eval();
  const Stats after = session_.stats();
  EXPECT_EQ(after.compiles, before.compiles);
  EXPECT_GT(after.kernels_launched, before.kernels_launched);
}

TEST_F(SessionTest, StructureTellsProgramsApart) {
  const Array a = line(100), b = line(100) + 1;
  b.eval();
  EXPECT_EQ((a - b).at(0).item<float>(), -1);
  EXPECT_EQ((b - a).at(0).item<float>(), 1);
  EXPECT_EQ((a - a).at(5).item<float>(), 0);
  EXPECT_EQ(a(Slice{1, 50}).copy().at(0).item<float>(), 1);
  EXPECT_EQ((a(Slice{1, 50}) + 0.7).at(0).item<float>(), 1.7f);
  EXPECT_EQ((a(Slice{2, 51}) + 0.7).at(0).item<float>(), 2.7f);
  EXPECT_EQ((a(Slice{2, 100, 2}) + 0.7).at(1).item<float>(), 4.7f);
  EXPECT_EQ(sum(a.reshape({10, 10}), 0).at(0).item<float>(), 450);
  EXPECT_EQ(sum(a.reshape({10, 10}), 1).at(0).item<float>(), 45);
}

TEST_F(SessionTest, AValueComputedOnceIsNotComputedAgainByWhatWasRecordedBefore) {
  const Array x = sum(line(5000) * 1.5);
  const Array y = x + 100, z = x * 3;
  x.eval();
  const Stats before = session_.stats();
  eval({y, z});
  const Stats after = session_.stats();
  EXPECT_LE(after.bytes_read - before.bytes_read, 64) << "the 5000 elements were read again";
  EXPECT_EQ(y.item<float>(), 4999.0f * 2500 * 1.5f + 100);
  EXPECT_EQ(z.item<float>(), 4999.0f * 2500 * 4.5f);
}

TEST_F(SessionTest, CopiesOfAComputedArrayNeedNothing) {
  const Array x = line(5000) * 1.5, y = x.copy();
  x.eval();
  const Stats before = session_.stats();
  EXPECT_EQ(y.at(2).item<float>(), 3);
  EXPECT_EQ(session_.stats().kernels_launched, before.kernels_launched);
}

TEST_F(SessionTest, SeveralArraysComeFromOneProgram) {
  const Array x = line(5000), m = x * 2.5, a = m + 1, b = m - 1;
  const Stats before = session_.stats();
  eval({a, b, a, x});
  EXPECT_EQ(session_.stats().program_misses, before.program_misses + 1);
  EXPECT_EQ(a.at(2).item<float>(), 6);
  EXPECT_EQ(b.at(2).item<float>(), 4);
  EXPECT_EQ(session_.stats().program_misses, before.program_misses + 1);
}

TEST_F(SessionTest, AnEvaluatedArrayIsNotComputedAgain) {
  const Array y = line(5000) * 2.5;
  y.eval();
  const Stats before = session_.stats();
  y.eval();
  EXPECT_EQ(y.to_vector<float>()[2], 5);
  EXPECT_EQ(session_.stats().kernels_launched, before.kernels_launched);
}

TEST_F(SessionTest, ConstantsWithMeaningAreCompiledIn) {
  const Array x = line(100);
  EXPECT_EQ((x * 0).at(3).item<float>(), 0);
  EXPECT_EQ((x * 1).at(3).item<float>(), 3);
  EXPECT_EQ(pow(x, 2).at(3).item<float>(), 9);
  EXPECT_EQ(pow(x, 4.0).at(3).item<float>(), 81);
}

// Where one rounds as the other does; else they run in blocks, whose bits are a kernel's.
TEST(Session, TinyGraphsAreInterpreted) {
  TestSession session(64);
  const Array x = from<float>({1, 2, 3});
  EXPECT_THAT((x * 2).to_vector<float>(), ElementsAre(2, 4, 6));
  EXPECT_EQ(session.stats().interpreted, 1);
  EXPECT_THAT((x * 2 + 1).to_vector<float>(), ElementsAre(3, 5, 7));
  EXPECT_EQ(session.stats().interpreted, 1);
  EXPECT_EQ(session.stats().blocks_launched, 1);
  EXPECT_EQ(session.stats().compiles, 0);
  (line(100) * 2.5).eval();
  EXPECT_EQ(session.stats().compiles, compiled(2)) << "the line and its product";
}

TEST(Session, SmallValuesOfMapsAreComputedOpByOp) {
  TestSession session(64);
  session.session().set_tier(Tier::Auto);
  const Array x = line(200).copy();
  x.eval();
  const Stats before = session.stats();
  const Array twice = exp(x * 0.01), sum = twice * 3 + x;
  EXPECT_THAT(explain(sum), testing::HasSubstr("interpreted: of 200 elements"));
  sum.eval();
  EXPECT_EQ(session.stats().interpreted, before.interpreted + 1);
  EXPECT_FLOAT_EQ(twice.at(100).item<float>(), std::exp(1.0f));
  EXPECT_FLOAT_EQ(sum.at(100).item<float>(), std::exp(1.0f) * 3 + 100);
  EXPECT_EQ(session.stats().interpreted, before.interpreted + 1) << "what has a name is kept";
  EXPECT_EQ(session.stats().blocks_launched, before.blocks_launched);
  EXPECT_EQ(session.stats().kernels_launched, before.kernels_launched);
  session.session().set_tier(Tier::Compile);
  (exp(x * 0.02) * 3).eval();
  EXPECT_EQ(session.stats().interpreted, before.interpreted + 1) << "who asks for kernels gets kernels";
}

TEST(Session, LargeConstantsAreFilledByKernels) {
  TestSession session(64);
  EXPECT_EQ(zeros({1 << 20}, DType::F32).at(77).item<float>(), 0);
  const Array x = full({1 << 20}, 2.5, DType::F32);
  x.eval();
  EXPECT_EQ(x.at((1 << 20) - 1).item<float>(), 2.5f);
  EXPECT_EQ(session.stats().compiles, compiled(1)) << "another number is the same program";
}

// The line is that of the array, also where the program was compiled for another.
TEST(Session, OutOfMemoryNamesTheLineWhoseResultItWas) {
  TestSession session;
  const auto message = [](const Array& x) { return message_of<OutOfMemory>([&] { x.eval(); }); };
  constexpr int64_t kLarge = int64_t{1} << 40;
  const auto line = [](int number) { return "session_test.cpp:" + std::to_string(number) + ": "; };
  using testing::HasSubstr;
  const Array first = zeros({kLarge}, DType::F64);
  const Array second = zeros({kLarge}, DType::F64);
  const int lines_end = __LINE__;
  EXPECT_THAT(message(first), HasSubstr("at " + line(lines_end - 2) + "allocate: "));
  EXPECT_THAT(message(second), HasSubstr("at " + line(lines_end - 1) + "allocate: "));
  const Array x = arange(100, DType::F64), y = arange(kLarge / 128, DType::F64);
  const Array pairs = expand_dims(x, 1) + y;
  const std::string text = message(pairs);
  EXPECT_THAT(text, testing::StartsWith("add : f64(100, 8589934592) at " + line(__LINE__ - 2)));
  EXPECT_THAT(text, HasSubstr(std::to_string(kLarge / 128 * 800) + " bytes"));
}

TEST(Session, LoopsOfAHundredThousandNodesStayBounded) {
  TestSession session(0, 512);
  Array x = arange(1000, DType::F64) * 0;
  for (int i = 0; i < 100000; ++i) x = x + 0.25;
  EXPECT_EQ(x.at(999).item<double>(), 25000);
  EXPECT_LE(session.stats().compiles, 6) << "one program for the repeated part, one for what is left";
  EXPECT_GE(session.stats().program_hits, 300);
}

TEST(Session, InPlaceLoopsStayBounded) {
  TestSession session(0, 256);
  Array x = zeros({100}, DType::I64);
  for (int i = 0; i < 2000; ++i) x(Slice{1, -1}) += 1;
  EXPECT_EQ(x.at(50).item<int64_t>(), 2000);
  EXPECT_EQ(x.at(0).item<int64_t>(), 0);
  EXPECT_LE(session.stats().compiles, 8);
}

TEST(Session, WhatALoopCarriesOnIsComputedOnce) {
  TestSession session;
  Array x = arange(2000, DType::F64) * 0;
  int64_t early = 0, late = 0;
  for (int i = 0; i < 60; ++i) {
    x = sqrt(x * x + 1.5);
    const Stats before = session.stats();
    EXPECT_GT(sum(x).item<double>(), 0);
    (i < 4 ? early : late) += session.stats().bytes_written - before.bytes_written;
  }
  EXPECT_LE(late, 56 * (2000 * 8 + 64)) << "each turn writes x and its sum";
  EXPECT_GT(early, 0);
  EXPECT_LE(session.stats().program_misses, 5);
}

TEST(Session, ArraysThatALoopUpdatesInTurnAreNotComputedAgain) {
  TestSession session(0, 256);
  Array a = arange(3000, DType::F64).copy(), b = zeros({3000}, DType::F64);
  for (int i = 0; i < 400; ++i) {
    b(Slice{1, -1}) = 0.25 * (a(Slice{0, -2}) + a(Slice{2, {}}));
    a(Slice{1, -1}) = 0.5 * (b(Slice{0, -2}) + b(Slice{2, {}}));
  }
  eval({a, b});
  EXPECT_LE(session.stats().kernels_launched, 900) << "800 updates";
  EXPECT_LE(session.stats().program_misses, 8);
  EXPECT_EQ(a.at(0).item<double>(), 0);
  EXPECT_EQ(a.at(2999).item<double>(), 2999);
}

TEST(Session, MemoryOfWhatALoopCarriedGoesBack) {
  TestSession session;
  Array x = arange(100000, DType::F64) * 0;
  Array early = x + 1.5;
  for (int i = 0; i < 100; ++i) {
    x = x + 0.25;
    EXPECT_EQ(sum(x * 0).item<double>(), 0);
  }
  EXPECT_LE(Session::current().devices()[0].in_use, size_t{10} * 800000);
  EXPECT_EQ(early.at(5).item<double>(), 1.5);
}

TEST(Session, AnUpdateIsWrittenInPlaceWhenTheOldValueDies) {
  TestSession session;
  Array x = arange(100000).astype(DType::F32);
  const float* before = x.span<float>().data();
  x(Slice{10, 20}) = 7;
  EXPECT_EQ(x.span<float>().data(), before);
  x(Slice{0, 5}) += 1;
  EXPECT_EQ(x.span<float>().data(), before);
  EXPECT_EQ(x.at(10).item<float>(), 7);
  EXPECT_EQ(x.at(4).item<float>(), 5);
  EXPECT_EQ(x.at(5).item<float>(), 5);
}

TEST(Session, AnOldValueThatSomebodyNeedsIsNotOverwritten) {
  TestSession session;
  Array x = arange(1000).astype(DType::F32).copy();
  x.eval();
  const Array y = x * 2;  // pending, on the old value
  const Array z = x.copy();
  x(Slice{0, 10}) = -1;
  x.eval();
  EXPECT_EQ(y.at(3).item<float>(), 6);
  EXPECT_EQ(z.at(3).item<float>(), 3);
  EXPECT_EQ(x.at(3).item<float>(), -1);
  x(Slice{1, {}}) = x(Slice{0, -1});  // overlapping: reads the old values
  EXPECT_EQ(x.at(10).item<float>(), -1);
  EXPECT_EQ(x.at(11).item<float>(), 10);
}

TEST(Session, ALoopOverElementsCompilesLittle) {
  TestSession session;
  Array x = zeros({3000}, DType::F32);
  for (int i = 0; i < 3000; ++i) x[i] = i;
  EXPECT_EQ(x.at(2999).item<float>(), 2999);
  EXPECT_EQ(sum(x).item<float>(), 2999 * 1500.0f);
  EXPECT_LE(session.stats().compiles, 12);
}

TEST(Session, DoublingAnArrayIsNotTakenForALargeGraph) {
  TestSession session(0, 64);
  Array x = ones({100}, DType::F64);
  for (int i = 0; i < 40; ++i) x = x + x;
  EXPECT_EQ(session.stats().program_misses, 0) << "40 nodes are fewer than 64";
  EXPECT_EQ(x.at(7).item<double>(), 0x1p40);
}

TEST_F(SessionTest, ReleasingALongPendingGraphDoesNotRecurse) {
  SessionOptions options;
  options.graph_limit = 1 << 30;
  const Session large(options);
  large.make_current();
  Array x = zeros({10}, DType::F64);
  for (int i = 0; i < 100000; ++i) x = x + 0.25;
  x = Array();
  EXPECT_FALSE(x.has_value());
}

TEST_F(SessionTest, ThreadsRecordAndEvaluateAtOnce) {
  const Array shared = line(2000) * 1.5;
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Array x = shared + t;
      for (int i = 0; i < 20; ++i) {
        x = x * 1.0001 + shared;
        if (i % 5 == t) x.eval();
      }
      sums[static_cast<size_t>(t)] = sum(x * 0).item<double>() + shared.at(2).item<float>();
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(sums, testing::Each(3.0));
}

TEST_F(SessionTest, ConcurrentWritesToOneArrayAreAllDone) {
  Array x = zeros({256}, DType::I64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&x, t] {
      for (int i = 0; i < 100; ++i) {
        x(Slice{t * 64, (t + 1) * 64}) += 1;
        x += 1;
        if (i % 10 == 0) x.eval();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sum(x).item<int64_t>(), 256 * 400 + 256 * 100);
}

TEST_F(SessionTest, KernelsComeFromTheDiskInAnotherSession) {
  WEFT_NEEDS_A_COMPILER();
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "weft-session-test-cache";
  std::filesystem::remove_all(folder);
  SessionOptions options;
  options.cache_directory = folder;
  options.tier = Tier::Compile;
  options.interpret_limit = 0;
  for (int round = 0; round < 2; ++round) {
    const Session s(options);
    s.make_current();
    const std::vector<float> host(500, 2.0f);
    EXPECT_EQ((from(host) * 2.5).at(1).item<float>(), 5);
    EXPECT_EQ(s.stats().compiles, round == 0 ? 1 : 0);
    EXPECT_EQ(s.stats().disk_hits, round == 0 ? 0 : 1);
  }
  std::filesystem::remove_all(folder);
}

TEST_F(SessionTest, KernelsRunInBlocksWithTheSameBitsAndNoneIsCompiled) {
  WEFT_NEEDS_A_COMPILER();
  std::vector<std::vector<float>> results;
  for (const bool blocks : {false, true}) {
    SessionOptions options;
    options.interpret_limit = 0;
    options.tier = blocks ? Tier::Blocks : Tier::Compile;
    const Session s(options);
    s.make_current();
    const Array x = arange(0, 10000, 1, DType::F32) * 0.001;
    const Array y = exp(-x * x) * sin(x) + softmax(x.reshape({100, 100}), 1).reshape({10000});
    results.push_back(y.to_vector<float>());
    results.push_back({sum(y).item<float>()});
    EXPECT_EQ(s.stats().compiles > 0, !blocks);
    EXPECT_EQ(s.stats().blocks_launched > 0, blocks);
    EXPECT_GT(s.stats().kernels_launched, 0);
  }
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(results[1], results[3]);
}

TEST_F(SessionTest, ExplainNamesOpsAndLines) {
  const Array x = line(6144).reshape({64, 96});
  const uint32_t here = __LINE__ + 1;
  const Array s = softmax(x, 1);
  const std::string text = explain(s);
  EXPECT_THAT(text, HasSubstr("session_test.cpp:" + std::to_string(here)));
  EXPECT_THAT(text, HasSubstr("exp"));
  EXPECT_THAT(text, HasSubstr("fused"));
  const std::string computed = explain(s.eval());
  EXPECT_THAT(computed, testing::StartsWith(
                            "the value lies in memory: nothing to compute\nit was computed by this program"));
  EXPECT_THAT(computed, HasSubstr(", of session_test.cpp:" + std::to_string(here) +
                                  ", as eval() looked at it:\nstep 0: kernel over"));
}

TEST_F(SessionTest, ExplainTakesSeveralArraysOfOneProgram) {
  const Array x = line(6144).reshape({64, 96});
  const Array sums = sum(exp(x), 1, true);
  const Array both[] = {sums, x * sums};
  const std::string text = explain(both);
  EXPECT_THAT(text, HasSubstr("writes reshape : f32(64, 1)"));
  EXPECT_THAT(text, HasSubstr("writes multiply"));
  EXPECT_THAT(text, testing::Not(HasSubstr("step 1")));
  eval(both);
  EXPECT_THAT(explain(both),
              testing::StartsWith("the values lie in memory: nothing to compute\nit was computed by"));
}

TEST_F(SessionTest, ExplainTellsValuesOfOneLineApart) {
  const Array x = line(6144).reshape({64, 96});
  const Array s = max(x, 0) / sum(x) + max(x * 2, 0);
  const std::string text = explain(s);
  EXPECT_THAT(text, testing::ContainsRegex("max : f32\\(96,\\) at session_test.cpp:[0-9]+\n"));
  EXPECT_THAT(text, testing::ContainsRegex("max : f32\\(96,\\) at session_test.cpp:[0-9]+ \\(2\\)\n"));
}

TEST(Session, ExplainSaysWhatNeedsNoKernel) {
  TestSession session(100);
  const Array x = arange(40, DType::F32);
  EXPECT_THAT(explain(x.eval()(Slice{1})), HasSubstr("lies in memory: nothing to compute\n"));
  EXPECT_THAT(
      explain(x + 1),
      testing::StartsWith(
          "interpreted: the graph's arrays have 81 elements together, the largest 40, and "
          "up to 100 or 6 no kernel is worth it; compiled, it would be\n1 kernel does 1 operation: "));
  EXPECT_THAT(explain(exp(x) + 1), testing::StartsWith("1 kernel does 2 operations: "));
}

TEST(Session, CompilesNothingForAnyNumberOfTinyArrays) {
  TestSession session(256);
  const Array x = arange(1000, DType::F64).eval();
  const int64_t before = Session::current().stats().compiles;
  Array total = x(0), three = arange(3, DType::F64);
  double want = 0;
  for (int i = 1; i < 1500; ++i) {
    total = total + x(i % 1000) * x(i / 2);
    three = three * 0.5 + 1;
    want += i % 1000 * (i / 2);
  }
  EXPECT_EQ(total.item<double>(), want);
  EXPECT_EQ(three.at(2).item<double>(), 2);
  EXPECT_EQ(Session::current().stats().compiles, before);
  Array wide = arange(300, DType::F64);
  for (int i = 0; i < 20; ++i) wide = wide * 0.5 + 1;
  wide.eval();
  EXPECT_GT(Session::current().stats().compiles, before);
}

TEST_F(SessionTest, OperatorsAndScopesNameTheirLine) {
  const Array x = line(100);
  const uint32_t here = __LINE__ + 1;
  const Array y = 2.5 * x + 1.5;
  EXPECT_THAT(explain(y), HasSubstr("session_test.cpp:" + std::to_string(here)));
  Array z;
  {
    const LineScope scope("model.py", 42);
    z = x * 3.5;
  }
  EXPECT_THAT(explain(z), HasSubstr("model.py:42"));
}

Array scaled_here(const Array& x, Where at) {
  const CallerScope caller(at);
  return x * 1.25;
}
Array scaled_twice(const Array& x, Where at = Where::current()) {
  const CallerScope caller(at);
  return scaled_here(scaled_here(x, Where::current()), Where::current());
}

TEST_F(SessionTest, CallerScopesTellTheCallsOfAHelperApart) {
  const uint32_t here = __LINE__ + 1;
  const std::string text = explain(exp(scaled_twice(line(5000))) + line(5000) * 1.5);
  const std::string mine = " from session_test.cpp:" + std::to_string(here);
  const std::string helper = "session_test.cpp:" + std::to_string(here - 9) +
                             " from session_test.cpp:" + std::to_string(here - 5) + mine;
  EXPECT_THAT(text, HasSubstr(helper));
  EXPECT_THAT(text, Not(HasSubstr(std::to_string(here) + mine)));  // the scope has ended
}

TEST_F(SessionTest, SoftmaxIsOneKernel) {
  const Array x = line(6144).reshape({64, 96}) * 0.001;
  const Array y = softmax(x, 1);
  const Stats before = session_.stats();
  EXPECT_EQ(&one_kernel(y), &y);
  EXPECT_EQ(session_.stats().kernels_launched, before.kernels_launched + 1);
  EXPECT_NEAR(sum(y(3)).item<double>(), 1, 1e-6);
}

TEST_F(SessionTest, ShowGivesEveryStage) {
  const Array y = line(1000) * 2.5 + 1.5;
  EXPECT_THAT(show(y, "graph"), HasSubstr("multiply"));
  EXPECT_THAT(show(y, "plan"), HasSubstr("sweep"));
  EXPECT_THAT(show(y, "cpp"), HasSubstr("extern \"C\""));
  if (compiled(1)) {
    EXPECT_THAT(show(y, "asm"), HasSubstr("ret"));
  }
  EXPECT_THAT(show(y), HasSubstr("== fused"));
  EXPECT_THAT(show(y), HasSubstr("== simplified"));
}

TEST_F(SessionTest, ShowDrawsAClusterForEachKernel) {
  const Array x = line(1000), y = cumulative_sum((sum(x * 2.5 + 1.5) + x).reshape({10, 100}), 0);
  const std::string drawing = show(y, "dot");
  EXPECT_THAT(drawing, testing::StartsWith("digraph"));
  EXPECT_THAT(drawing, HasSubstr("multiply"));
  const auto clusters = [](const std::string& text) {
    int count = 0;
    for (size_t at = text.find("subgraph"); at != std::string::npos; at = text.find("subgraph", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(clusters(drawing), 2) << drawing;
  EXPECT_EQ(clusters(show(x * 2 + 1, "dot")), 1);
  const Array five = line(5);
  five.eval();
  EXPECT_THAT(show(five, "dot"), testing::StartsWith("digraph"));
  EXPECT_THAT(show(five, "dot"), HasSubstr("the value lies in memory: nothing to compute"));
}

TEST_F(SessionTest, ShowNamesTheStagesAsTheCommandDoes) {
  EXPECT_THAT(show(line(1000) * 2.5 + 1.5, "simplified"), HasSubstr("return"));
  const Array same = exp(line(1000));
  EXPECT_THAT(show(same, "simplified"), HasSubstr("exp"));
  try {
    show(same, "simplify");
    FAIL() << "simplify is no stage";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "show: takes one of graph, simplified, fused, plan, cpp, asm, dot or svg: got 'simplify'");
  }
}

TEST_F(SessionTest, SyncOfAnArrayComputesIt) {
  const Array y = line(1000) * 2.5;
  sync(y);
  EXPECT_THAT(explain(y), testing::StartsWith("the value lies in memory: nothing to compute\n"));
}

TEST_F(SessionTest, DevicesListTheProcessor) {
  const std::vector<DeviceSummary> devices = Session::current().devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].name, "cpu");
  EXPECT_GT(devices[0].threads, 0);
  EXPECT_EQ(zeros({2}).device(), "cpu");
  EXPECT_TRUE(zeros({2}).to("cpu").has_value());
}

TEST_F(SessionTest, AScopeSaysWhereNewArraysLie) {
  SessionOptions options = Session::current().options();
  options.device = "cuda:99";
  const Session elsewhere(options);
  const Session before = Session::current();
  elsewhere.make_current();
  {
    const DeviceScope scope("cpu");
    EXPECT_EQ(Session::current().default_device(), "cpu");
    EXPECT_EQ(zeros({2}).device(), "cpu");
    EXPECT_NE(message_of([] { const DeviceScope nowhere("cuda:98"); }).find("cuda:98"), std::string::npos);
    EXPECT_EQ(Session::current().default_device(), "cpu");
    std::string other;
    std::thread([&] { other = Session::current().default_device(); }).join();
    EXPECT_EQ(other, "cuda:99");
  }
  EXPECT_EQ(Session::current().default_device(), "cuda:99");
  before.make_current();
}

TEST(SessionOptions, ComeFromTheEnvironment) {
  setenv("WEFT_CACHE_DIR", "/nowhere/special", 1);
  setenv("WEFT_THREADS", "3", 1);
  setenv("WEFT_NUMERICS", "strict", 1);
  const SessionOptions options = SessionOptions::from_environment();
  EXPECT_EQ(options.cache_directory, "/nowhere/special");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.numerics, Numerics::Strict);
  setenv("WEFT_THREADS", "many", 1);
  EXPECT_EQ(message_of([] { SessionOptions::from_environment(); }),
            "WEFT_THREADS: takes a number of 0 or more: got 'many'");
  unsetenv("WEFT_THREADS");
  setenv("WEFT_LOG", "loud", 1);
  EXPECT_EQ(message_of([] { SessionOptions::from_environment(); }),
            "WEFT_LOG: takes trace, debug, info, warn, error or off, and recompiles and logging, with commas "
            "between them: got "
            "'loud'");
  unsetenv("WEFT_CACHE_DIR"), unsetenv("WEFT_LOG"), unsetenv("WEFT_NUMERICS");
  for (const Tier tier : {Tier::Auto, Tier::Compile, Tier::Blocks}) {
    setenv("WEFT_TIER", to_string(tier).c_str(), 1);
    EXPECT_EQ(SessionOptions::from_environment().tier, tier);
  }
  setenv("WEFT_TIER", "fast", 1);
  EXPECT_EQ(message_of([] { SessionOptions::from_environment(); }),
            "WEFT_TIER: tier: takes auto, compile or blocks: got 'fast'");
  unsetenv("WEFT_TIER");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(SessionOptions::from_environment().cache_directory, "/x/weft");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(SessionOptions::from_environment().cache_directory.find("relative"), std::string::npos);
  unsetenv("XDG_CACHE_HOME");
}

TEST(SessionSettings, ChangeWhileTheSessionLives) {
  const Session before = Session::current();
  SessionOptions options = before.options();
  options.cache_directory.clear();
  options.threads = 1;
  const Session session(options);
  session.make_current();
  EXPECT_EQ(session.threads(), 1);
  session.set_threads(2);
  EXPECT_EQ(session.threads(), 2);
  EXPECT_EQ(session.device("cpu").threads, 2);
  EXPECT_EQ(message_of([&] { session.set_threads(-1); }),
            "threads: takes a number from 1 to 1024, or 0 for all: got -1");
  session.set_numerics(Numerics::Strict);
  EXPECT_EQ(session.numerics(), Numerics::Strict);
  const Array x = arange(0.0, 5000.0, 1.0);
  EXPECT_EQ(sum(x * 2.0 + 1.0).item<double>(), 5000.0 * 5000.0);
  EXPECT_EQ(session.cache_directory(), "");
  EXPECT_NE(message_of([&] { session.set_cache("/dev/null/x", 100); }).find("cache: cannot be used: "),
            std::string::npos);
  EXPECT_EQ(session.cache_directory(), "");
  const std::string level = session.log_level();
  session.set_log_level("warn");
  EXPECT_EQ(session.log_level(), "warn");
  session.set_log_level(level);
  for (const Numerics numerics : {Numerics::Strict, Numerics::Standard, Numerics::Fast})
    EXPECT_EQ(numerics_named(to_string(numerics)), numerics);
  before.make_current();
}

TEST(SessionOptionsCheck, ValuesThatMeanNothingAreErrors) {
  const auto open = [](auto&& set) {
    SessionOptions options;
    set(options);
    return message_of([&] { Session{options}; });
  };
  EXPECT_EQ(
      open([](SessionOptions& o) { o.log = "loud"; }),
      "log: takes trace, debug, info, warn, error or off, and recompiles and logging, with commas between "
      "them: got 'loud'");
  EXPECT_EQ(open([](SessionOptions& o) { o.graph_limit = -5; }),
            "graph_limit: takes a number of 0 or more: got -5");
  EXPECT_EQ(open([](SessionOptions& o) { o.interpret_limit = -1; }),
            "interpret_limit: takes a number of 0 or more: got -1");
  const Array x = zeros({2});
  EXPECT_EQ(message_of([&] { tune(x, NAN); }), "tune: takes seconds, 0 or more: got nan");
  EXPECT_EQ(message_of([&] { tune(x, -1); }), "tune: takes seconds, 0 or more: got -1.0");
}

}  // namespace
}  // namespace weft
