// What long work says of itself: nothing in its first second, and nothing where nobody watches.
#include "runtime/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace weft::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> said;
Progress::Clock::time_point time_now;

Progress::Clock::time_point now() { return time_now; }
void after_ms(int ms) { time_now += std::chrono::milliseconds(ms); }

class ProgressTest : public testing::Test {
 protected:
  ProgressTest() {
    said.clear();
    Progress::show_by([](std::string_view line) { said.emplace_back(line); });
    Progress::time_by(&now);
  }
  ~ProgressTest() override {
    Progress::show_by(nullptr);
    Progress::time_by(nullptr);
  }
};

TEST_F(ProgressTest, IsSilentForASecondAndCleansUp) {
  {
    Progress progress("compiling kernels", 40);
    after_ms(900);
    progress.add(5);
    EXPECT_THAT(said, IsEmpty());
    after_ms(300);
    progress.add(2);
    after_ms(50);  // so soon after the last line that nobody could read it
    progress.add(1);
    after_ms(900);
    progress.add(1);
  }
  EXPECT_THAT(said, ElementsAre("compiling kernels: 7 of 40, 1 s", "compiling kernels: 9 of 40, 2 s", ""));
}

TEST_F(ProgressTest, WorkWithinWorkIsSilent) {
  {
    Progress outer("tuning", 10, " s at most"), inner("compiling kernels", 3);
    after_ms(2000);
    outer.reach(2);
    inner.add();
  }
  EXPECT_THAT(said, ElementsAre("tuning: 2 of 10 s at most, 2 s", ""));
  Progress next("copying", 100, " MB");
  after_ms(1500);
  next.reach(64);
  EXPECT_EQ(said.back(), "copying: 64 of 100 MB, 1 s");
}

TEST_F(ProgressTest, ShortWorkSaysNothing) {
  {
    Progress progress("compiling kernels", 1);
  }
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(ProgressTest, NobodyWatchesUnlessAsked) {
  Progress::show_by(nullptr);
  Progress progress("compiling kernels", 1);
  after_ms(5000);
  progress.add();
  EXPECT_THAT(said, IsEmpty());
}

}  // namespace
}  // namespace weft::runtime
