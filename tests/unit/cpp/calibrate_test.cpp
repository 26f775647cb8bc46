// Facts of the machine: read, measured, kept, and without a say in what is computed.
#include "frontend/cpp/weft/calibrate.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "frontend/cpp/inspect/calibrated.h"
#include "frontend/cpp/inspect/compute_speed.h"
#include "frontend/cpp/inspect/expected_time.h"
#include "frontend/cpp/inspect/kept_speeds.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/cpp/weft/weft.h"
#include "runtime/cpu/host.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CalibrateTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder_ = (fs::temp_directory_path() / "weft-calibrate-XXXXXX").string();
};

// Every speed another.
MachineSpeeds faked(double factor) {
  MachineSpeeds out;
  double next = 1e9;
  for (const SpeedField& field : speed_fields()) out.*field.value = factor * (next *= 1.25);
  return out;
}

runtime::DeviceInfo machine() {
  runtime::DeviceInfo out;
  out.name = "cpu", out.description = "A processor", out.architecture = "znver5", out.threads = 8;
  return out;
}

TEST(Speeds, AreReadAsTheyWereWritten) {
  const std::string text = detail::text_of(faked(1));
  EXPECT_EQ(detail::speeds_of(text), faked(1));
  EXPECT_EQ(detail::speeds_of(""), std::nullopt);
  EXPECT_EQ(detail::speeds_of(text.substr(0, text.size() / 2)), std::nullopt);
  EXPECT_EQ(detail::speeds_of("[1, 2]"), std::nullopt);
  EXPECT_EQ(detail::speeds_of(R"({"memory": 1e10})"), std::nullopt) << "the others are missing";
  for (const SpeedField& field : speed_fields()) {
    MachineSpeeds wrong = faked(1);
    wrong.*field.value = -1;
    EXPECT_EQ(detail::speeds_of(detail::text_of(wrong)), std::nullopt) << field.name;
  }
}

TEST_F(CalibrateTest, SpeedsOfOneMachineAreNotThoseOfAnother) {
  runtime::KernelCache cache(folder_, 1 << 20);
  EXPECT_EQ(detail::kept_speeds(machine(), &cache), std::nullopt);
  EXPECT_EQ(detail::kept_speeds(machine(), nullptr), std::nullopt);
  detail::keep_speeds(machine(), cache, faked(1));
  EXPECT_EQ(detail::kept_speeds(machine(), &cache), faked(1));
  runtime::DeviceInfo newer = machine(), larger = machine();
  newer.description = "A newer processor", larger.threads = 16;
  EXPECT_EQ(detail::kept_speeds(newer, &cache), std::nullopt);
  EXPECT_EQ(detail::kept_speeds(larger, &cache), std::nullopt);
  detail::keep_speeds(machine(), cache, faked(2));
  EXPECT_EQ(detail::kept_speeds(machine(), &cache), faked(2)) << "measured again";
}

TEST_F(CalibrateTest, DamagedSpeedsAreNone) {
  runtime::KernelCache cache(folder_, 1 << 20);
  detail::keep_speeds(machine(), cache, faked(1));
  int files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file << "???";
  }
  EXPECT_EQ(files, 1);
  EXPECT_EQ(detail::kept_speeds(machine(), &cache), std::nullopt);
}

Session session_in(const std::string& folder) {
  SessionOptions options;
  options.cache_directory = folder;
  return Session(options);
}

// What the session would run for programs of several kinds: plans, texts, and how they are started.
std::string plans() {
  const Array x = ones({300, 5000}, {DType::F32}).eval().copy(),
              y = ones({5000, 300}, {DType::F32}).eval().copy();
  std::string out;
  for (const Array& value : {exp(x) * 2 + 1, sum(x, {1}), sum(x, {0}), sum(x), x - max(x, {1}, true),
                             x + y.transpose({1, 0}), cumulative_sum(x, 1), exp(x) / sum(exp(x), {1}, true)})
    out += show(value, "plan") + show(value, "cpp");
  return out;
}

