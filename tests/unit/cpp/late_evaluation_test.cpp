// Destructors of globals and of thread_locals evaluate like any other code, though Weft's own per-thread
// objects and statics were made after them; but LLVM's are gone by then.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

#include "compiler/base/per_thread.h"
#include "frontend/cpp/weft/weft.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

struct AtEnd {
  std::function<void()> action;
  ~AtEnd() {
    if (action) action();
  }
};
AtEnd at_exit;
thread_local AtEnd at_thread_end;

struct Watched {
  static inline int alive = 0;
  int value = 7;
  Watched() { ++alive; }
  ~Watched() {
    value = 0;
    --alive;
  }
};

TEST(LateEvaluation, AThreadsObjectIsSoundInDestructorsOfOlderThreadLocalsAndFreedAfterThem) {
  int seen = 0;
  std::thread([&] {
    at_thread_end.action = [&] { seen = PerThread<Watched>::get().value; };
    EXPECT_EQ(PerThread<Watched>::get().value, 7);
    EXPECT_EQ(Watched::alive, 1);
  }).join();
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(Watched::alive, 0);
}

TEST(LateEvaluation, AThreadsObjectIsMadeAgainWhenItIsAskedForAfterItsEnd) {
  static int asked = 0;
  pthread_key_t later{};
  // Every order of the two keys' destructors ends with an object that is freed.
  pthread_key_create(&later, [](void*) { asked += PerThread<Watched>::get().value; });
  std::thread([&] {
    PerThread<Watched>::get();
    pthread_setspecific(later, &asked);
  }).join();
  pthread_key_delete(later);
  EXPECT_EQ(asked, 7);
  EXPECT_EQ(Watched::alive, 0);
}

TEST(LateEvaluation, AThreadLocalsDestructorEvaluates) {
  const TestSession session;
  double total = 0;
  std::thread([&] {
    const Array a = from(std::vector<double>(1000, 2));
    at_thread_end.action = [&total, a] { total = sum(a * 2).item<double>(); };
    EXPECT_EQ(sum(a + 1).item<double>(), 3000);
  }).join();
  EXPECT_EQ(total, 4000);
}

// Runs `action` in the destructor of a global that is older than the session.
template <class Prepare, class Action>
[[noreturn]] void end_with(Prepare&& prepare, Action&& action) {
  SessionOptions options;
  options.tier = Tier::Compile;
  options.cache_directory.clear();
  Session(options).make_current();
  prepare();
  at_exit.action = action;
  std::exit(0);
}

TEST(LateEvaluationDeathTest, AGlobalsDestructorEvaluatesWhatWasCompiledBefore) {
  const auto total = [] {
    std::fprintf(stderr, "%g ", sum(from(std::vector<double>(5000, 2)) + 1).item<double>());
  };
  EXPECT_EXIT(end_with(total, total), testing::ExitedWithCode(0), "^15000 15000 $");
}

TEST(LateEvaluationDeathTest, AGlobalsDestructorInterpretsWhatWasNotCompiledBefore) {
  WEFT_NEEDS_A_COMPILER();
  const auto total = [] {
    std::fprintf(stderr, "%g ", sum(from(std::vector<double>(5000, 2)) + 1).item<double>());
  };
  const auto other = [] {
    const Array x = from(std::vector<double>(5000, 2));
    std::fprintf(stderr, "%g ", sum(exp(x)).item<double>());
    try {
      one_kernel(x + x);
    } catch (const Error& e) {
      std::fputs(e.what(), stderr);
    }
  };
  EXPECT_EXIT(end_with(total, other), testing::ExitedWithCode(0),
              "^15000 36945.3 clang_jit: no kernel can be compiled while the program ends");
}

}  // namespace
}  // namespace weft
