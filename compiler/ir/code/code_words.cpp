#include "compiler/ir/code/code_words.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/base/nearest.h"

namespace weft::ir {

namespace {

// In the order in which one is named for a misspelt word that is as near to several.
const std::vector<std::string>& type_words() {
  static const std::vector<std::string> words = {
      "auto",    "bool",    "char",     "short",     "int",        "long",          "unsigned",  "signed",
      "float",   "double",  "half",     "__half",    "complex",    "size_t",        "ptrdiff_t", "int8_t",
      "int16_t", "int32_t", "int64_t",  "uint8_t",   "uint16_t",   "uint32_t",      "uint64_t",  "int8",
      "int16",   "int32",   "int64",    "uint8",     "uint16",     "uint32",        "uint64",    "float16",
      "float32", "float64", "bfloat16", "complex64", "complex128", "__nv_bfloat16", "i8",        "i16",
      "i32",     "i64",     "u8",       "u16",       "u32",        "u64",           "f16",       "bf16",
      "f32",     "f64",     "c64",      "c128",      "bool_",      "intp",          "uintp"};
  return words;
}

}  // namespace

bool is_type_word(std::string_view word) {
  static const std::unordered_set<std::string_view> words(type_words().begin(), type_words().end());
  return words.contains(word);
}

bool may_be_generic(std::string_view word) {
  if (word.size() == 1) return true;
  return word[0] >= 'A' && word[0] <= 'Z' &&
         std::ranges::none_of(type_words(), [&](const auto& known) { return edits(word, known) == 0; });
}

std::string meant_type(std::string_view word) {
  if (word.size() > 1 && word.back() >= '2' && word.back() <= '4' && word != "int32" &&
      is_type_word(word.substr(0, word.size() - 1)))
    return "; vectors are not there: use a variable for each part";
  if (word == "uint") return "; it has 32 bits in C and 64 in NumPy: write uint32 or uint64";
  return meant(word, type_words());
}

bool joins_types(std::string_view word) {
  return word == "unsigned" || word == "signed" || word == "long" || word == "short" || word == "int" ||
         word == "char" || word == "double";
}

bool is_keyword(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "alignas",      "alignof",  "and",        "and_eq",    "asm",       "bitand",
      "bitor",        "break",    "case",       "catch",     "char16_t",  "char32_t",
      "char8_t",      "class",    "co_await",   "co_return", "co_yield",  "compl",
      "concept",      "const",    "const_cast", "consteval", "constexpr", "constinit",
      "continue",     "decltype", "default",    "delete",    "do",        "dynamic_cast",
      "else",         "enum",     "explicit",   "export",    "extern",    "false",
      "for",          "friend",   "goto",       "if",        "inline",    "mutable",
      "namespace",    "new",      "noexcept",   "not",       "not_eq",    "nullptr",
      "operator",     "or",       "or_eq",      "private",   "protected", "public",
      "register",     "requires", "return",     "sizeof",    "static",    "static_assert",
      "static_cast",  "struct",   "switch",     "template",  "this",      "reinterpret_cast",
      "thread_local", "throw",    "true",       "try",       "typedef",   "typeid",
      "typename",     "union",    "using",      "virtual",   "void",      "volatile",
      "wchar_t",      "while",    "xor",        "xor_eq"};
  return words.contains(word);
}

std::string_view instead_of_call(std::string_view function) {
  constexpr std::string_view kMemory = "there is no memory of its own here: use variables";
  constexpr std::string_view kCopied =
      "assign variables; of bits pass x.view(dtype) as an argument of its own";
  constexpr std::string_view kBits = "pass x.view(dtype) as an argument of its own";
  constexpr std::string_view kRandom = "pass random numbers as an argument";
  constexpr std::string_view kPrints = "look at results in place of it";
  constexpr std::string_view kEnds = "write if, and give NAN";
  constexpr std::string_view kBetween = "write a + t * (b - a)";
  static const std::unordered_map<std::string_view, std::string_view> advice = {
      {"malloc", kMemory},
      {"calloc", kMemory},
      {"realloc", kMemory},
      {"free", kMemory},
      {"memcpy", kCopied},
      {"memmove", kCopied},
      {"memset", kCopied},
      {"memcmp", "compare variables"},
      {"swap", "take a third variable"},
      {"bit_cast", kBits},
      {"__float_as_int", kBits},
      {"__float_as_uint", kBits},
      {"__int_as_float", kBits},
      {"__uint_as_float", kBits},
      {"__double_as_longlong", kBits},
      {"__longlong_as_double", kBits},
      {"rand", kRandom},
      {"curand", kRandom},
      {"curand_uniform", kRandom},
      {"curand_normal", kRandom},
      {"puts", kPrints},
      {"fprintf", kPrints},
      {"assert", kEnds},
      {"exit", kEnds},
      {"abort", kEnds},
      {"__trap", kEnds},
      {"clock", "pass the time as an argument"},
      {"clock64", "pass the time as an argument"},
      {"__ldg", "leave it out: a parameter is one element"},
      {"sincos", "write sin(x) and cos(x)"},
      {"sincosf", "write sin(x) and cos(x)"},
      {"modf", "write trunc(x) and x - trunc(x)"},
      {"frexp", "write floor(log2(abs(x))) + 1 and x * exp2(-e)"},
      {"ldexp", "write x * exp2((T)n)"},
      {"scalbn", "write x * exp2((T)n)"},
      {"ilogb", "write (int)floor(log2(abs(x)))"},
      {"lerp", kBetween},
      {"mix", kBetween},
      {"step", "write x < edge ? 0 : 1"},
      {"smoothstep", "write t = clamp((x - a) / (b - a), (T)0, (T)1), then t * t * (3 - 2 * t)"},
      {"fract", "write x - floor(x)"},
      {"tgamma", "write exp(lgamma(x)) where x > 0"},
      {"sinpi", "write sin(M_PI * x)"},
      {"cospi", "write cos(M_PI * x)"},
      {"exp10", "write pow(10, x)"},
      {"nan", "write NAN"},
      {"nanf", "write NAN"},
      {"popcount", "call weft.bitwise_count() before it"},
      {"__popc", "call weft.bitwise_count() before it"}};
  const auto found = advice.find(function);
  return found == advice.end() ? std::string_view() : found->second;
}

}  // namespace weft::ir
