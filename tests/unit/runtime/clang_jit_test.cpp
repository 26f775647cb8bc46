#include "runtime/cpu/clang_jit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "compiler/base/error.h"
#include "runtime/cpu/instructions.h"
#include "runtime/jit/version.h"

namespace weft::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

template <typename Function>
Function* function(const ClangJit::Code& code, std::string_view name) {
  return reinterpret_cast<Function*>(code.address(name));
}

std::shared_ptr<ClangJit::Code> build(const ClangJit& jit, const std::string& source,
                                      const std::string& name) {
  return jit.load(jit.compile(source, name), std::vector<std::string>{name});
}

std::string compile_log(const ClangJit& jit, const std::string& source) {
  try {
    jit.compile(source, "kernel");
  } catch (const CompileError& error) {
    EXPECT_EQ(error.source(), source);
    return error.log();
  }
  ADD_FAILURE() << "compiled: " << source;
  return {};
}

std::string link_log(const ClangJit& jit, const std::string& object) {
  try {
    jit.load(object, std::vector<std::string>{"kernel"});
  } catch (const CompileError& error) {
    return error.log();
  }
  ADD_FAILURE() << "linked";
  return {};
}

std::string opening_error(const std::string& folder) {
  try {
    open_jit_library(folder);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "opened";
  return {};
}

TEST(ClangJit, RefusesALibraryOfAnotherVersion) {
  const std::string said =
      opening_error((std::filesystem::read_symlink("/proc/self/exe").parent_path() / "stale_jit").string());
  EXPECT_THAT(said, HasSubstr("has version 0.0.9-of-before, but this library needs " +
                              std::string(kJitVersion) + "; install all of Weft again"));
  EXPECT_THAT(said, HasSubstr("WEFT_TIER=blocks"));
}

TEST(ClangJit, SaysWhichLibraryCannotBeOpenedAndWhatToDo) {
  std::string folder = (std::filesystem::temp_directory_path() / "weft-jit-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/libweft_jit.so") << "no library";
  const std::string said = opening_error(folder);
  EXPECT_THAT(said, HasSubstr("clang_jit: cannot open libweft_jit.so, which compiles kernels, in " + folder));
  EXPECT_THAT(said, HasSubstr("install all of Weft again, or set WEFT_TIER=blocks"));
  std::filesystem::remove_all(folder);
}

TEST(ClangJit, OpensItsLibraryWhereTheLoaderFindsItWhenTheFolderHasNone) {
  EXPECT_EQ(std::string(open_jit_library("/nowhere").version), kJitVersion);
}

TEST(ClangJit, CompilesAndCallsAFunction) {
  ClangJit jit;
  auto code = build(jit, R"(extern "C" long add(long a, long b) { return a + b; })", "add");
  EXPECT_EQ(function<long(long, long)>(*code, "add")(40, 2), 42);
}

TEST(ClangJit, AnObjectWithoutASymbolSaysSo) {
  ClangJit jit;
  const std::string object = jit.compile(R"(extern "C" void k() {})", "k");
  auto code = jit.load(object, std::vector<std::string>{"k", "k_finish"});
  EXPECT_NE(code->address("k"), nullptr);
  EXPECT_EQ(code->address("k_finish"), nullptr);
  EXPECT_EQ(code->address("other"), nullptr);
}

TEST(ClangJit, ComputesWithVectorsOfEveryLaneCount) {
  ClangJit jit;
  for (int lanes : {4, 8, 16, 32, 64}) {
    const std::string source = R"(
      typedef float f32v __attribute__((ext_vector_type()" +
                               std::to_string(lanes) + R"()));
      static f32v twice(f32v x) { return x + x; }
      extern "C" void k(const float* in, float* out) {
        f32v x;
        __builtin_memcpy(&x, in, sizeof x);
        x = twice(x) * x;
        __builtin_memcpy(out, &x, sizeof x);
      })";
    auto code = build(jit, source, "k");
    std::vector<float> in(lanes), out(lanes);
    for (int i = 0; i < lanes; ++i) in[i] = static_cast<float>(i + 1);
    function<void(const float*, float*)>(*code, "k")(in.data(), out.data());
    for (int i = 0; i < lanes; ++i) EXPECT_EQ(out[i], 2 * in[i] * in[i]);
  }
}

TEST(ClangJit, TakesAProcessorWithAPartOfAvx512ForOneWithAvx2) {
  if (!has_avx512bw()) GTEST_SKIP() << "this processor has no AVX-512";
  const ClangJit part("knl"), all("x86-64-v4");
  EXPECT_EQ(part.vector_bytes(), 32);
  const char* text = R"(extern "C" int some() { return __AVX512F__; }
#if __AVX512BW__
extern "C" int all() { return 1; }
#endif)";
  EXPECT_EQ(part.assembly(text, "text").find("all:"), std::string::npos);
  EXPECT_EQ(part.assembly(text, "text").find("$1,"), std::string::npos);
  EXPECT_NE(all.assembly(text, "text").find("all:"), std::string::npos);
}

TEST(ClangJit, CompilesForAnOlderProcessor) {
  if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  const ClangJit older("x86-64-v3"), oldest("x86-64-v2");
  EXPECT_EQ(older.vector_bytes(), 32);
  EXPECT_EQ(oldest.vector_bytes(), 16);
  EXPECT_EQ(older.cpu(), "x86-64-v3");
  EXPECT_NE(older.toolchain(), ClangJit().toolchain());
  const char* text = R"(typedef float V __attribute__((ext_vector_type(16)));
extern "C" void twice(V* x) { *x += *x; })";
  EXPECT_EQ(older.assembly(text, "twice").find("zmm"), std::string::npos);
  EXPECT_NE(older.assembly(text, "twice").find("ymm"), std::string::npos);
  EXPECT_EQ(oldest.assembly(text, "twice").find("ymm"), std::string::npos);
}

TEST(ClangJit, ConvertsHalvesWhereTheProcessorDoesNot) {
  const ClangJit jit("x86-64-v2");
  const char* text = R"(typedef _Float16 H __attribute__((ext_vector_type(8)));
typedef float V __attribute__((ext_vector_type(8)));
extern "C" void widen(const H* in, V* out) { *out = __builtin_convertvector(*in, V); }
extern "C" void narrow(const V* in, H* out) { *out = __builtin_convertvector(*in, H); })";
  EXPECT_THAT(jit.assembly(text, "halves"), HasSubstr("__truncsfhf2"));
  auto code = jit.load(jit.compile(text, "halves"), std::vector<std::string>{"widen", "narrow"});
  alignas(32) const float values[] = {1.0f, -0.0f, 65504.0f, 65520.0f, 0x1p-24f, 0x1.002p0f, INFINITY, -3.5f};
  alignas(32) uint16_t halves[8];
  alignas(32) float back[8];
  function<void(const float*, uint16_t*)>(*code, "narrow")(values, halves);
  EXPECT_THAT(halves, testing::ElementsAre(0x3c00, 0x8000, 0x7bff, 0x7c00, 1, 0x3c00, 0x7c00, 0xc300));
  function<void(const uint16_t*, float*)>(*code, "widen")(halves, back);
  EXPECT_THAT(back, testing::ElementsAre(1.0f, -0.0f, 65504.0f, INFINITY, 0x1p-24f, 1.0f, INFINITY, -3.5f));
}

