// Counts of references and locks of cells, from several threads at once.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "compiler/base/reference_count.h"
#include "compiler/base/spin_lock.h"

namespace weft {
namespace {

constexpr int kThreads = 4, kTimes = 20000;

template <class F>
void on_threads(F&& f) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(f);
}

TEST(ReferenceCount, TheLastOfSeveralOwnersIsToldSo) {
  ReferenceCount count;
  count.add();
  EXPECT_EQ(count.now(), 1u);
  count.add();
  EXPECT_EQ(count.now(), 2u);
  EXPECT_FALSE(count.drop());
  EXPECT_TRUE(count.drop());
}

TEST(ReferenceCount, OneThreadAloneFreesWhatAllHeld) {
  for (int turn = 0; turn < 100; ++turn) {
    ReferenceCount count;
    for (int i = 0; i < kThreads; ++i) count.add();
    int written[kThreads] = {};  // read by whoever is the last: the others' writes come before
    std::atomic<int> next{0}, last{0};
    on_threads([&] {
      for (int i = 0; i < 100; ++i) {
        count.add();
        EXPECT_FALSE(count.drop());
      }
      written[next++] = 1;
      if (!count.drop()) return;
      ++last;
      for (const int one : written) EXPECT_EQ(one, 1);
    });
    EXPECT_EQ(last, 1);
  }
}

TEST(SpinLock, LetsOneThreadInAtATime) {
  SpinLock lock;
  int count = 0;
  on_threads([&] {
    for (int i = 0; i < kTimes; ++i) {
      const std::lock_guard held(lock);
      ++count;
    }
  });
  EXPECT_EQ(count, kThreads * kTimes);
}

}  // namespace
}  // namespace weft
