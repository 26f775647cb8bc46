// Kernels that are compiled behind programs: in which order, for whom, across forks and at the end of the process.
#include "runtime/compile_queue.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <latch>
#include <thread>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "runtime/background.h"
#include "runtime/cpu/clang_jit.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/executor.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/random_graph.h"

namespace weft::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NoKernel final : public Kernel {};

// A device that notes what it is to load in the background; everything else is a mistake.
class NotesLoads final : public Device {
 public:
  std::function<void(const std::string&)> on_load;
  std::mutex mutex;
  std::vector<std::string> names;

  KernelRef load_behind(const KernelSource& source) override {
    if (on_load) on_load(source.name);
    const std::lock_guard lock(mutex);
    names.push_back(source.name);
    return std::make_shared<NoKernel>();
  }
  KernelRef load(const KernelSource& source) override { return load_behind(source); }
  const DeviceInfo& info() const override { return info_; }
  MemoryInfo memory() const override { return {}; }
  BufferRef allocate(size_t) override { throw InternalError("allocate"); }
  void trim() override {}
  void upload(Buffer&, size_t, const void*, size_t) override { throw InternalError("upload"); }
  void download(void*, const Buffer&, size_t, size_t) override { throw InternalError("download"); }
  void copy(Buffer&, size_t, const Buffer&, size_t, size_t) override { throw InternalError("copy"); }
  std::shared_ptr<void> allocate_host(size_t) override { throw InternalError("allocate_host"); }
  std::shared_ptr<Stream> make_stream() override { throw InternalError("make_stream"); }
  std::shared_ptr<Stream> stream() override { throw InternalError("stream"); }
  BufferRef adopt(void*, size_t, std::function<void()>, uint64_t) override { throw InternalError("adopt"); }
  bool host_visible() const override { return true; }
  std::string assembly(const KernelSource&) override { throw InternalError("assembly"); }
  void launch(const Kernel&, const Launch&, std::span<const uint64_t>) override {
    throw InternalError("launch");
  }
  void dot(const Dot&, void*, const void*, const void*) override { throw InternalError("dot"); }
  bool supports_dot(DType) const override { return false; }
  void synchronize() override {}

 private:
  DeviceInfo info_;
};

KernelSource named(const std::string& name) { return {name, name, hash_text(name)}; }

std::shared_ptr<LateKernel> late_by(int64_t ns) {
  auto late = std::make_shared<LateKernel>();
  late->allow(1e18, 1 << 30);
  late->ran_without(ns);
  return late;
}

TEST(CompileQueue, BeginsWithTheKernelOnWhoseLackMostTimeWasSpent) {
  auto device = std::make_shared<NotesLoads>();
  std::latch begun(1), all_added(1);
  device->on_load = [&](const std::string& name) {
    if (name != "first") return;
    begun.count_down();
    all_added.wait();
  };
  std::vector<std::shared_ptr<LateKernel>> late{late_by(1), late_by(5), late_by(500), late_by(50)};
  {
    CompileQueue queue;
    queue.add(device, named("first"), late[0]);
    begun.wait();
    queue.add(device, named("least"), late[1]);
    queue.add(device, named("most"), late[2]);
    queue.add(device, named("middle"), late[3]);
    queue.add(device, named("nobody's"), late_by(1000));
    // The queue's end drops what waits, so let it come to an end by itself.
    all_added.count_down();
    while (!late[1]->get()) std::this_thread::yield();
  }
  EXPECT_THAT(device->names, ElementsAre("first", "most", "middle", "least"));
  for (auto& one : late) EXPECT_NE(one->get(), nullptr);
}

TEST(CompileQueue, AnErrorIsToldAndTheNextKernelIsCompiled) {
  auto device = std::make_shared<NotesLoads>();
  device->on_load = [](const std::string& name) {
    if (name == "bad") throw CompileError("cannot compile bad", {}, {});
  };
  std::promise<std::string> told;
  const auto bad = late_by(1), good = late_by(1);
  CompileQueue queue([&](const std::string& what) { told.set_value(what); });
  queue.add(device, named("bad"), bad);
  EXPECT_THAT(told.get_future().get(), HasSubstr("cannot compile bad"));
  queue.add(device, named("good"), good);
  while (!good->get()) std::this_thread::yield();
  EXPECT_EQ(bad->get(), nullptr);
}

