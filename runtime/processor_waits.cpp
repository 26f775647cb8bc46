#include "runtime/processor_waits.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace weft::runtime {

namespace {

// The second number of schedstat is the time in which the thread could have run, and did not.
std::map<int, int64_t> waits_of_threads() {
  std::map<int, int64_t> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec != std::errc()) continue;
    int64_t ran = 0, waited = 0;
    if (std::ifstream file(at->path() / "schedstat"); file >> ran >> waited) out[thread] = waited;
  }
  return out;
}

int64_t stolen_by_the_host() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  int64_t ticks = 0;
  file >> cpu;
  constexpr int kSteal = 8;  // its place among the numbers of the first line
  for (int k = 0; k < kSteal; ++k)
    if (!(file >> ticks)) return 0;
  const long a_second = sysconf(_SC_CLK_TCK);
  return a_second > 0 ? ticks * (1'000'000'000 / a_second) : 0;
}

// A thread's own file, open while the thread lives. A forked child's is another one.
class OwnFile {
 public:
  ~OwnFile() { close(); }
  int descriptor() {
    if (process_ != ::getpid()) {
      close();
      process_ = ::getpid();
      descriptor_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    }
    return descriptor_;
  }

 private:
  void close() const {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  pid_t process_ = 0;
  int descriptor_ = -1;
};

}  // namespace

int64_t waited_by_thread() {
  thread_local OwnFile own_file;
  char text[64];
  const ssize_t size = ::pread(own_file.descriptor(), text, sizeof text, 0);
  if (size <= 0) return 0;
  const char *const end = text + size, *second = std::find(text, text + size, ' ');
  int64_t waited = 0;
  if (second != end) std::from_chars(second + 1, end, waited);
  return waited;
}

ProcessorWaiting::ProcessorWaiting()
    : before_(waits_of_threads()), thread_(gettid()), stolen_before_(stolen_by_the_host()) {}

ProcessorWaits ProcessorWaiting::read() const {
  const std::map<int, int64_t> now = waits_of_threads();
  ProcessorWaits out;
  out.stolen = stolen_by_the_host() - stolen_before_;
  for (const auto& [thread, waited] : now) {
    const auto then = before_.find(thread);
    const int64_t since = waited - (then == before_.end() ? 0 : then->second);
    if (thread != thread_)
      out.others = std::max(out.others, since);
    else if (gettid() == thread_)
      out.own = since, out.known = then != before_.end();
  }
  return out;
}

}  // namespace weft::runtime
