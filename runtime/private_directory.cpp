#include "runtime/private_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace weft::runtime {
namespace {

// Why the folders above a path let others put something else in its place; empty where they do not. Of one
// that others may write to, a sticky one, as /tmp, keeps them from it. A group of the user's own number has
// nobody else.
std::string parents_problem(const std::string& path) {
  for (size_t end = path.rfind('/'); end != std::string::npos;
       end = end > 0 ? path.rfind('/', end - 1) : end) {
    const std::string parent = end > 0 ? path.substr(0, end) : "/";
    struct stat status;
    if (::lstat(parent.c_str(), &status) != 0) return parent + ": " + std::strerror(errno);
    if (S_ISLNK(status.st_mode)) {
      if (status.st_uid != ::geteuid() && status.st_uid != 0)
        return fmt::format("{}: a symbolic link of user {}, not of this one ({})", parent, status.st_uid,
                           ::geteuid());
      if (::stat(parent.c_str(), &status) != 0) return parent + ": " + std::strerror(errno);
    }
    const bool group = (status.st_mode & S_IWGRP) && status.st_gid != ::geteuid();
    if ((group || (status.st_mode & S_IWOTH)) && !(status.st_mode & S_ISVTX))
      return fmt::format("{}: other users can replace it, since they can write to {}, which is not sticky",
                         path, parent);
    if (end == 0) break;
  }
  return {};
}

}  // namespace

bool make_directory(const std::string& path) {
  // Parents get the usual mode: only the last folder holds anything private.
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    if (::mkdir(path.substr(0, at).c_str(), 0777) != 0 && errno != EEXIST) return false;
  return ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

std::string directory_problem(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return path + ": " + std::strerror(errno);
  // Whoever can replace a link can lead to a folder of their own, so the link has to be this user's too.
  if (S_ISLNK(status.st_mode)) {
    if (status.st_uid != ::geteuid())
      return path + ": a symbolic link of user " + std::to_string(status.st_uid) + ", not of this one (" +
             std::to_string(::geteuid()) + ")";
    if (::stat(path.c_str(), &status) != 0) return path + ": a symbolic link to nothing";
  }
  if (!S_ISDIR(status.st_mode)) return path + ": not a directory";
  if (status.st_uid != ::geteuid())
    return path + ": owned by user " + std::to_string(status.st_uid) + ", not by this one (" +
           std::to_string(::geteuid()) + ")";
  if (status.st_mode & (S_IWGRP | S_IWOTH)) return path + ": other users can write to it";
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0) return path + ": " + std::strerror(errno);
  // Where the path leads, and each step of the way there.
  std::error_code code;
  const std::filesystem::path absolute = std::filesystem::absolute(path, code);
  if (code) return path + ": " + code.message();
  if (std::string problem = parents_problem(absolute.string()); !problem.empty()) return problem;
  const std::filesystem::path real = std::filesystem::canonical(path, code);
  return code ? path + ": " + code.message() : parents_problem(real.string());
}

std::string file_problem(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return "not a regular file";
  if (status.st_uid != ::geteuid()) return "owned by user " + std::to_string(status.st_uid);
  if (status.st_mode & (S_IWGRP | S_IWOTH)) return "other users can write to it";
  if (status.st_nlink > 1) return "it has " + std::to_string(status.st_nlink) + " names";
  return {};
}

}  // namespace weft::runtime