TEST(CompileQueue, FinishCompilesAllThatIsNotThereAndThrowsWhatCannotBeCompiled) {
  auto device = std::make_shared<NotesLoads>();
  std::latch begun(1), go_on(1);
  device->on_load = [&](const std::string& name) {
    if (name == "under way" && Background::mine()) begun.count_down(), go_on.wait();
    if (name == "bad") throw CompileError("cannot compile bad", {}, {});
  };
  const auto under_way = late_by(1), bad = late_by(1), good = late_by(1);
  CompileQueue queue;
  queue.add(device, named("under way"), under_way);
  begun.wait();
  queue.add(device, named("bad"), bad);
  queue.add(device, named("good"), good);
  EXPECT_THROW(queue.finish(), CompileError);
  EXPECT_EQ(bad->get(), nullptr);
  EXPECT_NE(good->get(), nullptr);
  EXPECT_NE(under_way->get(), nullptr) << "it is not waited for, but compiled once more";
  go_on.count_down();
}

TEST(LateKernel, IsWantedOnceWhenTimeOrCallsAreUsedUp) {
  LateKernel by_time, by_calls;
  EXPECT_FALSE(by_time.overdue());
  by_time.allow(100, 1000);
  EXPECT_FALSE(by_time.ran_without(60));
  EXPECT_TRUE(by_time.ran_without(60));
  EXPECT_FALSE(by_time.ran_without(60)) << "it is on its way";
  EXPECT_FALSE(by_time.overdue());
  by_time.ran_without(1000);
  EXPECT_TRUE(by_time.overdue());
  by_time.fail();
  EXPECT_FALSE(by_time.overdue());
  by_calls.allow(1e9, 3);
  EXPECT_FALSE(by_calls.ran_without(1));
  EXPECT_FALSE(by_calls.ran_without(1));
  EXPECT_TRUE(by_calls.ran_without(1));
  by_calls.count_anew();
  EXPECT_FALSE(by_calls.ran_without(1));
}

TEST(CompileQueue, HasOneKernelForAllThatLackTheSame) {
  NotesLoads device, other;
  CompileQueue queue;
  const Hash sine = hash_text("sine");
  const std::shared_ptr<LateKernel> first = queue.late(device, sine, 100, 1000);
  EXPECT_EQ(queue.late(device, sine, 1, 1), first) << "and the first one's allowance stays";
  EXPECT_NE(queue.late(other, sine, 100, 1000), first);
  EXPECT_NE(queue.late(device, hash_text("cosine"), 100, 1000), first);
  EXPECT_FALSE(first->ran_without(60));
  EXPECT_TRUE(queue.late(device, sine, 100, 1000)->ran_without(60)) << "what each of them lacks adds up";
  for (int k = 0; k < 1000; ++k) queue.late(device, hash_text(std::to_string(k)), 100, 1000);
  EXPECT_EQ(queue.late(device, sine, 100, 1000), first) << "somebody waits for it";
}

// A program with one kernel for each of these numbers, which takes some time to be compiled.
Program program(test::Backend& cpu, int number, bool late = false) {
  std::string text = "graph {\n  %x = input \"x\" : f32[1000]\n  %0 = sin %x : f32[1000]\n";
  for (int k = 1; k < 12; ++k)
    text += "  %" + std::to_string(k) + " = " + (number >> (k % 10) & 1 ? "cos" : "exp") + " %" +
            std::to_string(k - 1) + " : f32[1000]\n";
  Options options;
  options.blocks = late ? Blocks::BesideLate : Blocks::Beside;
  return compile(ir::parse(text + "  return %11\n}\n"), cpu.target, options);
}

