// Four functions whose newest versions ask for glibc 2.35 and 2.36 and for libstdc++ 12, bound to older ones here, so that a
// self-contained libweft loads with glibc 2.34 and libstdc++ 11. They are hidden: only what is linked with them calls them.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#if defined(__x86_64__)
#define WEFT_FIRST_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define WEFT_FIRST_GLIBC "GLIBC_2.17"
#else
#error "the first version of glibc's symbols is not known for this processor"
#endif

// std::condition_variable::wait(std::unique_lock<std::mutex>&), which libstdc++ 12 only marks differently.
#define WEFT_WAIT "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"

extern "C" {
double weft_older_hypot(double, double) noexcept;
float weft_older_hypotf(float, float) noexcept;
void weft_older_wait(void* self, void* lock);
__asm__(".symver weft_older_hypot, hypot@" WEFT_FIRST_GLIBC);
__asm__(".symver weft_older_hypotf, hypotf@" WEFT_FIRST_GLIBC);
__asm__(".symver weft_older_wait, " WEFT_WAIT "@GLIBCXX_3.4.11");

// By names of the linker's: what the compiler knows of hypot says that everybody sees it.
double weft_hypot(double a, double b) __asm__("hypot");
float weft_hypotf(float a, float b) __asm__("hypotf");
void weft_wait(void* self, void* lock) __asm__(WEFT_WAIT);

double weft_hypot(double a, double b) { return weft_older_hypot(a, b); }
float weft_hypotf(float a, float b) { return weft_older_hypotf(a, b); }
void weft_wait(void* self, void* lock) { weft_older_wait(self, lock); }

// LLVM draws names of temporary files with it.
uint32_t arc4random() noexcept {
  uint32_t drawn = 0;
  if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) std::abort();
  return drawn;
}
}
