// Schedules that are not the rules' own: made again where kernels spill, searched by a clock, kept, and
// shown.
#include "compiler/program/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "runtime/tune.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

using runtime::Choices;
using runtime::KernelCache;
using test::h200;
using testing::HasSubstr;

constexpr const char* kSoftmax = R"(graph {
  %a = input : f32[32768, 4096]
  %m = max %a, axes=[1]
  %m1 = reshape %m : f32[32768, 1]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[1]
  %s1 = reshape %s : f32[32768, 1]
  %y = divide %e, %s1
  return %y
})";
constexpr const char* kAxpy = R"(graph {
  %a = input : f32[4096, 1024]
  %b = input : f32[4096, 1024]
  %p = multiply %a, 0.5
  %y = add %p, %b
  return %y
})";

// A GPU whose kernels spill as the test says, by their source.
class SpillingDevice final : public runtime::Device {
 public:
  using Spills = std::function<int(const KernelSource&)>;
  explicit SpillingDevice(Spills spills) : spills_(std::move(spills)) { info_.threads = 132; }
  const runtime::DeviceInfo& info() const override { return info_; }
  runtime::KernelRef load(const KernelSource& source) override {
    struct Loaded final : runtime::Kernel {
      int spilled = 0;
      runtime::KernelResources resources() const override { return {64, spilled, 0, 2}; }
    };
    ++loads;
    auto kernel = std::make_shared<Loaded>();
    kernel->spilled = spills_(source);
    return kernel;
  }
  runtime::MemoryInfo memory() const override { return {}; }
  runtime::BufferRef allocate(size_t bytes) override {
    return std::make_shared<runtime::Buffer>(shared_from_this(), nullptr, bytes);
  }
  void trim() override {}
  void upload(runtime::Buffer&, size_t, const void*, size_t) override {}
  void download(void*, const runtime::Buffer&, size_t, size_t) override {}
  void copy(runtime::Buffer&, size_t, const runtime::Buffer&, size_t, size_t) override {}
  bool host_visible() const override { return false; }
  std::string assembly(const KernelSource& source) override { return source.text; }
  void launch(const runtime::Kernel&, const Launch&, std::span<const uint64_t>) override {}
  void dot(const Dot&, void*, const void*, const void*) override {}
  bool supports_dot(DType) const override { return false; }
  void synchronize() override {}
  std::shared_ptr<void> allocate_host(size_t) override { return nullptr; }
  std::shared_ptr<runtime::Stream> make_stream() override { return nullptr; }
  std::shared_ptr<runtime::Stream> stream() override { return nullptr; }
  runtime::BufferRef adopt(void*, size_t, std::function<void()>, uint64_t) override { return nullptr; }

  std::atomic<int> loads{0};

 private:
  Spills spills_;
  runtime::DeviceInfo info_;
};

class Chosen : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (std::filesystem::temp_directory_path() / "weft-choice-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::shared_ptr<KernelCache> cache() { return std::make_shared<KernelCache>(folder_ + "/cache", 1 << 20); }
  runtime::CompileProgram compiling(const char* text) {
    return [graph = ir::parse(text)](const Choose& choose) {
      Options options;
      options.choose = choose;
      return compile(graph, h200(), options);
    };
  }
  std::unique_ptr<const runtime::Executable> load(const std::shared_ptr<SpillingDevice>& device,
                                                  Choices& choices, const char* text = kSoftmax) {
    return runtime::load_program(compiling(text), device, counters_, choices);
  }
  static const KernelStep& kernel(const runtime::Executable& e) {
    return std::get<KernelStep>(e.program().steps[0]);
  }

  runtime::Counters counters_;
  std::string folder_;
};

// Whether the kernel's registers have to suffice for several blocks, as the rules have it for this softmax.
bool bounded(const KernelSource& source) {
  const size_t at = source.text.find("__launch_bounds__(");
  return source.text.substr(at, source.text.find(')', at) - at).find(',') != std::string::npos;
}

