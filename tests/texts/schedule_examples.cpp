#include "tests/texts/schedule_examples.h"

#include <fmt/format.h>

#include <utility>

#include "tests/support/across_graphs.h"

namespace weft::test {
namespace {

std::string type(int64_t rows, int64_t columns) { return fmt::format("f32[{}, {}]", rows, columns); }

std::string map(int64_t rows, int64_t columns) {
  return fmt::format("%x = input \"x\" : {}\n%y = exp %x\nreturn %y", type(rows, columns));
}

std::string add_transposed(int64_t rows, int64_t columns) {
  return fmt::format(
      "%x = input \"x\" : {}\n%y = input \"y\" : {}\n%t = permute %y, axes=[1, 0]\n%z = add %x, %t\nreturn "
      "%z",
      type(rows, columns), type(columns, rows));
}

std::string reduced(const std::string& op, int64_t rows, int64_t columns, int axis) {
  return fmt::format(
      "%x = input \"x\" : {}\n%y = square %x\n%s = {} %y, {}\nreturn %s", type(rows, columns), op,
      op.starts_with("cumulative") ? fmt::format("axis={}", axis) : fmt::format("axes=[{}]", axis));
}

std::string softmax(int64_t rows, int64_t columns, int axis) {
  const std::string kept = axis == 0 ? type(1, columns) : type(rows, 1);
  return fmt::format(
      "%x = input \"x\" : {0}\n%m = max %x, axes=[{1}]\n%n = reshape %m : {2}\n%d = subtract %x, %n\n%e = "
      "exp %d\n"
      "%s = sum %e, axes=[{1}]\n%t = reshape %s : {2}\n%y = divide %e, %t\nreturn %y",
      type(rows, columns), axis, kept);
}

std::string pairs(int64_t points) {
  return fmt::format(
      "%x = input \"x\" : f32[{0}]\n%a = reshape %x : f32[{0}, 1]\n%b = reshape %x : f32[1, {0}]\n"
      "%d = subtract %a, %b\n%q = square %d\n%w = add %q, 0.01\n%r = rsqrt %w\n%s = sum %r, axes=[1]\nreturn "
      "%s",
      points);
}

}  // namespace

std::vector<ScheduleExample> schedule_examples() {
  std::vector<ScheduleExample> all;
  auto add = [&](std::string name, std::string graph) {
    if (!graph.starts_with("graph")) graph = "graph {\n" + graph + "\n}";
    all.push_back({std::move(name), std::move(graph)});
  };
  for (auto [r, c] : {std::pair{4096, 4096}, {4096, 4095}, {1 << 22, 3}})
    add(fmt::format("map, {} rows of {}", r, c), map(r, c));
  add("x + y.T, 4096 rows of 4096", add_transposed(4096, 4096));
  for (auto [r, c] :
       {std::pair{1 << 22, 5}, {1 << 20, 49}, {1 << 14, 1024}, {32, 1 << 16}, {16, 1 << 20}, {1, 1 << 24}})
    add(fmt::format("sum of each row, {} rows of {}", r, c), reduced("sum", r, c, 1));
  for (auto [r, c] : {std::pair{16, 1 << 20}, {4096, 4096}, {1 << 20, 16}})
    add(fmt::format("sum over the rows, {} rows of {}", r, c), reduced("sum", r, c, 0));
  for (auto [r, c] : {std::pair{1 << 22, 5},
                      {1 << 20, 49},
                      {1 << 20, 64},
                      {1 << 15, 4096},
                      {1 << 12, 1 << 15},
                      {256, 1 << 17},
                      {64, 1 << 15},
                      {4, 1 << 20},
                      {16, 1 << 19},
                      {8, 1 << 22}})
    add(fmt::format("softmax of each row, {} rows of {}", r, c), softmax(r, c, 1));
  for (auto [r, c] :
       {std::pair{8, 1 << 22}, {256, 1 << 17}, {256, (1 << 17) - 1}, {4096, 1 << 14}, {1 << 16, 1024}})
    add(fmt::format("softmax over the rows, {} rows of {}", r, c), softmax(r, c, 0));
  for (auto [r, c] : {std::pair{32768, 1024}, {100, 5000}, {1000000, 3}})
    add(fmt::format("gradients of a layer norm, {} rows of {}", r, c), layer_norm_gradients("f32", r, c));
  for (auto [r, c] : {std::pair{16384, 4096}, {16384, 2048}})
    add(fmt::format("gradients of a batch norm, {} rows of {}", r, c), batch_norm_gradients("f32", r, c));
  for (auto [c, w] : {std::pair{4, 3136}, {10, 4096}})
    add(fmt::format("gradients of a group norm, 64 rows of 32 groups of {} channels of {}", c, w),
        group_norm_gradients("f32", 64, 32, c, w));
  add("sums of 500 rows of 5000, along and across",
      "  %x = input : f32[500, 5000]\n  %r = sum %x, axes=[1]\n  %c = sum %x, axes=[0]\n  return %r, %c");
  for (auto [r, c] : {std::pair{1 << 14, 1024}, {1, 1 << 24}})
    add(fmt::format("running sum of each row, {} rows of {}", r, c), reduced("cumulative_sum", r, c, 1));
  add("running sum down the rows, 4096 rows of 4096", reduced("cumulative_sum", 4096, 4096, 0));
  add("sums over all pairs of 16384 points", pairs(16384));
  return all;
}

}  // namespace weft::test
