// A profile in C++: rows with this file's lines, sessions apart, and what is refused.
#include <gmock/gmock.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "frontend/cpp/evaluate/planned.h"
#include "frontend/cpp/inspect/advise.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/inspect/profile_report.h"
#include "frontend/cpp/inspect/profile_summary.h"
#include "frontend/cpp/inspect/time_shares.h"
#include "frontend/cpp/inspect/users_words.h"
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
  kernel.median_ns = 5000;
  around.kind = "overhead", around.asked = {{"float()", {"loop.py", 7}, 60}};
  kernel.lines = around.lines = {{"loop.py", 6}};
  const std::vector<ProfileAdvice> advice = advice_of({}, {kernel, around});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].cause, "small kernels");
  EXPECT_THAT(advice[0].text, HasSubstr("looks at a value in each turn, by float() at loop.py:7: "));
}

// Where other processes have the processors, few pieces take most of the time.
TEST(Advice, KernelsAreSmallByTheirMedian) {
  ProfileRow kernel;
  kernel.kind = "kernel", kernel.what = "multiply", kernel.count = 60;
  kernel.total_ns = 60 * 90'000, kernel.median_ns = 5000;
  EXPECT_EQ(advice_of({}, {kernel}).size(), 1u);
  kernel.median_ns = 90'000;
  EXPECT_THAT(advice_of({}, {kernel}), testing::IsEmpty());
}

TEST(Advice, CompiledAgainSaysWhatWasNewEachTime) {
  std::vector<runtime::TraceEvent> events;
  std::deque<detail::Planned> planned;
  for (int64_t turn = 0; turn < 4; ++turn) {
    events.push_back(plan_at(2000 * turn, 1));
    detail::Planned one;
    one.lines = {{"loop.py", 4}}, one.ops = "exp", one.count = 1;
    one.inputs = {{turn < 3 ? DType::F32 : DType::F64, {turn < 3 ? 5000 + turn : 5002}, {}}};
    one.key.low = static_cast<uint64_t>(turn), one.at = 2000 * turn + 10;
    find_reason(one, planned, 4096);
    planned.push_back(std::move(one));
  }
  EXPECT_EQ(planned[0].by, detail::NewBy::First);
  const std::vector<int64_t> ns(events.size(), 1000);
  const std::vector<detail::Planned> all(planned.begin(), planned.end());
  const std::vector<ProfileAdvice> advice = detail::advice_on({events, ns, {}, {}, 1'000'000, 500'000, all});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(
      advice[0].text,
      "these lines were compiled again 3 times after the first, 2 times for another shape; once for another "
      "dtype. The last time array 0: its dtype is f64, and was f32. Keep shapes the same: pad to a few "
      "lengths, or mask with `where`");
}

TEST(Planned, WhatIsNewIsNamed) {
  detail::Planned first;
  first.lines = {{"loop.py", 4}}, first.ops = "exp, sum", first.count = 2;
  first.inputs = {{DType::F32, {100, 50}, {}}};
  first.facts = {{"sum axes=[0]", {"loop.py", 4}}};
  first.settings = "the device cpu", first.key.low = 1;
  const auto by = [&](auto&& change) {
    detail::Planned next = first;
    next.key.low = 2;
    change(next);
    find_reason(next, {first}, 64);
    return next.by;
  };
  using detail::NewBy;
  EXPECT_EQ(by([](auto& p) { p.inputs[0].dtype = DType::F64; }), NewBy::Dtype);
  EXPECT_EQ(by([](auto& p) { p.inputs[0].shape = {100}; }), NewBy::Axes);
  EXPECT_EQ(by([](auto& p) { p.inputs[0].shape = {100, 51}; }), NewBy::Shape);
  EXPECT_EQ(by([](auto& p) { p.inputs[0].strides = {100, 2}; }), NewBy::Layout);
  EXPECT_EQ(by([](auto& p) { p.inputs.push_back(p.inputs[0]); }), NewBy::Arrays);
  EXPECT_EQ(by([](auto& p) { p.ops = "exp", p.count = 1; }), NewBy::Operations);
  EXPECT_EQ(by([](auto& p) { p.ops = "exp", p.count = 1, p.ends_turn = true; }), NewBy::Cut);
  EXPECT_EQ(by([](auto& p) { p.facts[0].text = "sum axes=[1]"; }), NewBy::Facts);
  EXPECT_EQ(by([](auto& p) { p.numbers = 1; }), NewBy::Numbers);
  EXPECT_EQ(by([](auto& p) { p.settings = "the device cuda:0"; }), NewBy::Settings);
  EXPECT_EQ(by([](auto&) {}), NewBy::Memory);
  EXPECT_EQ(by([](auto& p) { p.key.low = 1; }), NewBy::Dropped);
  EXPECT_EQ(by([](auto& p) { p.key.low = 1, p.is_known = true; }), NewBy::Together);
  EXPECT_EQ(by([](auto& p) { p.ops = "exp", p.lines = {{"loop.py", 9}}; }), NewBy::First);
}

TEST(Profiles, SayThatTheMachineWasBusy) {
  detail::ProfileReport report;
  report.wall_ns = 100'000'000;
  report.waits = {true, 4'000'000, 3'000'000, 0};
  EXPECT_EQ(detail::busy_text(report), "");
  report.waits.others = 50'000'000;
  EXPECT_THAT(
      detail::busy_text(report),
      HasSubstr("this thread waited 4 ms of 100 ms for a processor, and another of this process 50 ms"));
  report.waits = {false, 0, 0, 40'000'000};
  EXPECT_THAT(detail::busy_text(report), HasSubstr("the host of this virtual machine kept 40 ms"));
}

int64_t pretended_wait = 0;

TEST(Traces, AskForWaitsOnlyWhereTheLastBorderWasLongAgo) {
  runtime::Trace trace;
  ASSERT_TRUE(trace.start([] { return pretended_wait; }));
  constexpr int64_t kMs = 1'000'000;
  trace.pass(10 * kMs);  // what was waited before is of nobody
  pretended_wait = 7 * kMs;
  trace.pass(10 * kMs + 1000);
  trace.pass(18 * kMs);
  pretended_wait = 8 * kMs;
  trace.pass(18 * kMs + 1000);
  trace.pass(30 * kMs);
  trace.pass(40 * kMs);  // nothing since
  const std::vector<runtime::Trace::Wait> waits = trace.stop().waits;
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].from, 10 * kMs + 1000);
  EXPECT_EQ(waits[0].to, 18 * kMs);
  EXPECT_EQ(waits[0].ns, 7 * kMs);
  EXPECT_EQ(waits[1].ns, kMs);
  ASSERT_TRUE(trace.start());
  trace.pass(0);
  trace.pass(50 * kMs);
  EXPECT_TRUE(trace.stop().waits.empty());
}

