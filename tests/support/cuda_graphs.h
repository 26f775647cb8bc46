// Graphs whose CUDA kernels tests read and run.
#pragma once

#include <fmt/format.h>

#include <string>

namespace weft::test {

inline constexpr const char* kSeveral = R"(graph {
  %a = input : f32[1000, 512]
  %b = input : bool[1000, 512]
  %0 = exp %a
  %1 = select %b, %0, %a
  %2 = cast %1 : bf16[1000, 512]
  %3 = less %a, 0.0
  return %1, %2, %3
})";

inline constexpr const char* kGather = R"(graph {
  %a = input : f32[5000, 256]
  %i = input : i64[1024, 1]
  %g = gather %a, %i, axis=0
  %y = multiply %g, 2.0
  return %y
})";

inline std::string softmax(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %a = input : {0}[{1}, {2}]
  %m = max %a, axes=[1]
  %m1 = reshape %m : {0}[{1}, 1]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[1]
  %s1 = reshape %s : {0}[{1}, 1]
  %y = divide %e, %s1
  return %y
}})",
                     dtype, rows, width);
}

inline std::string layernorm(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %x = input : {0}[{1}, {2}]
  %gain = input : {0}[{2}]
  %bias = input : {0}[{2}]
  %t = sum %x, axes=[1]
  %m = divide %t, {2}
  %m1 = reshape %m : {0}[{1}, 1]
  %d = subtract %x, %m1
  %q = multiply %d, %d
  %s = sum %q, axes=[1]
  %v = divide %s, {2}
  %e = add %v, 0.001
  %r = sqrt %e
  %r1 = reshape %r : {0}[{1}, 1]
  %n = divide %d, %r1
  %g = multiply %n, %gain
  %y = add %g, %bias
  return %y
}})",
                     dtype, rows, width);
}

// Forces between all pairs, in two dimensions, and for each point how far the next one but itself is and
// which.
inline std::string pairs(const std::string& dtype, int64_t points, int64_t others) {
  return fmt::format(R"(graph {{
  %p = input : {0}[{1}, 1]
  %q = input : {0}[{1}, 1]
  %a = input : {0}[1, {2}]
  %b = input : {0}[1, {2}]
  %soft = scalar : {0}[]
  %x = subtract %a, %p
  %y = subtract %b, %q
  %xx = multiply %x, %x
  %yy = square %y
  %d = add %xx, %yy
  %e = add %d, %soft
  %r = rsqrt %e
  %fx = multiply %x, %r
  %fy = multiply %y, %r
  %sx = sum %fx, axes=[1]
  %sy = sum %fy, axes=[1]
  %near = min %d, axes=[1]
  %which = argmin %d, axes=[1]
  return %sx, %sy, %near, %which
}})",
                     dtype, points, others);
}

// The same in three dimensions, whose sums fill the shared memory of a block.
inline std::string forces(int64_t points) {
  return fmt::format(R"(graph {{
  %x = input : f32[{0}]
  %y = input : f32[{0}]
  %z = input : f32[{0}]
  %soft = scalar : f32[]
  %x1 = reshape %x : f32[{0}, 1]
  %y1 = reshape %y : f32[{0}, 1]
  %z1 = reshape %z : f32[{0}, 1]
  %dx = subtract %x, %x1
  %dy = subtract %y, %y1
  %dz = subtract %z, %z1
  %xx = square %dx
  %yy = square %dy
  %zz = square %dz
  %xy = add %xx, %yy
  %d = add %xy, %zz
  %e = add %d, %soft
  %r = rsqrt %e
  %rr = multiply %r, %r
  %w = multiply %rr, %r
  %fx = multiply %dx, %w
  %fy = multiply %dy, %w
  %fz = multiply %dz, %w
  %sx = sum %fx, axes=[1]
  %sy = sum %fy, axes=[1]
  %sz = sum %fz, axes=[1]
  return %sx, %sy, %sz
}})",
                     points);
}

inline std::string column_softmax(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %a = input : {0}[{1}, {2}]
  %m = max %a, axes=[0]
  %m1 = reshape %m : {0}[1, {2}]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[0]
  %s1 = reshape %s : {0}[1, {2}]
  %y = divide %e, %s1
  return %y
}})",
                     dtype, rows, width);
}

