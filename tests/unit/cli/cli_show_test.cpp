// What `weft` says of a graph without running it: the stages, explanations, the op table, devices, help.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "compiler/ir/text/parse.h"
#include "tests/support/cli_process.h"
#include "tests/support/golden.h"

namespace weft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kSoftmax = "docs/examples/softmax.weft";

Ran show(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "show");
  // The same on every machine.
  arguments.insert(arguments.end(), {"--vector-bytes", "64", "--threads", "2", "--cache-bytes", "33554432"});
  return run_weft(arguments);
}

TEST(CliShow, StagesOfTheExamples) {
  for (std::string name : {"softmax", "axpy"})
    for (std::string stage : {"graph", "simplified", "fused", "plan", "cpp"}) {
      Ran ran = show({fmt::format("docs/examples/{}.weft", name), "--stage", stage});
      EXPECT_EQ(ran.code, 0) << ran.err;
      expect_golden(fmt::format("cli/{}.{}.txt", name, stage), ran.out);
    }
}

TEST(CliShow, TheGraphReadsBackAsTheSameGraph) {
  std::string text = show({kSoftmax}).out;
  EXPECT_EQ(hash_graph(ir::parse(text)), hash_graph(ir::parse(read_text(kSoftmax))));
}

TEST(CliShow, AGraphOnTheStandardInput) {
  Ran ran = run_weft({"show", "-"}, "graph {\n  %a = input : f32[2]\n  return %a\n}\n");
  EXPECT_EQ(ran.out, "graph {\n  %a = input \"a\" : f32[2]\n  return %a\n}\n");
}

TEST(CliShow, APassCanBeLeftOut) {
  const char* text =
      "graph {\n  %a = input : f32[2]\n  %b = exp %a\n  %c = exp %a\n  %d = add %b, %c\n  return %d\n}\n";
  auto simplified = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"show", "-", "--stage", "simplified"});
    return run_weft(more, text).out;
  };
  EXPECT_THAT(simplified({}), HasSubstr("# after share\n"));
  EXPECT_EQ(simplified({"--without", "share"}).find("# after share"), std::string::npos);
}

TEST(CliShow, WithoutFusionEachOpIsAKernel) {
  EXPECT_THAT(show({kSoftmax, "--stage", "fused"}).out, Not(HasSubstr("step 1:")));
  EXPECT_THAT(show({kSoftmax, "--stage", "fused", "--no-fuse"}).out, HasSubstr("step 4:"));
}

TEST(CliShow, DrawsKernelsAsClusters) {
  EXPECT_THAT(show({kSoftmax, "--dot"}).out, AllOf(StartsWith("digraph"), Not(HasSubstr("cluster"))));
  EXPECT_THAT(show({kSoftmax, "--dot", "--stage", "fused"}).out,
              AllOf(HasSubstr("cluster_0"), Not(HasSubstr("cluster_1"))));
  EXPECT_THAT(show({kSoftmax, "--dot", "--stage", "fused", "--no-fuse"}).out, HasSubstr("cluster_4"));
}

// Sets a variable for the programs that a test starts.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* was = std::getenv(name)) was_ = was;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (was_)
      ::setenv(name_, was_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> was_;
};

