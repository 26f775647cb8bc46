// Golden files of what the compiler makes of a graph: the graph after each pass that changes it, what fusion
// decided, the row programs and their schedules (golden/plan), and for a few the C++ itself (golden/cpu).
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "tests/support/golden.h"

namespace weft {
namespace {

struct Golden {
  const char* name;
  const char* lines;
  bool cpp = false;
  int vector_bytes = 64;
};

const Golden kGoldens[] = {
    {"axpy", R"(  %x = input "x" : f32[1000000]
  %y = input "y" : f32[1000000]
  %a = scalar "a" : f32[1000000]
  %p = multiply %a, %x
  %q = add %p, %y
  return %q)",
     true},
    {"several_outputs", R"(  %x = input "x" : f32[1000, 300]
  %b = input "b" : f32[300]
  %y = add %x, %b
  %z = exp %y
  %w = greater %z, 1.0
  return %y, %z, %w)"},
    {"sums_of_windows", R"(  %x = input "x" : f32[40, 300]
  %r = reshape %x : f32[40, 300, 1]
  %a = iota axis=1 : i64[1, 292, 9]
  %b = iota axis=2 : i64[1, 292, 9]
  %i = add %a, %b
  %w = gather %r, %i, axis=1
  %k = input "k" : f32[9]
  %c = broadcast %k : f32[40, 292, 9]
  %m = multiply %w, %c
  %s = sum %m, axes=[2]
  return %s)"},
    {"product_of_windows", R"(  %x = input "x" : f32[40, 300]
  %r = reshape %x : f32[40, 300, 1]
  %a = iota axis=1 : i64[1, 292, 9]
  %b = iota axis=2 : i64[1, 292, 9]
  %i = add %a, %b
  %w = gather %r, %i, axis=1
  %k = input "k" : f32[9]
  %f = reshape %w : f32[11680, 9]
  %c = reshape %k : f32[9, 1]
  %d = dot %f, %c
  return %d)"},
    {"short_rows", R"(  %x = input "x" : f32[1000, 25]
  %c = input "c" : f32[1000, 1]
  %y = add %x, %c
  return %y)"},
    {"sums_of_short_ragged_rows", R"(  %x = input "x" : f32[1000, 25]
  %s = sum %x, axes=[1]
  return %s)"},
    {"maps_of_tiny_rows", R"(  %x = input "x" : u8[1000, 3]
  %c = input "c" : u8[1000, 1]
  %y = add %x, %c
  return %y)",
     true},
    {"sums_of_tiny_rows", R"(  %x = input "x" : f32[1000, 5]
  %s = sum %x, axes=[1]
  return %s)"},
    {"sums_of_short_rows", R"(  %x = input "x" : f32[1000, 49]
  %s = sum %x, axes=[1]
  return %s)",
     true},
    {"sums_of_halves", R"(  %x = input "x" : f16[1000, 49]
  %y = add %x, 1
  %s = sum %y, axes=[1]
  return %y, %s)",
     true},
    {"variance_of_many_rows", R"(  %x = input "x" : f32[4096, 4096]
  %t = sum %x, axes=[1]
  %m = divide %t, 4096
  %r = reshape %m : f32[4096, 1]
  %d = subtract %x, %r
  %q = square %d
  %v = sum %q, axes=[1]
  return %m, %v)",
     true},
    {"sum_of_a_large_array", R"(  %x = input "x" : f32[16777216]
  %s = sum %x, axes=[0]
  return %s)"},
    {"sums_of_short_whole_rows", R"(  %x = input "x" : f32[1000, 32]
  %s = sum %x, axes=[1]
  return %s)"},
    {"softmax", R"(  %x = input "x" : f32[512, 1000]
  %m = max %x, axes=[1]
  %n = reshape %m : f32[512, 1]
  %d = subtract %x, %n
  %e = exp %d
  %s = sum %e, axes=[1]
  %t = reshape %s : f32[512, 1]
  %y = divide %e, %t
  return %y)",
     true},
    {"softmax_of_long_rows", R"(  %x = input "x" : f32[64, 5000]
  %m = max %x, axes=[1]
  %n = reshape %m : f32[64, 1]
  %d = subtract %x, %n
  %e = exp %d
  %s = sum %e, axes=[1]
  %t = reshape %s : f32[64, 1]
  %y = divide %e, %t
  return %y)",
     true},
    {"row_and_column_sums", R"(  %x = input "x" : f32[2048, 1000]
  %y = square %x
  %r = sum %y, axes=[1]
  %c = sum %y, axes=[0]
  %s = sqrt %c
  return %r, %s)",
     true},
    {"row_and_section_sums", R"(  %x = input "x" : f32[64, 8, 1000]
  %y = square %x
  %r = sum %y, axes=[1, 2]
  %c = sum %x, axes=[2]
  return %r, %c)",
     true},
    {"sums_of_few_columns", R"(  %x = input "x" : f32[40000, 3]
  %y = square %x
  %c = sum %y, axes=[0]
  %m = divide %c, 40000
  return %m)"},
    {"totals_of_short_rows", R"(  %x = input "x" : f32[40000, 3]
  %g = input "g" : f32[3]
  %y = multiply %x, %g
  %r = sum %y, axes=[1]
  %m = reshape %r : f32[40000, 1]
  %z = subtract %x, %m
  %c = sum %x, axes=[0]
  %s = sqrt %c
  return %z, %s)"},
    {"cumulative_sum", R"(  %x = input "x" : f32[512, 1000]
  %y = square %x
  %c = cumulative_sum %y, axis=1
  %r = sqrt %c
  return %r)",
     true},
    {"layer_norm", R"(  %x = input "x" : f32[512, 768]
  %g = input "g" : f32[768]
  %b = input "b" : f32[768]
  %s = sum %x, axes=[1]
  %m = divide %s, 768.0
  %k = reshape %m : f32[512, 1]
  %c = subtract %x, %k
  %q = square %c
  %v = sum %q, axes=[1]
  %w = divide %v, 768.0
  %e = add %w, 0.00001
  %r = rsqrt %e
  %l = reshape %r : f32[512, 1]
  %n = multiply %c, %l
  %h = multiply %n, %g
  %y = add %h, %b
  return %y)"},
    {"variance", R"(  %x = input "x" : f64[100, 5000]
  %s = sum %x, axes=[1]
  %m = divide %s, 5000.0
  %k = reshape %m : f64[100, 1]
  %c = subtract %x, %k
  %q = square %c
  %v = sum %q, axes=[1]
  %w = divide %v, 5000.0
  return %w)"},
    {"log_sum_exp", R"(  %x = input "x" : f32[64, 32000]
  %m = max %x, axes=[1]
  %n = reshape %m : f32[64, 1]
  %d = subtract %x, %n
  %e = exp %d
  %s = sum %e, axes=[1]
  %l = log %s
  %y = add %l, %m
  return %y)"},
    {"argmax", R"(  %x = input "x" : f32[100, 1000]
  %a = abs %x
  %p = argmax %a, axes=[1]
  return %p)"},
    {"sum_all", R"(  %x = input "x" : f32[3000, 1000]
  %s = sum %x
  return %s)",
     true, 32},
    {"sum_leading", R"(  %x = input "x" : f32[3000, 1000]
  %s = sum %x, axes=[0]
  return %s)",
     true, 32},
    {"sum_middle", R"(  %x = input "x" : f32[30, 200, 100]
  %s = sum %x, axes=[1]
  return %s)"},
    {"normalize_all", R"(  %x = input "x" : f32[1000000]
  %s = sum %x
  %m = divide %s, 1000000.0
  %q = square %x
  %t = sum %q
  %u = divide %t, 1000000.0
  %n = square %m
  %v = subtract %u, %n
  %r = rsqrt %v
  %c = subtract %x, %m
  %y = multiply %c, %r
  return %y)"},
    {"stencil", R"(  %x = input "x" : f32[1002, 1002]
  %n = slice %x, starts=[0, 1] : f32[1000, 1000]
  %s = slice %x, starts=[2, 1] : f32[1000, 1000]
  %w = slice %x, starts=[1, 0] : f32[1000, 1000]
  %e = slice %x, starts=[1, 2] : f32[1000, 1000]
  %a = add %n, %s
  %b = add %w, %e
  %c = add %a, %b
  %y = multiply %c, 0.25
  return %y)",
     true, 32},
    {"columns_of_one_matrix", R"(  %x = input "x" : f64[100000, 90]
  %a = slice %x, starts=[0, 3] : f64[100000, 1]
  %b = slice %x, starts=[0, 4] : f64[100000, 1]
  %c = slice %x, starts=[0, 9] : f64[100000, 1]
  %p = multiply %a, %b
  %y = add %p, %c
  return %y)",
     true},
    {"columns_replaced", R"(  %x = input "x" : f64[100000, 90]
  %v = input "v" : f64[100000, 1]
  %a = slice %x, starts=[0, 3] : f64[100000, 1]
  %b = add %a, %v
  %c = multiply %b, %v
  %z = negative %x
  %s = update %z, %b, starts=[0, 4], steps=[1, 1]
  %t = update %s, %c, starts=[0, 5], steps=[1, 1]
  return %t)",
     true},
    {"pad", R"(  %x = input "x" : f32[100, 100]
  %p = pad %x, 0.0, before=[1, 2], after=[1, 2]
  %y = exp %p
  return %y)",
     true},
    {"concat", R"(  %x = input "x" : f32[100, 40]
  %y = input "y" : f32[100, 60]
  %c = concat %x, %y, axis=1
  %z = multiply %c, 3.5
  return %z)"},
    {"update", R"(  %x = input "x" : f32[1000]
  %l = slice %x, starts=[0] : f32[998]
  %r = slice %x, starts=[2] : f32[998]
  %s = add %l, %r
  %h = multiply %s, 0.5
  %u = update %x, %h, starts=[1], steps=[1]
  return %u)"},
    {"gather", R"(  %t = input "t" : f32[1000, 64]
  %i = input "i" : i64[20, 1]
  %g = gather %t, %i, axis=0
  %y = multiply %g, 2.0
  return %y)"},
    {"scatter", R"(  %t = input "t" : f32[1000, 64]
  %i = input "i" : i64[20, 64]
  %v = input "v" : f32[20, 64]
  %w = exp %v
  %s = scatter_add %t, %i, %w, axis=0
  %y = relu %s
  return %y)"},
    {"reshape_in_a_chain", R"(  %x = input "x" : f32[24, 100]
  %y = input "y" : f32[100, 24]
  %e = exp %x
  %m = reshape %e : f32[2400]
  %s = reshape %m : f32[100, 24]
  %z = add %s, %y
  return %z)"},
    {"add_transposed", R"(  %x = input "x" : f32[500, 300]
  %y = input "y" : f32[300, 500]
  %t = permute %y, axes=[1, 0]
  %z = add %x, %t
  return %z)"},
    {"pairs", R"(  %x = input "x" : f32[2000]
  %y = input "y" : f32[2000]
  %m = input "m" : f32[2000]
  %i = reshape %x : f32[2000, 1]
  %j = reshape %y : f32[2000, 1]
  %dx = subtract %x, %i
  %dy = subtract %y, %j
  %qx = square %dx
  %qy = square %dy
  %q = add %qx, %qy
  %r = add %q, 0.01
  %s = rsqrt %r
  %w = multiply %s, %m
  %fx = multiply %dx, %w
  %fy = multiply %dy, %w
  %ax = sum %fx, axes=[1]
  %ay = sum %fy, axes=[1]
  %p = sum %w, axes=[1]
  return %ax, %ay, %p)"},
    {"mixed_dtypes", R"(  %a = input "a" : i8[1000]
  %h = input "h" : bf16[1000]
  %c = input "c" : c64[1000]
  %p = greater %a, 0
  %s = select %p, %h, 1.5
  %k = conj %c
  %m = multiply %k, %c
  return %p, %s, %m)"},
    {"product", R"(  %a = input "a" : f32[64, 32]
  %b = input "b" : f32[32, 16]
  %v = input "v" : f32[16]
  %e = exp %a
  %d = dot %e, %b
  %s = add %d, %v
  %y = relu %s
  return %y)"},
    {"simplified", R"(  %x = input "x" : f32[100]
  %a = multiply %x, 1.0
  %b = pow %a, 2.0
  %c = pow %x, 2.0
  %d = divide %c, 2.0
  %e = add %b, %d
  return %e)"},
};

class Plan : public testing::TestWithParam<Golden> {};

TEST_P(Plan, IsAsBefore) {
  const Golden& g = GetParam();
  std::string stages, cpp;
  Options options;
  options.dump = [&](std::string_view stage, std::string_view text) {
    if (stage == "cpp")
      cpp += text;
    else
      stages += "# " + std::string(stage) + "\n" + std::string(text) + "\n";
  };
  Target target{TargetKind::Cpu, 2, g.vector_bytes, size_t{32} << 20, 0};
  compile(ir::parse("graph {\n" + std::string(g.lines) + "\n}\n", g.name), target, options);
  test::expect_golden("plan/" + std::string(g.name) + ".txt", stages);
  // What follows the prelude's functions.
  if (g.cpp) test::expect_golden("cpu/" + std::string(g.name) + ".cpp", cpp.substr(cpp.find("struct c64e")));
}

INSTANTIATE_TEST_SUITE_P(Goldens, Plan, testing::ValuesIn(kGoldens),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace weft
