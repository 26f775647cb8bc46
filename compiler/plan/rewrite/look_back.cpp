#include "compiler/plan/rewrite/look_back.h"

#include <algorithm>

#include "compiler/base/error.h"

namespace weft::plan {

void total_parts_first(RowProgram& p) {
  if (p.sweeps.size() != 1 || p.accumulators.size() != 1 || !p.accumulators[0].is_running())
    throw InternalError("plan: the parts of a row are totalled for one scan\n" + print(p));
  Sweep& scanned = p.sweeps[0];
  Accumulator total = p.accumulators[0];
  total.reach = OverRow{};
  total.out = static_cast<Value>(p.values.size());
  p.values.push_back({total.dtype, false});
  p.accumulators.push_back(total);

  Sweep first;
  first.before = std::move(scanned.before);
  scanned.before.clear();
  first.body = scanned_only(scanned.body);
  first.accumulators = {1};
  for (auto& stmt : first.body) {
    if (auto* scan = std::get_if<Scan>(&stmt)) {
      stmt = Fold{1, scan->value};
      continue;
    }
    const Value made = defines(stmt);
    std::erase_if(scanned.body, [&](const Stmt& s) { return defines(s) == made; });
  }
  p.sweeps.insert(p.sweeps.begin(), std::move(first));
}

}  // namespace weft::plan
