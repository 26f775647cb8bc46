// What a fuzz target gives. libFuzzer calls LLVMFuzzerTestOneInput; where it is not at hand, mutate.cpp does.
// A fault is a crash, a sanitizer's report, or an exception that leaves the function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace weft::test {

// Sound inputs of the target, from which others are made.
std::vector<std::string> fuzz_seeds();

// The contents of the tree's files whose names end so, in the order of their names. Read from the top of the
// tree.
std::vector<std::string> files_ending_in(const std::string& folder, const std::string& ending);

// A file in memory of the system for readers that take a path, written anew for each input. Its folder goes
// with the process.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void write(const std::string& bytes) const;
  const std::string& folder() const { return folder_; }
  const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

[[noreturn]] void fault(const std::string& what);

}  // namespace weft::test
