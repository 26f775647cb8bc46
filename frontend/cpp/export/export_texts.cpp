#include "frontend/cpp/export/export_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "compiler/base/error.h"
#include "compiler/base/hash.h"
#include "runtime/exported/weft_runtime.h"

namespace weft::detail {
namespace {

using Argument = runtime::ExportedProgram::Argument;

constexpr std::array<std::string_view, kDTypeCount> kTypesInC = {
    "bool",     "int8_t",   "int16_t",  "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t", "uint16_t", "uint16_t", "float",   "double",  "float",   "double"};

// Words of C and C++, and macros that headers define in small letters or without a prefix.
constexpr std::array kWords = {"EOF",          "I",
                               "NULL",         "alignas",
                               "alignof",      "and",
                               "and_eq",       "asm",
                               "assert",       "auto",
                               "bitand",       "bitor",
                               "bool",         "break",
                               "case",         "catch",
                               "char",         "char16_t",
                               "char32_t",     "char8_t",
                               "class",        "co_await",
                               "co_return",    "co_yield",
                               "compl",        "complex",
                               "concept",      "const",
                               "const_cast",   "consteval",
                               "constexpr",    "constinit",
                               "continue",     "decltype",
                               "default",      "delete",
                               "do",           "double",
                               "dynamic_cast", "else",
                               "enum",         "errno",
                               "explicit",     "export",
                               "extern",       "false",
                               "float",        "for",
                               "friend",       "goto",
                               "if",           "imaginary",
                               "inline",       "int",
                               "linux",        "long",
                               "main",         "mutable",
                               "namespace",    "new",
                               "noexcept",     "not",
                               "not_eq",       "nullptr",
                               "operator",     "or",
                               "or_eq",        "private",
                               "protected",    "public",
                               "register",     "reinterpret_cast",
                               "requires",     "restrict",
                               "return",       "short",
                               "signed",       "sizeof",
                               "static",       "static_assert",
                               "static_cast",  "std",
                               "stderr",       "stdin",
                               "stdout",       "struct",
                               "switch",       "template",
                               "this",         "thread_local",
                               "throw",        "true",
                               "try",          "typedef",
                               "typeid",       "typename",
                               "typeof",       "union",
                               "unix",         "unsigned",
                               "using",        "virtual",
                               "void",         "volatile",
                               "wchar_t",      "weft",
                               "while",        "xor",
                               "xor_eq"};

bool is_letter_in_c(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The library's own names, and those that the language keeps for itself.
bool is_kept(const std::string& name) {
  return std::ranges::find(kWords, name) != kWords.end() || name.starts_with("weft_") ||
         name.starts_with("WEFT_") || name.starts_with("__") ||
         (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])) != 0);
}

bool is_name_in_c(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, is_letter_in_c) && !is_kept(name);
}

std::string dtype_in_c(DType dtype) {
  std::string text = "WEFT_";
  for (const char c : weft::name(dtype))
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string typed(const Argument& one) {
  return fmt::format("{} {}[{}]", one.name, weft::name(one.dtype), fmt::join(one.shape, ", "));
}

std::string signature(const std::string& name, const runtime::ExportedProgram& program) {
  std::vector<std::string> takes, gives;
  takes.reserve(program.arguments.size());
  gives.reserve(program.results.size());
  for (const Argument& one : program.arguments) takes.push_back(typed(one));
  for (const Argument& one : program.results) gives.push_back(typed(one));
  return fmt::format("{}({}) -> {}", name, fmt::join(takes, ", "), fmt::join(gives, ", "));
}

// {(void*)image, WEFT_F32, 2, {480, 640}, 0}
std::string array_in_c(const Argument& one) {
  return fmt::format("{{(void*){}, {}, {}, {{{}}}, 0}}", one.name, dtype_in_c(one.dtype), one.shape.size(),
                     one.shape.empty() ? "0" : fmt::format("{}", fmt::join(one.shape, ", ")));
}

std::string arrays_in_c(const char* what, const std::vector<Argument>& all) {
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const Argument& one : all) texts.push_back(array_in_c(one));
  return fmt::format("  {}[] = {{{}}};\n", what, fmt::join(texts, ",\n      "));
}