TEST(ClangJit, RefusesTextThatAsksForAMacroThatIsNotGiven) {
  const ClangJit jit;
  EXPECT_NO_THROW(
      jit.compile("#if __AVX512F__ && __AVX512BW__ && __AVX512DQ__ && __AVX512VL__\n#endif\nint x;", "k"));
  EXPECT_THAT(compile_log(jit, "#if __AVX2__\n#endif\nint x;"), HasSubstr("'__AVX2__' is not defined"));
}

TEST(ClangJit, RefusesAProcessorThatNobodyKnows) {
  try {
    ClangJit jit("x86-64-v99");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "cpu: LLVM knows no processor 'x86-64-v99'; x86-64-v3 is one");
  }
}

TEST(ClangJit, StaticFunctionsAreInlinedHoweverLarge) {
  ClangJit jit;
  std::string body;
  for (int i = 0; i < 200; ++i) body += "x = x * x + " + std::to_string(i) + ";\n";
  const std::string source = "static double large(double x) {\n" + body + R"(return x; }
    extern "C" void k(double* p) { p[0] = large(p[0]); p[1] = large(p[1]); })";
  EXPECT_THAT(jit.assembly(source, "k"), Not(HasSubstr("call")));
}

TEST(ClangJit, LoopsOfKnownLengthAreUnrolledBeforeAndAfterInlining) {
  const ClangJit jit;
  const char* known =
      "typedef float V __attribute__((ext_vector_type(8)));\n"
      "static V gather(const float* p, long by) { V v; for (int i = 0; i < 8; ++i, p += by) v[i] = *p; "
      "return v; }\n"
      "extern \"C\" void k(float* to, const float* from, long by) { *(V*)to = gather(from, by); }\n";
  EXPECT_THAT(jit.assembly(known, "k"), Not(HasSubstr("\tj")));
  const char* known_where_inlined =
      "static float total(const float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i]; "
      "return s; }\n"
      "extern \"C\" void k(float* to, const float* from) { *to = total(from, 4); }\n";
  EXPECT_THAT(jit.assembly(known_where_inlined, "k"), Not(HasSubstr("\tj")));
  const char* unknown =
      "extern \"C\" float k(const float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i]; "
      "return s; }\n";
  EXPECT_THAT(jit.assembly(unknown, "k"), HasSubstr("\tj"));
}