TEST_F(CalibrateTest, PlansAndKernelsDoNotDependOnSpeeds) {
  std::map<double, std::string> found;
  const Session before = Session::current();
  for (const double factor : {1.0, 1e-3}) {
    const Session session = session_in(folder_ + "/" + std::to_string(factor));
    session.make_current();
    detail::SessionState& state = session.state();
    detail::keep_speeds(state.device("cpu").device->info(), *state.cache, faked(factor));
    ASSERT_EQ(machine_facts().speeds, faked(factor));
    found[factor] = plans();
  }
  before.make_current();
  EXPECT_THAT(found[1.0], HasSubstr("lanes along the row"));
  EXPECT_EQ(found[1.0], found[1e-3]);
}

TEST_F(CalibrateTest, WhatWasMeasuredIsKept) {
  const Session before = Session::current(), session = session_in(folder_);
  session.make_current();
  const MachineFacts unknown = machine_facts("cpu");
  EXPECT_EQ(unknown.speeds, std::nullopt);
  EXPECT_THAT(to_string(unknown), HasSubstr("not measured"));
  EXPECT_GT(unknown.threads, 0);
  EXPECT_GE(unknown.vector_registers, 16);
  if (session.state().device("cpu").device->info().compiles) {
    const MachineFacts measured = calibrate("cpu");
    for (const SpeedField& field : speed_fields()) {
      // Caches may be hidden from a virtual machine, and tasks too cheap to be told from nothing.
      const bool may_be_none = std::string_view(field.name).find("cache") != std::string_view::npos ||
                               field.value == &MachineSpeeds::task_seconds;
      EXPECT_TRUE(may_be_none || *measured.speeds.*field.value > 0) << field.name;
    }
    EXPECT_EQ(machine_facts("cpu").speeds, measured.speeds);
    EXPECT_EQ(detail::compute_speed(session.state().device("cpu").device, session.state().cache.get()).f32,
              measured.speeds->multiply_adds_f32);
    EXPECT_THAT(to_string(measured), HasSubstr("GB/s"));
  } else {
    EXPECT_THROW(calibrate("cpu"), Error);
  }
  before.make_current();
}

// A machine of two threads whose numbers are round.
MachineFacts two_threads() {
  MachineFacts out;
  out.threads = 2, out.vector_bytes = 64;
  out.caches = {{1, size_t{32} << 10, 1}, {2, size_t{1} << 20, 1}, {3, size_t{32} << 20, 2}};
  MachineSpeeds speeds;
  speeds.memory = 20e9, speeds.memory_one_thread = 10e9;
  speeds.first_cache = 800e9, speeds.second_cache = 400e9, speeds.last_cache = 100e9;
  speeds.multiply_adds_f32 = 400e9, speeds.multiply_adds_f64 = 200e9;
  speeds.divisions = speeds.square_roots = 10e9, speeds.exponentials = 4e9, speeds.gathers = 2e9;
  speeds.launch_seconds = 1e-6, speeds.task_seconds = 1e-6;
  out.speeds = speeds;
  return out;
}

// Of a map of so many f32, in tasks enough for all threads.
KernelCost map_of(int64_t elements) {
  KernelCost out;
  out.bytes_read = out.bytes_written = 4 * elements, out.bytes_accessed = 8 * elements;
  out.operations = static_cast<double>(elements);
  out.tasks = 64, out.streaming = true;
  return out;
}

TEST(ExpectedTime, IsTheRooflineAndWhatStartingCosts) {
  const MachineFacts facts = two_threads();
  const int64_t many = 1 << 24;
  const detail::ExpectedTime time = detail::expected_time(map_of(many), facts);
  EXPECT_DOUBLE_EQ(time.memory, 8.0 * many / 20e9);
  EXPECT_DOUBLE_EQ(time.starting, 9e-6) << "a launch, and eight pieces";
  EXPECT_DOUBLE_EQ(time.seconds(), time.memory + time.starting) << "memory takes longer than arithmetic";
  EXPECT_THAT(to_string(time), testing::StartsWith("6.72 ms: memory 6.71 ms, computing "));
  KernelCost heavy = map_of(many);
  heavy.functions = 8.0 * many;
  EXPECT_GE(detail::expected_time(heavy, facts).seconds(), 8.0 * many / 4e9);
  KernelCost plain = map_of(many);
  plain.streaming = false;
  EXPECT_DOUBLE_EQ(detail::expected_time(plain, facts).memory, 12.0 * many / 20e9)
      << "lines are read before they are written";
  KernelCost alone = map_of(many);
  alone.tasks = 1;
  EXPECT_DOUBLE_EQ(detail::expected_time(alone, facts).memory, 8.0 * many / 10e9);
  EXPECT_LT(detail::expected_time(map_of(1 << 16), facts).memory, 8.0 * (1 << 16) / 20e9)
      << "in the second-level cache";
  KernelCost twice = map_of(many);
  twice.launches = 2;
  EXPECT_GT(detail::expected_time(twice, facts).starting, time.starting);
}

