// A vendor library opened while the program runs, so that one build serves machines with and without CUDA.
// It is never closed: the CUDA libraries keep threads and exit handlers of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft::runtime::cuda {

class SharedLibrary {
 public:
  // Where CUDA's libraries usually are; "" stands for the loader's own search.
  static std::vector<std::string> default_directories();

  // The first of `names` found, each looked for in every directory and in the `nvidia/*/lib` folders below
  // it, as Python packages lay them out. None when nothing opened; then `reason` lists what was tried.
  static std::optional<SharedLibrary> open(const std::vector<std::string>& names,
                                           const std::vector<std::string>& directories, std::string& reason);

  // Null when the library has no such symbol.
  void* symbol(const char* name) const;
  const std::string& path() const { return path_; }

 private:
  SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  std::string path_;
};

}  // namespace weft::runtime::cuda
