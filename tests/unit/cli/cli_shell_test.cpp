// What shells and scripts take from `weft`: completions in the shells themselves, the manual page, JSON of every command
// that prints data, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/cli_process.h"
#include "tests/support/golden.h"

namespace weft::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

struct Shelled {
  int code = -1;
  std::string out;
};

Shelled shell(const std::string& command) {
  const std::string bin =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().string();
  const std::string all = "PATH='" + bin + "':\"$PATH\" WEFT_CACHE_DIR=off " + command + " 2>&1";
  FILE* pipe = popen(all.c_str(), "r");
  Shelled out;
  std::array<char, 4096> part{};
  while (const size_t got = std::fread(part.data(), 1, part.size(), pipe)) out.out.append(part.data(), got);
  out.code = WEXITSTATUS(pclose(pipe));
  return out;
}

bool is_there(const std::string& program) { return shell("sh -c 'command -v " + program + "'").code == 0; }

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// What each shell offers after these words, of which the last one is begun.
std::vector<std::string> bash_offers(const std::string& words) {
  const std::string last = words.ends_with(' ') ? words + "\"\"" : words;
  return words_of(
      shell("bash -c 'eval \"$(weft completion bash)\"; COMP_WORDS=(" + last +
            "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weft; printf \"%s\\n\" \"${COMPREPLY[@]}\"'")
          .out);
}

std::vector<std::string> zsh_offers(const std::string& words) {
  const std::string last = words.ends_with(' ') ? words + "\"\"" : words;
  return words_of(shell("zsh -f -c 'compdef() { }; compadd() { shift; print -l -- \"$@\"; }; "
                        "_describe() { print -l -- ${${(P)2}%%:*}; }; _files() { print FILES; }; "
                        "eval \"$(weft completion zsh)\"; words=(" +
                        last + "); CURRENT=${#words}; _weft'")
                      .out);
}

std::vector<std::string> fish_offers(const std::string& words) {
  std::vector<std::string> out;
  std::istringstream in(
      shell("fish --no-config -c 'weft completion fish | source; complete -C \"" + words + "\"'").out);
  for (std::string line; std::getline(in, line);) out.push_back(line.substr(0, line.find('\t')));
  return out;
}

// The commands that help lists.
std::vector<std::string> commands() {
  const std::string help = run_weft({"--help"}).out;
  std::istringstream in(help.substr(help.find("Subcommands:")));
  std::vector<std::string> out;
  std::string line;
  for (std::getline(in, line); std::getline(in, line) && line.starts_with("  ");)
    out.push_back(words_of(line).front());
  return out;
}

TEST(CliCompletion, BashOffersCommandsOptionsChoicesAndFiles) {
  EXPECT_THAT(commands(), AllOf(Contains("bisect"), Contains("completion")));
  EXPECT_THAT(bash_offers("weft "), IsSupersetOf(commands()));
  EXPECT_THAT(bash_offers("weft sh"), ElementsAre("show"));
  EXPECT_THAT(bash_offers("weft help tu"), ElementsAre("tune"));
  EXPECT_THAT(bash_offers("weft cache "),
              UnorderedElementsAre("ls", "verify", "clear", "why", "trim", "export", "import"));
  EXPECT_THAT(bash_offers("weft cache trim --m"), ElementsAre("--max-bytes"));
  EXPECT_THAT(bash_offers("weft show x.weft --stage p"), UnorderedElementsAre("plan", "ptx"));
  EXPECT_THAT(bash_offers("weft run --"),
              AllOf(Contains("--profile"), Contains("--json"), Not(Contains("--threads"))));
  EXPECT_THAT(bash_offers("weft check docs/examples/soft"), ElementsAre("docs/examples/softmax.weft"));
  EXPECT_THAT(bash_offers("weft run docs/examples/softmax.weft --trace docs/exa"), Contains("docs/examples"));
  EXPECT_THAT(bash_offers("weft run --random "), IsEmpty());
}

TEST(CliCompletion, ZshOffersTheSame) {
  if (!is_there("zsh")) GTEST_SKIP() << "there is no zsh";
  EXPECT_THAT(zsh_offers("weft "), IsSupersetOf(commands()));
  EXPECT_THAT(zsh_offers("weft cache "),
              IsSupersetOf({"ls", "verify", "clear", "why", "trim", "export", "import"}));
  EXPECT_THAT(zsh_offers("weft show x.weft --stage "), IsSupersetOf({"plan", "ptx", "cpp"}));
  EXPECT_THAT(zsh_offers("weft run --"), AllOf(Contains("--profile"), Not(Contains("--threads"))));
  EXPECT_THAT(zsh_offers("weft check "), ElementsAre("FILES"));
}

