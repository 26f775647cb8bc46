// docs/schedules_chosen.md lists what the rules choose for common shapes; this computes that list anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "tests/support/golden.h"
#include "tests/support/targets.h"
#include "tests/texts/schedule_examples.h"

namespace weft {
namespace {

const Target kCpu{TargetKind::Cpu, 16, 64, size_t{32} << 20};

// The schedules of all kernels, in order.
std::vector<std::string> schedules(const std::string& text, const Target& target) {
  std::vector<std::string> out;
  Options options;
  options.dump = [&](std::string_view stage, std::string_view dumped) {
    if (stage != "plan") return;
    std::istringstream lines{std::string(dumped)};
    constexpr std::string_view kSchedule = "schedule ";
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(kSchedule)) out.push_back(line.substr(kSchedule.size()));
  };
  compile(ir::parse(text), target, options);
  return out;
}

std::string list() {
  std::string out;
  for (auto& [name, graph] : test::schedule_examples()) {
    out += name + "\n";
    for (auto& [label, target] : {std::pair{"cpu ", kCpu}, {"cuda", test::h200()}})
      for (auto& schedule : schedules(graph, target)) out += fmt::format("  {}  {}\n", label, schedule);
  }
  return out;
}

TEST(SchedulesPage, ListsWhatTheRulesChoose) {
  const std::string path = std::filesystem::absolute("docs/schedules_chosen.md").string();
  const std::string page = test::read_text(path), begin = "```text\n", end = "```";
  const size_t from = page.rfind(begin), to = page.rfind(end);
  ASSERT_TRUE(from != std::string::npos && from < to) << "docs/schedules_chosen.md ends with a block of text";
  test::expect_golden(path, page.substr(0, from) + begin + list() + page.substr(to));
}

}  // namespace
}  // namespace weft
