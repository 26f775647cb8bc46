#include "compiler/plan/rewrite/flatten.h"

#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"

namespace weft::plan {

bool flatten_rows(RowProgram& p) {
  if (p.outer.size() != 2 || !p.row.empty() || p.sweeps.size() != 1 || !p.epilogue.empty()) return false;
  const int64_t width = p.outer[1].value;
  auto walks_as_one = [&](const Index& at) { return stride_along(at, 0) == stride_along(at, 1) * width; };
  auto& body = p.sweeps[0].body;
  // What is read elsewhere is one number for a row, or the same in all rows: little, and near.
  auto is_plain = [&](const Stmt& s) {
    const Index* at = index_of(s);
    if (!at) return true;
    auto* load = std::get_if<Load>(&s);
    return at->values.empty() && (!load || load->guards.empty()) &&
           (walks_as_one(*at) || stride_along(*at, 0) == 0 || stride_along(*at, 1) == 0);
  };
  if (std::ranges::any_of(p.sweeps[0].before, [](const Stmt& s) { return index_of(s) != nullptr; }))
    return false;
  if (std::ranges::none_of(body, [&](const Stmt& s) {
        return std::holds_alternative<Store>(s) && walks_as_one(*index_of(s));
      }))
    return false;
  if (!std::ranges::all_of(body, is_plain)) return false;
  auto make = [&] {
    p.values.push_back({DType::I64, false});
    return static_cast<Value>(p.values.size()) - 1;
  };
  const Value whole = make(), row = make(), column = make();
  bool rows = false, columns = false;
  for (Stmt& s : body) {
    Index* at = index_of(s);
    if (!at) continue;
    const int64_t down = stride_along(*at, 0), along = stride_along(*at, 1);
    const bool one = walks_as_one(*at);
    at->axes.clear();
    if (one) {
      if (along != 0) at->axes.push_back({0, {along}});
      continue;
    }
    if (down != 0) at->values.push_back({row, {down}}), rows = true;
    if (along != 0) at->values.push_back({column, {along}}), columns = true;
  }
  std::vector<Stmt> places;
  if (rows || columns) places.emplace_back(Position{whole, {{{0, {1}}}, {}, {}}});
  if (rows) places.emplace_back(Divide{row, whole, {width}, false});
  if (columns) places.emplace_back(Divide{column, whole, {width}, true});
  body.insert(body.begin(), places.begin(), places.end());
  p.outer = {{p.outer[0].value * width}};
  return true;
}

}  // namespace weft::plan
