#include "compiler/emit/user_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "compiler/program/checked_memory.h"

namespace weft::emit {
namespace {

using ir::UserKernel;

// What texts mostly include, as neither compiler reads a file: fixed widths, and on the CPU the functions of <cmath>.
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
template <class T> constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
}
#define WEFT_1(name) extern "C" double name(double); extern "C" float name##f(float); \
  static inline float name(float x) { return name##f(x); } namespace std { using ::name; }
#define WEFT_2(name) extern "C" double name(double, double); extern "C" float name##f(float, float); \
  static inline float name(float x, float y) { return name##f(x, y); } namespace std { using ::name; }
)";

constexpr const char* kOneArgument[] = {
    "acos", "acosh", "asin", "asinh", "atan", "atanh",     "cbrt",   "ceil", "cos",    "cosh",  "erf",
    "erfc", "exp",   "exp2", "expm1", "fabs", "floor",     "lgamma", "log",  "log10",  "log1p", "log2",
    "rint", "round", "sin",  "sinh",  "sqrt", "nearbyint", "tan",    "tanh", "tgamma", "trunc"};
constexpr const char* kTwoArguments[] = {"atan2", "copysign", "fdim", "fmax",      "fmin",
                                         "fmod",  "hypot",    "pow",  "remainder", "nextafter"};

// Includes of what is there already are left out; the lines keep their numbers.
std::string without_known_includes(const std::string& text) {
  static constexpr const char* kKnown[] = {"<cmath>",   "<math.h>",   "<cstdint>",   "<stdint.h>",
                                           "<cstddef>", "<stddef.h>", "<climits>",   "<limits.h>",
                                           "<cfloat>",  "<float.h>",  "<algorithm>", "<cuda_runtime.h>"};
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    bool known = false;
    if (const size_t sign = line.find_first_not_of(" \t");
        sign != std::string::npos && line[sign] == '#' && line.find("include", sign) != std::string::npos)
      for (const char* name : kKnown) known |= line.find(name) != std::string::npos;
    if (!known) out += line;
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

std::string make_cpu_prelude() {
  std::string out = std::string(kWidths) + kMathematics;
  for (const char* name : kOneArgument) out += fmt::format("WEFT_1({})\n", name);
  for (const char* name : kTwoArguments) out += fmt::format("WEFT_2({})\n", name);
  return out + "#undef WEFT_1\n#undef WEFT_2\n" +
         "extern \"C\" double fma(double, double, double);\nextern \"C\" float fmaf(float, float, float);\n" +
         "static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }\n" +
         "namespace std { using ::fma; }\n" + "extern \"C\" int abs(int);\nextern \"C\" long labs(long);\n" +
         "static inline float abs(float x) { return fabsf(x); }\n" +
         "static inline double abs(double x) { return fabs(x); }\n" +
         "static inline long abs(long x) { return labs(x); }\nnamespace std { using ::abs; }\n" +
         "#define __restrict__ __restrict\n";
}

const std::string& cpu_prelude() {
  static const std::string prelude = make_cpu_prelude();
  return prelude;
}

// The kernel becomes a function of the entry, which is what is launched: so a template's name needs no lookup. Words
// keep their places.
std::string as_device_functions(std::string text) {
  constexpr std::string_view kGlobal = "__global__", kBounds = "__launch_bounds__",
                             kConstant = "__grid_constant__";
  for (size_t at = 0; (at = text.find(kGlobal, at)) != std::string::npos; at += kGlobal.size())
    text.replace(at, kGlobal.size(), "__device__");
  for (size_t at = 0; (at = text.find(kConstant, at)) != std::string::npos; at += kConstant.size())
    text.replace(at, kConstant.size(), kConstant.size(), ' ');
  for (size_t at = 0; (at = text.find(kBounds, at)) != std::string::npos;) {
    int depth = 0;
    size_t end = at + kBounds.size();
    for (; end < text.size(); ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      if (depth == 0 && text[end] == ')') break;
    }
    for (; at < std::min(end + 1, text.size()); ++at)
      if (text[at] != '\n') text[at] = ' ';
  }
  return text;
}

std::string cuda_entry(const UserKernel& k, const std::string& called, size_t words) {
  return fmt::format(
      "struct WeftArgs {{ unsigned long long w[{}]; }};\n"
      "extern \"C\" __global__ void __launch_bounds__({}) WEFT_ENTRY(const __grid_constant__ WeftArgs "
      "weft_args) {{\n{}}}\n",
      std::max<size_t>(words, 1), k.block[0] * k.block[1] * k.block[2], called);
}

// What follows an address: nothing, or its tag where accesses are checked.
std::string tag(const UserKernel& k, size_t argument) {
  return k.checks ? fmt::format(" + {}ul", tag_of(argument)) : "";
}

bool is_constant(const UserKernel::Argument& one) { return one.kind == UserKernel::Argument::Kind::Constant; }

std::string call(const UserKernel& k, const std::vector<UserWord>& words, const char* array, bool of_range) {
  std::string out = "  " + k.name + "(";
  if (of_range) out += "begin, end";
  for (size_t i = 0; i < words.size(); ++i) {
    if (is_constant(k.arguments[i])) continue;  // behind those that the function takes
    if (i > 0 || of_range) out += ", ";
    const std::string& type = k.arguments[i].type;
    switch (words[i].holds) {
      case UserWord::Holds::Address:
        out += fmt::format("({})({}[{}]{})", type, array, words[i].word, tag(k, i));
        break;
      case UserWord::Holds::Number:
        out += fmt::format("*(const {}*)({} + {})", type, array, words[i].word);
        break;
      case UserWord::Holds::AddressOfNumber:
        out += fmt::format("*(const {}*){}[{}]", type, array, words[i].word);
        break;
    }
  }
  return out + ");\n";
}

constexpr const char* kCheckedEntry =
    R"(struct WeftMemory {{ unsigned long address, bytes, element; const char* name; }};
extern "C" void weft_run_checked(const char*, const WeftMemory*, long, void (*)(const unsigned long*, long, long),
                                 const unsigned long*, long, long);
static void weft_body(const unsigned long* w, long begin, long end) {{
{}}}
extern "C" void WEFT_ENTRY(const unsigned long* w, long begin, long end, char*) {{
  const WeftMemory weft_memory[] = {{{}}};
  weft_run_checked("{}", weft_memory, {}, weft_body, w, begin, end);
}}
)";

// The entry says where each argument lies; one that is a number has no bytes.
std::string checked_entry(const UserKernel& k, const std::vector<UserWord>& words) {
  std::string memory;
  for (size_t i = 0; i < words.size(); ++i) {
    const UserKernel::Argument& one = k.arguments[i];
    if (words[i].holds != UserWord::Holds::Address) {
      memory += "{0, 0, 1, \"\"}, ";
      continue;
    }
    const ir::TensorType& type =
        (one.kind == UserKernel::Argument::Kind::Result ? k.results : k.operands)[one.number];
    const auto element = static_cast<int64_t>(size_of(type.dtype));
    memory += fmt::format("{{w[{}], {}, {}, \"{}\"}}, ", words[i].word, element_count(type.shape) * element,
                          element, one.name);
  }
  return fmt::format(kCheckedEntry, call(k, words, "w", true), memory, k.title, words.size());
}

std::string cpu_entry(const UserKernel& k, const std::vector<UserWord>& words) {
  if (k.checks) return checked_entry(k, words);
  return "extern \"C\" void WEFT_ENTRY(const unsigned long* w, long begin, long end, char*) {\n" +
         call(k, words, "w", true) + "}\n";
}

std::shared_ptr<const std::vector<KernelConstant>> constants_of(const UserKernel& k,
                                                                const std::vector<UserWord>& words) {
  std::vector<KernelConstant> found;
  for (size_t i = 0; i < words.size(); ++i) {
    const UserKernel::Argument& one = k.arguments[i];
    if (!is_constant(one)) continue;
    const ir::TensorType& type = k.operands[one.number];
    found.push_back({one.name, static_cast<uint32_t>(words[i].word),
                     static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype)});
  }
  if (found.empty()) return nullptr;
  return std::make_shared<const std::vector<KernelConstant>>(std::move(found));
}

Emitted of_library(const UserKernel& k) {
  Emitted out;
  out.source.name = out.source.text = k.library->name;
  out.source.hash = hash_text("library function " + out.source.text);
  out.source.ops = k.title;
  out.source.linked.entry = reinterpret_cast<void*>(k.library->run);
  out.launch.tasks = k.grid[0];
  out.launch.grain = k.grain;
  return out;
}

}  // namespace

