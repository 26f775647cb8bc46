// `weft run`: files in, files out, checked against the declaration, measured and verified on request; and
// what it says of everything that can be wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "frontend/files/npy.h"
#include "frontend/files/png.h"
#include "tests/support/cli_process.h"
#include "tests/support/golden.h"

namespace weft::test {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kScaled = R"(graph {
  %x = input : f32[2, 3]
  %alpha = scalar : f32[2, 3]
  %scaled = multiply %x, %alpha
  %y = add %scaled, 0.25
  %total = sum %y
  return %y, %total
}
)";

void write_f32(const std::string& path, const Shape& shape, const std::vector<float>& values) {
  io::HostArray array{DType::F32, shape, std::vector<std::byte>(values.size() * 4)};
  std::memcpy(array.data.data(), values.data(), array.data.size());
  io::write_npy(path, array);
}

template <class T>
std::vector<T> values_of(const io::HostArray& array) {
  std::vector<T> out(array.data.size() / sizeof(T));
  std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}

class CliRun : public testing::Test {
 protected:
  CliRun() {
    write_text(folder / "scaled.weft", kScaled);
    write_f32(folder / "x.npy", {2, 3}, {0, 1, 2, 3, 4, 5});
  }
  Ran run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), "run");
    return run_weft(arguments, input);
  }
  // The graph with good inputs, and more arguments.
  Ran run_scaled(std::vector<std::string> more) {
    more.insert(more.begin(),
                {folder / "scaled.weft", "--in", "x=" + (folder / "x.npy"), "--in", "alpha=0.5"});
    return run(more);
  }
  Folder folder;
};

void expect_error(const Ran& ran, int code, const std::string& message) {
  EXPECT_EQ(ran.code, code);
  EXPECT_THAT(ran.err, StartsWith("weft: error: "));
  EXPECT_THAT(ran.err, HasSubstr(message));
  EXPECT_EQ(ran.out, "");
}

TEST_F(CliRun, WritesOutputsByNameAndByNumber) {
  Ran ran = run_scaled({"--out", "y=" + (folder / "y.npy"), "--out", "1=" + (folder / "total.npy")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  io::HostArray y = io::read_npy(folder / "y.npy"), total = io::read_npy(folder / "total.npy");
  EXPECT_EQ(y.shape, (Shape{2, 3}));
  EXPECT_THAT(values_of<float>(y), ElementsAre(0.25f, 0.75f, 1.25f, 1.75f, 2.25f, 2.75f));
  EXPECT_EQ(total.shape, Shape{});
  EXPECT_THAT(values_of<float>(total), ElementsAre(9.0f));
}

TEST_F(CliRun, TakesANumberForAPositionWhereOutputsHaveNumbersForNames) {
  const std::string text = R"(graph {
  %a = input "a" : f32[2, 3]
  %0 = multiply %a, 2.0
  %1 = add %a, 1.0
  return %1, %0
})";
  Ran ran = run({"-", "--in", "a=" + (folder / "x.npy"), "--out", "0=" + (folder / "first.npy")}, text);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(values_of<float>(io::read_npy(folder / "first.npy")),
              ElementsAre(1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f));
}

TEST_F(CliRun, ShowsTheFirstValuesWithoutAnOutputFile) {
  Ran ran = run_scaled({});
  EXPECT_EQ(ran.out, "y : f32[2, 3] = 0.25, 0.75, 1.25, 1.75, 2.25, 2.75\ntotal : f32[] = 9.0\n");
}

TEST_F(CliRun, ReadsTheGraphFromTheStandardInput) {
  Ran ran = run({"-", "--in", "x=" + (folder / "x.npy"), "--in", "alpha=2"}, kScaled);
  EXPECT_THAT(ran.out, HasSubstr("total : f32[] = 31.5"));
}

