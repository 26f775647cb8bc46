// Programs compiled ahead: linked by the system's compiler and run by libweft_runtime alone, they give the bits of
// compiled functions; what is wrong with them or with what they are given is said.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "runtime/exported/weft_runtime.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using Arrays = std::vector<Array>;

std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ExportTest : public testing::Test {
 protected:
  void SetUp() override { WEFT_NEEDS_A_COMPILER(); }
  ~ExportTest() override {
    std::error_code code;
    std::filesystem::remove_all(folder_, code);
  }
  void write(const Compiled::Function& f, const std::vector<Arrays>& examples,
             const ExportOptions& options = {}) {
    export_function(folder_, "f", f, examples, options);
  }
  // Runs the host's compiler with the folder as its place; what it says where it fails.
  std::string compile(const std::string& arguments) const {
    const std::string command = fmt::format("cd {} && {} {} -I{} > log 2>&1", folder_, WEFT_HOST_COMPILER,
                                            arguments, WEFT_RUNTIME_HEADERS);
    return std::system(command.c_str()) == 0 ? "" : text_in(folder_ + "/log");
  }
  // The exported table, in a library that is linked as users link.
  const weft_exported& linked() {
    const std::string file = fmt::format("f{}.so", ++linked_);  // no library is loaded from one place twice
    EXPECT_EQ(compile("-shared -o " + file +
                      " -Wl,--whole-archive libf.a -Wl,--no-whole-archive -Wl,-z,defs -L" WEFT_LIBRARIES
                      " -lweft_runtime"),
              "");
    void* const opened = dlopen((folder_ + "/" + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(opened, nullptr) << dlerror();
    return *static_cast<const weft_exported*>(dlsym(opened, "f_exported"));
  }
  // Of a graph that was run here and there: every bit.
  void expect_same(const Compiled::Function& f, const Arrays& arguments, const ExportOptions& options = {}) {
    write(f, {arguments}, options);
    const weft_exported& program = linked();
    const Arrays want = Compiled(arguments, f)(arguments);
    const auto got = run(program, arguments, want.size());
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(got[k], bytes_of(want[k])) << "result " << k;
  }

  static std::string bytes_of(const Array& x) {
    std::string bytes(x.size() * size_of(x.dtype()), '\0');
    x.copy_to(bytes.data());
    return bytes;
  }
  static weft_array as_c(const Array& x, std::string& bytes) {
    bytes = bytes_of(x);
    weft_array out{
        bytes.data(), static_cast<weft_dtype>(x.dtype()), static_cast<int>(x.shape().size()), {}, nullptr};
    std::copy(x.shape().begin(), x.shape().end(), out.shape);
    return out;
  }
  // The results' bytes; none where it fails.
  static std::vector<std::string> run(const weft_exported& program, const Arrays& arguments, size_t results) {
    std::vector<std::string> held(arguments.size());
    std::vector<weft_array> inputs;
    inputs.reserve(arguments.size());
    for (size_t k = 0; k < arguments.size(); ++k) inputs.push_back(as_c(arguments[k], held[k]));
    std::vector<weft_array> outputs(results);
    const weft_status status = weft_run(&program, inputs.data(), inputs.size(), outputs.data(), results);
    EXPECT_EQ(status, WEFT_OK) << weft_last_error();
    std::vector<std::string> out;
    for (weft_array& one : outputs) {
      if (status != WEFT_OK) break;
      size_t count = size_of(static_cast<DType>(one.dtype));
      for (int axis = 0; axis < one.rank; ++axis) count *= static_cast<size_t>(one.shape[axis]);
      out.emplace_back(static_cast<const char*>(one.data), count);
      weft_release(&one);
      EXPECT_EQ(one.data, nullptr);
    }
    return out;
  }
  // What weft_run() says of such inputs.
  static std::string refusal(const weft_exported& program, const Arrays& arguments, weft_status want,
                             size_t results = 1) {
    std::vector<std::string> held(arguments.size());
    std::vector<weft_array> inputs;
    inputs.reserve(arguments.size());
    for (size_t k = 0; k < arguments.size(); ++k) inputs.push_back(as_c(arguments[k], held[k]));
    std::vector<weft_array> outputs(results);
    EXPECT_EQ(weft_run(&program, inputs.data(), inputs.size(), outputs.data(), results), want);
    for (const weft_array& one : outputs) EXPECT_EQ(one.data, nullptr);
    return weft_last_error();
  }

  TestSession session_;
  int linked_ = 0;
  std::string folder_ = [] {
    std::string name = (std::filesystem::temp_directory_path() / "weft-export-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error("test: no temporary folder");
    return name;
  }();
};

Arrays softmax_and_total(std::span<const Array> x) {
  const Array e = exp(x[0] - max(x[0], 1, true));
  return {e / sum(e, 1, true), sum(x[0] * x[1])};
}

TEST_F(ExportTest, GivesTheBitsOfCompiledFunctions) {
  const Array x = arange(64 * 97).reshape({64, 97}).astype(DType::F32) * 0.01;
  expect_same(softmax_and_total, {x, cos(x)});
}

TEST_F(ExportTest, OlderProcessorsToo) {
  const Array x = arange(64 * 97).reshape({64, 97}).astype(DType::F64) * 0.01;
  write(softmax_and_total, {{x, x}}, {{}, "x86-64-v2"});
  const weft_exported& program = linked();
  EXPECT_STREQ(program.processor, "x86-64-v2");
  const std::string row = run(program, {x, x}, 2)[0].substr(0, 97 * sizeof(double));
  double total = 0;
  for (size_t k = 0; k < 97; ++k) {
    double one = 0;
    std::memcpy(&one, row.data() + k * sizeof one, sizeof one);
    total += one;
  }
  EXPECT_NEAR(total, 1, 1e-14);
}

TEST_F(ExportTest, LargeReductionsProductsAndLoops) {
  const Array x = linspace(-3, 3, 1 << 20), a = sin(x).reshape({1024, 1024});
  const auto many = [](std::span<const Array> in) -> Arrays {
    const Array turned = fori_loop(
        0, 20, [](const Array&, std::span<const Array> c) -> Arrays { return {c[0] * 0.5 + sin(c[0])}; },
        Arrays{in[0]})[0];
    const Array squared =
        while_loop([](std::span<const Array> c) { return sum(c[0]) < 1000.0; },
                   [](std::span<const Array> c) -> Arrays { return {c[0] * 2.0}; }, Arrays{abs(in[0])})[0];
    return {sum(in[0]), matmul(in[1], in[1]), turned, squared, cumulative_sum(in[0], 0), argmax(in[1], 1)};
  };
  expect_same(many, {x, a});
}

TEST_F(ExportTest, ArraysThatTheFunctionUsesBesidesBecomePartOfIt) {
  const Array weights = arange(12).astype(DType::F32).reshape({4, 3}), bias = from({1.0f, 2.0f, 3.0f});
  const Array x = arange(8).astype(DType::F32).reshape({2, 4});
  expect_same(
      [&](std::span<const Array> in) -> Arrays { return {matmul(in[0], weights) + bias, bias, in[0]}; }, {x});
}

TEST_F(ExportTest, EveryDtypeAndNothing) {
  for (int k = 0; k < kDTypeCount; ++k) {
    const Array x = (arange(100) - 30).astype(static_cast<DType>(k));
    expect_same([](std::span<const Array> in) -> Arrays { return {in[0], equal(in[0], in[1]), flip(in[0])}; },
                {x, x.at(7)});
  }
  expect_same([](std::span<const Array> in) -> Arrays { return {in[0] + 1.0, sum(in[0])}; }, {zeros({0, 3})});
  expect_same([](std::span<const Array>) -> Arrays { return {arange(5), ones({}) * 2.0}; }, {});
}

TEST_F(ExportTest, ShapesChooseTheProgram) {
  const auto f = [](std::span<const Array> in) -> Arrays { return {sum(in[0], 0)}; };
  write(f, {{ones({3, 4})}, {ones({5, 2})}});
  const weft_exported& program = linked();
  EXPECT_EQ(run(program, {ones({5, 2})}, 1)[0], bytes_of(from({5.0, 5.0})));
  EXPECT_EQ(run(program, {ones({3, 4})}, 1)[0], bytes_of(from({3.0, 3.0, 3.0, 3.0})));
  EXPECT_EQ(refusal(program, {ones({3, 5})}, WEFT_WRONG_INPUT),
            "f: takes (f64[3, 4]) or (f64[5, 2]): got (f64[3, 5])");
  EXPECT_EQ(refusal(program, {}, WEFT_WRONG_INPUT), "f: takes (f64[3, 4]) or (f64[5, 2]): got ()");
  EXPECT_EQ(refusal(program, {ones({3, 4})}, WEFT_WRONG_INPUT, 2),
            "f: gives (f64[4]): got room for 2 results");
}

TEST_F(ExportTest, RefusesWhatCannotBeRight) {
  write([](std::span<const Array> in) -> Arrays { return {take(in[0], in[1], 0) * 2.0}; },
        {{arange(10).astype(DType::F64), from<int64_t>({1, 2, 3})}});
  const weft_exported& program = linked();
  const Array x = arange(10).astype(DType::F64);
  EXPECT_EQ(run(program, {x, from<int64_t>({-10, 0, 9})}, 1)[0], bytes_of(from({0.0, 0.0, 18.0})));
  EXPECT_THAT(refusal(program, {x, from<int64_t>({0, 10, 1})}, WEFT_WRONG_INPUT),
              HasSubstr("position 10 is out of bounds for axis 0 with 10 elements"));
  EXPECT_THAT(refusal(program, {x, from<int64_t>({0, -11, 1})}, WEFT_WRONG_INPUT), HasSubstr("position -11"));

  double values[10] = {}, result[3] = {};
  int64_t places[3] = {};
  weft_array inputs[2] = {{values, WEFT_F64, 1, {10}, nullptr}, {nullptr, WEFT_I64, 1, {3}, nullptr}};
  weft_array output = {result, WEFT_F64, 1, {4}, nullptr};
  EXPECT_EQ(weft_run(&program, inputs, 2, &output, 1), WEFT_WRONG_INPUT);
  EXPECT_THAT(weft_last_error(), HasSubstr("result 0 has data of another dtype or shape"));
  output.shape[0] = 3;
  EXPECT_EQ(weft_run(&program, inputs, 2, &output, 1), WEFT_WRONG_INPUT);
  EXPECT_THAT(weft_last_error(), HasSubstr("input 1: its data is NULL"));
  inputs[1].data = places;
  inputs[0].rank = 17;
  EXPECT_EQ(weft_run(&program, inputs, 2, &output, 1), WEFT_WRONG_INPUT);
  EXPECT_THAT(weft_last_error(), HasSubstr("takes ranks of 0 to 16: got 17"));
  inputs[0].rank = 1;
  EXPECT_EQ(weft_run(&program, inputs, 2, &output, 1), WEFT_OK);
  EXPECT_STREQ(weft_last_error(), "");
}

TEST_F(ExportTest, TellsForeignAndDamagedPrograms) {
  write([](std::span<const Array> in) -> Arrays { return {in[0] + 1.0}; }, {{ones({3})}});
  const weft_exported& whole = linked();
  const auto changed = [&](const auto& change) {
    weft_exported other = whole;
    weft_program program = whole.programs[0];
    std::string bytes(reinterpret_cast<const char*>(program.bytes), program.size);
    change(other, program, bytes);
    program.bytes = reinterpret_cast<const unsigned char*>(bytes.data());
    other.programs = &program;
    return refusal(
        other, {ones({3})},
        std::string_view(other.processor) == whole.processor ? WEFT_WRONG_PROGRAM : WEFT_WRONG_INPUT);
  };
  EXPECT_THAT(changed([](weft_exported& other, auto&, auto&) { ++other.format; }),
              ContainsRegex(
                  "exported by Weft .* in format 3, but libweft_runtime .* runs format 2: export it again"));
  EXPECT_THAT(changed([](auto&, auto&, std::string& bytes) { bytes[20] ^= 1; }),
              HasSubstr("another checksum"));
  EXPECT_THAT(changed([](weft_exported& other, auto&, auto&) { other.processor = "x86-64-v9"; }),
              HasSubstr("its kernels are for x86-64-v9, and this processor is older"));
  EXPECT_THAT(changed([](auto&, weft_program& program, auto&) { program.kernel_count = 0; }),
              HasSubstr("it has no kernel"));
  EXPECT_THAT(changed([](auto&, weft_program& program, auto&) { program.array_count = 1; }),
              HasSubstr("another number of arrays"));
}

TEST_F(ExportTest, ThreadsRunOneProgramAtOnce) {
  const Array x = linspace(0, 1, 50'000);
  const auto f = [](std::span<const Array> in) -> Arrays { return {sum(exp(in[0]) * in[0])}; };
  write(f, {{x}});
  const weft_exported& program = linked();
  const std::string want = run(program, {x}, 1)[0];
  std::string held;
  const weft_array input = as_c(x, held);
  std::vector<std::thread> threads;
  threads.reserve(8);
  std::atomic<int> right = 0;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn) {
        double got = 0;
        weft_array output = {&got, WEFT_F64, 0, {}, nullptr};
        if (weft_run(&program, &input, 1, &output, 1) == WEFT_OK &&
            std::string(reinterpret_cast<const char*>(&got), sizeof got) == want)
          ++right;
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(right, 8 * 20);
  EXPECT_EQ(weft_set_threads(1), WEFT_OK);
  EXPECT_EQ(run(program, {x}, 1)[0], want);
  EXPECT_EQ(weft_set_threads(-1), WEFT_WRONG_INPUT);
  EXPECT_EQ(weft_set_threads(0), WEFT_OK);
}

TEST_F(ExportTest, TheHeaderIsCAndCpp) {
  const auto f = [](std::span<const Array> in) -> Arrays { return {in[0] * in[1], in[2]}; };
  const Array x = ones({2, 3}).astype(DType::F32);
  write(f, {{x, from({2.0f}).at(0), ones({2}).astype(DType::C64)}}, {{"image", "gain", "c"}, ""});
  const std::string header = text_in(folder_ + "/f.h");
  EXPECT_THAT(header,
              HasSubstr("f(image f32[2, 3], gain f32[], c c64[2]) -> result0 f32[2, 3], result1 c64[2]"));
  std::ofstream(folder_ + "/main.c") << R"(#include "f.h"
int main(void) {
  const float image[6] = {1, 2, 3, 4, 5, 6}, gain = 2, c[4] = {1, 2, 3, 4};
  float result[6], other[4];
  if (f(image, &gain, c, result, other) != WEFT_OK) return 1;
  return result[5] == 12 && other[3] == 4 ? 0 : 2;
}
)";
  for (const char* language : {"c -std=c99", "c++ -std=c++11"}) {
    EXPECT_EQ(
        compile(fmt::format("-x {} -Wall -Wextra -Werror -pedantic main.c -x none libf.a -L" WEFT_LIBRARIES
                            " -lweft_runtime -Wl,-rpath," WEFT_LIBRARIES " -o main",
                            language)),
        "");
    EXPECT_EQ(std::system((folder_ + "/main").c_str()), 0) << language;
  }
}

TEST_F(ExportTest, ResultsHaveMemoryOfTheirOwn) {
  write([](std::span<const Array> in) -> Arrays { return {in[0] * 2.0, in[0] * 2.0}; }, {{ones({3})}});
  const weft_exported& program = linked();
  double values[3] = {1, 2, 3};
  const weft_array input = {values, WEFT_F64, 1, {3}, nullptr};
  weft_array results[2] = {};
  ASSERT_EQ(weft_run(&program, &input, 1, results, 2), WEFT_OK);
  EXPECT_NE(results[0].data, results[1].data);
  // Memory that the library gave is written again, and given back once.
  void* const before = results[0].data;
  values[0] = 5;
  ASSERT_EQ(weft_run(&program, &input, 1, results, 2), WEFT_OK);
  EXPECT_EQ(results[0].data, before);
  EXPECT_EQ(static_cast<double*>(results[1].data)[0], 10);
  for (weft_array& one : results) weft_release(&one);
  EXPECT_EQ(results[0].owner, nullptr);
  EXPECT_EQ(weft_run_into(&program, &input, 1, results, 2), WEFT_WRONG_INPUT);
  EXPECT_STREQ(weft_last_error(), "f: result 0: its memory is NULL");
  EXPECT_EQ(weft_run(nullptr, &input, 1, results, 2), WEFT_WRONG_INPUT);
}

TEST_F(ExportTest, AnotherProgramMayLieWhereOneLay) {
  const auto times = [](double factor) {
    return [=](std::span<const Array> in) -> Arrays { return {in[0] * factor}; };
  };
  write(times(2), {{ones({3})}});
  const weft_exported two = linked();
  write(times(3), {{ones({3})}});
  weft_exported place = two;
  EXPECT_EQ(run(place, {ones({3})}, 1)[0], bytes_of(full({3}, 2.0)));
  place = linked();
  EXPECT_EQ(run(place, {ones({3})}, 1)[0], bytes_of(full({3}, 3.0)));
}

TEST_F(ExportTest, TheSameFunctionGivesTheSameFiles) {
  const auto f = [](std::span<const Array> in) -> Arrays {
    return {sum(exp(in[0])),
            while_loop([](std::span<const Array> c) { return sum(c[0]) < 1000.0; },
                       [](std::span<const Array> c) -> Arrays { return {matmul(c[0], c[0])}; },
                       Arrays{in[0].reshape({30, 30})})[0]};
  };
  write(f, {{ones({900})}});
  const std::string header = text_in(folder_ + "/f.h"), archive = text_in(folder_ + "/libf.a");
  write(f, {{ones({900})}});
  EXPECT_EQ(text_in(folder_ + "/f.h"), header);
  EXPECT_TRUE(text_in(folder_ + "/libf.a") == archive);
  EXPECT_EQ(archive.find("export_test.cpp"), std::string::npos) << "a line of the user's";
}

TEST_F(ExportTest, RefusesWhatItCannotExport) {
  const Array x = ones({3});
  const auto refused = [&](const std::string& name, const Compiled::Function& f,
                           const std::vector<Arrays>& examples, const ExportOptions& options = {}) {
    try {
      export_function(folder_, name, f, examples, options);
    } catch (const Error& error) {
      EXPECT_FALSE(std::filesystem::exists(folder_ + "/f.h"));
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto f = [](std::span<const Array> in) -> Arrays { return {in[0] + 1.0}; };
  EXPECT_EQ(refused("f", f, {}), "export: takes at least one example of the arguments");
  EXPECT_EQ(refused("3d", f, {{x}}), "export: the name must be one of C, and none of Weft's: got '3d'");
  EXPECT_EQ(refused("while", f, {{x}}), "export: the name must be one of C, and none of Weft's: got 'while'");
  EXPECT_EQ(refused("f", f, {{x}}, {{"a", "b"}, ""}), "export: takes a name for each of 1 arguments: got 2");
  EXPECT_EQ(refused("f", f, {{x}, {x}}),
            "export: examples 0 and 1 have the same dtypes and shapes: which is meant could not be told");
  EXPECT_EQ(refused("f", f, {{x}}, {{}, "znver4"}),
            "export: processor: takes x86-64-v4, x86-64-v3, x86-64-v2: got znver4");
  EXPECT_EQ(refused("f", f, {{x}, {x, x}}),
            "export: each example must have the same number of arguments and of results");
  EXPECT_EQ(refused("f", f, {{zeros(Shape(17, 1))}}).substr(0, 45),
            "export: takes arrays of up to 16 axes: an arg");
  EXPECT_EQ(refused("f",
                    [](std::span<const Array> in) -> Arrays {
                      Array written = in[0];
                      written += 1.0;
                      return {written};
                    },
                    {{x}}),
            "export: the function writes to argument 0: let it return what it computes");
  EXPECT_THAT(
      refused("f", [](std::span<const Array> in) -> Arrays { return {in[0] * in[0].at(0).item<double>()}; },
              {{x}}),
      HasSubstr("arguments have no values while it is recorded"));
}

}  // namespace
}  // namespace weft
