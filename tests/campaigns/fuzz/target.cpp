#include "tests/campaigns/fuzz/target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace weft::test {

namespace fs = std::filesystem;

std::vector<std::string> files_ending_in(const std::string& folder, const std::string& ending) {
  std::vector<fs::path> paths;
  for (auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().string().ends_with(ending)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> contents;
  for (auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return contents;
}

ScratchFile::ScratchFile(const std::string& name) {
  std::error_code none;
  const fs::path shared = "/dev/shm";
  std::string pattern =
      ((fs::is_directory(shared, none) ? shared : fs::temp_directory_path()) / "weft_fuzz_XXXXXX").string();
  if (!mkdtemp(pattern.data())) fault("no folder for scratch files: " + pattern);
  folder_ = pattern;
  path_ = folder_ + "/" + name;
}

ScratchFile::~ScratchFile() {
  std::error_code none;
  fs::remove_all(folder_, none);
}

void ScratchFile::write(const std::string& bytes) const {
  std::ofstream out(path_, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void fault(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace weft::test