TEST_F(CliRun, PassesArraysThroughTheStandardStreams) {
  Ran first = run_scaled({"--out", "y=-"});
  Ran second = run({folder / "scaled.weft", "--in", "x=-", "--in", "alpha=1"}, first.out);
  EXPECT_THAT(second.out, StartsWith("y : f32[2, 3] = 0.5, 1.0, 1.5, 2.0, 2.5, 3.0\n")) << second.err;
}

TEST_F(CliRun, LaysOutInputsAsTheGraphDeclares) {
  const std::string text = R"(graph {
  %a = input "a", strides=[-1, 4], offset=5 : f32[2, 3]
  %b = multiply %a, 2.0
  return %b
})";
  Ran ran = run({"-", "--in", "a=" + (folder / "x.npy"), "--verify"}, text);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("b : f32[2, 3] = 0.0, 2.0, 4.0, 6.0, 8.0, 10.0\n"));
}

TEST_F(CliRun, RoundingAloneIsNoDisagreement) {
  Ran ran = run({"-", "--random", "1", "--verify"}, R"(graph {
  %a = input : f32[1000]
  %s = sum %a, axes=[0]
  %m = divide %s, 1000.0
  %c = subtract %a, %m
  %y = sum %c, axes=[0]
  return %y
})");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("agrees with the reference interpreter: the largest difference"));
}

TEST_F(CliRun, SaysWhenNothingWasCompared) {
  const std::string text = R"(graph {
  %a = input : f32[300, 2]
  %n = divide 0.0, 0.0
  %y = add %a, %n
  %i = iota axis=1 : f32[300, 2]
  %h = divide %i, %i
  return %y, %h
})";
  Ran ran = run({"-", "--random", "1", "--verify"}, text);
  EXPECT_EQ(ran.code, 4) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("weft: nothing compared: run: every element of an output is NaN"));
  EXPECT_THAT(ran.out, HasSubstr("every element is NaN, so that nothing was compared"));
  EXPECT_THAT(ran.out, HasSubstr("every element is equal, 300 of 600 are NaN"));
}

TEST_F(CliRun, RandomInputsDependOnTheSeedAlone) {
  std::vector<std::string> seeded = {folder / "scaled.weft", "--random", "1"};
  Ran a = run(seeded), b = run(seeded), c = run({folder / "scaled.weft", "--random", "2"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.out, b.out);
  EXPECT_NE(a.out, c.out);
}

TEST_F(CliRun, SaysHowMuchMemoryIsTooMuch) {
  // 2^48 bytes, which no process has addresses for, whatever the system grants.
  Ran input = run({"-", "--random", "1"}, "graph {\n  %a = input : f32[70368744177664]\n  return %a\n}\n");
  EXPECT_EQ(input.code, 1);
  EXPECT_EQ(
      input.err,
      "weft: error: input 'a' : f32[70368744177664]: 281474976710656 bytes are more memory than the system "
      "grants\n");
  Ran strided = run({"-", "--random", "1"},
                    "graph {\n  %a = input \"a\", strides=[35184372088832] : f32[2]\n  return %a\n}\n");
  EXPECT_THAT(strided.err, HasSubstr("input 'a', laid out by its strides: 140737488355332 bytes are more"));
  Ran constant = run({"-"}, "graph {\n  %a = constant 1.5 : f32[70368744177664]\n  return %a\n}\n");
  EXPECT_EQ(constant.code, 1);
  EXPECT_THAT(constant.err, HasSubstr("allocate: 281474976710656 bytes are more than a process can address"));
}

TEST_F(CliRun, VerifiesEveryExample) {
  for (const char* name : {"axpy", "softmax", "layernorm", "variance", "svd", "photo"}) {
    Ran ran = run({"docs/examples/" + std::string(name) + ".weft", "--random", "1", "--verify"});
    EXPECT_EQ(ran.code, 0) << name << ": " << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("agrees with the reference interpreter"));
    EXPECT_THAT(ran.out, Not(HasSubstr("DISAGREES")));
  }
}