std::vector<std::byte> run(test::Backend& cpu, const Executable& executable) {
  std::vector<float> x(1000);
  for (size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k) * 0.001f;
  BufferRef input = cpu.device->allocate(x.size() * 4);
  cpu.device->upload(*input, 0, x.data(), x.size() * 4);
  const std::vector<BufferRef> out = executable.run({&input, 1}, {});
  std::vector<std::byte> bytes(x.size() * 4);
  cpu.device->download(bytes.data(), *out[0], 0, bytes.size());
  return bytes;
}

class Tiers : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Texts, Tiers, testing::Bool(),
                         [](auto& late) { return late.param ? "late" : "at_once"; });

TEST_P(Tiers, AProgramRunsInBlocksUntilItsKernelIsThereWithTheSameBits) {
  test::Backend& cpu = test::backend("cpu");
  CompileQueue queue;
  const Executable executable(program(cpu, GetParam() ? 2 : 1, GetParam()), cpu.device, *cpu.counters,
                              &queue);
  EXPECT_EQ(executable.program().kernels[0].text.empty(), GetParam());
  EXPECT_EQ(executable.kernel(0), nullptr);
  const int64_t before = cpu.counters->blocks_launched;
  const std::vector<std::byte> in_blocks = run(cpu, executable);
  EXPECT_EQ(cpu.counters->blocks_launched, before + 1);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(run(cpu, executable), in_blocks);
  queue.finish();
  ASSERT_NE(executable.kernel(0), nullptr);
  const int64_t then = cpu.counters->blocks_launched, launched = cpu.counters->kernels_launched;
  EXPECT_EQ(run(cpu, executable), in_blocks);
  EXPECT_EQ(cpu.counters->blocks_launched, then);
  EXPECT_EQ(cpu.counters->kernels_launched, launched + 1);
}

// A loop whose arrays shrink makes a program each turn.
TEST(LateKernel, ThatCameForOneProgramServesThoseOfOtherShapes) {
  test::Backend& cpu = test::backend("cpu");
  CompileQueue queue;
  Options options;
  options.blocks = Blocks::Beside;
  const auto loaded = [&](int length) {
    const std::string type = " : f32[" + std::to_string(length) + "]\n";
    const std::string text =
        "graph {\n  %x = input" + type + "  %0 = sin %x" + type + "  %1 = exp %0" + type + "  return %1\n}\n";
    return std::make_unique<const Executable>(compile(ir::parse(text), cpu.target, options), cpu.device,
                                              *cpu.counters, &queue);
  };
  const auto a = loaded(1003), b = loaded(1203);
  ASSERT_EQ(a->program().kernels[0].hash, b->program().kernels[0].hash);
  EXPECT_EQ(a->ways()[0], Way::BlocksForNow);
  a->finish_kernels();
  EXPECT_EQ(b->ways()[0], Way::Kernel);
}

TEST_P(Tiers, ThreadsRunAProgramWhileItsKernelComes) {
  test::Backend& cpu = test::backend("cpu");
  CompileQueue queue;
  const int first = GetParam() ? 20 : 24;
  for (int number = first; number < first + 4; ++number) {
    const Executable executable(program(cpu, number, GetParam()), cpu.device, *cpu.counters, &queue);
    const std::vector<std::byte> expected = run(cpu, executable);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) EXPECT_EQ(run(cpu, executable), expected);
        queue.finish();
        EXPECT_EQ(run(cpu, executable), expected);
      });
    threads.clear();
    EXPECT_NE(executable.kernel(0), nullptr);
  }
}

TEST_P(Tiers, AKernelThatCannotBeCompiledIsToldAndItsProgramGoesOn) {
  test::Backend& cpu = test::backend("cpu");
  std::promise<std::string> told;
  CompileQueue queue([&](const std::string& what) { told.set_value(what); });
  Program bad = program(cpu, 30, GetParam());
  const auto spoil = [](KernelSource& source) {
    source.text += "\nthis is no C++";
    source.hash = hash_text(source.text);
  };
  if (GetParam()) {
    bad.late[0] = [make = bad.late[0], spoil] {
      LateSource made = make();
      spoil(made.source);
      return made;
    };
  } else {
    spoil(bad.kernels[0]);
  }
  const Executable executable(std::move(bad), cpu.device, *cpu.counters, &queue);
  const std::vector<std::byte> expected = run(cpu, executable);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(run(cpu, executable), expected);
  EXPECT_THAT(told.get_future().get(), HasSubstr("cannot compile"));
  EXPECT_EQ(run(cpu, executable), expected);
  EXPECT_THROW(executable.finish_kernels(), CompileError);
}

