// Preloaded, it makes the time of day jump by up to ten years to either side, at every sixteenth look of a
// thread. Clocks that only go forward, std::chrono::steady_clock's, are left alone.
#include <dlfcn.h>
#include <sys/time.h>

#include <cstdlib>
#include <ctime>

namespace {

constexpr long kTenYears = 315'360'000;  // seconds

long jump() {
  thread_local unsigned looks = 0, seed = 1;
  thread_local long offset = 0;
  if (looks++ % 16 == 0) offset = rand_r(&seed) % (2 * kTenYears) - kTenYears;
  return offset;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  using Real = int(clockid_t, timespec*);
  static auto* const real = reinterpret_cast<Real*>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += jump();
  return result;
}

time_t time(time_t* to) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec exact{};
  clock_gettime(CLOCK_REALTIME, &exact);
  *now = {exact.tv_sec, exact.tv_nsec / 1000};
  return 0;
}
}
