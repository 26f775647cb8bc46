#include "runtime/cuda/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace weft::runtime::cuda {

namespace {

std::vector<std::string> candidates(const std::string& name, const std::string& directory) {
  if (directory.empty()) return {name};
  namespace fs = std::filesystem;
  std::vector<std::string> found{(fs::path(directory) / name).string()};
  std::error_code ignored;
  for (const auto& package : fs::directory_iterator(fs::path(directory) / "nvidia", ignored)) {
    fs::path file = package.path() / "lib" / name;
    if (fs::exists(file, ignored)) found.push_back(file.string());
  }
  std::sort(found.begin() + 1, found.end());
  return found;
}

}  // namespace

std::vector<std::string> SharedLibrary::default_directories() {
  return {"", "/usr/local/cuda/lib64", "/usr/lib/wsl/lib"};
}

std::optional<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names,
                                                 const std::vector<std::string>& directories,
                                                 std::string& reason) {
  std::string missing, broken;
  for (const std::string& name : names) {
    for (const std::string& directory : directories) {
      for (const std::string& path : candidates(name, directory)) {
        if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle, path);
        const char* text = dlerror();
        const std::string why = text ? text : path + " cannot be opened";
        // A library that is there but lacks one of its own is named by what it lacks.
        if (why.starts_with(path + ": cannot open shared object file"))
          missing += fmt::format("{}{}", missing.empty() ? "not found: " : ", ", path);
        else
          broken += fmt::format("{}{}", broken.empty() ? "" : "; ", why);
      }
    }
  }
  reason = fmt::format("{}{}{}", broken, broken.empty() || missing.empty() ? "" : "; ", missing);
  if (reason.empty()) reason = "no directory to look in";
  return std::nullopt;
}

void* SharedLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace weft::runtime::cuda