TEST_P(Tiers, AForkWhileAKernelIsCompiledLeavesBothProcessesAWorkingQueue) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer lets no thread begin in the child of a process with threads";
#endif
  test::Backend& cpu = test::backend("cpu");
  CompileQueue queue;
  const int first = GetParam() ? 40 : 50;
  for (int number = first; number < first + 6; ++number) {
    const Executable executable(program(cpu, number, GetParam()), cpu.device, *cpu.counters, &queue);
    std::vector<std::byte> expected;
    for (int k = 0; k < 8; ++k) expected = run(cpu, executable);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const Executable own(program(cpu, number + 100, GetParam()), cpu.device, *cpu.counters, &queue);
      const std::vector<std::byte> before = run(cpu, own);
      bool same = true;
      for (int k = 0; k < 20; ++k) same = same && run(cpu, executable) == expected && run(cpu, own) == before;
      queue.finish();
      const bool there = executable.kernel(0) && own.kernel(0);
      same = same && run(cpu, executable) == expected && run(cpu, own) == before;
      ::_exit(!same ? 1 : !there ? 2 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << number << ": " << status;
    queue.finish();
    EXPECT_NE(executable.kernel(0), nullptr);
    EXPECT_EQ(run(cpu, executable), expected);
  }
}

TEST(LateTexts, AreThoseThatAreMadeAtOnceForWhatTheyAreStartedWith) {
  test::Backend& cpu = test::backend("cpu");
  const char* const graphs[] = {
      "%x = input \"x\" : f32[1000]\n %0 = exp %x : f32[1000]\n return %0\n",
      "%x = input \"x\" : f64[40, 30]\n %0 = multiply %x, %x : f64[40, 30]\n %1 = sum %0, axes=[1] : "
      "f64[40]\n return %1\n",
      "%x = input \"x\" : f32[40, 30]\n %0 = max %x, axes=[0] : f32[30]\n %1 = negative %0 : f32[30]\n "
      "return %1, %0\n",
      "%x = input \"x\" : f64[500]\n %s = scalar \"s\" : f64[500]\n %0 = add %x, %s : f64[500]\n return %0\n",
      "%x = input \"x\" : f32[50, 4]\n %i = input \"i\" : i64[9, 1]\n %0 = gather %x, %i, axis=0 : f32[9, "
      "4]\n "
      "return %0\n",
      "%x = input \"x\" : f64[300]\n %0 = slice %x, starts=[3], steps=[2] : f64[100]\n %1 = sqrt %0 : "
      "f64[100]\n return %1\n",
  };
  for (const char* text : graphs) {
    const ir::Graph graph = ir::parse(std::string("graph {\n ") + text + "}\n");
    Options options;
    options.blocks = Blocks::Beside;
    const Program at_once = compile(graph, cpu.target, options);
    options.blocks = Blocks::BesideLate;
    const Program late = compile(graph, cpu.target, options);
    ASSERT_EQ(late.late.size(), 1U) << text;
    ASSERT_EQ(late.steps.size(), at_once.steps.size());
    const LateSource made = late.late[0]();
    const auto& step = std::get<KernelStep>(at_once.steps[0]);
    EXPECT_TRUE(late.kernels[0].text.empty());
    EXPECT_EQ(made.source.text, at_once.kernels[0].text);
    EXPECT_EQ(made.source.name, at_once.kernels[0].name);
    EXPECT_EQ(made.params, step.params);
    EXPECT_EQ(made.launch.tasks, step.launch.tasks);
    EXPECT_EQ(made.launch.grain, step.launch.grain);
    EXPECT_EQ(made.launch.scratch_bytes, step.launch.scratch_bytes);
    EXPECT_EQ(std::get<KernelStep>(late.steps[0]).buffers, step.buffers);
    EXPECT_EQ(std::get<KernelStep>(late.steps[0]).scalars, step.scalars);
  }
}

