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

// Words of C and C++ that a name may not be.
constexpr std::array kWords = {
    "alignas", "alignof",   "and",       "asm",      "auto",     "bool",     "break",    "case",
    "catch",   "char",      "class",     "const",    "continue", "decltype", "default",  "delete",
    "do",      "double",    "else",      "enum",     "explicit", "export",   "extern",   "false",
    "float",   "for",       "friend",    "goto",     "if",       "inline",   "int",      "long",
    "main",    "mutable",   "namespace", "new",      "not",      "nullptr",  "operator", "or",
    "private", "protected", "public",    "register", "requires", "restrict", "return",   "short",
    "signed",  "sizeof",    "static",    "struct",   "switch",   "template", "this",     "throw",
    "true",    "try",       "typedef",   "typename", "union",    "unsigned", "using",    "virtual",
    "void",    "volatile",  "while",     "xor"};

bool is_name_in_c(const std::string& name) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, letter) && std::ranges::find(kWords, name) == kWords.end();
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
  if (takes) text += arrays_in_c("const weft_array inputs", program.arguments);
  if (gives) text += arrays_in_c("weft_array results", program.results);
  return text + fmt::format("  return weft_run(&{}_exported, {}, {}, {}, {});\n}}\n", name,
                            takes ? "inputs" : "NULL", program.arguments.size(), gives ? "results" : "NULL",
                            program.results.size());
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

void check_names(const std::string& name, std::span<const ToExport> programs) {
  if (!is_name_in_c(name)) throw Error(fmt::format("export: the name must be one of C: got '{}'", name));
  for (const ToExport& one : programs) {
    const std::vector<Argument>& arguments = one.exported.arguments;
    if (arguments.size() != programs[0].exported.arguments.size() ||
        one.graph.outputs.size() != programs[0].graph.outputs.size())
      throw Error("export: each example must have the same number of arguments and of results");
    for (size_t k = 0; k < arguments.size(); ++k) {
      const std::string& own = arguments[k].name;
      if (!is_name_in_c(own) || own == name)
        throw Error(fmt::format("export: argument {} needs a name of C for itself: got '{}'", k, own));
      for (size_t j = 0; j < k; ++j)
        if (arguments[j].name == own)
          throw Error(fmt::format("export: arguments {} and {} have one name, '{}'", j, k, own));
      if (arguments[k].shape.size() > WEFT_MOST_AXES)
        throw Error(fmt::format("export: takes arrays of up to {} axes: argument '{}' has {}", WEFT_MOST_AXES,
                                own, arguments[k].shape.size()));
    }
    for (auto& result : one.graph.outputs)
      if (result->type.shape.size() > WEFT_MOST_AXES)
        throw Error(fmt::format("export: takes arrays of up to {} axes: a result has {}", WEFT_MOST_AXES,
                                result->type.shape.size()));
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
                       std::span<const ExportedKernel> kernels) {
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
    text += fmt::format("extern \"C\" void {}();\n", kernel.name);
    if (kernel.finishes) text += fmt::format("extern \"C\" void {}_finish();\n", kernel.name);
    table += fmt::format("  {{\"{0}\", {0}, {1}}},\n", kernel.name,
                         kernel.finishes ? kernel.name + "_finish" : "nullptr");
  }
  text +=
      fmt::format("static const weft_kernel kernels[] = {{\n{}  {{nullptr, nullptr, nullptr}}}};\n", table);
  std::string list;
  for (size_t k = 0; k < programs.size(); ++k) {
    text += fmt::format("extern \"C\" const unsigned char {}[];\n", program_symbol(name, k));
    std::string arrays;
    for (size_t a = 0; a < programs[k].arrays.size(); ++a) {
      text += fmt::format("extern \"C\" const unsigned char {}[];\n", array_symbol(name, k, a));
      arrays += array_symbol(name, k, a) + ", ";
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