TEST(CliShow, DrawnKernelsSayWhatTheyMoveAndHowLongThatTakes) {
  const Variable speed("WEFT_MEMORY_SPEED", "20");
  const std::string one = show({kSoftmax, "--dot", "--stage", "fused", "--device", "cpu"}).out;
  EXPECT_EQ(show({kSoftmax, "--stage", "dot", "--device", "cpu"}).out, one);
  // 1024 x 4096 f32 are read and written: 33.6 MB at 20 GB/s.
  EXPECT_THAT(one, HasSubstr(R"(label="step 0: kernel\n16.8 MB read, 16.8 MB written\nabout 1.68 ms")"));
  EXPECT_THAT(one, HasSubstr(R"(label="times: at the 20.0 GB/s of this machine's memory)"));
  const std::string several =
      show({"docs/examples/fusion.weft", "--dot", "--stage", "fused", "--device", "cpu"}).out;
  EXPECT_THAT(several, HasSubstr(R"(label="step 1: library\n)"));
  EXPECT_THAT(several, AllOf(HasSubstr("million operations\\nat least "), HasSubstr("step 0: kernel")));
  const Ran explained = run_weft({"explain", kSoftmax, "--detail", "summary", "--device", "cpu"});
  EXPECT_THAT(explained.out,
              AllOf(HasSubstr("16.8 MB read and 16.8 MB written"), HasSubstr("about 1.68 ms")));
}

TEST(CliShow, ThePictureIsWhatGraphvizMakesOfTheDrawing) {
  const Folder programs;
  write_text(programs / "dot", "#!/bin/sh\n[ \"$1\" = -Tsvg ] && exec sed 1d\n");
  std::filesystem::permissions(programs / "dot", std::filesystem::perms::owner_all);
  const Variable speed("WEFT_MEMORY_SPEED", "20"), path("PATH", programs.path() + ":/usr/bin:/bin");
  for (const std::string stage : {"graph", "simplified", "fused"}) {
    const std::string drawing = show({kSoftmax, "--dot", "--stage", stage}).out;
    EXPECT_EQ(show({kSoftmax, "--svg", "--stage", stage}).out, drawing.substr(drawing.find('\n') + 1))
        << stage;
  }
  EXPECT_EQ(show({kSoftmax, "--svg", "--dot"}).code, 2);
  std::filesystem::remove(programs / "dot");
  const Variable nowhere("PATH", programs.path());
  const Ran without = show({kSoftmax, "--svg"});
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.err,
              HasSubstr("needs the program dot of Graphviz, which is not there: install graphviz"));
}

TEST(CliShow, MachineCode) {
  WEFT_NEEDS_A_COMPILER();
  Ran ran = show({kSoftmax, "--stage", "asm"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(".globl\tweft_"));
}

// Compared as halves, each lane would be converted by itself.
TEST(CliShow, HalvesAreConvertedAVectorAtATime) {
  WEFT_NEEDS_A_COMPILER();
  const Ran ran = run_weft({"show", "-", "--stage", "asm"},
                           "graph {\n  %x = input : f16[1000]\n  %y = log %x\n  return %y\n}\n");
  EXPECT_EQ(ran.code, 0) << ran.err;
  int conversions = 0;
  for (size_t at = 0; (at = ran.out.find("vcvtph2ps", at)) != std::string::npos; ++at) ++conversions;
  EXPECT_LE(conversions, 16);
}

TEST(CliShow, CudaSourcesNeedNoGpu) {
  Ran ran = show({kSoftmax, "--stage", "cuda"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("__global__"));
}

TEST(CliShow, PtxNeedsNvrtcAlone) {
  Ran ran = show({kSoftmax, "--stage", "ptx"});
  if (ran.code == 1 && ran.err.find("needs NVRTC") != std::string::npos) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(".target sm_"));
}

TEST(CliShow, SaysWhichStagesThereAre) {
  Ran ran = show({kSoftmax, "--stage", "llvm"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("graph,simplified,fused,plan,cpp,cuda,asm,ptx"));
  ran = show({kSoftmax, "--stage", "cpp", "--device", "cuda"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "weft: error: show: stage cpp is of the device cpu, not of cuda\n");
  ran = show({kSoftmax, "--stage", "plan", "--dot"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("--dot draws the stages graph, simplified and fused"));
}

TEST(CliExplain, SaysWhatWasFused) {
  Ran ran = run_weft({"explain", kSoftmax});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("fused: sum : f32(1024,) at softmax.weft:8 -> divide"));
}

TEST(CliExplain, TheGuideShowsWhatItPrints) {
  Ran ran = run_weft({"explain", "docs/examples/svd.weft"});
  EXPECT_THAT(read_text("docs/debugging.md"),
              HasSubstr("weft explain docs/examples/svd.weft\n" + ran.out + "```\n"));
}

TEST(CliExplain, BeginsWithWhatIsMovedAndEndsWhereItIsTold) {
  Ran ran = run_weft({"explain", kSoftmax, "--detail", "summary"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("1 kernel does 5 operations: 16.8 MB read and 16.8 MB written\nop by op"));
  EXPECT_THAT(ran.out, Not(HasSubstr("step 0")));
  ran = run_weft({"explain", kSoftmax, "--json"});
  EXPECT_THAT(ran.out,
              StartsWith("{\"schema\":\"weft.explain\",\"version\":2,\"programs\":[{\"device\":\"cpu\""));
  ran = run_weft({"explain", kSoftmax, "--detail", "much"});
  EXPECT_EQ(ran.code, 2);
}

TEST(CliGrad, PrintsTheGradientAsAGraph) {
  const std::string loss =
      "graph {\n  %x = input : f32[3]\n  %s = input : f32[3]\n  %y = multiply %x, %s\n  %r = sum %y\n  "
      "return "
      "%r\n}\n";
  Ran ran = run_weft({"grad", "-", "--wrt", "x"}, loss);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("multiply %0, %s : f32[3]\n  return %1\n"));
  // All inputs of floats unless told, and a graph like any other.
  ran = run_weft({"run", "-", "--random", "1", "--verify"}, run_weft({"grad", "-"}, loss).out);
  EXPECT_EQ(ran.code, 0) << ran.err;
  ran = run_weft({"grad", "-", "--wrt", "y"}, loss);
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "weft: error: grad: the graph has no input 'y': its inputs are x, s\n");
  ran = run_weft({"grad", kSoftmax});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("grad: takes a graph that gives one real number"));
}

TEST(CliOps, ThePageIsWhatTheProgramWrites) {
  expect_golden(std::filesystem::absolute("docs/ops.md").string(), run_weft({"ops", "--markdown"}).out);
}

TEST(CliOps, OneOpOneKindAndNone) {
  EXPECT_THAT(run_weft({"ops", "rsqrt"}).out,
              AllOf(StartsWith("rsqrt: 1 / sqrt(x)\n"), HasSubstr("\n  dtypes    float\n")));
  std::string reductions = run_weft({"ops", "--kind", "reduce"}).out;
  EXPECT_THAT(reductions, AllOf(HasSubstr("\nargmin "), Not(HasSubstr("\nexp "))));
  EXPECT_THAT(run_weft({"ops"}).out, AllOf(HasSubstr("\nargmin "), HasSubstr("\nexp ")));
  Ran none = run_weft({"ops", "frob"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "weft: error: ops: there is no op 'frob'; 'weft ops' lists them\n");
}

TEST(CliDevices, ListsThemOrSaysWhyThereIsNone) {
  Ran ran = run_weft({"devices"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("cpu: "));
  EXPECT_THAT(ran.out, testing::AnyOf(HasSubstr("\ncuda:0: "), HasSubstr("\ncuda: none: ")));
}

TEST(CliCalibrate, WhatItFoundIsShownUntilItIsForbidden) {
  if (!WEFT_TEST_COMPILES) GTEST_SKIP() << "this library compiles no kernels";
  const Folder folder;
  const std::string cache = folder / "cache";
  const auto devices = [&] { return run_weft({"devices", "--cache-dir", cache}).out; };
  EXPECT_THAT(devices(), HasSubstr("not measured: `weft calibrate` does"));
  EXPECT_FALSE(std::filesystem::exists(cache)) << "looking makes no folder";
  const Ran ran = run_weft({"calibrate", "--cache-dir", cache});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(StartsWith("cpu: "), HasSubstr("\n  memory one thread"), HasSubstr("kept in " + cache)));
  EXPECT_EQ(devices().rfind(ran.out.substr(0, ran.out.find("kept in")), 0), 0u);
  const Variable forbidden("WEFT_CALIBRATION", "0");
  EXPECT_THAT(devices(), HasSubstr("not measured"));
  const Ran refused = run_weft({"calibrate", "--cache-dir", cache});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err, "weft: error: calibrate: WEFT_CALIBRATION=0 forbids it; it takes 1, or nothing\n");
}

TEST(Cli, ExportWritesWhatCTakes) {
  if (!WEFT_TEST_COMPILES) GTEST_SKIP() << "this library compiles no kernels";
  std::string folder = (std::filesystem::temp_directory_path() / "weft-cli-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Ran ran = run_weft({"export", kSoftmax, "--folder", folder + "/out", "--processor", "x86-64-v2"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "wrote " + folder + "/out/softmax.h and " + folder + "/out/libsoftmax.a\n");
  std::ifstream header(folder + "/out/softmax.h");
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(header), {}),
              HasSubstr("softmax(a f32[1024, 4096]) -> result f32[1024, 4096]"));
  ran = run_weft({"export", kSoftmax, kSoftmax, "--name", "twice", "--folder", folder});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("examples 0 and 1 have the same dtypes and shapes"));
  ran = run_weft({"export", "-", "--folder", folder}, "graph {\n  %x = input : f32[4]\n  return %x\n}\n");
  EXPECT_THAT(ran.err, HasSubstr("export: a graph from the standard input needs a --name"));
  const char* strided = "graph {\n  %x = input \"x\", strides=[2], offset=0 : f32[4]\n  return %x\n}\n";
  ran = run_weft({"export", "-", "--folder", folder, "--name", "f"}, strided);
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("weft: error: export: takes arrays without gaps: input"));
  ran = run_weft({"export", kSoftmax, "--name", "a-b"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "weft: error: export: the name must be one of C, and none of Weft's: got 'a-b'\n");
  ran = run_weft({"export", kSoftmax, "--folder", "/dev/null/x"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("export: '/dev/null/x' cannot be made"));
  std::filesystem::remove_all(folder);
}

TEST(Cli, VersionAndHelp) {
  EXPECT_EQ(run_weft({"--version"}).out, "weft " WEFT_VERSION "\n");
  EXPECT_THAT(run_weft({"--help"}).out, AllOf(HasSubstr("Examples:"), HasSubstr("Exit codes:")));
  for (const char* command : {"run", "show", "explain", "grad", "export", "ops", "cache"}) {
    Ran ran = run_weft({command, "--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, HasSubstr("Examples:")) << command;
  }
}

}  // namespace
}  // namespace weft::test