TEST(ExpectedTime, CountsGathersChainsAndEnds) {
  const MachineFacts facts = two_threads();
  KernelCost gathers = map_of(1 << 20), chained = gathers, masked = gathers;
  const double before = detail::expected_time(gathers, facts).seconds();
  gathers.gathers = 1 << 24, chained.chained = 1 << 22, masked.rows = 1 << 16, masked.row_masked = true;
  KernelCost copied = masked;
  copied.row_masked = false;
  EXPECT_GT(detail::expected_time(gathers, facts).seconds(), before);
  EXPECT_GT(detail::expected_time(chained, facts).seconds(), before);
  EXPECT_GT(detail::expected_time(masked, facts).seconds(), before);
  EXPECT_GT(detail::expected_time(copied, facts).seconds(), detail::expected_time(masked, facts).seconds());
  MachineFacts unknown = facts;
  unknown.speeds.reset();
  EXPECT_EQ(detail::expected_time(gathers, unknown).seconds(), 0);
}

TEST_F(CalibrateTest, ExplanationsSayWhatKernelsShouldTake) {
  const Session before = Session::current(), session = session_in(folder_);
  session.make_current();
  const Array x = ones({300, 5000}, {DType::F32}).eval().copy(), y = exp(x) / sum(x, {1}, true);
  EXPECT_THAT(explain(y), testing::Not(HasSubstr("should take")));
  detail::SessionState& state = session.state();
  detail::keep_speeds(state.device("cpu").device->info(), *state.cache, *two_threads().speeds);
  EXPECT_THAT(explain(y), HasSubstr("\nstep 0 should take "));
  EXPECT_THAT(explain_json({&y, 1}), HasSubstr("\"functions\":1500000.0"));
  before.make_current();
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text << "\n";
}

TEST_F(CalibrateTest, CoresAndCachesAreReadFromTheSystem) {
  const fs::path top = folder_;
  write(top / "present", "0-3");
  for (const auto& [processor, siblings] : {std::pair{0, "0,2"}, {1, "1,3"}, {2, "0,2"}, {3, "1,3"}})
    write(top / ("cpu" + std::to_string(processor)) / "topology/thread_siblings_list", siblings);
  const auto cache = [&](const char* index, const char* level, const char* type, const char* size,
                         const char* of) {
    const fs::path folder = top / "cpu0/cache" / index;
    write(folder / "level", level), write(folder / "type", type), write(folder / "size", size);
    write(folder / "shared_cpu_list", of);
  };
  cache("index0", "1", "Data", "48K", "0,2");
  cache("index1", "1", "Instruction", "32K", "0,2");
  cache("index2", "3", "Unified", "32M", "0-3");
  cache("index3", "2", "Unified", "1024K", "0,2");
  const runtime::CpuLayout layout = runtime::cpu_layout(folder_);
  EXPECT_EQ(layout.processors, 4);
  EXPECT_EQ(layout.cores, 2);
  ASSERT_EQ(layout.caches.size(), 3u);
  EXPECT_EQ(layout.caches[0].bytes, size_t{48} << 10);
  EXPECT_EQ(layout.caches[1].bytes, size_t{1} << 20);
  EXPECT_EQ(layout.caches[1].shared_by, 2);
  EXPECT_EQ(layout.caches[2].bytes, size_t{32} << 20);
  EXPECT_EQ(layout.caches[2].shared_by, 4);
  const runtime::CpuLayout nothing = runtime::cpu_layout(folder_ + "/none");
  EXPECT_EQ(nothing.cores, 0);
  EXPECT_TRUE(nothing.caches.empty());
}

}  // namespace
}  // namespace weft
