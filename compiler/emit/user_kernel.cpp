#include "compiler/emit/user_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "compiler/emit/user_complex.h"
#include "compiler/emit/user_library.h"
#include "compiler/program/checked_memory.h"

namespace weft::emit {
namespace {

using ir::UserKernel;

// The header that a line includes by <…>, or nothing.
std::string_view header_of(std::string_view line) {
  const size_t sign = line.find_first_not_of(" \t");
  if (sign == std::string_view::npos || line[sign] != '#') return {};
  const size_t word = line.find("include", sign), open = line.find('<', word), close = line.find('>', open);
  if (word == std::string_view::npos || close == std::string_view::npos) return {};
  return line.substr(open + 1, close - open - 1);
}

// Includes of what is there already are left out; the lines keep their numbers.
std::string without_known_includes(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (!user_library_has(header_of(line))) out += line;
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
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
  if (of_range) out += "weft_begin, weft_end";
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
static void weft_body(const unsigned long* weft_w, long weft_begin, long weft_end) {{
{}}}
extern "C" void WEFT_ENTRY(const unsigned long* weft_w, long weft_begin, long weft_end, char*) {{
  const WeftMemory weft_memory[] = {{{}}};
  weft_run_checked("{}", weft_memory, {}, weft_body, weft_w, weft_begin, weft_end);
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
    memory += fmt::format("{{weft_w[{}], {}, {}, \"{}\"}}, ", words[i].word,
                          element_count(type.shape) * element, element, one.name);
  }
  return fmt::format(kCheckedEntry, call(k, words, "weft_w", true), memory, k.title, words.size());
}

std::string cpu_entry(const UserKernel& k, const std::vector<UserWord>& words) {
  if (k.checks) return checked_entry(k, words);
  // Its own names hide none of the user's.
  return "extern \"C\" void WEFT_ENTRY(const unsigned long* weft_w, long weft_begin, long weft_end, char*) "
         "{\n" +
         call(k, words, "weft_w", true) + "}\n";
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
  const std::string own = without_known_includes(k.text->text);
  const std::string complex = complex_for(own, cuda);
  std::string text = user_library(complex + own, cuda) + complex;
  text += fmt::format("#line 1 \"{}.{}\"\n{}\n#line 1 \"{}{}\"\n", k.title, cuda ? "cu" : "cpp",
                      cuda ? as_device_functions(own) : own, kUserCall, k.title);
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