TEST(Profiles, SayWhereThreadsWaited) {
  runtime::TraceEvent kernel = event(runtime::Work::Kernel, 0, 2'000'000, 6'000'000);
  kernel.what = "exp, add", kernel.lines = {{"blur.py", 3, 0}};
  runtime::TraceEvent around = event(runtime::Work::Host, 0, 1'000'000, 8'000'000);
  around.what = "svd";
  runtime::TraceEvent other = event(runtime::Work::Kernel, 1, 1'000'000, 8'000'000);
  other.what = "sum";
  runtime::Trace::Taken taken;
  taken.events = {kernel, around, other};
  taken.waits = {{0, 2'000'000, 8'000'000, 5'000'000},   // the kernel
                 {0, 8'000'000, 9'000'000, 700'000},     // what is around it
                 {0, 9'000'000, 20'000'000, 1'000'000},  // the caller
                 {1, 1'000'000, 9'000'000, 3'000'000}};
  detail::ProfileReport report = detail::report_of(std::move(taken), {}, 0, 20'000'000, {});
  std::map<std::string, int64_t> waited;
  for (const ProfileRow& row : report.rows)
    waited[row.kind == "your code" ? row.kind : row.what] = row.waited_ns;
  EXPECT_EQ(waited,
            (std::map<std::string, int64_t>{
                {"exp, add", 5'000'000}, {"svd", 700'000}, {"sum", 3'000'000}, {"your code", 1'000'000}}));
  report.waits = {true, 6'700'000, 3'000'000, 0};
  EXPECT_THAT(
      detail::busy_text(report),
      HasSubstr("the rows hold this time: 5 ms in exp, add at blur.py:3, 3 ms in sum, 1 ms in your code"));
  EXPECT_THAT(detail::table_of(report), HasSubstr("exp, add at blur.py:3, 5 ms of it without a processor\n"));
  EXPECT_EQ(nlohmann::json::parse(detail::json_of(report))["rows"][0]["waited_ns"], report.rows[0].waited_ns);
}

TEST(Profiles, NameAFunctionWhereALineCallsIt) {
  EXPECT_TRUE(detail::calls("y = wf.exp(x)", "exp"));
  EXPECT_FALSE(detail::calls("y = wf.expm1(x) + exp", "exp"));
  EXPECT_FALSE(detail::calls("y = my_exp(x)", "exp"));
  detail::CostSeen cost{"widened", {}, "the other is select : f64(5,) at a.py:3, and so on"};
  cost.named = {"select", "select : f64(5,) at a.py:3", "f64(5,) at a.py:3", {"no such file", 3, 0}};
  detail::tell_in_users_words(cost);
  EXPECT_EQ(cost.text, "the other is f64(5,) at a.py:3, and so on");
}

TEST(MemorySpeed, IsThatOfCopiesWhichNobodyInterrupted) {
  EXPECT_EQ(detail::speed_of_copies({}, 1000), 0);
  EXPECT_EQ(detail::speed_of_copies({5, 0.5, 7, 9, 0.6, 8, 0.7, 30}, 1000), 2 * 1000 / 0.7);
}

TEST_F(ProfileTest, MeasuringMemoryKeepsNone) {
  runtime::Device& device = *Session::current().state().device("").device;
  const runtime::MemoryInfo before = device.memory();
  EXPECT_GT(detail::measured_memory_speed(device), 0);
  EXPECT_EQ(device.memory().in_use, before.in_use);
  EXPECT_EQ(device.memory().pooled, before.pooled);
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
