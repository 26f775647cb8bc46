// Graphs that reduce the same data along its rows and across them, as gradients of norms do.
#pragma once

#include <fmt/format.h>

#include <string>

namespace weft::test {

// The gradients of a layer norm: of its input, its gain and its bias.
inline std::string layer_norm_gradients(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %x = input "x" : {0}[{1}, {2}]
  %dy = input "dy" : {0}[{1}, {2}]
  %gain = input "gain" : {0}[{2}]
  %s = sum %x, axes=[1]
  %m = divide %s, {2}
  %m1 = reshape %m : {0}[{1}, 1]
  %c = subtract %x, %m1
  %q = square %c
  %v = sum %q, axes=[1]
  %w = divide %v, {2}
  %e = add %w, 0.001
  %r = rsqrt %e
  %r1 = reshape %r : {0}[{1}, 1]
  %h = multiply %c, %r1
  %dbias = sum %dy, axes=[0]
  %dyh = multiply %dy, %h
  %dgain = sum %dyh, axes=[0]
  %dh = multiply %dy, %gain
  %a = sum %dh, axes=[1]
  %dhh = multiply %dh, %h
  %b = sum %dhh, axes=[1]
  %a0 = divide %a, {2}
  %b0 = divide %b, {2}
  %a1 = reshape %a0 : {0}[{1}, 1]
  %b1 = reshape %b0 : {0}[{1}, 1]
  %t = subtract %dh, %a1
  %u = multiply %h, %b1
  %o = subtract %t, %u
  %dx = multiply %o, %r1
  %scaled = multiply %dgain, %gain
  return %dx, %scaled, %dbias
}})",
                     dtype, rows, width);
}

// Those of a batch norm, as one program of its columns.
inline std::string batch_norm_gradients(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %x = input "x" : {0}[{1}, {2}]
  %dy = input "dy" : {0}[{1}, {2}]
  %gain = input "gain" : {0}[{2}]
  %s = sum %x, axes=[0]
  %m = divide %s, {1}
  %c = subtract %x, %m
  %q = square %c
  %v = sum %q, axes=[0]
  %w = divide %v, {1}
  %e = add %w, 0.001
  %r = rsqrt %e
  %h = multiply %c, %r
  %dbias = sum %dy, axes=[0]
  %dyh = multiply %dy, %h
  %dgain = sum %dyh, axes=[0]
  %dh = multiply %dy, %gain
  %a = sum %dh, axes=[0]
  %dhh = multiply %dh, %h
  %b = sum %dhh, axes=[0]
  %a0 = divide %a, {1}
  %b0 = divide %b, {1}
  %t = subtract %dh, %a0
  %u = multiply %h, %b0
  %o = subtract %t, %u
  %dx = multiply %o, %r
  return %dx, %dgain, %dbias
}})",
                     dtype, rows, width);
}

// Those of an RMS norm, of its input and its gain.
inline std::string rms_norm_gradients(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %x = input "x" : {0}[{1}, {2}]
  %dy = input "dy" : {0}[{1}, {2}]
  %gain = input "gain" : {0}[{2}]
  %q = square %x
  %v = sum %q, axes=[1]
  %w = divide %v, {2}
  %e = add %w, 0.001
  %r = rsqrt %e
  %r1 = reshape %r : {0}[{1}, 1]
  %h = multiply %x, %r1
  %dyh = multiply %dy, %h
  %dgain = sum %dyh, axes=[0]
  %dh = multiply %dy, %gain
  %dhh = multiply %dh, %h
  %b = sum %dhh, axes=[1]
  %b0 = divide %b, {2}
  %b1 = reshape %b0 : {0}[{1}, 1]
  %u = multiply %h, %b1
  %o = subtract %dh, %u
  %dx = multiply %o, %r1
  return %dx, %dgain
}})",
                     dtype, rows, width);
}

// Several reductions over both, of one array whose rows have two axes that do not become one.
inline std::string row_and_column_reductions(const std::string& row_op, const std::string& column_op,
                                             const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %x = input "x" : {2}[{3}, 3, {4}]
  %k = input "k" : {2}[{4}]
  %y = multiply %x, %k
  %r = {0} %y, axes=[1, 2]
  %c = {1} %x, axes=[0]
  return %r, %c
}})",
                     row_op, column_op, dtype, rows, width);
}

// The gradients of a group norm, of groups of `channels` each: of its input, and what each row has of those
// of its gain and its bias.
inline std::string group_norm_gradients(const std::string& dtype, int64_t rows, int64_t groups,
                                        int64_t channels, int64_t width) {
  return fmt::format(R"(graph {{
  %x = input "x" : {0}[{1}, {2}, {3}, {4}]
  %dy = input "dy" : {0}[{1}, {2}, {3}, {4}]
  %gain = input "gain" : {0}[{2}, {3}, 1]
  %s = sum %x, axes=[2, 3]
  %m = divide %s, {5}
  %m1 = reshape %m : {0}[{1}, {2}, 1, 1]
  %c = subtract %x, %m1
  %q = square %c
  %v = sum %q, axes=[2, 3]
  %w = divide %v, {5}
  %e = add %w, 0.001
  %r = rsqrt %e
  %r1 = reshape %r : {0}[{1}, {2}, 1, 1]
  %h = multiply %c, %r1
  %dbias = sum %dy, axes=[3]
  %dyh = multiply %dy, %h
  %dgain = sum %dyh, axes=[3]
  %dh = multiply %dy, %gain
  %a = sum %dh, axes=[2, 3]
  %dhh = multiply %dh, %h
  %b = sum %dhh, axes=[2, 3]
  %a0 = divide %a, {5}
  %b0 = divide %b, {5}
  %a1 = reshape %a0 : {0}[{1}, {2}, 1, 1]
  %b1 = reshape %b0 : {0}[{1}, {2}, 1, 1]
  %t = subtract %dh, %a1
  %u = multiply %h, %b1
  %o = subtract %t, %u
  %dx = multiply %o, %r1
  return %dx, %dgain, %dbias
}})",
                     dtype, rows, groups, channels, width, channels * width);
}

// Two results of one kernel, each reduced over two sets of axes.
inline std::string two_results_reduced(const std::string& shape, const std::string& rows,
                                       const std::string& of_first, const std::string& of_second,
                                       bool second_first = false) {
  return fmt::format(R"(graph {{
  %x = input "x" : f32[{0}]
  %y = cumulative_sum %x, axis=1
  %q = square %x
  %z = cumulative_sum %q, axis=1
  %a = sum %y, axes=[{1}]
  %b = sum %y, axes=[{2}]
  %c = sum %z, axes=[{1}]
  %d = sum %z, axes=[{3}]
  return {4}
}})",
                     shape, rows, of_first, of_second, second_first ? "%c, %d, %a, %b" : "%a, %b, %c, %d");
}

// Reductions of rows that have two axes, and of the second of these alone.
inline std::string row_and_section_reductions(const std::string& row_op, const std::string& section_op,
                                              const std::string& dtype, int64_t rows, int64_t sections,
                                              int64_t width) {
  return fmt::format(R"(graph {{
  %x = input "x" : {2}[{3}, {4}, {5}]
  %k = input "k" : {2}[{5}]
  %y = multiply %x, %k
  %r = {0} %y, axes=[1, 2]
  %c = {1} %x, axes=[2]
  return %r, %c
}})",
                     row_op, section_op, dtype, rows, sections, width);
}

}  // namespace weft::test