TEST_F(Chosen, KernelsThatDoNotSpillStay) {
  Choices choices(cache(), "sm_90");
  auto device = std::make_shared<SpillingDevice>([](auto&) { return 0; });
  auto loaded = load(device, choices);
  EXPECT_EQ(device->loads, 1);
  EXPECT_EQ(kernel(*loaded).bias, Bias{});
  EXPECT_EQ(cache()->list().size(), 0u);
}

TEST_F(Chosen, AScheduleThatDoesNotSpillIsTakenAndKept) {
  auto spills = [](const KernelSource& s) { return bounded(s) ? 48 : 0; };
  {
    Choices choices(cache(), "sm_90");
    auto device = std::make_shared<SpillingDevice>(spills);
    auto loaded = load(device, choices);
    EXPECT_EQ(kernel(*loaded).bias, (Bias{.frugal = 1}));
    EXPECT_FALSE(bounded(loaded->program().kernels[0]));
    EXPECT_THAT(loaded->program().explanation, HasSubstr("spills 48 bytes a thread, this one 0"));
  }
  // Another process.
  Choices choices(cache(), "sm_90");
  auto device = std::make_shared<SpillingDevice>(spills);
  auto loaded = load(device, choices);
  EXPECT_EQ(device->loads, 1) << "the first schedule is not tried again";
  EXPECT_EQ(kernel(*loaded).bias, (Bias{.frugal = 1}));
  EXPECT_THAT(loaded->program().explanation, HasSubstr("spills 48 bytes a thread, this one 0"));
  // Another architecture knows nothing of it.
  Choices others(cache(), "sm_80");
  EXPECT_EQ(kernel(*load(std::make_shared<SpillingDevice>([](auto&) { return 0; }), others)).bias, Bias{});
}

TEST_F(Chosen, WhetherThereIsAnyIsKnownHereAndInOtherProcesses) {
  const Hash hash{.low = 1, .high = 2};
  Choices in_memory(nullptr, "znver4"), here(cache(), "znver4"), asked_before(cache(), "znver4");
  EXPECT_FALSE(in_memory.any());
  EXPECT_FALSE(here.any());
  EXPECT_FALSE(asked_before.any());
  EXPECT_FALSE(here.find(hash).has_value());
  EXPECT_FALSE(here.any()) << "that one was looked for is no choice";
  in_memory.keep(hash, {{.work = 1}, "tuned"});
  here.keep(hash, {{.work = 1}, "tuned"});
  EXPECT_TRUE(in_memory.any());
  EXPECT_TRUE(here.any());
  EXPECT_TRUE(Choices(cache(), "znver4").any());
  EXPECT_FALSE(Choices(cache(), "haswell").any());
  EXPECT_FALSE(asked_before.any()) << "the disk is asked once";
}

TEST_F(Chosen, TheScheduleThatSpillsLeastIsTaken) {
  Choices choices(nullptr, "sm_90");
  auto device =
      std::make_shared<SpillingDevice>([](const KernelSource& source) { return bounded(source) ? 100 : 40; });
  auto loaded = load(device, choices);
  EXPECT_EQ(kernel(*loaded).bias, (Bias{.frugal = 1})) << "the first of those that spill as little";
  EXPECT_THAT(loaded->program().explanation, HasSubstr("spills 100 bytes a thread, this one 40"));
}

TEST_F(Chosen, WhereNothingSpillsLessTheRulesScheduleStaysAndNobodyTriesAgain) {
  Choices choices(cache(), "sm_90");
  auto spills = [](const KernelSource&) { return 64; };
  auto loaded = load(std::make_shared<SpillingDevice>(spills), choices);
  EXPECT_EQ(kernel(*loaded).bias, Bias{});
  EXPECT_THAT(loaded->program().explanation,
              HasSubstr("it spills 64 bytes a thread, and more frugal ones no less"));
  Choices again(cache(), "sm_90");
  auto device = std::make_shared<SpillingDevice>(spills);
  load(device, again);
  EXPECT_EQ(device->loads, 1);
}