TEST(CliCompletion, FishOffersTheSame) {
  if (!is_there("fish")) GTEST_SKIP() << "there is no fish";
  EXPECT_THAT(fish_offers("weft "), IsSupersetOf(commands()));
  EXPECT_THAT(fish_offers("weft cache "),
              UnorderedElementsAre("ls", "verify", "clear", "why", "trim", "export", "import"));
  EXPECT_THAT(fish_offers("weft show x.weft --stage p"), UnorderedElementsAre("plan", "ptx"));
  EXPECT_THAT(fish_offers("weft run --pro"), ElementsAre("--profile"));
  EXPECT_THAT(fish_offers("weft check docs/examples/soft"), ElementsAre("docs/examples/softmax.weft"));
}

TEST(CliCompletion, OfAShellThatIsNotKnown) {
  const Ran ran = run_weft({"completion", "csh"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("csh not in {bash,zsh,fish}"));
  EXPECT_EQ(run_weft({"completion"}).code, 2);
}

TEST(CliManual, HasEveryCommandAndOption) {
  const Ran ran = run_weft({"manual"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, StartsWith(".TH WEFT 1 "));
  for (const std::string& command : commands()) {
    EXPECT_THAT(ran.out, HasSubstr(".SS weft " + command)) << command;
    std::istringstream help(run_weft({command, "--help"}).out);
    for (std::string line; std::getline(help, line);) {
      const std::vector<std::string> words = words_of(line);
      if (!line.starts_with("  -") || words.empty()) continue;
      std::string option = words[0].substr(words[0].find("--"));
      option.resize(std::min(option.find('{'), option.size()));  // "--time{20}": what it is without a number
      for (size_t at = 0; (at = option.find('-', at)) != std::string::npos; at += 2) option.insert(at, "\\");
      EXPECT_THAT(ran.out, HasSubstr(option)) << command << ": " << line;
    }
  }
}

TEST(CliManual, IsSoundForGroff) {
  if (!is_there("groff")) GTEST_SKIP() << "there is no groff";
  const Shelled page = shell("sh -c 'weft manual | groff -man -Tascii -P-cbou'");
  EXPECT_THAT(page.out, AllOf(HasSubstr("COMMANDS"), HasSubstr("weft cache trim"), HasSubstr("Exit codes")));
  EXPECT_EQ(shell("sh -c 'weft manual | groff -man -ww -z -Tascii'").out, "");  // warnings
}

// ---- data

TEST(CliJson, OfEveryCommandThatPrintsData) {
  const Folder folder;
  const std::string softmax = "docs/examples/softmax.weft";
  write_text(folder / "small.weft", "graph {\n  %x = input : f32[3]\n  %y = exp %x\n  return %y\n}\n");
  const std::string small = folder / "small.weft", cache = folder / "cache";
  std::vector<std::pair<std::string, std::vector<std::string>>> all = {
      {"weft.run", {"run", small, "--random", "1", "--verify", "--time=2", "--profile", "--json"}},
      {"weft.verify", {"check", small, "--random", "1", "--json"}},
      {"weft.bisect", {"bisect", small, "--random", "1", "--json"}},
      {"weft.explain", {"explain", softmax, "--json"}},
      {"weft.ops", {"ops", "--json"}},
      {"weft.ops", {"ops", "exp", "--json"}},
      {"weft.devices", {"devices", "--json"}},
      {"weft.cache", {"cache", "ls", "--cache-dir", cache, "--json"}},
      {"weft.cache.verify", {"cache", "verify", "--cache-dir", cache, "--json"}},
      {"weft.version", {"version", "--parts", "--json"}},
      {"weft.tune", {"tune", small, "--seconds", "0", "--cache-dir", cache, "--json"}},
      {"weft.cache", {"cache", "ls", "--cache-dir", cache, "--json"}},
      {"weft.report", {"report", small, "--random", "1", "--out", folder / "page.html", "--json"}},
      {"weft.cache.export", {"cache", "export", folder / "bundle", "--cache-dir", cache, "--json"}},
      {"weft.cache.import", {"cache", "import", folder / "bundle", "--cache-dir", cache, "--json"}},
      {"weft.cache.trim", {"cache", "trim", "--max-bytes", "0", "--cache-dir", cache, "--json"}},
      {"weft.cache.clear", {"cache", "clear", "--cache-dir", cache, "--json"}},
      {"weft.cache.trim", {"cache", "trim", "--max-bytes", "0", "--cache-dir", folder / "none", "--json"}},
      {"weft.cache.clear", {"cache", "clear", "--cache-dir", folder / "none", "--json"}},
  };
  if (WEFT_TEST_COMPILES) {
    all.emplace_back("weft.export",
                     std::vector<std::string>{"export", softmax, "--folder", folder / "exported", "--json"});
    all.emplace_back("weft.calibrate", std::vector<std::string>{"calibrate", "--cache-dir", cache, "--json"});
    all.emplace_back("weft.warm", std::vector<std::string>{"warm", small, "--cache-dir", cache, "--json"});
  }
  const std::string page = read_text("docs/seeing_inside.md");
  for (auto& [schema, arguments] : all) {
    const Ran ran = run_weft(arguments);
    ASSERT_EQ(ran.code, 0) << schema << ran.err;
    const json data = json::parse(ran.out);
    EXPECT_EQ(data["schema"], schema);
    EXPECT_EQ(data["version"], schema == "weft.explain" ? 2 : 1) << schema;
    // The page names the fields.
    EXPECT_THAT(page, HasSubstr("\"" + schema + "\""));
    for (auto& [field, value] : data.items()) EXPECT_THAT(page, HasSubstr("`" + field + "`")) << schema;
  }
}

TEST(CliJson, OfARunHasItsOutputsChecksAndTimes) {
  const std::string graph =
      "graph {\n  %x = input : f64[2, 2]\n  %y = add %x, %x\n  %b = equal %y, %y\n  return %y, %b\n}\n";
  const json data = json::parse(
      run_weft({"run", "-", "--random", "1", "--verify", "--time=2", "--profile", "--json"}, graph).out);
  ASSERT_EQ(data["outputs"].size(), 2u);
  EXPECT_EQ(data["outputs"][0]["dtype"], "f64");
  EXPECT_EQ(data["outputs"][0]["shape"], json({2, 2}));
  EXPECT_EQ(data["outputs"][0]["first"].size(), 4u);
  EXPECT_EQ(data["outputs"][1]["first"], json({"true", "true", "true", "true"}));
  EXPECT_EQ(data["outputs"][1]["check"]["agrees"], true);
  EXPECT_EQ(data["time"]["runs"], 2);
  EXPECT_FALSE(data["time"]["steps"].empty());
  EXPECT_EQ(data["profile"]["schema"], "weft.profile");
  const json plain = json::parse(run_weft({"run", "-", "--random", "1", "--json"}, graph).out);
  EXPECT_TRUE(plain["time"].is_null() && plain["profile"].is_null() &&
              !plain["outputs"][0].contains("check"));
  EXPECT_EQ(run_weft({"run", "-", "--random", "1", "--json", "--each-op"}, graph).code, 2);
  EXPECT_THAT(run_weft({"run", "-", "--random", "1", "--json", "--out", "0=-"}, graph).err,
              HasSubstr("leaves no room"));
}

// ---- exit codes

TEST(CliExitCodes, AreThoseOfThePage) {
  const std::string page = read_text("docs/debugging.md");
  std::set<int> documented;
  std::istringstream rows(page.substr(page.find("| exit code | means |")));
  std::string row;
  for (std::getline(rows, row), std::getline(rows, row); std::getline(rows, row) && row.starts_with("| ");)
    documented.insert(std::stoi(row.substr(2)));
  const Folder folder;
  write_text(folder / "x.weft", "graph {\n  %x = input : f64[1]\n  %z = multiply %x, 0.0\n  return %z\n}\n");
  std::set<int> met;
  met.insert(run_weft({"version"}).code);
  met.insert(run_weft({"show", folder / "nowhere"}).code);
  met.insert(run_weft({"show"}).code);
  // An infinity times 0, which `fast` takes for 0.
  write_text(folder / "inf.weft",
             "graph {\n  %x = input : f64[1]\n  %i = divide 1.0, %x\n  %z = subtract %x, %x\n  %d = divide "
             "%i, %z\n  %e = multiply %d, 0.0\n  return %e\n}\n");
  met.insert(run_weft({"check", folder / "inf.weft", "--random", "1", "--numerics", "fast"}).code);
  write_text(
      folder / "nan.weft",
      "graph {\n  %x = input : f64[1]\n  %z = subtract %x, %x\n  %n = divide %z, %z\n  return %n\n}\n");
  met.insert(run_weft({"check", folder / "nan.weft", "--random", "1"}).code);
  met.insert(70);  // a defect, which no command line here brings about
  EXPECT_EQ(met, documented);
  EXPECT_THAT(run_weft({"--help"}).out, AllOf(HasSubstr("0 all well"), HasSubstr("3 results that are wrong"),
                                              HasSubstr("70 a defect of weft")));
}

}  // namespace
}  // namespace weft::test