TEST_F(CliRun, TurnsAPhotographIntoAPicture) {
  std::string out = folder / "out.png";
  Ran ran = run({"docs/examples/photo.weft", "--in", "photo=docs/examples/data/astronaut.png", "--out",
                 "picture=" + out, "--verify"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  io::HostArray before = io::read_png("docs/examples/data/astronaut.png"), after = io::read_png(out);
  ASSERT_EQ(after.dtype, DType::U8);
  ASSERT_EQ(after.shape, (Shape{512, 512, 3}));
  auto mean = [](const io::HostArray& a) {
    double sum = 0;
    for (std::byte b : a.data) sum += std::to_integer<int>(b);
    return sum / static_cast<double>(a.data.size());
  };
  // Tone mapping brightens; white stays white and black stays black.
  EXPECT_GT(mean(after), mean(before) + 5);
  EXPECT_LT(mean(after), mean(before) + 60);
}

TEST_F(CliRun, TimesKernelsBesideTheSameWorkOpByOp) {
  Ran ran = run({"docs/examples/softmax.weft", "--random", "1", "--each-op", "--time=1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("fused +1 kernel, [0-9.]+ ms, 33.554 MB moved"));
  EXPECT_THAT(ran.out, ContainsRegex("op by op +5 kernels, [0-9.]+ ms, 134.2[0-9]+ MB moved"));
  EXPECT_THAT(ran.out, HasSubstr("4.00 times less memory traffic"));
}

TEST_F(CliRun, ProfilesTheFirstRunInATableAndATrace) {
  const std::string trace = folder / "trace.json";
  Ran ran = run({"docs/examples/softmax.weft", "--random", "1", "--profile", "--trace", trace});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              ContainsRegex("profile of [0-9.]+ ms: [0-9.]+ % ran operations, [0-9.]+ % first calls"));
  EXPECT_THAT(ran.out,
              ContainsRegex(" 1 .*(kernel|blocks) +max, sum, subtract, exp, divide at softmax.weft:[0-9]"));
  EXPECT_THAT(ran.out, ContainsRegex(" plan +5 operations into 1 step at "));
  const auto written = nlohmann::json::parse(read_text(trace));
  size_t kernels = 0;
  for (const auto& event : written["traceEvents"])
    kernels += event.value("cat", "") == "kernel" || event.value("cat", "") == "blocks";
  EXPECT_EQ(kernels, 1u);
}

TEST_F(CliRun, ATraceThatCannotBeWrittenIsAnErrorAndLeavesNothing) {
  const std::string inner = folder / "traces";
  std::filesystem::create_directory(inner);
  Ran ran = run_scaled({"--trace", inner});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr(inner));
  EXPECT_TRUE(std::filesystem::is_empty(inner));
  expect_error(run_scaled({"--profile", "--out", "y=-"}), 1,
               "leaves no room on the standard output for --time");
}

TEST_F(CliRun, ChecksBothWaysBesideTheInterpreter) {
  const std::vector<std::string> what = {"check", folder / "scaled.weft", "--random", "1"};
  Ran ran = run_weft(what);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("agrees: 3 ops, 2 outputs, beside the reference interpreter\n"));
  EXPECT_THAT(ran.out, ContainsRegex("y : f32\\(2, 3\\)\n  fused: agrees.*\n  op by op: agrees"));
  std::vector<std::string> json = what;
  json.emplace_back("--json");
  const auto written = nlohmann::json::parse(run_weft(json).out);
  EXPECT_EQ(written["schema"], "weft.verify");
  EXPECT_TRUE(written["agrees"]);
  EXPECT_EQ(written["outputs"][1]["name"], "total");
  expect_error(run_weft({"check", folder / "scaled.weft"}), 1, "'x'");
}

// A function that keeps its reference, and one that does not: for both commands, and in data.
TEST_F(CliRun, HoldsFunctionsToTheirReferences) {
  const auto file = [&](const std::string& added, const std::string& ulps) {
    const std::string path = folder / "held.weft";
    write_text(path, "map exact(T v) -> (T w) { w = v * v * v; }\nmap cube(T x) -> (T r) { r = x * x * x" +
                         added + "; } reference exact ulps " + ulps +
                         "\ngraph {\n  %x = input : f32[2, 3]\n  %y = apply %x, function=cube : f32[2, 3]\n"
                         "  %z = negative %y\n  return %z\n}\n");
    return path;
  };
  const std::string in = "x=" + (folder / "x.npy");
  const auto both = [&](const std::string& path, bool json) {
    std::vector<std::string> check = {"check", path, "--in", in}, run = {"run", path, "--in", in, "--verify"};
    if (json) check.emplace_back("--json"), run.emplace_back("--json");
    return std::pair(run_weft(check), run_weft(run));
  };
  const std::string right = file("", "1"),
                    said = "cube at held.weft:5 beside its reference: agrees, 0 of 1 ulps in 6 elements\n";
  auto [check, ran] = both(right, false);
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(check.out, EndsWith(said));
  EXPECT_THAT(ran.out, HasSubstr(said));
  const std::string wrong = file(" + (x > 1)", "2.5");
  std::tie(check, ran) = both(wrong, false);
  EXPECT_EQ(check.code, 3);
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(check.err, HasSubstr("check: a function is further from its reference than its ulps allow"));
  EXPECT_THAT(ran.err, HasSubstr("run: a function is further from its reference than its ulps allow"));
  EXPECT_THAT(ran.out, HasSubstr("cube at held.weft:5 beside its reference: DISAGREES, "));
  std::tie(check, ran) = both(wrong, true);
  const auto functions = nlohmann::json::parse(check.out)["functions"];
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0]["bound"], 2.5);
  EXPECT_FALSE(functions[0]["agrees"]);
  EXPECT_FALSE(nlohmann::json::parse(ran.out)["functions"][0]["agrees"]);
}

