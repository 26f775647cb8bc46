// Writes a source that holds the whole prelude and makes every function of it callable by name from a test:
//   prelude_sections cpu LANES [PREFIX]      prelude_sections cuda
// CPU functions become entries of a table named prelude_table_LANES; CUDA functions become kernels.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/emit/prelude/prelude.h"

using namespace weft::emit;

namespace {

struct Signature {
  std::string result;
  std::vector<std::string> parameters;  // types
};

std::string trimmed(std::string s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.pop_back();
  size_t first = 0;
  while (first < s.size() && std::isspace(static_cast<unsigned char>(s[first]))) ++first;
  return s.substr(first);
}

bool is_type_word(const std::string& word) {
  for (const char* known :
       {"void",  "bool",  "char", "short", "int",  "long", "float", "double", "signed", "unsigned",
        "const", "boolv", "f16",  "c64",   "c128", "c64v", "c128v", "c64p",   "c128p",  "uint4"})
    if (word == known) return true;
  return word.size() >= 3 && word.back() == 'v' && (word[0] == 'f' || word[0] == 'i' || word[0] == 'u');
}

// The words of a declarator that make its type, with a `*` or `&`.
std::string type_of(const std::string& declaration) {
  std::string type, word, mark;
  for (char c : declaration + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
      continue;
    }
    if (is_type_word(word) && word != "const") type += (type.empty() ? "" : " ") + word;
    word.clear();
    if (c == '*' || c == '&') mark = c;
  }
  return type + mark;
}

// The declaration of `name` in `text`, or a signature without result where `name` is not a function.
Signature signature_of(const std::string& text, const std::string& name) {
  size_t at = text.find(" " + name + "(");
  while (at != std::string::npos) {
    size_t line = text.rfind('\n', at) + 1;
    std::string before = text.substr(line, at - line);
    if (before.find("static") != std::string::npos && before.find("//") == std::string::npos &&
        before.find('{') == std::string::npos)
      break;
    at = text.find(" " + name + "(", at + 1);
  }
  if (at == std::string::npos) return {};
  size_t line = text.rfind('\n', at) + 1, open = text.find('(', at), close = text.find(')', open);
  Signature s;
  s.result = type_of(text.substr(line, at - line));
  std::string list = text.substr(open + 1, close - open - 1);
  for (size_t i = 0; i < list.size();) {
    size_t comma = std::min(list.find(',', i), list.size());
    if (std::string t = trimmed(list.substr(i, comma - i)); !t.empty()) s.parameters.push_back(type_of(t));
    i = comma + 1;
  }
  return s;
}

// The same of a macro, whose parameters are a mask `m` and values `a` and `b` of the dtype that ends its
// name. Macros of other parameters are not listed.
Signature signature_of_macro(const std::string& text, const std::string& name) {
  const size_t at = text.find("#define " + name + "(");
  if (at == std::string::npos) return {};
  const size_t open = text.find('(', at), close = text.find(')', open);
  std::string dtype = name.substr(name.rfind('_') + 1);
  if (dtype == "f16" || dtype == "bf16") dtype = "f32";
  Signature s;
  for (char c : text.substr(open + 1, close - open - 1)) {
    if (c == 'x') return {};
    if (c == 'm') s.parameters.push_back("boolv");
    if (c == 'a' || c == 'b') s.parameters.push_back(dtype + "v");
  }
  s.result = "auto";
  return s;
}

void write_cpu_entry(const std::string& name, const Signature& s) {
  std::printf("static void call_%s(void* const* io) {\n", name.c_str());
  std::string arguments, after;
  int i = 0;
  for (std::string type : s.parameters) {
    std::string a = "a" + std::to_string(i), slot = "io[" + std::to_string(i) + "]";
    if (type.back() == '*') {
      std::printf("  void* %s = %s;\n", a.c_str(), slot.c_str());
    } else {
      bool reference = type.back() == '&';
      if (reference) type.pop_back();
      std::printf("  %s %s = get<%s>(%s);\n", type.c_str(), a.c_str(), type.c_str(), slot.c_str());
      if (reference) after += "  put(" + slot + ", " + a + ");\n";
    }
    arguments += (i ? ", " : "") + a;
    ++i;
  }
  if (s.result == "void")
    std::printf("  %s(%s);\n", name.c_str(), arguments.c_str());
  else
    std::printf("  put(io[%d], %s(%s));\n", i, name.c_str(), arguments.c_str());
  std::printf("%s}\n", after.c_str());
}

void write_cuda_kernel(const std::string& name, const Signature& s) {
  std::printf("extern \"C\" __global__ void call_%s(void** io) {\n", name.c_str());
  std::string arguments, after;
  int i = 0;
  for (std::string type : s.parameters) {
    std::string slot = "io[" + std::to_string(i) + "]";
    if (type.back() == '*') {
      arguments += (i ? ", " : "") + slot;
    } else {
      if (type.back() == '&') type.pop_back();
      arguments += (i ? ", " : "") + ("((" + type + "*)" + slot + ")[threadIdx.x]");
    }
    ++i;
  }
  std::string call = name + "(" + arguments + ")";
  if (s.result == "void")
    std::printf("  %s;\n}\n", call.c_str());
  else
    std::printf("  ((%s*)io[%d])[threadIdx.x] = %s;\n}\n", s.result.c_str(), i, call.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  bool cuda = std::string(argv[1]) == "cuda";
  if (!cuda && argc < 3) return 2;
  std::string prefix = argc > 3 ? argv[3] : "";
  PreludeTarget target = cuda ? PreludeTarget::Cuda : PreludeTarget::Cpu;
  std::vector<std::string> names;
  std::string all;
  for (const std::string& name : prelude_names(target)) {
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    names.push_back(name);
    all += name + " ";
  }
  std::string text = prelude_for(target, cuda ? 0 : std::atoi(argv[2]), all);
  std::fputs(text.c_str(), stdout);
  if (!cuda)
    std::puts(
        "template <class T> static T get(const void* p) { T x; __builtin_memcpy(&x, p, sizeof x); return x; "
        "}\n"
        "template <> boolv get(const void* p) { return __builtin_convertvector(get<u8v>(p) != 0, boolv); }\n"
        "template <class T> static void put(void* p, T x) { __builtin_memcpy(p, &x, sizeof x); }\n"
        "template <> void put(void* p, boolv x) { put(p, __builtin_convertvector(x, u8v)); }");
  std::vector<std::string> functions;
  for (const std::string& name : names) {
    Signature s = signature_of(text, name);
    if (s.result.empty()) s = signature_of_macro(text, name);
    if (s.result.empty()) continue;
    cuda ? write_cuda_kernel(name, s) : write_cpu_entry(name, s);
    functions.push_back(name);
  }
  if (cuda) return 0;
  std::printf(
      "struct Entry { const char* name; void (*call)(void* const*); };\nextern \"C\" const Entry "
      "prelude_table_%s[] = {\n",
      argv[2]);
  for (const std::string& name : functions) std::printf("{\"%s\", call_%s},\n", name.c_str(), name.c_str());
  std::puts("{nullptr, nullptr}};");
}
