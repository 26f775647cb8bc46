// `weft bisect`, `reduce` and `replay`: what is wrong is named and made small, dumps run again, and damaged ones are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "frontend/files/npy.h"
#include "tests/support/cli_process.h"
#include "tests/support/golden.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kRight = "docs/examples/softmax.weft";

// The level `fast` takes 0 for x * 0, which is wrong of an infinity.
constexpr const char* kZero = R"(graph {
  %x = input : f64[4]
  %y = input : f64[4]
  %a = exp %y
  %z = multiply %x, 0.0
  %s = add %z, %a
  %q = sqrt %s
  return %q
}
)";

class CliTrust : public testing::Test {
 protected:
  CliTrust() {
    write_text(folder / "zero.weft", kZero);
    write("x.npy", {1, std::numeric_limits<double>::infinity(), 2, 3});
    write("y.npy", {0, 1, 2, 3});
  }
  void write(const std::string& name, const std::vector<double>& values) const {
    io::HostArray array{
        DType::F64, {static_cast<int64_t>(values.size())}, std::vector<std::byte>(values.size() * 8)};
    std::memcpy(array.data.data(), values.data(), array.data.size());
    io::write_npy(folder / name, array);
  }
  Ran with_data(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) const {
    arguments.insert(arguments.end(), {"--in", "x=" + (folder / "x.npy"), "--in", "y=" + (folder / "y.npy")});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_weft(arguments);
  }
  Ran on_zero(const std::string& command, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--numerics", "fast"});
    return with_data({command, folder / "zero.weft"}, more);
  }
  // A dump of a graph that goes wrong, reduced.
  std::string dump() const {
    const Ran ran = on_zero("reduce", {"--out", folder / "small"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return folder / "small";
  }
  Folder folder;
};

// In the environment of what runs meanwhile.
class WithVariable {
 public:
  WithVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* was = std::getenv(name)) was_ = was;
    setenv(name, value.c_str(), 1);
  }
  ~WithVariable() { was_ ? setenv(name_, was_->c_str(), 1) : unsetenv(name_); }
  WithVariable(const WithVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> was_;
};

void expect_refused(const Ran& ran, const std::string& message) {
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_THAT(ran.err, AllOf(StartsWith("weft: error: "), HasSubstr(message)));
  EXPECT_EQ(ran.out, "");
}

TEST_F(CliTrust, CheckSaysWhereNothingWasCompared) {
  write_text(folder / "nan.weft", R"(graph {
  %x = input : f64[4]
  %y = input : f64[4]
  %z = subtract %x, %x
  %n = divide %z, %z
  %e = exp %y
  return %n, %e
}
)");
  const Ran ran = with_data({"check", folder / "nan.weft"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.out, AllOf(StartsWith("NOTHING COMPARED"),
                             HasSubstr("fused: NOTHING COMPARED: every element is NaN")));
  EXPECT_THAT(ran.err, StartsWith("weft: nothing compared: check: every element of an output is NaN"));
  const Ran data = with_data({"check", folder / "nan.weft", "--json"});
  EXPECT_EQ(data.code, 4);
  EXPECT_EQ(json::parse(data.out)["outcome"], "nothing compared");
  EXPECT_FALSE(json::parse(data.out)["agrees"]);
}

TEST_F(CliTrust, CheckComparesWithAnotherDevice) {
  const Ran named = run_weft({"check", kRight, "--random", "1", "--beside", "cpu"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.out, HasSubstr("\n  on cpu: agrees"));
  const Ran data = run_weft({"check", kRight, "--random", "1", "--beside", "cpu", "--json"});
  EXPECT_EQ(json::parse(data.out)["other_device"], "cpu");
  EXPECT_TRUE(json::parse(data.out)["outputs"][0]["elsewhere"]["agrees"]);
  const Ran alone = run_weft({"check", kRight, "--random", "1", "--beside", "none", "--json"});
  EXPECT_TRUE(json::parse(alone.out)["other_device"].is_null());
  expect_refused(run_weft({"check", kRight, "--random", "1", "--beside", "tpu"}),
                 "device: takes cpu or cuda:N: got 'tpu'");
}

TEST_F(CliTrust, CheckSaysWhyAnotherDeviceDidNotCompute) {
  const WithVariable driver("LD_LIBRARY_PATH", WEFT_FAKE_CUDA);  // kernels do not load there
  const Ran ran = run_weft({"check", kRight, "--random", "1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(StartsWith("agrees: "), HasSubstr("\nnot computed on cuda:0: ")));
  const Ran data = run_weft({"check", kRight, "--random", "1", "--json"});
  EXPECT_EQ(json::parse(data.out)["other_device"], "cuda:0");
  EXPECT_TRUE(json::parse(data.out)["other_problem"].is_string());
  expect_refused(run_weft({"check", kRight, "--random", "1", "--beside", "cuda:7"}),
                 "cuda:7: no such device");
}

TEST_F(CliTrust, BisectNamesThePass) {
  Ran ran = on_zero("bisect");
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("DISAGREES: q: "), HasSubstr("the pass simplify: "),
                             HasSubstr("without it (--without simplify) the results are right")));
  const json data = json::parse(on_zero("bisect", {"--json"}).out);
  EXPECT_EQ(data["schema"], "weft.bisect");
  EXPECT_EQ(data["pass"]["name"], "simplify");
  EXPECT_EQ(data["pass"]["right_without"], true);
  ran = on_zero("bisect", {"--without", "simplify"});
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(CliTrust, BisectSaysWhereNothingIsWrong) {
  const Ran ran = run_weft({"bisect", kRight, "--random", "1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("nothing to search"));
}

TEST_F(CliTrust, ReducePrintsASmallGraphAndKeepsItsData) {
  const Ran ran = on_zero("reduce", {"--out", folder / "small"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(StartsWith("# 1 of 4 ops left: output 0: "), HasSubstr("multiply %x, %0")));
  EXPECT_EQ(run_weft({"check", folder / "small"}).code, 3);  // of its own numerics and data
  EXPECT_EQ(run_weft({"check", folder / "small", "--numerics", "standard"}).code, 0);
  EXPECT_EQ(run_weft({"check", folder / "small", "--random", "1"}).code, 0);
  const json data = json::parse(on_zero("reduce", {"--json"}).out);
  EXPECT_EQ(data["schema"], "weft.reduce");
  EXPECT_EQ(data["ops"], 1);
  EXPECT_EQ(data["ops_before"], 4);
}

TEST_F(CliTrust, ReduceRefusesWhatIsRightAndAFolderThatIsThere) {
  expect_refused(run_weft({"reduce", kRight, "--random", "1"}), "nothing to reduce");
  fs::create_directory(folder / "there");
  expect_refused(on_zero("reduce", {"--out", folder / "there"}), "is there already");
  EXPECT_TRUE(fs::is_empty(folder / "there"));
  expect_refused(on_zero("reduce", {"--out", (folder / "x.npy") + "/small"}), "cannot be written");
}

TEST_F(CliTrust, ReplayRunsAgain) {
  const std::string small = dump();
  Ran ran = run_weft({"replay", small});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("DISAGREES with the reference interpreter"));
  ran = run_weft({"replay", small, "--random", "3", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json data = json::parse(ran.out);
  EXPECT_EQ(data["schema"], "weft.replay");
  EXPECT_EQ(data["dumps"][0]["outputs"][0]["agrees"], true);
  EXPECT_EQ(data["dumps"][0]["outputs"][0]["beside"], "interpreter");
  EXPECT_EQ(run_weft({"show", small}).code, 0);
}

TEST_F(CliTrust, EveryChangedByteOfADumpIsSeen) {
  const std::string small = dump();
  for (const std::string name : {"graph.weft", "inputs.npz"}) {
    const std::string text = read_text(small + "/" + name);
    std::string changed = text;
    changed[text.size() / 2] = static_cast<char>(changed[text.size() / 2] ^ 1);
    write_text(small + "/" + name, changed);
    expect_refused(run_weft({"replay", small}), "is damaged: " + name + " is not what was written");
    expect_refused(run_weft({"check", small}), "is damaged: " + name);
    fs::remove(small + "/" + name);
    expect_refused(run_weft({"replay", small}), "is damaged: it lacks " + name);
    write_text(small + "/" + name, text);
  }
}

TEST_F(CliTrust, ForeignDumpsAreRefused) {
  const std::string small = dump(), file = small + "/dump.json";
  const json good = json::parse(read_text(file));
  const auto refused = [&](const auto& change, const std::string& message) {
    json bad = good;
    change(bad);
    write_text(file, bad.dump());
    expect_refused(run_weft({"replay", small}), message);
  };
  refused([](json& all) { all["version"] = 2; }, "was written in form 2");
  refused([](json& all) { all["schema"] = "other"; }, "is no dump: dump.json has another schema");
  refused([](json& all) { all.erase("numerics"); }, "is damaged: dump.json lacks fields");
  refused([](json& all) { all["files"] = 3; }, "is damaged: dump.json lacks fields");
  refused([](json& all) { all["numerics"] = "exact"; }, "its numerics have no known name");
  refused([](json& all) { all["files"]["../x.npy"] = "0"; }, "names a file '../x.npy'");
  write_text(file, "{");
  expect_refused(run_weft({"replay", small}), "is damaged: dump.json is not JSON");
  fs::remove(file);
  expect_refused(run_weft({"replay", small}), "is no dump and holds none");
  expect_refused(run_weft({"check", small, "--random", "1"}), "neither a file nor a dump");
  expect_refused(run_weft({"replay", folder / "nowhere"}), "cannot be read: No such file");
}

TEST_F(CliTrust, AFolderOfDumpsRunsThoseThatAreSound) {
  fs::create_directory(folder / "all");
  for (const std::string name : {"a", "b"})
    fs::copy(dump() + "/", folder / ("all/" + name)), fs::remove_all(folder / "small");
  fs::remove((folder / "all/a") + "/graph.weft");
  const Ran ran = run_weft({"replay", folder / "all", "--random", "3"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("refused: "), HasSubstr("agrees with the reference interpreter")));
  EXPECT_THAT(ran.err, HasSubstr("1 of 2 dumps were refused"));
}

TEST_F(CliTrust, WrongCommandLines) {
  for (const std::string command : {"bisect", "reduce", "check"}) {
    expect_refused(run_weft({command, folder / "nowhere.weft", "--random", "1"}), "cannot be read");
    expect_refused(run_weft({command, folder / "zero.weft"}), "input 'x' : f64[4] is not given");
    expect_refused(run_weft({command, "-", "--random", "1"}), "<stdin>");
    EXPECT_EQ(run_weft({command}).code, 2);
    EXPECT_EQ(run_weft({command, kRight, "--random", "x"}).code, 2);
    EXPECT_EQ(run_weft({command, kRight, "--without", "nothing", "--random", "1"}).code, 2);
  }
  EXPECT_EQ(run_weft({"replay"}).code, 2);
  EXPECT_EQ(run_weft({"replay", folder / "x", "--random", "-1"}).code, 2);
}

}  // namespace
}  // namespace weft::test