TEST(ClangJit, LongBlocksReadWhatTheyWroteBefore) {
  const ClangJit jit;
  constexpr int kCount = 1500;
  std::string body;
  for (int i = 1; i < kCount; ++i) {
    const std::string at = std::to_string(i), before = std::to_string(i - 1);
    body += "to[" + at + "] = from[" + before + "] * 3 + " + at + ";\n";
  }
  auto code = build(jit, "extern \"C\" void k(unsigned* to, const unsigned* from) {\n" + body + "}", "k");
  std::vector<unsigned> values(kCount, 1), expected = values;
  for (unsigned i = 1; i < kCount; ++i) expected[i] = expected[i - 1] * 3 + i;
  function<void(unsigned*, const unsigned*)>(*code, "k")(values.data(), values.data());
  EXPECT_EQ(values, expected);
}

TEST(ClangJit, MultiplyAddsAreRoundedOnceOnlyWhereTheTextSaysSo) {
  ClangJit jit;
  const std::string body = R"(extern "C" double k(double a, double b, double c) { return a * b + c; })";
  const std::string fused =
      R"(extern "C" double k(double a, double b, double c) { return __builtin_elementwise_fma(a, b, c); })";
  if (jit.vector_bytes() >= 32) {
    EXPECT_THAT(jit.assembly(fused, "k"), HasSubstr("vfmadd"));
  }
  EXPECT_THAT(jit.assembly(body, "k"), Not(HasSubstr("vfmadd")));
  const double a = 1 + 0x1p-30, c = -(1 + 0x1p-29);
  auto code = build(jit, body, "k");
  EXPECT_EQ(function<double(double, double, double)>(*code, "k")(a, a, c), 0.0);
}

TEST(ClangJit, KeepsNanInfinityAndSignedZero) {
  ClangJit jit;
  auto code = build(jit, R"(extern "C" double k(double x) { return x != x ? 1.0 : 1.0 / (x + 0.0); })", "k");
  auto* k = function<double(double)>(*code, "k");
  EXPECT_EQ(k(NAN), 1.0);
  EXPECT_EQ(k(-0.0), INFINITY);
  EXPECT_EQ(k(INFINITY), 0.0);
  auto negate = build(jit, R"(extern "C" double k(double x) { return x * -1.0 + 0.0 * x; })", "k");
  EXPECT_TRUE(std::isnan(function<double(double)>(*negate, "k")(INFINITY)));
}

TEST(ClangJit, MemoryFunctionsComeFromTheProcess) {
  ClangJit jit;
  auto code = build(jit, R"(
    extern "C" void k(char* to, const char* from, unsigned long n) {
      __builtin_memset(to, 'x', n + 1);
      __builtin_memcpy(to, from, n);
      __builtin_memmove(to + 1, to, n - 1);
    })",
                    "k");
  char to[16] = {}, from[] = "abcdefgh";
  function<void(char*, const char*, unsigned long)>(*code, "k")(to, from, 8);
  EXPECT_STREQ(to, "aabcdefgx");
}

TEST(ClangJit, RefusesOtherFunctionsOfTheProcess) {
  ClangJit jit;
  const std::string object = jit.compile(
      R"(extern "C" int system(const char*); extern "C" int kernel() { return system("true"); })", "kernel");
  EXPECT_THAT(link_log(jit, object), HasSubstr("system: declared, and not defined"));
}

TEST(ClangJit, RefusesBytesThatAreNoObject) {
  ClangJit jit;
  EXPECT_THAT(link_log(jit, "garbage"), HasSubstr("not recognized as a valid object file"));
  EXPECT_NE(link_log(jit, jit.compile(R"(extern "C" void kernel() {})", "kernel").substr(0, 100)), "");
}

TEST(ClangJit, ReportsClangsDiagnosticsWithTheLine) {
  ClangJit jit;
  const std::string log = compile_log(jit, "int a;\nint b = missing;\n");
  EXPECT_THAT(log, HasSubstr("kernel.cpp:2:9: error: use of undeclared identifier 'missing'"));
  EXPECT_THAT(log, HasSubstr("int b = missing;"));
}

