// Files are written whole or not at all: beside their place first, and renamed when all is written.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "compiler/base/error.h"

namespace weft::io {

// Calls write(where) with the name of a file to write, which then becomes `path`. Where `path` is a device or
// a pipe, it is written itself. Throws what `write` throws, and leaves nothing behind.
template <class Write>
void write_whole_file(const std::string& path, Write&& write) {
  namespace fs = std::filesystem;
  std::error_code code;
  fs::path target = path;
  for (int links = 0; links < 40 && fs::is_symlink(target, code); ++links)
    target = target.parent_path() / fs::read_symlink(target);
  const fs::file_status status = fs::status(target, code);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write(path);
  static std::atomic<unsigned> files{0};  // two threads may write one file
  const std::string beside =
      target.string() + ".weft-" + std::to_string(::getpid()) + "-" + std::to_string(++files);
  try {
    write(beside);
    if (fs::exists(status)) fs::permissions(beside, status.permissions(), code);
    fs::rename(beside, target);
  } catch (const fs::filesystem_error& e) {
    fs::remove(beside, code);
    throw Error("'" + path + "': cannot be written: " + e.code().message());
  } catch (...) {
    fs::remove(beside, code);
    throw;
  }
}

}  // namespace weft::io
