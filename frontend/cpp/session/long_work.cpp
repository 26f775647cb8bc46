#include "frontend/cpp/session/long_work.h"

#include <pthread.h>

#include <atomic>

#include "frontend/cpp/weft/memory.h"
#include "runtime/fork.h"

namespace weft {
namespace {

void* (*enter_long_work)() = nullptr;
void (*leave_long_work)(void*) = nullptr;

std::atomic<int> under_way{0};
std::atomic<bool> forking{false};
thread_local int mine = 0;

void begin() {
  for (;;) {
    under_way.fetch_add(1);
    if (!forking.load() || mine > 0) break;
    under_way.fetch_sub(1);
    under_way.notify_all();
    forking.wait(true);
  }
  ++mine;
}

void end() {
  --mine;
  under_way.fetch_sub(1);
  if (forking.load()) under_way.notify_all();
}

void before_fork() {
  forking.store(true);
  if (under_way.load() <= mine) return;
  // Who works may ask for the interpreter's lock, which a thread that forks has.
  void* const token = enter_long_work ? enter_long_work() : nullptr;
  for (int now = under_way.load(); now > mine; now = under_way.load()) under_way.wait(now);
  if (token) leave_long_work(token);
}
void go_on() {
  forking.store(false);
  forking.notify_all();
}
void in_child() {
  under_way.store(mine);
  go_on();
}

}  // namespace

void on_long_work(void* (*enter)(), void (*leave)(void*)) {
  enter_long_work = enter;
  leave_long_work = leave;
}

detail::LongWork::LongWork() : token_(enter_long_work ? enter_long_work() : nullptr) { begin(); }
// Others may fork while this thread waits for what `leave` takes back.
detail::LongWork::~LongWork() {
  end();
  if (token_) leave_long_work(token_);
}

void detail::watch_forks() {
  runtime::notice_forks();  // before any device is made: a GPU's too must know
  static const int registered = pthread_atfork(before_fork, go_on, in_child);
  static_cast<void>(registered);
}

}  // namespace weft
