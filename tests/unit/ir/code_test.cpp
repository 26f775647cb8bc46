// Ops as text: each text is compiled by the C++ compiler too, and gives what that gives; and what is refused, and where.
#include "compiler/ir/code/code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/interpret/interpret_function.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/parse_function.h"
#include "compiler/ir/text/print.h"

namespace weft::ir {
namespace {

template <class T>
constexpr DType kDType = std::is_same_v<T, double>     ? DType::F64
                         : std::is_same_v<T, float>    ? DType::F32
                         : std::is_same_v<T, int8_t>   ? DType::I8
                         : std::is_same_v<T, uint8_t>  ? DType::U8
                         : std::is_same_v<T, int16_t>  ? DType::I16
                         : std::is_same_v<T, int32_t>  ? DType::I32
                         : std::is_same_v<T, uint32_t> ? DType::U32
                         : std::is_same_v<T, int64_t>  ? DType::I64
                                                       : DType::U64;

template <class T>
Scalar scalar_of(T value) {
  return Scalar::load(kDType<T>, &value);
}

std::vector<Scalar> ran(const std::string& text, const std::string& in, const std::string& out,
                        std::vector<Scalar> args, const std::string& preamble = "") {
  const auto code = Code::parse(CodeStrings{"f", in, out, text, preamble, ""});
  std::vector<Code::Argument> given;
  given.reserve(args.size());
  for (const Scalar& one : args) given.push_back({one.dtype});
  return run(*code->of(given), args);
}

template <class T>
std::vector<T> values_of() {
  if constexpr (std::is_floating_point_v<T>) {
    return {T(0), T(0.5), T(-0.5), T(1), T(2.5), T(-3.25), T(7), T(100), T(-1e10), T(1e-3)};
  } else {
    std::vector<T> all = {T(0), T(1), T(2), T(3), T(7), T(100)};
    if constexpr (std::is_signed_v<T>) all.insert(all.end(), {T(-1), T(-2), T(-7), T(-100)});
    return all;
  }
}

// The text gives for each pair what the native function of the same statements gives.
template <class T, class F>
void expect_same(const std::string& text, F native) {
  for (const T x : values_of<T>())
    for (const T y : values_of<T>()) {
      T want = 0;
      native(x, y, want);
      const Scalar got = ran(text, "T x, T y", "T r", {scalar_of(x), scalar_of(y)})[0];
      EXPECT_TRUE(got.same(scalar_of(want)))
          << text << "\nof " << +x << ", " << +y << " as " << name(kDType<T>) << ": " << to_string(got)
          << ", C++ gives " << +want;
    }
}

// T is the type in the native statements, and the generic type in the text.
#define NATIVE(TYPE, ...)                                                   \
  expect_same<TYPE>(#__VA_ARGS__, [](const TYPE x, const TYPE y, TYPE& r) { \
    using T = TYPE;                                                         \
    (void)x;                                                                \
    (void)y;                                                                \
    (void)sizeof(T);                                                        \
    __VA_ARGS__;                                                            \
  })
#define FOR_INTEGERS(...)        \
  NATIVE(int8_t, __VA_ARGS__);   \
  NATIVE(uint8_t, __VA_ARGS__);  \
  NATIVE(int16_t, __VA_ARGS__);  \
  NATIVE(int32_t, __VA_ARGS__);  \
  NATIVE(uint32_t, __VA_ARGS__); \
  NATIVE(int64_t, __VA_ARGS__);  \
  NATIVE(uint64_t, __VA_ARGS__)
#define FOR_ALL(...)         \
  FOR_INTEGERS(__VA_ARGS__); \
  NATIVE(double, __VA_ARGS__)

// NOLINTBEGIN
// The statements are users', who are not held to what this project's code is.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
TEST(Code, ComputesIntegersAsCDoes) {
  FOR_INTEGERS(r = y == 0 ? 0 : x / y);
  FOR_INTEGERS(r = y == 0 ? 5 : x % y);
  FOR_INTEGERS(r = (x + y) / 2);
  FOR_INTEGERS(r = (x ^ y) | (x & 12) | ~y);
  FOR_INTEGERS(r = (T)(x << 2) >> 1);
  FOR_INTEGERS(r = (x > y) + (x < y) * 2 + !x);
  FOR_INTEGERS(r = x && y || x == 3);
  FOR_INTEGERS(r = x + (0x1F + 010 + 0b11 + 1'0));
  FOR_INTEGERS(r = -x + +y - 3u);
}

TEST(Code, ComputesFloatsAsCDoes) {
  NATIVE(double, r = x * 2 + y / 3 - 1.5e1);
  NATIVE(double, r = (int)x + (float)y + int64_t(x));
  NATIVE(double, r = fmax(x, y) + fmin(x, 2.0) + fabs(y));
  NATIVE(double, r = floor(x) + ceil(y) + trunc(x) + rint(y));
  NATIVE(double, r = std::round(x) + round(0.49999999999999994));
  NATIVE(double, r = y == 0 ? 1 : fmod(x, y));
  NATIVE(double, r = x > 0 ? sqrt(x) : copysign(y, -1.0));
  NATIVE(float, r = x * 2.0f + y / 3.0f);
  NATIVE(float, r = fabsf(x) + floorf(y) + (x > y ? 1 : 2));
}

TEST(Code, TakesWhatVariablesAndTypesAreMadeOfInBracesAndParentheses) {
  FOR_ALL(T q{3}; T s(x); T t = {y}; auto u{s}; r = T{} + q + u + t);
  FOR_INTEGERS(const T q(7), s{1}; r = T{q} + int{s} * x);
  NATIVE(double, double q{}; q += x; r = q + double{2.5} + 0x1.8p1 + 0x1p-2f);
}

TEST(Code, TakesCudasFastFunctionsForTheSameOfFloats) {
  const auto as_float = [](float v) { return scalar_of(v); };
  const std::vector<std::pair<std::string, std::string>> same = {{"__expf(x)", "expf(x)"},
                                                                 {"__logf(x)", "logf(x)"},
                                                                 {"__sinf(x)", "sinf(x)"},
                                                                 {"__powf(x, y)", "powf(x, y)"},
                                                                 {"__fdividef(x, y)", "x / y"},
                                                                 {"__fmul_rn(x, y)", "x * y"},
                                                                 {"__fmaf_rn(x, y, x)", "fmaf(x, y, x)"},
                                                                 {"__fsqrt_rn(x)", "sqrtf(x)"}};
  for (const auto& [fast, plain] : same)
    EXPECT_TRUE(ran("r = " + fast, "float x, float y", "float r", {as_float(2.5f), as_float(0.75f)})[0].same(
        ran("r = " + plain, "float x, float y", "float r", {as_float(2.5f), as_float(0.75f)})[0]))
        << fast;
}

TEST(Code, RunsBranchesAndLoopsAsCDoes) {
  FOR_ALL(if (x > y) r = x; else if (x == y) r = 7; else {
    r = y;
    r += 1;
  });
  FOR_ALL(T s = 0; for (int k = 0; k < 5; ++k) {
    if (k == x) continue;
    if (k > y) break;
    s += k;
  } r = s);
  FOR_ALL(int k = 0; while (k < 10) {
    k++;
    if (k * 2 > x) break;
  } r = k);
  FOR_ALL(int k = 0; do {
    k += 3;
    if (k == 6) continue;
    if (k > y) break;
  } while (k < x);
          r = k);
  FOR_ALL(r = 0; for (int a = 0; a < 4; a++) for (int b = a; b < 4; b++) {
    if (b == 3) break;
    r += a * b;
    if (a + b > x) break;
  });
  FOR_ALL(r = 1; if (x > 2) {
    if (y > 2) return;
    r = 2;
    if (y == 1) {
      r = 3;
      return;
    }
  } r += 4);
  FOR_ALL(r = 0; for (int k = 0; k < 9; k++) {
    if (k == 4) {
      if (x > 1) return;
      r = 50;
    }
    r += 1;
  } r += 100);
  FOR_ALL(
      T a = x, b = y; for (int k = 0; k < 3; k++) {
        T t = a;
        a = b;
        b = t;
      } r = a);
  FOR_ALL(int k = 2; {
    int k = 5;
    r = k;
  } r += k);
  FOR_ALL(r = 0; for (;;) {
    r += 1;
    if (r > 5) break;
  });
}
#pragma GCC diagnostic pop
// NOLINTEND

TEST(Code, InlinesFunctionsOfThePreamble) {
  const std::string preamble = R"(
    template <typename T> __device__ T limited(T v, T low, T high) {
      if (v < low) return low;
      if (v > high) return high;
      return v;
    }
    static inline int root(double v) { for (int k = 0;; ++k) { if (k * k >= v) return k; } }
  )";
  for (const double x : {-3.0, 0.25, 10.0, 99.0}) {
    const Scalar got =
        ran("r = limited(x, 0.0, 50.0) + root(x); ", "T x", "T r", {Scalar::of(x)}, preamble)[0];
    const double limited = x < 0 ? 0 : x > 50 ? 50 : x;
    EXPECT_EQ(got.re, limited + (x <= 0 ? 0 : std::ceil(std::sqrt(x)))) << x;
  }
}

TEST(Code, GivesSeveralResultsOfTheirOwnTypes) {
  const auto got = ran("s = x + n; whole = x; z = complex<T>(x, n); flag = x > 1", "T x, int n",
                       "T s, int whole, complex<T> z, bool flag", {scalar_of(2.5F), scalar_of(int32_t{4})});
  EXPECT_TRUE(got[0].same(scalar_of(6.5F)));
  EXPECT_TRUE(got[1].same(scalar_of(int32_t{2})));
  EXPECT_EQ(got[2].dtype, DType::C64);
  EXPECT_EQ(got[2].im, 4);
  EXPECT_EQ(got[3].dtype, DType::Bool);
}

TEST(Code, LetsNumbersWithAPointGiveWay) {
  EXPECT_EQ(ran("r = x * 0.1", "T x", "T r", {scalar_of(3.0F)})[0].re, 3.0F * 0.1F);
  EXPECT_EQ(ran("r = x * 0.1", "int x", "double r", {scalar_of(int32_t{3})})[0].re, 3 * 0.1);
  EXPECT_EQ(ran("r = sqrt(2.0) * x", "T x", "T r", {scalar_of(3.0F)})[0].re,
            static_cast<float>(std::sqrt(2.0)) * 3.0F);
  EXPECT_EQ(ran("r = x / 0", "int x", "int r", {scalar_of(int32_t{-3})})[0].i, 0);
}

TEST(Code, TakesTheNumberOfTheElement) {
  EXPECT_TRUE(Code::parse(CodeStrings{"f", "T x", "T r", "r = x + i", "", ""})->takes_index());
  EXPECT_FALSE(Code::parse(CodeStrings{"f", "T x", "T r", "for (int i = 0; i < 3; ++i) r = x + i", "", ""})
                   ->takes_index());
  EXPECT_FALSE(Code::parse(CodeStrings{"f", "T i", "T r", "r = i", "", ""})->takes_index());
}

TEST(Code, KeepsTheDerivativeThatIsGiven) {
  const auto code = Code::parse(
      CodeStrings{"f", "T x, int n, T y", "T r, int k", "r = x * y; k = n", "", "dr_dx = y; dr_dy = r / y"});
  const std::vector<Code::Argument> given = {{DType::F64}, {DType::I32}, {DType::F64}};
  const FunctionRef f = code->of(given);
  ASSERT_TRUE(f->derivative);
  const Scalar args[] = {Scalar::of(3.0), scalar_of(int32_t{2}), Scalar::of(5.0)};
  const auto partials = run(*f->derivative, args);
  ASSERT_EQ(partials.size(), 2u);
  EXPECT_EQ(partials[0].re, 5);
  EXPECT_EQ(partials[1].re, 3);
  const FunctionRef again = parse_function(print(*f, f->name), "again");
  EXPECT_EQ(again->hash, f->hash);
  EXPECT_NE(f->hash,
            Code::parse(CodeStrings{"f", "T x, int n, T y", "T r, int k", "r = x * y; k = n", "", ""})
                ->of(given)
                ->hash);
}

TEST(Code, IsALineOfAGraphsText) {
  const std::string text = R"(# An op, then a graph.
map elu(T x, T a) -> (T r) { r = x > 0 ? x : a * expm1(x); } derivative { dr_dx = x > 0 ? 1 : r + a; dr_da = x > 0 ? 0 : expm1(x); }
graph {
  %x = input : f32[4]
  %a = input : f32[4]
  %y = apply %x, %a, function=elu : f32[4]
  return %y
}
)";
  const Graph graph = parse(text, "elu.weft");
  EXPECT_EQ(hash_graph(parse(print(graph), "again")), hash_graph(graph)) << print(graph);
  EXPECT_NE(print(graph).find("derivative("), std::string::npos);
}

TEST(Code, TakesATextForEachTargetAndAReference) {
  const std::string text = R"(
map doubled(T x, T a) -> (T r) { r = x + x * a; } cuda {
  r = x * (1 + a);
} derivative { dr_dx = 1 + a; dr_da = x; } reference { r = 2 * x; } ulps 1.5
graph {
  %x = input : f32[4]
  %a = constant 1.0 : f32[4]
  %y = apply %x, %a, function=doubled : f32[4]
  return %y
}
)";
  const Graph graph = parse(text, "doubled.weft");
  const Function& f = *function_of(*graph.outputs[0]);
  ASSERT_TRUE(f.on_cuda && f.derivative && f.derivative->on_cuda && f.reference);
  EXPECT_EQ(f.on_cuda->argument(0), DType::F32);
  EXPECT_EQ(f.reference->argument(0), DType::F64);
  EXPECT_EQ(f.reference->result(0), DType::F64);
  EXPECT_EQ(f.ulps, 1.5);

