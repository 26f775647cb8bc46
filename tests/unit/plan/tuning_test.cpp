// docs/tuning.md lists every number that was measured rather than derived.
#include "compiler/machine/tuning.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "compiler/machine/feasible.h"
#include "compiler/machine/machine.h"
#include "tests/support/golden.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

TEST(Tuning, ThePageListsTheTable) {
  const std::string path = std::filesystem::absolute("docs/tuning.md").string();
  const std::string page = test::read_text(path), mark = "<!-- the table -->\n";
  const size_t from = page.find(mark);
  ASSERT_NE(from, std::string::npos) << "docs/tuning.md has no line " << mark;
  test::expect_golden(path, page.substr(0, from + mark.size()) + "\n" + tuning::markdown());
}

// Pages quote a row as `kName` (value).
TEST(Tuning, PagesQuoteItsValues) {
  std::map<std::string, double> values;
  for (auto& group : tuning::table())
    for (auto& row : group.rows) values[std::string(row.name)] = row.value;
  const std::regex quote("`(k[A-Z]\\w*)` \\(([0-9.]+)\\)");
  int quotes = 0;
  for (auto& page : std::filesystem::directory_iterator(std::filesystem::absolute("docs"))) {
    if (page.path().extension() != ".md") continue;
    const std::string text = test::read_text(page.path().string());
    for (std::sregex_iterator it(text.begin(), text.end(), quote), end; it != end; ++it, ++quotes) {
      const auto row = values.find((*it)[1]);
      ASSERT_NE(row, values.end()) << page.path() << ": no row is called " << (*it)[1];
      EXPECT_EQ(std::stod((*it)[2]), row->second) << page.path() << ": " << (*it)[1];
    }
  }
  EXPECT_GT(quotes, 10);
}

TEST(Tuning, EveryRowSaysWhatItIs) {
  std::set<std::string_view> names, facts;
  for (auto& group : tuning::table()) {
    EXPECT_FALSE(group.measured_on.empty() || group.measured_again_by.empty()) << group.title;
    for (auto& row : group.rows) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name << " stands there twice";
      EXPECT_FALSE(row.unit.empty() || row.since.empty() || row.what.empty()) << row.name;
      facts.insert(row.from);
      EXPECT_GT(row.value, 0) << row.name;
    }
  }
  // Of each kind of fact the page says what it is.
  const std::string page = test::read_text("docs/tuning.md"),
                    above = page.substr(0, page.find("<!-- the table -->"));
  for (const std::string_view fact : facts)
    EXPECT_NE(above.find("`" + std::string(fact.substr(0, fact.find("none: ") == 0 ? 6 : fact.npos))),
              std::string::npos)
        << fact;
}

// A row that fusion leaves to one kernel is one that schedules keep on the chip.
TEST(Feasible, RowsAreLocalUpToWhatAClusterKeeps) {
  const Target h200 = test::h200(), a100{TargetKind::Cuda, 108, 16, size_t{40} << 20, size_t{163} << 10};
  EXPECT_TRUE(machine::has_clusters(h200));
  EXPECT_FALSE(machine::has_clusters(a100));
  EXPECT_TRUE(machine::row_is_local(1, tuning::kLongestRow, false, h200));
  EXPECT_FALSE(machine::row_is_local(1, tuning::kLongestRow + 1, false, h200));
  EXPECT_FALSE(machine::row_is_local(1, tuning::kLongestRow, false, h200, 2)) << "of two words each";
  EXPECT_FALSE(machine::row_is_local(1, tuning::kLongestOfBlock + 1, true, h200)) << "scanned by one block";
  EXPECT_FALSE(machine::row_is_local(1, tuning::kLongestOfBlock + 1, false, a100)) << "which has no clusters";
  EXPECT_TRUE(machine::row_is_local(a100.threads, 1 << 20, false, a100)) << "points enough for the device";
}

TEST(Feasible, OnTheCpuNoThreadsCount) {
  for (int threads : {1, 2, 64}) {
    Target cpu = test::cpu();
    cpu.threads = threads;
    EXPECT_TRUE(machine::row_is_local(16, 1 << 20, false, cpu));
    EXPECT_FALSE(machine::row_is_local(15, 1 << 20, false, cpu));
    EXPECT_TRUE(machine::row_is_local({4, 1 << 10, true, false}, DType::F32, cpu));
    EXPECT_FALSE(machine::row_is_local({4, 1 << 16, true, false}, DType::F32, cpu)) << "in parts";
  }
}

}  // namespace
}  // namespace weft