TEST(CliTune, SaysWhatItTriedAndWhereItIsKept) {
  WEFT_NEEDS_A_COMPILER();
  Folder folder;
  const std::string cache = folder / "cache";
  Ran ran = run_weft({"tune", "docs/examples/softmax.weft", "--seconds", "0", "--cache-dir", cache});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("kernel 0: "));
  EXPECT_THAT(ran.out, ContainsRegex("the rules' own +[0-9.]+ ms  kept"));
  EXPECT_THAT(ran.out, HasSubstr("changed the schedules of 0 of 1 kernels"));
  EXPECT_THAT(ran.out, HasSubstr("kept in " + cache));
}

TEST(CliWarm, CompilesForProcessesThatStartLater) {
  WEFT_NEEDS_A_COMPILER();
  const Folder folder;
  const std::string cache = folder / "cache", softmax = "docs/examples/softmax.weft";
  const Ran first = run_weft({"warm", softmax, softmax, "docs/examples/axpy.weft", "--cache-dir", cache});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out,
              ContainsRegex("softmax.weft +1 compiled, 0 known.*\n.*softmax.weft +0 compiled, 1 known"));
  EXPECT_THAT(first.out, HasSubstr("2 kernels compiled and 1 known, kept in " + cache));
  EXPECT_THAT(run_weft({"warm", softmax, "--cache-dir", cache}).out,
              HasSubstr("0 kernels compiled and 1 known"));
  EXPECT_THAT(run_weft({"run", softmax, "--random", "1", "--time=1", "--cache-dir", cache}).out,
              HasSubstr("0 compiled in 0.00 ms, 1 from disk"));
  const Ran without = run_weft({"warm", softmax});
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.err, HasSubstr("warm: kernels are kept in the cache, which is switched off"));
}