  const Graph again = parse(print(graph), "again");
  const Function& g = *function_of(*again.outputs[0]);
  EXPECT_EQ(print(again), print(graph));
  EXPECT_EQ(g.hash, f.hash);
  ASSERT_TRUE(g.reference);
  EXPECT_EQ(g.reference->hash, f.reference->hash);
  EXPECT_EQ(g.ulps, 1.5);
}

TEST(Code, OfAGraphsTextTakesAParameter) {
  const auto said = [](const std::string& head) {
    try {
      parse("map f" + head + " { r = 1; }\ngraph {\n  return\n}\n", "f.weft");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_NE(said("() -> (T r)").find("f takes one input parameter at least, as in \"T x\": got none"),
            std::string::npos)
      << said("() -> (T r)");
  EXPECT_NE(said("(T x) -> ()").find("f gives one output parameter at least, as in \"T y\": got none"),
            std::string::npos)
      << said("(T x) -> ()");
  EXPECT_EQ(said("(T x) -> (T r)"), "none");
}

TEST(Code, OfAReferenceIsTheSameKernelAndOfAnotherTextForCudaAnother) {
  const Code::Argument f32{DType::F32};
  const auto hash = [&](CodeStrings texts) { return Code::parse(std::move(texts))->of({&f32, 1})->hash; };
  const CodeStrings plain{"f", "T x", "T r", "r = x + 1"};
  CodeStrings checked = plain, both = plain;
  checked.reference = "r = 1 + x";
  both.cuda_operation = "r = x + 2";
  EXPECT_EQ(hash(checked), hash(plain));
  EXPECT_NE(hash(both), hash(plain));
}

TEST(Code, AReferenceAndATextForCudaAreRefusedByName) {
  const Code::Argument f32{DType::F32};
  const auto refused = [&](CodeStrings texts) {
    try {
      Code::parse(std::move(texts))->of({&f32, 1});
    } catch (const Error& e) {
      const std::string what = e.what();
      return what.substr(0, what.find('\n'));
    }
    return std::string("none");
  };
  CodeStrings texts{"f", "T x", "T r", "r = x"};
  texts.reference = "r = x +";
  EXPECT_EQ(refused(texts), "f: reference:1:8: expected a value, got the end of the text");
  texts.reference = "q = x";
  EXPECT_EQ(refused(texts), "f: reference:1:1: 'r' is never assigned: write r = …");
  texts.reference.clear();
  texts.cuda_operation = "r = y";
  EXPECT_EQ(refused(texts),
            "f on cuda:1:5: 'y' is not defined: declare it, or take it as an input parameter");
  texts.cuda_operation.clear();
  texts.reference = "r = x";
  texts.ulps = -1;
  EXPECT_EQ(refused(texts), "function f: ulps is 0 or more: got -1");
}

std::string refusal(const std::string& text, const std::string& in = "T x, T y",
                    const std::string& out = "T r", const std::string& preamble = "",
                    const std::string& derivative = "") {
  try {
    const Code::Argument f64{DType::F64};
    const auto code = Code::parse(CodeStrings{"f", in, out, text, preamble, derivative});
    const std::vector<Code::Argument> given(code->params().size(), f64);
    code->of(given);
  } catch (const Error& e) {
    const std::string what = e.what();
    return what.substr(0, what.find('\n'));
  }
  return "none";
}

struct Refused {
  const char *text, *said;
};

TEST(Code, SaysWhatItCannotBeAndWhere) {
  const Refused all[] = {
      {"r = z", "f:1:5: 'z' is not defined: declare it"},
      {"r = 1;\n  r = exq(x)", "f:2:7: there is no function 'exq' (is it exp?)"},
      {"r = x +", "f:1:8: expected a value, got the end of the text"},
      {"r = (x", "f:1:7: expected ')', got the end of the text"},
      {"r = x y", "f:1:7: expected ';', got 'y'"},
      {"r = x[1]", "f:1:6: elements of arrays cannot be read here"},
      {"r[0] = x", "f:1:2: elements of arrays cannot be written here"},
      {"float *p; r = 1", "f:1:7: a pointer cannot be had here"},
      {"float p[3]; r = 1", "f:1:8: an array of its own cannot be had"},
      {"r = *x", "f:1:5: pointers cannot be had here"},
      {"r = &x", "f:1:5: pointers cannot be had here"},
      {"r = x->y", "f:1:6: pointers cannot be had here"},
      {"r = threadIdx.x", "f:1:5: threadIdx cannot be used in an op of elements"},
      {"__syncthreads(); r = 1", "f:1:1: __syncthreads cannot be used"},
      {"atomicAdd(x, 1); r = 1", "f:1:1: atomicAdd cannot be used"},
      {"r = x % 2.0", "f:1:7: % takes integers: got f64 and f64; fmod(x, y)"},
      {"r = x & 1", "f:1:7: & takes integers"},
      {"r = x << 1", "f:1:7: << takes integers"},
      {"r = ~x", "f:1:5: ~ takes integers"},
      {"x = 3; r = 1", "f:1:1: 'x' is an input, which cannot be written"},
      {"x++; r = 1", "f:1:1: 'x' is an input"},
      {"q = 3; r = 1", "f:1:1: 'q' is not defined"},
      {"int q = 1", "f:1:1: 'r' is never assigned"},
      {"", "f:1:1: 'r' is never assigned"},
      {"int q = 1; int q = 2; r = q", "f:1:16: 'q' is declared twice"},
      {"auto q; r = 1", "f:1:6: 'q' has no value to tell its type"},
      {"const float q = 2; q = 3; r = q", "f:1:20: 'q' is const, which cannot be written"},
      {"float const q = 2; ++q; r = q", "f:1:22: 'q' is const, which cannot be written"},
      {"for (constexpr int k = 0; k < 3; ++k) r = k", "f:1:36: 'k' is const, which cannot be written"},
      {"const auto q = x; q += 1; r = q", "f:1:19: 'q' is const, which cannot be written"},
      {"const float q; r = q", "f:1:13: 'q' is const: give it its value"},
      {"nosuch q = 1; r = 1", "f:1:1: 'nosuch' is no type"},
      {"r = x ? : 2", "f:1:9: expected a value"},
      {"r = x ? 1", "f:1:10: expected ':'"},
      {"goto l; r = 1", "f:1:1: goto cannot be compiled"},
      {"switch (x) {} r = 1", "f:1:1: switch cannot be compiled"},
      {"struct A {}; r = 1", "f:1:1: a struct cannot be compiled"},
      {"try { } r = 1", "f:1:1: try cannot be compiled"},
      {"throw 1; r = 1", "f:1:1: throw cannot be compiled"},
      {"printf(x); r = 1", "f:1:1: printf cannot be compiled"},
      {"asm(x); r = 1", "f:1:1: asm cannot be compiled"},
      {"r = new x", "f:1:5: memory cannot be asked for"},
      {"static int q = 1; r = q", "f:1:1: static has no meaning here"},
      {"r = 0x", "f:1:5: '0x' is no number"},
      {"r = 1.5.2", "f:1:5: '1.5.2' is no number"},
      {"r = 12abc", "f:1:5: '12abc' is no number"},
      {"r = 1e999", "f:1:5: 1e999 is beyond what a double holds"},
      {"r = 99999999999999999999", "f:1:5: 99999999999999999999 is beyond what 64 bits hold"},
      {"r = 18446744073709551615", "f:1:5: 18446744073709551615 is beyond what a signed integer holds"},
      {"return 1; r = 2", "f:1:1: return gives no value here"},
      {"break; r = 1", "f:1:1: break stands outside of a loop"},
      {"while (1) {} r = 1", "f:1:1: a loop that never ends"},
      {"r = 1; for (;;) r = r + 1", "f:1:8: a loop that never ends"},
      {"r = x; do {} while (x > 0)", "f:1:8: a loop that never ends"},
      {"int k = 0; while (x == x) { int j = k; } r = 1", "f:1:12: a loop that never ends"},
      {"continue; r = 1", "f:1:1: continue stands outside of a loop"},
      {"r = 1 /* ", "f:1:7: this comment has no end"},
      {"if (r = 1) r = 2", "f:1:7: = assigns, which a condition cannot"},
      {"r = q = 1", "f:1:7: = gives no value here"},
      {"r = x++", "f:1:6: ++ and -- stand as statements of their own"},
      {"r = ++x", "f:1:5: ++ and -- stand as statements of their own"},
      {"x + 1; r = 1", "f:1:1: this value is for nothing"},
      {"T q = 1; r = (q += x)", "f:1:17: += gives no value here: assign one variable a statement"},
      {"r = exp(x = 1)",
       "f:1:11: = gives no value here: assign one variable a statement, and write == to compare"},
      {"T q; while ((q = x) > 1) r = q", "f:1:16: = gives no value here"},
      {"T q; if (q -= x) r = q", "f:1:12: -= gives no value here"},
      {"T q; r = x > 0 ? q = 1 : 2", "f:1:20: = gives no value here"},
      {"r = (x, y)", "f:1:7: , gives no value here: write a statement for each"},
      {"r = x, y", "f:1:8: this value is for nothing"},
      {"r = malloc(8)", "f:1:5: malloc cannot be called here: there is no memory of its own here"},
      {"free(x); r = x", "f:1:1: free cannot be called here"},
      {"assert(x > 0); r = x", "f:1:1: assert cannot be called here: write if, and give NAN"},
      {"r = rand()", "f:1:5: rand cannot be called here: pass random numbers"},
      {"delete x; r = x", "f:1:1: memory cannot be given back here"},
      {"enum A { B }; r = x", "f:1:1: an enum cannot be compiled"},
      {"r = nullptr", "f:1:5: there are no addresses here"},
      {"r = reinterpret_cast<T>(x)", "f:1:5: reinterpret_cast cannot be compiled"},
      {"r = [](T q) { return q; }(x)", "f:1:5: a lambda cannot be had here"},
      {"r = x and y", "f:1:7: write && in place of and"},
      {"r = sizeof(nosuch)", "f:1:12: 'nosuch' is not defined"},
      {"r = \"a\"", "f:1:5: text cannot be used here"},
      {"#define A\nr = 1", "f:1:1: the preprocessor is not there"},
      {"if (x) { r = 1;", "f:1:16: expected '}', got the end of the text"},
      {"if x > 1 r = 1", "f:1:4: expected '(', got 'x'"},
      {"while (x { r = 1; }", "f:1:10: expected ')', got '{'"},
      {"for (int k = 0, k < 3; ++k) r = 1", "f:1:19: expected ';', got '<'"},
      {"do { r = 1; } (x);", "f:1:15: expected 'while', got '('"},
      {"r = sqrt()", "f:1:5: sqrt: takes operands: got none"},
      {"r = sqrt(x, y)", "f:1:5: sqrt: takes 1 operand: got 2"},
      {"r = pow(x)", "f:1:5: pow: takes 2 operands: got 1"},
      {"r = T(x, y)", "f:1:5: T is made of one value: got 2"},
      {"r = complex<T>(x, y)", "f:1:1: a complex number is no f64"},
      {"r = complex<T>(x, y) < complex<T>(y, x)", "f:1:22: < takes no complex numbers"},
      {"r = x.nosuch()", "f:1:7: numbers have no nosuch()"},
      {"r = x @ y", "f:1:7: expected ';', got '@'"},
      {"r = 1; }", "f:1:8: expected a value, got '}'"},
      {"using T2 = float; r = 1", "f:1:1: using cannot be compiled"},
      {"r = x == NULL", "f:1:10: there are no addresses here"},
      {"r = None", "f:1:5: there is no None here"},
      {"r = 1.5L", "f:1:5: there is no long double: write 1.5"},
      {"r = x ** 2", "f:1:7: there is no **: write pow(x, y)"},
      {"r = x if x > 0 else 0",
       "f:1:7: expected ';', got 'if': a choice of two values is written test ? a : b"},
      {"again: r = x; goto again", "f:1:1: a label cannot be had here"},
      {"r = x.y", "f:1:7: numbers have no y: z.real() and z.imag() are there"},
      {"memcpy(&r, &x, 8)", "f:1:1: memcpy cannot be called here: assign variables"},
      {"r = x; memcpy(r, x, 8)", "f:1:8: memcpy cannot be called here: assign variables"},
      {"r = lerp(x, y, 0.5)", "f:1:5: lerp cannot be called here: write a + t * (b - a)"},
      {"r = __float_as_int(x)", "f:1:5: __float_as_int cannot be called here: pass x.view(dtype)"},
      {"r = nan(\"\")", "f:1:5: nan cannot be called here: write NAN"},
      {"r = NaN",
       "f:1:5: 'NaN' is not defined: declare it, or take it as an input parameter; did you mean NAN?"},
      {"r = inf",
       "f:1:5: 'inf' is not defined: declare it, or take it as an input parameter; did you mean INFINITY?"},
      {"float2 q; r = q.x",
       "f:1:1: 'float2' is no type: name one of C's or NumPy's, or a generic one of the parameters; vectors "
       "are not there"},
      {"auto q{x, y}; r = q", "f:1:6: auto is made of one value: got 2"},
      {"r = T{x, y}", "f:1:5: T is made of one value: got 2"},
      {"r = __fdividef(x)", "f:1:5: __fdividef: takes 2 operands: got 1"},
  };
  for (const Refused& one : all)
    EXPECT_EQ(refusal(one.text).substr(0, std::strlen(one.said)), one.said) << one.text;
}

TEST(Code, SaysWhatIsWrongWithParametersAndPreambles) {
  EXPECT_EQ(refusal("r = 1", ""),
            "f: input parameters:1:1: f takes one input parameter at least, as in \"T x\": got none");
  EXPECT_EQ(refusal("r = 1", "T x", ""),
            "f: output parameters:1:1: f gives one output parameter at least, as in \"T y\": got none");
  EXPECT_EQ(refusal("r = 1", "T x", "U r"),
            "f: output parameters:1:1: no input parameter has the type 'U', so it is not known: name one of "
            "C's or NumPy's");
  EXPECT_EQ(refusal("r = 1", "T x, T x"), "f: input parameters:1:6: 'x' is a parameter already");
  EXPECT_EQ(refusal("r = 1", "T x,, T y").substr(0, 39), "f: input parameters:1:5: expected a typ");
  EXPECT_EQ(refusal("r = 1", "raw T x").substr(0, 45), "f: input parameters:1:1: raw arrays, of which");
  EXPECT_EQ(refusal("r = 1", "T *x").substr(0, 43), "f: input parameters:1:3: a pointer cannot b");
  EXPECT_EQ(refusal("r = 1", "auto x").substr(0, 43), "f: input parameters:1:1: a parameter has a ");
  EXPECT_EQ(refusal("r = g(x)", "T x", "T r", "double g(double x) { return g(x - 1); }"),
            "f: preamble:1:29: g calls itself: write a loop");
  EXPECT_EQ(refusal("r = g(x)", "T x", "T r", "double g(double x) { if (x > 1) return 2; }"),
            "f: preamble:1:1: g has a path that ends without return");
  EXPECT_EQ(refusal("r = g(x)", "T x", "T r", "double g(double x, double y) { return x; }"),
            "f:1:5: g takes 2 operands: got 1");
  EXPECT_EQ(refusal("r = 1", "T x", "T r", "void g(double x) { }"),
            "f: preamble:1:1: a function gives a value: return it");
  EXPECT_EQ(refusal("r = 1", "T x", "T r", "double g(double* x) { return 1; }").substr(0, 40),
            "f: preamble:1:16: a pointer cannot be ha");
  EXPECT_EQ(refusal("r = x", "T x", "T r", "", "dr_dz = 1"),
            "f: derivative:1:1: 'dr_dx' is never assigned: a derivative assigns one for each result and "
            "parameter, as in "
            "dr_dx = 1, or dr_dx = 0 where it has none: got dr_dz");
  EXPECT_EQ(refusal("r = x * y", "T x, T y", "T r", "", "dr_dx = y"),
            "f: derivative:1:1: 'dr_dy' is never assigned: a derivative assigns one for each result and "
            "parameter, as in "
            "dr_dy = 1, or dr_dy = 0 where it has none: got dr_dx");
  EXPECT_EQ(refusal("T r = x; r = r * 2"), "f:1:3: 'r' is a parameter already");
}

// That nothing can have the word as its name.
void expect_no_name(std::string_view word, std::string_view why) {
  const auto is = [&](std::string_view what, size_t column) {
    return fmt::format("{}:{}: expected a parameter's name, got '{}', {}", what, column, word, why);
  };
  EXPECT_EQ(refusal("r = 1", fmt::format("T {}", word)), is("f: input parameters:1", 3));
  EXPECT_EQ(refusal("r = 1", "T x", fmt::format("T {}", word)), is("f: output parameters:1", 3));
  EXPECT_EQ(refusal(fmt::format("int {} = 1; r = 1", word)),
            fmt::format("f:1:5: expected a variable's name, got '{}', {}", word, why));
  EXPECT_EQ(refusal("r = 1", "T x", "T r", fmt::format("double {}(double x) {{ return x; }}", word)),
            fmt::format("f: preamble:1:8: expected a function's name, got '{}', {}", word, why));
  EXPECT_EQ(refusal("r = 1", "T x", "T r", fmt::format("double g(double {}) {{ return 1; }}", word)),
            is("f: preamble:1", 17));
}

TEST(Code, RefusesNamesThatCppKeeps) {
  for (const std::string_view word :
       {"if", "return", "while", "for", "do", "this", "operator", "and", "or", "not", "void", "namespace",
        "default", "true", "false", "nullptr", "sizeof", "enum"})
    expect_no_name(word, "a word that C++ keeps");
  for (const std::string_view word : {"M_PI", "INFINITY", "NAN", "INT_MAX", "FLT_EPSILON"})
    expect_no_name(word, "which is a constant");
  EXPECT_EQ(refusal("r = 1", "T T"),
            "f: input parameters:1:3: expected a parameter's name, got 'T', which is a type");
  EXPECT_EQ(refusal("r = 1", "T x, x y"),
            "f: input parameters:1:1: 'x' is a type: name the parameter otherwise");
  EXPECT_EQ(refusal("T = x", "T x", "T T"),
            "f: output parameters:1:3: expected a parameter's name, got 'T', which is a type");
  EXPECT_EQ(refusal("r = 1", "T x", "T r", "template <typename if> if g(if x) { return x; }"),
            "f: preamble:1:20: expected a type's name, got 'if', a word that C++ keeps");
}

TEST(Code, RefusesTypesThatCppKeepsAsWords) {
  for (const std::string_view word : {"if", "return", "void", "this", "not", "true"}) {
    const std::string said =
        fmt::format("f: input parameters:1:1: expected a type, got '{}', a word that C++ keeps", word);
    EXPECT_EQ(refusal("r = 1", fmt::format("{} x", word)), said);
  }
  EXPECT_EQ(refusal("r = 1", "class x"),
            "f: input parameters:1:1: a class cannot be compiled: use variables of their own");
}

TEST(Code, NestsOnlySoDeep) {
  EXPECT_NE(refusal("r = " + std::string(5000, '(') + "x" + std::string(5000, ')')).find("nests too deeply"),
            std::string::npos);
  EXPECT_NE(refusal("r = " + std::string(5000, '!') + "x").find("nests too deeply"), std::string::npos);
  std::string blocks;
  for (int k = 0; k < 5000; ++k) blocks += "if (x > 1) ";
  EXPECT_NE(refusal(blocks + "r = 1;").find("nests too deeply"), std::string::npos);
}

}  // namespace
}  // namespace weft::ir
