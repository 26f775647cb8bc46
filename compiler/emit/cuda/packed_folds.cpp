// A fold qualifies by its dtype and by what it reads; whatever only such folds read is left out of the
// elements.
#include "compiler/emit/cuda/packed_folds.h"

#include <algorithm>

namespace weft::emit {

using namespace plan;
using ir::Op;

namespace {

// The load whose elements the fold takes as they are; for truth, and for sums of wide integers, also through
// a cast. Null where elements have to be looked at one by one.
const Load* loaded_for(const RowProgram& p, const CudaLayout& l, const Batch& b, const Fold& f) {
  const Accumulator& acc = p.accumulators[f.accumulator];
  if (acc.is_over_points() || acc.is_over_section() || acc.relative_to()) return nullptr;
  auto definition = [&](Value v) {
    auto found = l.facts.definitions.find(v);
    return found == l.facts.definitions.end() ? nullptr : found->second;
  };
  const Stmt* from = definition(f.value);
  auto* cast = from ? std::get_if<Let>(from) : nullptr;
  if (cast && cast->op == Op::cast) from = definition(cast->args[0]);
  auto* load = from ? std::get_if<Load>(from) : nullptr;
  if (!load || l.facts.crossing.contains(load->out)) return nullptr;
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (&b.sweep->body[k] == from && (b.routes[k].path != Path::Vector || !load->guards.empty()))
      return nullptr;
  const DType t = p.values[load->out].dtype, to = p.values[f.value].dtype;
  const bool bytes = t == DType::Bool || t == DType::I8 || t == DType::U8;
  const bool halves = t == DType::I16 || t == DType::U16;
  bool fits = false;
  switch (acc.op) {
    case Op::any:
    case Op::all:
      fits = bytes && to == DType::Bool;
      break;
    case Op::sum:
      fits = (bytes || halves) && is_integer(to) && (t == to || size_of(to) >= 4);
      break;
    case Op::max:
    case Op::min:
      fits = (bytes || halves) && t != DType::Bool && t == to;
      break;
    default:
      break;
  }
  return fits && static_cast<size_t>(b.lanes) * size_of(t) % 4 == 0 ? load : nullptr;
}

}  // namespace

void find_packed_folds(const RowProgram& p, const CudaLayout& l, Batch& b) {
  auto& body = b.sweep->body;
  b.packed.assign(body.size(), false);
  b.packed_load.assign(body.size(), nullptr);
  if (l.columns() || b.lanes == 1 || l.facts.scans) return;
  std::map<Value, int> readers;
  bool any = false;
  for (size_t k = body.size(); k-- > 0;) {
    if (auto* fold = std::get_if<Fold>(&body[k])) {
      b.packed_load[k] = loaded_for(p, l, b, *fold);
      b.packed[k] = b.packed_load[k] != nullptr;
      any |= b.packed[k];
    }
    const bool load = std::holds_alternative<Load>(body[k]) && b.routes[k].path == Path::Vector,
               let = std::holds_alternative<Let>(body[k]) && b.routes[k].path == Path::Element;
    if ((load || let) && !l.facts.crossing.contains(defines(body[k])))
      b.packed[k] = readers[defines(body[k])] == 0;
    if (!b.packed[k])
      for (Value u : uses(body[k])) ++readers[u];
  }
  // Nothing else may be left out.
  if (!any) b.packed.assign(body.size(), false);
}

}  // namespace weft::emit
