#include "runtime/cpu/small_dot.h"

#include "runtime/cpu/instructions.h"

namespace weft::runtime {
namespace {

constexpr int64_t kMostShortRows = 32, kMostColumns = 16, kMostTerms = 32;

namespace avx2 {
constexpr int64_t kWidest = 32;
#define WEFT_INSTRUCTIONS "avx2,fma"
#include "runtime/cpu/small_dot_loops.inc"
#undef WEFT_INSTRUCTIONS
}  // namespace avx2

namespace avx512 {
constexpr int64_t kWidest = 64;
#define WEFT_INSTRUCTIONS "avx512f,avx512vl,avx2,fma"
#include "runtime/cpu/small_dot_loops.inc"
#undef WEFT_INSTRUCTIONS
}  // namespace avx512

template <typename T>
void all(const SmallDots<T>& what, int64_t begin, int64_t end, bool wide) {
  wide ? avx512::all(what, begin, end) : avx2::all(what, begin, end);
}

}  // namespace

bool small_dot_applies(int64_t m, int64_t n, int64_t k) {
  static const bool instructions = has_avx2();
  return instructions && m <= kMostShortRows && n <= kMostColumns && k <= kMostTerms;
}

bool small_dots_are_wide() {
  static const bool instructions = has_avx512vl();
  return instructions;
}

void small_dots(const SmallDots<float>& what, int64_t begin, int64_t end, bool wide) {
  all(what, begin, end, wide);
}
void small_dots(const SmallDots<double>& what, int64_t begin, int64_t end, bool wide) {
  all(what, begin, end, wide);
}

}  // namespace weft::runtime