// With what else is found in the same readings.
inline std::string log_sum_exp(const std::string& dtype, int64_t rows, int64_t width, int axis) {
  return fmt::format(R"(graph {{
  %a = input : {0}[{1}, {2}]
  %m = max %a, axes=[{3}]
  %m1 = reshape %m : {0}[{4}]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[{3}]
  %l = log %s
  %y = add %l, %m
  %t = sum %a, axes=[{3}]
  return %y, %t
}})",
                     dtype, rows, width, axis,
                     axis == 1 ? fmt::format("{}, 1", rows) : fmt::format("1, {}", width));
}

inline std::string sum(const std::string& type, const std::string& axes) {
  return fmt::format("graph {{\n  %a = input : {}\n  %s = sum %a, axes=[{}]\n  return %s\n}}", type, axes);
}

inline std::string stencil(int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %u = input : f32[{0}, {1}]
  %c = slice %u, starts=[1, 1] : f32[{2}, {3}]
  %n = slice %u, starts=[0, 1] : f32[{2}, {3}]
  %s = slice %u, starts=[2, 1] : f32[{2}, {3}]
  %w = slice %u, starts=[1, 0] : f32[{2}, {3}]
  %e = slice %u, starts=[1, 2] : f32[{2}, {3}]
  %0 = add %n, %s
  %1 = add %w, %e
  %2 = add %0, %1
  %3 = multiply %c, 4
  %4 = subtract %2, %3
  %5 = multiply %4, 0.1
  %6 = add %c, %5
  %7 = update %u, %6, starts=[1, 1]
  return %7
}})",
                     rows, width, rows - 2, width - 2);
}

inline std::string argmax(const std::string& type) {
  return fmt::format("graph {{\n  %a = input : {}\n  %s = argmax %a, axes=[1]\n  return %s\n}}", type);
}

inline std::string transposed(int64_t rows, int64_t columns, const std::string& dtype = "f32") {
  return fmt::format(R"(graph {{
  %a = input : {2}[{0}, {1}]
  %b = input : {2}[{1}, {0}]
  %t = permute %b, axes=[1, 0]
  %y = add %a, %t
  return %y
}})",
                     rows, columns, dtype);
}

inline std::string heat(int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %u = input : f32[{0}, {1}]
  %c = slice %u, starts=[1, 1] : f32[{2}, {3}]
  %n = slice %u, starts=[0, 1] : f32[{2}, {3}]
  %s = slice %u, starts=[2, 1] : f32[{2}, {3}]
  %w = slice %u, starts=[1, 0] : f32[{2}, {3}]
  %e = slice %u, starts=[1, 2] : f32[{2}, {3}]
  %0 = add %n, %s
  %1 = add %w, %e
  %2 = add %0, %1
  %3 = multiply %c, 4
  %4 = subtract %2, %3
  return %4
}})",
                     rows, width, rows - 2, width - 2);
}

// Rows far from each other, planes, one row that is not shared, and a dtype with many lanes.
inline std::string many_rows(int64_t planes, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %u = input : i16[{0}, {1}, {2}]
  %v = input : i16[{4}, {2}]
  %0 = slice %u, starts=[0, 0, 0] : i16[{3}, {4}, {2}]
  %1 = slice %u, starts=[0, 2, 0] : i16[{3}, {4}, {2}]
  %2 = slice %u, starts=[1, 9, 0] : i16[{3}, {4}, {2}]
  %3 = slice %u, starts=[1, 4, 0] : i16[{3}, {4}, {2}]
  %4 = subtract %0, %1
  %5 = multiply %2, %3
  %6 = add %4, %5
  %7 = multiply %6, %v
  return %7
}})",
                     planes, rows, width, planes - 1, rows - 9);
}

// A scan between what it reads and what reads it.
inline std::string scanned(const std::string& op, const std::string& dtype, int64_t rows, int64_t width,
                           int axis) {
  return fmt::format(R"(graph {{
  %a = input : {1}[{2}, {3}]
  %b = input : {1}[{2}, {3}]
  %p = multiply %a, %b
  %c = {0} %p, axis={4}
  %y = subtract %c, %a
  return %y
}})",
                     op, dtype, rows, width, axis);
}

// A number for each row, and one for each place in it.
inline std::string add_to_rows(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %a = input : {0}[{1}, {2}]
  %b = input : {0}[{1}, 1]
  %c = broadcast %b : {0}[{1}, {2}]
  %d = input : {0}[{2}]
  %e = broadcast %d : {0}[{1}, {2}]
  %f = add %a, %c
  %y = add %f, %e
  return %y
}})",
                     dtype, rows, width);
}

}  // namespace weft::test
