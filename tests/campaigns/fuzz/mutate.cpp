// A target without libFuzzer: its seeds, changed at random, and no coverage to guide. The short form that
// every build runs; with --write-seeds the seeds become files for libFuzzer.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "tests/campaigns/fuzz/target.h"
#include "tests/fuzz/random.h"

namespace weft::test {
namespace {

std::string mutated(const std::vector<std::string>& seeds, Random& random) {
  std::string text = random.pick(seeds);
  for (int64_t changes = random.between(1, 6); changes > 0; --changes) {
    const auto at = [&] { return static_cast<size_t>(random.below(static_cast<int64_t>(text.size()) + 1)); };
    const size_t from = at(),
                 length = std::min(static_cast<size_t>(random.between(1, 16)), text.size() - from);
    switch (random.below(6)) {
      case 0:
        if (from < text.size()) text[from] = static_cast<char>(text[from] ^ (1 << random.below(8)));
        break;
      case 1:
        text.erase(from, length);
        break;
      case 2:
        text.insert(at(), text.substr(from, length));
        break;
      case 3:
        text.insert(from, 1, static_cast<char>(random.below(256)));
        break;
      case 4: {
        static const std::vector<std::string> numbers = {"0",
                                                         "-1",
                                                         "9223372036854775807",
                                                         "-9223372036854775808",
                                                         "1e999",
                                                         "nan",
                                                         "18446744073709551616",
                                                         "[",
                                                         "]",
                                                         "\"",
                                                         "%"};
        text.replace(from, length, random.pick(numbers));
        break;
      }
      default: {
        const std::string& other = random.pick(seeds);
        const auto start = static_cast<size_t>(random.below(static_cast<int64_t>(other.size()) + 1));
        text.replace(from, length, other.substr(start, static_cast<size_t>(random.between(1, 64))));
      }
    }
  }
  return text;
}

int run(int argc, char** argv) {
  CLI::App app("Seeds of a fuzz target, changed at random");
  uint64_t first = 0, count = 10'000;
  std::string folder;
  app.add_option("--first", first, "the number of the first input");
  app.add_option("--count", count, "how many inputs");
  app.add_option("--write-seeds", folder, "write the seeds to this folder and end");
  CLI11_PARSE(app, argc, argv);
  const std::vector<std::string> seeds = fuzz_seeds();
  if (!folder.empty()) {
    for (size_t k = 0; k < seeds.size(); ++k)
      std::ofstream(folder + "/seed" + std::to_string(k), std::ios::binary) << seeds[k];
    return 0;
  }
  const auto give = [](const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  for (auto& seed : seeds) give(seed);
  for (uint64_t k = first; k < first + count; ++k) {
    Random random(k);
    const std::string text = mutated(seeds, random);
    try {
      give(text);
    } catch (const std::exception& e) {
      std::ofstream("fuzz_input", std::ios::binary) << text;
      std::printf("input %llu, written to fuzz_input: %s\n", static_cast<unsigned long long>(k), e.what());
      return 1;
    }
  }
  std::printf("%zu seeds and %llu inputs made of them: no fault\n", seeds.size(),
              static_cast<unsigned long long>(count));
  return 0;
}

}  // namespace
}  // namespace weft::test

int main(int argc, char** argv) { return weft::test::run(argc, argv); }
