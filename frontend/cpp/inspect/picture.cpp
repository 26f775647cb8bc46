#include "frontend/cpp/inspect/picture.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "compiler/base/error.h"

namespace weft::detail {

namespace {

// In memory, and no pipe: what reads slowly, or not at all, holds nobody up.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File file_in_memory() {
  const int descriptor = memfd_create("weft", MFD_CLOEXEC);
  File out(descriptor < 0 ? nullptr : fdopen(descriptor, "w+"), &std::fclose);
  if (!out) throw Error(std::string("show: no memory for Graphviz's files: ") + std::strerror(errno));
  return out;
}

std::string all_of(std::FILE* file) {
  constexpr size_t kBlock = 1 << 16;
  if (std::fseek(file, 0, SEEK_SET) != 0) return {};
  std::string out;
  std::array<char, kBlock> block;
  for (size_t got; (got = std::fread(block.data(), 1, block.size(), file)) > 0;)
    out.append(block.data(), got);
  return out;
}

struct Actions {
  posix_spawn_file_actions_t actions;
  Actions() { posix_spawn_file_actions_init(&actions); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
};

std::string without_line_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string svg_of(const std::string& drawing) {
  const File in = file_in_memory(), out = file_in_memory(), said = file_in_memory();
  const bool all = std::fwrite(drawing.data(), 1, drawing.size(), in.get()) == drawing.size();
  if (!all || std::fflush(in.get()) != 0 || std::fseek(in.get(), 0, SEEK_SET) != 0)
    throw Error(std::string("show: the drawing could not be written for Graphviz: ") + std::strerror(errno));
  Actions files;
  posix_spawn_file_actions_adddup2(&files.actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files.actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files.actions, fileno(said.get()), STDERR_FILENO);
  std::string name = "dot", as = "-Tsvg";
  std::array<char*, 3> arguments = {name.data(), as.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "dot", &files.actions, nullptr, arguments.data(), environ);
  if (failed == ENOENT || failed == EACCES)
    throw Error(
        "show: \"svg\" needs the program dot of Graphviz, which is not there: install graphviz, or ask for "
        "\"dot\"");
  if (failed) throw Error(std::string("show: dot could not be started: ") + std::strerror(failed));
  int status = 0;
  pid_t ended = 0;
  do ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  // A program that reaps its children itself leaves no status.
  const bool is_known = ended == child;
  const std::string picture = all_of(out.get());
  if ((is_known && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) || picture.empty())
    throw Error("show: dot failed: " + without_line_end(all_of(said.get())));
  return picture;
}

}  // namespace weft::detail