TEST(ClangJit, ReadsNoFiles) {
  ClangJit jit;
  EXPECT_THAT(compile_log(jit, "#include <stddef.h>\n"), HasSubstr("'stddef.h' file not found"));
  EXPECT_THAT(compile_log(jit, "#include \"/etc/passwd\"\n"), HasSubstr("file not found"));
}

TEST(ClangJit, ReportsErrorsOfTheAssemblerAndTheCodeGenerator) {
  ClangJit jit;
  EXPECT_THAT(compile_log(jit, R"(extern "C" void k() { asm volatile("nonsense %rax"); })"),
              HasSubstr("invalid instruction mnemonic 'nonsense'"));
  std::string operands;
  for (int i = 0; i < 20; ++i) operands += (i ? ", \"r\"(p[" : "\"r\"(p[") + std::to_string(i) + "])";
  EXPECT_THAT(compile_log(jit, "extern \"C\" void k(long* p) { asm volatile(\"\" :: " + operands + "); }"),
              HasSubstr("requires more registers than available"));
  // The object is as usable as before.
  EXPECT_NE(build(jit, R"(extern "C" void k() {})", "k")->address("k"), nullptr);
}

TEST(ClangJit, FatalErrorsOfLlvmDoNotEndTheProcess) {
#ifdef __SANITIZE_ADDRESS__
  // What a fatal error leaves behind is leaked by design.
  const __lsan::ScopedDisabler leaks_are_meant;
#endif
  ClangJit jit;
  // Instruction selection calls report_fatal_error for this one.
  const std::string log =
      compile_log(jit, R"(register unsigned long q asm("rbp"); extern "C" unsigned long k() { return q; })");
  EXPECT_THAT(log, HasSubstr("LLVM: register rbp is allocatable"));
  EXPECT_NE(build(jit, R"(extern "C" void k() {})", "k")->address("k"), nullptr);
}

TEST(ClangJit, CompilesTheSameBytesEachTime) {
  const std::string source = R"(extern "C" double k(double a) { return a * a + 0.1; })";
  ClangJit one, two;
  const std::string object = one.compile(source, "k");
  EXPECT_EQ(one.compile(source, "k"), object);
  EXPECT_EQ(two.compile(source, "k"), object);
  EXPECT_EQ(one.toolchain(), two.toolchain());
  EXPECT_THAT(one.toolchain(), testing::StartsWith("clang-19."));
  EXPECT_THAT(one.toolchain(), HasSubstr(" " + one.cpu() + " "));
}

TEST(ClangJit, ThreadsCompileAtTheSameTime) {
  ClangJit jit;
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 2; ++thread)
      threads.emplace_back([&, thread] {
        std::vector<std::shared_ptr<ClangJit::Code>> kept;
        for (int i = 0; i < 50; ++i) {
          const std::string number = std::to_string(thread * 1000 + i);
          auto code = build(jit, "extern \"C\" long k(long x) { return x + " + number + "; }", "k");
          if (function<long(long)>(*code, "k")(7) != 7 + std::stol(number)) ++wrong;
          if (i % 10 == 9) {
            // An error on one thread must not show in another's compile.
            if (compile_log(jit, "int x = missing_" + number + ";").find("missing_" + number) ==
                std::string::npos)
              ++wrong;
            kept.clear();
          }
          kept.push_back(std::move(code));
        }
        for (const auto& code : kept)
          if (function<long(long)>(*code, "k")(0) < thread * 1000) ++wrong;
      });
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ClangJit, CodeOutlivesTheCompilerAndIsUnmappedWhenFreed) {
  std::shared_ptr<ClangJit::Code> code;
  {
    ClangJit jit;
    code = build(jit, R"(extern "C" long k(long x) { return x * 3; })", "k");
  }
  auto* k = function<long(long)>(*code, "k");
  EXPECT_EQ(k(5), 15);
  code.reset();
  EXPECT_DEATH(k(5), "");
}

TEST(ClangJit, ManyKernelsOfOneNameLiveBesideEachOther) {
  ClangJit jit;
  const std::string one = jit.compile(R"(extern "C" int k() { return 1; })", "k");
  const std::string two = jit.compile(R"(extern "C" int k() { return 2; })", "k");
  std::vector<std::shared_ptr<ClangJit::Code>> codes;
  for (int i = 0; i < 1000; ++i) {
    codes.push_back(jit.load(i % 2 ? two : one, std::vector<std::string>{"k"}));
    if (i >= 100) codes[i - 100].reset();
  }
  for (int i = 900; i < 1000; ++i) EXPECT_EQ(function<int()>(*codes[i], "k")(), 1 + i % 2);
}

}  // namespace
}  // namespace weft::runtime