Emitted emit_user_kernel(const UserKernel& k, const std::vector<UserWord>& words, size_t count) {
  if (k.library) return of_library(k);
  const bool cuda = k.target == UserKernel::Target::Cuda;
  std::string text = cuda ? std::string(kWidths) : cpu_prelude();
  const std::string own = without_known_includes(k.text->text);
  text += fmt::format("#line 1 \"{}.{}\"\n{}\n#line 1 \"the call of {}\"\n", k.title, cuda ? "cu" : "cpp",
                      cuda ? as_device_functions(own) : own, k.title);
  Emitted out;
  text += cuda ? cuda_entry(k, call(k, words, "weft_args.w", false), count) : cpu_entry(k, words);
  out.source.name = "weft_user_" + to_string(hash_text(text)).substr(0, 16);
  text.replace(text.rfind("WEFT_ENTRY"), 10, out.source.name);
  out.source.text = std::move(text);
  out.source.hash = hash_text(out.source.text);
  out.source.ops = k.title;
  Launch& launch = out.launch;
  launch.tasks = k.grid[1] * k.grid[2] == 0 ? 0 : k.grid[0];
  launch.grain = k.grain;
  if (cuda) {
    launch.tasks_y = static_cast<uint32_t>(k.grid[1]), launch.tasks_z = static_cast<uint32_t>(k.grid[2]);
    launch.threads = static_cast<uint32_t>(k.block[0]);
    launch.threads_y = static_cast<uint32_t>(k.block[1]),
    launch.threads_z = static_cast<uint32_t>(k.block[2]);
    launch.shared_bytes = static_cast<uint32_t>(k.shared_bytes);
    launch.cluster = static_cast<uint32_t>(k.cluster);
    launch.constants = constants_of(k, words);
  }
  return out;
}

Emitted emit_user_kernel(const UserKernel& k) {
  std::vector<UserWord> words(k.arguments.size());
  size_t next = 0;
  for (const bool numbers : {false, true})
    for (size_t i = 0; i < words.size(); ++i) {
      const UserKernel::Argument& one = k.arguments[i];
      if ((one.kind == UserKernel::Argument::Kind::Value) != numbers) continue;
      words[i] = {numbers ? UserWord::Holds::Number : UserWord::Holds::Address, next};
      next += numbers && k.operands[one.number].dtype == DType::C128 ? 2 : 1;
    }
  return emit_user_kernel(k, words, next);
}

}  // namespace weft::emit
