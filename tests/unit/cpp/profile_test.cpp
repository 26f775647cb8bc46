// A profile in C++: rows with this file's lines, sessions apart, and what is refused.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "frontend/cpp/inspect/advise.h"
#include "frontend/cpp/inspect/time_shares.h"
#include "frontend/cpp/weft/profile.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::HasSubstr;

class ProfileTest : public testing::Test {
 protected:
  TestSession session_;
};

int64_t count(const Profile& profile, const std::string& kind) {
  int64_t found = 0;
  for (const ProfileRow& row : profile.rows())
    if (row.kind == kind) found += row.count;
  return found;
}

Array numbers() { return arange(100'000, DType::F32).eval().copy(); }

TEST_F(ProfileTest, CountsKernelsByTheLinesThatAskedForThem) {
  WEFT_NEEDS_A_COMPILER();
  const Array x = numbers();
  Profile profile;
  EXPECT_TRUE(profile.running());
  uint32_t line = 0;
  for (int i = 0; i < 3; ++i) {
    line = __LINE__ + 1;
    exp(x).eval();
  }
  profile.stop();
  profile.stop();
  EXPECT_FALSE(profile.running());
  EXPECT_EQ(count(profile, "kernel"), 3);
  EXPECT_EQ(count(profile, "compile"), 1);
  EXPECT_EQ(count(profile, "plan"), 1);
  for (const ProfileRow& row : profile.rows()) {
    if (row.kind == "your code") continue;  // of no line
    ASSERT_EQ(row.lines.size(), 1u) << row.kind;
    EXPECT_THAT(row.lines[0].file, HasSubstr("profile_test.cpp"));
    EXPECT_EQ(row.lines[0].line, line);
    EXPECT_LE(row.least_ns, row.most_ns);
    EXPECT_LE(row.most_ns, row.total_ns);
    if (row.kind != "kernel") continue;
    EXPECT_EQ(row.what, "exp");
    EXPECT_EQ(row.bytes_read, 3 * 400'000);
    EXPECT_EQ(row.bytes_written, 3 * 400'000);
  }
  EXPECT_GT(profile.accounted_ns(), 0);
  EXPECT_LE(profile.accounted_ns(), profile.wall_ns());
  EXPECT_EQ(profile.dropped(), 0);
  EXPECT_THAT(profile.table(), HasSubstr("exp at profile_test.cpp:"));
}

runtime::TraceEvent event(runtime::Work work, int thread, int64_t start, int64_t ns) {
  runtime::TraceEvent e;
  e.work = work, e.thread = thread, e.start = start, e.ns = ns;
  return e;
}

TEST(TimeShares, AMomentCountsOnceForTheInnermostWork) {
  const std::vector<runtime::TraceEvent> events = {
      event(runtime::Work::Host, 0, 100, 50), event(runtime::Work::Download, 0, 100, 20),
      event(runtime::Work::Kernel, 0, 200, 10), event(runtime::Work::Record, 0, 90, 70)};
  const detail::TimeShares shares = detail::time_shares(events, [](const auto&) { return false; });
  EXPECT_THAT(shares.ns, testing::ElementsAre(30, 20, 10, 20));
  EXPECT_EQ(shares.covered, 80);
}

TEST(TimeShares, ThreadsShareAMomentAndWhatWaitsHasNone) {
  std::vector<runtime::TraceEvent> events = {
      event(runtime::Work::Plan, 0, 0, 100), event(runtime::Work::Compile, 1, 10, 60),
      event(runtime::Work::Compile, 2, 10, 30), event(runtime::Work::Compile, 3, 0, 100)};
  events[3].behind = true;
  const detail::TimeShares shares =
      detail::time_shares(events, [](const auto& e) { return e.work == runtime::Work::Plan; });
  EXPECT_THAT(shares.ns, testing::ElementsAre(40, 45, 15, 0));
  EXPECT_EQ(shares.covered, 100);
}

// Advice on these pieces of work of one thread, which follow each other.
std::vector<ProfileAdvice> advice_of(const std::vector<runtime::TraceEvent>& events,
                                     const std::vector<ProfileRow>& rows) {
  std::vector<int64_t> ns;
  ns.reserve(events.size());
  for (const runtime::TraceEvent& e : events) ns.push_back(e.ns);
  return detail::advice_on({events, ns, rows, {}, 1'000'000, 500'000});
}

runtime::TraceEvent plan_at(int64_t start, uint64_t alike) {
  runtime::TraceEvent e = event(runtime::Work::Plan, 0, start, 1000);
  e.what = "3 operations into 1 step", e.lines = {{"loop.py", 4}}, e.alike = alike;
  return e;
}

TEST(Advice, OneLineThatIsSeveralGraphsIsCompiledOnceForEach) {
  std::vector<runtime::TraceEvent> events;
  for (int64_t turn = 0; turn < 4; ++turn) events.push_back(plan_at(2000 * turn, 1 + turn));
  EXPECT_THAT(advice_of(events, {}), testing::IsEmpty());
  for (int64_t turn = 4; turn < 6; ++turn) events.push_back(plan_at(2000 * turn, 3));
  const std::vector<ProfileAdvice> advice = advice_of(events, {});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].cause, "compiled again");
  EXPECT_THAT(advice[0].text, HasSubstr("compiled again 2 times after the first"));
  EXPECT_EQ(advice[0].ns, 2000);
}

TEST(Advice, TheDearestRecordingIsNeededInAnyCase) {
  std::vector<runtime::TraceEvent> events;
  for (const int64_t ns : {300, 5000, 200}) {
    events.push_back(event(runtime::Work::Record, 0, 10'000 * static_cast<int64_t>(events.size()), ns));
    events.back().what = "scaled";
  }
  ProfileRow row;
  row.kind = "record", row.what = "scaled", row.count = 3;
  const std::vector<ProfileAdvice> advice = advice_of(events, {row});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].cause, "recorded again");
  EXPECT_EQ(advice[0].ns, 500);
}

TEST(Advice, SmallKernelsSayWhatLooksInEachTurn) {
  ProfileRow kernel, around;
  kernel.kind = "kernel", kernel.what = "multiply, sum", kernel.count = 60, kernel.total_ns = 60 * 5000;
  around.kind = "overhead", around.asked = {{"float()", {"loop.py", 7}, 60}};
  kernel.lines = around.lines = {{"loop.py", 6}};
  const std::vector<ProfileAdvice> advice = advice_of({}, {kernel, around});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].cause, "small kernels");
  EXPECT_THAT(advice[0].text, HasSubstr("looks at a value in each turn, by float() at loop.py:7: "));
}

TEST_F(ProfileTest, SaysWhatLookedAtValues) {
  const Array x = ones({40'000});
  x.eval();
  Profile profile;
  for (int turn = 0; turn < 3; ++turn) static_cast<void>(sum(exp(x) + turn).item<double>());
  (x * 3).eval();
  profile.stop();
  std::map<std::string, int64_t> asked;
  for (const ProfileRow& row : profile.rows())
    for (const ProfileAsked& one : row.asked) asked[one.by] += one.count;
  EXPECT_THAT(asked, testing::ElementsAre(testing::Pair("eval()", 1), testing::Pair("item()", 3)));
  EXPECT_THAT(profile.table(), HasSubstr(", as item() asked"));
}

TEST_F(ProfileTest, WorkAroundCallsOfCompiledFunctionsIsOverhead) {
  const Array x = ones({40'000});
  x.eval();
  const Compiled f({&x, 1}, [](std::span<const Array> args) { return std::vector{exp(args[0]) + 1}; });
  Profile profile;
  for (int turn = 0; turn < 5; ++turn) f({&x, 1});
  profile.stop();
  const auto overhead = std::ranges::find(profile.rows(), "overhead", &ProfileRow::kind);
  ASSERT_NE(overhead, profile.rows().end());
  EXPECT_EQ(overhead->count, 5);
  ASSERT_EQ(overhead->asked.size(), 1u);
  EXPECT_EQ(overhead->asked[0].by, "a call of a compiled function");
}

TEST_F(ProfileTest, RowsOfAllThreadsAreTheWallTime) {
  const Array x = numbers();
  Profile profile;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&x, i] { sum(exp(x) * static_cast<float>(i + 2)).eval(); });
  for (std::thread& thread : threads) thread.join();
  profile.stop();
  int64_t together = 0, first_calls = 0;
  for (const ProfileRow& row : profile.rows()) {
    together += row.wall_ns;
    if (row.kind == "compile" || row.kind == "plan" || row.kind == "load" || row.kind == "setup")
      first_calls += row.wall_ns;
  }
  EXPECT_EQ(together, profile.wall_ns());
  EXPECT_EQ(first_calls, profile.first_calls_ns());
  EXPECT_GT(first_calls, 0);
}

TEST_F(ProfileTest, IsOfItsSessionAlone) {
  const Array here = numbers();
  Profile outer;
  {
    TestSession other;
    Profile inner;
    (numbers() + 1.0f).eval();
    inner.stop();
    EXPECT_GT(count(inner, "kernel") + count(inner, "blocks"), 0);
  }
  outer.stop();
  EXPECT_TRUE(outer.rows().empty());
  EXPECT_THAT(outer.table(), HasSubstr("nothing ran"));
}

TEST_F(ProfileTest, DoesNotNestAndSaysNothingWhileItRuns) {
  {
    Profile profile;
    EXPECT_THAT(message_of([] { Profile inner; }), HasSubstr("profiles do not nest"));
    EXPECT_TRUE(profile.running());
    EXPECT_THAT(message_of([&] { profile.rows(); }), HasSubstr("still running"));
    EXPECT_THAT(message_of([&] { profile.save("anywhere"); }), HasSubstr("still running"));
  }
  Profile after;
  Profile moved = std::move(after);
  EXPECT_TRUE(moved.running());
}

TEST_F(ProfileTest, IsJsonAndATrace) {
  Profile profile;
  sum(numbers() * 2.0f).eval();
  profile.stop();
  const auto json = nlohmann::json::parse(profile.json());
  EXPECT_EQ(json["schema"], "weft.profile");
  EXPECT_EQ(json["rows"].size(), profile.rows().size());
  const auto trace = nlohmann::json::parse(profile.trace());
  const int64_t rows = std::accumulate(
      profile.rows().begin(), profile.rows().end(), int64_t{0}, [](int64_t n, const ProfileRow& row) {
        return row.kind == "your code" ? n : n + row.count;  // what is left over
      });
  EXPECT_EQ(static_cast<int64_t>(trace["traceEvents"].size()), rows + 1) << "and the name of the process";
}

TEST_F(ProfileTest, AFileIsWrittenWholeOrNotAtAll) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("weft-profile-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  Profile profile;
  profile.stop();
  profile.save(folder / "trace.json");
  std::ifstream file(folder / "trace.json");
  EXPECT_EQ(nlohmann::json::parse(file)["otherData"]["schema"], "weft.trace");
  EXPECT_THAT(message_of([&] { profile.save(folder); }), HasSubstr(folder.string()));
  EXPECT_THAT(message_of([&] { profile.save(folder / "none" / "t.json"); }), HasSubstr("none"));
  size_t files = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace weft