TEST(LateTexts, OfRandomGraphsAreThoseThatAreMadeAtOnce) {
  test::Backend& cpu = test::backend("cpu");
  int late_ones = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const ir::Graph graph = test::random_graph(seed);
    Options options;
    options.blocks = Blocks::Beside;
    const Program at_once = compile(graph, cpu.target, options);
    options.blocks = Blocks::BesideLate;
    const Program late = compile(graph, cpu.target, options);
    ASSERT_EQ(late.steps.size(), at_once.steps.size());
    for (size_t s = 0; s < late.steps.size(); ++s) {
      const auto* step = std::get_if<KernelStep>(&late.steps[s]);
      if (!step || step->kernel < 0) continue;
      const auto kernel = static_cast<size_t>(step->kernel);
      const auto& other = std::get<KernelStep>(at_once.steps[s]);
      const KernelSource& source = at_once.kernels[static_cast<size_t>(other.kernel)];
      if (kernel >= late.late.size() || !late.late[kernel]) {
        EXPECT_EQ(late.kernels[kernel].text, source.text) << seed;
        continue;
      }
      ++late_ones;
      const LateSource made = late.late[kernel]();
      EXPECT_EQ(made.source.text, source.text) << seed;
      EXPECT_EQ(made.params, other.params) << seed;
      EXPECT_EQ(made.launch.tasks, other.launch.tasks) << seed;
      EXPECT_EQ(step->buffers, other.buffers) << seed;
    }
  }
  EXPECT_GT(late_ones, 300);
}

// Ends the process in the middle of compiling; what runs last tells whether that waited for all kernels.
[[noreturn]] void end_while_compiling() {
  static test::Backend* cpu = nullptr;
  static constexpr int kPrograms = 64;
  std::atexit([] { ::_exit(cpu->counters->compiles_behind < kPrograms ? 0 : 1); });
  cpu = &test::backend("cpu");
  static auto* const queue = new CompileQueue;
  for (int number = 0; number < kPrograms; ++number) {
    const auto* const executable = new Executable(program(*cpu, number), cpu->device, *cpu->counters, queue);
    for (int k = 0; k < 8; ++k) run(*cpu, *executable);
  }
  stop_compiling_elsewhere();
  std::exit(2);
}

TEST(TiersDeathTest, TheEndOfTheProcessDoesNotWaitForKernels) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_while_compiling(), testing::ExitedWithCode(0), "");
}

// A library that is opened in the background registers destructors of what it has not made yet.
void end_the_process_while_work_is_under_way() {
  static std::atomic<bool> under_way{false};
  std::latch begun(1);
  Background::end_with_main_thread();
  std::thread([&begun] {
    const Background::Scope scope;
    under_way = true;
    begun.count_down();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    under_way = false;
  }).detach();
  begun.wait();
  std::atexit([] {
    if (under_way) ::_exit(9);
  });
  std::exit(3);
}

TEST(BackgroundDeathTest, StopsBeforeWhatIsDoneAtExit) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(end_the_process_while_work_is_under_way(), testing::ExitedWithCode(3), "");
}

TEST(Background, CheckpointsDoNotChangeTheObject) {
  test::Backend& cpu = test::backend("cpu");
  const Program p = program(cpu, 7);
  const ClangJit jit;
  const std::string object = jit.compile(p.kernels[0].text, p.kernels[0].name);
  const Background::Scope scope;
  ASSERT_TRUE(scope);
  EXPECT_TRUE(Background::mine());
  EXPECT_EQ(jit.compile(p.kernels[0].text, p.kernels[0].name), object);
}

}  // namespace
}  // namespace weft::runtime