// The function of a program for one set of shapes: pointers to elements.
std::string plain_function(const std::string& name, const runtime::ExportedProgram& program) {
  std::vector<std::string> parameters;
  parameters.reserve(program.arguments.size() + program.results.size());
  for (const Argument& one : program.arguments)
    parameters.push_back(fmt::format("const {}* {}", kTypesInC[static_cast<size_t>(one.dtype)], one.name));
  for (const Argument& one : program.results)
    parameters.push_back(fmt::format("{}* {}", kTypesInC[static_cast<size_t>(one.dtype)], one.name));
  std::string text =
      fmt::format("/* Results are written to the caller's memory. */\nstatic inline weft_status {}({}) {{\n",
                  name, fmt::join(parameters, ", "));
  const bool takes = !program.arguments.empty(), gives = !program.results.empty();
  if (takes) text += arrays_in_c("const weft_array weft_inputs", program.arguments);
  if (gives) text += arrays_in_c("weft_array weft_results", program.results);
  return text + fmt::format("  return weft_run_into(&{}_exported, {}, {}, {}, {});\n}}\n", name,
                            takes ? "weft_inputs" : "0", program.arguments.size(),
                            gives ? "weft_results" : "0", program.results.size());
}

std::string function_of_arrays(const std::string& name, const runtime::ExportedProgram& program) {
  return fmt::format(
      "/* The shapes of the inputs choose the program. Results whose data is NULL are allocated: see "
      "weft_release(). "
      "*/\n"
      "static inline weft_status {0}(const weft_array* inputs, weft_array* results) {{\n"
      "  return weft_run(&{0}_exported, inputs, {1}, results, {2});\n}}\n",
      name, program.arguments.size(), program.results.size());
}

}  // namespace

std::string apart_from(std::span<const std::string> taken, std::string name) {
  while (std::ranges::find(taken, name) != taken.end()) name += '_';
  return name;
}

std::vector<std::string> parameter_names(std::vector<std::string> names) {
  for (size_t k = 0; k < names.size(); ++k) {
    std::string& name = names[k];
    std::ranges::replace_if(name, [](char c) { return !is_letter_in_c(c); }, '_');
    if (is_kept(name))
      name.insert(name.starts_with("weft_") || name[0] == 'W' || name[0] == '_' ? name.begin() : name.end(),
                  '_');
    // Names that begin with two underscores, or with one and a capital, are the language's.
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || is_kept(name))
      name.insert(name.begin(), 'a');
    name = apart_from(std::span(names.data(), k), name);
  }
  return names;
}

void check_programs(const std::string& name, std::span<const ToExport> programs) {
  if (!is_name_in_c(name))
    throw Error(fmt::format("export: the name must be one of C, and none of Weft's: got '{}'", name));
  const auto check_rank = [](const ir::TensorType& type, const char* what) {
    if (type.shape.size() > WEFT_MOST_AXES)
      throw Error(fmt::format("export: takes arrays of up to {} axes: {} has {}", WEFT_MOST_AXES, what,
                              type.shape.size()));
  };
  for (size_t k = 0; k < programs.size(); ++k) {
    const std::vector<Argument>& arguments = programs[k].exported.arguments;
    if (arguments.size() != programs[0].exported.arguments.size() ||
        programs[k].graph.outputs.size() != programs[0].graph.outputs.size())
      throw Error("export: each example must have the same number of arguments and of results");
    const auto is_same = [](const Argument& a, const Argument& b) {
      return a.dtype == b.dtype && a.shape == b.shape;
    };
    for (size_t j = 0; j < k; ++j)
      if (std::ranges::equal(arguments, programs[j].exported.arguments, is_same))
        throw Error(fmt::format(
            "export: examples {} and {} have the same dtypes and shapes: which is meant could not be told", j,
            k));
    for (const Argument& one : arguments) check_rank({one.dtype, one.shape}, "an argument");
    for (auto& result : programs[k].graph.outputs) check_rank(result->type, "a result");
  }
}