TEST(CliTune, NeedsACache) {
  Ran ran = run_weft({"tune", "docs/examples/softmax.weft"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("tune: what it finds is kept in the cache, which is switched off"));
}

TEST_F(CliRun, TimesTwentyRunsUnlessTold) {
  Ran ran = run({"docs/examples/variance.weft", "--random", "1", "--time"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("medians of 20 runs"));
}

TEST_F(CliRun, AnotherConstantCompilesNothing) {
  WEFT_NEEDS_A_COMPILER();
  auto text = [](const char* number) {
    return std::string("graph {\n  %a = input : f32[100]\n  %b = multiply %a, ") + number +
           "\n  return %b\n}\n";
  };
  std::vector<std::string> timed = {"-", "--random", "1", "--time=1", "--cache-dir", folder / "cache"};
  EXPECT_THAT(run(timed, text("0.3")).out, HasSubstr("1 compiled in"));
  EXPECT_THAT(run(timed, text("0.7")).out, HasSubstr("0 compiled in 0.00 ms, 1 from disk"));
}

// What a file of definitions holds is known by its name in the graph of another.
TEST_F(CliRun, TakesKernelsAndMapsFromAFileOfTheirOwn) {
  write_text(folder / "ops.weft", R"(# of users
map shrink(T x, T t) -> (T r) { r = x > t ? x - t : 0; }
kernel twice(f32[2, 3] x) -> (f32[2, 3] r), range=6 {
void twice(long begin, long end, const float* x, float* r) {
  for (long i = begin; i < end; ++i) r[i] = 2 * x[i];
  return;
}
}
)");
  write_text(folder / "used.weft", R"(graph {
  %x = input : f32[2, 3]
  %t = constant 1.0 : f32[2, 3]
  %s = apply %x, %t, function=shrink : f32[2, 3]
  %r = kernel %s, function=twice : f32[2, 3]
  return %r
}
)");
  const std::vector<std::string> with = {"--with", folder / "ops.weft"};
  std::vector<std::string> arguments = {
      folder / "used.weft", "--in", "x=" + (folder / "x.npy"), "--out", "r=" + (folder / "r.npy"),
      "--cache-dir",        ""};
  expect_error(run(arguments), 1, "used.weft:4:31: 'shrink' is no function above");
  arguments.insert(arguments.end(), with.begin(), with.end());
  const Ran ran = run(arguments);
#if WEFT_TEST_COMPILES
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(values_of<float>(io::read_npy(folder / "r.npy")), ElementsAre(0, 0, 2, 4, 6, 8));
#else
  expect_error(ran, 1, "twice: a kernel has to be compiled");
#endif
  const Ran shown = run_weft({"show", folder / "used.weft", "--with", folder / "ops.weft"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("kernel twice(f32[2, 3] x) -> (f32[2, 3] r), range=6, grain=1 {"));
  write_text(folder / "whole.weft", shown.out);
  EXPECT_EQ(run_weft({"show", folder / "whole.weft"}).out, shown.out);
  expect_error(run({folder / "used.weft", "--with", folder / "used.weft"}), 1,
               "used.weft:1:1: expected 'map', 'function' or 'kernel', got 'graph'");
}

TEST_F(CliRun, SaysWhatIsWrongWithAGraphFile) {
  expect_error(run({folder / "none.weft"}), 1, "none.weft: cannot be read: No such file");
  expect_error(run({folder.path()}), 1, "is a folder");
  expect_error(run({"/dev/zero"}), 1, "/dev/zero: is no graph: it has more than 67108864 bytes");
  write_text(folder / "bad.weft",
             "graph {\n  %a = input : f32[3]\n  %b = reshape %a : f32[4]\n  return %b\n}\n");
  expect_error(
      run({folder / "bad.weft"}), 1,
      "bad.weft:3:8: reshape: cannot view 3 elements as (4,)\n    %b = reshape %a : f32[4]\n         ^");
}

TEST_F(CliRun, SaysWhatIsWrongWithAnInput) {
  std::string graph = folder / "scaled.weft";
  expect_error(run({graph}), 1, "input 'x' : f32[2, 3] is not given");
  expect_error(run({graph, "--in", "z=3"}), 1, "the graph has no input 'z'; it has x, alpha");
  expect_error(run({graph, "--in", "x"}), 2, "--in: takes NAME=FILE, got 'x'");
  expect_error(run_scaled({"--in", "alpha=1"}), 1, "input 'alpha' is given twice");
  write_f32(folder / "wide.npy", {3, 2}, {0, 1, 2, 3, 4, 5});
  expect_error(run({graph, "--in", "x=" + (folder / "wide.npy")}), 1, "the graph declares f32[2, 3], but");
  io::write_npy(folder / "f64.npy", {DType::F64, {2, 3}, std::vector<std::byte>(48)});
  expect_error(run({graph, "--in", "x=" + (folder / "f64.npy")}), 1, "holds f64[2, 3]");
  write_text(folder / "damaged.npy", read_text(folder / "x.npy").substr(0, 140));
  expect_error(run({graph, "--in", "x=" + (folder / "damaged.npy")}), 1, "damaged.npy");
  write_text(folder / "not.png", "no picture");
  expect_error(run({graph, "--in", "x=" + (folder / "not.png")}), 1, "not.png");
  expect_error(run({graph, "--random", "1", "--in", "alpha=1e99"}), 1, "1e99");
}

TEST_F(CliRun, SaysWhatIsWrongWithAnOutput) {
  expect_error(run_scaled({"--out", "q=" + (folder / "q.npy")}), 1,
               "the graph has no output 'q'; it returns y, total");
  expect_error(run_scaled({"--out", "2=" + (folder / "q.npy")}), 1, "no output '2'");
  expect_error(run_scaled({"--out", "0=/nonexistent/y.npy"}), 1, "/nonexistent/y.npy");
  expect_error(run_scaled({"--out", "1=" + (folder / "total.png")}), 1, "total.png");
  expect_error(run_scaled({"--out", "0=-", "--verify"}), 1, "no room on the standard output");
}

TEST_F(CliRun, WritesNoFilesOfOtherKinds) {
  const std::string file = folder / "y.jpg";
  expect_error(run_scaled({"--out", "y=" + file}), 1, "--out: writes .npy or .png files: got '" + file + "'");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(run_scaled({"--out", "y=" + (folder / "y.NPY"), "--out", "total=" + (folder / "total")}).code, 0);
}

TEST_F(CliRun, AFileAloneTakesTheOnlyOutput) {
  const std::string graph = "graph {\n  %a = input : f32[2, 3]\n  %b = negative %a\n  return %b\n}\n";
  const std::string alone = folder / "alone.npy", named = folder / "named.npy";
  Ran ran = run({"-", "--in", "a=" + (folder / "x.npy"), "--out", alone, "--out", "b=" + named}, graph);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(read_text(alone).empty());
  EXPECT_EQ(read_text(alone), read_text(named));
  expect_error(run_scaled({"--out", alone}), 1, "NAME=FILE");
  expect_error(run_scaled({"--out", alone}), 1, "it returns y, total");
}

TEST_F(CliRun, AFileTakesOneOutput) {
  const std::string file = folder / "both.npy";
  expect_error(run_scaled({"--out", "y=" + file, "--out", "total=" + file}), 1,
               "a file takes one output: got 'y' and 'total'");
}

TEST_F(CliRun, AFailedWriteLeavesTheOldFileAndNothingBeside) {
  const std::string inner = folder / "results";
  std::filesystem::create_directory(inner);
  const std::string file = inner + "/total.png";
  write_text(file, "old");
  expect_error(run_scaled({"--out", "total=" + file}), 1, "total.png");
  EXPECT_EQ(read_text(file), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(inner), {}), 1);
  Ran ran = run_scaled({"--out", "y=/dev/full"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(CliRun, WhatIsWrittenThroughALinkGoesWhereItLeads) {
  const std::string file = folder / "y.npy", link = folder / "link.npy";
  std::filesystem::create_symlink(file, link);
  EXPECT_EQ(run_scaled({"--out", "y=" + link}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_FALSE(read_text(file).empty());
}

TEST_F(CliRun, TimeNeverTakesTheFileForItsNumber) {
  Ran ran = run({"--time", "docs/examples/variance.weft", "--random", "1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("medians of 20 runs"));
}

TEST_F(CliRun, SaysThatTheCacheCannotBeUsedAndRuns) {
  Ran ran = run_scaled({"--cache-dir", folder / "x.npy"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, StartsWith("weft: warning: no disk cache: "));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
}

TEST_F(CliRun, SaysWhatIsWrongWithADevice) {
  expect_error(run_scaled({"--device", "gpu"}), 1, "device: takes cpu or cuda:N: got 'gpu'");
  expect_error(run_scaled({"--device", "cuda:x"}), 1, "device: takes cpu or cuda:N: got 'cuda:x'");
  expect_error(run_scaled({"--device", "cuda:99"}), 1, "cuda:99");
}

TEST_F(CliRun, HelpAndVersionAreWordsToo) {
  EXPECT_EQ(run_weft({"help"}).out, run_weft({"--help"}).out);
  EXPECT_EQ(run_weft({"help", "cache", "ls"}).out, run_weft({"cache", "ls", "--help"}).out);
  EXPECT_EQ(run_weft({"version"}).out, run_weft({"--version"}).out);
  EXPECT_EQ(run_weft({"help"}).code, 0);
}

TEST_F(CliRun, VersionSaysWhatCompilesAndComputesHere) {
  const std::string said = run_weft({"version", "--parts"}).out;
  EXPECT_EQ(said.find("weft " WEFT_VERSION "\n"), 0u);
  for (const char* name :
       {"Clang and LLVM: ", "oneTBB: 20", "OpenBLAS: OpenBLAS ", "oneDNN: ", "NVRTC: ", "cpu: "})
    EXPECT_THAT(said, HasSubstr(std::string("\n") + name));
}

TEST_F(CliRun, AWrongCommandLineExitsWith2) {
  expect_error(run_weft({}), 2, "a command is missing");
  expect_error(run_weft({"bogus"}), 2, "bogus");
  expect_error(run_weft({"cache", "bogus"}), 2, "bogus");
  expect_error(run_weft({"cache"}), 2, "a command is missing");
  expect_error(run_weft({"weave"}), 2, "--help");
  expect_error(run_weft({"explian", "x.weft"}), 2, "did you mean 'explain'?");
  expect_error(run_weft({"help", "rnu"}), 2, "weft has no command 'rnu'; did you mean 'run'?");
  expect_error(run_weft({"ops", "SUM"}), 1, "there is no op 'SUM'; did you mean 'sum'?");
  expect_error(run_weft({}), 2, "a command is missing: weft takes run, show, ");
  expect_error(run_weft({"cache"}), 2, "a command is missing: weft cache takes ls, verify, ");
  expect_error(run_weft({"ops", "sqtr"}), 1, "there is no op 'sqtr'; did you mean 'sqrt'?");
  EXPECT_THAT(run_weft({"ops", "sqtrooooot"}).err, Not(HasSubstr("did you mean")));
  expect_error(run_weft({"hlep"}), 2, "did you mean 'help'?");
  expect_error(run_weft({"cache", "lst"}), 2, "lst; did you mean 'ls'?");
  expect_error(run_weft({"show", "x.weft", "--stag", "cpp"}), 2,
               "The following arguments were not expected: --stag cpp; by '--stag' did you mean '--stage'?");
  expect_error(run_weft({"explian", "x.weft", "--json"}), 2,
               "not expected: explian x.weft --json; by 'explian'");
  expect_error(run_weft({"cache", "ls", "--", "of", "mine"}), 2, "arguments were not expected: of mine\n");
  expect_error(run_weft({"show", "--stag=cpp"}), 2, "did you mean '--stage'?");
  expect_error(run_weft({"help", "foo"}), 2, "help: weft has no command 'foo'\n");
  expect_error(run_weft({"help", "cache", "lst"}), 2, "weft cache has no command 'lst'; did you mean 'ls'?");
  EXPECT_EQ(run_weft({"help", "cache", "ls"}).code, 0);
  expect_error(run({}), 2, "FILE is required");
  expect_error(run_scaled({"--time=0"}), 2, "--time");
  expect_error(run_scaled({"--time=0"}), 2, "Try 'weft run --help'.");
  expect_error(run_weft({"cache", "ls", "more"}), 2, "Try 'weft cache ls --help'.");
  expect_error(run_scaled({"--each-op", "--no-fuse"}), 2, "--no-fuse");
  expect_error(run({"docs/examples/softmax.weft", "--random", "-1"}), 2, "got '-1'");
  expect_error(run({"docs/examples/softmax.weft", "--random", "18446744073709551616"}), 2, "--random");
  expect_error(run_scaled({"--numerics", "sloppy"}), 2, "sloppy");
  expect_error(run_scaled({"--threads", "0"}), 2,
               "error: --threads: takes a whole number from 1 to 65536, got '0'\n");
  expect_error(run_scaled({"--threads", "two"}), 2, "error: --threads: takes a whole number");
  expect_error(run_scaled({"--vector-bytes", "7"}), 2, "error: --vector-bytes: takes 16, 32 or 64, got '7'");
  expect_error(run_scaled({"--cache-bytes", "-1"}), 2, "error: --cache-bytes: takes a whole number from 0");
  for (const char* seconds : {"abc", "-1", "nan"})
    expect_error(run_weft({"tune", folder / "scaled.weft", "--seconds", seconds}), 2,
                 "error: --seconds: takes a number from 0 to 1000000, got '" + std::string(seconds) + "'");
  expect_error(run_scaled({"--without", "nothing"}), 2, "nothing");
}

TEST(CliStreams, ExitCodesTellWhereNothingCanBeWritten) {
  EXPECT_EQ(run_weft_into("/dev/null", "/dev/full", {"ops", "nosuch"}), 1);
  EXPECT_EQ(run_weft_into("/dev/full", "/dev/full", {"ops"}), 1);
  EXPECT_EQ(run_weft_into("/dev/full", "/dev/null", {"--help"}), 1);
  EXPECT_EQ(run_weft_into("/dev/full", "/dev/null", {"--version"}), 1);
}

TEST(CliHelp, ShowsEachCommandItsOwnExamples) {
  for (const char* command : {"devices", "ops"})
    EXPECT_THAT(run_weft({command, "--help"}).out, Not(HasSubstr("weft show softmax.weft"))) << command;
  EXPECT_THAT(run_weft({"cache", "verify", "--help"}).out, Not(HasSubstr("weft cache export")));
  EXPECT_THAT(run_weft({"cache", "--help"}).out, HasSubstr("weft cache export"));
}

TEST(CliReport, WritesAPageOrNothing) {
  const Folder folder;
  const std::string page = folder / "report.html";
  Ran ran = run_weft({"report", "docs/examples/softmax.weft", "--random", "1", "--runs", "3", "--out", page});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 runs in "));
  const std::string text = read_text(page);
  EXPECT_THAT(text, StartsWith("<!doctype html>"));
  EXPECT_THAT(text, HasSubstr("\"schema\":\"weft.profile\""));
  EXPECT_THAT(text, HasSubstr("\"programs\":[{\"explain\":{\"device\":\"cpu\""));
  EXPECT_THAT(text, HasSubstr("\"language\":\"C++\""));
  ran = run_weft({"report", "docs/examples/softmax.weft", "--random", "1", "--out", "/nowhere/report.html"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere/report.html"));
  ran = run_weft({"report", "docs/examples/softmax.weft", "--random", "1", "--runs", "0"});
  EXPECT_EQ(ran.code, 2);
}

}  // namespace
}  // namespace weft::test
