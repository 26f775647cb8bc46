#include "tests/support/cli_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace weft::test {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void redirect(const std::string& path, int flags, int to) {
  int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(126);
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "weft-cli-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

namespace {

// The program lies beside the folder of the tests, in a bundle on another machine, too.
std::string program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "weft").string();
}

// The exit code, or 128 + the signal.
int run(const std::vector<std::string>& arguments, const std::string& in, const std::string& out,
        const std::string& err) {
  std::vector<std::string> all = {program()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& a : all) argv.push_back(a.data());
  argv.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    redirect(in, O_RDONLY, 0);
    redirect(out, O_WRONLY | O_CREAT, 1);
    redirect(err, O_WRONLY | O_CREAT, 2);
    setenv("WEFT_CACHE_DIR", "off", 1);
    unsetenv("WEFT_DEVICE");
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) throw std::runtime_error("weft could not be started");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_weft_into(const std::string& out, const std::string& err, const std::vector<std::string>& arguments) {
  return run(arguments, "/dev/null", out, err);
}

Ran run_weft(const std::vector<std::string>& arguments, const std::string& input) {
  Folder folder;
  write_text(folder / "in", input);
  const int code = run(arguments, folder / "in", folder / "out", folder / "err");
  return {code, read_file(folder / "out"), read_file(folder / "err")};
}

}  // namespace weft::test
