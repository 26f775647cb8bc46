#include "frontend/python/src/crash_notice.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace weft::python {
namespace {

struct Deadly {
  int number;
  const char* name;
  struct sigaction before;
};
Deadly deadly[] = {{SIGABRT, "SIGABRT", {}},
                   {SIGSEGV, "SIGSEGV", {}},
                   {SIGBUS, "SIGBUS", {}},
                   {SIGILL, "SIGILL", {}},
                   {SIGFPE, "SIGFPE", {}}};
const std::string *text_before, *text_after;
pid_t saying_process = 0;

void say(const char* text, size_t size) { static_cast<void>(!write(STDERR_FILENO, text, size)); }

// Calls nothing that may not be called in a handler.
void on_crash(int number) {
  for (Deadly& one : deadly) {
    if (one.number != number) continue;
    if (getpid() == saying_process) {
      say(text_before->data(), text_before->size());
      say(one.name, std::strlen(one.name));
      say(text_after->data(), text_after->size());
    }
    sigaction(number, &one.before, nullptr);
    raise(number);
  }
}

}  // namespace

void say_at_crash(const std::string& before, const std::string& after) {
  if (saying_process != 0) return;
  text_before = new std::string(before),
  text_after = new std::string(after);  // for as long as the process lives
  saying_process = getpid();
  for (Deadly& one : deadly) {
    struct sigaction action = {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    sigaction(one.number, &action, &one.before);
  }
}

}  // namespace weft::python
