#include "frontend/cpp/compiled/shared_arguments.h"

#include <algorithm>

#include "frontend/cpp/array/overlap.h"

namespace weft::detail {
namespace {

bool same_step(const View& a, const View& b) {
  if (a.op != b.op || a.from != b.from || a.type != b.type || a.writable != b.writable) return false;
  const auto node = [](const View& v) { return ir::NodeRef(new ir::Node(v.op, v.type, {}, v.attr, {})); };
  return a.offset == b.offset && a.strides == b.strides && ir::same_but_lines(*node(a), *node(b));
}

bool same_view(const View* a, const View* b) {
  for (; a && b && a != b; a = a->before.get(), b = b->before.get())
    if (!same_step(*a, *b)) return false;
  return a == b;
}

bool shows_twice(const Array& x) { return may_overlap(Access::view(x).get()); }

}  // namespace

std::vector<SharedArgument> shared_arguments(std::span<const Array> arguments) {
  std::vector<SharedArgument> result(arguments.size());
  bool apart = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    result[i].same_as = static_cast<int>(i);
    for (size_t j = 0; j < i; ++j) {
      if (!arguments[i].shares_cell(arguments[j])) continue;
      if (!same_view(Access::view(arguments[i]).get(), Access::view(arguments[j]).get())) continue;
      result[i].same_as = static_cast<int>(j);
      apart = false;
      break;
    }
  }
  const auto is_first = [&](size_t i) { return result[i].same_as == static_cast<int>(i); };
  for (size_t i = 0; i < arguments.size(); ++i) {
    bool in_part = shows_twice(arguments[i]);
    for (size_t j = 0; j < arguments.size() && !in_part; ++j)
      in_part = j != i && is_first(i) && is_first(j) && may_share(arguments[i], arguments[j]);
    if (!in_part) continue;
    apart = false;
    // All that lie in this array.
    for (size_t j = 0, first = arguments.size(); j < arguments.size(); ++j) {
      if (!arguments[i].shares_cell(arguments[j])) continue;
      first = std::min(first, j);
      result[j].part_of = static_cast<int>(first);
      result[j].whole = Access::cell(arguments[j])->type;
      result[j].view = Access::view(arguments[j]);
    }
  }
  if (apart) result.clear();
  return result;
}

bool same_sharing(std::span<const SharedArgument> a, std::span<const SharedArgument> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SharedArgument& x, const SharedArgument& y) {
                      if (x.same_as != y.same_as || x.part_of != y.part_of) return false;
                      return x.part_of < 0 || (x.whole == y.whole && same_view(x.view.get(), y.view.get()));
                    });
}

}  // namespace weft::detail
