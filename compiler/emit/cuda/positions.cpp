// The lane axis counts vectors, all others elements; shifted vectors begin before the row.
#include "compiler/emit/cuda/positions.h"

#include <algorithm>

#include "compiler/emit/cuda/values.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

std::vector<int> outer_axes(const Entry& e) { return axis_order(e.program, e.lane(), true); }
std::vector<int> row_axes(const Entry& e) { return axis_order(e.program, e.lane(), false); }

std::string count_of(const Entry& e, const std::vector<int>& order) {
  const VectorLayout& v = e.layout.vectors;
  const int lanes = e.own.lanes;
  std::string s;
  for (int a : order) {
    std::string count = spell(e.extent(a));
    if (a == v.axis && lanes > 1)
      count = v.ragged ? format("({} + {}) / {}", count, lanes - 1 + (v.shifted ? lanes - 1 : 0), lanes)
                       : format("{} / {}", count, lanes);
    s += s.empty() ? count : " * " + count;
  }
  return s.empty() ? "1" : s;
}

namespace {

// To where the reference is aligned. A last vector that has nothing of the row is the one before it again.
void shift_position(Entry& e, bool of_batch) {
  const VectorLayout& v = e.layout.vectors;
  Writer& code = e.code;
  const std::string position = e.scope.axis[v.axis];
  {
    const Changed<std::string> begin(e.scope.axis[v.axis], "0");
    code.line("{} -= ({}) & {};", position, index_text(e, *v.reference), e.own.lanes - 1);
  }
  const std::string end = spell(e.extent(v.axis));
  const bool sure = of_batch && v.sure > 0;
  if (sure) code.line("if (u >= {}) {{", v.sure);
  if (of_batch) code.line("ok[u] = ok[u] & ({} < {});", position, end);
  code.line("{0} -= {0} < {1} ? 0 : {2};", position, end, e.own.lanes);
  if (sure) code.add("}");
}

}  // namespace

void split_position(Entry& e, const std::vector<int>& order, bool of_batch) {
  const VectorLayout& v = e.layout.vectors;
  for (size_t k = 0; k < order.size(); ++k) {
    const int a = order[k];
    const int64_t steps = a == v.axis ? e.own.lane_vectors : e.extent(a).value;
    std::string step = k + 1 == order.size() ? "q" : e.arguments.split("q", count_of(e, {a}), steps);
    if (a == v.axis && e.own.lanes > 1) step += format(" * {}", e.own.lanes);
    e.scope.axis[a] = of_batch ? format("x{}[u]", a) : format("x{}", a);
    e.code.line("{}{} = {};",
                of_batch                   ? ""
                : v.shifted && a == v.axis ? "I "
                                           : "const I ",
                e.scope.axis[a], step);
  }
  if (v.shifted && std::ranges::count(order, v.axis) > 0) shift_position(e, of_batch);
}

void lane_position(Entry& e, bool is_inside) {
  const VectorLayout& v = e.layout.vectors;
  if (v.axis < 0 || e.own.lanes == 1) return;
  const std::string& first = e.scope.axis[v.axis];
  const std::string end = spell(e.extent(v.axis));
  if (v.shifted && !is_inside)
    e.code.line("const I y = {0} + e < 0 ? 0 : weft_min({0} + e, {1} - 1);", first, end);
  else if (v.ragged && !is_inside)
    e.code.line("const I y = weft_min({} + e, {} - 1);", first, end);
  else
    e.code.line("const I y = {} + e;", first);
}

std::string from_first(const Entry& e, const std::string& first) {
  return e.layout.vectors.sure == 0 ? first : format("u == 0 ? {} : 0", first);
}

std::string until_last(const Entry& e, const std::string& last) {
  const int sure = e.layout.vectors.sure;
  return sure == 0 ? last : format("u < {} ? {} : {}", sure, e.own.lanes, last);
}

std::string part_of_block(Entry& e) {
  return e.arguments.remainder("blockIdx.x", e.numbers.parts, e.layout.parts.count);
}

std::string row_of_block(Entry& e) {
  if (e.layout.parts.count > 1)
    return format("(I)({})", e.arguments.quotient("blockIdx.x", e.numbers.parts, e.layout.parts.count));
  return e.layout.cluster.blocks > 1 ? format("(I)(blockIdx.x / {})", e.layout.cluster.blocks)
                                     : "(I)blockIdx.x";
}

}  // namespace weft::emit
