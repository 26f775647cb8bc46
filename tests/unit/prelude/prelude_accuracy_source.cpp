// Writes the prelude of real floats as one C++ file, as a kernel would hold it, with a wrapper over arrays
// for every function of the accuracy table; the build compiles that file with clang.
#include <cstdio>
#include <string>

#include "compiler/emit/prelude/texts.h"
#include "tests/unit/prelude/prelude_accuracy_table.h"

namespace {

std::string wrapper(const weft::test::Accuracy& row, const std::string& type, const std::string& scalar) {
  const std::string name = std::string(row.name) + "_" + type;
  std::string args = "load(a + i)";
  if (row.arity > 1) args += ", load(b + i)";
  if (row.arity > 2) args += ", load(c + i)";
  return "static void test_" + name + "(const " + scalar + "* a, const " + scalar + "* b, const " + scalar +
         "* c, " + scalar +
         "* out, long n) {\n  (void)b; (void)c;\n  for (long i = 0; i < n; i += L) store(out + i, weft_" +
         name + "(" + args + "));\n}\n";
}

std::string source() {
  std::string text = "#define L 16\n";
  const char* types[][2] = {{"float", "f32"}, {"double", "f64"},   {"int", "i32"},
                            {"long", "i64"},  {"unsigned", "u32"}, {"unsigned long", "u64"}};
  for (const auto& type : types)
    text += std::string("typedef ") + type[0] + " " + type[1] + "v __attribute__((ext_vector_type(L)));\n";
  using namespace weft::emit;
  for (const char* part : {kPreludeCpuF64, kPreludeCpuF64Trigonometric, kPreludeCpuF64Special, kPreludeCpuF32,
                           kPreludeCpuF32Trigonometric, kPreludeCpuF32Special})
    text += part;  // functions of f32 use some of f64
  for (const char* type : {"float", "double"}) {
    const std::string vector = type == std::string("float") ? "f32v" : "f64v";
    text += "static " + vector + " load(const " + type + "* p) { " + vector +
            " v; __builtin_memcpy(&v, p, sizeof v); return v; }\n";
    text += std::string("static void store(") + type + "* p, " + vector +
            " v) { __builtin_memcpy(p, &v, sizeof v); }\n";
  }
  std::string table;
  for (const auto& row : weft::test::kAccuracy) {
    text += wrapper(row, "f32", "float") + wrapper(row, "f64", "double");
    const std::string name = row.name;
    table += "  {\"" + name + "\", test_" + name + "_f32, test_" + name + "_f64},\n";
  }
  text += "struct Entry {\n  const char* name;\n";
  text += "  void (*f32)(const float*, const float*, const float*, float*, long);\n";
  text += "  void (*f64)(const double*, const double*, const double*, double*, long);\n};\n";
  return text + "extern \"C\" const Entry prelude_entries[] = {\n" + table + "};\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::FILE* file = std::fopen(argv[1], "w");
  if (!file) return 1;
  const std::string text = source();
  const bool ok = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && ok ? 0 : 1;
}