std::string program_symbol(const std::string& name, size_t program) {
  return fmt::format("{}_program{}", name, program);
}
std::string array_symbol(const std::string& name, size_t program, size_t array) {
  return fmt::format("{}_array{}_{}", name, program, array);
}

std::string table_text(const std::string& name, const std::string& processor,
                       std::span<const ToExport> programs, std::span<const std::string> bytes,
                       std::span<const ExportedKernel> kernels, bool for_gpu) {
  // As weft_runtime.h declares them.
  std::string text =
      "struct weft_kernel { const char* name; void (*entry)(); void (*finish)(); };\n"
      "struct weft_program { const unsigned char* bytes; unsigned long size, hash[2]; const weft_kernel* "
      "kernels;\n"
      "  const void* const* arrays; unsigned kernel_count, array_count; };\n"
      "struct weft_exported { unsigned format, program_count; const char *name, *made_by, *processor;\n"
      "  const weft_program* programs; };\n";
  std::string table;
  for (const ExportedKernel& kernel : kernels) {
    if (for_gpu) {
      // That there is a NAME_finish is all the library asks for: it is in the image.
      text += fmt::format("extern \"C\" const unsigned char {}[];\n", kernel.name);
      table += fmt::format("  {{\"{0}\", (void (*)()){0}, {1}}},\n", kernel.name,
                           kernel.finishes ? fmt::format("(void (*)()){}", kernel.name) : "nullptr");
      continue;
    }
    text += fmt::format("extern \"C\" void {}();\n", kernel.name);
    if (kernel.finishes) text += fmt::format("extern \"C\" void {}_finish();\n", kernel.name);
    table += fmt::format("  {{\"{0}\", {0}, {1}}},\n", kernel.name,
                         kernel.finishes ? fmt::format("{}_finish", kernel.name) : "nullptr");
  }
  text +=
      fmt::format("static const weft_kernel kernels[] = {{\n{}  {{nullptr, nullptr, nullptr}}}};\n", table);
  std::string list;
  for (size_t k = 0; k < programs.size(); ++k) {
    text += fmt::format("extern \"C\" const unsigned char {}[];\n", program_symbol(name, k));
    std::string arrays;
    for (size_t a = 0; a < programs[k].arrays.size(); ++a) {
      text += fmt::format("extern \"C\" const unsigned char {}[];\n", array_symbol(name, k, a));
      arrays += fmt::format("{}, ", array_symbol(name, k, a));
    }
    text += fmt::format("static const void* const arrays{}[] = {{{}nullptr}};\n", k, arrays);
    const Hash hash = hash_bytes(bytes[k].data(), bytes[k].size());
    list += fmt::format("  {{{}, {}, {{{}u, {}u}}, kernels, arrays{}, {}, {}}},\n", program_symbol(name, k),
                        bytes[k].size(), hash.low, hash.high, k, kernels.size(), programs[k].arrays.size());
  }
  text += fmt::format("static const weft_program programs[] = {{\n{}}};\n", list);
  return text + fmt::format(
                    "extern \"C\" const weft_exported {0}_exported;\n"
                    "const weft_exported {0}_exported = {{{1}, {2}, \"{0}\", \"{3}\", \"{4}\", programs}};\n",
                    name, runtime::kExportFormat, programs.size(), WEFT_VERSION, processor);
}

std::string header_text(const std::string& name, std::span<const ToExport> programs) {
  std::string guard = "WEFT_EXPORTED_" + name;
  std::string signatures;
  for (const ToExport& one : programs) signatures += " *   " + signature(name, one.exported) + "\n";
  const runtime::ExportedProgram& first = programs[0].exported;
  return fmt::format(
      "/* Made by `weft export`, version {}. Link it with lib{}.a and libweft_runtime.\n *\n{} */\n"
      "#ifndef {}\n#define {}\n\n#include <stdbool.h>\n#include <weft_runtime.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\nextern const weft_exported {}_exported;\n\n{}\n"
      "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      WEFT_VERSION, name, signatures, guard, guard, name,
      programs.size() == 1 ? plain_function(name, first) : function_of_arrays(name, first));
}

}  // namespace weft::detail