// ---- search

double vectors_in_flight(const runtime::Executable& e) {
  const KernelStep& k = std::get<KernelStep>(e.program().steps[0]);
  return 4096.0 * 256 / static_cast<double>(k.launch.tasks * k.launch.threads);
}

TEST_F(Chosen, TuningFollowsTheClockAndIsUsedAfterwards) {
  Choices choices(cache(), "sm_90");
  auto device = std::make_shared<SpillingDevice>([](auto&) { return 0; });
  // The more a thread takes the faster, down to a point.
  runtime::TuneClock clock{
      [](const runtime::Executable& e) { return 1 + std::abs(vectors_in_flight(e) - 4); },
      [] { return 0.0; }};
  auto tuned = runtime::tune(compiling(kAxpy), device, counters_, choices, clock, 10);
  ASSERT_EQ(tuned.size(), 1u);
  EXPECT_NE(tuned[0].kept, Bias{});
  EXPECT_EQ(tuned[0].tried[0].bias, Bias{});
  EXPECT_LT(1 + std::abs(vectors_in_flight(*load(device, choices, kAxpy)) - 4), tuned[0].tried[0].ms);
  Choices later(cache(), "sm_90");
  auto loaded = load(device, later, kAxpy);
  EXPECT_EQ(kernel(*loaded).bias, tuned[0].kept);
  EXPECT_THAT(loaded->program().explanation, HasSubstr("found by tuning: "));
  // Other extents are other kernels.
  std::string other = kAxpy;
  for (size_t at; (at = other.find("4096")) != std::string::npos;) other.replace(at, 4, "4097");
  EXPECT_EQ(kernel(*load(device, later, other.c_str())).bias, Bias{});
}

TEST_F(Chosen, TuningKeepsNothingThatIsHardlyFaster) {
  Choices choices(cache(), "sm_90");
  auto device = std::make_shared<SpillingDevice>([](auto&) { return 0; });
  double ms = 1;
  runtime::TuneClock clock{[&](const runtime::Executable&) { return ms *= 0.99; }, [] { return 0.0; }};
  auto tuned = runtime::tune(compiling(kAxpy), device, counters_, choices, clock, 10);
  EXPECT_GT(tuned[0].tried.size(), 1u);
  EXPECT_EQ(tuned[0].kept, Bias{});
  EXPECT_EQ(cache()->list().size(), 0u);
}

TEST_F(Chosen, TuningEndsInTime) {
  Choices choices(nullptr, "sm_90");
  auto device = std::make_shared<SpillingDevice>([](auto&) { return 0; });
  double now = 0;
  runtime::TuneClock clock{[&](const runtime::Executable&) { return now += 3, 1 / now; },
                           [&] { return now; }};
  auto tuned = runtime::tune(compiling(kSoftmax), device, counters_, choices, clock, 5);
  EXPECT_LE(tuned[0].tried.size(), 3u);
}

TEST_F(Chosen, AChoiceIsReadAsItWasWritten) {
  const Hash hash = hash_text("a kernel");
  const TunedBias written{{.frugal = 2, .width = -1, .work = 3}, "measured: 12 us"};
  Choices(cache(), "sm_90").keep(hash, written);
  const auto read = Choices(cache(), "sm_90").find(hash);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->bias, written.bias);
  EXPECT_EQ(read->reason, written.reason);
}

TEST_F(Chosen, ADamagedChoiceIsNone) {
  for (const char* text :
       {"frugal 99, width 0, work 0: no", "frugal 1, width 0", "frugal 1, width x, work 0: no", "none"}) {
    const Hash hash = hash_text(text);
    cache()->put("schedules for sm_90", "schedule", to_string(hash), text);
    EXPECT_FALSE(Choices(cache(), "sm_90").find(hash).has_value()) << text;
  }
}

}  // namespace
}  // namespace weft
