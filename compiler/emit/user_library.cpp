#include "compiler/emit/user_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::emit {
namespace {

constexpr const char* kWidths = R"(typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
)";

constexpr const char* kMathematics = R"(typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_inf()
#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define NULL __null
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1)
#define FLT_MAX 3.40282347e+38f
#define FLT_MIN 1.17549435e-38f
#define FLT_EPSILON 1.1920929e-7f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define M_E 2.71828182845904523536
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
extern "C" void* memcpy(void*, const void*, size_t);
extern "C" void* memmove(void*, const void*, size_t);
extern "C" void* memset(void*, int, size_t);
namespace std {
using ::memcpy;
using ::memmove;
using ::memset;
using ::size_t;
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> constexpr const T& clamp(const T& x, const T& a, const T& b) { return x < a ? a : b < x ? b : x; }
template <class T> constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
template <class T> constexpr T lerp(T a, T b, T t) {
  if ((a <= 0 && b >= 0) || (a >= 0 && b <= 0)) return t * b + (1 - t) * a;
  if (t == 1) return b;
  const T x = a + t * (b - a);
  return (t > 1) == (b > a) ? (b < x ? x : b) : (b > x ? x : b);
}
}
#define __restrict__ __restrict
template <bool> struct weft_if {};
template <> struct weft_if<true> { typedef double type; };
// Of integers, and of two numbers of which one is none of the other's type, C++ computes in double.
#define WEFT_1(name) extern "C" double name(double); extern "C" float name##f(float); \
  static inline float name(float x) { return name##f(x); } \
  template <class T> static inline typename weft_if<__is_integral(T)>::type name(T x) { return name((double)x); } \
  namespace std { using ::name; using ::name##f; }
#define WEFT_2(name) extern "C" double name(double, double); extern "C" float name##f(float, float); \
  static inline float name(float x, float y) { return name##f(x, y); } \
  template <class T, class U> static inline typename weft_if<__is_arithmetic(T) && __is_arithmetic(U)>::type \
  name(T x, U y) { return name((double)x, (double)y); } \
  namespace std { using ::name; using ::name##f; }
#define WEFT_TEST(name) template <class T> static inline bool name(T x) { return __builtin_##name((double)x); } \
  namespace std { using ::name; }
#define WEFT_WHOLE(name, type, rounded) \
  template <class T> static inline type name(T x) { return (type)rounded(x); } namespace std { using ::name; }
)";

// What is neither of one float nor of two.
constexpr std::pair<const char*, const char*> kOthers[] = {
    {"isnan", "WEFT_TEST(isnan)\n"},
    {"isinf", "WEFT_TEST(isinf)\n"},
    {"isfinite", "WEFT_TEST(isfinite)\n"},
    {"signbit", "WEFT_TEST(signbit)\n"},
    {"lround", "WEFT_WHOLE(lround, long, __builtin_round)\n"},
    {"llround", "WEFT_WHOLE(llround, long long, __builtin_round)\n"},
    {"lrint", "WEFT_WHOLE(lrint, long, __builtin_rint)\n"},
    {"llrint", "WEFT_WHOLE(llrint, long long, __builtin_rint)\n"},
    {"fma", R"(extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
namespace std { using ::fma; using ::fmaf; }
)"},
    {"frexp", R"(extern "C" double frexp(double, int*);
static inline float frexp(float x, int* e) { return (float)frexp((double)x, e); }
namespace std { using ::frexp; }
)"},
    {"ldexp", R"(extern "C" double ldexp(double, int);
extern "C" float ldexpf(float, int);
static inline float ldexp(float x, int e) { return ldexpf(x, e); }
namespace std { using ::ldexp; using ::ldexpf; }
)"},
    {"scalbn", R"(static inline double scalbn(double x, int e) { return __builtin_ldexp(x, e); }
static inline float scalbn(float x, int e) { return __builtin_ldexpf(x, e); }
namespace std { using ::scalbn; }
)"},
    {"modf", R"(extern "C" double modf(double, double*);
static inline float modf(float x, float* whole) {
  double rest = 0;
  const double part = modf((double)x, &rest);
  *whole = (float)rest;
  return (float)part;
}
namespace std { using ::modf; }
)"},
    {"logb", R"(extern "C" double logb(double);
extern "C" int ilogb(double);
namespace std { using ::logb; using ::ilogb; }
)"},
    {"abs", R"(extern "C" int abs(int);
extern "C" long labs(long);
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
static inline long abs(long x) { return labs(x); }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
namespace std { using ::abs; }
)"},
    {"numeric_limits", R"(namespace std {
template <class T> struct numeric_limits;
#define WEFT_LIMITS(type, least, lowest_, most, step, is_float) template <> struct numeric_limits<type> { \
  static constexpr bool is_specialized = true, is_integer = !is_float, has_infinity = is_float, is_signed = (type)-1 < (type)0; \
  static constexpr type min() { return least; } static constexpr type lowest() { return lowest_; } \
  static constexpr type max() { return most; } static constexpr type epsilon() { return step; } \
  static constexpr type infinity() { return is_float ? (type)__builtin_inf() : (type)0; } \
  static constexpr type quiet_NaN() { return is_float ? (type)__builtin_nan("") : (type)0; } };
#define WEFT_WHOLES(type, bits) WEFT_LIMITS(type, (type)(1ull << (bits - 1)), (type)(1ull << (bits - 1)), (type)((1ull << (bits - 1)) - 1), 0, false) \
  WEFT_LIMITS(unsigned type, 0, 0, (unsigned type)(-1), 0, false)
WEFT_LIMITS(float, FLT_MIN, -FLT_MAX, FLT_MAX, FLT_EPSILON, true)
WEFT_LIMITS(double, DBL_MIN, -DBL_MAX, DBL_MAX, DBL_EPSILON, true)
WEFT_WHOLES(short, 16)
WEFT_WHOLES(int, 32)
WEFT_WHOLES(long, 64)
WEFT_WHOLES(long long, 64)
WEFT_LIMITS(signed char, -128, -128, 127, 0, false)
WEFT_LIMITS(unsigned char, 0, 0, 255, 0, false)
#undef WEFT_LIMITS
#undef WEFT_WHOLES
}
)"}};

constexpr const char* kEnd = R"(#undef WEFT_1
#undef WEFT_2
#undef WEFT_TEST
#undef WEFT_WHOLE
)";

constexpr const char* kOneArgument[] = {
    "acos", "acosh", "asin", "asinh", "atan", "atanh",     "cbrt",   "ceil", "cos",    "cosh",  "erf",
    "erfc", "exp",   "exp2", "expm1", "fabs", "floor",     "lgamma", "log",  "log10",  "log1p", "log2",
    "rint", "round", "sin",  "sinh",  "sqrt", "nearbyint", "tan",    "tanh", "tgamma", "trunc"};
constexpr const char* kTwoArguments[] = {"atan2", "copysign", "fdim", "fmax",      "fmin",
                                         "fmod",  "hypot",    "pow",  "remainder", "nextafter"};

constexpr std::string_view kHeaders[] = {
    "cmath",          "math.h",   "cstdint",          "stdint.h",        "cstddef", "stddef.h",
    "climits",        "limits.h", "cfloat",           "float.h",         "limits",  "algorithm",
    "cuda_runtime.h", "complex",  "thrust/complex.h", "cupy/complex.cuh"};

}  // namespace

bool user_library_has(std::string_view header) {
  return std::ranges::find(kHeaders, header) != std::end(kHeaders);
}

std::string user_library(const std::string& text, bool cuda) {
  if (cuda) return kWidths;
  // Of what the text names alone: reading all of it takes longer than a small kernel.
  const auto names = [&](const char* name) { return text.find(name) != std::string::npos; };
  std::string out = fmt::format("#line 1 \"{}\"\n", kUserLibrary) + kWidths + kMathematics;
  for (const char* name : kOneArgument)
    if (names(name)) out += fmt::format("WEFT_1({})\n", name);
  for (const char* name : kTwoArguments)
    if (names(name)) out += fmt::format("WEFT_2({})\n", name);
  for (const auto& [name, functions] : kOthers)
    if (names(name)) out += functions;
  return out + kEnd;
}

}  // namespace weft::emit
