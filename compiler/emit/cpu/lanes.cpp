#include "compiler/emit/cpu/lanes.h"

#include <algorithm>

namespace weft::emit::cpu {

using namespace plan;

const Num* along_lanes(const LaneLayout& lanes, const Index& at) {
  for (auto& t : at.axes)
    if (t.axis == lanes.axis && t.by.value != 0) return &t.by;
  return nullptr;
}

bool values_vary(const LaneLayout& lanes, const Index& at) {
  return std::ranges::any_of(at.values, [&](auto& t) { return lanes.varies[t.value]; });
}

bool varies(const LaneLayout& lanes, const Stmt& s) {
  if (std::holds_alternative<Fold>(s) || std::holds_alternative<Scan>(s)) return true;
  if (const Index* at = index_of(s); at && along_lanes(lanes, *at)) return true;
  return std::ranges::any_of(uses(s), [&](Value v) { return lanes.varies[v]; });
}

void find_varying(const RowProgram& p, bool columns, LaneLayout& lanes) {
  lanes.varies.assign(p.values.size(), 0);
  lanes.definitions.assign(p.values.size(), nullptr);
  auto visit = [&](const std::vector<Stmt>& block) {
    for (auto& s : block)
      if (Value v = defines(s); v >= 0) lanes.varies[v] = varies(lanes, s), lanes.definitions[v] = &s;
  };
  for (auto& sweep : p.sweeps) {
    visit(sweep.before);
    visit(sweep.body);
    for (int a : sweep.accumulators) lanes.varies[p.accumulators[a].out] = columns;
    visit(sweep.after_section);
  }
  visit(p.epilogue);
  for (auto& acc : p.accumulators)
    if (acc.is_over_points()) lanes.varies[acc.out] = 1;
  visit(p.after);
}

bool is_stretch(const LaneLayout& lanes, Value v) {
  const Stmt* definition = lanes.definitions[v];
  auto* t = definition ? std::get_if<Test>(definition) : nullptr;
  return t && !lanes.masked && lanes.varies[v] && !values_vary(lanes, t->at);
}

bool is_each(const LaneLayout& lanes, const Load& l) {
  return values_vary(lanes, l.at) || (!lanes.masked && std::ranges::any_of(l.guards, [&](Value g) {
           return lanes.varies[g] && !is_stretch(lanes, g);
         }));
}

}  // namespace weft::emit::cpu
